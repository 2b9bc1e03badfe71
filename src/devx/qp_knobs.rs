//! What can be set of a QP beside its verbs attributes, by device commands.

use super::{
    command::{self, Mailboxes, checked},
    object,
    qp_state::{self, Posting},
};
use crate::{
    abi::{
        dv::consts::MLX5DV_DCTYPE_DCI,
        verbs::{consts::*, ibv_qp},
    },
    datapath::qp::Qp,
    error::Result,
    provider::Context,
    verbs::qp::Numbers,
};
use prm::{
    Ads, Field, Lagc, ModifyTisBitmask, ModifyTisIn, ModifyTisOut, Qpc, QpcExt, QueryLagIn, QueryLagOut,
    QueryQpIn, QueryQpOut, QueryTisIn, QueryTisOut, Rts2rtsQpIn, Rts2rtsQpOut, Tisc, opcode,
};

/// `opt_param_mask`: LAG port of the requests.
const OPT_LAG_TX_PORT_AFFINITY: u64 = 1 << 15;
/// `opt_param_mask_95_32`: error of a DCI stream.
const OPT_DCI_STREAM_RESET: u64 = 1;
/// `opt_param_mask_95_32`: UDP source port.
const OPT_UDP_SPORT: u64 = 1 << 2;

/// A QP of this library and its context.
#[derive(Clone, Copy)]
pub struct QpRef<'a> {
    qp: &'a Qp,
    /// The context.
    pub context: &'a Context,
}

impl<'a> QpRef<'a> {
    /// The QP behind C's pointer. EINVAL for NULL, EOPNOTSUPP for another provider's.
    ///
    /// # Safety
    /// `p` is NULL or a live QP of whichever provider.
    pub unsafe fn from_c(p: *mut ibv_qp) -> Result<QpRef<'a>> {
        // SAFETY: the promise above; the context pointer is public.
        let public = unsafe { p.as_ref() }.ok_or(refuse!(EINVAL, "QP is NULL"))?;
        // SAFETY: as above; a QP of a context of ours was made here.
        unsafe {
            let context = Context::from_ibv(public.context)?;
            Ok(QpRef { qp: Qp::from_ibv(p), context })
        }
    }

    fn public(&self) -> *const ibv_qp {
        self.qp.ibv()
    }

    /// `IBV_QPT_*`.
    pub fn qp_type(&self) -> u32 {
        // SAFETY: the public part is initialised.
        unsafe { (*self.public()).qp_type }
    }

    /// `IBV_QPS_*`.
    pub fn state(&self) -> u32 {
        self.qp.state()
    }

    /// The number that the wire knows.
    pub fn qp_num(&self) -> u32 {
        // SAFETY: the public part is initialised.
        unsafe { (*self.public()).qp_num }
    }

    /// Numbers of the queues behind a raw packet QP.
    pub fn numbers(&self) -> &Numbers {
        &self.qp.own.numbers
    }

    fn handle(&self) -> u32 {
        // SAFETY: the public part is initialised.
        unsafe { (*self.public()).handle }
    }

    fn is_dci(&self) -> bool {
        self.qp_type() == IBV_QPT_DRIVER && self.qp.dc_type == MLX5DV_DCTYPE_DCI
    }

    /// `mlx5dv_devx_qp_query`.
    pub fn query(&self, m: Mailboxes) -> Result<()> {
        object::query(self.context, self.handle(), m)
    }

    /// `mlx5dv_devx_qp_modify`: after success posting is open or closed as the command has it;
    /// the state that the application sees stays.
    pub fn modify(&self, m: Mailboxes) -> Result<()> {
        object::modify(self.context, self.handle(), m)?;
        // SAFETY: the call succeeded.
        let op = unsafe { m.after_success(|input, _| Rts2rtsQpIn::OPCODE.get(input) as u16) };
        match qp_state::effect(op) {
            Some(Posting::Receive) => self.qp.state_changed(IBV_QPS_INIT),
            Some(Posting::Send) => self.qp.state_changed(IBV_QPS_RTS),
            Some(Posting::Nothing) => self.qp.state_changed(IBV_QPS_RESET),
            None => {}
        }
        Ok(())
    }

    /// Sends a modify command of the library's own. Errors: the status's.
    pub fn send(&self, command: &[u8], out: &mut [u8]) -> Result<()> {
        let result = self.modify(Mailboxes::new(command, out));
        checked(result, out)
    }

    /// RTS2RTS for this QP, to be filled.
    fn rts2rts(&self) -> [u8; Rts2rtsQpIn::SIZE] {
        let mut c = [0u8; Rts2rtsQpIn::SIZE];
        Rts2rtsQpIn::OPCODE.set(&mut c, u64::from(opcode::RTS2RTS_QP));
        Rts2rtsQpIn::QPN.set(&mut c, u64::from(self.qp_num()));
        c
    }
}

/// Where a QP's requests leave a bonded pair of ports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LagPort {
    /// The port that was asked for.
    pub port: u8,
    /// The port that is used: another one while the asked one is down. None for a port that is
    /// neither 1 nor 2.
    pub active: Option<u8>,
}

/// The reading part of `mlx5dv_query_qp_lag_port`.
///
/// Errors: EOPNOTSUPP without bonded ports and for types of QP without a port of their own; the
/// device's.
pub fn query_lag_port(qp: QpRef) -> Result<LagPort> {
    let caps = &qp.context.caps;
    if caps.num_lag_ports <= 1 {
        return Err(refuse!(EOPNOTSUPP, "device has no bonded ports", num_lag_ports = caps.num_lag_ports));
    }
    let has_port =
        matches!(qp.qp_type(), IBV_QPT_RC | IBV_QPT_UD | IBV_QPT_UC | IBV_QPT_RAW_PACKET | IBV_QPT_XRC_SEND);
    if !has_port && !qp.is_dci() {
        return Err(refuse!(EOPNOTSUPP, "this type of QP has no LAG port", qp_type = qp.qp_type()));
    }
    const LAG: Field = QueryLagOut::CTX;
    let mut input = [0u8; QueryLagIn::SIZE];
    QueryLagIn::OPCODE.set(&mut input, u64::from(opcode::QUERY_LAG));
    let mut lag = [0u8; QueryLagOut::SIZE];
    let result = command::general(qp.context, Mailboxes::new(&input, &mut lag));
    checked(result, &lag)?;
    if !Lagc::LAG_STATE.within(LAG).is_set(&lag) && !caps.lag_tx_port_affinity {
        return Err(refuse!(EOPNOTSUPP, "no LAG is active"));
    }
    let port = if qp.qp_type() == IBV_QPT_RAW_PACKET { tis_port(qp)? } else { qp_port(qp)? };
    let active = match port {
        1 => Some(Lagc::TX_REMAP_AFFINITY_1.within(LAG).get(&lag) as u8),
        2 => Some(Lagc::TX_REMAP_AFFINITY_2.within(LAG).get(&lag) as u8),
        _ => None,
    };
    Ok(LagPort { port, active })
}

fn tis_port(qp: QpRef) -> Result<u8> {
    let mut input = [0u8; QueryTisIn::SIZE];
    QueryTisIn::OPCODE.set(&mut input, u64::from(opcode::QUERY_TIS));
    QueryTisIn::TISN.set(&mut input, u64::from(qp.numbers().tisn));
    let mut out = [0u8; QueryTisOut::SIZE];
    let result = qp.query(Mailboxes::new(&input, &mut out));
    checked(result, &out)?;
    Ok(Tisc::LAG_TX_PORT_AFFINITY.within(QueryTisOut::TIS_CONTEXT).get(&out) as u8)
}

fn qp_port(qp: QpRef) -> Result<u8> {
    let mut input = [0u8; QueryQpIn::SIZE];
    QueryQpIn::OPCODE.set(&mut input, u64::from(opcode::QUERY_QP));
    QueryQpIn::QPN.set(&mut input, u64::from(qp.qp_num()));
    let mut out = [0u8; QueryQpOut::SIZE];
    let result = qp.query(Mailboxes::new(&input, &mut out));
    checked(result, &out)?;
    Ok(Qpc::LAG_TX_PORT_AFFINITY.within(QueryQpOut::QPC).get(&out) as u8)
}

/// EOPNOTSUPP for a port that [`query_lag_port`] found but cannot map.
pub fn active_port(found: LagPort) -> Result<u8> {
    found.active.ok_or(refuse!(EOPNOTSUPP, "LAG port is neither 1 nor 2", port = found.port))
}

/// `mlx5dv_modify_qp_lag_port`. The device judges the port number.
///
/// Errors: those of the query; EOPNOTSUPP for types and states without the change; the device's.
pub fn modify_lag_port(qp: QpRef, port: u8) -> Result<()> {
    active_port(query_lag_port(qp)?)?;
    match qp.qp_type() {
        IBV_QPT_RAW_PACKET => modify_tis_port(qp, port),
        IBV_QPT_XRC_SEND => Err(refuse!(EOPNOTSUPP, "LAG port of an XRC send QP cannot be changed")),
        _ => modify_qp_port(qp, port),
    }
}

fn modify_tis_port(qp: QpRef, port: u8) -> Result<()> {
    let mut c = [0u8; ModifyTisIn::SIZE];
    ModifyTisIn::OPCODE.set(&mut c, u64::from(opcode::MODIFY_TIS));
    ModifyTisIn::TISN.set(&mut c, u64::from(qp.numbers().tisn));
    ModifyTisBitmask::LAG_TX_PORT_AFFINITY.within(ModifyTisIn::BITMASK).set(&mut c, 1);
    Tisc::LAG_TX_PORT_AFFINITY.within(ModifyTisIn::CTX).set(&mut c, u64::from(port));
    qp.send(&c, &mut [0u8; ModifyTisOut::SIZE])
}

fn modify_qp_port(qp: QpRef, port: u8) -> Result<()> {
    if !qp.context.caps.rts2rts_lag_tx_port_affinity {
        return Err(refuse!(EOPNOTSUPP, "device cannot change the LAG port of a QP"));
    }
    in_rts(qp)?;
    let mut c = qp.rts2rts();
    Rts2rtsQpIn::OPT_PARAM_MASK.set(&mut c, OPT_LAG_TX_PORT_AFFINITY);
    Qpc::LAG_TX_PORT_AFFINITY.within(Rts2rtsQpIn::QPC).set(&mut c, u64::from(port));
    qp.send(&c, &mut [0u8; Rts2rtsQpOut::SIZE])
}

fn in_rts(qp: QpRef) -> Result<()> {
    match qp.state() {
        IBV_QPS_RTS => Ok(()),
        s => Err(refuse!(EOPNOTSUPP, "QP is not in RTS", state = s)),
    }
}

/// `mlx5dv_modify_qp_udp_sport`. Errors: EOPNOTSUPP for types other than RC and UC, outside RTS,
/// and if the device cannot; the device's.
pub fn modify_udp_sport(qp: QpRef, udp_sport: u16) -> Result<()> {
    if !matches!(qp.qp_type(), IBV_QPT_RC | IBV_QPT_UC) {
        return Err(refuse!(EOPNOTSUPP, "QP is neither RC nor UC", qp_type = qp.qp_type()));
    }
    in_rts(qp)?;
    if !qp.context.caps.rts2rts_qp_udp_sport {
        return Err(refuse!(EOPNOTSUPP, "device cannot change the UDP source port of a QP"));
    }
    let mut c = qp.rts2rts();
    Rts2rtsQpIn::OPT_PARAM_MASK_95_32.set(&mut c, OPT_UDP_SPORT);
    Ads::UDP_SPORT
        .within(Qpc::PRIMARY_ADDRESS_PATH.within(Rts2rtsQpIn::QPC))
        .set(&mut c, u64::from(udp_sport));
    qp.send(&c, &mut [0u8; Rts2rtsQpOut::SIZE])
}

/// `mlx5dv_dci_stream_id_reset`. Errors: EOPNOTSUPP if the device has no DCI streams or the QP is
/// not in RTS, then EINVAL if it is no DCI; the device's.
pub fn reset_dci_stream(qp: QpRef, stream_id: u16) -> Result<()> {
    let [_, max_log_num_errored] = qp.context.device.dci_streams;
    if max_log_num_errored == 0 || !qp.context.caps.qpc_extension {
        return Err(refuse!(EOPNOTSUPP, "device has no DCI streams", log_errored = max_log_num_errored));
    }
    in_rts(qp)?;
    if !qp.is_dci() {
        return Err(refuse!(EINVAL, "QP is no DCI", qp_type = qp.qp_type()));
    }
    let mut c = qp.rts2rts();
    Rts2rtsQpIn::QPC_EXT.set(&mut c, 1);
    Rts2rtsQpIn::OPT_PARAM_MASK_95_32.set(&mut c, OPT_DCI_STREAM_RESET);
    QpcExt::DCI_STREAM_CHANNEL_ID.within(Rts2rtsQpIn::QPC_DATA_EXT).set(&mut c, u64::from(stream_id));
    qp.send(&c, &mut [0u8; Rts2rtsQpOut::SIZE])
}
