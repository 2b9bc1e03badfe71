//! The objects of one open file: handles, what they stand for, and who uses whom.

use nix::errno::Errno;
use std::collections::{BTreeMap, BTreeSet};

/// Object type that stands for "any type" in an attribute's declaration.
pub const ANY_OBJECT: u16 = 0xffff;

/// Object types (`ib_user_ioctl_cmds.h`, `mlx5_user_ioctl_cmds.h`).
#[allow(missing_docs)]
pub mod types {
    pub const DEVICE: u16 = 0;
    pub const PD: u16 = 1;
    pub const COMP_CHANNEL: u16 = 2;
    pub const CQ: u16 = 3;
    pub const QP: u16 = 4;
    pub const SRQ: u16 = 5;
    pub const AH: u16 = 6;
    pub const MR: u16 = 7;
    pub const MW: u16 = 8;
    pub const FLOW: u16 = 9;
    pub const XRCD: u16 = 10;
    pub const RWQ_IND_TBL: u16 = 11;
    pub const WQ: u16 = 12;
    pub const FLOW_ACTION: u16 = 13;
    pub const DM: u16 = 14;
    pub const COUNTERS: u16 = 15;
    pub const ASYNC_EVENT: u16 = 16;
    pub const DMAH: u16 = 17;
    pub const DMABUF: u16 = 18;
    pub const DEVX: u16 = 0x1000;
    pub const DEVX_OBJ: u16 = 0x1001;
    pub const DEVX_UMEM: u16 = 0x1002;
    pub const FLOW_MATCHER: u16 = 0x1003;
    pub const DEVX_ASYNC_CMD_FD: u16 = 0x1004;
    pub const DEVX_ASYNC_EVENT_FD: u16 = 0x1005;
    pub const VAR: u16 = 0x1006;
    pub const PP: u16 = 0x1007;
    pub const UAR: u16 = 0x1008;
    pub const STEERING_ANCHOR: u16 = 0x1009;
}

/// What a handle stands for. The data is what its family's handlers keep.
#[derive(Debug)]
pub enum Object {
    /// Protection domain.
    Pd(super::handlers::pd::Pd),
    /// Memory region.
    Mr(super::handlers::mr::Mr),
    /// Memory window.
    Mw(super::handlers::mr::Mw),
    /// Completion queue.
    Cq(super::handlers::cq::Cq),
    /// Queue pair.
    Qp(super::handlers::qp::Qp),
    /// Shared receive queue.
    Srq(super::handlers::srq::Srq),
    /// Address handle.
    Ah,
    /// XRC domain.
    Xrcd(super::handlers::srq::Xrcd),
    /// Receive work queue.
    Wq(super::handlers::wq::Wq),
    /// Indirection table of receive work queues.
    IndTable(super::handlers::wq::IndTable),
    /// Device memory.
    Dm(super::handlers::dm::Dm),
    /// Flow counters.
    Counters(super::handlers::flow::Counters),
    /// Flow matcher.
    Matcher(super::handlers::flow::Matcher),
    /// Flow rule.
    Flow(super::handlers::flow::Flow),
    /// Flow action.
    FlowAction(super::handlers::flow::FlowAction),
    /// Steering anchor.
    Anchor(super::handlers::flow::Anchor),
    /// DEVX object.
    Devx(super::handlers::devx_obj::DevxObj),
    /// DEVX user memory.
    Umem(super::handlers::umem::Umem),
    /// User access region.
    Uar(super::handlers::uar::Uar),
    /// Virtio doorbell region.
    Var(super::handlers::uar::Var),
    /// Packet pacing entry.
    Pp(super::handlers::uar::Pp),
}

impl Object {
    /// Its type number.
    pub fn type_id(&self) -> u16 {
        use types::*;
        match self {
            Object::Pd(_) => PD,
            Object::Mr(_) => MR,
            Object::Mw(_) => MW,
            Object::Cq(_) => CQ,
            Object::Qp(_) => QP,
            Object::Srq(_) => SRQ,
            Object::Ah => AH,
            Object::Xrcd(_) => XRCD,
            Object::Wq(_) => WQ,
            Object::IndTable(_) => RWQ_IND_TBL,
            Object::Dm(_) => DM,
            Object::Counters(_) => COUNTERS,
            Object::Matcher(_) => FLOW_MATCHER,
            Object::Flow(_) => FLOW,
            Object::FlowAction(_) => FLOW_ACTION,
            Object::Anchor(_) => STEERING_ANCHOR,
            Object::Devx(_) => DEVX_OBJ,
            Object::Umem(_) => DEVX_UMEM,
            Object::Uar(_) => UAR,
            Object::Var(_) => VAR,
            Object::Pp(_) => PP,
        }
    }
}

/// One live handle.
#[derive(Debug)]
pub struct Entry {
    /// What it stands for.
    pub object: Object,
    /// Handles it uses.
    pub uses: Vec<u32>,
    /// How many others use it; it cannot be destroyed while this is not zero.
    pub users: u32,
    /// Order of creation.
    serial: u64,
}

/// The handles of one open file. All types share one space; the lowest free number is
/// handed out first.
#[derive(Debug, Default)]
pub struct Handles {
    live: BTreeMap<u32, Entry>,
    reserved: BTreeSet<u32>,
    free: BTreeSet<u32>,
    top: u32,
    serial: u64,
}

impl Handles {
    /// Take a handle for an object that is being made. It cannot be looked up yet.
    pub fn reserve(&mut self) -> u32 {
        let handle = self.free.pop_first().unwrap_or_else(|| {
            self.top += 1;
            self.top - 1
        });
        self.reserved.insert(handle);
        handle
    }

    /// Give a reserved handle back.
    pub fn release(&mut self, handle: u32) {
        if self.reserved.remove(&handle) {
            self.free.insert(handle);
        }
    }

    /// Make a reserved handle live. Each handle in `uses` is held by it from now on.
    pub fn commit(&mut self, handle: u32, object: Object, uses: Vec<u32>) {
        self.reserved.remove(&handle);
        for used in &uses {
            if let Some(entry) = self.live.get_mut(used) {
                entry.users += 1;
            }
        }
        self.serial += 1;
        self.live.insert(handle, Entry { object, uses, users: 0, serial: self.serial });
    }

    /// The entry of a handle: EINVAL for a number that cannot be one or an object of
    /// another type, ENOENT if nothing has it.
    pub fn lookup(&self, handle: i64, object_type: u16) -> Result<&Entry, Errno> {
        if handle < 0 {
            return Err(Errno::EINVAL);
        }
        let entry = u32::try_from(handle).ok().and_then(|h| self.live.get(&h)).ok_or(Errno::ENOENT)?;
        if object_type != ANY_OBJECT && entry.object.type_id() != object_type {
            return Err(Errno::EINVAL);
        }
        Ok(entry)
    }

    /// The object of a handle.
    pub fn get(&self, handle: u32) -> Option<&Object> {
        self.live.get(&handle).map(|e| &e.object)
    }

    /// The object of a handle, to change.
    pub fn get_mut(&mut self, handle: u32) -> Option<&mut Object> {
        self.live.get_mut(&handle).map(|e| &mut e.object)
    }

    /// Hold another object, until the holder is destroyed.
    pub fn hold(&mut self, holder: u32, used: u32) {
        if let Some(entry) = self.live.get_mut(&used) {
            entry.users += 1;
            if let Some(holder) = self.live.get_mut(&holder) {
                holder.uses.push(used);
            }
        }
    }

    /// Let go of one hold that `holder` has on `used`.
    pub fn let_go(&mut self, holder: u32, used: u32) {
        let held = self.live.get_mut(&holder).and_then(|e| {
            let at = e.uses.iter().position(|u| *u == used)?;
            Some(e.uses.remove(at))
        });
        if let Some(entry) = held.and_then(|u| self.live.get_mut(&u)) {
            entry.users = entry.users.saturating_sub(1);
        }
    }

    /// Number of others that use the handle's object.
    pub fn users(&self, handle: u32) -> u32 {
        self.live.get(&handle).map_or(0, |e| e.users)
    }

    /// Take an object out, let go of what it used, and free its handle.
    pub fn remove(&mut self, handle: u32) -> Option<Object> {
        let entry = self.live.remove(&handle)?;
        for used in &entry.uses {
            if let Some(held) = self.live.get_mut(used) {
                held.users = held.users.saturating_sub(1);
            }
        }
        self.free.insert(handle);
        Some(entry.object)
    }

    /// All live handles with their objects, by handle.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Object)> {
        self.live.iter().map(|(h, e)| (*h, &e.object))
    }

    /// All live handles with their objects, to change.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (u32, &mut Object)> {
        self.live.iter_mut().map(|(h, e)| (*h, &mut e.object))
    }

    /// Live handles, newest first: the order of cleaning up.
    pub fn newest_first(&self) -> Vec<u32> {
        let mut all: Vec<(u64, u32)> = self.live.iter().map(|(h, e)| (e.serial, *h)).collect();
        all.sort_unstable_by(|a, b| b.cmp(a));
        all.into_iter().map(|(_, h)| h).collect()
    }

    /// Number of live handles.
    pub fn len(&self) -> usize {
        self.live.len()
    }

    /// Whether nothing is live.
    pub fn is_empty(&self) -> bool {
        self.live.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make(h: &mut Handles, uses: Vec<u32>) -> u32 {
        let handle = h.reserve();
        h.commit(handle, Object::Ah, uses);
        handle
    }

    #[test]
    fn the_lowest_free_handle_comes_first() {
        let mut h = Handles::default();
        assert_eq!([make(&mut h, vec![]), make(&mut h, vec![]), make(&mut h, vec![])], [0, 1, 2]);
        h.remove(1);
        h.remove(0);
        assert_eq!(make(&mut h, vec![]), 0);
        let reserved = h.reserve();
        assert_eq!(reserved, 1);
        assert_eq!(h.lookup(1, ANY_OBJECT).err(), Some(Errno::ENOENT), "not there before it is made");
        h.release(reserved);
        assert_eq!(make(&mut h, vec![]), 1);
    }

    #[test]
    fn lookups_tell_wrong_type_from_missing() {
        let mut h = Handles::default();
        let a = make(&mut h, vec![]) as i64;
        assert!(h.lookup(a, types::AH).is_ok());
        assert!(h.lookup(a, ANY_OBJECT).is_ok());
        assert_eq!(h.lookup(a, types::PD).err(), Some(Errno::EINVAL));
        assert_eq!(h.lookup(-1, types::AH).err(), Some(Errno::EINVAL));
        assert_eq!(h.lookup(1 << 40, types::AH).err(), Some(Errno::ENOENT));
    }

    #[test]
    fn users_are_counted() {
        let mut h = Handles::default();
        let a = make(&mut h, vec![]);
        let b = make(&mut h, vec![a]);
        h.hold(b, a);
        assert_eq!(h.users(a), 2);
        h.let_go(b, a);
        assert_eq!(h.users(a), 1);
        assert_eq!(h.newest_first(), [b, a]);
        h.remove(b);
        assert_eq!(h.users(a), 0);
    }
}
