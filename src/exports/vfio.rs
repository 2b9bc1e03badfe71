//! Devices bound to VFIO.

use crate::exports::prelude::*;

/// Device list for a VFIO PCI function (`MLX5_1.21`). Returns: NULL with errno set on failure.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_get_vfio_device_list(
    _attr: *mut mlx5dv_vfio_context_attr,
) -> *mut *mut ibv_device {
    missing!(null, "mlx5dv_get_vfio_device_list")
}

/// Fd to poll (no device check) (`MLX5_1.21`). Returns: fd, never fails.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_vfio_get_events_fd(_ibctx: *mut ibv_context) -> c_int {
    missing!(minus_one, "mlx5dv_vfio_get_events_fd")
}

/// Handle pending events (no device check) (`MLX5_1.21`). Returns: E-val: 0 or a positive errno.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_vfio_process_events(_context: *mut ibv_context) -> c_int {
    missing!(value, "mlx5dv_vfio_process_events")
}
