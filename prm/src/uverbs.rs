//! Numbers of the uverbs ioctl interface: objects, methods, attributes.
//!
//! Facts of the kernel's uapi headers (`rdma/ib_user_ioctl_cmds.h`, `rdma/mlx5_user_ioctl_cmds.h`,
//! Linux 7.2) as collected in `abi/uapi-7.x.json`. Ids from 0x1000 on are the driver's own.

/// `RDMA_VERBS_IOCTL`: the one ioctl number.
pub const RDMA_VERBS_IOCTL: u32 = 0xc018_1b01;
/// `RDMA_DRIVER_MLX5`: the driver id that each ioctl carries.
pub const DRIVER_MLX5: u32 = 1;
/// Attribute flag: the kernel must refuse the call if it does not know the attribute.
pub const ATTR_F_MANDATORY: u16 = 1;
/// Attribute flag set by the kernel: the output was written.
pub const ATTR_F_VALID_OUTPUT: u16 = 2;

macro_rules! numbers {
    ($($name:ident = $value:literal, $of:literal;)*) => {
        $(#[doc = concat!("Of `", $of, "`.")] pub const $name: u16 = $value;)*

        /// All numbers of this module with their names and what each belongs to.
        pub const ALL: &[$crate::uverbs::Named] = &[
            $($crate::uverbs::Named { number: $value, name: stringify!($name), of: $of }),*
        ];
    };
}

/// A number with its name.
#[derive(Clone, Copy, Debug)]
pub struct Named {
    /// The number.
    pub number: u16,
    /// Its name, as the constant has it.
    pub name: &'static str,
    /// The object of a method, the method of an attribute.
    pub of: &'static str,
}

fn find(all: &[Named], number: u16, of: Option<&str>) -> Option<&'static str> {
    let hit = all.iter().find(|n| n.number == number && of.is_none_or(|of| n.of == of))?;
    Some(hit.name)
}

/// The name of an object type.
pub fn object_name(object: u16) -> Option<&'static str> {
    find(object::ALL, object, None)
}

/// The name of a method of an object type.
pub fn method_name(object: u16, method: u16) -> Option<&'static str> {
    find(method::ALL, method, Some(object_name(object)?))
}

/// The name of an attribute of the method with this name.
pub fn attr_name(method: &str, attr: u16) -> Option<&'static str> {
    let of = |method| find(attr::ALL, attr, Some(method));
    let shared = || if method == "DEVX_OBJ_ASYNC_QUERY" { of("DEVX_OBJ_QUERY") } else { None };
    of(method).or_else(shared).or_else(|| of(ANY_METHOD))
}

/// The name of a write command, without the mark of an extended one.
pub fn write_name(command: u16) -> Option<&'static str> {
    find(write::ALL, command, None)
}

/// What attributes belong to that each method with a driver's part has.
const ANY_METHOD: &str = "every method with a driver part";

/// Object types.
pub mod object {
    numbers! {
        DEVX = 0x1000, "driver";
        DEVX_ASYNC_CMD_FD = 0x1004, "driver";
        DEVX_ASYNC_EVENT_FD = 0x1005, "driver";
        DEVX_OBJ = 0x1001, "driver";
        DEVX_UMEM = 0x1002, "driver";
        FLOW_MATCHER = 0x1003, "driver";
        PP = 0x1007, "driver";
        STEERING_ANCHOR = 0x1009, "driver";
        UAR = 0x1008, "driver";
        VAR = 0x1006, "driver";
        AH = 0x6, "core";
        ASYNC_EVENT = 0x10, "core";
        COMP_CHANNEL = 0x2, "core";
        COUNTERS = 0xf, "core";
        CQ = 0x3, "core";
        DEVICE = 0x0, "core";
        DM = 0xe, "core";
        DMABUF = 0x12, "core";
        DMAH = 0x11, "core";
        FLOW = 0x9, "core";
        FLOW_ACTION = 0xd, "core";
        MR = 0x7, "core";
        MW = 0x8, "core";
        PD = 0x1, "core";
        QP = 0x4, "core";
        RWQ_IND_TBL = 0xb, "core";
        SRQ = 0x5, "core";
        WQ = 0xc, "core";
        XRCD = 0xa, "core";
    }
}

/// Methods; a method number is unique within its object only.
pub mod method {
    numbers! {
        DEVX_OTHER = 0x1000, "DEVX";
        DEVX_QUERY_UAR = 0x1001, "DEVX";
        DEVX_QUERY_EQN = 0x1002, "DEVX";
        DEVX_SUBSCRIBE_EVENT = 0x1003, "DEVX";
        DEVX_ASYNC_CMD_FD_ALLOC = 0x1000, "DEVX_ASYNC_CMD_FD";
        DEVX_ASYNC_EVENT_FD_ALLOC = 0x1000, "DEVX_ASYNC_EVENT_FD";
        DEVX_OBJ_CREATE = 0x1000, "DEVX_OBJ";
        DEVX_OBJ_DESTROY = 0x1001, "DEVX_OBJ";
        DEVX_OBJ_MODIFY = 0x1002, "DEVX_OBJ";
        DEVX_OBJ_QUERY = 0x1003, "DEVX_OBJ";
        DEVX_OBJ_ASYNC_QUERY = 0x1004, "DEVX_OBJ";
        DEVX_UMEM_REG = 0x1000, "DEVX_UMEM";
        DEVX_UMEM_DEREG = 0x1001, "DEVX_UMEM";
        FLOW_MATCHER_CREATE = 0x1000, "FLOW_MATCHER";
        FLOW_MATCHER_DESTROY = 0x1001, "FLOW_MATCHER";
        PP_OBJ_ALLOC = 0x1000, "PP";
        PP_OBJ_DESTROY = 0x1001, "PP";
        STEERING_ANCHOR_CREATE = 0x1000, "STEERING_ANCHOR";
        STEERING_ANCHOR_DESTROY = 0x1001, "STEERING_ANCHOR";
        UAR_OBJ_ALLOC = 0x1000, "UAR";
        UAR_OBJ_DESTROY = 0x1001, "UAR";
        VAR_OBJ_ALLOC = 0x1000, "VAR";
        VAR_OBJ_DESTROY = 0x1001, "VAR";
        AH_DESTROY = 0x0, "AH";
        ASYNC_EVENT_ALLOC = 0x0, "ASYNC_EVENT";
        COUNTERS_CREATE = 0x0, "COUNTERS";
        COUNTERS_DESTROY = 0x1, "COUNTERS";
        COUNTERS_READ = 0x2, "COUNTERS";
        CQ_CREATE = 0x0, "CQ";
        CQ_DESTROY = 0x1, "CQ";
        GET_CONTEXT = 0x3, "DEVICE";
        INVOKE_WRITE = 0x0, "DEVICE";
        INFO_HANDLES = 0x1, "DEVICE";
        QUERY_PORT = 0x2, "DEVICE";
        QUERY_PORT_SPEED = 0x7, "DEVICE";
        QUERY_CONTEXT = 0x4, "DEVICE";
        QUERY_GID_TABLE = 0x5, "DEVICE";
        QUERY_GID_ENTRY = 0x6, "DEVICE";
        MLX5_QUERY_PORT = 0x1000, "DEVICE";
        GET_DATA_DIRECT_SYSFS_PATH = 0x1001, "DEVICE";
        DM_ALLOC = 0x0, "DM";
        DM_FREE = 0x1, "DM";
        DM_MAP_OP_ADDR = 0x1000, "DM";
        DM_QUERY = 0x1001, "DM";
        DMABUF_ALLOC = 0x0, "DMABUF";
        DMAH_ALLOC = 0x0, "DMAH";
        DMAH_FREE = 0x1, "DMAH";
        FLOW_DESTROY = 0x0, "FLOW";
        CREATE_FLOW = 0x1000, "FLOW";
        DESTROY_FLOW = 0x1001, "FLOW";
        FLOW_ACTION_DESTROY = 0x1, "FLOW_ACTION";
        FLOW_ACTION_CREATE_MODIFY_HEADER = 0x1000, "FLOW_ACTION";
        FLOW_ACTION_CREATE_PACKET_REFORMAT = 0x1001, "FLOW_ACTION";
        ADVISE_MR = 0x2, "MR";
        DM_MR_REG = 0x0, "MR";
        MR_DESTROY = 0x1, "MR";
        QUERY_MR = 0x3, "MR";
        REG_DMABUF_MR = 0x4, "MR";
        REG_MR = 0x5, "MR";
        MW_DESTROY = 0x0, "MW";
        PD_DESTROY = 0x0, "PD";
        PD_QUERY = 0x1000, "PD";
        QP_CREATE = 0x0, "QP";
        QP_DESTROY = 0x1, "QP";
        RWQ_IND_TBL_DESTROY = 0x0, "RWQ_IND_TBL";
        SRQ_CREATE = 0x0, "SRQ";
        SRQ_DESTROY = 0x1, "SRQ";
        WQ_CREATE = 0x0, "WQ";
        WQ_DESTROY = 0x1, "WQ";
        XRCD_DESTROY = 0x0, "XRCD";
    }
}

/// Attributes; an attribute number is unique within its method only.
pub mod attr {
    numbers! {
        DEVX_OTHER_CMD_IN = 0x1000, "DEVX_OTHER";
        DEVX_OTHER_CMD_OUT = 0x1001, "DEVX_OTHER";
        DEVX_QUERY_UAR_USER_IDX = 0x1000, "DEVX_QUERY_UAR";
        DEVX_QUERY_UAR_DEV_IDX = 0x1001, "DEVX_QUERY_UAR";
        DEVX_QUERY_EQN_USER_VEC = 0x1000, "DEVX_QUERY_EQN";
        DEVX_QUERY_EQN_DEV_EQN = 0x1001, "DEVX_QUERY_EQN";
        DEVX_SUBSCRIBE_EVENT_FD_HANDLE = 0x1000, "DEVX_SUBSCRIBE_EVENT";
        DEVX_SUBSCRIBE_EVENT_OBJ_HANDLE = 0x1001, "DEVX_SUBSCRIBE_EVENT";
        DEVX_SUBSCRIBE_EVENT_TYPE_NUM_LIST = 0x1002, "DEVX_SUBSCRIBE_EVENT";
        DEVX_SUBSCRIBE_EVENT_COOKIE = 0x1004, "DEVX_SUBSCRIBE_EVENT";
        DEVX_SUBSCRIBE_EVENT_FD_NUM = 0x1003, "DEVX_SUBSCRIBE_EVENT";
        DEVX_ASYNC_CMD_FD_ALLOC_HANDLE = 0x1000, "DEVX_ASYNC_CMD_FD_ALLOC";
        DEVX_ASYNC_EVENT_FD_ALLOC_HANDLE = 0x1000, "DEVX_ASYNC_EVENT_FD_ALLOC";
        DEVX_ASYNC_EVENT_FD_ALLOC_FLAGS = 0x1001, "DEVX_ASYNC_EVENT_FD_ALLOC";
        DEVX_OBJ_CREATE_HANDLE = 0x1000, "DEVX_OBJ_CREATE";
        DEVX_OBJ_CREATE_CMD_IN = 0x1001, "DEVX_OBJ_CREATE";
        DEVX_OBJ_CREATE_CMD_OUT = 0x1002, "DEVX_OBJ_CREATE";
        DEVX_OBJ_DESTROY_HANDLE = 0x1000, "DEVX_OBJ_DESTROY";
        DEVX_OBJ_MODIFY_HANDLE = 0x1000, "DEVX_OBJ_MODIFY";
        DEVX_OBJ_MODIFY_CMD_IN = 0x1001, "DEVX_OBJ_MODIFY";
        DEVX_OBJ_MODIFY_CMD_OUT = 0x1002, "DEVX_OBJ_MODIFY";
        DEVX_OBJ_QUERY_HANDLE = 0x1000, "DEVX_OBJ_QUERY";
        DEVX_OBJ_QUERY_CMD_IN = 0x1001, "DEVX_OBJ_QUERY";
        DEVX_OBJ_QUERY_CMD_OUT = 0x1002, "DEVX_OBJ_QUERY";
        DEVX_OBJ_QUERY_ASYNC_OUT_LEN = 0x1004, "DEVX_OBJ_ASYNC_QUERY";
        DEVX_OBJ_QUERY_ASYNC_FD = 0x1002, "DEVX_OBJ_ASYNC_QUERY";
        DEVX_OBJ_QUERY_ASYNC_WR_ID = 0x1003, "DEVX_OBJ_ASYNC_QUERY";
        DEVX_UMEM_REG_HANDLE = 0x1000, "DEVX_UMEM_REG";
        DEVX_UMEM_REG_ADDR = 0x1001, "DEVX_UMEM_REG";
        DEVX_UMEM_REG_LEN = 0x1002, "DEVX_UMEM_REG";
        DEVX_UMEM_REG_DMABUF_FD = 0x1006, "DEVX_UMEM_REG";
        DEVX_UMEM_REG_ACCESS = 0x1003, "DEVX_UMEM_REG";
        DEVX_UMEM_REG_PGSZ_BITMAP = 0x1005, "DEVX_UMEM_REG";
        DEVX_UMEM_REG_OUT_ID = 0x1004, "DEVX_UMEM_REG";
        DEVX_UMEM_DEREG_HANDLE = 0x1000, "DEVX_UMEM_DEREG";
        FLOW_MATCHER_CREATE_HANDLE = 0x1000, "FLOW_MATCHER_CREATE";
        FLOW_MATCHER_MATCH_MASK = 0x1001, "FLOW_MATCHER_CREATE";
        FLOW_MATCHER_FLOW_TYPE = 0x1002, "FLOW_MATCHER_CREATE";
        FLOW_MATCHER_MATCH_CRITERIA = 0x1003, "FLOW_MATCHER_CREATE";
        FLOW_MATCHER_FLOW_FLAGS = 0x1004, "FLOW_MATCHER_CREATE";
        FLOW_MATCHER_FT_TYPE = 0x1005, "FLOW_MATCHER_CREATE";
        FLOW_MATCHER_IB_PORT = 0x1006, "FLOW_MATCHER_CREATE";
        FLOW_MATCHER_DESTROY_HANDLE = 0x1000, "FLOW_MATCHER_DESTROY";
        PP_OBJ_ALLOC_HANDLE = 0x1000, "PP_OBJ_ALLOC";
        PP_OBJ_ALLOC_CTX = 0x1001, "PP_OBJ_ALLOC";
        PP_OBJ_ALLOC_FLAGS = 0x1002, "PP_OBJ_ALLOC";
        PP_OBJ_ALLOC_INDEX = 0x1003, "PP_OBJ_ALLOC";
        PP_OBJ_DESTROY_HANDLE = 0x1000, "PP_OBJ_DESTROY";
        STEERING_ANCHOR_CREATE_HANDLE = 0x1000, "STEERING_ANCHOR_CREATE";
        STEERING_ANCHOR_FT_TYPE = 0x1001, "STEERING_ANCHOR_CREATE";
        STEERING_ANCHOR_PRIORITY = 0x1002, "STEERING_ANCHOR_CREATE";
        STEERING_ANCHOR_FT_ID = 0x1003, "STEERING_ANCHOR_CREATE";
        STEERING_ANCHOR_DESTROY_HANDLE = 0x1000, "STEERING_ANCHOR_DESTROY";
        UAR_OBJ_ALLOC_HANDLE = 0x1000, "UAR_OBJ_ALLOC";
        UAR_OBJ_ALLOC_TYPE = 0x1001, "UAR_OBJ_ALLOC";
        UAR_OBJ_ALLOC_PAGE_ID = 0x1004, "UAR_OBJ_ALLOC";
        UAR_OBJ_ALLOC_MMAP_LENGTH = 0x1003, "UAR_OBJ_ALLOC";
        UAR_OBJ_ALLOC_MMAP_OFFSET = 0x1002, "UAR_OBJ_ALLOC";
        UAR_OBJ_DESTROY_HANDLE = 0x1000, "UAR_OBJ_DESTROY";
        VAR_OBJ_ALLOC_HANDLE = 0x1000, "VAR_OBJ_ALLOC";
        VAR_OBJ_ALLOC_FLAGS = 0x1004, "VAR_OBJ_ALLOC";
        VAR_OBJ_ALLOC_PAGE_ID = 0x1003, "VAR_OBJ_ALLOC";
        VAR_OBJ_ALLOC_MMAP_LENGTH = 0x1002, "VAR_OBJ_ALLOC";
        VAR_OBJ_ALLOC_MMAP_OFFSET = 0x1001, "VAR_OBJ_ALLOC";
        VAR_OBJ_DESTROY_HANDLE = 0x1000, "VAR_OBJ_DESTROY";
        DESTROY_AH_HANDLE = 0x0, "AH_DESTROY";
        ASYNC_EVENT_ALLOC_FD_HANDLE = 0x0, "ASYNC_EVENT_ALLOC";
        CREATE_COUNTERS_HANDLE = 0x0, "COUNTERS_CREATE";
        DESTROY_COUNTERS_HANDLE = 0x0, "COUNTERS_DESTROY";
        READ_COUNTERS_HANDLE = 0x0, "COUNTERS_READ";
        READ_COUNTERS_BUFF = 0x1, "COUNTERS_READ";
        READ_COUNTERS_FLAGS = 0x2, "COUNTERS_READ";
        CREATE_CQ_HANDLE = 0x0, "CQ_CREATE";
        CREATE_CQ_CQE = 0x1, "CQ_CREATE";
        CREATE_CQ_USER_HANDLE = 0x2, "CQ_CREATE";
        CREATE_CQ_COMP_CHANNEL = 0x3, "CQ_CREATE";
        CREATE_CQ_COMP_VECTOR = 0x4, "CQ_CREATE";
        CREATE_CQ_FLAGS = 0x5, "CQ_CREATE";
        CREATE_CQ_RESP_CQE = 0x6, "CQ_CREATE";
        CREATE_CQ_EVENT_FD = 0x7, "CQ_CREATE";
        CREATE_CQ_BUFFER_VA = 0x8, "CQ_CREATE";
        CREATE_CQ_BUFFER_LENGTH = 0x9, "CQ_CREATE";
        CREATE_CQ_BUFFER_FD = 0xa, "CQ_CREATE";
        CREATE_CQ_BUFFER_OFFSET = 0xb, "CQ_CREATE";
        CREATE_CQ_BUF_UMEM = 0xc, "CQ_CREATE";
        UHW_IN = 0x1000, "every method with a driver part";
        UHW_OUT = 0x1001, "every method with a driver part";
        CREATE_CQ_UAR_INDEX = 0x1002, "CQ_CREATE";
        CREATE_CQ_DBR_BUF_UMEM = 0x1003, "CQ_CREATE";
        DESTROY_CQ_HANDLE = 0x0, "CQ_DESTROY";
        DESTROY_CQ_RESP = 0x1, "CQ_DESTROY";
        GET_CONTEXT_NUM_COMP_VECTORS = 0x0, "GET_CONTEXT";
        GET_CONTEXT_CORE_SUPPORT = 0x1, "GET_CONTEXT";
        GET_CONTEXT_FD_ARR = 0x2, "GET_CONTEXT";
        WRITE_CMD = 0x2, "INVOKE_WRITE";
        CORE_IN = 0x0, "INVOKE_WRITE";
        CORE_OUT = 0x1, "INVOKE_WRITE";
        INFO_OBJECT_ID = 0x0, "INFO_HANDLES";
        INFO_TOTAL_HANDLES = 0x1, "INFO_HANDLES";
        INFO_HANDLES_LIST = 0x2, "INFO_HANDLES";
        QUERY_PORT_PORT_NUM = 0x0, "QUERY_PORT";
        QUERY_PORT_RESP = 0x1, "QUERY_PORT";
        QUERY_PORT_SPEED_PORT_NUM = 0x0, "QUERY_PORT_SPEED";
        QUERY_PORT_SPEED_RESP = 0x1, "QUERY_PORT_SPEED";
        QUERY_CONTEXT_NUM_COMP_VECTORS = 0x0, "QUERY_CONTEXT";
        QUERY_CONTEXT_CORE_SUPPORT = 0x1, "QUERY_CONTEXT";
        QUERY_CONTEXT_RESP_UCTX = 0x1000, "QUERY_CONTEXT";
        QUERY_GID_TABLE_ENTRY_SIZE = 0x0, "QUERY_GID_TABLE";
        QUERY_GID_TABLE_FLAGS = 0x1, "QUERY_GID_TABLE";
        QUERY_GID_TABLE_RESP_ENTRIES = 0x2, "QUERY_GID_TABLE";
        QUERY_GID_TABLE_RESP_NUM_ENTRIES = 0x3, "QUERY_GID_TABLE";
        QUERY_GID_ENTRY_PORT = 0x0, "QUERY_GID_ENTRY";
        QUERY_GID_ENTRY_GID_INDEX = 0x1, "QUERY_GID_ENTRY";
        QUERY_GID_ENTRY_FLAGS = 0x2, "QUERY_GID_ENTRY";
        QUERY_GID_ENTRY_RESP_ENTRY = 0x3, "QUERY_GID_ENTRY";
        MLX5_QUERY_PORT_PORT_NUM = 0x1000, "MLX5_QUERY_PORT";
        QUERY_PORT = 0x1001, "MLX5_QUERY_PORT";
        GET_DATA_DIRECT_SYSFS_PATH = 0x1000, "GET_DATA_DIRECT_SYSFS_PATH";
        ALLOC_DM_HANDLE = 0x0, "DM_ALLOC";
        ALLOC_DM_LENGTH = 0x1, "DM_ALLOC";
        ALLOC_DM_ALIGNMENT = 0x2, "DM_ALLOC";
        ALLOC_DM_RESP_START_OFFSET = 0x1000, "DM_ALLOC";
        ALLOC_DM_RESP_PAGE_INDEX = 0x1001, "DM_ALLOC";
        ALLOC_DM_REQ_TYPE = 0x1002, "DM_ALLOC";
        FREE_DM_HANDLE = 0x0, "DM_FREE";
        DM_MAP_OP_ADDR_REQ_HANDLE = 0x1000, "DM_MAP_OP_ADDR";
        DM_MAP_OP_ADDR_REQ_OP = 0x1001, "DM_MAP_OP_ADDR";
        DM_MAP_OP_ADDR_RESP_START_OFFSET = 0x1002, "DM_MAP_OP_ADDR";
        DM_MAP_OP_ADDR_RESP_PAGE_INDEX = 0x1003, "DM_MAP_OP_ADDR";
        QUERY_DM_REQ_HANDLE = 0x1000, "DM_QUERY";
        QUERY_DM_RESP_START_OFFSET = 0x1001, "DM_QUERY";
        QUERY_DM_RESP_PAGE_INDEX = 0x1002, "DM_QUERY";
        QUERY_DM_RESP_LENGTH = 0x1003, "DM_QUERY";
        ALLOC_DMABUF_HANDLE = 0x0, "DMABUF_ALLOC";
        ALLOC_DMABUF_PGOFF = 0x1, "DMABUF_ALLOC";
        ALLOC_DMAH_HANDLE = 0x0, "DMAH_ALLOC";
        ALLOC_DMAH_CPU_ID = 0x1, "DMAH_ALLOC";
        ALLOC_DMAH_TPH_MEM_TYPE = 0x2, "DMAH_ALLOC";
        ALLOC_DMAH_PH = 0x3, "DMAH_ALLOC";
        FREE_DMA_HANDLE = 0x0, "DMAH_FREE";
        DESTROY_FLOW_HANDLE = 0x0, "FLOW_DESTROY";
        CREATE_FLOW_HANDLE = 0x1000, "CREATE_FLOW";
        CREATE_FLOW_MATCH_VALUE = 0x1001, "CREATE_FLOW";
        CREATE_FLOW_MATCHER = 0x1004, "CREATE_FLOW";
        CREATE_FLOW_DEST_QP = 0x1002, "CREATE_FLOW";
        CREATE_FLOW_DEST_DEVX = 0x1003, "CREATE_FLOW";
        CREATE_FLOW_ARR_FLOW_ACTIONS = 0x1005, "CREATE_FLOW";
        CREATE_FLOW_TAG = 0x1006, "CREATE_FLOW";
        CREATE_FLOW_ARR_COUNTERS_DEVX = 0x1007, "CREATE_FLOW";
        CREATE_FLOW_ARR_COUNTERS_DEVX_OFFSET = 0x1008, "CREATE_FLOW";
        CREATE_FLOW_FLAGS = 0x1009, "CREATE_FLOW";
        DESTROY_FLOW_ACTION_HANDLE = 0x0, "FLOW_ACTION_DESTROY";
        CREATE_MODIFY_HEADER_HANDLE = 0x1000, "FLOW_ACTION_CREATE_MODIFY_HEADER";
        CREATE_MODIFY_HEADER_ACTIONS_PRM = 0x1001, "FLOW_ACTION_CREATE_MODIFY_HEADER";
        CREATE_MODIFY_HEADER_FT_TYPE = 0x1002, "FLOW_ACTION_CREATE_MODIFY_HEADER";
        CREATE_PACKET_REFORMAT_HANDLE = 0x1000, "FLOW_ACTION_CREATE_PACKET_REFORMAT";
        CREATE_PACKET_REFORMAT_DATA_BUF = 0x1003, "FLOW_ACTION_CREATE_PACKET_REFORMAT";
        CREATE_PACKET_REFORMAT_TYPE = 0x1001, "FLOW_ACTION_CREATE_PACKET_REFORMAT";
        CREATE_PACKET_REFORMAT_FT_TYPE = 0x1002, "FLOW_ACTION_CREATE_PACKET_REFORMAT";
        ADVISE_MR_PD_HANDLE = 0x0, "ADVISE_MR";
        ADVISE_MR_ADVICE = 0x1, "ADVISE_MR";
        ADVISE_MR_FLAGS = 0x2, "ADVISE_MR";
        ADVISE_MR_SGE_LIST = 0x3, "ADVISE_MR";
        REG_DM_MR_HANDLE = 0x0, "DM_MR_REG";
        REG_DM_MR_OFFSET = 0x1, "DM_MR_REG";
        REG_DM_MR_LENGTH = 0x2, "DM_MR_REG";
        REG_DM_MR_PD_HANDLE = 0x3, "DM_MR_REG";
        REG_DM_MR_ACCESS_FLAGS = 0x4, "DM_MR_REG";
        REG_DM_MR_DM_HANDLE = 0x5, "DM_MR_REG";
        REG_DM_MR_RESP_LKEY = 0x6, "DM_MR_REG";
        REG_DM_MR_RESP_RKEY = 0x7, "DM_MR_REG";
        DESTROY_MR_HANDLE = 0x0, "MR_DESTROY";
        QUERY_MR_HANDLE = 0x0, "QUERY_MR";
        QUERY_MR_RESP_RKEY = 0x2, "QUERY_MR";
        QUERY_MR_RESP_LKEY = 0x1, "QUERY_MR";
        QUERY_MR_RESP_LENGTH = 0x3, "QUERY_MR";
        QUERY_MR_RESP_IOVA = 0x4, "QUERY_MR";
        REG_DMABUF_MR_HANDLE = 0x0, "REG_DMABUF_MR";
        REG_DMABUF_MR_PD_HANDLE = 0x1, "REG_DMABUF_MR";
        REG_DMABUF_MR_OFFSET = 0x2, "REG_DMABUF_MR";
        REG_DMABUF_MR_LENGTH = 0x3, "REG_DMABUF_MR";
        REG_DMABUF_MR_IOVA = 0x4, "REG_DMABUF_MR";
        REG_DMABUF_MR_FD = 0x5, "REG_DMABUF_MR";
        REG_DMABUF_MR_ACCESS_FLAGS = 0x6, "REG_DMABUF_MR";
        REG_DMABUF_MR_RESP_LKEY = 0x7, "REG_DMABUF_MR";
        REG_DMABUF_MR_RESP_RKEY = 0x8, "REG_DMABUF_MR";
        MLX5_REG_DMABUF_MR_ACCESS_FLAGS = 0x1000, "REG_DMABUF_MR";
        REG_MR_HANDLE = 0x0, "REG_MR";
        REG_MR_PD_HANDLE = 0x1, "REG_MR";
        REG_MR_DMA_HANDLE = 0x2, "REG_MR";
        REG_MR_IOVA = 0x3, "REG_MR";
        REG_MR_LENGTH = 0x5, "REG_MR";
        REG_MR_ACCESS_FLAGS = 0x6, "REG_MR";
        REG_MR_ADDR = 0x4, "REG_MR";
        REG_MR_FD_OFFSET = 0x8, "REG_MR";
        REG_MR_FD = 0x7, "REG_MR";
        REG_MR_RESP_LKEY = 0x9, "REG_MR";
        REG_MR_RESP_RKEY = 0xa, "REG_MR";
        DESTROY_MW_HANDLE = 0x0, "MW_DESTROY";
        DESTROY_PD_HANDLE = 0x0, "PD_DESTROY";
        QUERY_PD_HANDLE = 0x1000, "PD_QUERY";
        QUERY_PD_RESP_PDN = 0x1001, "PD_QUERY";
        CREATE_QP_HANDLE = 0x0, "QP_CREATE";
        CREATE_QP_XRCD_HANDLE = 0x1, "QP_CREATE";
        CREATE_QP_PD_HANDLE = 0x2, "QP_CREATE";
        CREATE_QP_SRQ_HANDLE = 0x3, "QP_CREATE";
        CREATE_QP_SEND_CQ_HANDLE = 0x4, "QP_CREATE";
        CREATE_QP_RECV_CQ_HANDLE = 0x5, "QP_CREATE";
        CREATE_QP_IND_TABLE_HANDLE = 0x6, "QP_CREATE";
        CREATE_QP_USER_HANDLE = 0x7, "QP_CREATE";
        CREATE_QP_CAP = 0x8, "QP_CREATE";
        CREATE_QP_TYPE = 0x9, "QP_CREATE";
        CREATE_QP_FLAGS = 0xa, "QP_CREATE";
        CREATE_QP_SOURCE_QPN = 0xb, "QP_CREATE";
        CREATE_QP_EVENT_FD = 0xc, "QP_CREATE";
        CREATE_QP_RESP_CAP = 0xd, "QP_CREATE";
        CREATE_QP_RESP_QP_NUM = 0xe, "QP_CREATE";
        CREATE_QP_BUF_UMEM = 0xf, "QP_CREATE";
        CREATE_QP_RQ_BUF_UMEM = 0x10, "QP_CREATE";
        CREATE_QP_SQ_BUF_UMEM = 0x11, "QP_CREATE";
        CREATE_QP_DBR_BUF_UMEM = 0x1002, "QP_CREATE";
        DESTROY_QP_HANDLE = 0x0, "QP_DESTROY";
        DESTROY_QP_RESP = 0x1, "QP_DESTROY";
        DESTROY_RWQ_IND_TBL_HANDLE = 0x0, "RWQ_IND_TBL_DESTROY";
        CREATE_SRQ_HANDLE = 0x0, "SRQ_CREATE";
        CREATE_SRQ_PD_HANDLE = 0x1, "SRQ_CREATE";
        CREATE_SRQ_TYPE = 0x9, "SRQ_CREATE";
        CREATE_SRQ_USER_HANDLE = 0x4, "SRQ_CREATE";
        CREATE_SRQ_MAX_WR = 0x5, "SRQ_CREATE";
        CREATE_SRQ_MAX_SGE = 0x6, "SRQ_CREATE";
        CREATE_SRQ_LIMIT = 0x7, "SRQ_CREATE";
        CREATE_SRQ_XRCD_HANDLE = 0x2, "SRQ_CREATE";
        CREATE_SRQ_CQ_HANDLE = 0x3, "SRQ_CREATE";
        CREATE_SRQ_MAX_NUM_TAGS = 0x8, "SRQ_CREATE";
        CREATE_SRQ_EVENT_FD = 0xa, "SRQ_CREATE";
        CREATE_SRQ_RESP_MAX_WR = 0xb, "SRQ_CREATE";
        CREATE_SRQ_RESP_MAX_SGE = 0xc, "SRQ_CREATE";
        CREATE_SRQ_RESP_SRQ_NUM = 0xd, "SRQ_CREATE";
        DESTROY_SRQ_HANDLE = 0x0, "SRQ_DESTROY";
        DESTROY_SRQ_RESP = 0x1, "SRQ_DESTROY";
        CREATE_WQ_HANDLE = 0x0, "WQ_CREATE";
        CREATE_WQ_PD_HANDLE = 0x1, "WQ_CREATE";
        CREATE_WQ_TYPE = 0x4, "WQ_CREATE";
        CREATE_WQ_USER_HANDLE = 0x3, "WQ_CREATE";
        CREATE_WQ_MAX_WR = 0x6, "WQ_CREATE";
        CREATE_WQ_MAX_SGE = 0x7, "WQ_CREATE";
        CREATE_WQ_FLAGS = 0x8, "WQ_CREATE";
        CREATE_WQ_CQ_HANDLE = 0x2, "WQ_CREATE";
        CREATE_WQ_EVENT_FD = 0x5, "WQ_CREATE";
        CREATE_WQ_RESP_MAX_WR = 0x9, "WQ_CREATE";
        CREATE_WQ_RESP_MAX_SGE = 0xa, "WQ_CREATE";
        CREATE_WQ_RESP_WQ_NUM = 0xb, "WQ_CREATE";
        DESTROY_WQ_HANDLE = 0x0, "WQ_DESTROY";
        DESTROY_WQ_RESP = 0x1, "WQ_DESTROY";
        DESTROY_XRCD_HANDLE = 0x0, "XRCD_DESTROY";
    }
}

/// Legacy write commands, also reachable through `INVOKE_WRITE`; the extended ones carry bit 31 there.
pub mod write {
    numbers! {
        GET_CONTEXT = 0x0, "write(2)";
        QUERY_DEVICE = 0x1, "write(2)";
        QUERY_PORT = 0x2, "write(2)";
        ALLOC_PD = 0x3, "write(2)";
        DEALLOC_PD = 0x4, "write(2)";
        CREATE_AH = 0x5, "write(2)";
        MODIFY_AH = 0x6, "write(2)";
        QUERY_AH = 0x7, "write(2)";
        DESTROY_AH = 0x8, "write(2)";
        REG_MR = 0x9, "write(2)";
        REG_SMR = 0xa, "write(2)";
        REREG_MR = 0xb, "write(2)";
        QUERY_MR = 0xc, "write(2)";
        DEREG_MR = 0xd, "write(2)";
        ALLOC_MW = 0xe, "write(2)";
        BIND_MW = 0xf, "write(2)";
        DEALLOC_MW = 0x10, "write(2)";
        CREATE_COMP_CHANNEL = 0x11, "write(2)";
        CREATE_CQ = 0x12, "write(2)";
        RESIZE_CQ = 0x13, "write(2)";
        DESTROY_CQ = 0x14, "write(2)";
        POLL_CQ = 0x15, "write(2)";
        PEEK_CQ = 0x16, "write(2)";
        REQ_NOTIFY_CQ = 0x17, "write(2)";
        CREATE_QP = 0x18, "write(2)";
        QUERY_QP = 0x19, "write(2)";
        MODIFY_QP = 0x1a, "write(2)";
        DESTROY_QP = 0x1b, "write(2)";
        POST_SEND = 0x1c, "write(2)";
        POST_RECV = 0x1d, "write(2)";
        ATTACH_MCAST = 0x1e, "write(2)";
        DETACH_MCAST = 0x1f, "write(2)";
        CREATE_SRQ = 0x20, "write(2)";
        MODIFY_SRQ = 0x21, "write(2)";
        QUERY_SRQ = 0x22, "write(2)";
        DESTROY_SRQ = 0x23, "write(2)";
        POST_SRQ_RECV = 0x24, "write(2)";
        OPEN_XRCD = 0x25, "write(2)";
        CLOSE_XRCD = 0x26, "write(2)";
        CREATE_XSRQ = 0x27, "write(2)";
        OPEN_QP = 0x28, "write(2)";
        CREATE_FLOW = 0x32, "write(2), extended";
        DESTROY_FLOW = 0x33, "write(2), extended";
        CREATE_WQ = 0x34, "write(2), extended";
        MODIFY_WQ = 0x35, "write(2), extended";
        DESTROY_WQ = 0x36, "write(2), extended";
        CREATE_RWQ_IND_TBL = 0x37, "write(2), extended";
        DESTROY_RWQ_IND_TBL = 0x38, "write(2), extended";
        MODIFY_CQ = 0x39, "write(2), extended";
    }
    /// Marks an extended command in `WRITE_CMD` of `INVOKE_WRITE` (and in the write(2) header).
    pub const EXTENDED: u32 = 0x8000_0000;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_within_what_they_belong_to() {
        assert_eq!(object_name(0x1001), Some("DEVX_OBJ"));
        assert_eq!(object_name(0x2000), None);
        // one number, several objects
        assert_eq!(method_name(0x1001, 0x1000), Some("DEVX_OBJ_CREATE"));
        assert_eq!(method_name(0x1002, 0x1000), Some("DEVX_UMEM_REG"));
        assert_eq!(method_name(0x0, 0x1000), Some("MLX5_QUERY_PORT"));
        assert_eq!(attr_name("DEVX_OBJ_CREATE", 0x1001), Some("DEVX_OBJ_CREATE_CMD_IN"));
        assert_eq!(attr_name("DEVX_OBJ_ASYNC_QUERY", 0x1002), Some("DEVX_OBJ_QUERY_ASYNC_FD"));
        // the query that does not wait has two attributes of the one that does
        assert_eq!(attr_name("DEVX_OBJ_ASYNC_QUERY", 0x1001), Some("DEVX_OBJ_QUERY_CMD_IN"));
        assert_eq!(attr_name("GET_CONTEXT", 0x1000), Some("UHW_IN"));
        assert_eq!(attr_name("MLX5_QUERY_PORT", 0x1000), Some("MLX5_QUERY_PORT_PORT_NUM"));
        assert_eq!(write_name(0x39), Some("MODIFY_CQ"));
    }

    #[test]
    fn every_attribute_belongs_to_a_method_and_every_method_to_an_object() {
        for m in method::ALL {
            assert!(object::ALL.iter().any(|o| o.name == m.of), "{}", m.name);
        }
        for a in attr::ALL {
            let known = a.of == ANY_METHOD || method::ALL.iter().any(|m| m.name == a.of);
            assert!(known, "{} of {}", a.name, a.of);
        }
    }
}
