//! Text dumps of software steering objects.

use crate::exports::prelude::*;

/// Write domain state to a FILE (`MLX5_1.12`). Returns: 0 or negative.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dump_dr_domain(fout: *mut FILE, domain: *mut mlx5dv_dr_domain) -> c_int {
    if fout.is_null() || domain.is_null() {
        return border::negative("mlx5dv_dump_dr_domain", || Err(refuse!(EINVAL, "file or domain is NULL")));
    }
    missing!(negative, "mlx5dv_dump_dr_domain")
}

/// Write matcher state to a FILE (`MLX5_1.12`). Returns: 0 or negative.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dump_dr_matcher(fout: *mut FILE, matcher: *mut mlx5dv_dr_matcher) -> c_int {
    if fout.is_null() || matcher.is_null() {
        return border::negative("mlx5dv_dump_dr_matcher", || {
            Err(refuse!(EINVAL, "file or matcher is NULL"))
        });
    }
    missing!(negative, "mlx5dv_dump_dr_matcher")
}

/// Write rule state to a FILE (`MLX5_1.12`). Returns: 0 or negative.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dump_dr_rule(fout: *mut FILE, rule: *mut mlx5dv_dr_rule) -> c_int {
    if fout.is_null() || rule.is_null() {
        return border::negative("mlx5dv_dump_dr_rule", || Err(refuse!(EINVAL, "file or rule is NULL")));
    }
    missing!(negative, "mlx5dv_dump_dr_rule")
}

/// Write table state to a FILE (`MLX5_1.12`). Returns: 0 or negative.
///
/// # Safety
/// The pointers are those the manual page asks for: valid for the call, of the stated lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlx5dv_dump_dr_table(fout: *mut FILE, table: *mut mlx5dv_dr_table) -> c_int {
    if fout.is_null() || table.is_null() {
        return border::negative("mlx5dv_dump_dr_table", || Err(refuse!(EINVAL, "file or table is NULL")));
    }
    missing!(negative, "mlx5dv_dump_dr_table")
}
