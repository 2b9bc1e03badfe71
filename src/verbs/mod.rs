//! Verbs objects: creation, modification, query, destruction. Posting and polling is `datapath`.

pub mod ah;
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
pub mod heap;
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
    macro_rules! table {
        ($($room:ident { $($op:ident)* })*) => {
            [$($((Op::$op, $room::$op as *const c_void)),*),*]
        };
    }
    use qp::{create, destroy, in_order, modify, open, query};
    table! {
        domain { alloc_pd dealloc_pd import_pd unimport_pd alloc_parent_domain alloc_td dealloc_td }
        mr {
            reg_mr reg_mr_ex reg_dmabuf_mr rereg_mr dereg_mr advise_mr alloc_null_mr reg_dm_mr
            import_mr unimport_mr
        }
        dmah { alloc_dmah dealloc_dmah }
        small { alloc_mw dealloc_mw open_xrcd close_xrcd attach_mcast detach_mcast }
        counters { create_counters destroy_counters attach_counters_point_flow read_counters }
        ah { create_ah destroy_ah }
        cq { create_cq create_cq_ex destroy_cq }
        cq_modify { modify_cq resize_cq }
        wq { create_wq modify_wq destroy_wq create_rwq_ind_table destroy_rwq_ind_table }
        srq { create_srq create_srq_ex modify_srq query_srq get_srq_num destroy_srq }
        create { create_qp create_qp_ex }
        modify { modify_qp modify_qp_rate_limit set_ece query_ece }
        query { query_qp }
        in_order { query_qp_data_in_order }
        destroy { destroy_qp }
        open { open_qp }
    }
    .into_iter()
}
