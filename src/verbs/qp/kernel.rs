//! The kernel's part of QP creation.

use super::super::{core::Core, pd::Pd, small::xrcd_handle, umem};
use crate::{
    abi::verbs::{consts::*, *},
    datapath::qp::Qp,
    error::Result,
    provider::{
        Context, ibverbs,
        layout::{VERBS_QP_EX, VERBS_QP_XRCD},
    },
    uverbs::{self, Attr},
};
use core::ptr;
use prm::uverbs::{attr, method, object as obj};

/// Flag of the core method: every send request is signalled.
const SQ_SIG_ALL: u32 = 1 << 12;

/// Create flags that the core knows.
const KNOWN_FLAGS: u32 = IBV_QP_CREATE_BLOCK_SELF_MCAST_LB
    | IBV_QP_CREATE_SCATTER_FCS
    | IBV_QP_CREATE_CVLAN_STRIPPING
    | IBV_QP_CREATE_SOURCE_QPN
    | IBV_QP_CREATE_PCI_WRITE_END_PADDING;

/// The driver's request without addresses that the QP has (`mlx5_ib_create_qp`, 56 bytes).
#[derive(Clone, Copy, Default)]
pub struct Request {
    pub flags: u32,
    pub uidx: u32,
    pub bfreg_index: u32,
    /// Address of a send ring of its own, or access key of a DCT.
    pub sq_buf_addr_or_key: u64,
    pub ece_options: u32,
    pub streams: [u8; 2],
}

impl Request {
    /// The bytes.
    pub fn bytes(&self, qp: &Qp) -> Core<56> {
        let address = |b: &Option<super::Buf>| b.as_ref().map_or(0, |b| b.addr() as u64);
        Core::new()
            .u64(0, address(&qp.own.buf))
            .u64(8, qp.dbrec as u64)
            .u32(16, qp.sq.wqe_cnt)
            .u32(20, qp.rq.wqe_cnt)
            .u32(24, qp.rq.wqe_shift)
            .u32(28, self.flags)
            .u32(32, self.uidx)
            .u32(36, self.bfreg_index)
            .u64(40, self.sq_buf_addr_or_key)
            .u32(48, self.ece_options)
            .u8(52, self.streams[0])
            .u8(53, self.streams[1])
    }
}

/// What the driver answers.
pub struct Response {
    /// Register that the kernel picked (static UARs).
    pub bfreg_index: u32,
    pub ece_options: u32,
    pub numbers: super::Numbers,
}

/// Creates the kernel's object and fills the public part. The receive and send capacities that
/// the kernel answers go into `a.cap`.
///
/// # Safety
/// The pointers in `a` are NULL or valid objects of this library.
pub unsafe fn create(
    context: &Context,
    qp: &mut Qp,
    a: &mut ibv_qp_init_attr_ex,
    request: &[u8],
) -> Result<Response> {
    let has = |bit: u32| a.comp_mask & bit != 0;
    let xrc_recv = a.qp_type == IBV_QPT_XRC_RECV;
    let create_flags = if has(IBV_QP_INIT_ATTR_CREATE_FLAGS) { a.create_flags } else { 0 };
    if create_flags & !KNOWN_FLAGS != 0 {
        return Err(refuse!(EINVAL, "unknown create_flags", create_flags = create_flags));
    }
    // The source QPN's own attribute stands for its flag.
    let core_flags =
        create_flags & !IBV_QP_CREATE_SOURCE_QPN | if a.sq_sig_all != 0 { SQ_SIG_ALL } else { 0 };
    // SAFETY: as the caller promises.
    let (pd, send_cq, recv_cq, srq) =
        unsafe { (a.pd.cast::<Pd>().as_ref(), a.send_cq.as_ref(), a.recv_cq.as_ref(), a.srq.as_ref()) };
    let pd = pd.filter(|_| has(IBV_QP_INIT_ATTR_PD));
    let xrcd = match has(IBV_QP_INIT_ATTR_XRCD) && !a.xrcd.is_null() {
        // SAFETY: as above.
        true => Some(unsafe { xrcd_handle(a.xrcd) }),
        false => None,
    };
    let table = match has(IBV_QP_INIT_ATTR_IND_TABLE) {
        // SAFETY: as above.
        true => unsafe { a.rwq_ind_tbl.as_ref() }.map(|t| t.ind_tbl_handle as u32),
        false => None,
    };
    // An XRC initiator receives nothing, whatever the application says.
    let xrc_send = a.qp_type == IBV_QPT_XRC_SEND;
    if xrc_send {
        a.cap.max_recv_wr = 0;
        a.cap.max_recv_sge = 0;
    }
    let optional = |condition: bool, id: u16, handle: Option<u32>| match handle {
        Some(h) if condition => Attr::handle(id, h),
        _ => Attr::absent(),
    };
    let cap = Core::<20>::new()
        .u32(0, a.cap.max_send_wr)
        .u32(4, a.cap.max_recv_wr)
        .u32(8, a.cap.max_send_sge)
        .u32(12, a.cap.max_recv_sge)
        .u32(16, a.cap.max_inline_data);
    let (mut answered, mut driver, mut qp_num) = (Core::<20>::new(), Core::<40>::new(), 0u32);
    // SAFETY: the public part of a live context.
    let async_fd = unsafe { (*context.ibv()).async_fd };
    let two_rings = qp.own.sq_buf.is_some();
    let rq_bytes = (qp.rq.wqe_cnt as usize) << qp.rq.wqe_shift;
    let sq_bytes = qp.sq.end as usize - qp.sq.buf as usize;
    let whole = if two_rings { rq_bytes } else { rq_bytes + sq_bytes };
    let ring = qp.own.buf.as_ref().and_then(|b| umem::of_buf(b, 0, whole));
    let sq_ring = qp.own.sq_buf.as_ref().and_then(|b| umem::of_buf(b, 0, sq_bytes));
    let record = ring.as_ref().and_then(|_| umem::of_dbrec(&qp.own.dbrec, context.page_size));
    let ring_attr = if two_rings { attr::CREATE_QP_RQ_BUF_UMEM } else { attr::CREATE_QP_BUF_UMEM };
    let mut attrs = [
        optional(xrc_recv, attr::CREATE_QP_XRCD_HANDLE, xrcd),
        optional(!xrc_recv, attr::CREATE_QP_PD_HANDLE, pd.map(|p| p.verbs.handle)),
        optional(!xrc_recv, attr::CREATE_QP_IND_TABLE_HANDLE, table),
        optional(!xrc_recv, attr::CREATE_QP_SEND_CQ_HANDLE, send_cq.map(|c| c.handle)),
        optional(!xrc_recv && !xrc_send, attr::CREATE_QP_RECV_CQ_HANDLE, recv_cq.map(|c| c.handle)),
        Attr::new_object(attr::CREATE_QP_HANDLE),
        Attr::u64(attr::CREATE_QP_TYPE, u64::from(a.qp_type)),
        Attr::u64(attr::CREATE_QP_USER_HANDLE, qp.ibv() as u64),
        Attr::input(attr::CREATE_QP_CAP, &cap.0),
        Attr::fd(attr::CREATE_QP_EVENT_FD, async_fd),
        Attr::when(core_flags != 0, Attr::u32(attr::CREATE_QP_FLAGS, core_flags)),
        Attr::when(
            create_flags & IBV_QP_CREATE_SOURCE_QPN != 0,
            Attr::u32(attr::CREATE_QP_SOURCE_QPN, a.source_qpn),
        ),
        optional(!xrc_recv, attr::CREATE_QP_SRQ_HANDLE, srq.map(|s| s.handle)),
        Attr::output(attr::CREATE_QP_RESP_CAP, &mut answered.0),
        Attr::number(attr::CREATE_QP_RESP_QP_NUM, &mut qp_num),
        umem::attr(ring_attr, &ring),
        umem::attr(attr::CREATE_QP_SQ_BUF_UMEM, &sq_ring),
        Attr::input(attr::UHW_IN, request),
        Attr::output(attr::UHW_OUT, &mut driver.0),
        umem::attr(attr::CREATE_QP_DBR_BUF_UMEM, &record),
    ];
    uverbs::execute(context.fd, obj::QP, method::QP_CREATE, &mut attrs)?;
    let handle = attrs[5].new_handle();
    a.cap = ibv_qp_cap {
        max_send_wr: answered.get32(0),
        max_recv_wr: answered.get32(4),
        max_send_sge: answered.get32(8),
        max_recv_sge: answered.get32(12),
        max_inline_data: answered.get32(16),
    };
    qp.qp_num.set(qp_num);
    publish(context, qp, a, handle, qp_num);
    Ok(Response {
        bfreg_index: driver.get32(0),
        ece_options: driver.get32(4),
        numbers: super::Numbers {
            tirn: driver.get32(12),
            tisn: driver.get32(16),
            rqn: driver.get32(20),
            sqn: driver.get32(24),
            tir_icm_addr: driver.get64(32),
        },
    })
}

/// Fills the public part of a QP that nobody else knows yet, as libibverbs' own command does.
pub fn publish(context: &Context, qp: &Qp, a: &ibv_qp_init_attr_ex, handle: u32, qp_num: u32) {
    let has = |bit: u32| a.comp_mask & bit != 0;
    let xrc_recv = a.qp_type == IBV_QPT_XRC_RECV;
    let public = qp.ibv();
    // SAFETY: the public part is ours until the QP is handed out.
    unsafe {
        (*public).context = context.ibv();
        (*public).qp_context = a.qp_context;
        (*public).pd = if has(IBV_QP_INIT_ATTR_PD) { a.pd } else { ptr::null_mut() };
        if !xrc_recv {
            (*public).send_cq = a.send_cq;
            (*public).recv_cq = a.recv_cq;
            (*public).srq = a.srq;
        }
        (*public).handle = handle;
        (*public).qp_num = qp_num;
        (*public).state = IBV_QPS_RESET;
        (*public).qp_type = a.qp_type;
        (*public).events_completed = 0;
        super::super::object::init_sync(&raw mut (*public).mutex, &raw mut (*public).cond);
    }
    let mut mask = 0;
    if has(IBV_QP_INIT_ATTR_XRCD) {
        mask |= VERBS_QP_XRCD;
        set_xrcd(qp, a.xrcd);
    }
    if has(IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) {
        mask |= VERBS_QP_EX;
    }
    set_comp_mask(qp, mask);
}

/// `verbs_qp.comp_mask`.
fn set_comp_mask(qp: &Qp, mask: u32) {
    if let Some(i) = ibverbs::get() {
        // SAFETY: within the public part, at the place that this release has it.
        unsafe { qp.ibv().byte_add(i.qp_comp_mask).cast::<u32>().write(mask) }
    }
}

/// `verbs_qp.xrcd`, behind `comp_mask`.
fn set_xrcd(qp: &Qp, xrcd: *mut ibv_xrcd) {
    if let Some(i) = ibverbs::get() {
        // SAFETY: as above; the member ends where `verbs_qp` does.
        unsafe { qp.ibv().byte_add(i.qp_comp_mask + 8).cast::<*mut ibv_xrcd>().write(xrcd) }
    }
}
