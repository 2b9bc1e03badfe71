//! DC targets: nothing exists on the device before the move to "ready to receive".

use super::super::super::bytes::Out;
use super::super::super::cx::Cx;
use super::super::super::device::Device;
use super::super::super::mailbox::Mailbox;
use super::super::super::objects::Object;
use super::super::umem::access;
use super::modify::Change;
use super::states::{State, attr};
use super::{Driver, Kind, Made, Qp, Request, cq_number, flag, uses};
use nix::errno::Errno;
use prm::{CreateDctIn, Dctc};

/// The context a target will have.
#[derive(Debug)]
pub struct Pending(Mailbox);

const CTX: usize = CreateDctIn::DCT_CONTEXT_ENTRY.off;

/// Remember what the target will be.
pub fn make(cx: &mut Cx<'_>, request: &Request, driver: &Driver) -> Result<Made, Errno> {
    let srqn = match request.srq.and_then(|h| cx.file.handles.get(h)) {
        Some(Object::Srq(srq)) => srq.number,
        _ => return Err(Errno::EINVAL),
    };
    if request.recv_cq.is_none() {
        return Err(Errno::EINVAL);
    }
    let uid = cx.file.context()?.devx_uid;
    let pdn = cx.pdn(request.pd.ok_or(Errno::EINVAL)?)?;
    let mut m = Mailbox::command(0x710, uid, CreateDctIn::SIZE);
    m.put(Dctc::PD.at(CTX), pdn as u64)
        .put(Dctc::SRQN_XRQN.at(CTX), srqn as u64)
        .put(Dctc::CQN.at(CTX), cq_number(cx, request.recv_cq) as u64)
        .put(Dctc::DC_ACCESS_KEY.at(CTX), driver.sq_buf_or_key)
        .put(Dctc::USER_INDEX.at(CTX), driver.uidx as u64);
    if driver.flags & flag::SCATTER_CQE != 0 {
        m.put(Dctc::CS_RES.at(CTX), 0x11);
    }
    let qp = Qp { kind: Kind::Dct, uid, dct: Some(Pending(m)), ..super::new_qp(request) };
    let handle = cx.commit(Object::Qp(qp), uses(request));
    cx.uhw_out(&[0; 40])?;
    Ok(Made { handle, number: 0, cap: request.cap })
}

/// The moves of a target: reset to init, init to ready, which makes it.
pub fn modify(cx: &mut Cx<'_>, change: &Change, from: State, to: State) -> Result<(), Errno> {
    let required = |mask: u32| change.mask & mask == mask;
    let known = match cx.file.handles.get_mut(change.handle) {
        Some(Object::Qp(qp)) => qp.dct.take().ok_or(Errno::EINVAL)?,
        _ => return Err(Errno::EINVAL),
    };
    let mut m = known.0.clone();
    let result = match (from, to) {
        (State::Reset, State::Init) => {
            if required(attr::STATE | attr::PKEY | attr::PORT | attr::ACCESS) {
                init(cx, &mut m, change)
            } else {
                Err(Errno::EINVAL)
            }
        }
        (State::Init, State::Rtr) => {
            let needed = attr::STATE | attr::MIN_RNR | attr::AV | attr::MTU;
            if required(needed) { ready(cx, &mut m, change) } else { Err(Errno::EINVAL) }
        }
        _ => Err(Errno::EINVAL),
    };
    if let Some(Object::Qp(qp)) = cx.file.handles.get_mut(change.handle) {
        qp.dct = Some(Pending(if result.is_ok() { m } else { known.0 }));
        if result.is_ok() {
            qp.state = to;
        }
    }
    result
}

fn init(cx: &Cx<'_>, m: &mut Mailbox, change: &Change) -> Result<(), Errno> {
    let set = |flag: u64| (change.access & flag != 0) as u64;
    m.put(Dctc::RRE.at(CTX), set(access::REMOTE_READ))
        .put(Dctc::RWE.at(CTX), set(access::REMOTE_WRITE))
        .put(Dctc::RAE.at(CTX), set(access::REMOTE_ATOMIC))
        .put(Dctc::PKEY_INDEX.at(CTX), change.pkey as u64)
        .put(Dctc::PORT.at(CTX), change.port as u64);
    if set(access::REMOTE_ATOMIC) != 0 && cx.dev.cap(0x21e, 1) != 0 {
        m.put(Dctc::ATOMIC_MODE.at(CTX), 1);
    }
    Ok(())
}

fn ready(cx: &mut Cx<'_>, m: &mut Mailbox, change: &Change) -> Result<(), Errno> {
    // the answer must have room for the number
    if cx.uhw_out_len() < 8 {
        return Err(Errno::EINVAL);
    }
    m.put(Dctc::MIN_RNR_NAK.at(CTX), change.min_rnr as u64)
        .put(Dctc::TCLASS.at(CTX), change.dest.traffic_class as u64)
        .put(Dctc::FLOW_LABEL.at(CTX), change.dest.flow_label as u64)
        .put(Dctc::MTU.at(CTX), change.mtu as u64)
        .put(Dctc::MY_ADDR_INDEX.at(CTX), change.dest.sgid_index as u64)
        .put(Dctc::HOP_LIMIT.at(CTX), change.dest.hop_limit as u64);
    if cx.dev.is_ethernet() {
        m.put(Dctc::ETH_PRIO.at(CTX), change.dest.sl as u64 & 7);
    }
    let number = cx.dev.exec(m, 16)?.get(0x48, 24) as u32;
    if let Some(Object::Qp(qp)) = cx.file.handles.get_mut(change.handle) {
        qp.number = number;
    }
    let mut r = Out::new(16);
    r.u32(0, 16.min(cx.uhw_out_len()) as u32).u32(4, number);
    cx.uhw_out(&r.0)
}

/// DRAIN_DCT and DESTROY_DCT, if there is one.
pub fn destroy(dev: &mut Device, qp: &Qp) -> Result<(), Errno> {
    if qp.number == 0 {
        return Ok(());
    }
    for opcode in [0x712, 0x711] {
        let mut m = Mailbox::command(opcode, qp.uid, 16);
        m.set(0x48, 24, qp.number as u64);
        let done = dev.exec(&m, 16);
        if opcode == 0x711 {
            done?;
        }
    }
    Ok(())
}
