//! Firmware objects.

/// One firmware object, kept as the command that made it.
pub(super) struct Obj {
    pub input: Vec<u8>,
    pub uid: u16,
}
