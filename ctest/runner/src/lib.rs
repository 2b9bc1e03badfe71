//! What the harness's runner and the measurements share: programs, places, running one cell.

pub mod cell;
pub mod compile;
pub mod doubles;
pub mod expected;
pub mod place;
pub mod program;
pub mod records;
pub mod tools;

/// What became of one cell.
pub enum Verdict {
    /// As expected.
    Passed,
    /// Not so, and why.
    Failed(String),
    /// Not run, for a reason that the program states.
    Skipped,
}
