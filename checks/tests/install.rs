//! What `make dist`, `make install` and `make uninstall` lay and remove, and that programs find
//! this library through it.

use checks::{library, root, scratch, toolchain};
use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    process::{Command, Output},
};

fn run(command: &mut Command) -> Output {
    toolchain::run(command).unwrap_or_else(|e| panic!("{e}"))
}

/// `make TARGET` for the library under check.
fn make(target: &str, variables: &[(&str, &str)]) {
    let mut c = Command::new("make");
    c.current_dir(root()).arg(target).arg(format!("LIB={}", library::path().display()));
    c.args(variables.iter().map(|(name, value)| format!("{name}={value}")));
    // Those of a make that started this test are not meant.
    c.env_remove("MAKEFLAGS").env_remove("MAKELEVEL").env_remove("MFLAGS");
    run(&mut c);
}

/// The drop-in folder, moved after it was laid.
fn drop_in(name: &str) -> PathBuf {
    let dir = scratch(name);
    let laid = dir.join("laid");
    make("dist", &[("DIST", laid.to_str().expect("a plain path"))]);
    let moved = dir.join("moved here");
    fs::rename(&laid, &moved).expect("the folder can be moved");
    moved
}

fn pkg_config(drop_in: &Path) -> Vec<String> {
    let out = run(Command::new("pkg-config")
        .args(["--cflags", "--libs", "libmlx5", "libibverbs"])
        .env("PKG_CONFIG_PATH", drop_in.join("lib/pkgconfig")));
    // A space in a path is escaped by a backslash.
    let text = String::from_utf8(out.stdout).expect("UTF-8").trim().replace("\\ ", "\0");
    text.split_whitespace().map(|w| w.replace('\0', " ")).collect()
}

/// Compiles `checks/c/whose.c` with the flags that pkg-config gives.
fn whose(drop_in: &Path, linked: bool) -> PathBuf {
    let program = drop_in.join(if linked { "linked" } else { "plain" });
    let mut c = Command::new("gcc");
    c.args(["-Wall", "-Wextra", "-Werror"]).arg(root().join("checks/c/whose.c")).arg("-o").arg(&program);
    match linked {
        true => c.arg("-DLINKED").args(pkg_config(drop_in)),
        false => c.args(["-libverbs", "-ldl"]),
    };
    run(&mut c);
    program
}

fn lines(out: &Output) -> Vec<String> {
    String::from_utf8_lossy(&out.stdout).lines().map(str::to_owned).collect()
}

/// All names lead to one file, so that the loader maps it once.
#[test]
fn one_file_under_all_names() {
    let dir = drop_in("one_file").join("lib");
    let inode = |name: &str| fs::metadata(dir.join(name)).unwrap_or_else(|e| panic!("{name}: {e}")).ino();
    let file = inode("libmlx5.so.1");
    for name in [
        "libmlx5.so",
        "libmlx5-rdmav34.so",
        "libmlx5-rdmav57.so",
        "libmlx5-rdmav59.so",
        "libmlx5-rdmav64.so",
        "libmlx5-rdmav65.so",
    ] {
        assert_eq!(inode(name), file, "{name}");
    }
}

#[test]
fn with_mlx5() {
    let dir = drop_in("with_mlx5");
    let ours = fs::canonicalize(dir.join("lib/libmlx5.so.1")).expect("the library is there");
    let is_ours = |line: &str, what: &str| {
        let path = line.strip_prefix(what).unwrap_or_else(|| panic!("`{line}` instead of `{what}…`"));
        fs::canonicalize(path.trim()).ok().as_deref() == Some(&ours)
    };
    for linked in [true, false] {
        let program = whose(&dir, linked);
        let out = Command::new(dir.join("bin/with-mlx5"))
            .arg(program)
            .args(["a b", "c"])
            .output()
            .expect("it starts");
        assert_eq!(out.status.code(), Some(7), "the program's exit code");
        let lines = lines(&out);
        assert_eq!(lines[..2], ["argument a b", "argument c"]);
        let names: &[&str] = if linked { &["linked "] } else { &["libmlx5.so ", "libmlx5.so.1 "] };
        let answers: Vec<&String> = lines.iter().skip(2).filter(|l| !l.starts_with("device ")).collect();
        assert_eq!(answers.len(), names.len(), "{lines:?}");
        for (line, name) in answers.iter().zip(names) {
            assert!(is_ours(line, name), "{line}");
        }
    }
    let out = Command::new(dir.join("bin/with-mlx5")).output().expect("it starts");
    assert_eq!(out.status.code(), Some(125), "no program: a usage message");
}

/// Under the simulator there is a device, and this library drives it in each kind of program.
#[test]
fn device_is_ours() {
    let Some(sim) = simulator() else {
        eprintln!("notice: no mlx5-sim in the target folder (cargo build --profile card); not tried");
        return;
    };
    let dir = drop_in("device_is_ours");
    let ours = fs::canonicalize(dir.join("lib/libmlx5.so.1")).expect("the library is there");
    for linked in [true, false] {
        let program = whose(&dir, linked);
        let out = Command::new(&sim)
            .args(["run", "--"])
            .arg(dir.join("bin/with-mlx5"))
            .arg(program)
            .output()
            .expect("it starts");
        let lines = lines(&out);
        let devices: Vec<_> = lines.iter().filter_map(|l| l.strip_prefix("device ")).collect();
        assert!(!devices.is_empty(), "no device: {lines:?} {}", String::from_utf8_lossy(&out.stderr));
        for device in devices {
            assert_eq!(fs::canonicalize(device).ok().as_deref(), Some(ours.as_path()));
        }
    }
}

fn simulator() -> Option<PathBuf> {
    let file = library::path().parent()?.with_file_name("card").join("mlx5-sim");
    file.is_file().then_some(file)
}

/// A linked program asks for the name of the interface, and the examples compile.
#[test]
fn pkg_config_links() {
    let dir = drop_in("pkg_config");
    let program = whose(&dir, true);
    let out = run(Command::new("readelf").arg("-d").arg(program));
    assert!(String::from_utf8_lossy(&out.stdout).contains("[libmlx5.so.1]"));

    for entry in fs::read_dir(root().join("examples")).expect("examples").flatten() {
        let source = entry.path();
        if source.extension().is_some_and(|e| e == "c") {
            let mut c = Command::new("gcc");
            c.args(["-Wall", "-Wextra", "-Werror"]).arg(&source).arg("-o").arg(dir.join("example"));
            run(c.args(pkg_config(&dir)));
        }
    }
}

/// Files and links below a folder, by their place in it.
fn tree(top: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![top.to_owned()];
    while let Some(dir) = folders.pop() {
        for entry in fs::read_dir(&dir).expect("a readable folder").flatten() {
            match entry.file_type().expect("a type").is_dir() {
                true => folders.push(entry.path()),
                false => {
                    let path = entry.path();
                    found.insert(path.strip_prefix(top).expect("below it").display().to_string());
                }
            }
        }
    }
    found
}

#[test]
fn install_and_uninstall() {
    let top = scratch("install");
    let stage = top.join("stage");
    let variables = [
        ("DESTDIR", stage.to_str().expect("a plain path")),
        ("PREFIX", "/opt/x"),
        ("LIBDIR", "/opt/x/lib64"),
        ("PROVIDERDIR", "/opt/x/lib64/libibverbs"),
    ];
    make("install", &variables);
    let abis = ["34", "57", "59", "64", "65"];
    let mut expected: BTreeSet<String> = [
        "opt/x/bin/with-mlx5",
        "opt/x/include/infiniband/mlx5_api.h",
        "opt/x/include/infiniband/mlx5_user_ioctl_verbs.h",
        "opt/x/include/infiniband/mlx5dv.h",
        "opt/x/lib64/libmlx5.so",
        "opt/x/lib64/libmlx5.so.1",
        "opt/x/lib64/libmlx5.so.1.27.65.0",
        "opt/x/lib64/pkgconfig/libmlx5.pc",
    ]
    .map(str::to_owned)
    .into();
    for n in abis {
        expected.insert(format!("opt/x/lib64/libmlx5-rdmav{n}.so"));
        expected.insert(format!("opt/x/lib64/libibverbs/libmlx5-rdmav{n}.so"));
    }
    assert_eq!(tree(&stage), expected);
    let link = fs::read_link(stage.join("opt/x/lib64/libibverbs/libmlx5-rdmav65.so")).expect("a link");
    assert_eq!(link, Path::new("/opt/x/lib64/libmlx5.so.1.27.65.0"), "outside the stage");

    let flags = |what: &str| {
        let out = run(Command::new("pkg-config")
            .args([what, "libmlx5"])
            .env("PKG_CONFIG_PATH", stage.join("opt/x/lib64/pkgconfig")));
        String::from_utf8_lossy(&out.stdout).trim().to_owned()
    };
    // Others may follow: those of libibverbs.
    assert_eq!(flags("--cflags").split(' ').next(), Some("-I/opt/x/include"));
    assert_eq!(flags("--libs"), "-L/opt/x/lib64 -lmlx5");
    assert_eq!(flags("--modversion"), "1.27.65.0");

    // A file of somebody else's is left alone.
    let other = stage.join("opt/x/include/infiniband/verbs.h");
    fs::write(&other, "").expect("the stage is writable");
    make("uninstall", &variables);
    assert_eq!(tree(&stage), BTreeSet::from(["opt/x/include/infiniband/verbs.h".to_owned()]));
}
