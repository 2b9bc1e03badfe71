//! Ports and virtual ports: states, contexts, identifiers, address tables.

use super::{Check, Command, Done, Entry, Refusal, demand, entry, refuse};
use crate::device::host::Host;
use crate::device::{Chip, PortType};
use prm::{
    AddVxlanUdpDportIn, CmdHcaCap, DeleteL2TableEntryIn, DeleteVxlanUdpDportIn, Field, HcaVportContext,
    MboxIn, ModifyHcaVportContextIn, ModifyNicVportContextIn, ModifyNicVportFieldSelect, ModifyVportStateIn,
    NicVportContext, QueryHcaVportContextIn, QueryHcaVportContextOut, QueryHcaVportGidIn,
    QueryHcaVportGidOut, QueryHcaVportPkeyIn, QueryHcaVportPkeyOut, QueryL2TableEntryIn,
    QueryL2TableEntryOut, QueryLagOut, QueryNicVportContextIn, QueryNicVportContextOut, QueryRoceAddressIn,
    QueryRoceAddressOut, QueryVportStateIn, QueryVportStateOut, RoceAddrLayout, RoceCap, SetL2TableEntryIn,
    SetRoceAddressIn, event, opcode, status,
};
use std::collections::{BTreeMap, BTreeSet};

pub(super) const COMMANDS: &[Entry] = &[
    entry(opcode::QUERY_VPORT_STATE, QueryVportStateIn::SIZE, QueryVportStateOut::SIZE, query_state),
    entry(opcode::MODIFY_VPORT_STATE, ModifyVportStateIn::SIZE, 16, modify_state),
    entry(
        opcode::QUERY_HCA_VPORT_CONTEXT,
        QueryHcaVportContextIn::SIZE,
        QueryHcaVportContextOut::SIZE,
        query_hca,
    ),
    entry(opcode::MODIFY_HCA_VPORT_CONTEXT, ModifyHcaVportContextIn::SIZE, 16, modify_hca),
    entry(opcode::QUERY_HCA_VPORT_GID, QueryHcaVportGidIn::SIZE, QueryHcaVportGidOut::SIZE, query_gid),
    entry(opcode::QUERY_HCA_VPORT_PKEY, QueryHcaVportPkeyIn::SIZE, QueryHcaVportPkeyOut::SIZE, query_pkey),
    entry(opcode::QUERY_NIC_VPORT_CONTEXT, QueryNicVportContextIn::SIZE, 16, query_nic),
    entry(opcode::MODIFY_NIC_VPORT_CONTEXT, ModifyNicVportContextIn::SIZE, 16, modify_nic),
    entry(opcode::SET_ROCE_ADDRESS, SetRoceAddressIn::SIZE, 16, set_roce_address),
    entry(
        opcode::QUERY_ROCE_ADDRESS,
        QueryRoceAddressIn::SIZE,
        QueryRoceAddressOut::SIZE,
        query_roce_address,
    ),
    entry(opcode::SET_L2_TABLE_ENTRY, SetL2TableEntryIn::SIZE, 16, set_l2),
    entry(opcode::QUERY_L2_TABLE_ENTRY, QueryL2TableEntryIn::SIZE, QueryL2TableEntryOut::SIZE, query_l2),
    entry(opcode::DELETE_L2_TABLE_ENTRY, DeleteL2TableEntryIn::SIZE, 16, delete_l2),
    entry(opcode::ADD_VXLAN_UDP_DPORT, AddVxlanUdpDportIn::SIZE, 16, add_vxlan),
    entry(opcode::DELETE_VXLAN_UDP_DPORT, DeleteVxlanUdpDportIn::SIZE, 16, delete_vxlan),
    entry(opcode::QUERY_LAG, MboxIn::SIZE, QueryLagOut::SIZE, query_lag),
];

const STATE_UP: u64 = 1;
/// InfiniBand port states.
const PORT_DOWN: u64 = 1;
const PORT_ACTIVE: u64 = 4;
/// InfiniBand physical states.
const PHYSICAL_POLLING: u64 = 2;
const PHYSICAL_LINK_UP: u64 = 5;
const GID_PREFIX: u64 = 0xfe80_0000_0000_0000;
const GIDS: usize = 8;
const PKEYS: usize = 128;
/// Capability mask of an InfiniBand port.
const PORT_CAPABILITIES: u64 = 0x0251_0868;
/// VXLAN destination ports that the parser can hold.
const MAX_VXLAN_PORTS: usize = 16;

/// What the ports know.
pub(in crate::device) struct Ports {
    /// Links, by port from 1 on; index 0 is unused.
    link: [bool; 3],
    /// Context of the NIC side, with the lists behind it taken out.
    nic: Vec<u8>,
    /// Unicast, multicast and VLAN lists.
    lists: BTreeMap<u32, Vec<u8>>,
    capability_mask: u64,
    roce: BTreeMap<u32, Vec<u8>>,
    l2: BTreeMap<u32, Vec<u8>>,
    pub vxlan: BTreeSet<u16>,
}

impl Ports {
    pub fn new(guid: u64, mac: u64) -> Ports {
        let mut nic = vec![0; NicVportContext::SIZE];
        NicVportContext::MTU.set(&mut nic, 9000);
        for f in [NicVportContext::SYSTEM_IMAGE_GUID, NicVportContext::PORT_GUID, NicVportContext::NODE_GUID]
        {
            f.set(&mut nic, guid);
        }
        NicVportContext::PERMANENT_ADDRESS.set(&mut nic, mac);
        Ports {
            link: [true; 3],
            nic,
            lists: BTreeMap::new(),
            capability_mask: PORT_CAPABILITIES,
            roce: BTreeMap::new(),
            l2: BTreeMap::new(),
            vxlan: BTreeSet::new(),
        }
    }

    pub fn up(&self, port: u32) -> bool {
        self.link.get(port as usize).copied().unwrap_or(false)
    }
}

impl Chip {
    /// Plug or pull the cable of a port (1 or 2); the drivers hear of it.
    pub fn set_link(&mut self, host: &dyn Host, port: u8, up: bool) {
        let changed = self.ports.link.get_mut(port as usize).is_some_and(|l| std::mem::replace(l, up) != up);
        if changed {
            self.raise_port_change(host, port, if up { event::PORT_ACTIVE } else { event::PORT_DOWN });
        }
    }
}

/// Only the function's own virtual port exists.
fn own_vport(c: &Command) -> Done {
    let other = QueryVportStateIn::OTHER_VPORT.is_set(c.input);
    demand(!other || QueryVportStateIn::VPORT_NUMBER.get(c.input) == 0, status::BAD_PARAM, Check::Index)
}

/// The port that a command names; 0 is the first.
fn port(chip: &Chip, c: &Command) -> Result<u32, Refusal> {
    own_vport(c)?;
    let n = QueryHcaVportContextIn::PORT_NUM.get32(c.input).max(1);
    demand(n <= chip.config().ports as u32, status::BAD_PARAM, Check::Index)?;
    Ok(n)
}

fn query_state(chip: &mut Chip, c: &mut Command) -> Done {
    own_vport(c)?;
    QueryVportStateOut::TX_SPEED.set(c.out, 1000);
    QueryVportStateOut::ADMIN_STATE.set(c.out, STATE_UP);
    QueryVportStateOut::STATE.set(c.out, chip.ports.up(1) as u64);
    Ok(())
}

fn modify_state(_: &mut Chip, c: &mut Command) -> Done {
    own_vport(c)?;
    // down, up, follow
    demand(ModifyVportStateIn::ADMIN_STATE.get(c.input) <= 2, status::BAD_PARAM, Check::Field)
}

fn query_hca(chip: &mut Chip, c: &mut Command) -> Done {
    let n = port(chip, c)?;
    let (up, guid) = (chip.ports.up(n), chip.port_guid(n));
    let node = chip.config().guid;
    let mask = chip.ports.capability_mask;
    let mut set = |f: Field, v: u64| f.within(QueryHcaVportContextOut::HCA_VPORT_CONTEXT).set(c.out, v);
    set(HcaVportContext::PORT_PHYSICAL_STATE, if up { PHYSICAL_LINK_UP } else { PHYSICAL_POLLING });
    set(HcaVportContext::VPORT_STATE, if up { PORT_ACTIVE } else { PORT_DOWN });
    set(HcaVportContext::PORT_STATE, if up { PORT_ACTIVE } else { PORT_DOWN });
    set(HcaVportContext::SYSTEM_IMAGE_GUID, node);
    set(HcaVportContext::PORT_GUID, guid);
    set(HcaVportContext::NODE_GUID, node);
    set(HcaVportContext::CAP_MASK1, mask);
    // in a query this word says which bits may be changed
    set(HcaVportContext::CAP_MASK1_FIELD_SELECT, u32::MAX as u64);
    set(HcaVportContext::LID, n as u64);
    set(HcaVportContext::SUBNET_TIMEOUT, 18);
    set(HcaVportContext::SM_LID, 1);
    Ok(())
}

fn modify_hca(chip: &mut Chip, c: &mut Command) -> Done {
    port(chip, c)?;
    let get = |f: Field| f.within(ModifyHcaVportContextIn::HCA_VPORT_CONTEXT).get(c.input);
    let select = get(HcaVportContext::CAP_MASK1_FIELD_SELECT);
    let mask = get(HcaVportContext::CAP_MASK1);
    chip.ports.capability_mask = (chip.ports.capability_mask & !select) | (mask & select);
    Ok(())
}

/// Entries `index`, or all of them for 0xffff, of a table of `n`.
fn indexes(index: usize, n: usize) -> Result<std::ops::Range<usize>, Refusal> {
    match index {
        0xffff => Ok(0..n),
        i if i < n => Ok(i..i + 1),
        _ => refuse(status::BAD_INDEX, Check::Index),
    }
}

fn query_gid(chip: &mut Chip, c: &mut Command) -> Done {
    let n = port(chip, c)?;
    let wanted = indexes(QueryHcaVportGidIn::GID_INDEX.get(c.input) as usize, GIDS)?;
    c.room(QueryHcaVportGidOut::SIZE + wanted.len() * 16)?;
    QueryHcaVportGidOut::GIDS_NUM.set(c.out, wanted.len() as u64);
    let guid = chip.port_guid(n);
    for (k, index) in wanted.enumerate() {
        let at = QueryHcaVportGidOut::GID.nth(k, 128).off;
        Field::new(at, 64).set(c.out, GID_PREFIX);
        Field::new(at + 64, 64).set(c.out, if index == 0 { guid } else { 0 });
    }
    Ok(())
}

fn query_pkey(chip: &mut Chip, c: &mut Command) -> Done {
    port(chip, c)?;
    let wanted = indexes(QueryHcaVportPkeyIn::PKEY_INDEX.get(c.input) as usize, PKEYS)?;
    c.room(QueryHcaVportPkeyOut::SIZE + wanted.len() * 4)?;
    for (k, index) in wanted.enumerate() {
        QueryHcaVportPkeyOut::PKEY.nth(k, 32).set(c.out, if index == 0 { 0xffff } else { 0 });
    }
    Ok(())
}

fn query_nic(chip: &mut Chip, c: &mut Command) -> Done {
    own_vport(c)?;
    let list = QueryNicVportContextIn::ALLOWED_LIST_TYPE.get32(c.input);
    c.room(QueryNicVportContextOut::SIZE)?;
    let ctx = QueryNicVportContextOut::NIC_VPORT_CONTEXT;
    c.answer(ctx.byte(), &chip.ports.nic);
    let entries = chip.ports.lists.get(&list).map_or(&[][..], |l| l);
    NicVportContext::ALLOWED_LIST_TYPE.within(ctx).set(c.out, list as u64);
    NicVportContext::ALLOWED_LIST_SIZE.within(ctx).set(c.out, entries.len() as u64 / 8);
    c.answer(QueryNicVportContextOut::SIZE, entries);
    Ok(())
}

fn modify_nic(chip: &mut Chip, c: &mut Command) -> Done {
    use ModifyNicVportFieldSelect as Select;
    own_vport(c)?;
    let ctx = ModifyNicVportContextIn::NIC_VPORT_CONTEXT;
    let selected = |f: Field| f.within(ModifyNicVportContextIn::FIELD_SELECT).is_set(c.input);
    let roce = NicVportContext::ROCE_EN.within(ctx).is_set(c.input);
    if selected(Select::ROCE_EN) && roce {
        let offered = chip.caps.general(CmdHcaCap::ROCE) != 0;
        demand(offered, status::BAD_PARAM, Check::Capability)?;
    }
    if selected(Select::ADDRESSES_LIST) {
        let n = NicVportContext::ALLOWED_LIST_SIZE.within(ctx).get(c.input) as usize;
        let list = NicVportContext::ALLOWED_LIST_TYPE.within(ctx).get32(c.input);
        let limit = match list {
            0 => CmdHcaCap::LOG_MAX_CURRENT_UC_LIST,
            1 => CmdHcaCap::LOG_MAX_CURRENT_MC_LIST,
            2 => CmdHcaCap::LOG_MAX_VLAN_LIST,
            _ => return refuse(status::BAD_PARAM, Check::Field),
        };
        demand(n <= 1 << chip.caps.general(limit), status::EXCEED_LIM, Check::Limit)?;
        let entries = c.bytes(ModifyNicVportContextIn::SIZE, n * 8)?.to_vec();
        chip.ports.lists.insert(list, entries);
    }
    let groups: [(Field, &[Field]); 10] = [
        (Select::DISABLE_UC_LOCAL_LB, &[NicVportContext::DISABLE_UC_LOCAL_LB]),
        (Select::DISABLE_MC_LOCAL_LB, &[NicVportContext::DISABLE_MC_LOCAL_LB]),
        (Select::NODE_GUID, &[NicVportContext::NODE_GUID]),
        (Select::PORT_GUID, &[NicVportContext::PORT_GUID]),
        (Select::MIN_INLINE, &[NicVportContext::MIN_WQE_INLINE_MODE]),
        (Select::MTU, &[NicVportContext::MTU]),
        (
            Select::PROMISC,
            &[NicVportContext::PROMISC_UC, NicVportContext::PROMISC_MC, NicVportContext::PROMISC_ALL],
        ),
        (Select::PERMANENT_ADDRESS, &[NicVportContext::PERMANENT_ADDRESS]),
        (Select::ROCE_EN, &[NicVportContext::ROCE_EN]),
        (
            Select::CHANGE_EVENT,
            &[
                NicVportContext::ARM_CHANGE_EVENT,
                NicVportContext::EVENT_ON_MTU,
                NicVportContext::EVENT_ON_PROMISC_CHANGE,
                NicVportContext::EVENT_ON_VLAN_CHANGE,
                NicVportContext::EVENT_ON_MC_ADDRESS_CHANGE,
                NicVportContext::EVENT_ON_UC_ADDRESS_CHANGE,
            ],
        ),
    ];
    let given = ctx.slice(c.input);
    for (_, fields) in groups.into_iter().filter(|(f, _)| selected(*f)) {
        for f in fields {
            f.copy(given, &mut chip.ports.nic);
        }
    }
    Ok(())
}

fn roce_index(chip: &Chip, c: &Command) -> Result<u32, Refusal> {
    let offered = chip.caps.general(CmdHcaCap::ROCE) != 0 && chip.config().port_type == PortType::Ethernet;
    demand(offered, status::BAD_OP, Check::Capability)?;
    let index = SetRoceAddressIn::ROCE_ADDRESS_INDEX.get32(c.input);
    demand(index < chip.caps.roce(RoceCap::ROCE_ADDRESS_TABLE_SIZE), status::BAD_INDEX, Check::Index)?;
    Ok(index)
}

fn set_roce_address(chip: &mut Chip, c: &mut Command) -> Done {
    let index = roce_index(chip, c)?;
    let at = SetRoceAddressIn::ROCE_ADDRESS;
    let mut address = [0; 16];
    address.copy_from_slice(RoceAddrLayout::SOURCE_L3_ADDRESS.within(at).slice(c.input));
    let version = RoceAddrLayout::ROCE_VERSION.within(at).get(c.input) as u8;
    let ipv4 = RoceAddrLayout::ROCE_L3_TYPE.within(at).get(c.input) == 0;
    chip.ports.roce.insert(index, at.slice(c.input).to_vec());
    chip.roce_addr.insert(index as u16, (address, version, ipv4));
    Ok(())
}

fn query_roce_address(chip: &mut Chip, c: &mut Command) -> Done {
    let index = roce_index(chip, c)?;
    if let Some(entry) = chip.ports.roce.get(&index) {
        c.answer(QueryRoceAddressOut::ROCE_ADDRESS.byte(), entry);
    }
    Ok(())
}

fn l2_index(chip: &Chip, c: &Command) -> Result<u32, Refusal> {
    let index = SetL2TableEntryIn::TABLE_INDEX.get32(c.input);
    let size = 1u32 << chip.caps.general(CmdHcaCap::LOG_MAX_L2_TABLE);
    demand(index < size, status::BAD_INDEX, Check::Index)?;
    Ok(index)
}

fn set_l2(chip: &mut Chip, c: &mut Command) -> Done {
    let index = l2_index(chip, c)?;
    chip.ports.l2.insert(index, c.input.to_vec());
    Ok(())
}

fn query_l2(chip: &mut Chip, c: &mut Command) -> Done {
    let index = l2_index(chip, c)?;
    let Some(entry) = chip.ports.l2.get(&index) else {
        return refuse(status::BAD_RES, Check::Handle);
    };
    for f in [SetL2TableEntryIn::VLAN_VALID, SetL2TableEntryIn::VLAN, SetL2TableEntryIn::MAC_ADDRESS] {
        f.copy(entry, c.out);
    }
    Ok(())
}

fn delete_l2(chip: &mut Chip, c: &mut Command) -> Done {
    let index = l2_index(chip, c)?;
    demand(chip.ports.l2.remove(&index).is_some(), status::BAD_RES, Check::Handle)
}

fn add_vxlan(chip: &mut Chip, c: &mut Command) -> Done {
    let port = AddVxlanUdpDportIn::VXLAN_UDP_PORT.get(c.input) as u16;
    demand(port != 0, status::BAD_PARAM, Check::Field)?;
    demand(chip.ports.vxlan.len() < MAX_VXLAN_PORTS, status::NO_RESOURCES, Check::Exhausted)?;
    demand(chip.ports.vxlan.insert(port), status::BAD_PARAM, Check::Overlap)
}

fn delete_vxlan(chip: &mut Chip, c: &mut Command) -> Done {
    let port = DeleteVxlanUdpDportIn::VXLAN_UDP_PORT.get(c.input) as u16;
    demand(chip.ports.vxlan.remove(&port), status::BAD_RES, Check::Handle)
}

/// No bond is ever made: the state stays 0.
fn query_lag(_: &mut Chip, _: &mut Command) -> Done {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::*;
    use crate::device::Config;

    #[test]
    fn tables_check_their_index() {
        let mut b = Bench::with(Config::default());
        let gid = |b: &mut Bench, i: u64, len| {
            b.cmd(opcode::QUERY_HCA_VPORT_GID, 0, 16, &[(QueryHcaVportGidIn::GID_INDEX, i)], len)
        };
        assert_eq!(gid(&mut b, 8, 32), status::BAD_INDEX);
        assert_eq!(gid(&mut b, 0xffff, 32), status::BAD_OUTPUT_LEN);
        assert_eq!(gid(&mut b, 0, 32), status::OK);
        let guid = b.chip.port_guid(1);
        assert_eq!(Field::new(0xc0, 64).get(&b.out), guid);
        let pkey = [(QueryHcaVportPkeyIn::PKEY_INDEX, 0)];
        assert_eq!(b.cmd(opcode::QUERY_HCA_VPORT_PKEY, 0, 16, &pkey, 20), status::OK);
        assert_eq!(QueryHcaVportPkeyOut::PKEY.get(&b.out), 0xffff);
        let second = [(QueryHcaVportContextIn::PORT_NUM, 2)];
        let len = QueryHcaVportContextOut::SIZE;
        assert_eq!(b.cmd(opcode::QUERY_HCA_VPORT_CONTEXT, 0, 16, &second, len), status::BAD_PARAM);
        let mut b = Bench::with(Config { ports: 2, ..Config::default() });
        assert_eq!(b.cmd(opcode::QUERY_HCA_VPORT_CONTEXT, 0, 16, &second, len), status::OK);
    }

    #[test]
    fn a_pulled_cable_shows() {
        let mut b = Bench::with(Config::default());
        b.chip.set_link(&b.host, 1, false);
        let len = QueryHcaVportContextOut::SIZE;
        assert_eq!(b.cmd(opcode::QUERY_HCA_VPORT_CONTEXT, 0, 16, &[], len), status::OK);
        let state = HcaVportContext::PORT_STATE.within(QueryHcaVportContextOut::HCA_VPORT_CONTEXT);
        assert_eq!(state.get(&b.out), PORT_DOWN);
        assert_eq!(b.cmd(opcode::QUERY_VPORT_STATE, 0, 16, &[], 16), status::OK);
        assert_eq!(QueryVportStateOut::STATE.get(&b.out), 0);
    }

    #[test]
    fn the_nic_context_changes_by_selection() {
        let mut b = Bench::new();
        let ctx = ModifyNicVportContextIn::NIC_VPORT_CONTEXT;
        let select = |f: Field| (f.within(ModifyNicVportContextIn::FIELD_SELECT), 1);
        let modify =
            |b: &mut Bench, len, f: &[(Field, u64)]| b.cmd(opcode::MODIFY_NIC_VPORT_CONTEXT, 0, len, f, 16);
        let values = [(NicVportContext::MTU.within(ctx), 2000), (NicVportContext::ROCE_EN.within(ctx), 1)];
        let f = [&values[..], &[select(ModifyNicVportFieldSelect::ROCE_EN)]].concat();
        assert_eq!(modify(&mut b, ModifyNicVportContextIn::SIZE, &f), status::OK);
        let list = [
            select(ModifyNicVportFieldSelect::ADDRESSES_LIST),
            (NicVportContext::ALLOWED_LIST_SIZE.within(ctx), 1),
            (Field::new(ModifyNicVportContextIn::BITS, 64), 0x0002_0000_1111_2222),
        ];
        assert_eq!(modify(&mut b, ModifyNicVportContextIn::SIZE, &list[..2]), status::BAD_INPUT_LEN);
        assert_eq!(modify(&mut b, ModifyNicVportContextIn::SIZE + 8, &list), status::OK);
        let len = QueryNicVportContextOut::SIZE + 8;
        assert_eq!(b.cmd(opcode::QUERY_NIC_VPORT_CONTEXT, 0, 16, &[], len), status::OK);
        let out = QueryNicVportContextOut::NIC_VPORT_CONTEXT;
        assert_eq!(NicVportContext::ROCE_EN.within(out).get(&b.out), 1);
        assert_eq!(NicVportContext::MTU.within(out).get(&b.out), 9000, "not selected");
        assert_eq!(NicVportContext::ALLOWED_LIST_SIZE.within(out).get(&b.out), 1);
        assert_eq!(Field::new(QueryNicVportContextOut::BITS, 64).get(&b.out), 0x0002_0000_1111_2222);
    }

    #[test]
    fn address_tables_keep_and_refuse() {
        let mut b = Bench::new();
        let at = SetRoceAddressIn::ROCE_ADDRESS;
        let version = RoceAddrLayout::ROCE_VERSION;
        let set = |b: &mut Bench, i: u64| {
            let f = [(SetRoceAddressIn::ROCE_ADDRESS_INDEX, i), (version.within(at), 2)];
            b.cmd(opcode::SET_ROCE_ADDRESS, 0, SetRoceAddressIn::SIZE, &f, 16)
        };
        assert_eq!(set(&mut b, 5000), status::BAD_INDEX);
        assert_eq!(set(&mut b, 3), status::OK);
        let query = [(QueryRoceAddressIn::ROCE_ADDRESS_INDEX, 3)];
        assert_eq!(b.cmd(opcode::QUERY_ROCE_ADDRESS, 0, 16, &query, QueryRoceAddressOut::SIZE), status::OK);
        assert_eq!(version.within(QueryRoceAddressOut::ROCE_ADDRESS).get(&b.out), 2);
        let l2 =
            |b: &mut Bench, op: u16, i: u64| b.cmd(op, 0, 64, &[(SetL2TableEntryIn::TABLE_INDEX, i)], 64);
        assert_eq!(l2(&mut b, opcode::SET_L2_TABLE_ENTRY, 1 << 20), status::BAD_INDEX);
        assert_eq!(l2(&mut b, opcode::DELETE_L2_TABLE_ENTRY, 5), status::BAD_RES);
        assert_eq!(l2(&mut b, opcode::SET_L2_TABLE_ENTRY, 5), status::OK);
        assert_eq!(l2(&mut b, opcode::DELETE_L2_TABLE_ENTRY, 5), status::OK);
        let vxlan = |b: &mut Bench, op: u16, port: u64| {
            b.cmd(op, 0, 16, &[(AddVxlanUdpDportIn::VXLAN_UDP_PORT, port)], 16)
        };
        assert_eq!(vxlan(&mut b, opcode::ADD_VXLAN_UDP_DPORT, 4789), status::OK);
        assert_eq!(vxlan(&mut b, opcode::ADD_VXLAN_UDP_DPORT, 4789), status::BAD_PARAM);
        assert_eq!(vxlan(&mut b, opcode::DELETE_VXLAN_UDP_DPORT, 4790), status::BAD_RES);
        assert_eq!(vxlan(&mut b, opcode::DELETE_VXLAN_UDP_DPORT, 4789), status::OK);
    }
}
