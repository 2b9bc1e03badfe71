//! The matrix in the repository is the one that the tree gives.

use checks::matrix;

#[test]
fn up_to_date() {
    let kept = checks::read(matrix::FILE);
    let made = matrix::text();
    let differ = kept.lines().zip(made.lines()).find(|(k, m)| k != m);
    assert!(kept == made, "{} is out of date, run `make matrix`; first difference: {differ:?}", matrix::FILE);
}
