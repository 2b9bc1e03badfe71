//! errno as a type, and the refusal: an errno with the name of the check that refused.

use core::ffi::c_int;

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
    EAGAIN EBADF EBUSY EEXIST EFAULT EINVAL EIO ENODEV ENOENT ENOMEM ENOSPC ENOSYS ENOTSUP ENOTTY
    EOPNOTSUPP EPERM EPROTONOSUPPORT EREMOTEIO EMSGSIZE
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

/// Why a call was refused: the errno that C gets, and what tracing tells beside it.
#[derive(Clone, Copy, Debug)]
pub struct Refusal {
    /// What the caller gets.
    pub errno: Errno,
    /// The check that refused, in words.
    pub check: &'static str,
    /// Name of the value that was looked at; empty if there is none.
    pub what: &'static str,
    /// That value.
    pub value: u64,
}

impl Refusal {
    /// Stores the errno as well: for the functions that set errno though they return the value,
    /// whoever refused.
    pub fn and_errno(self) -> Refusal {
        self.errno.set();
        self
    }
}

impl From<Errno> for Refusal {
    /// A refusal by somebody else: the kernel, the C library.
    fn from(errno: Errno) -> Self {
        Refusal { errno, check: "refused by the kernel", what: "", value: 0 }
    }
}

/// Result of everything that can be refused.
pub type Result<T, E = Refusal> = core::result::Result<T, E>;

/// `refuse!(EINVAL, "unknown comp_mask bits", comp_mask = mask)`: builds a [`Refusal`].
macro_rules! refuse {
    ($errno:ident, $check:literal) => {
        $crate::error::Refusal { errno: $crate::error::Errno::$errno, check: $check, what: "", value: 0 }
    };
    ($errno:ident, $check:literal, $what:ident = $value:expr) => {
        $crate::error::Refusal {
            errno: $crate::error::Errno::$errno,
            check: $check,
            what: stringify!($what),
            value: $value as u64,
        }
    };
}
