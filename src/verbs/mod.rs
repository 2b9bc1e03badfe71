//! Verbs objects: creation, modification, query, destruction. Posting and polling is `datapath`.

pub mod ah;
mod alloc_buf;
pub mod buf;
pub mod core;
pub mod counters;
pub mod cq;
pub mod cq_modify;
pub mod crypto_login;
pub mod dbrec;
pub mod dek;
pub mod dmah;
pub mod domain;
pub mod huge;
pub mod init_obj;
pub mod mkey;
pub mod mr;
mod neigh;
pub mod object;
mod opaque;
pub mod pd;
pub mod qp;
pub mod small;
pub mod srq;
mod srq_size;
pub mod table;
mod tm;
mod umem;
pub mod wq;

use crate::provider::layout::Op;
use ::core::ffi::c_void;

/// Verbs operations of this room, for the table that a context gets.
pub fn ops() -> impl Iterator<Item = (Op, *const c_void)> {
    use qp::{create, destroy, in_order, modify, open, query};
    [
        (Op::alloc_pd, domain::alloc_pd as *const c_void),
        (Op::dealloc_pd, domain::dealloc_pd as *const c_void),
        (Op::import_pd, domain::import_pd as *const c_void),
        (Op::unimport_pd, domain::unimport_pd as *const c_void),
        (Op::alloc_parent_domain, domain::alloc_parent_domain as *const c_void),
        (Op::alloc_td, domain::alloc_td as *const c_void),
        (Op::dealloc_td, domain::dealloc_td as *const c_void),
        (Op::reg_mr, mr::reg_mr as *const c_void),
        (Op::reg_mr_ex, mr::reg_mr_ex as *const c_void),
        (Op::reg_dmabuf_mr, mr::reg_dmabuf_mr as *const c_void),
        (Op::rereg_mr, mr::rereg_mr as *const c_void),
        (Op::dereg_mr, mr::dereg_mr as *const c_void),
        (Op::advise_mr, mr::advise_mr as *const c_void),
        (Op::alloc_null_mr, mr::alloc_null_mr as *const c_void),
        (Op::reg_dm_mr, mr::reg_dm_mr as *const c_void),
        (Op::import_mr, mr::import_mr as *const c_void),
        (Op::unimport_mr, mr::unimport_mr as *const c_void),
        (Op::alloc_dmah, dmah::alloc_dmah as *const c_void),
        (Op::dealloc_dmah, dmah::dealloc_dmah as *const c_void),
        (Op::alloc_mw, small::alloc_mw as *const c_void),
        (Op::dealloc_mw, small::dealloc_mw as *const c_void),
        (Op::open_xrcd, small::open_xrcd as *const c_void),
        (Op::close_xrcd, small::close_xrcd as *const c_void),
        (Op::attach_mcast, small::attach_mcast as *const c_void),
        (Op::detach_mcast, small::detach_mcast as *const c_void),
        (Op::create_counters, counters::create_counters as *const c_void),
        (Op::destroy_counters, counters::destroy_counters as *const c_void),
        (Op::attach_counters_point_flow, counters::attach_counters_point_flow as *const c_void),
        (Op::read_counters, counters::read_counters as *const c_void),
        (Op::create_ah, ah::create_ah as *const c_void),
        (Op::destroy_ah, ah::destroy_ah as *const c_void),
        (Op::create_cq, cq::create_cq as *const c_void),
        (Op::create_cq_ex, cq::create_cq_ex as *const c_void),
        (Op::destroy_cq, cq::destroy_cq as *const c_void),
        (Op::modify_cq, cq_modify::modify_cq as *const c_void),
        (Op::resize_cq, cq_modify::resize_cq as *const c_void),
        (Op::create_wq, wq::create_wq as *const c_void),
        (Op::modify_wq, wq::modify_wq as *const c_void),
        (Op::destroy_wq, wq::destroy_wq as *const c_void),
        (Op::create_rwq_ind_table, wq::create_rwq_ind_table as *const c_void),
        (Op::destroy_rwq_ind_table, wq::destroy_rwq_ind_table as *const c_void),
        (Op::create_srq, srq::create_srq as *const c_void),
        (Op::create_srq_ex, srq::create_srq_ex as *const c_void),
        (Op::modify_srq, srq::modify_srq as *const c_void),
        (Op::query_srq, srq::query_srq as *const c_void),
        (Op::get_srq_num, srq::get_srq_num as *const c_void),
        (Op::destroy_srq, srq::destroy_srq as *const c_void),
        (Op::create_qp, create::create_qp as *const c_void),
        (Op::create_qp_ex, create::create_qp_ex as *const c_void),
        (Op::modify_qp, modify::modify_qp as *const c_void),
        (Op::modify_qp_rate_limit, modify::modify_qp_rate_limit as *const c_void),
        (Op::set_ece, modify::set_ece as *const c_void),
        (Op::query_ece, modify::query_ece as *const c_void),
        (Op::query_qp, query::query_qp as *const c_void),
        (Op::query_qp_data_in_order, in_order::query_qp_data_in_order as *const c_void),
        (Op::destroy_qp, destroy::destroy_qp as *const c_void),
        (Op::open_qp, open::open_qp as *const c_void),
        (Op::alloc_buf, alloc_buf::alloc_buf as *const c_void),
        (Op::free_buf, alloc_buf::free_buf as *const c_void),
    ]
    .into_iter()
}
