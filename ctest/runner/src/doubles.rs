//! Stand-ins for libibverbs' private side in the layouts that no reference root has.
//!
//! For each release a small shared library `libibverbs.so.1` is compiled from
//! `ctest/doubles/double.c` and a layout written from `abi/provider-abi.json`; a checker loads our
//! library beside it under the simulator and drives it from registration to close.

use crate::place::Places;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Releases, one a layout; 44, 50 and 65 are there so that the stand-in can be held to what the
/// real ones give.
const RELEASES: [u32; 8] = [36, 44, 50, 57, 59, 62, 64, 65];
/// Numbers that no libibverbs has had, with the newest layout behind them.
const UNKNOWN: [u32; 2] = [33, 66];
/// Names that the stand-in does for real.
const REAL: [&str; 9] = [
    "_verbs_init_and_alloc_context",
    "verbs_uninit_context",
    "verbs_set_ops",
    "verbs_open_device",
    "verbs_init_cq",
    "verbs_allow_disassociate_destroy",
    "ibv_cmd_query_port",
    "ibv_cmd_query_port_speed",
    "ibv_qp_to_qp_ex",
];
/// Public names that the provider takes from libibverbs, by node.
const PUBLIC: [(&str, &[&str]); 2] =
    [("IBVERBS_1.1", &["ibv_dontfork_range", "ibv_dofork_range"]), ("IBVERBS_1.6", &["ibv_qp_to_qp_ex"])];

/// Operations by name: their places in the library.
type Ops = BTreeMap<String, String>;

/// Check every layout; what failed, by release, and the number that passed.
pub fn check(places: &Places) -> Result<(usize, Vec<String>), String> {
    let table = fs::read_to_string(places.tree.join("abi/provider-abi.json")).map_err(|e| e.to_string())?;
    let table: Value = serde_json::from_str(&table).map_err(|e| e.to_string())?;
    let library = places.dist.join("libmlx5.so.1");
    let mut failed = Vec::new();
    let mut passed = 0;
    let mut tally = |name: String, problem: Option<String>| match problem {
        None => passed += 1,
        Some(why) => failed.push(format!("FAILED stand-in {name}\n{}", why.trim_end_matches('\n'))),
    };
    let newest = run(places, &table, 65, None, &library, false)?;
    let (expected, all_ops) = split(&newest.stdout);
    for release in RELEASES {
        let got = run(places, &table, release, None, &library, false)?;
        let (text, ops) = split(&got.stdout);
        tally(
            format!("of release {release}"),
            problem(&table, release, (&expected, &all_ops), (&text, &ops), &got.stderr)?,
        );
    }
    for number in UNKNOWN {
        let quiet = run(places, &table, 65, Some(number), &library, false)?;
        let traced = run(places, &table, 65, Some(number), &library, true)?;
        let wanted = "registrations 0\nsupported 0\nopen EOPNOTSUPP\n";
        let mut why = String::new();
        if quiet.stdout != wanted {
            let _ = writeln!(why, "    printed:\n{}    instead of:\n{wanted}", quiet.stdout);
        }
        if !quiet.stderr.is_empty() {
            let _ = writeln!(why, "    not silent: {}", quiet.stderr.trim_end());
        }
        let at_load = traced.stderr.lines().filter(|l| l.contains("libibverbs")).count();
        if at_load != 1 {
            let _ = writeln!(why, "    {at_load} lines about it when tracing: {}", traced.stderr.trim_end());
        }
        tally(format!("with the unknown number {number}"), (!why.is_empty()).then_some(why));
    }
    Ok((passed, failed))
}

fn problem(
    table: &Value,
    release: u32,
    expected: (&str, &Ops),
    got: (&str, &Ops),
    stderr: &str,
) -> Result<Option<String>, String> {
    let mut why = String::new();
    if got.0 != expected.0 {
        why += &crate::expected::difference(expected.0, got.0, 12);
    }
    let known = members(table, "verbs_context_ops", release)?;
    for (name, place) in expected.1 {
        let here = known.iter().any(|(n, _)| n == name);
        match got.1.get(name) {
            None if here => _ = writeln!(why, "    {name} is not set"),
            Some(p) if p != place => {
                _ = writeln!(why, "    {name} leads to {p}, which is not that operation")
            }
            _ => {}
        }
    }
    for name in got.1.keys().filter(|n| !expected.1.contains_key(*n)) {
        let _ = writeln!(why, "    {name} is set, by 65 it is not");
    }
    if !stderr.is_empty() {
        let _ = writeln!(why, "    stderr: {}", stderr.trim_end());
    }
    Ok((!why.is_empty()).then_some(why))
}

/// What the checker printed, without and with the operations' places.
fn split(stdout: &str) -> (String, Ops) {
    let mut text = String::new();
    let mut ops = Ops::new();
    for line in stdout.lines() {
        match line.strip_prefix("op ").and_then(|l| l.split_once(' ')) {
            Some((name, place)) => _ = ops.insert(name.into(), place.into()),
            None => text = text + line + "\n",
        }
    }
    (text, ops)
}

struct Said {
    stdout: String,
    stderr: String,
}

fn run(
    places: &Places,
    table: &Value,
    release: u32,
    number: Option<u32>,
    library: &Path,
    trace: bool,
) -> Result<Said, String> {
    let folder =
        places.work.join(format!("double-{}", number.map_or(release.to_string(), |n| format!("pabi{n}"))));
    fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    build(places, table, release, number, &folder)?;
    let mut command = Command::new(&places.sim);
    command.args(["run", "--", "env"]).arg(format!("LD_LIBRARY_PATH={}", folder.display()));
    if trace {
        command.arg("MLX5_TRACE=stderr");
    }
    let out = command.arg(folder.join("check")).arg(library).output().map_err(|e| e.to_string())?;
    let end = if out.status.success() { String::new() } else { format!("ended with {}\n", out.status) };
    Ok(Said {
        stdout: String::from_utf8_lossy(&out.stdout).into_owned() + &end,
        stderr: String::from_utf8_lossy(&out.stderr).into_owned(),
    })
}

fn build(
    places: &Places,
    table: &Value,
    release: u32,
    number: Option<u32>,
    folder: &Path,
) -> Result<(), String> {
    let source = places.ctest().join("doubles");
    let pabi = number.map_or_else(|| pabi(table, release), Ok)?;
    let qp = record(table, "verbs_qp", release)?;
    let context = record(table, "verbs_context", release)?;
    let names: Vec<String> =
        members(table, "verbs_context_ops", release)?.into_iter().map(|(n, _)| n).collect();
    let mut layout = format!(
        "#define RELEASE {release}\n#define PABI {pabi}\n#define REGISTER verbs_register_driver_{pabi}\n\
         #define CONTEXT_SIZE {}\n#define CONTEXT_SZ {}\n#define CONTEXT_IBV {}\n#define QP_COMP_MASK {}\n#define OPS {}\n\
         static const char *const op_names[] = {{ \"{}\" }};\n",
        size(context)?,
        offset(context, "sz")?,
        offset(context, "context")?,
        offset(qp, "comp_mask")?,
        names.len(),
        names.join("\", \"")
    );
    let private = private_names(table, release)?;
    let stubs: Vec<&String> = private
        .iter()
        .filter(|n| !REAL.contains(&n.as_str()) && !n.starts_with("verbs_register_driver"))
        .collect();
    layout.push_str("#include <stdlib.h>\n");
    for name in &stubs {
        let _ = writeln!(layout, "void {name}(void);\nvoid {name}(void) {{ abort(); }}");
    }
    let mut map = String::new();
    for (node, names) in PUBLIC {
        let _ = writeln!(map, "{node} {{ global: {}; }};", names.join("; "));
    }
    let exported: Vec<&str> = private
        .iter()
        .map(String::as_str)
        .filter(|n| !n.starts_with("verbs_register_driver") && *n != "ibv_qp_to_qp_ex")
        .collect();
    let _ = writeln!(
        map,
        "IBVERBS_PRIVATE_{pabi} {{ global: verbs_register_driver_{pabi}; {}; }};",
        exported.join("; ")
    );
    map.push_str("DOUBLE { global: double_*; local: *; };\n");
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).map_err(|e| e.to_string());
    write("layout.h", &layout)?;
    write("double.map", &map)?;
    let include = format!("-I{}", folder.display());
    let script = format!("-Wl,--version-script={}", folder.join("double.map").display());
    let flags = ["-std=gnu11", "-O1", "-g", "-Wall", "-Wno-builtin-declaration-mismatch"];
    cc(
        &flags,
        &[&include, "-shared", "-fPIC", "-Wl,-soname,libibverbs.so.1", &script],
        &source.join("double.c"),
        &folder.join("libibverbs.so.1"),
        &[],
    )?;
    cc(&flags, &[], &source.join("check.c"), &folder.join("check"), &["-ldl"])
}

fn cc(flags: &[&str], more: &[&str], source: &Path, to: &PathBuf, libraries: &[&str]) -> Result<(), String> {
    let out =
        Command::new("cc").args(flags).args(more).arg("-o").arg(to).arg(source).args(libraries).output();
    let out = out.map_err(|e| format!("cc: {e}"))?;
    if out.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&out.stderr).into_owned()) }
}

/// Number of a tag; the newest is called HEAD.
fn tag(tag: &Value) -> u32 {
    let text = tag.as_str().unwrap_or_default();
    text.strip_prefix('v').and_then(|t| t.split('.').next()).and_then(|t| t.parse().ok()).unwrap_or(65)
}

fn within(range: &Value, release: u32) -> bool {
    tag(&range[0]) <= release && release <= tag(&range[1])
}

fn record<'a>(table: &'a Value, name: &str, release: u32) -> Result<&'a Value, String> {
    let variants = table["records"][name].as_array().ok_or_else(|| format!("no record {name}"))?;
    variants
        .iter()
        .find(|r| within(&r["tags"], release))
        .ok_or_else(|| format!("{name} of release {release} is not listed"))
}

fn size(record: &Value) -> Result<u64, String> {
    record["size"].as_u64().ok_or_else(|| "record without size".into())
}

fn offset(record: &Value, field: &str) -> Result<u64, String> {
    let fields = record["fields"].as_array().ok_or("record without fields")?;
    let found = fields.iter().find(|f| f["name"] == field).and_then(|f| f["off"].as_u64());
    found.ok_or_else(|| format!("no field {field}"))
}

fn members(table: &Value, name: &str, release: u32) -> Result<Vec<(String, u64)>, String> {
    let fields = record(table, name, release)?["fields"].as_array().ok_or("record without fields")?;
    let mut all: Vec<(String, u64)> =
        fields.iter().filter_map(|f| Some((f["name"].as_str()?.to_string(), f["off"].as_u64()?))).collect();
    all.sort_by_key(|(_, off)| *off);
    Ok(all)
}

fn pabi(table: &Value, release: u32) -> Result<u32, String> {
    let families = table["families"].as_array().ok_or("no families")?;
    let family = families.iter().find(|f| within(&f["tags"], release));
    family
        .and_then(|f| f["pabi"].as_u64())
        .map(|n| n as u32)
        .ok_or_else(|| format!("release {release} is in no family"))
}

fn private_names(table: &Value, release: u32) -> Result<Vec<String>, String> {
    let all = table["private_symbols"].as_object().ok_or("no private symbols")?;
    let has = |v: &Value| v["tags"].as_array().is_some_and(|t| t.iter().any(|r| within(r, release)));
    Ok(all.iter().filter(|(_, v)| has(v)).map(|(n, _)| n.clone()).collect())
}
