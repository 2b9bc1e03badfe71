//! Checks of the creation attributes, and the kernel's flags that they come to.

use crate::{
    abi::{
        dv::{consts::*, mlx5dv_qp_init_attr},
        verbs::{consts::*, ibv_qp_init_attr_ex},
    },
    datapath::qp::WrOps,
    env,
    error::Result,
    provider::{
        Context, device_query::flags as device_flags, dv_query::ooo_recv_wrs, get_context::comp_mask,
    },
};

/// `MLX5_QP_FLAG_*` of the driver's request.
pub mod flag {
    pub const SIGNATURE: u32 = 1;
    pub const SCATTER_CQE: u32 = 2;
    pub const TUNNEL_OFFLOADS: u32 = 4;
    pub const BFREG_INDEX: u32 = 8;
    pub const TYPE_DCT: u32 = 0x10;
    pub const TYPE_DCI: u32 = 0x20;
    pub const TIR_ALLOW_SELF_LB_UC: u32 = 0x40;
    pub const TIR_ALLOW_SELF_LB_MC: u32 = 0x80;
    pub const ALLOW_SCATTER_CQE: u32 = 0x100;
    pub const PACKET_BASED_CREDIT_MODE: u32 = 0x200;
    pub const UAR_PAGE_INDEX: u32 = 0x400;
    pub const DCI_STREAM: u32 = 0x800;
}

/// Which way a QP is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Way {
    /// With queues of its own.
    Queues,
    /// Dynamically connected target with its access key.
    Dct(u64),
    /// Spreads over an indirection table.
    Rss,
}

/// What the attributes come to.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub way: Way,
    /// Of the driver's request.
    pub flags: u32,
    /// `MLX5DV_DCTYPE_*`, or 0.
    pub dc_type: u32,
    pub underlay: bool,
    pub ops: WrOps,
    /// `IBV_QP_EX_WITH_*`, if given.
    pub verbs_ops: Option<u64>,
    /// Logs of concurrent and errored DCI streams.
    pub streams: [u8; 2],
    pub sig_pipelining: bool,
    pub ooo_dp: bool,
    /// The memcpy operation is wanted.
    pub memcpy: bool,
}

const VERBS_KNOWN: u32 = IBV_QP_INIT_ATTR_PD
    | IBV_QP_INIT_ATTR_XRCD
    | IBV_QP_INIT_ATTR_CREATE_FLAGS
    | IBV_QP_INIT_ATTR_MAX_TSO_HEADER
    | IBV_QP_INIT_ATTR_IND_TABLE
    | IBV_QP_INIT_ATTR_RX_HASH
    | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
const DV_KNOWN: u32 = MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS
    | MLX5DV_QP_INIT_ATTR_MASK_DC
    | MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS
    | MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS;

impl Plan {
    /// Checks the attributes in the order of the sheet. EINVAL, EOPNOTSUPP.
    pub fn new(context: &Context, a: &ibv_qp_init_attr_ex, dv: Option<&mlx5dv_qp_init_attr>) -> Result<Plan> {
        let has = |bit: u32| a.comp_mask & bit != 0;
        if a.comp_mask & !VERBS_KNOWN != 0 {
            return Err(refuse!(EINVAL, "unknown comp_mask bits", comp_mask = a.comp_mask));
        }
        if has(IBV_QP_INIT_ATTR_MAX_TSO_HEADER) && a.qp_type != IBV_QPT_RAW_PACKET {
            return Err(refuse!(EINVAL, "TSO is for raw packet QPs", qp_type = a.qp_type));
        }
        let dv_has = |bit: u32| dv.is_some_and(|d| d.comp_mask & u64::from(bit) != 0);
        let dc_type =
            dv.filter(|_| dv_has(MLX5DV_QP_INIT_ATTR_MASK_DC)).map_or(0, |d| d.dc_init_attr.dc_type);
        if has(IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)
            && (has(IBV_QP_INIT_ATTR_RX_HASH) || a.qp_type == IBV_QPT_DRIVER && dc_type == MLX5DV_DCTYPE_DCT)
        {
            return Err(refuse!(EINVAL, "send operations of a QP that does not send"));
        }
        let mut underlay = false;
        if has(IBV_QP_INIT_ATTR_CREATE_FLAGS) && a.create_flags & IBV_QP_CREATE_SOURCE_QPN != 0 {
            if a.qp_type != IBV_QPT_UD {
                return Err(refuse!(EINVAL, "a source QPN is for UD QPs", qp_type = a.qp_type));
            }
            underlay = true;
        }
        let mut plan = Plan {
            way: Way::Queues,
            flags: 0,
            dc_type: 0,
            underlay,
            ops: WrOps::default(),
            verbs_ops: has(IBV_QP_INIT_ATTR_SEND_OPS_FLAGS).then_some(a.send_ops_flags),
            streams: [0; 2],
            sig_pipelining: false,
            ooo_dp: false,
            memcpy: false,
        };
        if env::get(c"MLX5_SCATTER_TO_CQE").is_none_or(|v| v.to_bytes() != b"0") {
            plan.flags |= flag::SCATTER_CQE;
        }
        if let Some(d) = dv {
            if d.comp_mask & !u64::from(DV_KNOWN) != 0 {
                return Err(refuse!(EINVAL, "unknown mlx5 comp_mask bits", comp_mask = d.comp_mask));
            }
            if dv_has(MLX5DV_QP_INIT_ATTR_MASK_DC) && a.qp_type != IBV_QPT_DRIVER {
                return Err(refuse!(EINVAL, "DC attributes are for driver QPs", qp_type = a.qp_type));
            }
            if dv_has(MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS) {
                plan.take_create_flags(context, a.qp_type, d.create_flags)?;
            }
        }
        if a.qp_type == IBV_QPT_DRIVER {
            let Some(d) = dv else { return Err(refuse!(EINVAL, "driver QP without mlx5 attributes")) };
            plan.take_dc(context, a, d, dc_type)?;
            if let Way::Dct(_) = plan.way {
                return Ok(plan);
            }
        }
        if has(IBV_QP_INIT_ATTR_RX_HASH) {
            plan.way = Way::Rss;
            plan.flags &= !flag::SCATTER_CQE;
            return Ok(plan);
        }
        plan.take_ops(context, a, dv, dv_has(MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS))?;
        if env::get(c"MLX5_QP_SIGNATURE").is_some() {
            plan.flags |= flag::SIGNATURE;
        }
        Ok(plan)
    }

    fn take_create_flags(&mut self, context: &Context, qp_type: u32, given: u32) -> Result<()> {
        const KNOWN: u32 = MLX5DV_QP_CREATE_TUNNEL_OFFLOADS
            | MLX5DV_QP_CREATE_TIR_ALLOW_SELF_LOOPBACK_UC
            | MLX5DV_QP_CREATE_TIR_ALLOW_SELF_LOOPBACK_MC
            | MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE
            | MLX5DV_QP_CREATE_ALLOW_SCATTER_TO_CQE
            | MLX5DV_QP_CREATE_PACKET_BASED_CREDIT_MODE
            | MLX5DV_QP_CREATE_SIG_PIPELINING
            | MLX5DV_QP_CREATE_OOO_DP;
        let has = |bit: u32| given & bit != 0;
        if given & !KNOWN != 0 {
            return Err(refuse!(EINVAL, "unknown create_flags", create_flags = given));
        }
        for (bit, kernel) in [
            (MLX5DV_QP_CREATE_TUNNEL_OFFLOADS, flag::TUNNEL_OFFLOADS),
            (MLX5DV_QP_CREATE_TIR_ALLOW_SELF_LOOPBACK_UC, flag::TIR_ALLOW_SELF_LB_UC),
            (MLX5DV_QP_CREATE_TIR_ALLOW_SELF_LOOPBACK_MC, flag::TIR_ALLOW_SELF_LB_MC),
            (MLX5DV_QP_CREATE_PACKET_BASED_CREDIT_MODE, flag::PACKET_BASED_CREDIT_MODE),
        ] {
            if has(bit) {
                self.flags |= kernel;
            }
        }
        if has(MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE) {
            if has(MLX5DV_QP_CREATE_ALLOW_SCATTER_TO_CQE) {
                return Err(refuse!(EINVAL, "scatter to CQE both allowed and disabled"));
            }
            self.flags &= !flag::SCATTER_CQE;
        }
        if has(MLX5DV_QP_CREATE_ALLOW_SCATTER_TO_CQE) {
            self.flags |= flag::ALLOW_SCATTER_CQE | flag::SCATTER_CQE;
        }
        if has(MLX5DV_QP_CREATE_SIG_PIPELINING) {
            if context.info.comp_mask & comp_mask::SQD2RTS == 0 {
                return Err(refuse!(EOPNOTSUPP, "device without signature pipelining"));
            }
            self.sig_pipelining = true;
        }
        if has(MLX5DV_QP_CREATE_OOO_DP) {
            let caps = ooo_recv_wrs(context);
            let limit = match qp_type {
                IBV_QPT_DRIVER => caps.max_dct,
                IBV_QPT_RC => caps.max_rc,
                IBV_QPT_XRC_SEND | IBV_QPT_XRC_RECV => caps.max_xrc,
                IBV_QPT_UC => caps.max_uc,
                IBV_QPT_UD => caps.max_ud,
                _ => 0,
            };
            if context.device.flags & device_flags::OOO_DP == 0 || limit == 0 {
                return Err(refuse!(EOPNOTSUPP, "no out-of-order placement for the type", qp_type = qp_type));
            }
            self.ooo_dp = true;
        }
        Ok(())
    }

    fn take_dc(
        &mut self,
        context: &Context,
        a: &ibv_qp_init_attr_ex,
        d: &mlx5dv_qp_init_attr,
        dc_type: u32,
    ) -> Result<()> {
        self.dc_type = dc_type;
        match dc_type {
            MLX5DV_DCTYPE_DCI => {
                self.flags |= flag::TYPE_DCI;
                if d.comp_mask & u64::from(MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS) != 0 {
                    // SAFETY: the bit and the type say which member of the union is meant; any
                    // bytes are numbers.
                    let s = unsafe { d.dc_init_attr.u_dct_access_key.dci_streams };
                    let [concurrent, errored] = context.device.dci_streams;
                    if s.log_num_concurent > concurrent || s.log_num_errored > errored {
                        return Err(refuse!(EINVAL, "more DCI streams than the device has"));
                    }
                    self.flags |= flag::DCI_STREAM;
                    self.streams = [s.log_num_concurent, s.log_num_errored];
                }
                Ok(())
            }
            MLX5DV_DCTYPE_DCT => {
                const DV: u32 = MLX5DV_QP_INIT_ATTR_MASK_DC | MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS;
                if a.comp_mask & !IBV_QP_INIT_ATTR_PD != 0 {
                    return Err(refuse!(EINVAL, "a DCT takes no such attribute", comp_mask = a.comp_mask));
                }
                if d.comp_mask & !u64::from(DV) != 0 {
                    return Err(refuse!(EINVAL, "a DCT takes no such attribute", comp_mask = d.comp_mask));
                }
                if self.flags & !flag::SCATTER_CQE != 0 {
                    return Err(refuse!(EINVAL, "a DCT takes no such flag", flags = self.flags));
                }
                if context.device.flags & device_flags::SCAT2CQE_DCT == 0 {
                    self.flags &= !flag::SCATTER_CQE;
                }
                self.flags |= flag::TYPE_DCT;
                // SAFETY: the type says which member of the union is meant.
                self.way = Way::Dct(unsafe { d.dc_init_attr.u_dct_access_key.dct_access_key });
                Ok(())
            }
            _ => Err(refuse!(EINVAL, "driver QP is neither DCI nor DCT", dc_type = dc_type)),
        }
    }

    /// The operations of the extended interface.
    fn take_ops(
        &mut self,
        context: &Context,
        a: &ibv_qp_init_attr_ex,
        dv: Option<&mlx5dv_qp_init_attr>,
        dv_asked: bool,
    ) -> Result<()> {
        self.ops = WrOps {
            verbs: self.verbs_ops.unwrap_or(0),
            dv: dv.filter(|_| dv_asked).map_or(0, |d| d.send_ops_flags),
            asked: self.verbs_ops.is_some() || dv_asked,
        };
        if !self.ops.asked {
            return Ok(());
        }
        if self.dc_type != 0 {
            self.flags &= !flag::SCATTER_CQE;
        }
        if self.ops.dv & u64::from(MLX5DV_QP_EX_WITH_MEMCPY) != 0 {
            if a.comp_mask & IBV_QP_INIT_ATTR_PD == 0 {
                return Err(refuse!(EINVAL, "memcpy requests need a domain"));
            }
            if !context.caps.dma_mmo_sq && !context.caps.dma_mmo_qp {
                return Err(refuse!(EOPNOTSUPP, "device without memcpy requests"));
            }
            self.memcpy = true;
        }
        Ok(())
    }
}
