//! What the checks of this crate share: the places of the repository, the fact tables, C
//! compilers, the built library, the reference headers.
//!
//! The checks themselves are in `tests/`, one subject a file:
//!
//! | file | subject |
//! |---|---|
//! | `header.rs` | `include/` against the tables, in C and C++, on the verbs headers of three releases |
//! | `inlines.rs` | the inline functions and macros by value, against the reference headers |
//! | `prototypes.rs` | the prototypes of `src/exports` against the header |
//! | `exports.rs` | the dynamic symbols and flags of the built library |
//! | `linking.rs` | programs built with the headers of each release link and load |
//! | `layouts.rs` | the Rust types of `src/abi` against the tables |
//! | `install.rs` | `make install`, `uninstall` and `dist`, and programs that use their result |
//! | `errno.rs` | `docs/errno.md` is what the sources say |
//! | `matrix.rs` | `docs/matrix.md` is what `symbols.txt`, the sources and `ctest/` say |

pub mod errno;
pub mod facts;
pub mod library;
pub mod matrix;
pub mod symbols;
pub mod toolchain;

use std::path::{Path, PathBuf};

/// The top folder of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the repository").to_owned()
}

/// A folder for the files of one check, below Cargo's target folder; emptied.
pub fn scratch(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR"));
    let dir =
        std::env::var_os("CARGO_TARGET_TMPDIR").map_or_else(|| dir.join("../target/tmp"), PathBuf::from);
    let dir = dir.join("checks").join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
    dir
}

/// Reads a text file of the repository.
pub fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Reads a text file from anywhere.
pub fn read_file(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}
