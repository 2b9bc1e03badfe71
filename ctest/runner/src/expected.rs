//! Recorded expectations: one text file a program, a section a run.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

/// Output by name of run.
pub type Sections = BTreeMap<String, String>;

const MARK: &str = "==== ";

/// Read a file of expectations; an absent one is empty.
pub fn read(path: &Path) -> io::Result<Sections> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(parse(&text)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(Sections::new()),
        Err(e) => Err(e),
    }
}

fn parse(text: &str) -> Sections {
    let mut sections = Sections::new();
    let mut name = None;
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix(MARK) {
            name = Some(heading.to_string());
            sections.entry(heading.to_string()).or_default();
        } else if let Some(section) = name.as_ref().and_then(|n| sections.get_mut(n)) {
            section.push_str(line);
            section.push('\n');
        }
    }
    sections
}

/// Write them, in the order of the program's runs.
pub fn write(path: &Path, order: &[String], sections: &Sections) -> io::Result<()> {
    let mut text = String::new();
    for name in order {
        if let Some(section) = sections.get(name) {
            text.push_str(&format!("{MARK}{name}\n{section}"));
        }
    }
    fs::write(path, text)
}

/// The lines in which two texts differ, a few of them, each with its number.
pub fn difference(expected: &str, got: &str, most: usize) -> String {
    let (a, b): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), got.lines().collect());
    let keep = common_lines(&a, &b);
    let mut out = String::new();
    let (mut i, mut k, mut shown) = (0, 0, 0);
    for (x, y) in keep.into_iter().chain([(a.len(), b.len())]) {
        while i < x || k < y {
            let (sign, number, text) = if i < x { ('-', i, a.get(i)) } else { ('+', k, b.get(k)) };
            if i < x {
                i += 1
            } else {
                k += 1
            }
            shown += 1;
            if shown <= most {
                out.push_str(&format!("    {sign}{:4} {}\n", number + 1, text.copied().unwrap_or_default()));
            }
        }
        (i, k) = (x + 1, y + 1);
    }
    if shown > most {
        out.push_str(&format!("    … and {} lines more\n", shown - most));
    }
    out
}

// longest common subsequence, as pairs of places
fn common_lines(a: &[&str], b: &[&str]) -> Vec<(usize, usize)> {
    let width = b.len() + 1;
    let mut best = vec![0u32; (a.len() + 1) * width];
    let at = |best: &[u32], i: usize, k: usize| best.get(i * width + k).copied().unwrap_or(0);
    for (i, x) in a.iter().enumerate().rev() {
        for (k, y) in b.iter().enumerate().rev() {
            let v = if x == y {
                at(&best, i + 1, k + 1) + 1
            } else {
                at(&best, i + 1, k).max(at(&best, i, k + 1))
            };
            if let Some(cell) = best.get_mut(i * width + k) {
                *cell = v;
            }
        }
    }
    let (mut i, mut k, mut pairs) = (0, 0, Vec::new());
    while let (Some(x), Some(y)) = (a.get(i), b.get(k)) {
        if x == y {
            pairs.push((i, k));
            i += 1;
            k += 1;
        } else if at(&best, i + 1, k) >= at(&best, i, k + 1) {
            i += 1;
        } else {
            k += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_come_back_as_written() {
        let s = parse("==== default\na\nb\n==== old\n==== x\nc\n");
        assert_eq!(s.get("default").map(String::as_str), Some("a\nb\n"));
        assert_eq!(s.get("old").map(String::as_str), Some(""));
        assert_eq!(s.len(), 3);
    }

    #[test]
    fn a_difference_shows_only_what_differs() {
        assert_eq!(difference("a\nb\nc\n", "a\nx\nc\ny\n", 9), "    -   2 b\n    +   2 x\n    +   4 y\n");
        assert_eq!(difference("a\n", "a\n", 9), "");
        assert!(difference("a\nb\n", "", 1).contains("1 lines more"));
    }
}
