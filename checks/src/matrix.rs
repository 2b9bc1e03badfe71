//! `docs/matrix.md`: which exports and verbs operations are written, and which programs of
//! `ctest/` use them. Made from `symbols.txt`, the sources and the tests; nothing is kept by hand.

use crate::{facts, symbols};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};
use syn::visit::Visit;

/// Where the result stands in the repository.
pub const FILE: &str = "docs/matrix.md";

/// How far an export is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Written,
    /// Answers EOPNOTSUPP in some cases that the reference serves.
    Partly,
    /// Answers EOPNOTSUPP and nothing else.
    Missing,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            State::Written => "yes",
            State::Partly => "partly",
            State::Missing => "missing",
        }
    }
}

/// An exported function in the sources.
struct Export {
    family: String,
    state: State,
}

/// Files below a folder with an extension, sorted.
fn files(dir: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(dir) = folders.pop() {
        for entry in fs::read_dir(&dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display())).flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Collects the exported functions of a source file.
struct Exports<'a> {
    family: &'a str,
    found: &'a mut BTreeMap<String, Export>,
}

/// Whether a body uses `missing!` somewhere.
#[derive(Default)]
struct UsesMissing(bool);

impl Visit<'_> for UsesMissing {
    fn visit_macro(&mut self, m: &syn::Macro) {
        self.0 |= m.path.is_ident("missing");
    }
}

/// Whether a body is nothing but `missing!(…)`.
fn only_missing(block: &syn::Block) -> bool {
    let [statement] = block.stmts.as_slice() else { return false };
    match statement {
        syn::Stmt::Macro(m) => m.mac.path.is_ident("missing"),
        syn::Stmt::Expr(syn::Expr::Macro(m), _) => m.mac.path.is_ident("missing"),
        _ => false,
    }
}

impl Visit<'_> for Exports<'_> {
    fn visit_item_fn(&mut self, f: &syn::ItemFn) {
        let exported = f.attrs.iter().any(|a| match &a.meta {
            syn::Meta::List(l) => l.path.is_ident("unsafe") && l.tokens.to_string() == "no_mangle",
            _ => false,
        });
        if !exported {
            return;
        }
        let mut uses = UsesMissing::default();
        uses.visit_block(&f.block);
        let state = match (only_missing(&f.block), uses.0) {
            (true, _) => State::Missing,
            (false, true) => State::Partly,
            (false, false) => State::Written,
        };
        self.found.insert(f.sig.ident.to_string(), Export { family: self.family.to_owned(), state });
    }
}

fn exports() -> BTreeMap<String, Export> {
    let mut found = BTreeMap::new();
    for file in files(&crate::root().join("src/exports"), "rs") {
        let parsed =
            syn::parse_file(&crate::read_file(&file)).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let family = file.file_stem().and_then(|s| s.to_str()).unwrap_or_default();
        Exports { family, found: &mut found }.visit_file(&parsed);
    }
    found
}

/// The identifiers of a C text outside comments and literals.
fn identifiers(text: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    let mut word = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c.is_ascii_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        words.insert(std::mem::take(&mut word));
        match c {
            '/' if rest.peek() == Some(&'*') => {
                rest.next();
                let mut last = ' ';
                for c in rest.by_ref() {
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
            }
            '/' if rest.peek() == Some(&'/') => while rest.next_if(|c| *c != '\n').is_some() {},
            '"' | '\'' => {
                while let Some(inner) = rest.next() {
                    match inner {
                        '\\' => drop(rest.next()),
                        q if q == c => break,
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    words.insert(word);
    words
}

/// Programs of `ctest/`, each with the names it uses.
fn programs() -> BTreeMap<String, BTreeSet<String>> {
    let top = crate::root().join("ctest");
    files(&top, "c")
        .into_iter()
        .map(|f| {
            let name = f.strip_prefix(&top).unwrap_or(&f).with_extension("");
            (name.display().to_string(), identifiers(&crate::read_file(&f)))
        })
        .collect()
}

/// The name by which a C program calls an exported symbol, where the header puts another one
/// in front of it.
fn called_as(symbol: &str) -> &str {
    match symbol {
        "__mlx5dv_create_flow" => "mlx5dv_create_flow",
        "_mlx5dv_query_port" => "mlx5dv_query_port",
        "_mlx5dv_mkey_check" => "mlx5dv_mkey_check",
        "_mlx5dv_get_export_sizes" => "mlx5dv_get_export_sizes",
        other => other,
    }
}

/// The verbs function that leads to an operation of the provider.
fn verb_of(operation: &str) -> String {
    match operation {
        "free_context" => "ibv_close_device".into(),
        "async_event" => "ibv_get_async_event".into(),
        "cq_event" => "ibv_get_cq_event".into(),
        "query_rt_values" => "ibv_query_rt_values_ex".into(),
        other => format!("ibv_{other}"),
    }
}

/// The operations that the sources fill in: `Op::NAME` outside the layouts of the table.
fn operations() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for file in files(&crate::root().join("src"), "rs").iter().filter(|f| !f.ends_with("provider/layout.rs"))
    {
        for part in crate::read_file(file).split("Op::").skip(1) {
            let name: String = part.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            found.insert(name);
        }
    }
    found
}

fn users(programs: &BTreeMap<String, BTreeSet<String>>, name: &str) -> String {
    let users: Vec<&str> =
        programs.iter().filter(|(_, names)| names.contains(name)).map(|(p, _)| p.as_str()).collect();
    users.join(", ")
}

/// The text of the matrix.
///
/// # Panics
/// If a symbol of `symbols.txt` has no function in `src/exports`, or the tree cannot be read.
pub fn text() -> String {
    let exports = exports();
    let programs = programs();
    let mut rows = String::new();
    let (mut written, mut partly, mut missing, mut tested) = (0, 0, 0, 0);
    for node in symbols::nodes() {
        for symbol in &node.symbols {
            // The one name with two versions has a function for each.
            let versioned = format!("{symbol}_{}", node.name.trim_start_matches("MLX5_").replace('.', "_"));
            let export = exports
                .get(symbol)
                .or_else(|| exports.get(&versioned))
                .unwrap_or_else(|| panic!("no function for {symbol} in src/exports"));
            match export.state {
                State::Written => written += 1,
                State::Partly => partly += 1,
                State::Missing => missing += 1,
            }
            let users = users(&programs, called_as(symbol));
            tested += usize::from(!users.is_empty());
            let version = node.name.trim_start_matches("MLX5_");
            writeln!(
                rows,
                "| `{symbol}` | {version} | {} | {} | {users} |",
                export.family,
                export.state.word()
            )
            .expect("memory");
        }
    }

    let ours = operations();
    let mut verbs = String::new();
    let (mut set, mut unset) = (0, 0);
    let table = facts::table("provider-abi");
    let record =
        facts::variant(&table["records"]["verbs_context_ops"], "65.0").expect("the newest operations");
    for field in record["fields"].as_array().expect("fields") {
        let operation = field["name"].as_str().expect("a name");
        // Upstream's provider has none of the completion counters either.
        if operation.contains("comp_cntr") {
            continue;
        }
        let state = match ours.contains(operation) {
            true => State::Written,
            false => State::Missing,
        };
        *(if state == State::Written { &mut set } else { &mut unset }) += 1;
        let verb = verb_of(operation);
        writeln!(verbs, "| `{operation}` | {} | {} |", state.word(), users(&programs, &verb))
            .expect("memory");
    }

    let partly = if partly > 0 { format!(" {partly} are partly written.") } else { String::new() };
    format!(
        "# What works\n\n\
         Made by `make matrix` from `symbols.txt`, the sources and the programs of `ctest/`; a test\n\
         fails while it is out of date.\n\n\
         A missing function is exported and answers EOPNOTSUPP by its own convention. A missing\n\
         operation is left to libibverbs, which answers as for a provider without it. Programs are\n\
         named that call the function; they run on the reference library and on this one, and must\n\
         print the same.\n\n\
         ## Exported functions\n\n\
         {written} written, {missing} missing, of {} versioned symbols; {tested} are called by a program of\n\
         `ctest/`.{partly}\n\n\
         | symbol | since | file in `src/exports` | written | called by |\n|---|---|---|---|---|\n{rows}\n\
         ## Verbs operations\n\n\
         {set} set, {unset} missing, of those that the reference provider sets.\n\n\
         | operation | set | called by |\n|---|---|---|\n{verbs}",
        symbols::nodes().iter().map(|n| n.symbols.len()).sum::<usize>(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_no_calls() {
        let words = identifiers("a(b); /* c */ // d\n\"e \\\" f\" g '\\'' h/i");
        let expected = ["", "a", "b", "g", "h", "i"].map(str::to_owned);
        assert_eq!(words, BTreeSet::from(expected));
    }

    fn state(body: &str) -> State {
        let file =
            syn::parse_file(&format!("#[unsafe(no_mangle)] pub unsafe extern \"C\" fn f() {{ {body} }}"))
                .expect("Rust");
        let mut found = BTreeMap::new();
        Exports { family: "", found: &mut found }.visit_file(&file);
        found["f"].state
    }

    #[test]
    fn states() {
        assert_eq!(state("missing!(value, \"f\")"), State::Missing);
        assert_eq!(state("missing!(value, \"f\");"), State::Missing);
        assert_eq!(state("if x { missing!(value, \"f\") } else { g() }"), State::Partly);
        assert_eq!(state("g()"), State::Written);
    }
}
