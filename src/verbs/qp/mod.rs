//! Queue pairs: creation, modification, query, destruction.

pub mod create;
pub mod destroy;
mod flags;
pub mod in_order;
mod kernel;
pub mod modify;
pub mod open;
pub mod query;
mod rss;
pub mod size;

use super::{buf::Buf, dbrec::DbrecSlot, pd::DomainRef, table::Registration};
use crate::{
    datapath::{
        qp::{Builder, Hot, Qp},
        queue::{RecvQueue, Resource, ResourceKind, SendQueue},
    },
    provider::{Context, layout::MAX_VERBS_QP, uar::Bfreg},
};
use core::{
    cell::{Cell, UnsafeCell},
    mem::MaybeUninit,
    ptr::{self, NonNull},
};

/// What a QP owns beside its public part, and notes for modify. Dropped in this order.
#[derive(Default)]
pub struct Ownership {
    /// Place in the context's table.
    pub registration: UnsafeCell<Option<Registration<Resource>>>,
    /// BlueFlame register.
    pub register: Option<Register>,
    pub dbrec: DbrecSlot,
    /// Ring of both queues; of the receive queue alone if `sq_buf` is set.
    pub buf: Option<Buf>,
    /// Ring of the send queue of raw packet and underlay QPs.
    pub sq_buf: Option<Buf>,
    /// Parent domain that the QP was made on.
    pub domain: Option<DomainRef>,
    /// Numbers behind the QP that the kernel told: `mlx5dv_init_obj`.
    pub numbers: Numbers,
    /// `MLX5DV_QP_CREATE_SIG_PIPELINING`: applied at INIT.
    pub sig_pipelining: bool,
    /// `MLX5DV_QP_CREATE_OOO_DP`.
    pub ooo_dp: bool,
    /// DMA MMO must be enabled at INIT.
    pub mmo: bool,
    /// ECE options that the next modify sends; 0 if none.
    pub set_ece: Cell<u32>,
    /// ECE options that the kernel answered last.
    pub get_ece: Cell<u32>,
}

/// Numbers that the kernel told at creation; 0 where it did not.
#[derive(Clone, Copy, Debug, Default)]
pub struct Numbers {
    pub tirn: u32,
    pub tisn: u32,
    pub rqn: u32,
    pub sqn: u32,
    pub tir_icm_addr: u64,
}

/// A register of the context's pool. Given back when dropped.
pub struct Register {
    context: *const Context,
    register: NonNull<Bfreg>,
}

impl Register {
    /// Takes the register for a QP without a thread domain. None if none can be had.
    pub fn take(context: &Context) -> Option<Register> {
        context.uars.take_for_qp().map(|register| Register { context, register })
    }

    /// The register.
    pub fn bfreg(&self) -> *const Bfreg {
        self.register.as_ptr()
    }
}

impl Drop for Register {
    fn drop(&mut self) {
        // SAFETY: contexts outlive their QPs.
        unsafe { &*self.context }.uars.give_back(self.register);
    }
}

/// A QP without queues, register and table entry: what RSS QPs and opened ones stay, and what the
/// others start from.
fn bare(context: &Context, qp_type: u32) -> Qp {
    Qp {
        verbs: UnsafeCell::new([0; MAX_VERBS_QP / 8]),
        dv: UnsafeCell::new(MaybeUninit::zeroed()),
        hot: Hot::default(),
        resource: Resource::new(ResourceKind::Qp),
        qp_type,
        dc_type: 0,
        qp_num: Cell::new(0),
        bf: ptr::null(),
        prefer_bf: context.prefer_bf && !context.shut_up_bf,
        shut_up_bf: context.shut_up_bf,
        underlay: false,
        rss: false,
        atomics_enabled: context.device.atomic_cap != 0,
        eth_min_inline: context.info.eth_min_inline,
        tx_csum: Cell::new(false),
        rx_csum: Cell::new(false),
        sq: SendQueue::none(),
        rq: RecvQueue::none(),
        dbrec: ptr::null(),
        wr: Builder::default(),
        opaque: (0, 0),
        own: Ownership::default(),
        context,
    }
}
