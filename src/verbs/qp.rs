//! Queue pairs: creation, modification, query, destruction.

use super::{buf::Buf, dbrec::DbrecSlot, pd::DomainRef, table::Registration};
use crate::{
    datapath::queue::Resource,
    provider::{Context, uar::Bfreg},
};
use core::{
    cell::{Cell, UnsafeCell},
    ptr::NonNull,
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
    /// DCT: access key and SRQ are in the kernel only.
    pub dci_streams: bool,
    /// ECE options that the next modify sends; 0 if none.
    pub set_ece: Cell<u32>,
    /// ECE options that the kernel answered last.
    pub get_ece: Cell<u32>,
}

/// Which numbers the kernel told at creation, and those.
#[derive(Clone, Copy, Debug, Default)]
pub struct Numbers {
    /// Bits 0..4: tirn, tisn, rqn, sqn, tir_icm_addr.
    pub comp_mask: u32,
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
    pub fn bfreg(&self) -> &Bfreg {
        // SAFETY: registers live as long as the context.
        unsafe { self.register.as_ref() }
    }
}

impl Drop for Register {
    fn drop(&mut self) {
        // SAFETY: contexts outlive their QPs.
        unsafe { &*self.context }.uars.give_back(self.register);
    }
}
