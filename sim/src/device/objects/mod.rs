//! The object tables: what exists, who owns it, and who uses it.
//!
//! An object is known by its kind and its number. The kind is the opcode of the command
//! that makes it (see [`kind`]); a general object's kind is [`general`] of its type. Every
//! object keeps its creating command, updated by modify commands, which is what queries
//! answer from and what the data path reads contexts from.
//!
//! Ownership is the user context (`uid`) of the creating command. Commands of user 0, the
//! privileged one, may name every object. Commands of another user may modify, query and
//! destroy their own objects only, and refer to their own, to those of user 0 and to shared
//! ones ([`SHARED_UID`]).
//!
//! An object that refers to others counts as their user; an object in use is not destroyed.

mod buffer;

pub(super) use buffer::Place;

use super::command::{Check, Refusal, refuse};
use prm::{opcode, status};
use std::collections::{BTreeMap, BTreeSet};

/// Owner of objects that every user may refer to.
pub(super) const SHARED_UID: u16 = 0xffff;

/// Kinds of objects, as the opcodes that make them.
pub(super) mod kind {
    use super::opcode;

    pub const UCTX: u16 = opcode::CREATE_UCTX;
    pub const UAR: u16 = opcode::ALLOC_UAR;
    pub const PD: u16 = opcode::ALLOC_PD;
    pub const TD: u16 = opcode::ALLOC_TRANSPORT_DOMAIN;
    pub const XRCD: u16 = opcode::ALLOC_XRCD;
    pub const UMEM: u16 = opcode::CREATE_UMEM;
    pub const MKEY: u16 = opcode::CREATE_MKEY;
    pub const PSV: u16 = opcode::CREATE_PSV;
    pub const MEMIC: u16 = opcode::ALLOC_MEMIC;
    pub const EQ: u16 = opcode::CREATE_EQ;
    pub const CQ: u16 = opcode::CREATE_CQ;
    pub const QP: u16 = opcode::CREATE_QP;
    pub const DCT: u16 = opcode::CREATE_DCT;
    pub const SRQ: u16 = opcode::CREATE_SRQ;
    pub const XRC_SRQ: u16 = opcode::CREATE_XRC_SRQ;
    pub const RMP: u16 = opcode::CREATE_RMP;
    pub const XRQ: u16 = opcode::CREATE_XRQ;
    pub const SQ: u16 = opcode::CREATE_SQ;
    pub const RQ: u16 = opcode::CREATE_RQ;
    pub const TIR: u16 = opcode::CREATE_TIR;
    pub const TIS: u16 = opcode::CREATE_TIS;
    pub const RQT: u16 = opcode::CREATE_RQT;
    pub const Q_COUNTER: u16 = opcode::ALLOC_Q_COUNTER;
    pub const FLOW_TABLE: u16 = opcode::CREATE_FLOW_TABLE;
    pub const FLOW_GROUP: u16 = opcode::CREATE_FLOW_GROUP;
    pub const FLOW_COUNTER: u16 = opcode::ALLOC_FLOW_COUNTER;
    pub const REFORMAT: u16 = opcode::ALLOC_PACKET_REFORMAT_CONTEXT;
    pub const MODIFY_HEADER: u16 = opcode::ALLOC_MODIFY_HEADER_CONTEXT;
    pub const SCHEDULING: u16 = opcode::CREATE_SCHEDULING_ELEMENT;
    pub const RATE_LIMIT: u16 = opcode::SET_PP_RATE_LIMIT;
}

/// The kind of general objects of a type.
pub(super) const fn general(object_type: u16) -> u16 {
    0x8000 | object_type
}

/// Which kinds draw their numbers from one space: queue pairs with send and receive queues
/// and connected targets; all kinds of shared receive queues; both kinds of scheduling
/// elements.
const fn space(kind: u16) -> u16 {
    match kind {
        kind::SQ | kind::RQ | kind::DCT => kind::QP,
        kind::XRC_SRQ | kind::RMP | kind::XRQ => kind::SRQ,
        k if k == general(prm::object::RESERVED_QPN) => kind::QP,
        k if k == general(prm::object::SCHEDULING_ELEMENT) => kind::SCHEDULING,
        k => k,
    }
}

/// Kind and number of an object.
pub(super) type Key = (u16, u32);

/// One object.
pub(super) struct Obj {
    /// The command that made it; modify commands keep its context current.
    pub input: Vec<u8>,
    /// The user that owns it.
    pub uid: u16,
    /// How many objects refer to it.
    pub users: u32,
    /// What it refers to, once per reference.
    pub uses: Vec<Key>,
    /// How many consecutive numbers it covers.
    pub count: u32,
}

/// Every object of the chip.
#[derive(Default)]
pub(super) struct Objects {
    map: BTreeMap<Key, Obj>,
    taken: BTreeMap<u16, BTreeSet<u32>>,
    last: BTreeMap<u16, u32>,
}

impl Objects {
    /// The object, whoever owns it.
    pub fn get(&self, key: &Key) -> Option<&Obj> {
        self.map.get(key)
    }

    /// The object, to change its context.
    pub fn get_mut(&mut self, key: &Key) -> Option<&mut Obj> {
        self.map.get_mut(key)
    }

    /// Whether the object exists.
    pub fn contains(&self, key: &Key) -> bool {
        self.map.contains_key(key)
    }

    /// Keys of all objects of a kind.
    pub fn of_kind(&self, kind: u16) -> impl Iterator<Item = (&Key, &Obj)> {
        self.map.range((kind, 0)..=(kind, u32::MAX))
    }

    /// The object of a kind whose numbers cover `n`.
    pub fn covering(&self, kind: u16, n: u32) -> Option<Key> {
        let (key, o) = self.map.range((kind, 0)..=(kind, n)).next_back()?;
        (n - key.1 < o.count).then_some(*key)
    }

    /// Keys of all objects of a user.
    pub fn of_uid(&self, uid: u16) -> impl Iterator<Item = Key> + '_ {
        self.map.iter().filter(move |(k, o)| o.uid == uid && k.0 != kind::UCTX).map(|(k, _)| *k)
    }

    /// The object, if user `uid` may modify, query or destroy it.
    pub fn owned(&self, key: Key, uid: u16) -> Result<&Obj, Refusal> {
        match self.map.get(&key) {
            None => refuse(status::BAD_RES, Check::Handle),
            Some(o) if uid != 0 && o.uid != uid => refuse(status::BAD_RES, Check::Owner),
            Some(o) => Ok(o),
        }
    }

    /// The object to change, if user `uid` may modify it.
    pub fn owned_mut(&mut self, key: Key, uid: u16) -> Result<&mut Obj, Refusal> {
        self.owned(key, uid)?;
        match self.map.get_mut(&key) {
            Some(o) => Ok(o),
            None => refuse(status::BAD_RES, Check::Handle),
        }
    }

    /// Whether an object of user `uid` may refer to the object; `check` names the reference.
    pub fn usable(&self, key: Key, uid: u16, check: Check) -> Result<&Obj, Refusal> {
        match self.map.get(&key) {
            Some(o) if uid == 0 || uid == SHARED_UID || matches!(o.uid, 0 | SHARED_UID) || o.uid == uid => {
                Ok(o)
            }
            _ => refuse(status::BAD_RES, check),
        }
    }

    /// A free number of the kind within `range`: the next one after the last given out, so
    /// that a stale number is not taken for a new object's.
    pub fn number(&mut self, kind: u16, range: std::ops::Range<u32>) -> Result<u32, Refusal> {
        self.numbers(kind, range, 1)
    }

    /// The first of `count` free consecutive numbers, aligned to `count` (a power of two).
    pub fn numbers(&mut self, kind: u16, range: std::ops::Range<u32>, count: u32) -> Result<u32, Refusal> {
        let space = space(kind);
        let taken = self.taken.entry(space).or_default();
        let start = self.last.get(&space).map_or(range.start, |n| n.saturating_add(1)).max(range.start);
        let fits = |n: u32| {
            n.checked_add(count).is_some_and(|end| end <= range.end)
                && taken.range(n..n + count).next().is_none()
        };
        let step = count.max(1);
        let aligned = |n: u32| n.div_ceil(step).saturating_mul(step);
        let mut n = aligned(start);
        let mut wrapped = false;
        loop {
            if n.checked_add(count).is_none_or(|end| end > range.end) {
                if wrapped {
                    return refuse(status::NO_RESOURCES, Check::Exhausted);
                }
                wrapped = true;
                n = aligned(range.start);
                continue;
            }
            if fits(n) {
                self.last.insert(space, n + count - 1);
                return Ok(n);
            }
            n += step;
        }
    }

    /// Enter a new object that refers to `uses`.
    pub fn insert(&mut self, key: Key, uid: u16, input: &[u8], uses: Vec<Key>) {
        self.insert_range(key, uid, input, uses, 1);
    }

    /// Enter a new object that covers `count` numbers.
    pub fn insert_range(&mut self, key: Key, uid: u16, input: &[u8], uses: Vec<Key>, count: u32) {
        for used in &uses {
            if let Some(o) = self.map.get_mut(used) {
                o.users += 1;
            }
        }
        self.taken.entry(space(key.0)).or_default().extend(key.1..key.1 + count);
        self.map.insert(key, Obj { input: input.to_vec(), uid, users: 0, uses, count });
    }

    /// Replace what an object refers to.
    pub fn relink(&mut self, key: Key, uses: Vec<Key>) {
        for used in &uses {
            if let Some(o) = self.map.get_mut(used) {
                o.users += 1;
            }
        }
        let old = match self.map.get_mut(&key) {
            Some(o) => std::mem::replace(&mut o.uses, uses),
            None => uses,
        };
        self.release(&old);
    }

    /// Take an object out, if user `uid` owns it and nothing refers to it.
    pub fn remove(&mut self, key: Key, uid: u16) -> Result<Obj, Refusal> {
        if self.owned(key, uid)?.users > 0 {
            return refuse(status::RES_BUSY, Check::InUse);
        }
        let Some(o) = self.map.remove(&key) else {
            return refuse(status::BAD_RES, Check::Handle);
        };
        if let Some(taken) = self.taken.get_mut(&space(key.0)) {
            for n in key.1..key.1 + o.count {
                taken.remove(&n);
            }
        }
        self.release(&o.uses);
        Ok(o)
    }

    fn release(&mut self, uses: &[Key]) {
        for used in uses {
            if let Some(o) = self.map.get_mut(used) {
                o.users = o.users.saturating_sub(1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(r: Result<impl Sized, Refusal>) -> u8 {
        r.err().map_or(status::OK, |e| e.status)
    }

    #[test]
    fn an_object_in_use_stays() {
        let mut t = Objects::default();
        t.insert((kind::PD, 1), 5, &[], vec![]);
        t.insert((kind::QP, 7), 5, &[], vec![(kind::PD, 1), (kind::PD, 1)]);
        assert_eq!(status(t.remove((kind::PD, 1), 5)), status::RES_BUSY);
        t.relink((kind::QP, 7), vec![(kind::PD, 1)]);
        assert_eq!(status(t.remove((kind::PD, 1), 5)), status::RES_BUSY);
        assert!(t.remove((kind::QP, 7), 5).is_ok());
        assert!(t.remove((kind::PD, 1), 5).is_ok());
        assert_eq!(status(t.remove((kind::PD, 1), 5)), status::BAD_RES);
    }

    #[test]
    fn users_see_their_own_and_the_shared() {
        let mut t = Objects::default();
        t.insert((kind::PD, 1), 5, &[], vec![]);
        t.insert((kind::PD, 2), 0, &[], vec![]);
        t.insert((kind::PD, 3), SHARED_UID, &[], vec![]);
        assert!(t.owned((kind::PD, 1), 0).is_ok());
        assert_eq!(status(t.owned((kind::PD, 1), 6)), status::BAD_RES);
        assert_eq!(status(t.owned((kind::PD, 2), 5)), status::BAD_RES);
        assert!(t.usable((kind::PD, 2), 5, Check::Pd).is_ok());
        assert!(t.usable((kind::PD, 3), 5, Check::Pd).is_ok());
        assert_eq!(status(t.usable((kind::PD, 1), 6, Check::Pd)), status::BAD_RES);
        assert_eq!(t.of_uid(5).collect::<Vec<_>>(), [(kind::PD, 1)]);
    }

    #[test]
    fn numbers_are_reused_late_and_spaces_are_shared() {
        let mut t = Objects::default();
        let mut make = |k: u16| {
            let n = t.number(k, 4..8)?;
            t.insert((k, n), 0, &[], vec![]);
            Ok::<u32, Refusal>(n)
        };
        assert_eq!(make(kind::QP).ok(), Some(4));
        assert_eq!(make(kind::SQ).ok(), Some(5));
        assert_eq!(make(kind::RQ).ok(), Some(6));
        assert!(t.remove((kind::QP, 4), 0).is_ok());
        let mut make = |k: u16| {
            let n = t.number(k, 4..8)?;
            t.insert((k, n), 0, &[], vec![]);
            Ok::<u32, Refusal>(n)
        };
        assert_eq!(make(kind::QP).ok(), Some(7));
        assert_eq!(make(kind::QP).ok(), Some(4));
        assert_eq!(status(make(kind::QP)), status::NO_RESOURCES);
        let mut t = Objects::default();
        assert_eq!(t.numbers(kind::QP, 3..64, 8).ok(), Some(8));
        assert_eq!(status(t.numbers(kind::QP, 57..64, 8)), status::NO_RESOURCES);
    }
}
