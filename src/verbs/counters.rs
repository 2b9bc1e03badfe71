//! Counters that flows can be counted by.

use super::{
    core as kernel,
    object::{self, boxed, take},
};
use crate::{
    abi::verbs::{consts::*, *},
    border,
    error::Errno,
    mutex::Mutex,
    provider::Context,
    uverbs::{self, Attr},
};
use alloc::vec::Vec;
use core::ffi::c_int;
use prm::uverbs::{attr, method, object as obj};

/// A set of counters. Its first bytes are libibverbs' `verbs_counters`.
#[repr(C)]
pub struct Counters {
    /// The application's part.
    pub verbs: ibv_counters,
    /// The kernel's handle.
    pub handle: u32,
    /// What is counted where.
    pub points: Mutex<Points>,
}

/// Attached counting points.
#[derive(Default)]
pub struct Points {
    /// `IBV_COUNTER_*` and index of each, in the order of attachment.
    pub list: Vec<(u32, u32)>,
    /// Flows that are counted. While there are any, nothing can be attached.
    pub users: u32,
}

/// `ibv_create_counters`. EOPNOTSUPP for comp_mask bits; else the kernel's, ENOMEM.
///
/// # Safety
/// libibverbs' promise for verbs operations: pointers are valid objects of this library.
pub unsafe extern "C" fn create_counters(
    context: *mut ibv_context,
    init: *mut ibv_counters_init_attr,
) -> *mut ibv_counters {
    border::null("ibv_create_counters", || {
        // SAFETY: the promise above.
        let (ctx, a) = unsafe { (Context::from_own(context), &*init) };
        if a.comp_mask != 0 {
            return Err(refuse!(EOPNOTSUPP, "unknown comp_mask bits", comp_mask = a.comp_mask));
        }
        let mut counters =
            boxed(Counters { verbs: ibv_counters { context }, handle: 0, points: Mutex::default() })?;
        let mut attrs = [Attr::new_object(attr::CREATE_COUNTERS_HANDLE)];
        uverbs::execute(ctx.fd, obj::COUNTERS, method::COUNTERS_CREATE, &mut attrs)?;
        counters.handle = attrs[0].new_handle();
        Ok(object::give(counters))
    })
}

/// `ibv_destroy_counters`. Errors: the kernel's.
///
/// # Safety
/// As [`create_counters`].
pub unsafe extern "C" fn destroy_counters(counters: *mut ibv_counters) -> c_int {
    border::value("ibv_destroy_counters", || {
        // SAFETY: the promise of verbs operations.
        let (c, context) = unsafe { (&*counters.cast::<Counters>(), Context::from_own((*counters).context)) };
        kernel::destroy(
            context,
            obj::COUNTERS,
            method::COUNTERS_DESTROY,
            attr::DESTROY_COUNTERS_HANDLE,
            c.handle,
        )?;
        // SAFETY: made by `give`, and not used any more.
        drop(unsafe { take::<Counters, _>(counters) });
        Ok(())
    })
}

/// `ibv_attach_counters_point_flow`: static attachment, before a flow is made. ENOTSUP for a flow
/// or a description that there is not; EOPNOTSUPP for comp_mask bits; EBUSY once a flow is
/// counted; ENOMEM.
///
/// # Safety
/// As [`create_counters`].
pub unsafe extern "C" fn attach_counters_point_flow(
    counters: *mut ibv_counters,
    init: *mut ibv_counter_attach_attr,
    flow: *mut ibv_flow,
) -> c_int {
    border::value("ibv_attach_counters_point_flow", || {
        // SAFETY: the promise of verbs operations.
        let (c, a) = unsafe { (&*counters.cast::<Counters>(), &*init) };
        if !flow.is_null() {
            return Err(refuse!(ENOTSUP, "a flow cannot be attached later"));
        }
        if a.comp_mask != 0 {
            return Err(refuse!(EOPNOTSUPP, "unknown comp_mask bits", comp_mask = a.comp_mask));
        }
        if !matches!(a.counter_desc, IBV_COUNTER_PACKETS | IBV_COUNTER_BYTES) {
            return Err(refuse!(ENOTSUP, "unknown description", counter_desc = a.counter_desc));
        }
        let mut points = c.points.lock();
        if points.users != 0 {
            return Err(refuse!(EBUSY, "a flow is counted", users = points.users));
        }
        points.list.try_reserve(1).map_err(|_| Errno::ENOMEM)?;
        points.list.push((a.counter_desc, a.index));
        Ok(())
    })
}

/// `ibv_read_counters`. Errors: the kernel's.
///
/// # Safety
/// As [`create_counters`]; `values` is writable for `count` numbers.
pub unsafe extern "C" fn read_counters(
    counters: *mut ibv_counters,
    values: *mut u64,
    count: u32,
    flags: u32,
) -> c_int {
    border::value("ibv_read_counters", || {
        // SAFETY: the promise of verbs operations.
        let (c, context) = unsafe { (&*counters.cast::<Counters>(), Context::from_own((*counters).context)) };
        let mut attrs = [
            Attr::handle(attr::READ_COUNTERS_HANDLE, c.handle),
            Attr::u32(attr::READ_COUNTERS_FLAGS, flags),
            Attr::output_raw(attr::READ_COUNTERS_BUFF, values.cast(), count as usize * size_of::<u64>()),
        ];
        Ok(uverbs::execute(context.fd, obj::COUNTERS, method::COUNTERS_READ, &mut attrs)?)
    })
}
