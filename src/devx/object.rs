//! Firmware objects: create, query, modify, destroy.

use super::command::Mailboxes;
use crate::{
    abi::{dv::mlx5dv_devx_obj, verbs::ibv_context},
    error::Result,
    handle::{self, Room},
    provider::Context,
    uverbs::{self, Attr},
};
use core::ffi::c_int;
use prm::{
    AllocFlowCounterOut, AllocPacketReformatContextOut, CreateFlowGroupOut, CreateFlowTableOut, CreateQpOut,
    CreateTirOut, GeneralObjInCmdHdr, GeneralObjOutCmdHdr, SetFteIn, object as general, opcode,
    uverbs::{attr, method, object},
};

/// What an object is to those who use it later: steering actions, scheduling, export. The numbers
/// travel in export blobs, so they are those of upstream's library.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(transparent)]
pub struct Kind(pub u32);

#[allow(missing_docs, reason = "the names say it")]
impl Kind {
    pub const OTHER: Kind = Kind(0);
    pub const FLOW_TABLE: Kind = Kind(1);
    pub const FLOW_COUNTER: Kind = Kind(2);
    pub const FLOW_METER: Kind = Kind(3);
    pub const QP: Kind = Kind(4);
    pub const PACKET_REFORMAT: Kind = Kind(5);
    pub const TIR: Kind = Kind(6);
    pub const FLOW_GROUP: Kind = Kind(7);
    pub const FLOW_TABLE_ENTRY: Kind = Kind(8);
    pub const FLOW_SAMPLER: Kind = Kind(9);
    pub const ASO_FIRST_HIT: Kind = Kind(10);
    pub const ASO_FLOW_METER: Kind = Kind(11);
    pub const ASO_CT: Kind = Kind(12);
}

/// What the library reads out of a create command and its answer (`spec`: DEVX, table 2.1).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Info {
    /// What was created.
    pub kind: Kind,
    /// The device's number of it; 0 for kinds that nobody here uses by number.
    pub object_id: u32,
    /// Where a TIR stands in the device's steering memory.
    pub rx_icm_addr: u64,
    /// log2 of how many objects a general object stands for.
    pub log_obj_range: u8,
}

impl Info {
    /// Nothing known.
    pub const NONE: Info = Info { kind: Kind::OTHER, object_id: 0, rx_icm_addr: 0, log_obj_range: 0 };

    fn parse(input: &[u8], output: &[u8]) -> Info {
        let of = |kind, object_id| Info { kind, object_id, ..Info::NONE };
        match GeneralObjInCmdHdr::OPCODE.get(input) as u16 {
            opcode::CREATE_FLOW_TABLE => of(Kind::FLOW_TABLE, CreateFlowTableOut::TABLE_ID.get32(output)),
            opcode::CREATE_FLOW_GROUP => of(Kind::FLOW_GROUP, CreateFlowGroupOut::GROUP_ID.get32(output)),
            opcode::SET_FLOW_TABLE_ENTRY => of(Kind::FLOW_TABLE_ENTRY, SetFteIn::FLOW_INDEX.get32(input)),
            opcode::ALLOC_FLOW_COUNTER => {
                of(Kind::FLOW_COUNTER, AllocFlowCounterOut::FLOW_COUNTER_ID.get32(output))
            }
            opcode::CREATE_GENERAL_OBJECT => Info {
                log_obj_range: GeneralObjInCmdHdr::LOG_OBJ_RANGE.get(input) as u8,
                ..of(
                    general_kind(GeneralObjInCmdHdr::OBJ_TYPE.get(input) as u16),
                    GeneralObjOutCmdHdr::OBJ_ID.get32(output),
                )
            },
            opcode::CREATE_QP => of(Kind::QP, CreateQpOut::QPN.get32(output)),
            opcode::CREATE_TIR => Info {
                rx_icm_addr: CreateTirOut::ICM_ADDRESS_31_0.get(output)
                    | CreateTirOut::ICM_ADDRESS_39_32.get(output) << 32
                    | CreateTirOut::ICM_ADDRESS_63_40.get(output) << 40,
                ..of(Kind::TIR, CreateTirOut::TIRN.get32(output))
            },
            opcode::ALLOC_PACKET_REFORMAT_CONTEXT => {
                of(Kind::PACKET_REFORMAT, AllocPacketReformatContextOut::PACKET_REFORMAT_ID.get32(output))
            }
            _ => Info::NONE,
        }
    }
}

fn general_kind(obj_type: u16) -> Kind {
    match obj_type {
        general::FLOW_METER => Kind::FLOW_METER,
        general::FLOW_SAMPLER => Kind::FLOW_SAMPLER,
        general::ASO_FIRST_HIT => Kind::ASO_FIRST_HIT,
        general::ASO_FLOW_METER => Kind::ASO_FLOW_METER,
        general::ASO_CT => Kind::ASO_CT,
        _ => Kind::OTHER,
    }
}

/// An object of the device that the kernel keeps for us.
///
/// Dropping it does not destroy it: a destroy can be refused and tried again.
#[derive(Debug)]
pub struct Object {
    /// Context that made or imported it.
    pub context: *mut ibv_context,
    /// The kernel's handle.
    pub handle: u32,
    /// What is known of it.
    pub info: Info,
}

impl Object {
    /// Creates an object. Errors: the kernel's; EREMOTEIO with the answer written if the device
    /// refused.
    pub fn create(context: &Context, m: Mailboxes) -> Result<Object> {
        let mut attrs = [
            Attr::new_object(attr::DEVX_OBJ_CREATE_HANDLE),
            m.input(attr::DEVX_OBJ_CREATE_CMD_IN),
            m.output(attr::DEVX_OBJ_CREATE_CMD_OUT),
        ];
        uverbs::execute(context.fd, object::DEVX_OBJ, method::DEVX_OBJ_CREATE, &mut attrs)?;
        // SAFETY: the call succeeded.
        let info = unsafe { m.after_success(Info::parse) };
        Ok(Object { context: context.ibv(), handle: attrs[0].new_handle(), info })
    }

    /// The context. EOPNOTSUPP if it is not driven by the kernel provider.
    pub fn context(&self) -> Result<&Context> {
        // SAFETY: the application keeps a context open for as long as it has objects.
        unsafe { Context::from_ibv(self.context) }
    }

    /// Sends a query command for this object.
    pub fn query(&self, m: Mailboxes) -> Result<()> {
        query(self.context()?, self.handle, m)
    }

    /// Sends a modify command for this object.
    pub fn modify(&self, m: Mailboxes) -> Result<()> {
        modify(self.context()?, self.handle, m)
    }

    /// Destroys it. After an error (the device's own arrives mapped: EBUSY, EINVAL) it lives on.
    pub fn destroy(&self) -> Result<()> {
        destroy_handle(self.context()?.fd, self.handle)
    }

    /// The object behind C's pointer. EINVAL for NULL.
    ///
    /// # Safety
    /// `p` is NULL or from [`create`] or an import, and not destroyed.
    pub unsafe fn from_c<'a>(p: *mut mlx5dv_devx_obj) -> Result<&'a Object> {
        // SAFETY: the promise above.
        unsafe { p.cast::<Object>().as_ref() }.ok_or(refuse!(EINVAL, "object is NULL"))
    }
}

/// Destroys the object with this handle of a device file.
pub fn destroy_handle(fd: c_int, handle: u32) -> Result<()> {
    let mut attrs = [Attr::handle(attr::DEVX_OBJ_DESTROY_HANDLE, handle)];
    Ok(uverbs::execute(fd, object::DEVX_OBJ, method::DEVX_OBJ_DESTROY, &mut attrs)?)
}

/// A query command for the object of whatever kind with this kernel handle.
pub fn query(context: &Context, handle: u32, m: Mailboxes) -> Result<()> {
    let mut attrs = [
        Attr::handle(attr::DEVX_OBJ_QUERY_HANDLE, handle),
        m.input(attr::DEVX_OBJ_QUERY_CMD_IN),
        m.output(attr::DEVX_OBJ_QUERY_CMD_OUT),
    ];
    Ok(uverbs::execute(context.fd, object::DEVX_OBJ, method::DEVX_OBJ_QUERY, &mut attrs)?)
}

/// A modify command for the object of whatever kind with this kernel handle.
pub fn modify(context: &Context, handle: u32, m: Mailboxes) -> Result<()> {
    let mut attrs = [
        Attr::handle(attr::DEVX_OBJ_MODIFY_HANDLE, handle),
        m.input(attr::DEVX_OBJ_MODIFY_CMD_IN),
        m.output(attr::DEVX_OBJ_MODIFY_CMD_OUT),
    ];
    Ok(uverbs::execute(context.fd, object::DEVX_OBJ, method::DEVX_OBJ_MODIFY, &mut attrs)?)
}

/// `mlx5dv_devx_obj_create`.
pub fn create(context: &Context, m: Mailboxes) -> Result<*mut mlx5dv_devx_obj> {
    let room = Room::new()?;
    Ok(room.fill(Object::create(context, m)?).cast())
}

/// `mlx5dv_devx_obj_destroy`. A failure keeps the handle.
///
/// # Safety
/// As [`Object::from_c`]; on success nobody uses it any more.
pub unsafe fn destroy(p: *mut mlx5dv_devx_obj) -> Result<()> {
    // SAFETY: the promise above.
    unsafe { Object::from_c(p)? }.destroy()?;
    // SAFETY: the promise above; the object came from a Room.
    drop(unsafe { handle::take(p.cast::<Object>()) });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use prm::bits::set;

    fn info(op: u64, obj_type: u64) -> Info {
        let (mut input, mut output) = ([0u8; 64], [0u8; 16]);
        set(&mut input, 0, 16, op);
        set(&mut input, 0x30, 16, obj_type);
        set(&mut input, 0x60, 8, 0xe5); // only the low five bits are the range
        set(&mut input, 0x100, 32, 0xcafe_f00d);
        set(&mut output, 0x00, 32, 0x00ab_cdef); // status 0, then the upper part of an ICM address
        set(&mut output, 0x40, 32, 0x1234_5678);
        set(&mut output, 0x60, 32, 0x9abc_def0);
        Info::parse(&input, &output)
    }

    #[test]
    fn numbers_are_read_where_the_table_has_them() {
        let of = |kind, object_id| Info { kind, object_id, ..Info::NONE };
        assert_eq!(info(0x930, 0), of(Kind(1), 0x34_5678));
        assert_eq!(info(0x933, 0), of(Kind(7), 0x34_5678));
        assert_eq!(info(0x936, 0), of(Kind(8), 0xcafe_f00d));
        assert_eq!(info(0x939, 0), of(Kind(2), 0x1234_5678));
        assert_eq!(info(0x500, 0), of(Kind(4), 0x34_5678));
        assert_eq!(info(0x93d, 0), of(Kind(5), 0x1234_5678));
        let tir = Info { rx_icm_addr: 0xabcd_ef12_9abc_def0, ..of(Kind(6), 0x34_5678) };
        assert_eq!(info(0x900, 0), tir);
        for (obj_type, kind) in [(0x0a, 3), (0x20, 9), (0x25, 10), (0x24, 11), (0x31, 12), (0x26, 0)] {
            let general = Info { log_obj_range: 5, ..of(Kind(kind), 0x1234_5678) };
            assert_eq!(info(0xa00, obj_type), general, "{obj_type:#x}");
        }
        for op in [0x200, 0x400, 0x800, 0x904, 0x908, 0x912, 0x710] {
            assert_eq!(info(op, 0), Info::NONE, "{op:#x}");
        }
    }

    #[test]
    fn answers_in_the_place_of_the_command_tell_nothing() {
        let same = [0u8; 16];
        assert_eq!(Info::parse(&same, &same), Info::NONE);
    }
}
