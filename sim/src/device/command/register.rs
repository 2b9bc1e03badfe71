//! Access registers of ports and of the device.

use super::{Check, Command, Done, Entry, demand, entry, refuse};
use crate::device::{Chip, PortType};
use prm::{
    AccessRegisterIn, AccessRegisterOut, Field, PaosReg, PmlpReg, PmtuReg, PtysReg, PvlcReg, opcode, status,
};

pub(super) const COMMANDS: &[Entry] =
    &[entry(opcode::ACCESS_REG, AccessRegisterIn::SIZE, AccessRegisterOut::SIZE, access)];

/// Register numbers.
mod reg {
    pub const QPTS: u16 = 0x4002;
    pub const QETCR: u16 = 0x4005;
    pub const QTCT: u16 = 0x400a;
    pub const QPDPM: u16 = 0x4013;
    pub const DCBX_PARAM: u16 = 0x4020;
    pub const DCBX_APP: u16 = 0x4021;
    pub const PCAP: u16 = 0x5001;
    pub const PMLP: u16 = 0x5002;
    pub const PMTU: u16 = 0x5003;
    pub const PTYS: u16 = 0x5004;
    pub const PAOS: u16 = 0x5006;
    pub const PFCC: u16 = 0x5007;
    pub const PPCNT: u16 = 0x5008;
    pub const PBMC: u16 = 0x500c;
    pub const PELC: u16 = 0x500e;
    pub const PVLC: u16 = 0x500f;
    pub const PPLM: u16 = 0x5023;
    pub const PDDR: u16 = 0x5031;
    pub const PCMR: u16 = 0x5041;
    pub const NODE_DESC: u16 = 0x6001;
    pub const HOST_ENDIANNESS: u16 = 0x7004;
    pub const MTCAP: u16 = 0x9009;
    pub const MTMP: u16 = 0x900a;
    pub const MPCNT: u16 = 0x9051;
    pub const MTPPS: u16 = 0x9053;
    pub const MTPPSE: u16 = 0x9054;
    pub const MTUTC: u16 = 0x9055;
    pub const SBPR: u16 = 0xb001;
    pub const SBCM: u16 = 0xb002;
    pub const SBCAM: u16 = 0xb01f;
}

/// Registers without behaviour of their own: a write is kept, a read shows it.
const PLAIN: &[u16] = &[
    reg::QPTS,
    reg::QETCR,
    reg::QTCT,
    reg::QPDPM,
    reg::DCBX_PARAM,
    reg::DCBX_APP,
    reg::PCAP,
    reg::PFCC,
    reg::PBMC,
    reg::PELC,
    reg::PPLM,
    reg::PCMR,
    reg::HOST_ENDIANNESS,
    reg::MTPPS,
    reg::MTPPSE,
    reg::MTUTC,
    reg::SBPR,
    reg::SBCM,
];
/// Registers that only show: counters and measurements, all at zero.
const ZEROS: &[u16] = &[reg::PPCNT, reg::PDDR, reg::MPCNT, reg::MTCAP, reg::MTMP, reg::SBCAM];

const WRITE: u16 = 0;
const READ: u16 = 1;
/// Every port register starts with the port in its second byte.
const LOCAL_PORT: Field = PmtuReg::LOCAL_PORT;
const IB_MTU: u64 = 4096;
const ETH_MTU: u64 = 9978;
const NODE_DESCRIPTION: &[u8] = b"Software ConnectX-7";
/// InfiniBand link: widths and speeds as masks.
const IB_WIDTHS: u64 = 0xf;
const IB_WIDTH_4X: u64 = 0x2;
const IB_SPEEDS: u64 = 0x7f;
const IB_SPEED_HDR: u64 = 0x40;
/// Ethernet link: 100GBASE-CR4.
const ETH_100G: u64 = 1 << 20;

fn access(chip: &mut Chip, c: &mut Command) -> Done {
    let number = AccessRegisterIn::REGISTER_ID.get(c.input) as u16;
    demand(matches!(c.op_mod, READ | WRITE), status::BAD_PARAM, Check::OpMod)?;
    let data = &c.input[AccessRegisterIn::SIZE..];
    let local_port = LOCAL_PORT.get32(data);
    if number & 0xf000 == 0x5000 {
        demand(local_port <= chip.config().ports as u32, status::BAD_PARAM, Check::Index)?;
    }
    let key = (number, local_port);
    // the device starts from what was sent
    let mut body = data.to_vec();
    if c.op_mod == WRITE {
        demand(writable(number), status::BAD_PARAM, Check::Feature)?;
        chip.registers.insert(key, body.clone());
    } else if let Some(kept) = chip.registers.get(&key) {
        body.clone_from(kept);
        body.resize(data.len(), 0);
    }
    let eth = chip.config().port_type == PortType::Ethernet;
    let up = chip.ports.up(local_port.max(1)) as u64;
    match number {
        reg::NODE_DESC => {
            if c.op_mod == READ && !chip.registers.contains_key(&key) {
                let n = NODE_DESCRIPTION.len().min(body.len());
                body[..n].copy_from_slice(&NODE_DESCRIPTION[..n]);
            }
        }
        reg::PMTU => {
            let max = if eth { ETH_MTU } else { IB_MTU };
            let admin = match PmtuReg::ADMIN_MTU.get(&body) {
                0 => max,
                n => n,
            };
            demand(admin <= max, status::BAD_PARAM, Check::Limit)?;
            PmtuReg::MAX_MTU.set(&mut body, max);
            PmtuReg::ADMIN_MTU.set(&mut body, admin);
            PmtuReg::OPER_MTU.set(&mut body, admin);
        }
        reg::PTYS => link(&mut body, eth),
        reg::PVLC => {
            for f in [PvlcReg::VL_HW_CAP, PvlcReg::VL_ADMIN, PvlcReg::VL_OPERATIONAL] {
                f.set(&mut body, 4);
            }
        }
        reg::PAOS => {
            if c.op_mod == READ && !chip.registers.contains_key(&key) {
                PaosReg::ADMIN_STATUS.set(&mut body, 1);
            }
            PaosReg::OPER_STATUS.set(&mut body, if up != 0 { 1 } else { 2 });
        }
        reg::PMLP => PmlpReg::WIDTH.set(&mut body, 4),
        n if ZEROS.contains(&n) || PLAIN.contains(&n) => {}
        _ => return refuse(status::BAD_PARAM, Check::Index),
    }
    c.answer(AccessRegisterOut::SIZE, &body);
    Ok(())
}

fn writable(number: u16) -> bool {
    PLAIN.contains(&number)
        || matches!(number, reg::NODE_DESC | reg::PMTU | reg::PTYS | reg::PVLC | reg::PAOS | reg::PMLP)
}

fn link(body: &mut [u8], eth: bool) {
    if eth {
        for f in [PtysReg::ETH_PROTO_CAPABILITY, PtysReg::ETH_PROTO_ADMIN, PtysReg::ETH_PROTO_OPER] {
            f.set(body, ETH_100G);
        }
        return;
    }
    let values = [
        (PtysReg::IB_LINK_WIDTH_CAPABILITY, IB_WIDTHS),
        (PtysReg::IB_LINK_WIDTH_ADMIN, IB_WIDTHS),
        (PtysReg::IB_LINK_WIDTH_OPER, IB_WIDTH_4X),
        (PtysReg::IB_PROTO_CAPABILITY, IB_SPEEDS),
        (PtysReg::IB_PROTO_ADMIN, IB_SPEEDS),
        (PtysReg::IB_PROTO_OPER, IB_SPEED_HDR),
    ];
    for (f, v) in values {
        f.set(body, v);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::*;
    use prm::MboxIn;

    fn access(b: &mut Bench, number: u16, op_mod: u16, f: &[(Field, u64)]) -> u8 {
        let head = [(AccessRegisterIn::REGISTER_ID, number as u64), (MboxIn::OP_MOD, op_mod as u64)];
        let body: Vec<_> = f.iter().map(|(f, v)| (f.at(AccessRegisterIn::BITS), *v)).collect();
        b.cmd(opcode::ACCESS_REG, 0, 16 + 64, &[&head[..], &body].concat(), 16 + 64)
    }

    fn out(b: &Bench, f: Field) -> u64 {
        f.at(AccessRegisterOut::BITS).get(&b.out)
    }

    #[test]
    fn writes_stay_and_limits_hold() {
        let mut b = Bench::new();
        let port = (PmtuReg::LOCAL_PORT, 1);
        assert_eq!(access(&mut b, reg::PMTU, READ, &[(PmtuReg::LOCAL_PORT, 9)]), status::BAD_PARAM);
        assert_eq!(access(&mut b, reg::PMTU, READ, &[port]), status::OK);
        assert_eq!((out(&b, PmtuReg::MAX_MTU), out(&b, PmtuReg::OPER_MTU)), (ETH_MTU, ETH_MTU));
        assert_eq!(access(&mut b, reg::PMTU, WRITE, &[port, (PmtuReg::ADMIN_MTU, 1522)]), status::OK);
        assert_eq!(access(&mut b, reg::PMTU, READ, &[port]), status::OK);
        assert_eq!((out(&b, PmtuReg::MAX_MTU), out(&b, PmtuReg::OPER_MTU)), (ETH_MTU, 1522));
        assert_eq!(access(&mut b, 0x5fff, READ, &[port]), status::BAD_PARAM);
        assert_eq!(access(&mut b, reg::PPCNT, WRITE, &[port]), status::BAD_PARAM);
        assert_eq!(access(&mut b, reg::PMTU, 2, &[port]), status::BAD_PARAM);
    }

    #[test]
    fn the_link_is_what_the_port_is() {
        let mut b = Bench::new();
        assert_eq!(access(&mut b, reg::PTYS, READ, &[(PtysReg::LOCAL_PORT, 1)]), status::OK);
        assert_eq!((out(&b, PtysReg::ETH_PROTO_OPER), out(&b, PtysReg::IB_PROTO_OPER)), (ETH_100G, 0));
        let mut b = Bench::with(crate::device::Config::default());
        assert_eq!(access(&mut b, reg::PTYS, READ, &[(PtysReg::LOCAL_PORT, 1)]), status::OK);
        assert_eq!((out(&b, PtysReg::ETH_PROTO_OPER), out(&b, PtysReg::IB_PROTO_OPER)), (0, IB_SPEED_HDR));
    }
}
