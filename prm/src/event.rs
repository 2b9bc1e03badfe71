//! Event types of event queue entries, and subtypes where the device raises them.

macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident = $value:literal, $text:literal;)*) => {
        $($(#[$doc])* pub const $name: u8 = $value;)*

        /// The name of an event type; `None` for a number that has none here.
        pub const fn name(event_type: u8) -> Option<&'static str> {
            Some(match event_type {
                $($value => $text,)*
                _ => return None,
            })
        }
    };
}

numbers! {
    /// A completion on an armed CQ. Goes to the CQ's own event queue.
    COMP = 0x00, "completion";
    /// The first packet arrived on a queue pair in RTR.
    PATH_MIG = 0x01, "path migrated";
    /// Communication established.
    COMM_EST = 0x02, "communication established";
    /// The send queue is drained.
    SQ_DRAINED = 0x03, "send queue drained";
    /// A completion queue overflowed or cannot be written.
    CQ_ERROR = 0x04, "completion queue error";
    /// A work queue failed in a way that no completion tells.
    WQ_CATAS_ERROR = 0x05, "work queue catastrophic error";
    /// Path migration failed.
    PATH_MIG_FAILED = 0x07, "path migration failed";
    /// A page of a memory region is not present.
    PAGE_FAULT = 0x0c, "page fault";
    /// A command finished; the data is the bit mask of slots.
    CMD = 0x0a, "command completion";
    /// The device asks for pages or gives some back.
    PAGE_REQUEST = 0x0b, "page request";
    /// The device failed.
    INTERNAL_ERROR = 0x08, "internal error";
    /// Port state changed.
    PORT_CHANGE = 0x09, "port change";
    /// A queue pair got an invalid request from its peer.
    WQ_INVAL_REQ_ERROR = 0x10, "invalid request error";
    /// A queue pair refused an access.
    WQ_ACCESS_ERROR = 0x11, "access error";
    /// A shared receive queue failed.
    SRQ_CATAS_ERROR = 0x12, "SRQ catastrophic error";
    /// The last work request of a queue pair with an SRQ in error was consumed.
    SRQ_LAST_WQE = 0x13, "SRQ last WQE reached";
    /// A shared receive queue fell below its limit.
    SRQ_RQ_LIMIT = 0x14, "SRQ limit reached";
    /// A GPIO of the adapter changed.
    GPIO = 0x15, "GPIO";
    /// A module was plugged, unplugged or failed.
    PORT_MODULE = 0x16, "port module";
    /// Temperature above a threshold.
    TEMP_WARN = 0x17, "temperature warning";
    /// Remote configuration changed.
    REMOTE_CONFIG = 0x19, "remote configuration";
    /// An extended receive queue failed.
    XRQ_ERROR = 0x18, "XRQ error";
    /// A blocked traffic class is stalled.
    STALL_VL = 0x1b, "stalled virtual lane";
    /// A dynamically connected target was drained.
    DCT_DRAINED = 0x1c, "DCT drained";
    /// A packet named a DCT with the wrong key.
    DCT_KEY_VIOLATION = 0x1d, "DCT key violation";
    /// A notification that carries a subtype.
    GENERAL = 0x22, "general notification";
    /// A monitored counter crossed its bound.
    MONITOR_COUNTER = 0x24, "monitor counter";
    /// One pulse per second.
    PPS = 0x25, "pulse per second";
    /// A general object changed.
    OBJECT_CHANGE = 0x27, "object change";
    /// A bound error counter overflowed.
    ESW_FUNCTIONS_CHANGED = 0x0e, "e-switch functions changed";
    /// The state of a sub-function changed.
    VHCA_STATE_CHANGE = 0x0f, "VHCA state change";
    /// The device asks its driver to synchronize a firmware reset.
    FW_TRACER = 0x1f, "device tracer";
}

/// Subtype of [`PORT_CHANGE`]: the link went down.
pub const PORT_DOWN: u8 = 1;
/// Subtype of [`PORT_CHANGE`]: the link came up.
pub const PORT_ACTIVE: u8 = 4;
/// Subtype of [`PORT_CHANGE`]: the port is initialized.
pub const PORT_INITIALIZED: u8 = 5;
/// Subtype of [`PORT_CHANGE`]: the local identifier changed.
pub const PORT_LID: u8 = 6;
/// Subtype of [`PORT_CHANGE`]: the partition table changed.
pub const PORT_PKEY: u8 = 7;
/// Subtype of [`PORT_CHANGE`]: the GID table changed.
pub const PORT_GUID: u8 = 8;
/// Subtype of [`PORT_CHANGE`]: the subnet manager asks for registration anew.
pub const PORT_CLIENT_REREGISTER: u8 = 9;

/// Syndrome of [`CQ_ERROR`]: the queue overflowed.
pub const CQ_OVERRUN: u8 = 1;
/// Syndrome of [`CQ_ERROR`]: the queue's memory cannot be written.
pub const CQ_ACCESS_VIOLATION: u8 = 2;
