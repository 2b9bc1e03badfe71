//! `MLX5_DEBUG_FILE`: where errors that no result tells are written, a line each.
//!
//! Without the variable they vanish; `MLX5_DEBUG_MASK`, which chose what debug builds of upstream
//! print beside errors, is accepted and means nothing here: `MLX5_TRACE` tells more.

use crate::{border, env, fd::OwnedFd};
use alloc::string::String;
use core::{
    ffi::CStr,
    fmt::{Arguments, Write},
};

/// The file of a context; closed with it.
#[derive(Debug, Default)]
pub struct DebugFile(Option<OwnedFd>);

impl DebugFile {
    /// Opens the file of the environment for appending. One that cannot be opened is none.
    pub fn from_env() -> DebugFile {
        DebugFile(env::get(c"MLX5_DEBUG_FILE").and_then(Self::open))
    }

    fn open(path: &CStr) -> Option<OwnedFd> {
        let flags = libc::O_RDWR | libc::O_CREAT | libc::O_APPEND;
        border::keep_errno(|| OwnedFd::open(path, flags, 0o666)).ok()
    }

    /// Writes a text that ends its lines itself; errno stays as it is.
    pub fn write(&self, text: Arguments) {
        let Some(file) = &self.0 else { return };
        let mut all = String::new();
        if all.write_fmt(text).is_ok() {
            // SAFETY: the text is readable for its length.
            border::keep_errno(|| unsafe { libc::write(file.number(), all.as_ptr().cast(), all.len()) });
        }
    }
}
