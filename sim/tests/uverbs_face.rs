//! The uverbs face under the system's own libibverbs and libmlx5.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, Once};

fn sim() -> Command {
    let mut c = Command::new(env!("CARGO_BIN_EXE_mlx5-sim"));
    c.env("LC_ALL", "C");
    c
}

/// Compile a program of `tests/programs` once and say where it is.
fn program(name: &'static str) -> PathBuf {
    linked(name, &["-libverbs", "-lmlx5"])
}

fn linked(name: &'static str, with: &'static [&'static str]) -> PathBuf {
    type Known = BTreeMap<(&'static str, &'static [&'static str]), PathBuf>;
    static DONE: Mutex<Known> = Mutex::new(BTreeMap::new());
    let mut done = DONE.lock().expect("no test panicked while compiling");
    let number = done.len();
    done.entry((name, with)).or_insert_with(|| compile(name, number, with)).clone()
}

fn compile(name: &str, number: usize, with: &[&str]) -> PathBuf {
    let file = format!("{name}-{number}-{}", std::process::id());
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(file);
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(format!("{name}.c"));
    let status = Command::new("cc")
        .args(["-Wall", "-Werror", "-O1", "-g", "-pthread", "-o"])
        .arg(&out)
        .arg(source)
        .args(with)
        .status()
        .expect("a C compiler");
    assert!(status.success(), "{name}.c does not compile");
    out
}

fn text(o: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&o.stdout), String::from_utf8_lossy(&o.stderr))
}

fn run(args: &[&str], program: &std::path::Path) -> Output {
    sim().arg("run").args(args).arg("--").arg(program).output().expect("mlx5-sim runs")
}

#[test]
fn devinfo_shows_every_device_and_port() {
    let out = sim()
        .args(["run", "--devices", "2", "--ports", "2", "--port", "ib", "--", "ibv_devinfo", "-v"])
        .output()
        .expect("mlx5-sim runs");
    let text = text(&out);
    assert!(out.status.success(), "{text}");
    for line in ["hca_id:\tmlx5_0", "hca_id:\tmlx5_1", "port:\t2", "fw_ver:\t\t\t\t28.43.1000", "InfiniBand"]
    {
        assert!(text.contains(line), "{line} in\n{text}");
    }
    assert_eq!(text.matches("PORT_ACTIVE (4)").count(), 4, "{text}");
}

#[test]
fn devinfo_finds_the_device_through_netlink_too() {
    let out = sim().args(["run", "--netlink", "--", "ibv_devinfo"]).output().expect("mlx5-sim runs");
    assert!(out.status.success() && text(&out).contains("mlx5_0"), "{}", text(&out));
}

const TOUR: &str = "\
clock: mult 2147483648 shift 31
log_max_cq 16
general command with another opcode: 22
refused by the device: EREMOTEIO status 2
uar offset in page 0x800
umem of nothing: Bad address
vector 99: 22
queried log size 6
query of another number: 22
odd list: 22
short read: -1, Invalid argument
event: 72 bytes, cookie 0xc00c1e, type 4
no event: -1, Resource temporarily unavailable
short result: 28
result: wr_id 0x77 status 0
";

#[test]
fn the_devx_tour_sees_what_a_kernel_shows() {
    let tour = program("devx_tour");
    let out = run(&["--data-direct"], &tour);
    let with = format!(
        "{TOUR}data direct: 28 0 /devices/pci0000:80/0000:82:00.0\none byte short: 28, exact: 0\ndone\n"
    );
    assert_eq!(text(&out), with);
    let out = run(&[], &tour);
    assert_eq!(text(&out), format!("{TOUR}data direct: 19 19 ?\ndone\n"));
    // a kernel that does not know the method
    let out = run(&["--data-direct", "--kernel", "6.1"], &tour);
    assert_eq!(text(&out), format!("{TOUR}data direct: 93 93 ?\ndone\n"));
}

/// Build the preload library into the folder that the simulator is in.
fn build_preload_library() {
    static BUILT: Once = Once::new();
    BUILT.call_once(|| {
        let status = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--package", "mlx5-sim-preload"])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .status()
            .expect("cargo runs");
        assert!(status.success());
    });
}

#[test]
fn records_are_equal_from_run_to_run_and_for_both_front_ends() {
    build_preload_library();
    let tour = program("devx_tour");
    let record = |k: u32, more: &[&str]| {
        let name = format!("record-{}-{k}", std::process::id());
        let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        let mut args = vec!["--data-direct", "--record", file.to_str().expect("utf-8")];
        args.extend_from_slice(more);
        let out = run(&args, &tour);
        assert!(out.status.success(), "{}", text(&out));
        std::fs::read_to_string(file).expect("a record")
    };
    let first = record(1, &[]);
    assert!(first.contains("DEVX_UMEM.REG") && first.contains(": va"), "{first}");
    assert!(first.ends_with("* release ctx0, 0 objects left\n"), "{first}");
    assert_eq!(first, record(2, &[]));
    assert_eq!(first, record(3, &["--preload"]));
}

const RAW: &str = "\
character device 231:192
before a context: EINVAL
object before a context: EINVAL
context: 0
vectors 4
second context: EINVAL
length not of its attributes: EINVAL
reserved field: EPROTONOSUPPORT
driver: EINVAL
method: EPROTONOSUPPORT
object: EPROTONOSUPPORT
unknown mandatory attribute: EPROTONOSUPPORT
unknown optional attribute: EINVAL
handle: ENOENT
handle below zero: EINVAL
handle with a length: EINVAL
reserved of an attribute: EINVAL
attribute twice: EINVAL
input too short: EINVAL
input too long: EINVAL
mandatory one missing: EINVAL
mandatory one missing, handler would refuse: EINVAL
output nowhere: EFAULT
input nowhere: EFAULT
object: 0, handle 0
output marked: 1
handle of another type: EINVAL
destroy: 0
destroy again: ENOENT
no event descriptor: EBADF
another file's: EBADF
clock: mapped
clock to write: EPERM
nobody's page: EINVAL
contiguous pages: ENOSYS
write nobody looks at: refused
";

#[test]
fn refusals_come_in_the_kernels_order() {
    build_preload_library();
    assert_eq!(text(&run(&[], &linked("raw", &["-static"]))), RAW);
    assert_eq!(text(&run(&["--preload"], &linked("raw", &[]))), RAW);
}

#[test]
fn threads_processes_and_descriptors_share_a_device() {
    let out = run(&[], &program("processes"));
    let expected = "\
threads
child on the inherited descriptor: 0
child on an import: 0
killed child: -9
event: port error, port 1
left open: 0
left mapped: 0
done
";
    assert_eq!(text(&out), expected);
}

#[test]
fn many_programs_run_at_a_time() {
    let script = "for k in 1 2 3 4 5 6 7 8 9 10 11 12; do ibv_devinfo & done; wait";
    let out = sim().args(["run", "--", "sh", "-c", script]).output().expect("mlx5-sim runs");
    assert_eq!(text(&out).matches("PORT_ACTIVE (4)").count(), 12, "{}", text(&out));
}

#[test]
fn every_call_can_fail_in_its_turn() {
    let tour = program("devx_tour");
    let mut went_on = 0;
    for n in 1..=45 {
        let out = run(&["--fault", &format!("ANY#{n}=EIO")], &tour);
        // the program says where it stopped, or goes on; it never dies of a signal
        let code = out.status.code();
        assert!(matches!(code, Some(0 | 1)), "call {n}: {code:?}\n{}", text(&out));
        went_on += u32::from(code == Some(0));
    }
    assert!((5..40).contains(&went_on), "{went_on}");
}

#[test]
fn a_plain_user_can_run_it() {
    if !nix::unistd::geteuid().is_root() {
        return; // every other test is this one
    }
    // a place that another user reaches
    let folder = nix::unistd::mkdtemp("/tmp/mlx5-sim-test-XXXXXX").expect("folder");
    let reach = |from: &std::path::Path, name: &str| {
        let to = folder.join(name);
        std::fs::copy(from, &to).expect("copy");
        to
    };
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).expect("chmod");
    let simulator = reach(std::path::Path::new(env!("CARGO_BIN_EXE_mlx5-sim")), "mlx5-sim");
    let tour = reach(&program("devx_tour"), "tour");
    let out = Command::new("setpriv")
        .args(["--reuid", "65534", "--regid", "65534", "--clear-groups"])
        .arg(simulator)
        .args(["run", "--"])
        .arg(tour)
        .current_dir("/")
        .output()
        .expect("setpriv");
    std::fs::remove_dir_all(&folder).expect("clean up");
    assert!(out.status.success() && text(&out).ends_with("done\n"), "{}", text(&out));
}

#[test]
fn faults_hit_the_call_they_name() {
    let tour = program("devx_tour");
    let out = run(&["--fault", "DEVX_UMEM.REG=ENOMEM"], &tour);
    assert!(text(&out).contains("FAIL") && text(&out).contains("Cannot allocate memory"), "{}", text(&out));
    let out = run(&["--fault", "DEVX_UMEM.REG#2=ENOSPC"], &tour);
    assert!(text(&out).contains("umem of nothing: No space left on device"), "{}", text(&out));
    let out = run(&["--fault", "CMD.0x400=8/0x55aa"], &tour);
    assert!(text(&out).contains("Remote I/O error"), "{}", text(&out));
}

#[test]
fn bad_options_say_what_is_wrong() {
    let refused = |args: &[&str], expected: &str| {
        let out = sim().args(args).output().expect("mlx5-sim runs");
        assert!(!out.status.success() && text(&out).contains(expected), "{args:?}: {}", text(&out));
    };
    refused(&["run", "--fault", "QP.CREAT=ENOMEM", "--", "true"], "did you mean 'QP.CREATE'?");
    refused(&["run", "--port", "wifi", "--", "true"], "possible values");
    refused(&["run", "--devices", "0", "--", "true"], "1..=8");
    refused(&["run", "--cap", "1:2", "--", "true"], "PAGE:BIT:WIDTH=VALUE");
    refused(&["run"], "PROGRAM");
    refused(&["event", "9"], "only works in a program");
    refused(&["run", "--", "/does/not/exist"], "not found");
}

#[test]
fn the_programs_exit_status_is_the_runs() {
    let status = |script: &str| {
        sim().args(["run", "--", "sh", "-c", script]).output().expect("mlx5-sim runs").status.code()
    };
    assert_eq!(status("exit 7"), Some(7));
    assert_eq!(status("kill -9 $$"), Some(137));
}

/// Two processes of one run talk to each other.
fn pingpong(program: &str, args: &str, port: &str) {
    // every run has ports of its own on the loopback interface
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let tcp = 20000 + std::process::id() % 20000 + NEXT.fetch_add(1, Ordering::Relaxed);
    let address = if port == "roce" { "-g 1" } else { "" };
    let one = format!("{program} -p {tcp} {address} {args}");
    let script = format!(
        "{one} & server=$!; n=0; until {one} localhost 2>/dev/null; do n=$((n+1)); [ $n -lt 50 ] || exit 9; sleep 0.1; done; wait $server"
    );
    let out = sim().args(["run", "--port", port, "--", "sh", "-c", &script]).output().expect("mlx5-sim runs");
    assert!(out.status.success(), "{one}: {}", text(&out));
}

#[test]
fn messages_travel_between_processes() {
    for port in ["ib", "roce"] {
        pingpong("ibv_rc_pingpong", "-n 20 -e -c", port);
        pingpong("ibv_uc_pingpong", "-n 20 -e", port);
        pingpong("ibv_ud_pingpong", "-n 20 -e", port);
        pingpong("ibv_srq_pingpong", "-n 20 -e", port);
        pingpong("ibv_xsrq_pingpong", "-n 20 -e", port);
    }
}

#[test]
fn regions_are_mapped_and_given_back() {
    let expected = "\
device memory: yes
read back: written to the card, read back from it
the other piece: 0
beyond its end: 14
freed under a region: Device or resource busy
region beyond its end: Invalid argument
new memory is empty: yes
more than there is: Invalid argument
doorbells: 0, 1, apart
rates: equal ones share, a dedicated one differs
no rate: Invalid argument
done
";
    assert_eq!(text(&run(&[], &program("regions"))), expected);
}

#[test]
fn rules_steer_packets_by_priority() {
    let out = run(&[], &program("steering"));
    if !nix::unistd::geteuid().is_root() {
        // raw packets are for those who may have them
        assert!(text(&out).contains("Operation not permitted"), "{}", text(&out));
        return;
    }
    let expected = "\
matcher under a rule: Device or resource busy
queue under a rule: Device or resource busy
first rule: slot 1, 64 bytes, a packet
second rule: slot 2, a packet
done
";
    assert_eq!(text(&out), expected);
}
