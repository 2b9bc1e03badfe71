//! Query of QPs.

use super::super::core::{self as kernel, Core};
use crate::{abi::verbs::*, border, datapath::qp::Qp};
use core::ffi::c_int;
use prm::uverbs::write;

fn address(c: &Core<128>, at: usize) -> ibv_ah_attr {
    let mut raw = [0; 16];
    raw.copy_from_slice(&c.0[at..at + 16]);
    ibv_ah_attr {
        grh: ibv_global_route {
            dgid: ibv_gid { raw },
            flow_label: c.get32(at + 16),
            sgid_index: c.get8(at + 24),
            hop_limit: c.get8(at + 25),
            traffic_class: c.get8(at + 26),
        },
        dlid: c.get16(at + 20),
        sl: c.get8(at + 27),
        src_path_bits: c.get8(at + 28),
        static_rate: c.get8(at + 29),
        is_global: c.get8(at + 30),
        port_num: c.get8(at + 31),
    }
}

/// `ibv_query_qp`: everything that the kernel answers is filled, whatever the mask; capacities of
/// the send queue are the library's. EOPNOTSUPP for RSS QPs; else the kernel's.
///
/// # Safety
/// libibverbs' promise for verbs operations: pointers are valid objects of this library.
pub unsafe extern "C" fn query_qp(
    qp: *mut ibv_qp,
    attr: *mut ibv_qp_attr,
    mask: c_int,
    init_attr: *mut ibv_qp_init_attr,
) -> c_int {
    border::value("ibv_query_qp", || {
        // SAFETY: the promise above.
        let (q, a, i, public) = unsafe { (Qp::from_ibv(qp), &mut *attr, &mut *init_attr, &*qp) };
        if q.rss {
            return Err(refuse!(EOPNOTSUPP, "an RSS QP cannot be queried"));
        }
        let core = Core::<16>::new().u32(8, public.handle).u32(12, mask as u32);
        let mut c = Core::<128>::new();
        kernel::command(q.context(), write::QUERY_QP, core, &mut c)?;
        let kernel_cap = ibv_qp_cap {
            max_send_wr: c.get32(64),
            max_recv_wr: c.get32(68),
            max_send_sge: c.get32(72),
            max_recv_sge: c.get32(76),
            max_inline_data: c.get32(80),
        };
        let mut cap = ibv_qp_cap {
            max_send_wr: q.sq.max_post,
            max_send_sge: q.sq.max_gs,
            max_inline_data: q.sq.max_inline,
            ..kernel_cap
        };
        if q.own.ooo_dp && cap.max_recv_wr > 1 {
            cap.max_recv_wr /= 2;
        }
        a.qkey = c.get32(84);
        a.rq_psn = c.get32(88);
        a.sq_psn = c.get32(92);
        a.dest_qp_num = c.get32(96);
        a.qp_access_flags = c.get32(100);
        a.pkey_index = c.get16(104);
        a.alt_pkey_index = c.get16(106);
        a.qp_state = c.get8(108).into();
        a.cur_qp_state = c.get8(109).into();
        a.path_mtu = c.get8(110).into();
        a.path_mig_state = c.get8(111).into();
        a.sq_draining = c.get8(112);
        a.max_rd_atomic = c.get8(113);
        a.max_dest_rd_atomic = c.get8(114);
        a.min_rnr_timer = c.get8(115);
        a.port_num = c.get8(116);
        a.timeout = c.get8(117);
        a.retry_cnt = c.get8(118);
        a.rnr_retry = c.get8(119);
        a.alt_port_num = c.get8(120);
        a.alt_timeout = c.get8(121);
        a.cap = cap;
        a.ah_attr = address(&c, 0);
        a.alt_ah_attr = address(&c, 32);
        i.qp_context = public.qp_context;
        i.send_cq = public.send_cq;
        i.recv_cq = public.recv_cq;
        i.srq = public.srq;
        i.qp_type = public.qp_type;
        i.cap = cap;
        i.sq_sig_all = c.get8(122).into();
        Ok(())
    })
}
