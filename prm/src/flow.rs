//! Numbers of flow table entries.

/// Bits of an entry's action (`flow_context.action`).
pub mod action {
    /// The packet passes and leaves the tables.
    pub const ALLOW: u32 = 0x1;
    /// The packet is lost.
    pub const DROP: u32 = 0x2;
    /// To the entry's destinations.
    pub const FORWARD: u32 = 0x4;
    /// In the entry's counters.
    pub const COUNT: u32 = 0x8;
    /// By the entry's reformat context.
    pub const REFORMAT: u32 = 0x10;
    /// The outer headers of a tunnel go.
    pub const DECAPSULATE: u32 = 0x20;
    /// By the entry's modification context.
    pub const MODIFY_HEADER: u32 = 0x40;
    /// The first VLAN tag goes.
    pub const POP_VLAN: u32 = 0x80;
    /// A VLAN tag comes in.
    pub const PUSH_VLAN: u32 = 0x100;
    /// One more tag goes.
    pub const POP_VLAN_2: u32 = 0x400;
    /// One more tag comes in.
    pub const PUSH_VLAN_2: u32 = 0x800;
}

/// Types of an entry's destinations (`dest_format.destination_type`).
pub mod destination {
    /// A virtual port.
    pub const VPORT: u32 = 0;
    /// A flow table.
    pub const TABLE: u32 = 1;
    /// A transport interface receive.
    pub const TIR: u32 = 2;
    /// A sampler object.
    pub const SAMPLER: u32 = 6;
    /// The wire.
    pub const UPLINK: u32 = 8;
    /// Another type of tables, at its root.
    pub const TABLE_TYPE: u32 = 0xa;
}
