//! Text dumps of software steering objects.

use crate::exports::prelude::*;

/// Write domain state to a FILE (`MLX5_1.12`). Returns: 0 or negative.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dump_dr_domain(_fout: *mut FILE, _domain: *mut mlx5dv_dr_domain) -> c_int {
    missing!(negative, "mlx5dv_dump_dr_domain")
}

/// Write matcher state to a FILE (`MLX5_1.12`). Returns: 0 or negative.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dump_dr_matcher(_fout: *mut FILE, _matcher: *mut mlx5dv_dr_matcher) -> c_int {
    missing!(negative, "mlx5dv_dump_dr_matcher")
}

/// Write rule state to a FILE (`MLX5_1.12`). Returns: 0 or negative.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dump_dr_rule(_fout: *mut FILE, _rule: *mut mlx5dv_dr_rule) -> c_int {
    missing!(negative, "mlx5dv_dump_dr_rule")
}

/// Write table state to a FILE (`MLX5_1.12`). Returns: 0 or negative.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dump_dr_table(_fout: *mut FILE, _table: *mut mlx5dv_dr_table) -> c_int {
    missing!(negative, "mlx5dv_dump_dr_table")
}
