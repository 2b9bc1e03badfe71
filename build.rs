//! Makes the linker version script from `symbols.txt` and sets the ELF
//! attributes of the library.
//!
//! rustc gives every cdylib an anonymous version script of its own. GNU ld
//! refuses to combine that with named nodes, and lld lets the first script win,
//! so the names would come out unversioned. The way out: this executable is
//! also a linker shim. `-B` puts a link named `ld.bfd` to it in front of the
//! compiler driver's search path; run under that name it drops rustc's script
//! and starts the real linker.

use std::{
    env,
    ffi::OsString,
    fmt::Write as _,
    fs,
    os::unix::{fs::symlink, process::CommandExt},
    path::{Path, PathBuf},
    process::{Command, exit},
};

const SHIM: &str = "ld.bfd";
/// Next to the shim: the path of the real linker.
const REAL: &str = "real-linker";

struct Node {
    name: String,
    parent: Option<String>,
    symbols: Vec<String>,
}

fn parse(text: &str) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::new();
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
        match line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            Some(head) => {
                let (name, parent) = match head.split_once(" < ") {
                    Some((n, p)) => (n, Some(p.to_owned())),
                    None => (head, None),
                };
                nodes.push(Node { name: name.to_owned(), parent, symbols: Vec::new() });
            }
            None => nodes.last_mut().expect("a symbol before the first node").symbols.push(line.to_owned()),
        }
    }
    nodes
}

fn shim(arg0: &Path, args: impl Iterator<Item = OsString>) -> ! {
    // The driver looks the link up in the folder of `-B`, so arg0 has that folder.
    let real = arg0.parent().map(|d| d.join(REAL)).and_then(|p| fs::read_to_string(p).ok());
    let Some(real) = real else {
        eprintln!("linker shim: no {REAL} beside {}", arg0.display());
        exit(1)
    };
    let kept = args.filter(|a| {
        let a = a.to_string_lossy();
        let rustc_script = a
            .strip_prefix("--version-script=")
            .is_some_and(|f| Path::new(f).file_name().is_some_and(|n| n == "list"));
        // `--fatal-warnings` is there for a build that gets round the shim.
        // rustc's `--no-undefined-version` stays: a name of the script that
        // nobody defines is then an error.
        !rustc_script && a != "--fatal-warnings"
    });
    let err = Command::new(&real).args(kept).exec();
    eprintln!("linker shim: {real}: {err}");
    exit(1)
}

/// What the compiler driver answers to a `-print-…` question, if it is a path.
fn ask(cc: &OsString, question: &str) -> Option<PathBuf> {
    let out = Command::new(cc).arg(question).output().ok()?;
    let s = String::from_utf8(out.stdout).ok()?;
    let p = PathBuf::from(s.trim());
    if p.is_absolute() {
        return Some(p);
    }
    env::split_paths(&env::var_os("PATH")?).map(|d| d.join(&p)).find(|p| p.is_file())
}

fn main() {
    let mut args = env::args_os();
    let arg0 = PathBuf::from(args.next().expect("arg0"));
    if arg0.file_name().is_some_and(|f| f == SHIM) {
        shim(&arg0, args)
    }

    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=symbols.txt");
    println!("cargo::rerun-if-env-changed=MLX5_REAL_LD");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("OUT_DIR"));
    let cc = env::var_os("RUSTC_LINKER").unwrap_or_else(|| "cc".into());
    let real = match env::var_os("MLX5_REAL_LD") {
        Some(p) => PathBuf::from(p),
        None => ask(&cc, "-print-prog-name=ld.bfd").expect("GNU ld (ld.bfd) is needed to link libmlx5"),
    };
    let lld = real.to_string_lossy().contains("lld");

    // The version script.
    let nodes = parse(&fs::read_to_string("symbols.txt").expect("symbols.txt"));
    let mut map = String::new();
    for (i, n) in nodes.iter().enumerate() {
        writeln!(map, "{} {{\n  global:", n.name).unwrap();
        if lld {
            writeln!(map, "    \"{}\";", n.name).unwrap();
        }
        n.symbols.iter().for_each(|s| writeln!(map, "    {s};").unwrap());
        if i == 0 {
            map.push_str("  local: *;\n");
        }
        writeln!(map, "}}{};", n.parent.as_ref().map(|p| format!(" {p}")).unwrap_or_default()).unwrap();
    }
    fs::write(out.join("mlx5.map"), map).unwrap();

    // The shim.
    let dir = out.join("ld");
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join(REAL), real.to_str().expect("linker path")).unwrap();
    let _ = fs::remove_file(dir.join(SHIM));
    symlink(env::current_exe().unwrap(), dir.join(SHIM)).unwrap();

    // DT_NEEDED libibverbs.so.1 without its development package: an empty
    // library with the right SONAME is enough, everything private is looked up
    // at run time.
    let ibverbs = out.join("libibverbs.so.1");
    let made = Command::new(&cc)
        .args(["-shared", "-nostdlib", "-Wl,-soname,libibverbs.so.1", "-x", "c", "/dev/null", "-o"])
        .arg(&ibverbs)
        .status()
        .is_ok_and(|s| s.success());
    assert!(made, "cannot make the libibverbs stand-in");

    for a in [
        format!("-B{}", dir.display()),
        "-fuse-ld=bfd".into(),
        format!("-Wl,--version-script={}", out.join("mlx5.map").display()),
        "-Wl,-soname,libmlx5.so.1".into(),
        "-Wl,-z,nodelete".into(),
        // A symbol that nobody defines must not wait for the first process that loads the file.
        "-Wl,-z,defs".into(),
        "-Wl,--fatal-warnings".into(),
        "-Wl,--no-as-needed".into(),
        ibverbs.display().to_string(),
        // Built together with programs that use std, the libc crate leaves this to std.
        "-lc".into(),
    ] {
        println!("cargo::rustc-cdylib-link-arg={a}");
    }
}
