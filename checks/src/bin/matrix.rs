//! Writes `docs/matrix.md` (`make matrix`).

fn main() -> std::io::Result<()> {
    let file = checks::root().join(checks::matrix::FILE);
    std::fs::write(&file, checks::matrix::text())
}
