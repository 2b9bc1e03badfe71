//! Environment variables, read with the C library's rules (`spec`: context, section 8).

use core::ffi::{CStr, c_char, c_int};

/// The variable's value. Valid until the environment is changed: use it at once.
pub fn get(name: &CStr) -> Option<&'static CStr> {
    // SAFETY: `name` is a C string; getenv answers NULL or a C string of the environment.
    unsafe {
        let p: *const c_char = libc::getenv(name.as_ptr());
        (!p.is_null()).then(|| CStr::from_ptr(p))
    }
}

/// The value as atoi(3) reads it: leading number, 0 for text.
pub fn int(name: &CStr) -> Option<c_int> {
    // SAFETY: `get` answers a C string.
    get(name).map(|v| unsafe { libc::atoi(v.as_ptr()) })
}

/// The value as strtol(3) with base 0 reads it.
pub fn long(name: &CStr) -> Option<i64> {
    // SAFETY: `get` answers a C string; no end pointer is asked for.
    get(name).map(|v| unsafe { libc::strtol(v.as_ptr(), core::ptr::null_mut(), 0) })
}

/// True if the variable is set to anything but exactly "0".
pub fn not_zero(name: &CStr) -> bool {
    get(name).is_some_and(|v| v.to_bytes() != b"0")
}

/// True if the variable is exactly "1".
pub fn is_one(name: &CStr) -> bool {
    get(name).is_some_and(|v| v.to_bytes() == b"1")
}
