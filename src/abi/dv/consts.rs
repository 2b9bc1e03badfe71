//! Constants of `mlx5dv.h`, `mlx5_api.h` and `mlx5_user_ioctl_verbs.h`.

macro_rules! constants {
    ($($enum:literal: $($name:ident = $value:literal),*;)*) => {
        $($(#[doc = concat!("Of ", $enum, ".")] pub const $name: u32 = $value;)*)*
    };
}

constants! {
    "an unnamed enum":
        MLX5_CQE_L2_OK = 1,
        MLX5_CQE_L3_OK = 2,
        MLX5_CQE_L4_OK = 4;
    "an unnamed enum":
        MLX5_CQE_L3_HDR_TYPE_NONE = 0,
        MLX5_CQE_L3_HDR_TYPE_IPV6 = 1,
        MLX5_CQE_L3_HDR_TYPE_IPV4 = 2;
    "an unnamed enum":
        MLX5_CQE_OWNER_MASK = 1,
        MLX5_CQE_REQ = 0,
        MLX5_CQE_RESP_WR_IMM = 1,
        MLX5_CQE_RESP_SEND = 2,
        MLX5_CQE_RESP_SEND_IMM = 3,
        MLX5_CQE_RESP_SEND_INV = 4,
        MLX5_CQE_RESIZE_CQ = 5,
        MLX5_CQE_NO_PACKET = 6,
        MLX5_CQE_SIG_ERR = 0xc,
        MLX5_CQE_REQ_ERR = 0xd,
        MLX5_CQE_RESP_ERR = 0xe,
        MLX5_CQE_INVALID = 0xf;
    "an unnamed enum":
        MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR = 1,
        MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR = 2,
        MLX5_CQE_SYNDROME_LOCAL_PROT_ERR = 4,
        MLX5_CQE_SYNDROME_WR_FLUSH_ERR = 5,
        MLX5_CQE_SYNDROME_MW_BIND_ERR = 6,
        MLX5_CQE_SYNDROME_BAD_RESP_ERR = 0x10,
        MLX5_CQE_SYNDROME_LOCAL_ACCESS_ERR = 0x11,
        MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR = 0x12,
        MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR = 0x13,
        MLX5_CQE_SYNDROME_REMOTE_OP_ERR = 0x14,
        MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR = 0x15,
        MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR = 0x16,
        MLX5_CQE_SYNDROME_REMOTE_ABORTED_ERR = 0x22;
    "an unnamed enum":
        MLX5_CQE_VENDOR_SYNDROME_ODP_PFAULT = 0x93;
    "an unnamed enum":
        MLX5_CQ_DB_REQ_NOT_SOL = 0x1000000,
        MLX5_CQ_DB_REQ_NOT = 0;
    "an unnamed enum":
        MLX5_CQ_DOORBELL = 0x20;
    "an unnamed enum":
        MLX5_ETH_WQE_L3_CSUM = 0x40,
        MLX5_ETH_WQE_L4_CSUM = 0x80;
    "an unnamed enum":
        MLX5_EXTENDED_UD_AV = 0x80000000;
    "an unnamed enum":
        MLX5_INLINE_SCATTER_32 = 4,
        MLX5_INLINE_SCATTER_64 = 8;
    "an unnamed enum":
        MLX5_INLINE_SEG = 0x80000000;
    "an unnamed enum":
        MLX5_INVALID_LKEY = 0x100;
    "an unnamed enum":
        MLX5_MMAP_GET_REGULAR_PAGES_CMD = 0,
        MLX5_MMAP_GET_NC_PAGES_CMD = 3;
    "an unnamed enum":
        MLX5_OPCODE_NOP = 0,
        MLX5_OPCODE_SEND_INVAL = 1,
        MLX5_OPCODE_RDMA_WRITE = 8,
        MLX5_OPCODE_RDMA_WRITE_IMM = 9,
        MLX5_OPCODE_SEND = 0xa,
        MLX5_OPCODE_SEND_IMM = 0xb,
        MLX5_OPCODE_TSO = 0xe,
        MLX5_OPCODE_RDMA_READ = 0x10,
        MLX5_OPCODE_ATOMIC_CS = 0x11,
        MLX5_OPCODE_ATOMIC_FA = 0x12,
        MLX5_OPCODE_ATOMIC_MASKED_CS = 0x14,
        MLX5_OPCODE_ATOMIC_MASKED_FA = 0x15,
        MLX5_OPCODE_FMR = 0x19,
        MLX5_OPCODE_LOCAL_INVAL = 0x1b,
        MLX5_OPCODE_CONFIG_CMD = 0x1f,
        MLX5_OPCODE_SET_PSV = 0x20,
        MLX5_OPCODE_UMR = 0x25,
        MLX5_OPCODE_TAG_MATCHING = 0x28,
        MLX5_OPCODE_FLOW_TBL_ACCESS = 0x2c,
        MLX5_OPCODE_MMO = 0x2f;
    "an unnamed enum":
        MLX5_RCV_DBR = 0,
        MLX5_SND_DBR = 1;
    "an unnamed enum":
        MLX5_SEND_WQE_BB = 0x40,
        MLX5_SEND_WQE_SHIFT = 6;
    "an unnamed enum":
        MLX5_TMC_SUCCESS = 0x80000000;
    "an unnamed enum":
        MLX5_WQE_CTRL_CQ_UPDATE = 8,
        MLX5_WQE_CTRL_SOLICITED = 2,
        MLX5_WQE_CTRL_FENCE = 0x80,
        MLX5_WQE_CTRL_INITIATOR_SMALL_FENCE = 0x20;
    "an unnamed enum":
        MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_ATOMIC = 0x40,
        MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_REMOTE_WRITE = 0x20,
        MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_REMOTE_READ = 0x10,
        MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_LOCAL_WRITE = 8,
        MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_LOCAL_READ = 4;
    "an unnamed enum":
        MLX5_WQE_MKEY_CONTEXT_FREE = 0x40;
    "an unnamed enum":
        MLX5_WQE_UMR_CTRL_FLAG_INLINE = 0x80,
        MLX5_WQE_UMR_CTRL_FLAG_CHECK_FREE = 0x20,
        MLX5_WQE_UMR_CTRL_FLAG_TRNSLATION_OFFSET = 0x10,
        MLX5_WQE_UMR_CTRL_FLAG_CHECK_QPN = 8;
    "an unnamed enum":
        MLX5_WQE_UMR_CTRL_MKEY_MASK_LEN = 1,
        MLX5_WQE_UMR_CTRL_MKEY_MASK_START_ADDR = 0x40,
        MLX5_WQE_UMR_CTRL_MKEY_MASK_SIG_ERR = 0x200,
        MLX5_WQE_UMR_CTRL_MKEY_MASK_BSF_ENABLE = 0x1000,
        MLX5_WQE_UMR_CTRL_MKEY_MASK_MKEY = 0x2000,
        MLX5_WQE_UMR_CTRL_MKEY_MASK_QPN = 0x4000,
        MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_LOCAL_WRITE = 0x40000,
        MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_REMOTE_READ = 0x80000,
        MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_REMOTE_WRITE = 0x100000,
        MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_ATOMIC = 0x200000,
        MLX5_WQE_UMR_CTRL_MKEY_MASK_FREE = 0x20000000;
    "mlx5_ib_uapi_devx_create_event_channel_flags":
        MLX5_IB_UAPI_DEVX_CR_EV_CH_FLAGS_OMIT_DATA = 1;
    "mlx5_ib_uapi_dm_type":
        MLX5_IB_UAPI_DM_TYPE_MEMIC = 0,
        MLX5_IB_UAPI_DM_TYPE_STEERING_SW_ICM = 1,
        MLX5_IB_UAPI_DM_TYPE_HEADER_MODIFY_SW_ICM = 2,
        MLX5_IB_UAPI_DM_TYPE_HEADER_MODIFY_PATTERN_SW_ICM = 3,
        MLX5_IB_UAPI_DM_TYPE_ENCAP_SW_ICM = 4;
    "mlx5_ib_uapi_flow_action_flags":
        MLX5_IB_UAPI_FLOW_ACTION_FLAGS_REQUIRE_METADATA = 1;
    "mlx5_ib_uapi_flow_action_packet_reformat_type":
        MLX5_IB_UAPI_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TUNNEL_TO_L2 = 0,
        MLX5_IB_UAPI_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TO_L2_TUNNEL = 1,
        MLX5_IB_UAPI_FLOW_ACTION_PACKET_REFORMAT_TYPE_L3_TUNNEL_TO_L2 = 2,
        MLX5_IB_UAPI_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TO_L3_TUNNEL = 3;
    "mlx5_ib_uapi_flow_table_type":
        MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_RX = 0,
        MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_TX = 1,
        MLX5_IB_UAPI_FLOW_TABLE_TYPE_FDB = 2,
        MLX5_IB_UAPI_FLOW_TABLE_TYPE_RDMA_RX = 3,
        MLX5_IB_UAPI_FLOW_TABLE_TYPE_RDMA_TX = 4,
        MLX5_IB_UAPI_FLOW_TABLE_TYPE_RDMA_TRANSPORT_RX = 5,
        MLX5_IB_UAPI_FLOW_TABLE_TYPE_RDMA_TRANSPORT_TX = 6;
    "mlx5_ib_uapi_pp_alloc_flags":
        MLX5_IB_UAPI_PP_ALLOC_FLAGS_DEDICATED_INDEX = 1;
    "mlx5_ib_uapi_query_port_flags":
        MLX5_IB_UAPI_QUERY_PORT_VPORT = 1,
        MLX5_IB_UAPI_QUERY_PORT_VPORT_VHCA_ID = 2,
        MLX5_IB_UAPI_QUERY_PORT_VPORT_STEERING_ICM_RX = 4,
        MLX5_IB_UAPI_QUERY_PORT_VPORT_STEERING_ICM_TX = 8,
        MLX5_IB_UAPI_QUERY_PORT_VPORT_REG_C0 = 0x10,
        MLX5_IB_UAPI_QUERY_PORT_ESW_OWNER_VHCA_ID = 0x20;
    "mlx5_ib_uapi_reg_dmabuf_flags":
        MLX5_IB_UAPI_REG_DMABUF_ACCESS_DATA_DIRECT = 1;
    "mlx5_ib_uapi_uar_alloc_type":
        MLX5_IB_UAPI_UAR_ALLOC_TYPE_BF = 0,
        MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC = 1;
    "mlx5_ib_uapi_var_alloc_flags":
        MLX5_IB_UAPI_VAR_ALLOC_FLAG_TLP = 1;
    "mlx5dv_block_size":
        MLX5DV_BLOCK_SIZE_512 = 0,
        MLX5DV_BLOCK_SIZE_520 = 1,
        MLX5DV_BLOCK_SIZE_4048 = 2,
        MLX5DV_BLOCK_SIZE_4096 = 3,
        MLX5DV_BLOCK_SIZE_4160 = 4;
    "mlx5dv_block_size_caps":
        MLX5DV_BLOCK_SIZE_CAP_512 = 1,
        MLX5DV_BLOCK_SIZE_CAP_520 = 2,
        MLX5DV_BLOCK_SIZE_CAP_4048 = 4,
        MLX5DV_BLOCK_SIZE_CAP_4096 = 8,
        MLX5DV_BLOCK_SIZE_CAP_4160 = 0x10;
    "mlx5dv_context_attr_comp_mask":
        MLX5DV_CONTEXT_ATTR_MASK_FD_ARRAY = 1;
    "mlx5dv_context_attr_flags":
        MLX5DV_CONTEXT_FLAGS_DEVX = 1;
    "mlx5dv_context_comp_mask":
        MLX5DV_CONTEXT_MASK_CQE_COMPRESION = 1,
        MLX5DV_CONTEXT_MASK_SWP = 2,
        MLX5DV_CONTEXT_MASK_STRIDING_RQ = 4,
        MLX5DV_CONTEXT_MASK_TUNNEL_OFFLOADS = 8,
        MLX5DV_CONTEXT_MASK_DYN_BFREGS = 0x10,
        MLX5DV_CONTEXT_MASK_CLOCK_INFO_UPDATE = 0x20,
        MLX5DV_CONTEXT_MASK_FLOW_ACTION_FLAGS = 0x40,
        MLX5DV_CONTEXT_MASK_DC_ODP_CAPS = 0x80,
        MLX5DV_CONTEXT_MASK_HCA_CORE_CLOCK = 0x100,
        MLX5DV_CONTEXT_MASK_NUM_LAG_PORTS = 0x200,
        MLX5DV_CONTEXT_MASK_SIGNATURE_OFFLOAD = 0x400,
        MLX5DV_CONTEXT_MASK_DCI_STREAMS = 0x800,
        MLX5DV_CONTEXT_MASK_WR_MEMCPY_LENGTH = 0x1000,
        MLX5DV_CONTEXT_MASK_CRYPTO_OFFLOAD = 0x2000,
        MLX5DV_CONTEXT_MASK_MAX_DC_RD_ATOM = 0x4000,
        MLX5DV_CONTEXT_MASK_REG_C0 = 0x8000,
        MLX5DV_CONTEXT_MASK_OOO_RECV_WRS = 0x10000;
    "mlx5dv_context_flags":
        MLX5DV_CONTEXT_FLAGS_CQE_V1 = 1,
        MLX5DV_CONTEXT_FLAGS_OBSOLETE = 2,
        MLX5DV_CONTEXT_FLAGS_MPW_ALLOWED = 4,
        MLX5DV_CONTEXT_FLAGS_ENHANCED_MPW = 8,
        MLX5DV_CONTEXT_FLAGS_CQE_128B_COMP = 0x10,
        MLX5DV_CONTEXT_FLAGS_CQE_128B_PAD = 0x20,
        MLX5DV_CONTEXT_FLAGS_PACKET_BASED_CREDIT_MODE = 0x40,
        MLX5DV_CONTEXT_FLAGS_REAL_TIME_TS = 0x80,
        MLX5DV_CONTEXT_FLAGS_BLUEFLAME = 0x100;
    "mlx5dv_cq_init_attr_flags":
        MLX5DV_CQ_INIT_ATTR_FLAGS_CQE_PAD = 1,
        MLX5DV_CQ_INIT_ATTR_FLAGS_RESERVED = 2;
    "mlx5dv_cq_init_attr_mask":
        MLX5DV_CQ_INIT_ATTR_MASK_COMPRESSED_CQE = 1,
        MLX5DV_CQ_INIT_ATTR_MASK_FLAGS = 2,
        MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE = 4;
    "mlx5dv_cqe_comp_res_format":
        MLX5DV_CQE_RES_FORMAT_HASH = 1,
        MLX5DV_CQE_RES_FORMAT_CSUM = 2,
        MLX5DV_CQE_RES_FORMAT_CSUM_STRIDX = 4;
    "mlx5dv_crypto_caps_flags":
        MLX5DV_CRYPTO_CAPS_CRYPTO = 1,
        MLX5DV_CRYPTO_CAPS_WRAPPED_CRYPTO_OPERATIONAL = 2,
        MLX5DV_CRYPTO_CAPS_WRAPPED_CRYPTO_GOING_TO_COMMISSIONING = 4;
    "mlx5dv_crypto_engines_caps":
        MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS = 1,
        MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_SINGLE_BLOCK = 2,
        MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_MULTI_BLOCK = 4;
    "mlx5dv_crypto_key_purpose":
        MLX5DV_CRYPTO_KEY_PURPOSE_AES_XTS = 0;
    "mlx5dv_crypto_key_size":
        MLX5DV_CRYPTO_KEY_SIZE_128 = 0,
        MLX5DV_CRYPTO_KEY_SIZE_256 = 1;
    "mlx5dv_crypto_login_state":
        MLX5DV_CRYPTO_LOGIN_STATE_VALID = 0,
        MLX5DV_CRYPTO_LOGIN_STATE_NO_LOGIN = 1,
        MLX5DV_CRYPTO_LOGIN_STATE_INVALID = 2;
    "mlx5dv_crypto_standard":
        MLX5DV_CRYPTO_STANDARD_AES_XTS = 0;
    "mlx5dv_crypto_wrapped_import_method_caps":
        MLX5DV_CRYPTO_WRAPPED_IMPORT_METHOD_CAP_AES_XTS = 1;
    "mlx5dv_dc_type":
        MLX5DV_DCTYPE_DCT = 1,
        MLX5DV_DCTYPE_DCI = 2;
    "mlx5dv_dek_init_attr_mask":
        MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN = 1;
    "mlx5dv_dek_state":
        MLX5DV_DEK_STATE_READY = 0,
        MLX5DV_DEK_STATE_ERROR = 1;
    "mlx5dv_devx_umem_in_mask":
        MLX5DV_UMEM_MASK_DMABUF = 1;
    "mlx5dv_dm_comp_mask":
        MLX5DV_DM_MASK_REMOTE_VA = 1;
    "mlx5dv_dr_action_aso_ct_flags":
        MLX5DV_DR_ACTION_FLAGS_ASO_CT_DIRECTION_INITIATOR = 1,
        MLX5DV_DR_ACTION_FLAGS_ASO_CT_DIRECTION_RESPONDER = 2;
    "mlx5dv_dr_action_aso_first_hit_flags":
        MLX5DV_DR_ACTION_FLAGS_ASO_FIRST_HIT_SET = 1;
    "mlx5dv_dr_action_aso_flow_meter_flags":
        MLX5DV_DR_ACTION_FLAGS_ASO_FLOW_METER_RED = 1,
        MLX5DV_DR_ACTION_FLAGS_ASO_FLOW_METER_YELLOW = 2,
        MLX5DV_DR_ACTION_FLAGS_ASO_FLOW_METER_GREEN = 4,
        MLX5DV_DR_ACTION_FLAGS_ASO_FLOW_METER_UNDEFINED = 8;
    "mlx5dv_dr_action_dest_type":
        MLX5DV_DR_ACTION_DEST = 0,
        MLX5DV_DR_ACTION_DEST_REFORMAT = 1;
    "mlx5dv_dr_action_flags":
        MLX5DV_DR_ACTION_FLAGS_ROOT_LEVEL = 1;
    "mlx5dv_dr_domain_sync_flags":
        MLX5DV_DR_DOMAIN_SYNC_FLAGS_SW = 1,
        MLX5DV_DR_DOMAIN_SYNC_FLAGS_HW = 2,
        MLX5DV_DR_DOMAIN_SYNC_FLAGS_MEM = 4;
    "mlx5dv_dr_domain_type":
        MLX5DV_DR_DOMAIN_TYPE_NIC_RX = 0,
        MLX5DV_DR_DOMAIN_TYPE_NIC_TX = 1,
        MLX5DV_DR_DOMAIN_TYPE_FDB = 2;
    "mlx5dv_dr_matcher_layout_flags":
        MLX5DV_DR_MATCHER_LAYOUT_RESIZABLE = 1,
        MLX5DV_DR_MATCHER_LAYOUT_NUM_RULE = 2;
    "mlx5dv_flow_action_cap_flags":
        MLX5DV_FLOW_ACTION_FLAGS_ESP_AES_GCM = 1,
        MLX5DV_FLOW_ACTION_FLAGS_ESP_AES_GCM_REQ_METADATA = 2,
        MLX5DV_FLOW_ACTION_FLAGS_ESP_AES_GCM_SPI_STEERING = 4,
        MLX5DV_FLOW_ACTION_FLAGS_ESP_AES_GCM_FULL_OFFLOAD = 8,
        MLX5DV_FLOW_ACTION_FLAGS_ESP_AES_GCM_TX_IV_IS_ESN = 0x10;
    "mlx5dv_flow_action_esp_mask":
        MLX5DV_FLOW_ACTION_ESP_MASK_FLAGS = 1;
    "mlx5dv_flow_action_type":
        MLX5DV_FLOW_ACTION_DEST_IBV_QP = 0,
        MLX5DV_FLOW_ACTION_DROP = 1,
        MLX5DV_FLOW_ACTION_IBV_COUNTER = 2,
        MLX5DV_FLOW_ACTION_IBV_FLOW_ACTION = 3,
        MLX5DV_FLOW_ACTION_TAG = 4,
        MLX5DV_FLOW_ACTION_DEST_DEVX = 5,
        MLX5DV_FLOW_ACTION_COUNTERS_DEVX = 6,
        MLX5DV_FLOW_ACTION_DEFAULT_MISS = 7,
        MLX5DV_FLOW_ACTION_COUNTERS_DEVX_WITH_OFFSET = 8;
    "mlx5dv_flow_matcher_attr_mask":
        MLX5DV_FLOW_MATCHER_MASK_FT_TYPE = 1,
        MLX5DV_FLOW_MATCHER_MASK_IB_PORT = 2;
    "mlx5dv_mkey_conf_flags":
        MLX5DV_MKEY_CONF_FLAG_RESET_SIG_ATTR = 1;
    "mlx5dv_mkey_err_type":
        MLX5DV_MKEY_NO_ERR = 0,
        MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD = 1,
        MLX5DV_MKEY_SIG_BLOCK_BAD_REFTAG = 2,
        MLX5DV_MKEY_SIG_BLOCK_BAD_APPTAG = 3;
    "mlx5dv_mkey_init_attr_flags":
        MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT = 1,
        MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE = 2,
        MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO = 4,
        MLX5DV_MKEY_INIT_ATTR_FLAGS_UPDATE_TAG = 8,
        MLX5DV_MKEY_INIT_ATTR_FLAGS_REMOTE_INVALIDATE = 0x10;
    "mlx5dv_obj_type":
        MLX5DV_OBJ_QP = 1,
        MLX5DV_OBJ_CQ = 2,
        MLX5DV_OBJ_SRQ = 4,
        MLX5DV_OBJ_RWQ = 8,
        MLX5DV_OBJ_DM = 0x10,
        MLX5DV_OBJ_AH = 0x20,
        MLX5DV_OBJ_PD = 0x40,
        MLX5DV_OBJ_DEVX = 0x80;
    "mlx5dv_qp_comp_mask":
        MLX5DV_QP_MASK_UAR_MMAP_OFFSET = 1,
        MLX5DV_QP_MASK_RAW_QP_HANDLES = 2,
        MLX5DV_QP_MASK_RAW_QP_TIR_ADDR = 4;
    "mlx5dv_qp_create_flags":
        MLX5DV_QP_CREATE_TUNNEL_OFFLOADS = 1,
        MLX5DV_QP_CREATE_TIR_ALLOW_SELF_LOOPBACK_UC = 2,
        MLX5DV_QP_CREATE_TIR_ALLOW_SELF_LOOPBACK_MC = 4,
        MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE = 8,
        MLX5DV_QP_CREATE_ALLOW_SCATTER_TO_CQE = 0x10,
        MLX5DV_QP_CREATE_PACKET_BASED_CREDIT_MODE = 0x20,
        MLX5DV_QP_CREATE_SIG_PIPELINING = 0x40,
        MLX5DV_QP_CREATE_OOO_DP = 0x80;
    "mlx5dv_qp_create_send_ops_flags":
        MLX5DV_QP_EX_WITH_MR_INTERLEAVED = 1,
        MLX5DV_QP_EX_WITH_MR_LIST = 2,
        MLX5DV_QP_EX_WITH_MKEY_CONFIGURE = 4,
        MLX5DV_QP_EX_WITH_RAW_WQE = 8,
        MLX5DV_QP_EX_WITH_MEMCPY = 0x10;
    "mlx5dv_qp_init_attr_mask":
        MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS = 1,
        MLX5DV_QP_INIT_ATTR_MASK_DC = 2,
        MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS = 4,
        MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS = 8;
    "mlx5dv_sched_elem_attr_flags":
        MLX5DV_SCHED_ELEM_ATTR_FLAGS_BW_SHARE = 1,
        MLX5DV_SCHED_ELEM_ATTR_FLAGS_MAX_AVG_BW = 2;
    "mlx5dv_set_ctx_attr_type":
        MLX5DV_CTX_ATTR_BUF_ALLOCATORS = 1;
    "mlx5dv_sig_block_attr_flags":
        MLX5DV_SIG_BLOCK_ATTR_FLAG_COPY_MASK = 1;
    "mlx5dv_sig_crc_type":
        MLX5DV_SIG_CRC_TYPE_CRC32 = 0,
        MLX5DV_SIG_CRC_TYPE_CRC32C = 1,
        MLX5DV_SIG_CRC_TYPE_CRC64_XP10 = 2;
    "mlx5dv_sig_crc_type_caps":
        MLX5DV_SIG_CRC_TYPE_CAP_CRC32 = 1,
        MLX5DV_SIG_CRC_TYPE_CAP_CRC32C = 2,
        MLX5DV_SIG_CRC_TYPE_CAP_CRC64_XP10 = 4;
    "mlx5dv_sig_mask":
        MLX5DV_SIG_MASK_T10DIF_GUARD = 0xc0,
        MLX5DV_SIG_MASK_T10DIF_APPTAG = 0x30,
        MLX5DV_SIG_MASK_T10DIF_REFTAG = 0xf,
        MLX5DV_SIG_MASK_CRC32 = 0xf0,
        MLX5DV_SIG_MASK_CRC32C = 0xf0,
        MLX5DV_SIG_MASK_CRC64_XP10 = 0xff;
    "mlx5dv_sig_prot_caps":
        MLX5DV_SIG_PROT_CAP_T10DIF = 1,
        MLX5DV_SIG_PROT_CAP_CRC = 2;
    "mlx5dv_sig_t10dif_bg_caps":
        MLX5DV_SIG_T10DIF_BG_CAP_CRC = 1,
        MLX5DV_SIG_T10DIF_BG_CAP_CSUM = 2;
    "mlx5dv_sig_t10dif_bg_type":
        MLX5DV_SIG_T10DIF_CRC = 0,
        MLX5DV_SIG_T10DIF_CSUM = 1;
    "mlx5dv_sig_t10dif_flags":
        MLX5DV_SIG_T10DIF_FLAG_REF_REMAP = 1,
        MLX5DV_SIG_T10DIF_FLAG_APP_ESCAPE = 2,
        MLX5DV_SIG_T10DIF_FLAG_APP_REF_ESCAPE = 4;
    "mlx5dv_sig_type":
        MLX5DV_SIG_TYPE_T10DIF = 0,
        MLX5DV_SIG_TYPE_CRC = 1;
    "mlx5dv_signature_crypto_order":
        MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_AFTER_CRYPTO_ON_TX = 0,
        MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_BEFORE_CRYPTO_ON_TX = 1;
    "mlx5dv_srq_comp_mask":
        MLX5DV_SRQ_MASK_SRQN = 1;
    "mlx5dv_sw_parsing_offloads":
        MLX5DV_SW_PARSING = 1,
        MLX5DV_SW_PARSING_CSUM = 2,
        MLX5DV_SW_PARSING_LSO = 4;
    "mlx5dv_tunnel_offloads":
        MLX5DV_RAW_PACKET_CAP_TUNNELED_OFFLOAD_VXLAN = 1,
        MLX5DV_RAW_PACKET_CAP_TUNNELED_OFFLOAD_GRE = 2,
        MLX5DV_RAW_PACKET_CAP_TUNNELED_OFFLOAD_GENEVE = 4,
        MLX5DV_RAW_PACKET_CAP_TUNNELED_OFFLOAD_CW_MPLS_OVER_GRE = 8,
        MLX5DV_RAW_PACKET_CAP_TUNNELED_OFFLOAD_CW_MPLS_OVER_UDP = 0x10;
    "mlx5dv_vfio_context_attr_flags":
        MLX5DV_VFIO_CTX_FLAGS_INIT_LINK_DOWN = 1;
    "mlx5dv_wc_opcode":
        MLX5DV_WC_UMR = 0x87,
        MLX5DV_WC_RAW_WQE = 0x88,
        MLX5DV_WC_MEMCPY = 0x89;
    "mlx5dv_wq_init_attr_mask":
        MLX5DV_WQ_INIT_ATTR_MASK_STRIDING_RQ = 1;
}
