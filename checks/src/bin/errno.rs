//! Writes `docs/errno.md` (`make errno`).

fn main() -> std::io::Result<()> {
    let file = checks::root().join(checks::errno::FILE);
    std::fs::write(&file, checks::errno::text())
}
