//! A chip with memory around it, for the tests of the command handlers.

use crate::device::{Chip, Config, DmaFault, Host, PortType};
use prm::{Field, MboxIn, MboxOut, opcode};
use std::cell::RefCell;

/// Memory from bus address 0 up, and the vectors that were raised.
pub struct Memory {
    pub bytes: RefCell<Vec<u8>>,
    pub vectors: RefCell<Vec<u32>>,
}

impl Host for Memory {
    fn read(&self, addr: u64, buf: &mut [u8]) -> Result<(), DmaFault> {
        let bytes = self.bytes.borrow();
        let from = bytes.get(addr as usize..).and_then(|b| b.get(..buf.len())).ok_or(DmaFault { addr })?;
        buf.copy_from_slice(from);
        Ok(())
    }

    fn write(&self, addr: u64, data: &[u8]) -> Result<(), DmaFault> {
        let mut bytes = self.bytes.borrow_mut();
        let to =
            bytes.get_mut(addr as usize..).and_then(|b| b.get_mut(..data.len())).ok_or(DmaFault { addr })?;
        to.copy_from_slice(data);
        Ok(())
    }

    fn interrupt(&self, vector: u32) {
        self.vectors.borrow_mut().push(vector);
    }
}

/// A running chip and what a test does with it.
pub struct Bench {
    pub chip: Chip,
    pub host: Memory,
    pub out: Vec<u8>,
}

impl Bench {
    pub fn new() -> Bench {
        Bench::with(Config { port_type: PortType::Ethernet, ..Config::default() })
    }

    pub fn with(config: Config) -> Bench {
        let host = Memory { bytes: RefCell::new(vec![0; 1 << 20]), vectors: RefCell::new(Vec::new()) };
        let mut chip = Chip::new(config);
        assert!(chip.boot(&host), "the chip does not start");
        Bench { chip, host, out: Vec::new() }
    }

    /// Run a command; the status, and the output.
    pub fn run(&mut self, input: &[u8], outlen: usize) -> (u8, &[u8]) {
        self.out = vec![0xee; outlen];
        let s = self.chip.execute(&self.host, input, &mut self.out);
        assert_eq!(self.out.first(), Some(&s.status));
        (s.status, &self.out)
    }

    pub fn syndrome(&self) -> u32 {
        MboxOut::SYNDROME.get32(&self.out)
    }

    /// Run a command of `len` bytes with some fields set.
    pub fn cmd(&mut self, op: u16, uid: u16, len: usize, fields: &[(Field, u64)], outlen: usize) -> u8 {
        let input = command(op, uid, len, fields);
        self.run(&input, outlen).0
    }

    /// Run a creating command that must succeed; the new number sits in bits 0x48..0x60.
    pub fn create(&mut self, op: u16, uid: u16, len: usize, fields: &[(Field, u64)]) -> u32 {
        let s = self.cmd(op, uid, len, fields, 16);
        assert_eq!(s, 0, "{:?} syndrome {:#x}", opcode::name(op), self.syndrome());
        Field::new(0x48, 24).get32(&self.out)
    }

    /// A new user context.
    pub fn uctx(&mut self) -> u16 {
        assert_eq!(self.cmd(opcode::CREATE_UCTX, 0, 64, &[], 16), 0);
        prm::CreateUctxOut::UID.get(&self.out) as u16
    }

    pub fn pd(&mut self, uid: u16) -> u32 {
        self.create(opcode::ALLOC_PD, uid, 16, &[])
    }

    pub fn uar(&mut self, uid: u16) -> u32 {
        self.create(opcode::ALLOC_UAR, uid, 16, &[])
    }

    /// A completion event queue of 16 entries in one page of its own.
    pub fn eq(&mut self) -> u32 {
        use prm::{CreateEqIn as C, Eqc};
        let uar = self.uar(0);
        let ctx = C::EQ_CONTEXT_ENTRY;
        let fields = [
            (Eqc::LOG_EQ_SIZE.within(ctx), 4),
            (Eqc::UAR_PAGE.within(ctx), uar as u64),
            (Eqc::INTR.within(ctx), 3),
            (C::PAS, 0x1000),
        ];
        assert_eq!(self.cmd(opcode::CREATE_EQ, 0, C::SIZE + 8, &fields, 16), 0, "{:#x}", self.syndrome());
        prm::CreateEqOut::EQ_NUMBER.get32(&self.out)
    }

    /// A completion queue of 16 entries.
    pub fn cq(&mut self, uid: u16) -> u32 {
        use prm::{Cqc, CreateCqIn as C};
        let (eq, uar) = (self.eq(), self.uar(uid));
        let ctx = C::CQ_CONTEXT;
        self.create(
            opcode::CREATE_CQ,
            uid,
            C::SIZE + 8,
            &[
                (Cqc::LOG_CQ_SIZE.within(ctx), 4),
                (Cqc::UAR_PAGE.within(ctx), uar as u64),
                (Cqc::C_EQN_OR_APU_ELEMENT.within(ctx), eq as u64),
                (Cqc::DBR_ADDR.within(ctx), 0x3000),
                (C::PAS, 0x4000),
            ],
        )
    }
}

/// A command with its head and some fields.
pub fn command(op: u16, uid: u16, len: usize, fields: &[(Field, u64)]) -> Vec<u8> {
    let mut input = vec![0; len];
    MboxIn::OPCODE.set(&mut input, op as u64);
    MboxIn::UID.set(&mut input, uid as u64);
    for (f, v) in fields {
        f.set(&mut input, *v);
    }
    input
}
