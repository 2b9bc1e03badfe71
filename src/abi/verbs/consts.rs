//! Constants of `infiniband/verbs.h` and the headers it includes.

macro_rules! constants {
    ($($enum:literal: $($name:ident = $value:literal),*;)*) => {
        $($(#[doc = concat!("Of ", $enum, ".")] pub const $name: u32 = $value;)*)*
    };
}

constants! {
    "an unnamed enum":
        IBV_CREATE_CQ_SUP_WC_FLAGS = 0xfff;
    "an unnamed enum":
        IBV_LINK_LAYER_UNSPECIFIED = 0,
        IBV_LINK_LAYER_INFINIBAND = 1,
        IBV_LINK_LAYER_ETHERNET = 2;
    "an unnamed enum":
        IBV_OPCODE_RC = 0,
        IBV_OPCODE_UC = 0x20,
        IBV_OPCODE_RD = 0x40,
        IBV_OPCODE_UD = 0x60,
        IBV_OPCODE_SEND_FIRST = 0,
        IBV_OPCODE_SEND_MIDDLE = 1,
        IBV_OPCODE_SEND_LAST = 2,
        IBV_OPCODE_SEND_LAST_WITH_IMMEDIATE = 3,
        IBV_OPCODE_SEND_ONLY = 4,
        IBV_OPCODE_SEND_ONLY_WITH_IMMEDIATE = 5,
        IBV_OPCODE_RDMA_WRITE_FIRST = 6,
        IBV_OPCODE_RDMA_WRITE_MIDDLE = 7,
        IBV_OPCODE_RDMA_WRITE_LAST = 8,
        IBV_OPCODE_RDMA_WRITE_LAST_WITH_IMMEDIATE = 9,
        IBV_OPCODE_RDMA_WRITE_ONLY = 0xa,
        IBV_OPCODE_RDMA_WRITE_ONLY_WITH_IMMEDIATE = 0xb,
        IBV_OPCODE_RDMA_READ_REQUEST = 0xc,
        IBV_OPCODE_RDMA_READ_RESPONSE_FIRST = 0xd,
        IBV_OPCODE_RDMA_READ_RESPONSE_MIDDLE = 0xe,
        IBV_OPCODE_RDMA_READ_RESPONSE_LAST = 0xf,
        IBV_OPCODE_RDMA_READ_RESPONSE_ONLY = 0x10,
        IBV_OPCODE_ACKNOWLEDGE = 0x11,
        IBV_OPCODE_ATOMIC_ACKNOWLEDGE = 0x12,
        IBV_OPCODE_COMPARE_SWAP = 0x13,
        IBV_OPCODE_FETCH_ADD = 0x14,
        IBV_OPCODE_RC_SEND_FIRST = 0,
        IBV_OPCODE_RC_SEND_MIDDLE = 1,
        IBV_OPCODE_RC_SEND_LAST = 2,
        IBV_OPCODE_RC_SEND_LAST_WITH_IMMEDIATE = 3,
        IBV_OPCODE_RC_SEND_ONLY = 4,
        IBV_OPCODE_RC_SEND_ONLY_WITH_IMMEDIATE = 5,
        IBV_OPCODE_RC_RDMA_WRITE_FIRST = 6,
        IBV_OPCODE_RC_RDMA_WRITE_MIDDLE = 7,
        IBV_OPCODE_RC_RDMA_WRITE_LAST = 8,
        IBV_OPCODE_RC_RDMA_WRITE_LAST_WITH_IMMEDIATE = 9,
        IBV_OPCODE_RC_RDMA_WRITE_ONLY = 0xa,
        IBV_OPCODE_RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE = 0xb,
        IBV_OPCODE_RC_RDMA_READ_REQUEST = 0xc,
        IBV_OPCODE_RC_RDMA_READ_RESPONSE_FIRST = 0xd,
        IBV_OPCODE_RC_RDMA_READ_RESPONSE_MIDDLE = 0xe,
        IBV_OPCODE_RC_RDMA_READ_RESPONSE_LAST = 0xf,
        IBV_OPCODE_RC_RDMA_READ_RESPONSE_ONLY = 0x10,
        IBV_OPCODE_RC_ACKNOWLEDGE = 0x11,
        IBV_OPCODE_RC_ATOMIC_ACKNOWLEDGE = 0x12,
        IBV_OPCODE_RC_COMPARE_SWAP = 0x13,
        IBV_OPCODE_RC_FETCH_ADD = 0x14,
        IBV_OPCODE_UC_SEND_FIRST = 0x20,
        IBV_OPCODE_UC_SEND_MIDDLE = 0x21,
        IBV_OPCODE_UC_SEND_LAST = 0x22,
        IBV_OPCODE_UC_SEND_LAST_WITH_IMMEDIATE = 0x23,
        IBV_OPCODE_UC_SEND_ONLY = 0x24,
        IBV_OPCODE_UC_SEND_ONLY_WITH_IMMEDIATE = 0x25,
        IBV_OPCODE_UC_RDMA_WRITE_FIRST = 0x26,
        IBV_OPCODE_UC_RDMA_WRITE_MIDDLE = 0x27,
        IBV_OPCODE_UC_RDMA_WRITE_LAST = 0x28,
        IBV_OPCODE_UC_RDMA_WRITE_LAST_WITH_IMMEDIATE = 0x29,
        IBV_OPCODE_UC_RDMA_WRITE_ONLY = 0x2a,
        IBV_OPCODE_UC_RDMA_WRITE_ONLY_WITH_IMMEDIATE = 0x2b,
        IBV_OPCODE_RD_SEND_FIRST = 0x40,
        IBV_OPCODE_RD_SEND_MIDDLE = 0x41,
        IBV_OPCODE_RD_SEND_LAST = 0x42,
        IBV_OPCODE_RD_SEND_LAST_WITH_IMMEDIATE = 0x43,
        IBV_OPCODE_RD_SEND_ONLY = 0x44,
        IBV_OPCODE_RD_SEND_ONLY_WITH_IMMEDIATE = 0x45,
        IBV_OPCODE_RD_RDMA_WRITE_FIRST = 0x46,
        IBV_OPCODE_RD_RDMA_WRITE_MIDDLE = 0x47,
        IBV_OPCODE_RD_RDMA_WRITE_LAST = 0x48,
        IBV_OPCODE_RD_RDMA_WRITE_LAST_WITH_IMMEDIATE = 0x49,
        IBV_OPCODE_RD_RDMA_WRITE_ONLY = 0x4a,
        IBV_OPCODE_RD_RDMA_WRITE_ONLY_WITH_IMMEDIATE = 0x4b,
        IBV_OPCODE_RD_RDMA_READ_REQUEST = 0x4c,
        IBV_OPCODE_RD_RDMA_READ_RESPONSE_FIRST = 0x4d,
        IBV_OPCODE_RD_RDMA_READ_RESPONSE_MIDDLE = 0x4e,
        IBV_OPCODE_RD_RDMA_READ_RESPONSE_LAST = 0x4f,
        IBV_OPCODE_RD_RDMA_READ_RESPONSE_ONLY = 0x50,
        IBV_OPCODE_RD_ACKNOWLEDGE = 0x51,
        IBV_OPCODE_RD_ATOMIC_ACKNOWLEDGE = 0x52,
        IBV_OPCODE_RD_COMPARE_SWAP = 0x53,
        IBV_OPCODE_RD_FETCH_ADD = 0x54,
        IBV_OPCODE_UD_SEND_ONLY = 0x64,
        IBV_OPCODE_UD_SEND_ONLY_WITH_IMMEDIATE = 0x65;
    "an unnamed enum":
        IBV_SYSFS_NAME_MAX = 0x40,
        IBV_SYSFS_PATH_MAX = 0x100;
    "an unnamed enum":
        IBV_WC_IP_CSUM_OK_SHIFT = 2;
    "an unnamed enum":
        IBV_WC_STANDARD_FLAGS = 0x7f;
    "ib_uverbs_access_flags":
        IB_UVERBS_ACCESS_LOCAL_WRITE = 1,
        IB_UVERBS_ACCESS_REMOTE_WRITE = 2,
        IB_UVERBS_ACCESS_REMOTE_READ = 4,
        IB_UVERBS_ACCESS_REMOTE_ATOMIC = 8,
        IB_UVERBS_ACCESS_MW_BIND = 0x10,
        IB_UVERBS_ACCESS_ZERO_BASED = 0x20,
        IB_UVERBS_ACCESS_ON_DEMAND = 0x40,
        IB_UVERBS_ACCESS_HUGETLB = 0x80,
        IB_UVERBS_ACCESS_FLUSH_GLOBAL = 0x100,
        IB_UVERBS_ACCESS_FLUSH_PERSISTENT = 0x200,
        IB_UVERBS_ACCESS_RELAXED_ORDERING = 0x100000,
        IB_UVERBS_ACCESS_OPTIONAL_RANGE = 0x3ff00000;
    "ib_uverbs_advise_mr_advice":
        IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH = 0,
        IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE = 1,
        IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT = 2;
    "ib_uverbs_advise_mr_flag":
        IB_UVERBS_ADVISE_MR_FLAG_FLUSH = 1;
    "ib_uverbs_buffer_type":
        IB_UVERBS_BUFFER_TYPE_DMABUF = 0,
        IB_UVERBS_BUFFER_TYPE_VA = 1;
    "ib_uverbs_comp_cntr_entry":
        IB_UVERBS_COMP_CNTR_ENTRY_COMP = 0,
        IB_UVERBS_COMP_CNTR_ENTRY_ERR = 1;
    "ib_uverbs_comp_cntr_modify_op":
        IB_UVERBS_COMP_CNTR_MODIFY_OP_SET = 0,
        IB_UVERBS_COMP_CNTR_MODIFY_OP_INC = 1;
    "ib_uverbs_core_support":
        IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS = 1,
        IB_UVERBS_CORE_SUPPORT_ROBUST_UDATA = 2;
    "ib_uverbs_flow_action_esp_flags":
        IB_UVERBS_FLOW_ACTION_ESP_FLAGS_INLINE_CRYPTO = 0,
        IB_UVERBS_FLOW_ACTION_ESP_FLAGS_FULL_OFFLOAD = 1,
        IB_UVERBS_FLOW_ACTION_ESP_FLAGS_TUNNEL = 0,
        IB_UVERBS_FLOW_ACTION_ESP_FLAGS_TRANSPORT = 2,
        IB_UVERBS_FLOW_ACTION_ESP_FLAGS_DECRYPT = 0,
        IB_UVERBS_FLOW_ACTION_ESP_FLAGS_ENCRYPT = 4,
        IB_UVERBS_FLOW_ACTION_ESP_FLAGS_ESN_NEW_WINDOW = 8;
    "ib_uverbs_flow_action_esp_keymat":
        IB_UVERBS_FLOW_ACTION_ESP_KEYMAT_AES_GCM = 0;
    "ib_uverbs_flow_action_esp_keymat_aes_gcm_iv_algo":
        IB_UVERBS_FLOW_ACTION_IV_ALGO_SEQ = 0;
    "ib_uverbs_flow_action_esp_replay":
        IB_UVERBS_FLOW_ACTION_ESP_REPLAY_NONE = 0,
        IB_UVERBS_FLOW_ACTION_ESP_REPLAY_BMP = 1;
    "ib_uverbs_gid_type":
        IB_UVERBS_GID_TYPE_IB = 0,
        IB_UVERBS_GID_TYPE_ROCE_V1 = 1,
        IB_UVERBS_GID_TYPE_ROCE_V2 = 2;
    "ib_uverbs_qp_attach_comp_cntr_op":
        IB_UVERBS_QP_ATTACH_COMP_CNTR_OP_SEND = 1,
        IB_UVERBS_QP_ATTACH_COMP_CNTR_OP_RECV = 2,
        IB_UVERBS_QP_ATTACH_COMP_CNTR_OP_RDMA_READ = 4,
        IB_UVERBS_QP_ATTACH_COMP_CNTR_OP_REMOTE_RDMA_READ = 8,
        IB_UVERBS_QP_ATTACH_COMP_CNTR_OP_RDMA_WRITE = 0x10,
        IB_UVERBS_QP_ATTACH_COMP_CNTR_OP_REMOTE_RDMA_WRITE = 0x20;
    "ib_uverbs_qp_create_flags":
        IB_UVERBS_QP_CREATE_BLOCK_MULTICAST_LOOPBACK = 2,
        IB_UVERBS_QP_CREATE_SCATTER_FCS = 0x100,
        IB_UVERBS_QP_CREATE_CVLAN_STRIPPING = 0x200,
        IB_UVERBS_QP_CREATE_PCI_WRITE_END_PADDING = 0x800,
        IB_UVERBS_QP_CREATE_SQ_SIG_ALL = 0x1000;
    "ib_uverbs_qp_type":
        IB_UVERBS_QPT_RC = 2,
        IB_UVERBS_QPT_UC = 3,
        IB_UVERBS_QPT_UD = 4,
        IB_UVERBS_QPT_RAW_PACKET = 8,
        IB_UVERBS_QPT_XRC_INI = 9,
        IB_UVERBS_QPT_XRC_TGT = 0xa,
        IB_UVERBS_QPT_DRIVER = 0xff;
    "ib_uverbs_query_port_cap_flags":
        IB_UVERBS_PCF_SM = 2,
        IB_UVERBS_PCF_NOTICE_SUP = 4,
        IB_UVERBS_PCF_TRAP_SUP = 8,
        IB_UVERBS_PCF_OPT_IPD_SUP = 0x10,
        IB_UVERBS_PCF_AUTO_MIGR_SUP = 0x20,
        IB_UVERBS_PCF_SL_MAP_SUP = 0x40,
        IB_UVERBS_PCF_MKEY_NVRAM = 0x80,
        IB_UVERBS_PCF_PKEY_NVRAM = 0x100,
        IB_UVERBS_PCF_LED_INFO_SUP = 0x200,
        IB_UVERBS_PCF_SM_DISABLED = 0x400,
        IB_UVERBS_PCF_SYS_IMAGE_GUID_SUP = 0x800,
        IB_UVERBS_PCF_PKEY_SW_EXT_PORT_TRAP_SUP = 0x1000,
        IB_UVERBS_PCF_EXTENDED_SPEEDS_SUP = 0x4000,
        IB_UVERBS_PCF_CM_SUP = 0x10000,
        IB_UVERBS_PCF_SNMP_TUNNEL_SUP = 0x20000,
        IB_UVERBS_PCF_REINIT_SUP = 0x40000,
        IB_UVERBS_PCF_DEVICE_MGMT_SUP = 0x80000,
        IB_UVERBS_PCF_VENDOR_CLASS_SUP = 0x100000,
        IB_UVERBS_PCF_DR_NOTICE_SUP = 0x200000,
        IB_UVERBS_PCF_CAP_MASK_NOTICE_SUP = 0x400000,
        IB_UVERBS_PCF_BOOT_MGMT_SUP = 0x800000,
        IB_UVERBS_PCF_LINK_LATENCY_SUP = 0x1000000,
        IB_UVERBS_PCF_CLIENT_REG_SUP = 0x2000000,
        IB_UVERBS_PCF_LINK_SPEED_WIDTH_TABLE_SUP = 0x8000000,
        IB_UVERBS_PCF_VENDOR_SPECIFIC_MADS_TABLE_SUP = 0x10000000,
        IB_UVERBS_PCF_MCAST_PKEY_TRAP_SUPPRESSION_SUP = 0x20000000,
        IB_UVERBS_PCF_MCAST_FDB_TOP_SUP = 0x40000000,
        IB_UVERBS_PCF_HIERARCHY_INFO_SUP = 0x80000000,
        IB_UVERBS_PCF_IP_BASED_GIDS = 0x4000000;
    "ib_uverbs_query_port_flags":
        IB_UVERBS_QPF_GRH_REQUIRED = 1;
    "ib_uverbs_read_counters_flags":
        IB_UVERBS_READ_COUNTERS_PREFER_CACHED = 1;
    "ib_uverbs_srq_type":
        IB_UVERBS_SRQT_BASIC = 0,
        IB_UVERBS_SRQT_XRC = 1,
        IB_UVERBS_SRQT_TM = 2;
    "ib_uverbs_wq_flags":
        IB_UVERBS_WQ_FLAGS_CVLAN_STRIPPING = 1,
        IB_UVERBS_WQ_FLAGS_SCATTER_FCS = 2,
        IB_UVERBS_WQ_FLAGS_DELAY_DROP = 4,
        IB_UVERBS_WQ_FLAGS_PCI_WRITE_END_PADDING = 8;
    "ib_uverbs_wq_type":
        IB_UVERBS_WQT_RQ = 0;
    "ibv_access_flags":
        IBV_ACCESS_LOCAL_WRITE = 1,
        IBV_ACCESS_REMOTE_WRITE = 2,
        IBV_ACCESS_REMOTE_READ = 4,
        IBV_ACCESS_REMOTE_ATOMIC = 8,
        IBV_ACCESS_MW_BIND = 0x10,
        IBV_ACCESS_ZERO_BASED = 0x20,
        IBV_ACCESS_ON_DEMAND = 0x40,
        IBV_ACCESS_HUGETLB = 0x80,
        IBV_ACCESS_FLUSH_GLOBAL = 0x100,
        IBV_ACCESS_FLUSH_PERSISTENT = 0x200,
        IBV_ACCESS_RELAXED_ORDERING = 0x100000;
    "ibv_atomic_cap":
        IBV_ATOMIC_NONE = 0,
        IBV_ATOMIC_HCA = 1,
        IBV_ATOMIC_GLOB = 2;
    "ibv_comp_cntr_type":
        IBV_COMP_CNTR_TYPE_WRS = 0,
        IBV_COMP_CNTR_TYPE_BYTES = 1;
    "ibv_counter_description":
        IBV_COUNTER_PACKETS = 0,
        IBV_COUNTER_BYTES = 1;
    "ibv_cq_attr_mask":
        IBV_CQ_ATTR_MODERATE = 1,
        IBV_CQ_ATTR_RESERVED = 2;
    "ibv_cq_init_attr_mask":
        IBV_CQ_INIT_ATTR_MASK_FLAGS = 1,
        IBV_CQ_INIT_ATTR_MASK_PD = 2;
    "ibv_create_cq_attr_flags":
        IBV_CREATE_CQ_ATTR_SINGLE_THREADED = 1,
        IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN = 2;
    "ibv_create_cq_wc_flags":
        IBV_WC_EX_WITH_BYTE_LEN = 1,
        IBV_WC_EX_WITH_IMM = 2,
        IBV_WC_EX_WITH_QP_NUM = 4,
        IBV_WC_EX_WITH_SRC_QP = 8,
        IBV_WC_EX_WITH_SLID = 0x10,
        IBV_WC_EX_WITH_SL = 0x20,
        IBV_WC_EX_WITH_DLID_PATH_BITS = 0x40,
        IBV_WC_EX_WITH_COMPLETION_TIMESTAMP = 0x80,
        IBV_WC_EX_WITH_CVLAN = 0x100,
        IBV_WC_EX_WITH_FLOW_TAG = 0x200,
        IBV_WC_EX_WITH_TM_INFO = 0x400,
        IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK = 0x800;
    "ibv_device_cap_flags":
        IBV_DEVICE_RESIZE_MAX_WR = 1,
        IBV_DEVICE_BAD_PKEY_CNTR = 2,
        IBV_DEVICE_BAD_QKEY_CNTR = 4,
        IBV_DEVICE_RAW_MULTI = 8,
        IBV_DEVICE_AUTO_PATH_MIG = 0x10,
        IBV_DEVICE_CHANGE_PHY_PORT = 0x20,
        IBV_DEVICE_UD_AV_PORT_ENFORCE = 0x40,
        IBV_DEVICE_CURR_QP_STATE_MOD = 0x80,
        IBV_DEVICE_SHUTDOWN_PORT = 0x100,
        IBV_DEVICE_INIT_TYPE = 0x200,
        IBV_DEVICE_PORT_ACTIVE_EVENT = 0x400,
        IBV_DEVICE_SYS_IMAGE_GUID = 0x800,
        IBV_DEVICE_RC_RNR_NAK_GEN = 0x1000,
        IBV_DEVICE_SRQ_RESIZE = 0x2000,
        IBV_DEVICE_N_NOTIFY_CQ = 0x4000,
        IBV_DEVICE_MEM_WINDOW = 0x20000,
        IBV_DEVICE_UD_IP_CSUM = 0x40000,
        IBV_DEVICE_XRC = 0x100000,
        IBV_DEVICE_MEM_MGT_EXTENSIONS = 0x200000,
        IBV_DEVICE_MEM_WINDOW_TYPE_2A = 0x800000,
        IBV_DEVICE_MEM_WINDOW_TYPE_2B = 0x1000000,
        IBV_DEVICE_RC_IP_CSUM = 0x2000000,
        IBV_DEVICE_RAW_IP_CSUM = 0x4000000,
        IBV_DEVICE_MANAGED_FLOW_STEERING = 0x20000000;
    "ibv_dm_mask":
        IBV_DM_MASK_HANDLE = 1;
    "ibv_dmah_init_attr_mask":
        IBV_DMAH_INIT_ATTR_MASK_CPU_ID = 1,
        IBV_DMAH_INIT_ATTR_MASK_PH = 2,
        IBV_DMAH_INIT_ATTR_MASK_TPH_MEM_TYPE = 4;
    "ibv_event_type":
        IBV_EVENT_CQ_ERR = 0,
        IBV_EVENT_QP_FATAL = 1,
        IBV_EVENT_QP_REQ_ERR = 2,
        IBV_EVENT_QP_ACCESS_ERR = 3,
        IBV_EVENT_COMM_EST = 4,
        IBV_EVENT_SQ_DRAINED = 5,
        IBV_EVENT_PATH_MIG = 6,
        IBV_EVENT_PATH_MIG_ERR = 7,
        IBV_EVENT_DEVICE_FATAL = 8,
        IBV_EVENT_PORT_ACTIVE = 9,
        IBV_EVENT_PORT_ERR = 0xa,
        IBV_EVENT_LID_CHANGE = 0xb,
        IBV_EVENT_PKEY_CHANGE = 0xc,
        IBV_EVENT_SM_CHANGE = 0xd,
        IBV_EVENT_SRQ_ERR = 0xe,
        IBV_EVENT_SRQ_LIMIT_REACHED = 0xf,
        IBV_EVENT_QP_LAST_WQE_REACHED = 0x10,
        IBV_EVENT_CLIENT_REREGISTER = 0x11,
        IBV_EVENT_GID_CHANGE = 0x12,
        IBV_EVENT_WQ_FATAL = 0x13,
        IBV_EVENT_DEVICE_SPEED_CHANGE = 0x14;
    "ibv_flow_action_esp_mask":
        IBV_FLOW_ACTION_ESP_MASK_ESN = 1;
    "ibv_flow_attr_type":
        IBV_FLOW_ATTR_NORMAL = 0,
        IBV_FLOW_ATTR_ALL_DEFAULT = 1,
        IBV_FLOW_ATTR_MC_DEFAULT = 2,
        IBV_FLOW_ATTR_SNIFFER = 3;
    "ibv_flow_flags":
        IBV_FLOW_ATTR_FLAGS_DONT_TRAP = 2,
        IBV_FLOW_ATTR_FLAGS_EGRESS = 4;
    "ibv_flow_spec_type":
        IBV_FLOW_SPEC_ETH = 0x20,
        IBV_FLOW_SPEC_IPV4 = 0x30,
        IBV_FLOW_SPEC_IPV6 = 0x31,
        IBV_FLOW_SPEC_IPV4_EXT = 0x32,
        IBV_FLOW_SPEC_ESP = 0x34,
        IBV_FLOW_SPEC_TCP = 0x40,
        IBV_FLOW_SPEC_UDP = 0x41,
        IBV_FLOW_SPEC_VXLAN_TUNNEL = 0x50,
        IBV_FLOW_SPEC_GRE = 0x51,
        IBV_FLOW_SPEC_MPLS = 0x60,
        IBV_FLOW_SPEC_INNER = 0x100,
        IBV_FLOW_SPEC_ACTION_TAG = 0x1000,
        IBV_FLOW_SPEC_ACTION_DROP = 0x1001,
        IBV_FLOW_SPEC_ACTION_HANDLE = 0x1002,
        IBV_FLOW_SPEC_ACTION_COUNT = 0x1003;
    "ibv_fork_status":
        IBV_FORK_DISABLED = 0,
        IBV_FORK_ENABLED = 1,
        IBV_FORK_UNNEEDED = 2;
    "ibv_gid_type":
        IBV_GID_TYPE_IB = 0,
        IBV_GID_TYPE_ROCE_V1 = 1,
        IBV_GID_TYPE_ROCE_V2 = 2;
    "ibv_ind_table_init_attr_mask":
        IBV_CREATE_IND_TABLE_RESERVED = 1;
    "ibv_mig_state":
        IBV_MIG_MIGRATED = 0,
        IBV_MIG_REARM = 1,
        IBV_MIG_ARMED = 2;
    "ibv_mr_init_attr_mask":
        IBV_REG_MR_MASK_IOVA = 1,
        IBV_REG_MR_MASK_ADDR = 2,
        IBV_REG_MR_MASK_FD = 4,
        IBV_REG_MR_MASK_FD_OFFSET = 8,
        IBV_REG_MR_MASK_DMAH = 0x10,
        IBV_REG_MR_MASK_BUF = 0x20;
    "ibv_mtu":
        IBV_MTU_256 = 1,
        IBV_MTU_512 = 2,
        IBV_MTU_1024 = 3,
        IBV_MTU_2048 = 4,
        IBV_MTU_4096 = 5;
    "ibv_mw_type":
        IBV_MW_TYPE_1 = 1,
        IBV_MW_TYPE_2 = 2;
    "ibv_node_type":
        IBV_NODE_CA = 1,
        IBV_NODE_SWITCH = 2,
        IBV_NODE_ROUTER = 3,
        IBV_NODE_RNIC = 4,
        IBV_NODE_USNIC = 5,
        IBV_NODE_USNIC_UDP = 6,
        IBV_NODE_UNSPECIFIED = 7;
    "ibv_odp_general_caps":
        IBV_ODP_SUPPORT = 1,
        IBV_ODP_SUPPORT_IMPLICIT = 2;
    "ibv_odp_transport_cap_bits":
        IBV_ODP_SUPPORT_SEND = 1,
        IBV_ODP_SUPPORT_RECV = 2,
        IBV_ODP_SUPPORT_WRITE = 4,
        IBV_ODP_SUPPORT_READ = 8,
        IBV_ODP_SUPPORT_ATOMIC = 0x10,
        IBV_ODP_SUPPORT_SRQ_RECV = 0x20,
        IBV_ODP_SUPPORT_FLUSH = 0x40,
        IBV_ODP_SUPPORT_ATOMIC_WRITE = 0x80;
    "ibv_ops_flags":
        IBV_OPS_SIGNALED = 1,
        IBV_OPS_TM_SYNC = 2;
    "ibv_ops_wr_opcode":
        IBV_WR_TAG_ADD = 0,
        IBV_WR_TAG_DEL = 1,
        IBV_WR_TAG_SYNC = 2;
    "ibv_parent_domain_init_attr_mask":
        IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS = 1,
        IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT = 2,
        IBV_PARENT_DOMAIN_INIT_ATTR_ALLOW_CC_UNPROTECTED_ALLOC = 4;
    "ibv_pci_atomic_op_size":
        IBV_PCI_ATOMIC_OPERATION_4_BYTE_SIZE_SUP = 1,
        IBV_PCI_ATOMIC_OPERATION_8_BYTE_SIZE_SUP = 2,
        IBV_PCI_ATOMIC_OPERATION_16_BYTE_SIZE_SUP = 4;
    "ibv_placement_type":
        IBV_FLUSH_GLOBAL = 1,
        IBV_FLUSH_PERSISTENT = 2;
    "ibv_port_cap_flags":
        IBV_PORT_SM = 2,
        IBV_PORT_NOTICE_SUP = 4,
        IBV_PORT_TRAP_SUP = 8,
        IBV_PORT_OPT_IPD_SUP = 0x10,
        IBV_PORT_AUTO_MIGR_SUP = 0x20,
        IBV_PORT_SL_MAP_SUP = 0x40,
        IBV_PORT_MKEY_NVRAM = 0x80,
        IBV_PORT_PKEY_NVRAM = 0x100,
        IBV_PORT_LED_INFO_SUP = 0x200,
        IBV_PORT_SYS_IMAGE_GUID_SUP = 0x800,
        IBV_PORT_PKEY_SW_EXT_PORT_TRAP_SUP = 0x1000,
        IBV_PORT_EXTENDED_SPEEDS_SUP = 0x4000,
        IBV_PORT_CAP_MASK2_SUP = 0x8000,
        IBV_PORT_CM_SUP = 0x10000,
        IBV_PORT_SNMP_TUNNEL_SUP = 0x20000,
        IBV_PORT_REINIT_SUP = 0x40000,
        IBV_PORT_DEVICE_MGMT_SUP = 0x80000,
        IBV_PORT_VENDOR_CLASS_SUP = 0x100000,
        IBV_PORT_DR_NOTICE_SUP = 0x200000,
        IBV_PORT_CAP_MASK_NOTICE_SUP = 0x400000,
        IBV_PORT_BOOT_MGMT_SUP = 0x800000,
        IBV_PORT_LINK_LATENCY_SUP = 0x1000000,
        IBV_PORT_CLIENT_REG_SUP = 0x2000000,
        IBV_PORT_IP_BASED_GIDS = 0x4000000;
    "ibv_port_cap_flags2":
        IBV_PORT_SET_NODE_DESC_SUP = 1,
        IBV_PORT_INFO_EXT_SUP = 2,
        IBV_PORT_VIRT_SUP = 4,
        IBV_PORT_SWITCH_PORT_STATE_TABLE_SUP = 8,
        IBV_PORT_LINK_WIDTH_2X_SUP = 0x10,
        IBV_PORT_LINK_SPEED_HDR_SUP = 0x20,
        IBV_PORT_LINK_SPEED_NDR_SUP = 0x400,
        IBV_PORT_LINK_SPEED_XDR_SUP = 0x1000;
    "ibv_port_state":
        IBV_PORT_NOP = 0,
        IBV_PORT_DOWN = 1,
        IBV_PORT_INIT = 2,
        IBV_PORT_ARMED = 3,
        IBV_PORT_ACTIVE = 4,
        IBV_PORT_ACTIVE_DEFER = 5;
    "ibv_qp_attach_comp_cntr_op":
        IBV_QP_ATTACH_COMP_CNTR_OP_SEND = 1,
        IBV_QP_ATTACH_COMP_CNTR_OP_RECV = 2,
        IBV_QP_ATTACH_COMP_CNTR_OP_RDMA_READ = 4,
        IBV_QP_ATTACH_COMP_CNTR_OP_REMOTE_RDMA_READ = 8,
        IBV_QP_ATTACH_COMP_CNTR_OP_RDMA_WRITE = 0x10,
        IBV_QP_ATTACH_COMP_CNTR_OP_REMOTE_RDMA_WRITE = 0x20;
    "ibv_qp_attr_mask":
        IBV_QP_STATE = 1,
        IBV_QP_CUR_STATE = 2,
        IBV_QP_EN_SQD_ASYNC_NOTIFY = 4,
        IBV_QP_ACCESS_FLAGS = 8,
        IBV_QP_PKEY_INDEX = 0x10,
        IBV_QP_PORT = 0x20,
        IBV_QP_QKEY = 0x40,
        IBV_QP_AV = 0x80,
        IBV_QP_PATH_MTU = 0x100,
        IBV_QP_TIMEOUT = 0x200,
        IBV_QP_RETRY_CNT = 0x400,
        IBV_QP_RNR_RETRY = 0x800,
        IBV_QP_RQ_PSN = 0x1000,
        IBV_QP_MAX_QP_RD_ATOMIC = 0x2000,
        IBV_QP_ALT_PATH = 0x4000,
        IBV_QP_MIN_RNR_TIMER = 0x8000,
        IBV_QP_SQ_PSN = 0x10000,
        IBV_QP_MAX_DEST_RD_ATOMIC = 0x20000,
        IBV_QP_PATH_MIG_STATE = 0x40000,
        IBV_QP_CAP = 0x80000,
        IBV_QP_DEST_QPN = 0x100000,
        IBV_QP_RATE_LIMIT = 0x2000000;
    "ibv_qp_create_flags":
        IBV_QP_CREATE_BLOCK_SELF_MCAST_LB = 2,
        IBV_QP_CREATE_SCATTER_FCS = 0x100,
        IBV_QP_CREATE_CVLAN_STRIPPING = 0x200,
        IBV_QP_CREATE_SOURCE_QPN = 0x400,
        IBV_QP_CREATE_PCI_WRITE_END_PADDING = 0x800;
    "ibv_qp_create_send_ops_flags":
        IBV_QP_EX_WITH_RDMA_WRITE = 1,
        IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM = 2,
        IBV_QP_EX_WITH_SEND = 4,
        IBV_QP_EX_WITH_SEND_WITH_IMM = 8,
        IBV_QP_EX_WITH_RDMA_READ = 0x10,
        IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP = 0x20,
        IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD = 0x40,
        IBV_QP_EX_WITH_LOCAL_INV = 0x80,
        IBV_QP_EX_WITH_BIND_MW = 0x100,
        IBV_QP_EX_WITH_SEND_WITH_INV = 0x200,
        IBV_QP_EX_WITH_TSO = 0x400,
        IBV_QP_EX_WITH_FLUSH = 0x800,
        IBV_QP_EX_WITH_ATOMIC_WRITE = 0x1000;
    "ibv_qp_init_attr_mask":
        IBV_QP_INIT_ATTR_PD = 1,
        IBV_QP_INIT_ATTR_XRCD = 2,
        IBV_QP_INIT_ATTR_CREATE_FLAGS = 4,
        IBV_QP_INIT_ATTR_MAX_TSO_HEADER = 8,
        IBV_QP_INIT_ATTR_IND_TABLE = 0x10,
        IBV_QP_INIT_ATTR_RX_HASH = 0x20,
        IBV_QP_INIT_ATTR_SEND_OPS_FLAGS = 0x40;
    "ibv_qp_open_attr_mask":
        IBV_QP_OPEN_ATTR_NUM = 1,
        IBV_QP_OPEN_ATTR_XRCD = 2,
        IBV_QP_OPEN_ATTR_CONTEXT = 4,
        IBV_QP_OPEN_ATTR_TYPE = 8,
        IBV_QP_OPEN_ATTR_RESERVED = 0x10;
    "ibv_qp_state":
        IBV_QPS_RESET = 0,
        IBV_QPS_INIT = 1,
        IBV_QPS_RTR = 2,
        IBV_QPS_RTS = 3,
        IBV_QPS_SQD = 4,
        IBV_QPS_SQE = 5,
        IBV_QPS_ERR = 6,
        IBV_QPS_UNKNOWN = 7;
    "ibv_qp_type":
        IBV_QPT_RC = 2,
        IBV_QPT_UC = 3,
        IBV_QPT_UD = 4,
        IBV_QPT_RAW_PACKET = 8,
        IBV_QPT_XRC_SEND = 9,
        IBV_QPT_XRC_RECV = 0xa,
        IBV_QPT_DRIVER = 0xff;
    "ibv_query_qp_data_in_order_caps":
        IBV_QUERY_QP_DATA_IN_ORDER_WHOLE_MSG = 1,
        IBV_QUERY_QP_DATA_IN_ORDER_ALIGNED_128_BYTES = 2;
    "ibv_query_qp_data_in_order_flags":
        IBV_QUERY_QP_DATA_IN_ORDER_RETURN_CAPS = 1,
        IBV_QUERY_QP_DATA_IN_ORDER_DEVICE_ONLY = 2;
    "ibv_rate":
        IBV_RATE_MAX = 0,
        IBV_RATE_2_5_GBPS = 2,
        IBV_RATE_5_GBPS = 5,
        IBV_RATE_10_GBPS = 3,
        IBV_RATE_20_GBPS = 6,
        IBV_RATE_30_GBPS = 4,
        IBV_RATE_40_GBPS = 7,
        IBV_RATE_60_GBPS = 8,
        IBV_RATE_80_GBPS = 9,
        IBV_RATE_120_GBPS = 0xa,
        IBV_RATE_14_GBPS = 0xb,
        IBV_RATE_56_GBPS = 0xc,
        IBV_RATE_112_GBPS = 0xd,
        IBV_RATE_168_GBPS = 0xe,
        IBV_RATE_25_GBPS = 0xf,
        IBV_RATE_100_GBPS = 0x10,
        IBV_RATE_200_GBPS = 0x11,
        IBV_RATE_300_GBPS = 0x12,
        IBV_RATE_28_GBPS = 0x13,
        IBV_RATE_50_GBPS = 0x14,
        IBV_RATE_400_GBPS = 0x15,
        IBV_RATE_600_GBPS = 0x16,
        IBV_RATE_800_GBPS = 0x17,
        IBV_RATE_1200_GBPS = 0x18;
    "ibv_raw_packet_caps":
        IBV_RAW_PACKET_CAP_CVLAN_STRIPPING = 1,
        IBV_RAW_PACKET_CAP_SCATTER_FCS = 2,
        IBV_RAW_PACKET_CAP_IP_CSUM = 4,
        IBV_RAW_PACKET_CAP_DELAY_DROP = 8;
    "ibv_read_counters_flags":
        IBV_READ_COUNTERS_ATTR_PREFER_CACHED = 1;
    "ibv_rereg_mr_flags":
        IBV_REREG_MR_CHANGE_TRANSLATION = 1,
        IBV_REREG_MR_CHANGE_PD = 2,
        IBV_REREG_MR_CHANGE_ACCESS = 4,
        IBV_REREG_MR_FLAGS_SUPPORTED = 7;
    "ibv_rx_hash_fields":
        IBV_RX_HASH_SRC_IPV4 = 1,
        IBV_RX_HASH_DST_IPV4 = 2,
        IBV_RX_HASH_SRC_IPV6 = 4,
        IBV_RX_HASH_DST_IPV6 = 8,
        IBV_RX_HASH_SRC_PORT_TCP = 0x10,
        IBV_RX_HASH_DST_PORT_TCP = 0x20,
        IBV_RX_HASH_SRC_PORT_UDP = 0x40,
        IBV_RX_HASH_DST_PORT_UDP = 0x80,
        IBV_RX_HASH_IPSEC_SPI = 0x100,
        IBV_RX_HASH_INNER = 0x80000000;
    "ibv_rx_hash_function_flags":
        IBV_RX_HASH_FUNC_TOEPLITZ = 1;
    "ibv_selectivity_level":
        IBV_FLUSH_RANGE = 0,
        IBV_FLUSH_MR = 1;
    "ibv_send_flags":
        IBV_SEND_FENCE = 1,
        IBV_SEND_SIGNALED = 2,
        IBV_SEND_SOLICITED = 4,
        IBV_SEND_INLINE = 8,
        IBV_SEND_IP_CSUM = 0x10;
    "ibv_srq_attr_mask":
        IBV_SRQ_MAX_WR = 1,
        IBV_SRQ_LIMIT = 2;
    "ibv_srq_init_attr_mask":
        IBV_SRQ_INIT_ATTR_TYPE = 1,
        IBV_SRQ_INIT_ATTR_PD = 2,
        IBV_SRQ_INIT_ATTR_XRCD = 4,
        IBV_SRQ_INIT_ATTR_CQ = 8,
        IBV_SRQ_INIT_ATTR_TM = 0x10,
        IBV_SRQ_INIT_ATTR_RESERVED = 0x20;
    "ibv_srq_type":
        IBV_SRQT_BASIC = 0,
        IBV_SRQT_XRC = 1,
        IBV_SRQT_TM = 2;
    "ibv_tm_cap_flags":
        IBV_TM_CAP_RC = 1;
    "ibv_tmh_op":
        IBV_TMH_NO_TAG = 0,
        IBV_TMH_RNDV = 1,
        IBV_TMH_FIN = 2,
        IBV_TMH_EAGER = 3;
    "ibv_tph_mem_type":
        IBV_TPH_MEM_TYPE_VM = 0,
        IBV_TPH_MEM_TYPE_PM = 1;
    "ibv_transport_type":
        IBV_TRANSPORT_IB = 0,
        IBV_TRANSPORT_IWARP = 1,
        IBV_TRANSPORT_USNIC = 2,
        IBV_TRANSPORT_USNIC_UDP = 3,
        IBV_TRANSPORT_UNSPECIFIED = 4;
    "ibv_values_mask":
        IBV_VALUES_MASK_RAW_CLOCK = 1,
        IBV_VALUES_MASK_RESERVED = 2;
    "ibv_wc_flags":
        IBV_WC_GRH = 1,
        IBV_WC_WITH_IMM = 2,
        IBV_WC_IP_CSUM_OK = 4,
        IBV_WC_WITH_INV = 8,
        IBV_WC_TM_SYNC_REQ = 0x10,
        IBV_WC_TM_MATCH = 0x20,
        IBV_WC_TM_DATA_VALID = 0x40;
    "ibv_wc_opcode":
        IBV_WC_SEND = 0,
        IBV_WC_RDMA_WRITE = 1,
        IBV_WC_RDMA_READ = 2,
        IBV_WC_COMP_SWAP = 3,
        IBV_WC_FETCH_ADD = 4,
        IBV_WC_BIND_MW = 5,
        IBV_WC_LOCAL_INV = 6,
        IBV_WC_TSO = 7,
        IBV_WC_FLUSH = 8,
        IBV_WC_ATOMIC_WRITE = 9,
        IBV_WC_RECV = 0x80,
        IBV_WC_RECV_RDMA_WITH_IMM = 0x81,
        IBV_WC_TM_ADD = 0x82,
        IBV_WC_TM_DEL = 0x83,
        IBV_WC_TM_SYNC = 0x84,
        IBV_WC_TM_RECV = 0x85,
        IBV_WC_TM_NO_TAG = 0x86,
        IBV_WC_DRIVER1 = 0x87,
        IBV_WC_DRIVER2 = 0x88,
        IBV_WC_DRIVER3 = 0x89;
    "ibv_wc_status":
        IBV_WC_SUCCESS = 0,
        IBV_WC_LOC_LEN_ERR = 1,
        IBV_WC_LOC_QP_OP_ERR = 2,
        IBV_WC_LOC_EEC_OP_ERR = 3,
        IBV_WC_LOC_PROT_ERR = 4,
        IBV_WC_WR_FLUSH_ERR = 5,
        IBV_WC_MW_BIND_ERR = 6,
        IBV_WC_BAD_RESP_ERR = 7,
        IBV_WC_LOC_ACCESS_ERR = 8,
        IBV_WC_REM_INV_REQ_ERR = 9,
        IBV_WC_REM_ACCESS_ERR = 0xa,
        IBV_WC_REM_OP_ERR = 0xb,
        IBV_WC_RETRY_EXC_ERR = 0xc,
        IBV_WC_RNR_RETRY_EXC_ERR = 0xd,
        IBV_WC_LOC_RDD_VIOL_ERR = 0xe,
        IBV_WC_REM_INV_RD_REQ_ERR = 0xf,
        IBV_WC_REM_ABORT_ERR = 0x10,
        IBV_WC_INV_EECN_ERR = 0x11,
        IBV_WC_INV_EEC_STATE_ERR = 0x12,
        IBV_WC_FATAL_ERR = 0x13,
        IBV_WC_RESP_TIMEOUT_ERR = 0x14,
        IBV_WC_GENERAL_ERR = 0x15,
        IBV_WC_TM_ERR = 0x16,
        IBV_WC_TM_RNDV_INCOMPLETE = 0x17;
    "ibv_wq_attr_mask":
        IBV_WQ_ATTR_STATE = 1,
        IBV_WQ_ATTR_CURR_STATE = 2,
        IBV_WQ_ATTR_FLAGS = 4,
        IBV_WQ_ATTR_RESERVED = 8;
    "ibv_wq_flags":
        IBV_WQ_FLAGS_CVLAN_STRIPPING = 1,
        IBV_WQ_FLAGS_SCATTER_FCS = 2,
        IBV_WQ_FLAGS_DELAY_DROP = 4,
        IBV_WQ_FLAGS_PCI_WRITE_END_PADDING = 8,
        IBV_WQ_FLAGS_RESERVED = 0x10;
    "ibv_wq_init_attr_mask":
        IBV_WQ_INIT_ATTR_FLAGS = 1,
        IBV_WQ_INIT_ATTR_RESERVED = 2;
    "ibv_wq_state":
        IBV_WQS_RESET = 0,
        IBV_WQS_RDY = 1,
        IBV_WQS_ERR = 2,
        IBV_WQS_UNKNOWN = 3;
    "ibv_wq_type":
        IBV_WQT_RQ = 0;
    "ibv_wr_opcode":
        IBV_WR_RDMA_WRITE = 0,
        IBV_WR_RDMA_WRITE_WITH_IMM = 1,
        IBV_WR_SEND = 2,
        IBV_WR_SEND_WITH_IMM = 3,
        IBV_WR_RDMA_READ = 4,
        IBV_WR_ATOMIC_CMP_AND_SWP = 5,
        IBV_WR_ATOMIC_FETCH_AND_ADD = 6,
        IBV_WR_LOCAL_INV = 7,
        IBV_WR_BIND_MW = 8,
        IBV_WR_SEND_WITH_INV = 9,
        IBV_WR_TSO = 0xa,
        IBV_WR_DRIVER1 = 0xb,
        IBV_WR_FLUSH = 0xe,
        IBV_WR_ATOMIC_WRITE = 0xf;
    "ibv_xrcd_init_attr_mask":
        IBV_XRCD_INIT_ATTR_FD = 1,
        IBV_XRCD_INIT_ATTR_OFLAGS = 2,
        IBV_XRCD_INIT_ATTR_RESERVED = 4;
    "rdma_driver_id":
        RDMA_DRIVER_UNKNOWN = 0,
        RDMA_DRIVER_MLX5 = 1,
        RDMA_DRIVER_MLX4 = 2,
        RDMA_DRIVER_CXGB3 = 3,
        RDMA_DRIVER_CXGB4 = 4,
        RDMA_DRIVER_MTHCA = 5,
        RDMA_DRIVER_BNXT_RE = 6,
        RDMA_DRIVER_OCRDMA = 7,
        RDMA_DRIVER_NES = 8,
        RDMA_DRIVER_I40IW = 9,
        RDMA_DRIVER_IRDMA = 9,
        RDMA_DRIVER_VMW_PVRDMA = 0xa,
        RDMA_DRIVER_QEDR = 0xb,
        RDMA_DRIVER_HNS = 0xc,
        RDMA_DRIVER_USNIC = 0xd,
        RDMA_DRIVER_RXE = 0xe,
        RDMA_DRIVER_HFI1 = 0xf,
        RDMA_DRIVER_QIB = 0x10,
        RDMA_DRIVER_EFA = 0x11,
        RDMA_DRIVER_SIW = 0x12,
        RDMA_DRIVER_ERDMA = 0x13,
        RDMA_DRIVER_MANA = 0x14,
        RDMA_DRIVER_IONIC = 0x15;
}
/// Of ibv_node_type.
pub const IBV_NODE_UNKNOWN: i64 = -1;
/// Of ibv_rereg_mr_err_code.
pub const IBV_REREG_MR_ERR_INPUT: i64 = -1;
/// Of ibv_rereg_mr_err_code.
pub const IBV_REREG_MR_ERR_DONT_FORK_NEW: i64 = -2;
/// Of ibv_rereg_mr_err_code.
pub const IBV_REREG_MR_ERR_DO_FORK_OLD: i64 = -3;
/// Of ibv_rereg_mr_err_code.
pub const IBV_REREG_MR_ERR_CMD: i64 = -4;
/// Of ibv_rereg_mr_err_code.
pub const IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW: i64 = -5;
/// Of ibv_transport_type.
pub const IBV_TRANSPORT_UNKNOWN: i64 = -1;
