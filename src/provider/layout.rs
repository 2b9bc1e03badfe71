//! Private layouts of libibverbs, as data: what differs between releases 36 and 65.
//!
//! Facts of `abi/provider-abi.json`. The number in the registration symbol (PABI) does not tell
//! the layouts apart: 34 stands for three `verbs_qp`, 59 for two `verbs_context`. So the layout is
//! found from three things: the PABI, `verbs_context.sz` of a context that libibverbs has
//! initialised, and a probe of `ibv_qp_to_qp_ex`.

use core::ffi::c_void;

/// A registered private ABI: NN of `verbs_register_driver_NN`, and the oldest rdma-core with the
/// `verbs_context_ops` that goes with it. The most widely installed first: each is asked for.
pub const PABIS: [u32; 5] = [34, 65, 64, 59, 57];

/// `verbs_context` of one range of releases.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContextLayout {
    /// What libibverbs writes into `sz`.
    pub size: usize,
    /// Offset of `sz`.
    pub sz: usize,
    /// Offset of the embedded `ibv_context`.
    pub ibv_context: usize,
    /// Release that the members of `verbs_context_ops` are counted by.
    pub ops_release: u16,
}

/// Layouts by PABI. Where a PABI has two, `sz` decides.
pub fn context_layouts(pabi: u32) -> &'static [ContextLayout] {
    const R36: ContextLayout = ContextLayout { size: 648, sz: 312, ibv_context: 320, ops_release: 36 };
    const R59: ContextLayout = ContextLayout { size: 672, sz: 336, ibv_context: 344, ops_release: 59 };
    const R62: ContextLayout = ContextLayout { size: 680, sz: 344, ibv_context: 352, ops_release: 62 };
    const R64: ContextLayout = ContextLayout { size: 696, sz: 360, ibv_context: 368, ops_release: 64 };
    const R65: ContextLayout = ContextLayout { size: 696, sz: 360, ibv_context: 368, ops_release: 65 };
    match pabi {
        34 | 57 => &[R36],
        59 => &[R59, R62],
        64 => &[R64],
        65 => &[R65],
        _ => &[],
    }
}

/// Size of the largest `verbs_context`: our own fields start behind it.
pub const MAX_VERBS_CONTEXT: usize = 696;
/// Size of the largest `verbs_context_ops`, in pointers.
pub const MAX_OPS: usize = 93;
/// Size of the largest `verbs_qp`.
pub const MAX_VERBS_QP: usize = 376;

/// Offsets at which `comp_mask` of `verbs_qp` can stand (releases 36–43, 44, 45–65); the public
/// `ibv_qp_ex` fills everything before it.
pub const QP_COMP_MASK: [usize; 3] = [344, 352, 360];
/// `VERBS_QP_XRCD`: `verbs_qp.xrcd` is valid.
pub const VERBS_QP_XRCD: u32 = 1;
/// `VERBS_QP_EX`: the QP has the extended work request interface.
pub const VERBS_QP_EX: u32 = 2;

/// Finds the place of `comp_mask` in `verbs_qp`: `to_qp_ex` answers NULL unless VERBS_QP_EX is set
/// there, and looks at nothing else.
pub fn probe_qp_comp_mask(to_qp_ex: impl Fn(*mut c_void) -> *mut c_void) -> Option<usize> {
    QP_COMP_MASK.into_iter().find(|&at| {
        let mut dummy = [0u64; MAX_VERBS_QP / 8];
        let mask = u64::from(VERBS_QP_EX);
        dummy[at / 8] = mask << (8 * (at % 8));
        !to_qp_ex(dummy.as_mut_ptr().cast()).is_null()
    })
}

macro_rules! ops {
    ($($name:ident $since:literal)*) => {
        /// A member of `verbs_context_ops`.
        #[allow(non_camel_case_types, dead_code)]
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[repr(usize)]
        pub enum Op { $($name),* }

        /// The members in the order of the newest release (which is alphabetical) with the
        /// release that introduced each: 36 means 36 or earlier.
        const OPS: [(&str, u16); MAX_OPS] = [$((stringify!($name), $since)),*];
    };
}

ops! {
    advise_mr 36 alloc_buf 64 alloc_dm 36 alloc_dmah 59 alloc_mw 36 alloc_null_mr 36
    alloc_parent_domain 36 alloc_pd 36 alloc_td 36 async_event 36 attach_counters_point_flow 36
    attach_mcast 36 bind_mw 36 close_xrcd 36 cq_event 36 create_ah 36 create_comp_cntr 65
    create_counters 36 create_cq 36 create_cq_ex 36 create_flow 36 create_flow_action_esp 36
    create_qp 36 create_qp_ex 36 create_rwq_ind_table 36 create_srq 36 create_srq_ex 36
    create_wq 36 dealloc_dmah 59 dealloc_mw 36 dealloc_pd 36 dealloc_td 36 dereg_mr 36
    destroy_ah 36 destroy_comp_cntr 65 destroy_counters 36 destroy_cq 36 destroy_flow 36
    destroy_flow_action 36 destroy_qp 36 destroy_rwq_ind_table 36 destroy_srq 36 destroy_wq 36
    detach_mcast 36 dm_export_dmabuf_fd 62 free_buf 64 free_context 36 free_dm 36 get_srq_num 36
    import_dm 36 import_mr 36 import_pd 36 inc_comp_cntr 65 inc_err_comp_cntr 65 modify_cq 36
    modify_flow_action_esp 36 modify_qp 36 modify_qp_rate_limit 36 modify_srq 36 modify_wq 36
    open_qp 36 open_xrcd 36 poll_cq 36 post_recv 36 post_send 36 post_srq_ops 36
    post_srq_recv 36 qp_attach_comp_cntr 65 query_comp_cntr_caps 65 query_device_ex 36
    query_ece 36 query_port 36 query_port_speed 62 query_qp 36 query_qp_data_in_order 36
    query_rt_values 36 query_srq 36 read_comp_cntr 65 read_counters 36 read_err_comp_cntr 65
    reg_dm_mr 36 reg_dmabuf_mr 36 reg_mr 36 reg_mr_ex 59 req_notify_cq 36 rereg_mr 36
    resize_cq 36 set_comp_cntr 65 set_ece 36 set_err_comp_cntr 65 unimport_dm 36 unimport_mr 36
    unimport_pd 36
}

/// A `verbs_context_ops` of the release at hand.
pub struct OpsTable {
    slots: [*const c_void; MAX_OPS],
    places: [u8; MAX_OPS],
}

impl OpsTable {
    /// An empty table for the layout of `release`.
    pub const fn new(release: u16) -> OpsTable {
        OpsTable { slots: [core::ptr::null(); MAX_OPS], places: places(release) }
    }

    /// Sets an operation; one that this release does not know is left out.
    pub fn set(&mut self, op: Op, function: *const c_void) {
        // An operation that the release does not know has a place beyond the table.
        let place = usize::from(self.places[op as usize]);
        if let Some(slot) = self.slots.get_mut(place) {
            *slot = function;
        }
    }

    /// What `verbs_set_ops` takes.
    pub fn as_ptr(&self) -> *const c_void {
        self.slots.as_ptr().cast()
    }
}

/// Place of a member that a release does not have.
const UNKNOWN: u8 = u8::MAX;

/// Place of each member in the table of `release`: the number of members before it that the
/// release has.
const fn places(release: u16) -> [u8; MAX_OPS] {
    let mut places = [UNKNOWN; MAX_OPS];
    let (mut i, mut place) = (0, 0);
    while i < MAX_OPS {
        if OPS[i].1 <= release {
            places[i] = place;
            place += 1;
        }
        i += 1;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn table(name: &str) -> Vec<Value> {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/abi/provider-abi.json");
        let all: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        all["records"][name].as_array().unwrap().clone()
    }

    /// Number of a tag such as "v59.0"; the newest is called HEAD.
    fn release(tag: &Value) -> u16 {
        let t = tag.as_str().unwrap();
        t.strip_prefix('v').map_or(65, |t| t.split('.').next().unwrap().parse().unwrap())
    }

    fn offset(record: &Value, field: &str) -> Option<u64> {
        let fields = record["fields"].as_array().unwrap();
        fields.iter().find(|f| f["name"] == field).map(|f| f["off"].as_u64().unwrap())
    }

    #[test]
    fn every_op_sits_where_the_release_has_it() {
        let mut checked = 0;
        for record in table("verbs_context_ops") {
            let (first, last) = (release(&record["tags"][0]), release(&record["tags"][1]));
            for r in first.max(36)..=last {
                let size = record["size"].as_u64().unwrap() as usize;
                assert_eq!(OPS.iter().filter(|(_, s)| *s <= r).count() * 8, size, "release {r}");
                for (i, (name, _)) in OPS.iter().enumerate() {
                    let expected = offset(&record, name).map_or(UNKNOWN, |o| (o / 8) as u8);
                    assert_eq!(places(r)[i], expected, "{name} in {r}");
                    checked += 1;
                }
            }
        }
        assert_eq!(checked, 30 * MAX_OPS);
    }

    #[test]
    fn context_layouts_are_those_of_the_releases() {
        let pabi = |r: u16| match r {
            36..=56 => 34,
            57..=58 => 57,
            59..=63 => 59,
            r => u32::from(r),
        };
        for record in table("verbs_context") {
            let (first, last) = (release(&record["tags"][0]), release(&record["tags"][1]));
            for r in first.max(36)..=last {
                let size = record["size"].as_u64().unwrap() as usize;
                let l = context_layouts(pabi(r)).iter().find(|l| l.size == size).unwrap();
                assert_eq!(Some(l.sz as u64), offset(&record, "sz"));
                assert_eq!(Some(l.ibv_context as u64), offset(&record, "context"));
                assert!(size <= MAX_VERBS_CONTEXT);
            }
        }
        assert!(context_layouts(66).is_empty());
    }

    #[test]
    fn qp_probe_finds_each_layout_and_refuses_an_unknown_one() {
        let reader = |at: usize| {
            move |qp: *mut c_void| {
                // SAFETY: the probe hands over MAX_VERBS_QP bytes.
                let mask = unsafe { qp.byte_add(at).cast::<u32>().read() };
                if mask & VERBS_QP_EX != 0 { qp } else { core::ptr::null_mut() }
            }
        };
        for record in table("verbs_qp") {
            let at = offset(&record, "comp_mask").unwrap() as usize;
            assert_eq!(probe_qp_comp_mask(reader(at)), Some(at));
        }
        assert_eq!(probe_qp_comp_mask(reader(336)), None);
    }
}
