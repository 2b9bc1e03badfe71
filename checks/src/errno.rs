//! `docs/errno.md`: which checks each function makes itself, in their order, and what they answer.
//! Made from the `refuse!` calls that a function reaches; nothing is kept by hand.
//!
//! Calls are followed by names: what a receiver is follows from the function's parameters, from
//! the fields of the crate's structs and from the types that the function names. A call that
//! stays ambiguous is followed nowhere.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    path::Path,
};
use syn::visit::{self, Visit};

/// Where the result stands in the repository.
pub const FILE: &str = "docs/errno.md";

/// A refusal: errno, check, and the value that tracing shows.
type Refusal = (String, String, Option<String>);

/// What a function does, in the order of its text.
#[derive(Clone, Debug, PartialEq)]
enum Step {
    Refuse(Refusal),
    /// A call by path: what stands before the last name, and that.
    Path(Option<String>, String),
    /// A method call: what the receiver looks like, and the name.
    Method(Receiver, String),
    /// The kernel is asked.
    Kernel,
}

#[derive(Clone, Debug, PartialEq)]
enum Receiver {
    Own,
    Variable(String),
    Field(String),
    Unknown,
}

/// A function of the crate.
#[derive(Debug, Default)]
struct Function {
    /// Name of its file, without folders and extension.
    module: String,
    /// Type whose method it is.
    owner: Option<String>,
    name: String,
    steps: Vec<Step>,
    /// Types of the parameters by their names.
    parameters: BTreeMap<String, String>,
    /// Every type and module that its text names.
    names: BTreeSet<String>,
    /// Calls of `border`: the C names of what is in it.
    c_names: Vec<String>,
}

/// Everything that is known of the sources.
#[derive(Default)]
pub struct Sources {
    functions: Vec<Function>,
    /// Types of struct fields; None if fields of one name have several.
    fields: BTreeMap<String, Option<String>>,
    /// Refusals in the macros of a file.
    macros: BTreeMap<String, Vec<Refusal>>,
}

/// The last name of a type, without references and wrappers.
fn type_name(t: &syn::Type) -> Option<String> {
    match t {
        syn::Type::Reference(r) => type_name(&r.elem),
        syn::Type::Paren(p) => type_name(&p.elem),
        syn::Type::Path(p) => {
            let last = p.path.segments.last()?;
            if let syn::PathArguments::AngleBracketed(a) = &last.arguments
                && ["Option", "Box", "Mutex"].iter().any(|w| last.ident == w)
                && let Some(syn::GenericArgument::Type(inner)) = a.args.first()
            {
                return type_name(inner);
            }
            Some(last.ident.to_string())
        }
        _ => None,
    }
}

/// A `refuse!(ERRNO, "check", what = value)`.
fn refusal(tokens: TokenStream) -> Option<Refusal> {
    let mut tokens = tokens.into_iter();
    let errno = tokens.next()?.to_string();
    tokens.next()?;
    let check = tokens.next()?.to_string();
    tokens.next();
    let what = tokens.next().map(|t| t.to_string());
    Some((errno, check.trim_matches('"').to_owned(), what))
}

/// The refusals in the text of a macro.
fn refusals(tokens: TokenStream) -> Vec<Refusal> {
    let mut found = Vec::new();
    let all: Vec<TokenTree> = tokens.into_iter().collect();
    for (i, token) in all.iter().enumerate() {
        let TokenTree::Group(group) = token else { continue };
        let called = i >= 2 && all[i - 2].to_string() == "refuse" && all[i - 1].to_string() == "!";
        match called && group.delimiter() == Delimiter::Parenthesis {
            true => found.extend(refusal(group.stream())),
            false => found.extend(refusals(group.stream())),
        }
    }
    found
}

/// Reads a function's body.
struct Body<'a> {
    function: &'a mut Function,
    macros: &'a BTreeMap<String, Vec<Refusal>>,
}

impl Body<'_> {
    fn call(&mut self, path: &syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
        let Some((name, before)) = names.split_last() else { return };
        self.function.steps.push(Step::Path(before.last().cloned(), name.clone()));
    }
}

/// Functions that ask the kernel.
const KERNEL: [&str; 8] =
    ["execute", "invoke_write", "write_command", "dontfork", "ioctl", "mmap", "read", "verbs_open_device"];

impl Visit<'_> for Body<'_> {
    fn visit_expr_call(&mut self, call: &syn::ExprCall) {
        if let syn::Expr::Path(p) = &*call.func {
            let names: Vec<String> = p.path.segments.iter().map(|s| s.ident.to_string()).collect();
            if let [.., border, _] = names.as_slice()
                && border == "border"
                && let Some(syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(s), .. })) = call.args.first()
            {
                self.function.c_names.push(s.value());
            }
            for argument in &call.args {
                self.visit_expr(argument);
            }
            match names.last().is_some_and(|n| KERNEL.contains(&n.as_str())) {
                true => self.function.steps.push(Step::Kernel),
                false => self.call(&p.path),
            }
            self.visit_path(&p.path);
        } else {
            visit::visit_expr_call(self, call);
        }
    }

    fn visit_expr_method_call(&mut self, call: &syn::ExprMethodCall) {
        visit::visit_expr_method_call(self, call);
        let receiver = match &*call.receiver {
            syn::Expr::Path(p) if p.path.is_ident("self") => Receiver::Own,
            syn::Expr::Path(p) => {
                p.path.get_ident().map_or(Receiver::Unknown, |i| Receiver::Variable(i.to_string()))
            }
            syn::Expr::Field(syn::ExprField { member: syn::Member::Named(n), .. }) => {
                Receiver::Field(n.to_string())
            }
            _ => Receiver::Unknown,
        };
        self.function.steps.push(Step::Method(receiver, call.method.to_string()));
    }

    /// A path that is passed on (`and_then(Self::open)`), and names in general.
    fn visit_path(&mut self, path: &syn::Path) {
        self.function.names.extend(path.segments.iter().map(|s| s.ident.to_string()));
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, m: &syn::Macro) {
        let name = m.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
        let found = match name.as_str() {
            "refuse" => refusal(m.tokens.clone()).into_iter().collect(),
            "missing" => vec![("EOPNOTSUPP".into(), "not implemented".into(), None)],
            _ => {
                let mut found = refusals(m.tokens.clone());
                found.extend(self.macros.get(&name).into_iter().flatten().cloned());
                found
            }
        };
        self.function.steps.extend(found.into_iter().map(Step::Refuse));
        if name == "owner" {
            self.function.steps.push(Step::Path(Some("Context".into()), "from_ibv".into()));
        }
    }
}

/// Reads a file.
struct File<'a> {
    module: &'a str,
    owner: Option<String>,
    sources: &'a mut Sources,
}

impl File<'_> {
    fn function(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let mut function = Function {
            module: self.module.to_owned(),
            owner: self.owner.clone(),
            name: signature.ident.to_string(),
            ..Function::default()
        };
        for argument in &signature.inputs {
            if let syn::FnArg::Typed(t) = argument
                && let syn::Pat::Ident(i) = &*t.pat
                && let Some(name) = type_name(&t.ty)
            {
                function.parameters.insert(i.ident.to_string(), name);
            }
        }
        Body { function: &mut function, macros: &self.sources.macros }.visit_block(block);
        self.sources.functions.push(function);
    }
}

impl Visit<'_> for File<'_> {
    fn visit_item_fn(&mut self, f: &syn::ItemFn) {
        self.function(&f.sig, &f.block);
    }

    fn visit_impl_item_fn(&mut self, f: &syn::ImplItemFn) {
        self.function(&f.sig, &f.block);
    }

    fn visit_item_impl(&mut self, i: &syn::ItemImpl) {
        self.owner = type_name(&i.self_ty);
        visit::visit_item_impl(self, i);
        self.owner = None;
    }

    fn visit_field(&mut self, field: &syn::Field) {
        if let (Some(name), Some(of)) = (&field.ident, type_name(&field.ty)) {
            let known = self.sources.fields.entry(name.to_string()).or_insert(Some(of.clone()));
            if known.as_ref() != Some(&of) {
                *known = None;
            }
        }
    }

    fn visit_item_mod(&mut self, m: &syn::ItemMod) {
        if m.ident != "tests" {
            visit::visit_item_mod(self, m);
        }
    }
}

/// The macros of a file that refuse.
struct Macros<'a>(&'a mut BTreeMap<String, Vec<Refusal>>);

impl Visit<'_> for Macros<'_> {
    fn visit_item_macro(&mut self, m: &syn::ItemMacro) {
        let Some(name) = m.ident.as_ref().filter(|n| *n != "refuse" && *n != "missing") else { return };
        let found = refusals(m.mac.tokens.clone());
        if !found.is_empty() {
            self.0.insert(name.to_string(), found);
        }
    }
}

impl Sources {
    /// Takes a source file in.
    fn add(&mut self, module: &str, text: &str) -> syn::Result<()> {
        let file = syn::parse_file(text)?;
        Macros(&mut self.macros).visit_file(&file);
        File { module, owner: None, sources: self }.visit_file(&file);
        Ok(())
    }

    /// Whose function a step of `caller` calls. None if that is nobody's or anybody's guess.
    fn target(&self, caller: &Function, step: &Step) -> Option<usize> {
        let all = |name: &str| -> Vec<usize> {
            (0..self.functions.len()).filter(|i| self.functions[*i].name == name).collect()
        };
        let one = |found: Vec<usize>| if let [one] = found.as_slice() { Some(*one) } else { None };
        match step {
            Step::Path(before, name) => {
                let before = match before.as_deref() {
                    Some("Self") => caller.owner.as_deref(),
                    Some("super" | "crate") | None => None,
                    b => b,
                };
                let mut found = all(name);
                found.retain(|i| {
                    let f = &self.functions[*i];
                    match before {
                        Some(b) => f.owner.as_deref() == Some(b) || (f.owner.is_none() && f.module == b),
                        None => f.owner.is_none() && f.module == caller.module,
                    }
                });
                // A module under another name, or a function that `use` brought in.
                if found.is_empty() && before.is_none_or(|b| b.starts_with(char::is_lowercase)) {
                    found = all(name);
                    found.retain(|i| self.functions[*i].owner.is_none());
                }
                one(found)
            }
            Step::Method(receiver, name) => {
                let mut found = all(name);
                found.retain(|i| self.functions[*i].owner.is_some());
                let of = match receiver {
                    Receiver::Own => caller.owner.clone(),
                    Receiver::Variable(v) => caller.parameters.get(v).cloned(),
                    Receiver::Field(f) => self.fields.get(f).cloned().flatten(),
                    Receiver::Unknown => None,
                };
                match of {
                    Some(of) => found.retain(|i| self.functions[*i].owner.as_ref() == Some(&of)),
                    None => found.retain(|i| {
                        self.functions[*i].owner.as_ref().is_some_and(|o| caller.names.contains(o))
                    }),
                }
                one(found)
            }
            Step::Refuse(_) | Step::Kernel => None,
        }
    }

    /// Appends what function `i` refuses, and what its calls do; true if the kernel is asked.
    fn follow(&self, i: usize, seen: &mut BTreeSet<usize>, found: &mut Vec<Refusal>) -> bool {
        if !seen.insert(i) {
            return false;
        }
        let function = &self.functions[i];
        let mut kernel = false;
        for step in &function.steps {
            match step {
                Step::Refuse(r) if !found.contains(r) => found.push(r.clone()),
                Step::Refuse(_) => {}
                Step::Kernel => kernel = true,
                _ => {
                    if let Some(next) = self.target(function, step) {
                        kernel |= self.follow(next, seen, found);
                    }
                }
            }
        }
        kernel
    }
}

fn add_folder(sources: &mut Sources, dir: &Path) {
    let mut entries: Vec<_> =
        std::fs::read_dir(dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display())).flatten().collect();
    entries.sort_by_key(std::fs::DirEntry::path);
    for entry in entries {
        let path = entry.path();
        if path.is_dir() {
            add_folder(sources, &path);
        } else if path.extension().is_some_and(|e| e == "rs") {
            // `mod.rs` is named after its folder.
            let named = if path.ends_with("mod.rs") { dir } else { &path };
            let module = named.file_stem().and_then(|s| s.to_str()).unwrap_or_default();
            sources
                .add(module, &crate::read_file(&path))
                .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        }
    }
}

/// The text of the list.
///
/// # Panics
/// If the tree cannot be read.
pub fn text() -> String {
    let mut sources = Sources::default();
    add_folder(&mut sources, &crate::root().join("src"));
    let mut all = BTreeMap::new();
    for (i, function) in sources.functions.iter().enumerate() {
        for c_name in &function.c_names {
            let mut found = Vec::new();
            let kernel = sources.follow(i, &mut BTreeSet::new(), &mut found);
            all.insert(c_name.as_str(), (found, kernel));
        }
    }
    let mut out = String::from(
        "# Refusals\n\n\
         Made by `make errno` from the sources; a test fails while it is out of date.\n\n\
         Per function: the checks that the library makes itself, in their order, with the errno that\n\
         each answers by the function's own convention (see the manual page). `MLX5_TRACE=stderr`\n\
         tells at run time which check refused and what it saw. Where the kernel is asked, its errno\n\
         is passed on; a device command that the device refuses is EREMOTEIO with status and syndrome\n\
         in the output, except where the library makes the command itself and maps the status.\n",
    );
    for (name, (found, kernel)) in all {
        writeln!(out, "\n## `{name}`\n").expect("memory");
        for (errno, check, what) in &found {
            let what = what.as_ref().map(|w| format!(" (`{w}`)")).unwrap_or_default();
            writeln!(out, "- {errno}: {check}{what}").expect("memory");
        }
        match (kernel, found.is_empty()) {
            (true, _) => writeln!(out, "- the kernel's").expect("memory"),
            (false, true) => writeln!(out, "- none").expect("memory"),
            (false, false) => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusals_of(c_name: &str, files: &[(&str, &str)]) -> (Vec<String>, bool) {
        let mut sources = Sources::default();
        for (module, text) in files {
            sources.add(module, text).unwrap();
        }
        let i = sources.functions.iter().position(|f| f.c_names.iter().any(|n| n == c_name)).unwrap();
        let mut found = Vec::new();
        let kernel = sources.follow(i, &mut BTreeSet::new(), &mut found);
        (found.into_iter().map(|(errno, check, _)| format!("{errno} {check}")).collect(), kernel)
    }

    #[test]
    fn calls_are_followed_in_order() {
        let exports = r#"
            use crate::a::{self, Thing};
            fn f(p: *mut u8) { border::value("c_f", || {
                let thing = unsafe { Thing::from_c(p)? };
                a::work(thing, p)
            }) }"#;
        let a = r#"
            struct Thing { inner: Inner }
            impl Thing {
                fn from_c(p: *mut u8) -> R { p.as_ref().ok_or(refuse!(EINVAL, "is NULL")) }
                fn check(&self) -> R { if self.x { return Err(refuse!(EBUSY, "in use", x = self.x)); } self.inner.last() }
            }
            impl Inner { fn last(&self) -> R { Err(refuse!(EIO, "last")) } }
            fn work(t: &Thing, p: *mut u8) -> R { t.check()?; uverbs::execute(3) }
            fn unused() { refuse!(EPERM, "never") }"#;
        let (found, kernel) = refusals_of("c_f", &[("exports", exports), ("a", a)]);
        assert_eq!(found, ["EINVAL is NULL", "EBUSY in use", "EIO last"]);
        assert!(kernel);
    }

    #[test]
    fn methods_of_one_name_are_told_apart() {
        let a = r#"
            struct A { b: B }
            impl A { fn go(&self) { self.b.go() } }
            impl B { fn go(&self) { refuse!(ENOMEM, "of b") } }
            impl C { fn go(&self) { refuse!(EPERM, "of c") } }
            fn f(a: &A) { border::void("c_f", || a.go()) }"#;
        assert_eq!(refusals_of("c_f", &[("a", a)]), (vec!["ENOMEM of b".to_owned()], false));
    }
}
