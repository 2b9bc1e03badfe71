//! errno as a type, and the refusal: an errno with the name of the check that refused.

use core::{
    ffi::{CStr, c_int},
    ptr::{self, NonNull},
};

/// A positive errno value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Errno(pub c_int);

macro_rules! errnos {
    ($($name:ident)*) => {
        impl Errno {
            $(#[doc = concat!("`", stringify!($name), "` of errno(3).")] pub const $name: Errno = Errno(libc::$name);)*
        }
    };
}

errnos! {
    EAGAIN EBADF EBUSY EEXIST EFAULT EINVAL EIO ENOENT ENOMEM ENOSPC ENOSYS ENOTSUP ENOTTY
    EOPNOTSUPP EPROTONOSUPPORT EREMOTEIO
}

impl Errno {
    /// The calling thread's errno, as the last failed libc call left it.
    pub fn last() -> Errno {
        // SAFETY: __errno_location answers a valid pointer for the calling thread.
        Errno(unsafe { *libc::__errno_location() })
    }

    /// Stores this value in the calling thread's errno.
    pub fn set(self) {
        // SAFETY: as in `last`.
        unsafe { *libc::__errno_location() = self.0 }
    }
}

macro_rules! names {
    ($($name:ident)*) => {
        /// The name of an errno value on this system. `EOPNOTSUPP` is also `ENOTSUP`, `EAGAIN` also
        /// `EWOULDBLOCK`, `EDEADLK` also `EDEADLOCK`.
        const fn name(value: c_int) -> Option<&'static str> {
            Some(match value {
                $(libc::$name => stringify!($name),)*
                _ => return None,
            })
        }
    };
}

names! {
    EPERM ENOENT ESRCH EINTR EIO ENXIO E2BIG ENOEXEC EBADF ECHILD EAGAIN ENOMEM EACCES EFAULT
    ENOTBLK EBUSY EEXIST EXDEV ENODEV ENOTDIR EISDIR EINVAL ENFILE EMFILE ENOTTY ETXTBSY EFBIG
    ENOSPC ESPIPE EROFS EMLINK EPIPE EDOM ERANGE EDEADLK ENAMETOOLONG ENOLCK ENOSYS ENOTEMPTY
    ELOOP ENOMSG EIDRM EBADE EBADR EXFULL ENOANO EBADRQC EBADSLT EBFONT ENOSTR ENODATA ETIME
    ENOSR ENONET ENOPKG EREMOTE ENOLINK EADV ESRMNT ECOMM EPROTO EMULTIHOP EDOTDOT EBADMSG
    EOVERFLOW ENOTUNIQ EBADFD EREMCHG EILSEQ EUSERS ENOTSOCK EDESTADDRREQ EMSGSIZE EPROTOTYPE
    ENOPROTOOPT EPROTONOSUPPORT ESOCKTNOSUPPORT EOPNOTSUPP EPFNOSUPPORT EAFNOSUPPORT EADDRINUSE
    EADDRNOTAVAIL ENETDOWN ENETUNREACH ENETRESET ECONNABORTED ECONNRESET ENOBUFS EISCONN ENOTCONN
    ESHUTDOWN ETOOMANYREFS ETIMEDOUT ECONNREFUSED EHOSTDOWN EHOSTUNREACH EALREADY EINPROGRESS
    ESTALE EDQUOT ECANCELED EOWNERDEAD ENOTRECOVERABLE EREMOTEIO EKEYREJECTED EKEYEXPIRED EKEYREVOKED
    ENOKEY
}

impl core::fmt::Display for Errno {
    /// The name, or the number if it has none.
    fn fmt(&self, f: &mut core::fmt::Formatter) -> core::fmt::Result {
        match name(self.0) {
            Some(name) => f.write_str(name),
            None => write!(f, "errno {}", self.0),
        }
    }
}

/// What is known of a refusal where it is written: the errno, then the check in words and the name
/// of the value it looked at, each with a NUL behind it.
///
/// One piece of constant memory without pointers, so that a refusal costs one address in the code
/// and nothing at load time.
#[repr(C)]
pub struct Why<const N: usize> {
    /// 0 if somebody else refused: the value is the errno then.
    pub errno: c_int,
    pub text: [u8; N],
}

/// The bytes of a text, for [`Why`].
pub const fn text_bytes<const N: usize>(text: &str) -> [u8; N] {
    let (from, mut to, mut i) = (text.as_bytes(), [0; N], 0);
    while i < N {
        to[i] = from[i];
        i += 1;
    }
    to
}

/// Why a call was refused: the errno that C gets, and what tracing tells beside it. Made by
/// [`refuse!`].
#[derive(Clone, Copy)]
pub struct Refusal {
    /// The `errno` of a `Why`, with its text behind it.
    why: NonNull<c_int>,
    value: u64,
}

impl Refusal {
    /// For [`refuse!`].
    pub const fn new<const N: usize>(why: &'static Why<N>, value: u64) -> Refusal {
        // SAFETY: a reference is not NULL.
        Refusal { why: unsafe { NonNull::new_unchecked(ptr::from_ref(why).cast_mut().cast()) }, value }
    }

    /// What the caller gets.
    #[inline]
    pub fn errno(&self) -> Errno {
        // SAFETY: `why` leads to the first member of a constant.
        match unsafe { self.why.read() } {
            0 => Errno(self.value as c_int),
            errno => Errno(errno),
        }
    }

    /// The check that refused, in words; the name of the value that was looked at, empty if there
    /// is none; and that value.
    pub fn told(&self) -> (&'static str, &'static str, u64) {
        // SAFETY: two texts, each with a NUL behind it, follow the errno in the same constant.
        unsafe {
            let check = CStr::from_ptr(self.why.add(1).as_ptr().cast());
            let what = CStr::from_ptr(check.as_ptr().add(check.count_bytes() + 1));
            (check.to_str().unwrap_or_default(), what.to_str().unwrap_or_default(), self.value)
        }
    }

    /// Stores the errno as well: for the functions that set errno though they return the value,
    /// whoever refused.
    pub fn and_errno(self) -> Refusal {
        self.errno().set();
        self
    }
}

impl core::fmt::Debug for Refusal {
    fn fmt(&self, f: &mut core::fmt::Formatter) -> core::fmt::Result {
        let (check, what, value) = self.told();
        write!(f, "{} ({check} {what} {value:#x})", self.errno())
    }
}

impl From<Errno> for Refusal {
    /// A refusal by somebody else: the kernel, the C library.
    #[inline]
    fn from(errno: Errno) -> Self {
        const TEXT: &str = "refused by the kernel\0\0";
        const WHY: &Why<{ TEXT.len() }> = &Why { errno: 0, text: text_bytes(TEXT) };
        Refusal::new(WHY, errno.0 as u64)
    }
}

/// Result of everything that can be refused.
pub type Result<T, E = Refusal> = core::result::Result<T, E>;

/// `refuse!(EINVAL, "unknown comp_mask bits", comp_mask = mask)`: builds a [`Refusal`].
macro_rules! refuse {
    ($errno:ident, $check:literal) => {
        refuse!(@ $errno, concat!($check, "\0\0"), 0)
    };
    ($errno:ident, $check:literal, $what:ident = $value:expr) => {
        refuse!(@ $errno, concat!($check, "\0", stringify!($what), "\0"), $value as u64)
    };
    (@ $errno:ident, $text:expr, $value:expr) => {{
        const TEXT: &str = $text;
        const WHY: &$crate::error::Why<{ TEXT.len() }> = &$crate::error::Why {
            errno: $crate::error::Errno::$errno.0,
            text: $crate::error::text_bytes(TEXT),
        };
        $crate::error::Refusal::new(WHY, $value)
    }};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_tells_what_it_was_made_of() {
        let r = refuse!(EBUSY, "still in use", users = 3u8);
        assert_eq!((r.errno(), r.told()), (Errno::EBUSY, ("still in use", "users", 3)));
        let r = refuse!(EINVAL, "not there");
        assert_eq!((r.errno(), r.told()), (Errno::EINVAL, ("not there", "", 0)));
        let r = Refusal::from(Errno::EIO);
        assert_eq!((r.errno(), r.told().0), (Errno::EIO, "refused by the kernel"));
        assert_eq!(format!("{:?}", refuse!(EIO, "broken", at = 16)), "EIO (broken at 0x10)");
    }

    #[test]
    fn results_of_refusable_calls_fit_two_registers() {
        assert_eq!(size_of::<Result<()>>(), 16);
        assert_eq!(size_of::<Result<*mut u8>>(), 16);
    }
}
