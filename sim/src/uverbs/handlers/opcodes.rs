//! Which device commands DEVX lets through, and what they name (`spec/devx.md`, 1.4).

use super::super::mailbox::Mailbox;

/// Where a command carries the number of an object: bit and width.
type Place = (usize, usize);

/// A command that makes an object.
#[derive(Debug)]
pub struct Create {
    /// Its opcode.
    pub opcode: u16,
    /// The opcode that destroys the object.
    pub destroy: u16,
    /// The object's number in the create command: in its output, or its input.
    number: Number,
    /// The number in the destroy command.
    place: Place,
    /// Fields of the create input that the destroy command repeats at the same place.
    repeated: &'static [Place],
}

#[derive(Debug)]
enum Number {
    Out(Place),
    In(Place),
}

const ID24: Place = (0x48, 24);
const ID32: Place = (0x40, 32);
/// Vport and table of flow commands.
const TABLE: &[Place] = &[(0x40, 1), (0x50, 16), (0x80, 8)];
const ENTRY: &[Place] = &[(0x40, 1), (0x50, 16), (0x80, 8), (0xa8, 24)];
const MCG: &[Place] = &[(0x80, 64), (0xc0, 64)];

const fn plain(opcode: u16, destroy: u16) -> Create {
    Create { opcode, destroy, number: Number::Out(ID24), place: ID24, repeated: &[] }
}

const fn wide(opcode: u16, destroy: u16) -> Create {
    Create { opcode, destroy, number: Number::Out(ID32), place: ID32, repeated: &[] }
}

static CREATES: &[Create] = &[
    plain(0x200, 0x202), // mkey
    plain(0x400, 0x401), // CQ
    plain(0x500, 0x501), // QP
    Create { opcode: 0x600, destroy: 0x601, number: Number::Out((0x88, 24)), place: ID24, repeated: &[] }, // PSV
    plain(0x700, 0x701), // SRQ
    plain(0x705, 0x706), // XRC SRQ
    plain(0x710, 0x711), // DCT
    plain(0x717, 0x718), // XRQ
    Create { opcode: 0x771, destroy: 0x772, number: Number::Out((0x58, 8)), place: (0x58, 8), repeated: &[] }, // Q counter
    Create {
        opcode: 0x782, // scheduling element
        destroy: 0x783,
        number: Number::Out((0x80, 32)),
        place: (0x60, 32),
        repeated: &[(0x40, 8)],
    },
    plain(0x800, 0x801), // PD
    Create { opcode: 0x806, destroy: 0x807, number: Number::In(ID24), place: ID24, repeated: MCG },
    plain(0x80e, 0x80f), // XRCD
    plain(0x816, 0x817), // transport domain
    Create {
        opcode: 0x827,
        destroy: 0x828,
        number: Number::In((0x70, 16)),
        place: (0x70, 16),
        repeated: &[],
    }, // VXLAN port
    Create {
        opcode: 0x829,
        destroy: 0x82b,
        number: Number::In((0xa8, 24)),
        place: (0xa8, 24),
        repeated: &[],
    }, // L2 entry
    plain(0x900, 0x902), // TIR
    plain(0x904, 0x906), // SQ
    plain(0x908, 0x90a), // RQ
    plain(0x90c, 0x90e), // RMP
    plain(0x912, 0x914), // TIS
    plain(0x916, 0x918), // RQT
    Create { opcode: 0x930, destroy: 0x931, number: Number::Out(ID24), place: (0xa8, 24), repeated: TABLE },
    Create { opcode: 0x933, destroy: 0x934, number: Number::Out(ID24), place: (0xc0, 32), repeated: ENTRY },
    Create {
        opcode: 0x936,
        destroy: 0x938,
        number: Number::In((0x100, 32)),
        place: (0x100, 32),
        repeated: ENTRY,
    },
    wide(0x939, 0x93a), // flow counter
    wide(0x93d, 0x93e), // packet reformat
    wide(0x940, 0x941), // modify header
    Create {
        opcode: GENERAL_CREATE,
        destroy: 0xa03,
        number: Number::Out(ID32),
        place: ID32,
        repeated: &[(0x30, 16)],
    },
];

/// CREATE_GENERAL_OBJECT.
pub const GENERAL_CREATE: u16 = 0xa00;
/// CREATE_MKEY.
pub const CREATE_MKEY: u16 = 0x200;
/// CREATE_CQ.
pub const CREATE_CQ: u16 = 0x400;
/// CREATE_QP.
pub const CREATE_QP: u16 = 0x500;
/// CREATE_SQ.
pub const CREATE_SQ: u16 = 0x904;
/// Flow counter allocation.
pub const CREATE_FLOW_COUNTER: u16 = 0x939;

/// The opcode of a command.
pub fn opcode(command: &Mailbox) -> u16 {
    command.get(0, 16) as u16
}

/// What an object-making command is, if DEVX lets it through.
pub fn create(command: &Mailbox) -> Option<&'static Create> {
    let found = CREATES.iter().find(|c| c.opcode == opcode(command))?;
    match found.opcode {
        // one signature object at a time
        0x600 if command.get(0x40, 4) != 1 => None,
        // a rule that is not there yet
        0x936 if command.get(0x30, 16) != 0 => None,
        _ => Some(found),
    }
}

impl Create {
    /// The new object's number.
    pub fn number(&self, input: &Mailbox, output: &[u8]) -> u32 {
        match self.number {
            Number::Out((bit, width)) => prm::bits::get(output, bit, width) as u32,
            Number::In((bit, width)) => input.get(bit, width) as u32,
        }
    }

    /// The command that destroys the new object.
    pub fn destroy_command(&self, input: &Mailbox, number: u32, uid: u16) -> Mailbox {
        let len = if self.repeated.len() > 2 { 64 } else { 32 };
        let mut destroy = Mailbox::command(self.destroy, uid, len);
        for (bit, width) in self.repeated {
            destroy.set(*bit, *width, input.get(*bit, *width));
        }
        destroy.set(self.place.0, self.place.1, number as u64);
        let used = match self.destroy {
            0x931 | 0x934 | 0x938 | 0x783 | 0x82b => 64,
            0x807 => 32,
            _ => 16,
        };
        destroy.0.resize(used, 0);
        destroy
    }
}

/// Which object a query or modify command names: the create opcode of its kind, its
/// general object type, and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Opcode that makes objects of that kind.
    pub create: u16,
    /// General object type, 0 for others.
    pub object_type: u16,
    /// Number.
    pub number: u32,
}

fn target(command: &Mailbox, create: u16, place: Place) -> Option<Target> {
    let object_type = if create == GENERAL_CREATE { command.get(0x30, 16) as u16 } else { 0 };
    Some(Target { create, object_type, number: command.get(place.0, place.1) as u32 })
}

/// The object a modify command names, if DEVX lets it through.
pub fn modify(c: &Mailbox) -> Option<Target> {
    match opcode(c) {
        0xa01 => target(c, GENERAL_CREATE, ID32),
        0x403 => target(c, CREATE_CQ, ID24),
        0x502..=0x507 | 0x50a | 0x50e => target(c, CREATE_QP, ID24),
        0x703 => target(c, 0x700, ID24),
        0x708 => target(c, 0x705, ID24),
        0x712 | 0x714 => target(c, 0x710, ID24),
        0x71a | 0x726 | 0x729 | 0x72a => target(c, 0x717, ID24),
        0x785 => target(c, 0x782, (0x60, 32)),
        0x901 => target(c, 0x900, ID24),
        0x905 => target(c, CREATE_SQ, ID24),
        0x909 => target(c, 0x908, ID24),
        0x90d => target(c, 0x90c, ID24),
        0x913 => target(c, 0x912, ID24),
        0x917 => target(c, 0x916, ID24),
        0x93c => target(c, 0x930, (0xa8, 24)),
        0x936 if c.get(0x30, 16) == 1 => target(c, 0x936, (0x100, 32)),
        _ => None,
    }
}

/// The object a query command names, if DEVX lets it through.
pub fn query(c: &Mailbox) -> Option<Target> {
    match opcode(c) {
        0x201 => target(c, CREATE_MKEY, ID24),
        0x402 => target(c, CREATE_CQ, ID24),
        0x50b => target(c, CREATE_QP, ID24),
        0x702 => target(c, 0x700, ID24),
        0x707 => target(c, 0x705, ID24),
        0x713 => target(c, 0x710, ID24),
        0x719 | 0x727 | 0x728 => target(c, 0x717, ID24),
        0x773 => target(c, 0x771, (0xd8, 8)),
        0x784 => target(c, 0x782, (0x60, 32)),
        0x82a => target(c, 0x829, (0xa8, 24)),
        0x903 => target(c, 0x900, ID24),
        0x907 => target(c, CREATE_SQ, ID24),
        0x90b => target(c, 0x908, ID24),
        0x90f => target(c, 0x90c, ID24),
        0x915 => target(c, 0x912, ID24),
        0x919 => target(c, 0x916, ID24),
        0x932 => target(c, 0x930, (0xa8, 24)),
        0x935 => target(c, 0x933, (0xc0, 32)),
        0x937 => target(c, 0x936, (0x100, 32)),
        0x93b => target(c, CREATE_FLOW_COUNTER, (0xe0, 32)),
        0x942 => target(c, 0x940, ID32),
        0xa02 => target(c, GENERAL_CREATE, ID32),
        _ => None,
    }
}

/// Whether a command without an object passes.
pub fn is_general(command: &Mailbox) -> bool {
    matches!(
        opcode(command),
        0x100
            | 0x101
            | 0x10a
            | 0x740
            | 0x750
            | 0x752
            | 0x754
            | 0x760
            | 0x762
            | 0x76f
            | 0x770
            | 0x80a
            | 0x80d
            | 0x822
            | 0x824
            | 0x826
            | 0x842
            | 0xb00..=0xcff
    )
}

/// Whether a context without a DEVX uid may send it as well.
pub fn is_whitelisted(command: &Mailbox) -> bool {
    matches!(opcode(command), 0x100 | 0x740 | 0x752 | 0x762)
}

/// Whether a command is addressed to another function through a tunnel.
pub fn is_tunnelled(command: &Mailbox) -> bool {
    command.get(0x20, 16) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn destroy_commands_name_what_was_made() {
        let mut table = Mailbox::command(0x930, 0, 64);
        table.set(0x80, 8, 4).set(0x50, 16, 9);
        let kind = create(&table).expect("flow table");
        let mut out = Mailbox::command(0, 0, 16);
        out.set(0x48, 24, 77);
        let number = kind.number(&table, &out.0);
        let destroy = kind.destroy_command(&table, number, 5);
        assert_eq!((opcode(&destroy), destroy.get(0x10, 16)), (0x931, 5));
        assert_eq!((destroy.get(0x80, 8), destroy.get(0x50, 16), destroy.get(0xa8, 24)), (4, 9, 77));

        let mut general = Mailbox::command(GENERAL_CREATE, 0, 32);
        general.set(0x30, 16, 0x26);
        let destroy = create(&general).expect("general").destroy_command(&general, 3, 1);
        assert_eq!((destroy.get(0x30, 16), destroy.get(0x40, 32), destroy.0.len()), (0x26, 3, 16));
    }

    #[test]
    fn special_cases_of_the_lists() {
        let mut psv = Mailbox::command(0x600, 0, 16);
        assert!(create(&psv).is_none());
        psv.set(0x40, 4, 1);
        assert!(create(&psv).is_some());
        let mut fte = Mailbox::command(0x936, 0, 64);
        assert!(create(&fte).is_some() && modify(&fte).is_none());
        fte.set(0x30, 16, 1);
        assert!(create(&fte).is_none() && modify(&fte).is_some());
        assert!(modify(&Mailbox::command(0x50c, 0, 16)).is_none(), "SQD to RTS does not pass");
        assert!(is_general(&Mailbox::command(0xcff, 0, 16)));
        assert!(!is_general(&Mailbox::command(0xd00, 0, 16)));
        assert!(create(&Mailbox::command(0x301, 0, 16)).is_none(), "event queues are the kernel's");
    }
}
