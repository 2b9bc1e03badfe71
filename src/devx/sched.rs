//! Scheduling elements: a tree of nodes and leaves that share the port's bandwidth.

use super::{
    command::{Mailboxes, checked},
    object::Object,
    qp_knobs::QpRef,
};
use crate::{
    abi::{
        dv::{consts::*, mlx5dv_sched_attr, mlx5dv_sched_leaf, mlx5dv_sched_node},
        verbs::consts::*,
    },
    error::{Refusal, Result},
    handle::{self, Room},
    provider::Context,
};
use prm::{
    CreateSchedElemIn, Field, GeneralObjInCmdHdr, GeneralObjOutCmdHdr, Init2initQpIn, Init2initQpOut,
    ModifySqIn, ModifySqOut, QpcExt, Rts2rtsQpIn, SchedContext, SchedElem, SchedElemAttrTsar, Sqc,
    object as general, opcode,
};

/// `sched_elem.scheduling_hierarchy`: the NIC's own.
const HIERARCHY_NIC: u64 = 3;
/// Bits of `qos.nic_element_type`.
const CAN_TSAR: u16 = 1;
const CAN_QUEUE_GROUP: u16 = 0x10;
/// Bit of `qos.nic_tsar_type`: deficit weighted round robin.
const CAN_DWRR: u16 = 1;
const TSAR_DWRR: u64 = 0;
/// `sq_state`, `sqc.state`: ready.
const SQ_RDY: u64 = 1;
/// `modify_sq_in.modify_bitmask`: queue group.
const MODIFY_QUEUE_GROUP: u64 = 4;
/// `opt_param_mask_95_32`: queue groups of requester and responder.
const OPT_QUEUE_GROUPS: u64 = 1 << 1;

/// What an element does; the numbers are `sched_context.element_type`.
#[derive(Clone, Copy, PartialEq)]
enum Element {
    /// Arbitrates between its children: a node.
    Tsar = 0,
    /// Queues hang on it: a leaf.
    QueueGroup = 4,
}

/// A node or a leaf.
#[repr(transparent)]
pub struct Scheduler(Object);

impl Scheduler {
    /// The node behind C's pointer. None for NULL.
    ///
    /// # Safety
    /// `p` is NULL or a live node.
    pub unsafe fn node<'a>(p: *mut mlx5dv_sched_node) -> Option<&'a Scheduler> {
        // SAFETY: the promise above.
        unsafe { p.cast::<Scheduler>().as_ref() }
    }

    /// The leaf behind C's pointer. None for NULL.
    ///
    /// # Safety
    /// `p` is NULL or a live leaf.
    pub unsafe fn leaf<'a>(p: *const mlx5dv_sched_leaf) -> Option<&'a Scheduler> {
        // SAFETY: the promise above.
        unsafe { p.cast::<Scheduler>().as_ref() }
    }

    /// The device's number.
    fn id(&self) -> u32 {
        self.0.info.object_id
    }
}

/// What the application wants of an element, checked.
#[derive(Clone, Copy)]
pub struct Wish<'a> {
    parent: Option<&'a Scheduler>,
    flags: u32,
    bw_share: u32,
    max_avg_bw: u32,
}

impl<'a> Wish<'a> {
    /// EINVAL for attributes that are NULL, have unknown bits, or are a root's with limits.
    ///
    /// # Safety
    /// `attr` is NULL or valid; its parent is NULL or a live node.
    unsafe fn from_c(attr: *const mlx5dv_sched_attr) -> Result<Wish<'a>> {
        const KNOWN: u32 = MLX5DV_SCHED_ELEM_ATTR_FLAGS_BW_SHARE | MLX5DV_SCHED_ELEM_ATTR_FLAGS_MAX_AVG_BW;
        // SAFETY: the promise above.
        let a = unsafe { attr.as_ref() }.ok_or(refuse!(EINVAL, "attributes are NULL"))?;
        if a.comp_mask != 0 {
            return Err(refuse!(EINVAL, "unknown comp_mask bits", comp_mask = a.comp_mask));
        }
        if a.flags & !KNOWN != 0 {
            return Err(refuse!(EINVAL, "unknown flags", flags = a.flags));
        }
        // SAFETY: the promise above.
        let parent = unsafe { Scheduler::node(a.parent) };
        if parent.is_none() && a.flags != 0 {
            return Err(refuse!(EINVAL, "limits without a parent", flags = a.flags));
        }
        Ok(Wish { parent, flags: a.flags, bw_share: a.bw_share, max_avg_bw: a.max_avg_bw })
    }

    /// As [`Self::from_c`] for a leaf, which must have a parent.
    ///
    /// # Safety
    /// As there.
    unsafe fn leaf_from_c(attr: *const mlx5dv_sched_attr) -> Result<Wish<'a>> {
        // SAFETY: the promise above.
        let wish = unsafe { Wish::from_c(attr)? };
        if wish.parent.is_none() {
            return Err(refuse!(EINVAL, "leaf without a parent"));
        }
        Ok(wish)
    }

    fn share(&self) -> bool {
        self.flags & MLX5DV_SCHED_ELEM_ATTR_FLAGS_BW_SHARE != 0
    }

    fn rate(&self) -> bool {
        self.flags & MLX5DV_SCHED_ELEM_ATTR_FLAGS_MAX_AVG_BW != 0
    }

    /// EOPNOTSUPP if the device cannot limit in this way.
    fn check_limits(&self, context: &Context) -> Result<()> {
        let qos = &context.caps.qos;
        if self.share() && !qos.nic_bw_share {
            return Err(refuse!(EOPNOTSUPP, "device has no bandwidth shares", flags = self.flags));
        }
        if self.rate() && !qos.nic_rate_limit {
            return Err(refuse!(EOPNOTSUPP, "device has no rate limits", flags = self.flags));
        }
        Ok(())
    }

    /// The command that creates or modifies such an element.
    fn command(&self, op: u16, element: Element) -> [u8; CreateSchedElemIn::SIZE] {
        const ELEMENT: Field = CreateSchedElemIn::SCHED_ELEM;
        const CONTEXT: Field = SchedElem::SCHED_CONTEXT.within(ELEMENT);
        const TSAR: Field = SchedContext::SCHED_ELEM_ATTR.within(CONTEXT);
        let mut c = [0u8; CreateSchedElemIn::SIZE];
        GeneralObjInCmdHdr::OPCODE.set(&mut c, u64::from(op));
        GeneralObjInCmdHdr::OBJ_TYPE.set(&mut c, u64::from(general::SCHEDULING_ELEMENT));
        SchedElem::MODIFY_FIELD_SELECT.within(ELEMENT).set(&mut c, u64::from(self.flags));
        SchedElem::SCHEDULING_HIERARCHY.within(ELEMENT).set(&mut c, HIERARCHY_NIC);
        SchedContext::ELEMENT_TYPE.within(CONTEXT).set(&mut c, element as u64);
        if element == Element::Tsar {
            SchedElemAttrTsar::TSAR_TYPE.within(TSAR).set(&mut c, TSAR_DWRR);
        }
        if op == opcode::CREATE_GENERAL_OBJECT {
            let parent = self.parent.map_or(0, Scheduler::id);
            SchedContext::PARENT_ELEMENT_ID.within(CONTEXT).set(&mut c, u64::from(parent));
        }
        if self.share() {
            SchedContext::BW_SHARE.within(CONTEXT).set(&mut c, u64::from(self.bw_share));
        }
        if self.rate() {
            SchedContext::MAX_AVERAGE_BW.within(CONTEXT).set(&mut c, u64::from(self.max_avg_bw));
        }
        c
    }

    fn create(&self, context: &Context, element: Element) -> Result<*mut Scheduler> {
        self.check_limits(context)?;
        let room = Room::new()?;
        let command = self.command(opcode::CREATE_GENERAL_OBJECT, element);
        let mut out = [0u8; GeneralObjOutCmdHdr::SIZE];
        let result = Object::create(context, Mailboxes::new(&command, &mut out));
        Ok(room.fill(Scheduler(checked(result, &out)?)))
    }

    fn modify(&self, target: &Scheduler, element: Element) -> Result<()> {
        self.check_limits(target.0.context()?).map_err(Refusal::and_errno)?;
        let mut command = self.command(opcode::MODIFY_GENERAL_OBJECT, element);
        GeneralObjInCmdHdr::OBJ_ID.set(&mut command, u64::from(target.id()));
        let mut out = [0u8; GeneralObjOutCmdHdr::SIZE];
        checked(target.0.modify(Mailboxes::new(&command, &mut out)), &out)
    }
}

/// `mlx5dv_sched_node_create`. Errors: EINVAL for bad attributes; EOPNOTSUPP if the device has no
/// NIC scheduling or no such limit; the device's.
///
/// # Safety
/// `attr` is NULL or valid; its parent is NULL or a live node.
pub unsafe fn create_node(
    context: &Context,
    attr: *const mlx5dv_sched_attr,
) -> Result<*mut mlx5dv_sched_node> {
    // SAFETY: the promise above.
    let wish = unsafe { Wish::from_c(attr)? };
    let qos = &context.caps.qos;
    let elements = CAN_TSAR | CAN_QUEUE_GROUP;
    if !qos.supported || qos.nic_element_type & elements != elements || qos.nic_tsar_type & CAN_DWRR == 0 {
        return Err(refuse!(EOPNOTSUPP, "device has no NIC scheduling", elements = qos.nic_element_type));
    }
    Ok(wish.create(context, Element::Tsar)?.cast())
}

/// `mlx5dv_sched_leaf_create`. As for a node, but a device without NIC scheduling refuses itself.
///
/// # Safety
/// As [`create_node`].
pub unsafe fn create_leaf(
    context: &Context,
    attr: *const mlx5dv_sched_attr,
) -> Result<*mut mlx5dv_sched_leaf> {
    // SAFETY: the promise above.
    let wish = unsafe { Wish::leaf_from_c(attr)? };
    Ok(wish.create(context, Element::QueueGroup)?.cast())
}

/// `mlx5dv_sched_node_modify`: new limits; the parent is looked at but stays. The checks made here
/// set errno too.
///
/// # Safety
/// As [`create_node`]; `node` is NULL or live.
pub unsafe fn modify_node(node: *mut mlx5dv_sched_node, attr: *const mlx5dv_sched_attr) -> Result<()> {
    // SAFETY: the promise above.
    let (node, wish) = unsafe { (Scheduler::node(node), Wish::from_c(attr)) };
    let node = node.ok_or(refuse!(EINVAL, "node is NULL"))?;
    wish.map_err(Refusal::and_errno)?.modify(node, Element::Tsar)
}

/// `mlx5dv_sched_leaf_modify`: as [`modify_node`].
///
/// # Safety
/// As [`create_node`]; `leaf` is NULL or live.
pub unsafe fn modify_leaf(leaf: *mut mlx5dv_sched_leaf, attr: *const mlx5dv_sched_attr) -> Result<()> {
    // SAFETY: the promise above.
    let (leaf, wish) = unsafe { (Scheduler::leaf(leaf), Wish::leaf_from_c(attr)) };
    let leaf = leaf.ok_or(refuse!(EINVAL, "leaf is NULL"))?;
    wish.map_err(Refusal::and_errno)?.modify(leaf, Element::QueueGroup)
}

/// `mlx5dv_sched_node_destroy` and `_leaf_destroy`. A failure (children, queues) keeps the handle.
///
/// # Safety
/// `p` is NULL or a live node or leaf; on success nobody uses it any more.
pub unsafe fn destroy<T>(p: *mut T) -> Result<()> {
    let p = p.cast::<Scheduler>();
    // SAFETY: the promise above.
    let target = unsafe { p.as_ref() }.ok_or(refuse!(EINVAL, "scheduling element is NULL"))?;
    target.0.destroy()?;
    // SAFETY: the promise above; it came from a Room.
    drop(unsafe { handle::take(p) });
    Ok(())
}

/// `mlx5dv_modify_qp_sched_elem`: hangs a QP's requests and responses on leaves; without a leaf
/// they go back to the default.
///
/// Errors: EINVAL for a responder where the type has none; EOPNOTSUPP for other types and states,
/// and if the device cannot; the device's.
pub fn modify_qp(qp: QpRef, requestor: Option<&Scheduler>, responder: Option<&Scheduler>) -> Result<()> {
    match qp.qp_type() {
        IBV_QPT_RC => modify_connected(qp, requestor, responder),
        IBV_QPT_UC | IBV_QPT_UD | IBV_QPT_RAW_PACKET if responder.is_some() => {
            Err(refuse!(EINVAL, "this type of QP has no responder", qp_type = qp.qp_type()))
        }
        IBV_QPT_UC | IBV_QPT_UD => modify_connected(qp, requestor, responder),
        IBV_QPT_RAW_PACKET => modify_raw(qp, requestor),
        t => Err(refuse!(EOPNOTSUPP, "this type of QP is not scheduled", qp_type = t)),
    }
}

fn modify_connected(qp: QpRef, requestor: Option<&Scheduler>, responder: Option<&Scheduler>) -> Result<()> {
    // INIT2INIT and RTS2RTS have the same layout.
    const { assert!(Init2initQpIn::SIZE == Rts2rtsQpIn::SIZE) };
    let caps = &qp.context.caps;
    if !caps.qpc_extension || !caps.qos.nic_qp_scheduling {
        return Err(refuse!(EOPNOTSUPP, "device does not schedule QPs"));
    }
    let op = match qp.state() {
        IBV_QPS_INIT => opcode::INIT2INIT_QP,
        IBV_QPS_RTS => opcode::RTS2RTS_QP,
        s => return Err(refuse!(EOPNOTSUPP, "QP is neither in INIT nor in RTS", state = s)),
    };
    const EXT: Field = Init2initQpIn::QPC_DATA_EXT;
    let id = |leaf: Option<&Scheduler>| u64::from(leaf.map_or(0, Scheduler::id));
    let mut c = [0u8; Init2initQpIn::SIZE];
    Init2initQpIn::OPCODE.set(&mut c, u64::from(op));
    Init2initQpIn::QPC_EXT.set(&mut c, 1);
    Init2initQpIn::QPN.set(&mut c, u64::from(qp.qp_num()));
    Init2initQpIn::OPT_PARAM_MASK_95_32.set(&mut c, OPT_QUEUE_GROUPS);
    QpcExt::QOS_QUEUE_GROUP_ID_REQUESTER.within(EXT).set(&mut c, id(requestor));
    QpcExt::QOS_QUEUE_GROUP_ID_RESPONDER.within(EXT).set(&mut c, id(responder));
    qp.send(&c, &mut [0u8; Init2initQpOut::SIZE])
}

fn modify_raw(qp: QpRef, requestor: Option<&Scheduler>) -> Result<()> {
    if qp.state() != IBV_QPS_RTS {
        return Err(refuse!(EOPNOTSUPP, "QP is not in RTS", state = qp.state()));
    }
    if !qp.context.caps.qos.nic_sq_scheduling {
        return Err(refuse!(EOPNOTSUPP, "device does not schedule send queues"));
    }
    const SQC: Field = ModifySqIn::SQ_CONTEXT;
    let mut c = [0u8; ModifySqIn::SIZE];
    ModifySqIn::OPCODE.set(&mut c, u64::from(opcode::MODIFY_SQ));
    ModifySqIn::SQ_STATE.set(&mut c, SQ_RDY);
    ModifySqIn::SQN.set(&mut c, u64::from(qp.numbers().sqn));
    ModifySqIn::MODIFY_BITMASK.set(&mut c, MODIFY_QUEUE_GROUP);
    Sqc::STATE.within(SQC).set(&mut c, SQ_RDY);
    let id = requestor.map_or(0, Scheduler::id);
    Sqc::QOS_QUEUE_GROUP_ID.within(SQC).set(&mut c, u64::from(id));
    qp.send(&c, &mut [0u8; ModifySqOut::SIZE])
}
