//! Which functions a QP gets (`spec`: datapath, section 10): chosen once by type, locking,
//! signature and the operations asked for.

use super::{
    builder::{self, kind},
    builder_dv, builder_ops as ops, builder_set as set, fast_send, mkey_conf, post_recv, post_send,
    qp::{Qp, WrOps},
    send_kind::{self, mode},
};
use crate::{
    abi::{
        dv::{consts::*, mlx5dv_qp_ex},
        verbs::{consts::*, ibv_qp_ex},
    },
    error::Result,
};
use prm::wqe::OCTOWORD;

/// Operations that reliable transports have.
const RC_OPS: u64 = (IBV_QP_EX_WITH_SEND
    | IBV_QP_EX_WITH_SEND_WITH_IMM
    | IBV_QP_EX_WITH_SEND_WITH_INV
    | IBV_QP_EX_WITH_RDMA_WRITE
    | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM
    | IBV_QP_EX_WITH_RDMA_READ
    | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP
    | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD
    | IBV_QP_EX_WITH_LOCAL_INV
    | IBV_QP_EX_WITH_BIND_MW) as u64;
const UC_OPS: u64 = (IBV_QP_EX_WITH_SEND
    | IBV_QP_EX_WITH_SEND_WITH_IMM
    | IBV_QP_EX_WITH_SEND_WITH_INV
    | IBV_QP_EX_WITH_RDMA_WRITE
    | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM
    | IBV_QP_EX_WITH_LOCAL_INV
    | IBV_QP_EX_WITH_BIND_MW) as u64;
const UD_OPS: u64 = (IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM) as u64;
const RAW_OPS: u64 = (IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_TSO) as u64;
const ATOMIC_OPS: u64 = (IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD) as u64;

/// `mlx5dv` operations by kind.
const RC_DV: u64 = (MLX5DV_QP_EX_WITH_MR_INTERLEAVED
    | MLX5DV_QP_EX_WITH_MR_LIST
    | MLX5DV_QP_EX_WITH_MKEY_CONFIGURE
    | MLX5DV_QP_EX_WITH_RAW_WQE
    | MLX5DV_QP_EX_WITH_MEMCPY) as u64;
const DCI_DV: u64 = (MLX5DV_QP_EX_WITH_RAW_WQE | MLX5DV_QP_EX_WITH_MEMCPY) as u64;
const RAW_WQE: u64 = MLX5DV_QP_EX_WITH_RAW_WQE as u64;

/// Kind of the QP's builders; None if it can have none.
fn builder_kind(qp: &Qp) -> Option<u8> {
    match qp.qp_type {
        IBV_QPT_DRIVER if qp.dc_type == MLX5DV_DCTYPE_DCI => Some(kind::DCI),
        t => match send_kind::kind_of(t, qp.underlay) {
            kind::OTHER | kind::UNDERLAY => None,
            k => Some(k),
        },
    }
}

impl Qp {
    /// Chooses the functions of the verbs operations and, if asked for, of the extended interface
    /// (`ibv_qp_ex`, `mlx5dv_qp_ex`). EOPNOTSUPP if an operation cannot be had. Called once,
    /// before the QP is known to anybody; members up to the queues' sizes are final.
    pub fn install(&self, asked: &WrOps) -> Result<()> {
        if self.sq.wqe_cnt != 0 {
            let m = match (self.sq.wq_sig, self.sq.lock.needed()) {
                (true, _) => mode::SIGNED,
                (false, true) => mode::LOCKED,
                (false, false) => mode::SINGLE,
            };
            let k = send_kind::kind_of(self.qp_type, self.underlay);
            // SAFETY: NULL or a register of the context's pool.
            let own = unsafe { self.bf.as_ref() }.is_some_and(|bf| !bf.need_lock);
            let fast = if own { fast_send::choose(k, m) } else { None };
            self.hot.post_send.set(fast.unwrap_or(post_send::choose(k, m)));
        }
        if self.rq.wqe_cnt != 0 {
            self.hot.post_recv.set(post_recv::choose(self));
        }
        self.set_spans();
        if asked.asked { self.install_builders(asked) } else { Ok(()) }
    }

    /// Which posts go out by BlueFlame.
    fn set_spans(&self) {
        // SAFETY: NULL or a register of the context's pool.
        let Some(bf) = (unsafe { self.bf.as_ref() }) else { return };
        let span = match bf.uuarn != 0 && !self.shut_up_bf {
            true => (bf.buf_size / OCTOWORD as u32).saturating_sub(1),
            false => 0,
        };
        self.hot.bf_span[0].set(if self.prefer_bf { span } else { 0 });
        self.hot.bf_span[1].set(span);
    }

    /// Kind of the builders that have all of `asked`. EOPNOTSUPP if there are none. Looks at type
    /// and capabilities only, so it can be asked before the queues are sized.
    pub fn check_ops(&self, asked: &WrOps) -> Result<u8> {
        let Some(k) = builder_kind(self) else {
            return Err(refuse!(EOPNOTSUPP, "QP type has no wr builders", qp_type = self.qp_type));
        };
        let (verbs, dv) = match k {
            kind::RC => (RC_OPS, RC_DV),
            kind::XRC => (RC_OPS, RAW_WQE),
            kind::DCI => (RC_OPS, DCI_DV),
            kind::UC => (UC_OPS, RAW_WQE),
            kind::UD => (UD_OPS, RAW_WQE),
            _ => (RAW_OPS, RAW_WQE),
        };
        if asked.verbs & !verbs != 0 {
            return Err(refuse!(EOPNOTSUPP, "operations the QP type has not", ops = asked.verbs & !verbs));
        }
        if asked.verbs & ATOMIC_OPS != 0 && !self.atomics_enabled {
            return Err(refuse!(EOPNOTSUPP, "device has no atomics", ops = asked.verbs));
        }
        if asked.dv & !dv != 0 {
            return Err(refuse!(EOPNOTSUPP, "mlx5dv operations the QP type has not", ops = asked.dv & !dv));
        }
        Ok(k)
    }

    fn install_builders(&self, asked: &WrOps) -> Result<()> {
        let k = self.check_ops(asked)?;
        // SAFETY: the QP is not known to anybody yet; the public part is initialised.
        let ex = unsafe { &mut *self.ibv_ex() };
        if self.sq.wq_sig {
            install_verbs::<true>(ex, k);
        } else {
            install_verbs::<false>(ex, k);
        }
        // SAFETY: as above.
        let dv_ex = unsafe { (*self.dv.get()).write(mlx5dv_qp_ex::default()) };
        if self.sq.wq_sig {
            install_dv::<true>(dv_ex, k, asked.dv);
        } else {
            install_dv::<false>(dv_ex, k, asked.dv);
        }
        ex.wr_start = Some(builder::choose_start(&self.sq));
        ex.wr_complete = Some(builder::complete_refused);
        ex.wr_abort = Some(builder::abort);
        Ok(())
    }

    /// The QP went to `state` (`IBV_QPS_*`), by whichever way: posting is open or closed from now
    /// on. Called with the new state after the device has it.
    pub fn state_changed(&self, state: u32) {
        use super::queue::POST_REFUSED;
        match state {
            IBV_QPS_RESET => {
                self.rq.sge_limit.set(POST_REFUSED);
                self.sq.sge_limit.set(POST_REFUSED);
                self.set_complete(builder::complete_refused);
            }
            IBV_QPS_INIT => self.rq.sge_limit.set(self.rq.max_gs as i32),
            IBV_QPS_RTS => {
                self.sq.sge_limit.set(self.sq.max_gs as i32);
                // SAFETY: NULL or a register of the context's pool.
                let own = unsafe { self.bf.as_ref() }.is_some_and(|bf| !bf.need_lock);
                self.set_complete(if own { builder::complete::<true> } else { builder::complete::<false> });
            }
            _ => {}
        }
    }

    /// Replaces the end of a batch, if the QP has builders.
    fn set_complete(&self, f: unsafe extern "C" fn(*mut ibv_qp_ex) -> core::ffi::c_int) {
        // SAFETY: the public part is initialised; whoever changes the QP's state does not post at
        // the same time, as the verbs manual asks.
        unsafe {
            let place = &raw mut (*self.ibv_ex()).wr_complete;
            if place.read().is_some() {
                place.write(Some(f));
            }
        }
    }
}

fn install_verbs<const SIGNED: bool>(ex: &mut ibv_qp_ex, k: u8) {
    match k {
        // Connected transports without an address differ in the operations only.
        kind::RC => {
            messages::<{ kind::RC }, SIGNED>(ex);
            connected::<{ kind::RC }, SIGNED>(ex);
            reads::<{ kind::RC }>(ex);
        }
        kind::UC => {
            messages::<{ kind::RC }, SIGNED>(ex);
            connected::<{ kind::RC }, SIGNED>(ex);
        }
        kind::XRC => {
            messages::<{ kind::XRC }, SIGNED>(ex);
            connected::<{ kind::XRC }, SIGNED>(ex);
            reads::<{ kind::XRC }>(ex);
            ex.wr_set_xrc_srqn = Some(set::set_xrc_srqn::<SIGNED>);
        }
        kind::DCI => {
            messages::<{ kind::DCI }, SIGNED>(ex);
            connected::<{ kind::DCI }, SIGNED>(ex);
            reads::<{ kind::DCI }>(ex);
        }
        kind::UD => {
            messages::<{ kind::UD }, SIGNED>(ex);
            ex.wr_set_ud_addr = Some(set::set_ud_addr::<SIGNED>);
        }
        _ => frames::<SIGNED>(ex),
    }
}

fn install_dv<const SIGNED: bool>(dv: &mut mlx5dv_qp_ex, k: u8, asked: u64) {
    if k == kind::DCI {
        dv.wr_set_dc_addr = Some(builder_dv::set_dc_addr::<SIGNED>);
        dv.wr_set_dc_addr_stream = Some(builder_dv::set_dc_addr_stream::<SIGNED>);
        dv.wr_memcpy = Some(builder_dv::memcpy::<SIGNED>);
    }
    if asked == 0 {
        return;
    }
    dv.wr_raw_wqe = Some(builder_dv::raw_wqe::<SIGNED>);
    if k == kind::RC {
        dv.wr_mr_interleaved = Some(mkey_conf::mr_interleaved::<SIGNED>);
        dv.wr_mr_list = Some(mkey_conf::mr_list::<SIGNED>);
        dv.wr_mkey_configure = Some(mkey_conf::configure::<SIGNED>);
        dv.wr_set_mkey_access_flags = Some(mkey_conf::set_access_flags::<SIGNED>);
        dv.wr_set_mkey_layout_list = Some(mkey_conf::set_layout_list::<SIGNED>);
        dv.wr_set_mkey_layout_interleaved = Some(mkey_conf::set_layout_interleaved::<SIGNED>);
        dv.wr_set_mkey_sig_block = Some(mkey_conf::set_sig_block::<SIGNED>);
        dv.wr_set_mkey_crypto = Some(mkey_conf::set_crypto::<SIGNED>);
        dv.wr_memcpy = Some(builder_dv::memcpy::<SIGNED>);
    }
}

/// Sends and data setters.
fn messages<const K: u8, const SIGNED: bool>(ex: &mut ibv_qp_ex) {
    ex.wr_send = Some(ops::send::<K>);
    ex.wr_send_imm = Some(ops::send_imm::<K>);
    ex.wr_set_sge = Some(set::set_sge::<K, SIGNED>);
    ex.wr_set_sge_list = Some(set::set_sge_list::<K, SIGNED>);
    ex.wr_set_inline_data = Some(set::set_inline_data::<K, SIGNED>);
    ex.wr_set_inline_data_list = Some(set::set_inline_data_list::<K, SIGNED>);
}

/// What connected transports have beside sends.
fn connected<const K: u8, const SIGNED: bool>(ex: &mut ibv_qp_ex) {
    ex.wr_send_inv = Some(ops::send_inv::<K>);
    ex.wr_rdma_write = Some(ops::rdma_write::<K>);
    ex.wr_rdma_write_imm = Some(ops::rdma_write_imm::<K>);
    ex.wr_bind_mw = Some(ops::bind_mw::<SIGNED>);
    ex.wr_local_inv = Some(ops::local_inv::<SIGNED>);
}

/// What reliable transports have beside that.
fn reads<const K: u8>(ex: &mut ibv_qp_ex) {
    ex.wr_rdma_read = Some(ops::rdma_read::<K>);
    ex.wr_atomic_cmp_swp = Some(ops::atomic_cmp_swp::<K>);
    ex.wr_atomic_fetch_add = Some(ops::atomic_fetch_add::<K>);
}

/// Ethernet.
fn frames<const SIGNED: bool>(ex: &mut ibv_qp_ex) {
    ex.wr_send = Some(ops::send_eth);
    ex.wr_send_tso = Some(ops::send_tso);
    ex.wr_set_sge = Some(set::set_sge_eth::<SIGNED>);
    ex.wr_set_sge_list = Some(set::set_sge_list_eth::<SIGNED>);
    ex.wr_set_inline_data = Some(set::set_inline_data_eth::<SIGNED>);
    ex.wr_set_inline_data_list = Some(set::set_inline_data_list_eth::<SIGNED>);
}
