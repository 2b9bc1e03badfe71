//! Modification of QPs: attributes to the kernel, then what the library does itself.

use super::super::{ah::port_info, core::Core, table::Registration};
use crate::{
    abi::{
        dv::consts::MLX5DV_DCTYPE_DCT,
        verbs::{consts::*, *},
    },
    border,
    datapath::{cq::Cq, qp::Qp, srq::Srq},
    devx::{Mailboxes, command::checked, object},
    error::{Refusal, Result},
    provider::Context,
    uverbs,
};
use core::{ffi::c_int, sync::atomic::Ordering};
use prm::{Init2initQpIn, Init2initQpOut, Qpc, QpcExt, opcode, uverbs::write};

/// Extended command of the kernel.
const EX_MODIFY_QP: u16 = write::MODIFY_QP;
/// Driver's request: the QP places data out of order.
const REQUEST_OOO_DP: u32 = 1;
/// `opt_param_mask`: `drain_sigerr`.
const OPT_DRAIN_SIGERR: u64 = 1 << 11;
/// `opt_param_mask_95_32`: `mmo` of the extension.
const OPT_MMO: u64 = 1 << 3;

/// Writes an address at byte `at` (`ib_uverbs_qp_dest`).
fn destination<const N: usize>(core: Core<N>, at: usize, a: &ibv_ah_attr) -> Core<N> {
    // SAFETY: any bytes are a GID.
    let dgid = unsafe { a.grh.dgid.raw };
    core.bytes(at, &dgid)
        .u32(at + 16, a.grh.flow_label)
        .u16(at + 20, a.dlid)
        .u8(at + 24, a.grh.sgid_index)
        .u8(at + 25, a.grh.hop_limit)
        .u8(at + 26, a.grh.traffic_class)
        .u8(at + 27, a.sl)
        .u8(at + 28, a.src_path_bits)
        .u8(at + 29, a.static_rate)
        .u8(at + 30, a.is_global)
        .u8(at + 31, a.port_num)
}

/// `ib_uverbs_modify_qp`, or with room for the rate its extended form: only members that the mask
/// names, because the application need not have set the others.
fn modify_core<const N: usize>(handle: u32, a: &ibv_qp_attr, mask: u32) -> Core<N> {
    let mut c = Core::<N>::new().u32(64, handle).u32(68, mask);
    macro_rules! members {
        ($($bit:ident $width:ident $at:literal $value:expr;)*) => {
            $(if mask & $bit != 0 { c = c.$width($at, $value as $width); })*
        };
    }
    members! {
        IBV_QP_STATE u8 96 a.qp_state;
        IBV_QP_CUR_STATE u8 97 a.cur_qp_state;
        IBV_QP_EN_SQD_ASYNC_NOTIFY u8 100 a.en_sqd_async_notify;
        IBV_QP_ACCESS_FLAGS u32 88 a.qp_access_flags;
        IBV_QP_PKEY_INDEX u16 92 a.pkey_index;
        IBV_QP_PORT u8 104 a.port_num;
        IBV_QP_QKEY u32 72 a.qkey;
        IBV_QP_PATH_MTU u8 98 a.path_mtu;
        IBV_QP_TIMEOUT u8 105 a.timeout;
        IBV_QP_RETRY_CNT u8 106 a.retry_cnt;
        IBV_QP_RNR_RETRY u8 107 a.rnr_retry;
        IBV_QP_RQ_PSN u32 76 a.rq_psn;
        IBV_QP_MAX_QP_RD_ATOMIC u8 101 a.max_rd_atomic;
        IBV_QP_ALT_PATH u16 94 a.alt_pkey_index;
        IBV_QP_ALT_PATH u8 108 a.alt_port_num;
        IBV_QP_ALT_PATH u8 109 a.alt_timeout;
        IBV_QP_MIN_RNR_TIMER u8 103 a.min_rnr_timer;
        IBV_QP_SQ_PSN u32 80 a.sq_psn;
        IBV_QP_MAX_DEST_RD_ATOMIC u8 102 a.max_dest_rd_atomic;
        IBV_QP_PATH_MIG_STATE u8 99 a.path_mig_state;
        IBV_QP_DEST_QPN u32 84 a.dest_qp_num;
    }
    if mask & IBV_QP_AV != 0 {
        c = destination(c, 0, &a.ah_attr);
    }
    if mask & IBV_QP_ALT_PATH != 0 {
        c = destination(c, 32, &a.alt_ah_attr);
    }
    if mask & IBV_QP_RATE_LIMIT != 0 {
        c = c.u32(112, a.rate_limit);
    }
    c
}

fn handle(qp: &Qp) -> u32 {
    // SAFETY: the public part of a live QP.
    unsafe { (*qp.ibv()).handle }
}

/// The extended command; answers the driver's response.
fn modify_ex(qp: &Qp, a: &ibv_qp_attr, mask: u32, request: &Core<16>) -> Result<Core<16>> {
    let core = modify_core::<120>(handle(qp), a, mask);
    let (mut response, mut driver) = (Core::<8>::new(), Core::<16>::new());
    uverbs::invoke_write(
        qp.context().fd,
        uverbs::extended(EX_MODIFY_QP),
        &core.0,
        &mut response.0,
        &request.0,
        &mut driver.0,
    )?;
    Ok(driver)
}

/// The command of the core, without a driver's part.
pub fn modify_plain(context: &Context, handle: u32, a: &ibv_qp_attr, mask: u32) -> Result<()> {
    let core = modify_core::<112>(handle, a, mask);
    Ok(super::super::core::order(context, u32::from(write::MODIFY_QP), &core)?)
}

/// Notes that a QP of the library's own went to `state`.
pub fn to_state(qp: &Qp, state: u32) {
    qp.state_changed(state);
    // SAFETY: the public part of a live QP.
    unsafe { (*qp.ibv()).state = state };
}

/// Offloads that a raw packet or underlay QP has, as far as its port is known now.
fn learn_offloads(qp: &Qp, a: &ibv_qp_attr, mask: u32) -> Result<()> {
    let caps = &qp.context().device;
    let set_csum = || {
        qp.tx_csum.set(true);
        qp.rx_csum.set(true);
    };
    if qp.underlay {
        if mask & !(IBV_QP_STATE | IBV_QP_CUR_STATE) != 0 {
            return Err(refuse!(EINVAL, "an underlay QP has no such attribute", attr_mask = mask));
        }
        if caps.device_cap_flags & u64::from(IBV_DEVICE_UD_IP_CSUM) != 0 {
            set_csum();
        }
    }
    if qp.qp_type == IBV_QPT_RAW_PACKET && mask & IBV_QP_PORT != 0 {
        let port = port_info(qp.context(), a.port_num)?;
        if u32::from(port.link_layer) == IBV_LINK_LAYER_ETHERNET {
            if caps.device_cap_flags & u64::from(IBV_DEVICE_RAW_IP_CSUM) != 0 {
                set_csum();
            }
            if caps.tso_qpts & 1 << IBV_QPT_RAW_PACKET != 0 {
                qp.sq.max_tso.set(caps.tso_max);
            }
        }
    }
    Ok(())
}

/// The queues' counters and what is left in the CQs: the QP went to RESET.
fn forget_requests(qp: &Qp) {
    // SAFETY: the public part of a live QP; its queues outlive it.
    let (send, recv, srq) = unsafe {
        let p = &*qp.ibv();
        (p.send_cq.cast::<Cq>().as_ref(), p.recv_cq.cast::<Cq>().as_ref(), p.srq.cast::<Srq>().as_ref())
    };
    let rsn = qp.resource.rsn.get();
    if let Some(cq) = recv {
        cq.lock.with(|| cq.clean(rsn, srq));
    }
    if let Some(cq) = send
        && !recv.is_some_and(|r| core::ptr::eq(r, cq))
    {
        cq.lock.with(|| cq.clean(rsn, None));
    }
    qp.sq.reset();
    qp.rq.reset();
    qp.own.dbrec.clear();
}

/// Raw packet and underlay QPs: receives posted before RTR are shown to the device now.
fn show_receives(qp: &Qp) {
    if qp.qp_type != IBV_QPT_RAW_PACKET && !qp.underlay {
        return;
    }
    // SAFETY: the record lives as long as the QP.
    if let Some(dbrec) = unsafe { qp.dbrec.as_ref() } {
        qp.rq.lock.with(|| {
            let count = qp.rq.head.get() & 0xffff;
            dbrec.receive.store(count.to_be(), Ordering::Release);
        });
    }
}

/// What the verbs command of the kernel cannot say, said by device commands in INIT.
fn finish_init(qp: &Qp) -> Result<()> {
    if qp.own.sig_pipelining {
        init2init(qp, |c| {
            Init2initQpIn::OPT_PARAM_MASK.set(c, OPT_DRAIN_SIGERR);
            Qpc::DRAIN_SIGERR.within(Init2initQpIn::QPC).set(c, 1);
        })?;
    }
    if qp.own.mmo {
        init2init(qp, |c| {
            Init2initQpIn::QPC_EXT.set(c, 1);
            Init2initQpIn::OPT_PARAM_MASK_95_32.set(c, OPT_MMO);
            QpcExt::MMO.within(Init2initQpIn::QPC_DATA_EXT).set(c, 1);
        })?;
    }
    Ok(())
}

fn init2init(qp: &Qp, fill: impl FnOnce(&mut [u8])) -> Result<()> {
    let (mut c, mut out) = ([0u8; Init2initQpIn::SIZE], [0u8; Init2initQpOut::SIZE]);
    Init2initQpIn::OPCODE.set(&mut c, u64::from(opcode::INIT2INIT_QP));
    Init2initQpIn::QPN.set(&mut c, u64::from(qp.qp_num.get()));
    fill(&mut c);
    let result = object::modify(qp.context(), handle(qp), Mailboxes::new(&c, &mut out));
    checked(result, &out)
}

/// `ibv_modify_qp` of a DCT: always the extended command, whose answer to RTR has the number.
fn modify_dct(qp: &Qp, a: &ibv_qp_attr, mask: u32) -> Result<()> {
    /// End of `dctn` in the driver's response.
    const WITH_NUMBER: u32 = 8;
    let to_init = mask & IBV_QP_STATE != 0 && a.qp_state == IBV_QPS_INIT;
    let to_rtr = mask & IBV_QP_STATE != 0 && a.qp_state == IBV_QPS_RTR;
    let flags = if qp.own.ooo_dp && to_init { REQUEST_OOO_DP } else { 0 };
    let ece = qp.own.set_ece.get();
    let r = modify_ex(qp, a, mask, &Core::new().u32(0, flags).u32(12, ece))?;
    if to_rtr {
        if r.get32(0) < WITH_NUMBER {
            return Err(refuse!(EINVAL, "the kernel tells no DCT number", response_length = r.get32(0)));
        }
        let number = r.get32(4);
        qp.qp_num.set(number);
        // SAFETY: the public part of a live QP.
        unsafe { (*qp.ibv()).qp_num = number };
        if qp.context().info.cqe_version == 0 {
            qp.resource.rsn.set(number);
            let registration = Registration::at(&qp.context().qps, number, &qp.resource)?;
            // SAFETY: libibverbs' rule: one thread at a time modifies or destroys a QP.
            unsafe { *qp.own.registration.get() = Some(registration) };
        }
    }
    if ece != 0 {
        qp.own.set_ece.set(0);
        qp.own.get_ece.set(r.get32(8));
    }
    Ok(())
}

fn modify(qp: &Qp, a: &ibv_qp_attr, mask: u32) -> Result<()> {
    if qp.dc_type == MLX5DV_DCTYPE_DCT {
        return modify_dct(qp, a, mask);
    }
    if qp.rss {
        return Err(refuse!(EOPNOTSUPP, "an RSS QP cannot be modified"));
    }
    learn_offloads(qp, a, mask)?;
    let state = (mask & IBV_QP_STATE != 0).then_some(a.qp_state);
    let ece = qp.own.set_ece.get();
    if mask & IBV_QP_RATE_LIMIT != 0 || ece != 0 || qp.own.ooo_dp {
        let ooo = qp.own.ooo_dp && state == Some(IBV_QPS_INIT);
        let flags = if ooo { REQUEST_OOO_DP } else { 0 };
        let r = modify_ex(qp, a, mask, &Core::new().u32(0, flags).u32(12, ece))?;
        qp.own.set_ece.set(0);
        qp.own.get_ece.set(r.get32(8));
    } else {
        modify_plain(qp.context(), handle(qp), a, mask)?;
    }
    match state {
        Some(IBV_QPS_RESET) => forget_requests(qp),
        Some(IBV_QPS_RTR) => show_receives(qp),
        Some(IBV_QPS_INIT) => finish_init(qp)?,
        _ => {}
    }
    if let Some(state) = state {
        qp.state_changed(state);
    }
    Ok(())
}

/// `ibv_modify_qp`. EOPNOTSUPP for RSS QPs; EINVAL for attributes that an underlay QP lacks; else
/// the kernel's, or those of the device commands in INIT.
///
/// # Safety
/// libibverbs' promise for verbs operations: pointers are valid objects of this library.
pub unsafe extern "C" fn modify_qp(qp: *mut ibv_qp, attr: *mut ibv_qp_attr, mask: c_int) -> c_int {
    // SAFETY: the promise above.
    border::value("ibv_modify_qp", || unsafe { modify(Qp::from_ibv(qp), &*attr, mask as u32) })
}

/// `ibv_modify_qp_rate_limit`. EINVAL for comp_mask bits, and for bursts without a rate or without
/// the capability; else the kernel's.
///
/// # Safety
/// As [`modify_qp`].
pub unsafe extern "C" fn modify_qp_rate_limit(qp: *mut ibv_qp, attr: *mut ibv_qp_rate_limit_attr) -> c_int {
    /// `MLX5_IB_PP_SUPPORT_BURST`.
    const SUPPORT_BURST: u8 = 1;
    border::value("ibv_modify_qp_rate_limit", || {
        // SAFETY: the promise of verbs operations.
        let (q, a) = unsafe { (Qp::from_ibv(qp), &*attr) };
        if a.comp_mask != 0 {
            return Err(refuse!(EINVAL, "unknown comp_mask bits", comp_mask = a.comp_mask));
        }
        let burst = a.max_burst_sz != 0 || a.typical_pkt_sz != 0;
        if burst && (a.rate_limit == 0 || q.context().device.pacing_flags & SUPPORT_BURST == 0) {
            return Err(refuse!(EINVAL, "no bursts without a rate and the capability"));
        }
        let core = Core::<120>::new().u32(64, handle(q)).u32(68, IBV_QP_RATE_LIMIT).u32(112, a.rate_limit);
        let request = Core::<16>::new().u32(4, a.max_burst_sz).u16(8, a.typical_pkt_sz);
        let mut response = Core::<8>::new();
        Ok(uverbs::invoke_write(
            q.context().fd,
            uverbs::extended(EX_MODIFY_QP),
            &core.0,
            &mut response.0,
            &request.0,
            &mut [],
        )?)
    })
}

/// `ibv_set_ece`: the next modification tells the device. Refusals set errno too. EINVAL for comp_mask bits or a foreign
/// vendor; EOPNOTSUPP.
///
/// # Safety
/// As [`modify_qp`].
pub unsafe extern "C" fn set_ece(qp: *mut ibv_qp, ece: *mut ibv_ece) -> c_int {
    border::value("ibv_set_ece", || {
        // SAFETY: the promise of verbs operations.
        let (q, e) = unsafe { (Qp::from_ibv(qp), &*ece) };
        check_ece(q, e).map_err(Refusal::and_errno)?;
        q.own.set_ece.set(e.options);
        Ok(())
    })
}

fn check_ece(q: &Qp, e: &ibv_ece) -> Result<()> {
    if e.comp_mask != 0 {
        return Err(refuse!(EINVAL, "unknown comp_mask bits", comp_mask = e.comp_mask));
    }
    if e.vendor_id != VENDOR_MELLANOX {
        return Err(refuse!(EINVAL, "options of another vendor", vendor_id = e.vendor_id));
    }
    if q.context().info.comp_mask & crate::provider::get_context::comp_mask::ECE == 0 {
        return Err(refuse!(EOPNOTSUPP, "device without ECE"));
    }
    Ok(())
}

/// `ibv_query_ece`: never fails.
///
/// # Safety
/// As [`modify_qp`].
pub unsafe extern "C" fn query_ece(qp: *mut ibv_qp, ece: *mut ibv_ece) -> c_int {
    // SAFETY: the promise of verbs operations.
    let (q, e) = unsafe { (Qp::from_ibv(qp), &mut *ece) };
    e.vendor_id = VENDOR_MELLANOX;
    e.options = q.own.get_ece.get();
    e.comp_mask = 0;
    0
}

const VENDOR_MELLANOX: u32 = 0x15b3;

#[cfg(test)]
mod tests {
    use super::*;

    fn attr() -> ibv_qp_attr {
        // SAFETY: plain numbers; zero is a value of each.
        unsafe { core::mem::zeroed() }
    }

    #[test]
    fn only_named_members_travel() {
        let a = ibv_qp_attr { qp_state: 3, timeout: 14, sq_psn: 7, path_mtu: 3, dest_qp_num: 9, ..attr() };
        let c = modify_core::<112>(0x11, &a, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT);
        assert_eq!((c.get32(64), c.get32(68)), (0x11, 0x1_0201));
        assert_eq!((c.get8(96), c.get32(80), c.get8(105)), (3, 7, 14));
        assert_eq!((c.get8(98), c.get32(84)), (0, 0));
        assert_eq!(c.0.iter().filter(|b| **b != 0).count(), 1 + 3 + 3);
    }

    #[test]
    fn addresses_stand_where_the_kernel_has_them() {
        let mut a = attr();
        a.ah_attr.port_num = 2;
        a.ah_attr.is_global = 1;
        a.ah_attr.dlid = 0x1234;
        a.ah_attr.grh.hop_limit = 64;
        a.alt_ah_attr.sl = 5;
        a.alt_pkey_index = 8;
        let c = modify_core::<120>(1, &a, IBV_QP_AV | IBV_QP_ALT_PATH | IBV_QP_RATE_LIMIT);
        assert_eq!((c.get16(20), c.get8(25), c.get8(30), c.get8(31)), (0x1234, 64, 1, 2));
        assert_eq!((c.get8(32 + 27), c.get16(94)), (5, 8));
    }
}
