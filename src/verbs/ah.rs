//! Address handles.

use super::{
    core::{self as kernel, Core},
    object::{self, boxed},
    pd::Pd,
};
use crate::{
    abi::verbs::{consts::*, *},
    border,
    datapath::ah::Ah,
    error::Result,
    provider::{Context, context::PortInfo, port},
    uverbs::{self, Attr},
};
use core::{cell::Cell, ffi::c_int, ptr};
use prm::uverbs::{attr, method, object as obj, write};

/// `cmds_supp_uhw`: create_ah answers the destination's MAC.
const UHW_CREATE_AH: u8 = 2;
/// Static rate field by `IBV_RATE_*` (`spec`: objects, section 6); larger ones are 0.
const RATES: [u8; 23] = [0, 0, 7, 8, 9, 10, 11, 12, 13, 14, 15, 11, 13, 15, 0, 9, 15, 0, 0, 9, 13, 0, 0];
/// `MLX5_GID_TYPE_*` as the kernel's GID table numbers it: RoCE v2.
const GID_TYPE_ROCE_V2: u32 = 2;

/// Bytes of the address vector (`spec`: datapath, section 1).
mod av {
    pub const STAT_RATE_SL: usize = 12;
    pub const FL_MLID: usize = 13;
    pub const RLID: usize = 14;
    pub const RMAC: usize = 20;
    pub const TCLASS: usize = 26;
    pub const HOP_LIMIT: usize = 27;
    pub const GRH_GID_FL: usize = 28;
    pub const RGID: usize = 32;
    pub const GRH: u32 = 1 << 30;
}

fn put<const N: usize>(out: &mut [u8; 48], at: usize, bytes: [u8; N]) {
    out[at..at + N].copy_from_slice(&bytes);
}

/// Static rate field.
fn static_rate(rate: u8) -> u8 {
    RATES.get(usize::from(rate)).copied().unwrap_or(0)
}

/// UDP source port of RoCE v2: from the flow label, or random, in the dynamic range.
fn udp_sport(flow_label: u32, random: impl FnOnce() -> u16) -> u16 {
    const FIRST: u16 = 0xc000;
    const MASK: u32 = 0x3fff;
    let low = if flow_label != 0 {
        (flow_label & MASK) ^ ((flow_label & 0xf_c000) >> 14)
    } else {
        u32::from(random()) & MASK
    };
    low as u16 | FIRST
}

/// A random number for [`udp_sport`]. Not secret: it only spreads flows over paths.
fn random() -> u16 {
    // SAFETY: no preconditions.
    unsafe { libc::rand() as u16 }
}

/// The address vector without destination MAC. `sport` is the UDP source port of RoCE v2, else 0.
fn address_vector(a: &ibv_ah_attr, ethernet: bool, sport: u16) -> [u8; 48] {
    let mut out = [0; 48];
    let mut grh = 0;
    if a.is_global != 0 {
        out[av::TCLASS] = a.grh.traffic_class;
        out[av::HOP_LIMIT] = a.grh.hop_limit;
        grh = u32::from(a.grh.sgid_index) << 20 | a.grh.flow_label & 0xf_ffff;
        if !ethernet {
            grh |= av::GRH;
        }
        // SAFETY: any bytes are a GID.
        put(&mut out, av::RGID, unsafe { a.grh.dgid.raw });
    }
    put(&mut out, av::GRH_GID_FL, grh.to_be_bytes());
    let rate = static_rate(a.static_rate) << 4;
    if ethernet {
        put(&mut out, av::RLID, sport.to_be_bytes());
        out[av::STAT_RATE_SL] = rate | (a.sl & 7) << 1;
    } else {
        out[av::FL_MLID] = a.src_path_bits & 0x7f;
        put(&mut out, av::RLID, a.dlid.to_be_bytes());
        out[av::STAT_RATE_SL] = rate | a.sl & 0xf;
    }
    out
}

/// Link layer and flags of a port: as they were at open, else asked now. Errors: those of the
/// query, which only tells that it failed.
pub fn port_info(context: &Context, port: u8) -> Result<PortInfo> {
    let cached = usize::from(port).checked_sub(1).and_then(|i| context.ports.get(i)).copied();
    match cached {
        Some(p) if p.link_layer != 0 => Ok(p),
        _ => port::cache(context.fd, port).ok_or(refuse!(EIO, "the port cannot be queried", port = port)),
    }
}

/// Type of a GID, as the kernel's table has it. Errors: the kernel's.
fn gid_type(context: &Context, port: u8, index: u8) -> Result<u32> {
    let mut entry = Core::<32>::new();
    let mut attrs = [
        Attr::u64(attr::QUERY_GID_ENTRY_PORT, u64::from(port)),
        Attr::u64(attr::QUERY_GID_ENTRY_GID_INDEX, u64::from(index)),
        Attr::u32(attr::QUERY_GID_ENTRY_FLAGS, 0),
        Attr::output(attr::QUERY_GID_ENTRY_RESP_ENTRY, &mut entry.0),
    ];
    uverbs::execute(context.fd, obj::DEVICE, method::QUERY_GID_ENTRY, &mut attrs)?;
    Ok(entry.get32(24))
}

/// `ibv_create_ah`. EINVAL for a port that the device lacks, and without a GRH where the link
/// needs one; else the kernel's, ENOMEM. Only Ethernet handles reach the kernel.
///
/// # Safety
/// libibverbs' promise for verbs operations: pointers are valid objects of this library.
pub unsafe extern "C" fn create_ah(pd: *mut ibv_pd, attr: *mut ibv_ah_attr) -> *mut ibv_ah {
    border::null("ibv_create_ah", || {
        // SAFETY: the promise above.
        let (p, a) = unsafe { (Pd::from_ibv(pd), &*attr) };
        let context = p.context();
        if a.port_num < 1 || u16::from(a.port_num) > context.info.num_ports {
            return Err(refuse!(EINVAL, "no such port", port_num = a.port_num));
        }
        let info = port_info(context, a.port_num)?;
        let ethernet = u32::from(info.link_layer) == IBV_LINK_LAYER_ETHERNET;
        let needs_grh = ethernet || u32::from(info.flags) & IB_UVERBS_QPF_GRH_REQUIRED != 0;
        if a.is_global == 0 && needs_grh {
            return Err(refuse!(EINVAL, "the port needs a GRH", port_num = a.port_num));
        }
        let mut sport = 0;
        if ethernet && gid_type(context, a.port_num, a.grh.sgid_index)? == GID_TYPE_ROCE_V2 {
            sport = udp_sport(a.grh.flow_label, random);
        }
        let mut ah = boxed(Ah {
            verbs: ibv_ah { context: context.ibv(), pd, handle: 0 },
            av: address_vector(a, ethernet, sport),
            kernel_object: false,
            is_global: a.is_global != 0,
            mapping: Cell::new(ptr::null_mut()),
            context,
        })?;
        if ethernet {
            if context.info.cmds_supp_uhw & UHW_CREATE_AH != 0 {
                let user_handle = ptr::from_ref(&*ah) as u64;
                let (handle, dmac) = create_in_kernel(context, p, a, user_handle)?;
                ah.verbs.handle = handle;
                ah.kernel_object = true;
                put(&mut ah.av, av::RMAC, dmac);
            } else {
                let dmac = super::neigh::resolve(context, a)?;
                put(&mut ah.av, av::RMAC, dmac);
            }
        }
        Ok(object::give(ah))
    })
}

/// Kernel object of a handle; answers its number and the destination's MAC.
fn create_in_kernel(context: &Context, pd: &Pd, a: &ibv_ah_attr, user_handle: u64) -> Result<(u32, [u8; 6])> {
    let mut response = Core::<4>::new();
    let mut driver = [0u8; 16];
    // SAFETY: any bytes are a GID.
    let dgid = unsafe { a.grh.dgid.raw };
    let core = Core::<56>::new()
        .response(&response.0)
        .u64(8, user_handle)
        .u32(16, pd.verbs.handle)
        .bytes(24, &dgid)
        .u32(40, a.grh.flow_label)
        .u8(44, a.grh.sgid_index)
        .u8(45, a.grh.hop_limit)
        .u8(46, a.grh.traffic_class)
        .u16(48, a.dlid)
        .u8(50, a.sl)
        .u8(51, a.src_path_bits)
        .u8(52, a.static_rate)
        .u8(53, a.is_global)
        .u8(54, a.port_num);
    uverbs::invoke_write(
        context.fd,
        u32::from(write::CREATE_AH),
        &core.0,
        &mut response.0,
        &[],
        &mut driver,
    )?;
    let mut dmac = [0; 6];
    dmac.copy_from_slice(&driver[4..10]);
    Ok((response.get32(0), dmac))
}

/// `ibv_destroy_ah`. Errors: the kernel's.
///
/// # Safety
/// As [`create_ah`].
pub unsafe extern "C" fn destroy_ah(ah: *mut ibv_ah) -> c_int {
    border::value("ibv_destroy_ah", || {
        // SAFETY: the promise of verbs operations.
        let a = unsafe { Ah::from_ibv(ah) };
        // SAFETY: contexts outlive their objects.
        let context = unsafe { &*a.context };
        if a.kernel_object {
            kernel::destroy(context, obj::AH, method::AH_DESTROY, attr::DESTROY_AH_HANDLE, a.verbs.handle)?;
        }
        crate::devx::ah_map::unmap(a);
        // SAFETY: made by `give`, and not used any more.
        drop(unsafe { object::take::<Ah, _>(ah) });
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attr() -> ibv_ah_attr {
        let mut raw = [0; 16];
        raw[0] = 0xfe;
        raw[15] = 0x77;
        ibv_ah_attr {
            grh: ibv_global_route {
                dgid: ibv_gid { raw },
                flow_label: 0xabcde,
                sgid_index: 5,
                hop_limit: 64,
                traffic_class: 0x20,
            },
            dlid: 0x1234,
            sl: 0xb,
            src_path_bits: 0x83,
            static_rate: 10,
            is_global: 1,
            port_num: 1,
        }
    }

    #[test]
    fn infiniband_vector() {
        let v = address_vector(&attr(), false, 0);
        assert_eq!(v[12..16], [0xfb, 0x03, 0x12, 0x34]);
        assert_eq!(v[26..32], [0x20, 64, 0x40, 0x5a, 0xbc, 0xde]);
        assert_eq!((v[32], v[47]), (0xfe, 0x77));
        let v = address_vector(&ibv_ah_attr { is_global: 0, ..attr() }, false, 0);
        assert!(v[16..].iter().all(|b| *b == 0));
    }

    #[test]
    fn ethernet_vector() {
        let v = address_vector(&attr(), true, 0xc123);
        assert_eq!(v[12..16], [0xf0 | 3 << 1, 0, 0xc1, 0x23]);
        assert_eq!(v[28..32], [0x00, 0x5a, 0xbc, 0xde]);
    }

    #[test]
    fn source_ports_are_in_the_dynamic_range() {
        assert_eq!(udp_sport(1, || 9), 0xc001);
        assert_eq!(udp_sport(0xfffff, || 9), 0xc000 | (0x3fff ^ 0x3f));
        assert_eq!(udp_sport(0, || 0xffff), 0xffff);
        assert_eq!(udp_sport(0, || 0), 0xc000);
    }

    #[test]
    fn rates_beyond_the_table_are_unlimited() {
        assert_eq!((static_rate(2), static_rate(10), static_rate(22), static_rate(23)), (7, 15, 0, 0));
    }
}
