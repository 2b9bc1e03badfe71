//! WQE and CQE layouts and numbers against the public header's facts.

use prm::{Layout, cqe, wqe};
use serde_json::Value;

fn facts() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../abi/mlx5dv-65.0.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Fields whose name in the header differs, as (layout, field here, field there).
const RENAMED: [(&str, &str, &str); 4] = [
    ("mlx5_wqe_av", "QKEY", "key.qkey.qkey"),
    ("mlx5_wqe_av", "DC_KEY", "key.dc_key"),
    ("mlx5_cqe64", "TM_SUCCESS", "tm_cqe"),
    ("mlx5_cqe64", "TM_HW_PHASE_CNT", "tm_cqe"),
];

fn public() -> impl Iterator<Item = &'static Layout> {
    wqe::WQE_LAYOUTS.iter().chain(cqe::CQE_LAYOUTS).filter(|l| l.name.starts_with("mlx5_"))
}

#[test]
fn every_field_lies_where_the_header_has_it() {
    let facts = facts();
    let mut seen = 0;
    for layout in public() {
        let record = &facts["records"][layout.name];
        assert_eq!(record["size"].as_u64(), Some(layout.bits as u64 / 8), "{}", layout.name);
        let fields = record["fields"].as_array().unwrap();
        for (name, place) in layout.fields {
            let there = RENAMED
                .iter()
                .find(|(l, n, _)| (*l, *n) == (layout.name, name))
                .map_or(name.to_lowercase(), |r| r.2.to_owned());
            let f = fields
                .iter()
                .find(|f| f["name"] == there.as_str())
                .unwrap_or_else(|| panic!("{}.{there}", layout.name));
            if there == "tm_cqe" {
                // a struct of its own at the start of the entry
                let inner = name.trim_start_matches("TM_").to_lowercase();
                let tm = facts["records"]["mlx5_tm_cqe"]["fields"].as_array().unwrap();
                let g = tm.iter().find(|g| g["name"] == inner.as_str()).unwrap();
                assert_eq!(g["off"].as_u64(), Some(place.byte() as u64));
            } else {
                assert_eq!(f["off"].as_u64(), Some(place.byte() as u64), "{}.{name}", layout.name);
                assert_eq!(f["size"].as_u64(), Some(place.len_bytes() as u64), "{}.{name}", layout.name);
            }
            seen += 1;
        }
    }
    assert!(seen > 70, "{seen}");
}

#[test]
fn nothing_of_the_header_is_left_out() {
    let facts = facts();
    for layout in public() {
        for f in facts["records"][layout.name]["fields"].as_array().unwrap() {
            let name = f["name"].as_str().unwrap();
            let (at, size) = (f["off"].as_u64().unwrap() as usize, f["size"].as_u64().unwrap() as usize);
            if name.contains("rsvd") || name.contains("reserved") || size == 0 {
                continue;
            }
            let covered = layout.fields.iter().any(|(_, p)| p.byte() >= at && p.byte() < at + size);
            assert!(covered || matches!(name, "tmh" | "key"), "{}.{name}", layout.name);
        }
    }
}

#[test]
fn numbers_are_the_headers() {
    let facts = facts();
    let number = |name: &str| {
        facts["enums"]
            .as_object()
            .unwrap()
            .values()
            .find_map(|e| e["constants"].get(name))
            .unwrap_or_else(|| panic!("{name}"))
            .as_u64()
            .unwrap()
    };
    macro_rules! same {
        ($($value:expr => $name:literal;)*) => {$(assert_eq!(u64::from($value), number($name), $name);)*};
    }
    same! {
        wqe::opcode::NOP => "MLX5_OPCODE_NOP";
        wqe::opcode::SEND_INVAL => "MLX5_OPCODE_SEND_INVAL";
        wqe::opcode::RDMA_WRITE => "MLX5_OPCODE_RDMA_WRITE";
        wqe::opcode::RDMA_WRITE_IMM => "MLX5_OPCODE_RDMA_WRITE_IMM";
        wqe::opcode::SEND => "MLX5_OPCODE_SEND";
        wqe::opcode::SEND_IMM => "MLX5_OPCODE_SEND_IMM";
        wqe::opcode::TSO => "MLX5_OPCODE_TSO";
        wqe::opcode::RDMA_READ => "MLX5_OPCODE_RDMA_READ";
        wqe::opcode::ATOMIC_CS => "MLX5_OPCODE_ATOMIC_CS";
        wqe::opcode::ATOMIC_FA => "MLX5_OPCODE_ATOMIC_FA";
        wqe::opcode::ATOMIC_MASKED_CS => "MLX5_OPCODE_ATOMIC_MASKED_CS";
        wqe::opcode::ATOMIC_MASKED_FA => "MLX5_OPCODE_ATOMIC_MASKED_FA";
        wqe::opcode::SET_PSV => "MLX5_OPCODE_SET_PSV";
        wqe::opcode::UMR => "MLX5_OPCODE_UMR";
        wqe::opcode::TAG_MATCHING => "MLX5_OPCODE_TAG_MATCHING";
        wqe::opcode::FLOW_TBL_ACCESS => "MLX5_OPCODE_FLOW_TBL_ACCESS";
        wqe::opcode::MMO => "MLX5_OPCODE_MMO";
        wqe::fm_ce_se::FENCE => "MLX5_WQE_CTRL_FENCE";
        wqe::fm_ce_se::INITIATOR_SMALL_FENCE => "MLX5_WQE_CTRL_INITIATOR_SMALL_FENCE";
        wqe::fm_ce_se::CQ_UPDATE => "MLX5_WQE_CTRL_CQ_UPDATE";
        wqe::fm_ce_se::SOLICITED => "MLX5_WQE_CTRL_SOLICITED";
        wqe::eth_cs::L3 => "MLX5_ETH_WQE_L3_CSUM";
        wqe::eth_cs::L4 => "MLX5_ETH_WQE_L4_CSUM";
        wqe::INLINE_SEG => "MLX5_INLINE_SEG";
        wqe::umr_flags::INLINE => "MLX5_WQE_UMR_CTRL_FLAG_INLINE";
        wqe::umr_flags::CHECK_FREE => "MLX5_WQE_UMR_CTRL_FLAG_CHECK_FREE";
        wqe::umr_flags::TRANSLATION_OFFSET => "MLX5_WQE_UMR_CTRL_FLAG_TRNSLATION_OFFSET";
        wqe::umr_flags::CHECK_QPN => "MLX5_WQE_UMR_CTRL_FLAG_CHECK_QPN";
        wqe::mkey_mask::LEN => "MLX5_WQE_UMR_CTRL_MKEY_MASK_LEN";
        wqe::mkey_mask::START_ADDR => "MLX5_WQE_UMR_CTRL_MKEY_MASK_START_ADDR";
        wqe::mkey_mask::SIG_ERR => "MLX5_WQE_UMR_CTRL_MKEY_MASK_SIG_ERR";
        wqe::mkey_mask::BSF_ENABLE => "MLX5_WQE_UMR_CTRL_MKEY_MASK_BSF_ENABLE";
        wqe::mkey_mask::MKEY => "MLX5_WQE_UMR_CTRL_MKEY_MASK_MKEY";
        wqe::mkey_mask::QPN => "MLX5_WQE_UMR_CTRL_MKEY_MASK_QPN";
        wqe::mkey_mask::ACCESS_LOCAL_WRITE => "MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_LOCAL_WRITE";
        wqe::mkey_mask::ACCESS_REMOTE_READ => "MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_REMOTE_READ";
        wqe::mkey_mask::ACCESS_REMOTE_WRITE => "MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_REMOTE_WRITE";
        wqe::mkey_mask::ACCESS_ATOMIC => "MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_ATOMIC";
        wqe::mkey_mask::FREE => "MLX5_WQE_UMR_CTRL_MKEY_MASK_FREE";
        wqe::MKEY_FREE => "MLX5_WQE_MKEY_CONTEXT_FREE";
        wqe::mkey_access::ATOMIC => "MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_ATOMIC";
        wqe::mkey_access::REMOTE_WRITE => "MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_REMOTE_WRITE";
        wqe::mkey_access::REMOTE_READ => "MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_REMOTE_READ";
        wqe::mkey_access::LOCAL_WRITE => "MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_LOCAL_WRITE";
        wqe::mkey_access::LOCAL_READ => "MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_LOCAL_READ";
        wqe::BB as u64 => "MLX5_SEND_WQE_BB";
        wqe::BB_SHIFT => "MLX5_SEND_WQE_SHIFT";
        cqe::OWNER => "MLX5_CQE_OWNER_MASK";
        cqe::opcode::REQ => "MLX5_CQE_REQ";
        cqe::opcode::RESP_WR_IMM => "MLX5_CQE_RESP_WR_IMM";
        cqe::opcode::RESP_SEND => "MLX5_CQE_RESP_SEND";
        cqe::opcode::RESP_SEND_IMM => "MLX5_CQE_RESP_SEND_IMM";
        cqe::opcode::RESP_SEND_INV => "MLX5_CQE_RESP_SEND_INV";
        cqe::opcode::RESIZE_CQ => "MLX5_CQE_RESIZE_CQ";
        cqe::opcode::NO_PACKET => "MLX5_CQE_NO_PACKET";
        cqe::opcode::SIG_ERR => "MLX5_CQE_SIG_ERR";
        cqe::opcode::REQ_ERR => "MLX5_CQE_REQ_ERR";
        cqe::opcode::RESP_ERR => "MLX5_CQE_RESP_ERR";
        cqe::opcode::INVALID => "MLX5_CQE_INVALID";
        cqe::hds::L2_OK => "MLX5_CQE_L2_OK";
        cqe::hds::L3_OK => "MLX5_CQE_L3_OK";
        cqe::hds::L4_OK => "MLX5_CQE_L4_OK";
        cqe::l3_type::NONE => "MLX5_CQE_L3_HDR_TYPE_NONE";
        cqe::l3_type::IPV6 => "MLX5_CQE_L3_HDR_TYPE_IPV6";
        cqe::l3_type::IPV4 => "MLX5_CQE_L3_HDR_TYPE_IPV4";
        cqe::VENDOR_ODP_PFAULT => "MLX5_CQE_VENDOR_SYNDROME_ODP_PFAULT";
        cqe::syndrome::LOCAL_LENGTH_ERR => "MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR";
        cqe::syndrome::LOCAL_QP_OP_ERR => "MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR";
        cqe::syndrome::LOCAL_PROT_ERR => "MLX5_CQE_SYNDROME_LOCAL_PROT_ERR";
        cqe::syndrome::WR_FLUSH_ERR => "MLX5_CQE_SYNDROME_WR_FLUSH_ERR";
        cqe::syndrome::MW_BIND_ERR => "MLX5_CQE_SYNDROME_MW_BIND_ERR";
        cqe::syndrome::BAD_RESP_ERR => "MLX5_CQE_SYNDROME_BAD_RESP_ERR";
        cqe::syndrome::LOCAL_ACCESS_ERR => "MLX5_CQE_SYNDROME_LOCAL_ACCESS_ERR";
        cqe::syndrome::REMOTE_INVAL_REQ_ERR => "MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR";
        cqe::syndrome::REMOTE_ACCESS_ERR => "MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR";
        cqe::syndrome::REMOTE_OP_ERR => "MLX5_CQE_SYNDROME_REMOTE_OP_ERR";
        cqe::syndrome::TRANSPORT_RETRY_EXC_ERR => "MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR";
        cqe::syndrome::RNR_RETRY_EXC_ERR => "MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR";
        cqe::syndrome::REMOTE_ABORTED_ERR => "MLX5_CQE_SYNDROME_REMOTE_ABORTED_ERR";
    }
}
