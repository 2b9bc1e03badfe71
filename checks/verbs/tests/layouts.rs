//! Sizes and offsets of our `ibv_*` types equal those of the installed headers.

#[allow(unused_imports)]
#[path = "../../../src/abi/mod.rs"]
mod abi;

/// A size, or the offset of a member, in both.
struct Pair {
    what: &'static str,
    ours: usize,
    theirs: usize,
}

mod generated {
    use super::{Pair, abi::verbs};
    use core::mem::offset_of;
    include!(concat!(env!("OUT_DIR"), "/pairs.rs"));
}

#[test]
fn equal_to_the_installed_headers() {
    let pairs = generated::PAIRS;
    let wrong: Vec<String> = pairs
        .iter()
        .filter(|p| p.ours != p.theirs)
        .map(|p| format!("{}: {}, installed {}", p.what, p.ours, p.theirs))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // The crate would pass if the list came out empty.
    assert!(pairs.len() > 400, "only {} sizes and offsets compared", pairs.len());
    for needed in
        ["ibv_context.cmd_fd", "ibv_qp.qp_num", "ibv_cq_ex", "ibv_wc", "ibv_qp_init_attr_ex.comp_mask"]
    {
        assert!(pairs.iter().any(|p| p.what == needed), "{needed} is not compared");
    }
}
