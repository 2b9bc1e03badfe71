//! Memory keys, signature, crypto.

use crate::abi::prelude::*;

/// `struct mlx5dv_crypto_attr` of `mlx5dv.h` (56 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_crypto_attr {
    pub crypto_standard: c_uint,
    pub encrypt_on_tx: bool,
    pub signature_crypto_order: c_uint,
    pub data_unit_size: c_uint,
    pub initial_tweak: [c_char; 16],
    pub dek: *mut mlx5dv_dek,
    pub keytag: [c_char; 8],
    pub comp_mask: u64,
}

/// `struct mlx5dv_crypto_caps` of `mlx5dv.h` (12 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_crypto_caps {
    pub failed_selftests: u16,
    pub crypto_engines: u8,
    pub wrapped_import_method: u8,
    pub log_max_num_deks: u8,
    pub flags: u32,
}

/// `struct mlx5dv_crypto_login_attr` of `mlx5dv.h` (64 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_crypto_login_attr {
    pub credential_id: u32,
    pub import_kek_id: u32,
    pub credential: [c_char; 48],
    pub comp_mask: u64,
}

/// `struct mlx5dv_crypto_login_attr_ex` of `mlx5dv.h` (32 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_crypto_login_attr_ex {
    pub credential_id: u32,
    pub import_kek_id: u32,
    pub credential: *const c_void,
    pub credential_len: usize,
    pub comp_mask: u64,
}

/// `struct mlx5dv_crypto_login_query_attr` of `mlx5dv.h` (16 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_crypto_login_query_attr {
    pub state: c_uint,
    pub comp_mask: u64,
}

/// `struct mlx5dv_dek_attr` of `mlx5dv.h` (24 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_dek_attr {
    pub state: c_uint,
    pub opaque: [c_char; 8],
    pub comp_mask: u64,
}

/// `struct mlx5dv_dek_init_attr` of `mlx5dv.h` (176 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_dek_init_attr {
    pub key_size: c_uint,
    pub has_keytag: bool,
    pub key_purpose: c_uint,
    pub pd: *mut ibv_pd,
    pub opaque: [c_char; 8],
    pub key: [c_char; 128],
    pub comp_mask: u64,
    pub crypto_login: *mut mlx5dv_crypto_login_obj,
}

/// `struct mlx5dv_mkey` of `mlx5dv.h` (8 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_mkey {
    pub lkey: u32,
    pub rkey: u32,
}

/// `struct mlx5dv_mkey_conf_attr` of `mlx5dv.h` (16 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_mkey_conf_attr {
    pub conf_flags: u32,
    pub comp_mask: u64,
}

/// Member `err` of `mlx5dv_mkey_err`.
#[repr(C)]
#[derive(Clone, Copy)]
pub union mlx5dv_mkey_err_err {
    pub sig: mlx5dv_sig_err,
}

/// `struct mlx5dv_mkey_err` of `mlx5dv.h` (32 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_mkey_err {
    pub err_type: c_uint,
    pub err: mlx5dv_mkey_err_err,
}

/// `struct mlx5dv_mkey_init_attr` of `mlx5dv.h` (16 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_mkey_init_attr {
    pub pd: *mut ibv_pd,
    pub create_flags: u32,
    pub max_entries: u16,
}

/// `struct mlx5dv_mr_interleaved` of `mlx5dv.h` (24 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_mr_interleaved {
    pub addr: u64,
    pub bytes_count: u32,
    pub bytes_skip: u32,
    pub lkey: u32,
}

/// `struct mlx5dv_sig_block_attr` of `mlx5dv.h` (32 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_sig_block_attr {
    pub mem: *const mlx5dv_sig_block_domain,
    pub wire: *const mlx5dv_sig_block_domain,
    pub flags: u32,
    pub check_mask: u8,
    pub copy_mask: u8,
    pub comp_mask: u64,
}

/// Member `sig` of `mlx5dv_sig_block_domain`.
#[repr(C)]
#[derive(Clone, Copy)]
pub union mlx5dv_sig_block_domain_sig {
    pub dif: *const mlx5dv_sig_t10dif,
    pub crc: *const mlx5dv_sig_crc,
}

/// `struct mlx5dv_sig_block_domain` of `mlx5dv.h` (32 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_sig_block_domain {
    pub sig_type: c_uint,
    pub sig: mlx5dv_sig_block_domain_sig,
    pub block_size: c_uint,
    pub comp_mask: u64,
}

/// `struct mlx5dv_sig_caps` of `mlx5dv.h` (16 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_sig_caps {
    pub block_size: u64,
    pub block_prot: u32,
    pub t10dif_bg: u16,
    pub crc_type: u16,
}

/// `struct mlx5dv_sig_crc` of `mlx5dv.h` (16 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_sig_crc {
    pub type_: c_uint,
    pub seed: u64,
}

/// `struct mlx5dv_sig_err` of `mlx5dv.h` (24 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_sig_err {
    pub actual_value: u64,
    pub expected_value: u64,
    pub offset: u64,
}

/// `struct mlx5dv_sig_t10dif` of `mlx5dv.h` (16 bytes on LP64).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mlx5dv_sig_t10dif {
    pub bg_type: c_uint,
    pub bg: u16,
    pub app_tag: u16,
    pub ref_tag: u32,
    pub flags: u16,
}
