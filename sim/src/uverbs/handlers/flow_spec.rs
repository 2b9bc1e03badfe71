//! Flow specifications of the verbs' CREATE_FLOW, made match parameters as the driver does.

use super::super::bytes::In;
use nix::errno::Errno;
use prm::{DrMatchParam, DrMatchSetMisc, DrMatchSetMisc2, DrMatchSpec, Field};

/// Types of specifications (`ib_user_verbs.h`).
mod kind {
    pub const ETH: u32 = 0x20;
    pub const IPV4: u32 = 0x30;
    pub const IPV6: u32 = 0x31;
    pub const ESP: u32 = 0x34;
    pub const TCP: u32 = 0x40;
    pub const UDP: u32 = 0x41;
    pub const VXLAN: u32 = 0x50;
    pub const GRE: u32 = 0x51;
    pub const MPLS: u32 = 0x60;
    /// Headers inside a tunnel.
    pub const INNER: u32 = 0x100;
    pub const TAG: u32 = 0x1000;
    pub const DROP: u32 = 0x1001;
    pub const HANDLE: u32 = 0x1002;
    pub const COUNT: u32 = 0x1003;
}

/// Bytes of a specification's head: type, size, a reserved word.
const HEAD: usize = 8;

/// What all specifications of a flow amount to.
#[derive(Debug, PartialEq, Eq)]
pub struct Specs {
    /// Masks of match parameters.
    pub mask: Vec<u8>,
    /// Values of match parameters.
    pub value: Vec<u8>,
    /// Tag of completions.
    pub tag: Option<u32>,
    /// Whether packets are dropped.
    pub drop: bool,
    /// Flow actions, as handles.
    pub actions: Vec<u32>,
    /// Counters, as handles.
    pub counters: Vec<u32>,
}

/// A filter being translated.
struct Filter<'a> {
    value: In<'a>,
    mask: In<'a>,
}

impl Specs {
    /// Translate `count` specifications, which must fill `list`.
    pub fn parse(list: &[u8], count: usize, match_bytes: usize) -> Result<Specs, Errno> {
        let mut s = Specs {
            mask: vec![0; match_bytes],
            value: vec![0; match_bytes],
            tag: None,
            drop: false,
            actions: Vec::new(),
            counters: Vec::new(),
        };
        let (mut rest, mut before) = (list, 0);
        for _ in 0..count {
            let head = In(rest);
            let size = head.u16(4) as usize;
            if rest.len() < HEAD || size < HEAD || size > rest.len() || head.u16(6) != 0 {
                return Err(Errno::EINVAL);
            }
            let (spec, next) = rest.split_at(size);
            let ty = head.u32(0);
            if ty >= kind::TAG {
                s.action(ty, In(spec), size)?
            } else {
                s.filter(ty, spec, before)?
            }
            (rest, before) = (next, ty & !kind::INNER);
        }
        if rest.is_empty() { Ok(s) } else { Err(Errno::EINVAL) }
    }

    fn action(&mut self, ty: u32, spec: In<'_>, size: usize) -> Result<(), Errno> {
        let want = if ty == kind::DROP { HEAD } else { 2 * HEAD };
        if size != want {
            return Err(Errno::EINVAL);
        }
        match ty {
            kind::TAG if spec.u32(8) >> 24 != 0 => return Err(Errno::EINVAL),
            kind::TAG => self.tag = Some(spec.u32(8)),
            kind::DROP => self.drop = true,
            kind::HANDLE => self.actions.push(spec.u32(8)),
            kind::COUNT => self.counters.push(spec.u32(8)),
            _ => return Err(Errno::EINVAL),
        }
        Ok(())
    }

    fn filter(&mut self, ty: u32, spec: &[u8], before: u32) -> Result<(), Errno> {
        let known = match ty & !kind::INNER {
            kind::ETH => 16,
            kind::IPV4 => 12,
            kind::IPV6 => 40,
            kind::ESP | kind::GRE => 8,
            kind::TCP | kind::UDP | kind::VXLAN | kind::MPLS => 4,
            _ => return Err(Errno::EINVAL),
        };
        let inner = ty & kind::INNER != 0;
        if inner && matches!(ty & !kind::INNER, kind::VXLAN | kind::GRE) {
            return Err(Errno::EINVAL);
        }
        let filter = spec.get(HEAD..).unwrap_or(&[]);
        if filter.len() % 2 != 0 {
            return Err(Errno::EINVAL);
        }
        let (value, mask) = filter.split_at(filter.len() / 2);
        if mask.len() < known || !In(mask).zero_from(known) {
            return Err(Errno::EINVAL);
        }
        let f = Filter { value: In(value), mask: In(mask) };
        let headers = if inner { DrMatchParam::INNER } else { DrMatchParam::OUTER };
        match ty & !kind::INNER {
            kind::ETH => self.eth(&f, headers),
            kind::IPV4 => self.ipv4(&f, headers)?,
            kind::IPV6 => self.ipv6(&f, headers)?,
            // encryption in the kernel's flows is gone
            kind::ESP => return Err(Errno::EOPNOTSUPP),
            kind::TCP => self.ports(&f, headers, 6),
            kind::UDP => self.ports(&f, headers, 17),
            kind::VXLAN => {
                let vni = DrMatchSetMisc::VXLAN_VNI.within(DrMatchParam::MISC);
                self.put(vni, be32(&f.mask, 0), be32(&f.value, 0));
            }
            kind::GRE => self.gre(&f, headers)?,
            _ => self.mpls(&f, inner, before),
        }
        Ok(())
    }

    fn put(&mut self, f: Field, mask: u64, value: u64) {
        f.set(&mut self.mask, mask);
        f.set(&mut self.value, value);
    }

    fn eth(&mut self, f: &Filter<'_>, headers: Field) {
        let at = |f: Field| f.within(headers);
        self.put(at(DrMatchSpec::DMAC_47_16), be32(&f.mask, 0), be32(&f.value, 0));
        self.put(at(DrMatchSpec::DMAC_15_0), be16(&f.mask, 4), be16(&f.value, 4));
        self.put(at(DrMatchSpec::SMAC_47_16), be32(&f.mask, 6), be32(&f.value, 6));
        self.put(at(DrMatchSpec::SMAC_15_0), be16(&f.mask, 10), be16(&f.value, 10));
        let (mask, value) = (be16(&f.mask, 14), be16(&f.value, 14));
        if mask != 0 {
            self.put(at(DrMatchSpec::CVLAN_TAG), 1, 1);
            self.put(at(DrMatchSpec::FIRST_VID), mask, value);
            self.put(at(DrMatchSpec::FIRST_CFI), mask >> 12, value >> 12);
            self.put(at(DrMatchSpec::FIRST_PRIO), mask >> 13, value >> 13);
        }
        self.put(at(DrMatchSpec::ETHERTYPE), be16(&f.mask, 12), be16(&f.value, 12));
    }

    fn ipv4(&mut self, f: &Filter<'_>, headers: Field) -> Result<(), Errno> {
        // neither time to live nor flags
        if f.mask.u8(10) != 0 || f.mask.u8(11) != 0 {
            return Err(Errno::EOPNOTSUPP);
        }
        let at = |f: Field| f.within(headers);
        self.put(at(DrMatchSpec::IP_VERSION), 0xf, 4);
        self.put(at(DrMatchSpec::SRC_IP_31_0), be32(&f.mask, 0), be32(&f.value, 0));
        self.put(at(DrMatchSpec::DST_IP_31_0), be32(&f.mask, 4), be32(&f.value, 4));
        self.service(headers, f.mask.u8(9), f.value.u8(9));
        self.protocol(headers, f.mask.u8(8), f.value.u8(8))
    }

    fn ipv6(&mut self, f: &Filter<'_>, headers: Field) -> Result<(), Errno> {
        if f.mask.u8(38) != 0 {
            return Err(Errno::EOPNOTSUPP);
        }
        let at = |f: Field| f.within(headers);
        self.put(at(DrMatchSpec::IP_VERSION), 0xf, 6);
        for k in 0..4 {
            let (src, dst) = (DrMatchSpec::SRC_IP_127_96.nth(k, 32), DrMatchSpec::DST_IP_127_96.nth(k, 32));
            self.put(at(src), be32(&f.mask, 4 * k), be32(&f.value, 4 * k));
            self.put(at(dst), be32(&f.mask, 16 + 4 * k), be32(&f.value, 16 + 4 * k));
        }
        self.service(headers, f.mask.u8(37), f.value.u8(37));
        let label = match headers {
            DrMatchParam::INNER => DrMatchSetMisc::INNER_IPV6_FLOW_LABEL,
            _ => DrMatchSetMisc::OUTER_IPV6_FLOW_LABEL,
        };
        self.put(label.within(DrMatchParam::MISC), be32(&f.mask, 32), be32(&f.value, 32));
        self.protocol(headers, f.mask.u8(36), f.value.u8(36))
    }

    fn service(&mut self, headers: Field, mask: u8, value: u8) {
        let (mask, value) = (mask as u64, value as u64);
        self.put(DrMatchSpec::IP_ECN.within(headers), mask, value);
        self.put(DrMatchSpec::IP_DSCP.within(headers), mask >> 2, value >> 2);
    }

    /// The protocol number, which specifications must agree on.
    fn protocol(&mut self, headers: Field, mask: u8, value: u8) -> Result<(), Errno> {
        let f = DrMatchSpec::IP_PROTOCOL.within(headers);
        let (mask, value) = (mask as u64, value as u64);
        let known = f.get(&self.mask);
        if known == 0 {
            self.put(f, mask, value);
        } else if mask & known & (value ^ f.get(&self.value)) != 0 {
            return Err(Errno::EINVAL);
        }
        Ok(())
    }

    fn ports(&mut self, f: &Filter<'_>, headers: Field, protocol: u8) {
        let (src, dst) = match protocol {
            6 => (DrMatchSpec::TCP_SPORT, DrMatchSpec::TCP_DPORT),
            _ => (DrMatchSpec::UDP_SPORT, DrMatchSpec::UDP_DPORT),
        };
        self.put(DrMatchSpec::IP_PROTOCOL.within(headers), 0xff, protocol as u64);
        self.put(dst.within(headers), be16(&f.mask, 0), be16(&f.value, 0));
        self.put(src.within(headers), be16(&f.mask, 2), be16(&f.value, 2));
    }

    fn gre(&mut self, f: &Filter<'_>, headers: Field) -> Result<(), Errno> {
        const GRE: u64 = 47;
        // the flags and version cannot be matched
        if be16(&f.mask, 0) != 0 {
            return Err(Errno::EOPNOTSUPP);
        }
        let misc = |f: Field| f.within(DrMatchParam::MISC);
        self.put(DrMatchSpec::IP_PROTOCOL.within(headers), 0xff, GRE);
        self.put(misc(DrMatchSetMisc::GRE_PROTOCOL), be16(&f.mask, 2), be16(&f.value, 2));
        // the key's two parts are neighbours
        let key = Field::new(DrMatchSetMisc::GRE_KEY_H.off, 32);
        self.put(misc(key), be32(&f.mask, 4), be32(&f.value, 4));
        Ok(())
    }

    /// A label is of the kind that what comes before it makes it.
    fn mpls(&mut self, f: &Filter<'_>, inner: bool, before: u32) {
        let first = match (before, inner) {
            (kind::UDP, _) => DrMatchSetMisc2::OUTER_FIRST_MPLS_OVER_UDP_LABEL,
            (kind::GRE, _) => DrMatchSetMisc2::OUTER_FIRST_MPLS_OVER_GRE_LABEL,
            (_, true) => DrMatchSetMisc2::INNER_FIRST_MPLS_LABEL,
            _ => DrMatchSetMisc2::OUTER_FIRST_MPLS_LABEL,
        };
        let entry = Field::new(first.off, 32).within(DrMatchParam::MISC2);
        self.put(entry, be32(&f.mask, 0), be32(&f.value, 0));
    }

    /// Which parts of the match parameters a mask uses, as bits.
    pub fn criteria(&self) -> u8 {
        const PART: usize = 64;
        let used = |(k, part): (usize, &[u8])| (part.iter().any(|b| *b != 0) as u8) << k;
        self.mask.chunks(PART).take(7).enumerate().map(used).sum()
    }
}

fn be16(b: &In<'_>, at: usize) -> u64 {
    u16::from_be_bytes(b.bytes(at)) as u64
}

fn be32(b: &In<'_>, at: usize) -> u64 {
    u32::from_be_bytes(b.bytes(at)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(ty: u32, value: &[u8], mask: &[u8]) -> Vec<u8> {
        let size = (HEAD + value.len() + mask.len()) as u16;
        [&ty.to_ne_bytes()[..], &size.to_ne_bytes(), &[0, 0], value, mask].concat()
    }

    fn parse(list: &[Vec<u8>]) -> Result<Specs, Errno> {
        Specs::parse(&list.concat(), list.len(), 512)
    }

    #[test]
    fn specifications_become_match_parameters() {
        let eth = [1, 2, 3, 4, 5, 6, 0, 0, 0, 0, 0, 0, 8, 0, 0x20, 7];
        let eth = spec(kind::ETH, &eth, &[0xff; 16]);
        let udp = spec(kind::UDP | kind::INNER, &[0, 9, 0, 8], &[0xff, 0xff, 0, 0]);
        let vxlan = spec(kind::VXLAN, &[0, 0, 1, 2], &[0xff; 4]);
        let tag = spec(kind::TAG, &77u32.to_ne_bytes(), &[0; 4]);
        let s = parse(&[eth, vxlan, udp, tag, spec(kind::DROP, &[], &[])]).expect("good ones");
        let outer = |f: Field| f.within(DrMatchParam::OUTER).get(&s.value);
        assert_eq!((outer(DrMatchSpec::DMAC_47_16), outer(DrMatchSpec::FIRST_PRIO)), (0x0102_0304, 1));
        assert_eq!((outer(DrMatchSpec::FIRST_VID), outer(DrMatchSpec::CVLAN_TAG)), (7, 1));
        let inner = |f: Field, of: &[u8]| f.within(DrMatchParam::INNER).get(of);
        assert_eq!(inner(DrMatchSpec::UDP_DPORT, &s.value), 9);
        assert_eq!(inner(DrMatchSpec::UDP_SPORT, &s.mask), 0);
        assert_eq!(DrMatchSetMisc::VXLAN_VNI.within(DrMatchParam::MISC).get(&s.value), 0x102);
        assert_eq!((s.criteria(), s.tag, s.drop), (7, Some(77), true));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let tcp = |size: usize| spec(kind::TCP, &vec![0; size], &vec![0; size]);
        assert!(parse(&[tcp(4)]).is_ok());
        assert_eq!(parse(&[tcp(2)]), Err(Errno::EINVAL), "too short");
        assert_eq!(parse(&[spec(0x70, &[0; 4], &[0; 4])]), Err(Errno::EINVAL), "unknown");
        assert_eq!(parse(&[spec(kind::VXLAN | kind::INNER, &[0; 4], &[0; 4])]), Err(Errno::EINVAL));
        assert_eq!(Specs::parse(&[tcp(4), tcp(4)].concat(), 1, 512), Err(Errno::EINVAL), "more than said");
        assert_eq!(Specs::parse(&tcp(4), 2, 512), Err(Errno::EINVAL), "less than said");
        let mut ttl = [0; 12];
        ttl[10] = 1;
        assert_eq!(parse(&[spec(kind::IPV4, &[0; 12], &ttl)]), Err(Errno::EOPNOTSUPP));
        let big = spec(kind::TAG, &(1u32 << 24).to_ne_bytes(), &[0; 4]);
        assert_eq!(parse(&[big]), Err(Errno::EINVAL));
    }
}
