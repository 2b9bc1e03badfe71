//! The list of refusals in the repository is the one that the sources give.

use checks::errno;

#[test]
fn up_to_date() {
    let kept = checks::read(errno::FILE);
    let made = errno::text();
    let differ = kept.lines().zip(made.lines()).find(|(k, m)| k != m);
    assert!(kept == made, "{} is out of date, run `make errno`; first difference: {differ:?}", errno::FILE);
}
