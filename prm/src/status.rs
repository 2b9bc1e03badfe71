//! Status numbers of device commands (first byte of every output).

/// Success.
pub const OK: u8 = 0x00;
/// Internal error of the device.
pub const INT_ERR: u8 = 0x01;
/// Unknown opcode, or one that the device does not offer.
pub const BAD_OP: u8 = 0x02;
/// A parameter is out of range.
pub const BAD_PARAM: u8 = 0x03;
/// The device is in the wrong state for the command.
pub const BAD_SYS_STATE: u8 = 0x04;
/// The resource does not exist, or belongs to someone else.
pub const BAD_RES: u8 = 0x05;
/// The resource is in use.
pub const RES_BUSY: u8 = 0x06;
/// A limit is exceeded.
pub const EXCEED_LIM: u8 = 0x08;
/// The resource is in the wrong state.
pub const BAD_RES_STATE: u8 = 0x09;
/// An index is out of range.
pub const BAD_INDEX: u8 = 0x0a;
/// No resources are left.
pub const NO_RESOURCES: u8 = 0x0f;
/// The queue pair's state does not allow the transition.
pub const BAD_QP_STATE: u8 = 0x10;
/// A management datagram is malformed.
pub const BAD_PKT: u8 = 0x30;
/// The completion queue holds more entries than the new size.
pub const BAD_SIZE_OUTS_CQES: u8 = 0x40;
/// The input mailbox is too short.
pub const BAD_INPUT_LEN: u8 = 0x50;
/// The output mailbox is too short.
pub const BAD_OUTPUT_LEN: u8 = 0x51;

/// What a status says, in words; `None` for a number that the PRM does not have.
pub const fn name(status: u8) -> Option<&'static str> {
    Some(match status {
        OK => "OK",
        INT_ERR => "internal error",
        BAD_OP => "bad operation",
        BAD_PARAM => "bad parameter",
        BAD_SYS_STATE => "bad system state",
        BAD_RES => "bad resource",
        RES_BUSY => "resource busy",
        EXCEED_LIM => "limits exceeded",
        BAD_RES_STATE => "bad resource state",
        BAD_INDEX => "bad index",
        NO_RESOURCES => "no resources",
        BAD_QP_STATE => "bad QP state",
        BAD_PKT => "bad packet",
        BAD_SIZE_OUTS_CQES => "bad size: too many outstanding CQEs",
        BAD_INPUT_LEN => "bad input length",
        BAD_OUTPUT_LEN => "bad output length",
        _ => return None,
    })
}
