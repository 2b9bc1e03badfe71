//! Scheduling elements and packet pacing.

use crate::layout::layouts;

layouts! {
    /// Layouts of this family as data.
    pub SCHED_LAYOUTS;

    /// Layout `sched_elem_attr_tsar`.
    SchedElemAttrTsar = "sched_elem_attr_tsar", 0x20 {
        TSAR_TYPE: 0x8, 8;
    }

    /// Layout `sched_elem_attr`.
    SchedElemAttr = "sched_elem_attr", 0x20 {
        TSAR: 0x0, 32 as SchedElemAttrTsar;
    }

    /// Layout `sched_context`.
    SchedContext = "sched_context", 0x200 {
        ELEMENT_TYPE: 0x0, 8;
        SCHED_ELEM_ATTR: 0x20, 32 as SchedElemAttr;
        PARENT_ELEMENT_ID: 0x40, 32;
        BW_SHARE: 0xa0, 32;
        MAX_AVERAGE_BW: 0xc0, 32;
    }

    /// Layout `sched_elem`.
    SchedElem = "sched_elem", 0x400 {
        MODIFY_FIELD_SELECT: 0x0, 64;
        SCHEDULING_HIERARCHY: 0x40, 8;
        SCHED_CONTEXT: 0x100, 512 as SchedContext;
    }

    /// Input of CREATE_SCHED_ELEM.
    CreateSchedElemIn = "create_sched_elem_in", 0x480 {
        HDR: 0x0, 128 as GeneralObjInCmdHdr;
        SCHED_ELEM: 0x80, 1024 as SchedElem;
    }

    /// Output of CREATE_SCHEDULING_ELEMENT.
    CreateSchedulingElementOut = "create_scheduling_element_out", 0x200 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        SCHEDULING_ELEMENT_ID: 0x80, 32;
    }

    /// Input of CREATE_SCHEDULING_ELEMENT.
    CreateSchedulingElementIn = "create_scheduling_element_in", 0x400 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        SCHEDULING_HIERARCHY: 0x40, 8;
        SCHEDULING_CONTEXT: 0x100, 512 as SchedContext;
    }

    /// Input of DESTROY_SCHEDULING_ELEMENT.
    DestroySchedulingElementIn = "destroy_scheduling_element_in", 0x200 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        SCHEDULING_HIERARCHY: 0x40, 8;
        SCHEDULING_ELEMENT_ID: 0x60, 32;
    }

    /// Input of SET_PP_RATE_LIMIT.
    SetPpRateLimitIn = "set_pp_rate_limit_in", 0x200 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        RATE_LIMIT_INDEX: 0x50, 16;
        RATE_LIMIT: 0x80, 32;
        BURST_UPPER_BOUND: 0xa0, 32;
        TYPICAL_PACKET_SIZE: 0xd0, 16;
    }

    /// Input of QUERY_RATE_LIMIT.
    QueryRateLimitIn = "query_rate_limit_in", 0x80 {
        OPCODE: 0x0, 16;
        OP_MOD: 0x30, 16;
        RATE_LIMIT_INDEX: 0x50, 16;
    }

    /// Output of QUERY_RATE_LIMIT.
    QueryRateLimitOut = "query_rate_limit_out", 0x200 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        RATE_LIMIT: 0x80, 32;
        BURST_UPPER_BOUND: 0xa0, 32;
        TYPICAL_PACKET_SIZE: 0xd0, 16;
    }

    /// Input of MODIFY_SCHEDULING_ELEMENT.
    ModifySchedulingElementIn = "modify_scheduling_element_in", 0x400 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        SCHEDULING_HIERARCHY: 0x40, 8;
        SCHEDULING_ELEMENT_ID: 0x60, 32;
        MODIFY_BITMASK: 0xa0, 32;
        SCHEDULING_CONTEXT: 0x100, 512 as SchedContext;
    }

    /// Input of QUERY_SCHEDULING_ELEMENT.
    QuerySchedulingElementIn = "query_scheduling_element_in", 0x200 {
        OPCODE: 0x0, 16;
        UID: 0x10, 16;
        OP_MOD: 0x30, 16;
        SCHEDULING_HIERARCHY: 0x40, 8;
        SCHEDULING_ELEMENT_ID: 0x60, 32;
    }

    /// Output of QUERY_SCHEDULING_ELEMENT.
    QuerySchedulingElementOut = "query_scheduling_element_out", 0x400 {
        STATUS: 0x0, 8;
        SYNDROME: 0x20, 32;
        SCHEDULING_CONTEXT: 0x100, 512 as SchedContext;
    }
}
