/*
 * Values and records that pass unchanged between a program and the kernel's
 * mlx5_ib driver. Programs rarely use these names directly: mlx5_api.h gives
 * each of them its MLX5DV_ / mlx5dv_ name. The real tags stay visible in C++
 * mangled names and in compiler messages, so they are part of the interface.
 *
 * Numbers and layouts: abi/mlx5dv-65.0.json and abi/uapi-7.x.json.
 *
 * The include guard is the one of the kernel's own header of this name, so a
 * program that includes both sees one set of definitions.
 */
#ifndef MLX5_USER_IOCTL_VERBS_H
#define MLX5_USER_IOCTL_VERBS_H

#include <linux/types.h>

/* ---- flow steering --------------------------------------------------- */

/* Flags of an ESP flow action. */
enum mlx5_ib_uapi_flow_action_flags {
	MLX5_IB_UAPI_FLOW_ACTION_FLAGS_REQUIRE_METADATA	= 1 << 0,
};

/* Which steering domain a flow table, matcher or action belongs to. */
enum mlx5_ib_uapi_flow_table_type {
	MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_RX		= 0,
	MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_TX		= 1,
	MLX5_IB_UAPI_FLOW_TABLE_TYPE_FDB		= 2,
	MLX5_IB_UAPI_FLOW_TABLE_TYPE_RDMA_RX		= 3,
	MLX5_IB_UAPI_FLOW_TABLE_TYPE_RDMA_TX		= 4,
	MLX5_IB_UAPI_FLOW_TABLE_TYPE_RDMA_TRANSPORT_RX	= 5,
	MLX5_IB_UAPI_FLOW_TABLE_TYPE_RDMA_TRANSPORT_TX	= 6,
};

/* What a packet reformat action removes or adds. */
enum mlx5_ib_uapi_flow_action_packet_reformat_type {
	MLX5_IB_UAPI_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TUNNEL_TO_L2	= 0,
	MLX5_IB_UAPI_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TO_L2_TUNNEL	= 1,
	MLX5_IB_UAPI_FLOW_ACTION_PACKET_REFORMAT_TYPE_L3_TUNNEL_TO_L2	= 2,
	MLX5_IB_UAPI_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TO_L3_TUNNEL	= 3,
};

/* ---- memory ---------------------------------------------------------- */

/* mlx5 access flags of a dma-buf memory region. */
enum mlx5_ib_uapi_reg_dmabuf_flags {
	/* Go through the bonded data-direct function. */
	MLX5_IB_UAPI_REG_DMABUF_ACCESS_DATA_DIRECT	= 1 << 0,
};

/* Kinds of device memory. */
enum mlx5_ib_uapi_dm_type {
	MLX5_IB_UAPI_DM_TYPE_MEMIC			= 0,
	MLX5_IB_UAPI_DM_TYPE_STEERING_SW_ICM		= 1,
	MLX5_IB_UAPI_DM_TYPE_HEADER_MODIFY_SW_ICM	= 2,
	MLX5_IB_UAPI_DM_TYPE_HEADER_MODIFY_PATTERN_SW_ICM = 3,
	MLX5_IB_UAPI_DM_TYPE_ENCAP_SW_ICM		= 4,
};

/* ---- DEVX ------------------------------------------------------------ */

/* One answer on the completion fd of asynchronous commands. */
struct mlx5_ib_uapi_devx_async_cmd_hdr {
	__u64 wr_id;		/* as given when the command was started */
	__extension__ __u8 out_data[];	/* the command's output mailbox */
};

/* Flags of an event channel. */
enum mlx5_ib_uapi_devx_create_event_channel_flags {
	/* Deliver the cookie alone, without the event queue entry. */
	MLX5_IB_UAPI_DEVX_CR_EV_CH_FLAGS_OMIT_DATA	= 1 << 0,
};

/* One record read from an event channel. */
struct mlx5_ib_uapi_devx_async_event_hdr {
	__u64 cookie;		/* as given at subscription */
	__extension__ __u8 out_data[];	/* the 64-byte event queue entry, if not omitted */
};

/* How a UAR page is mapped: for BlueFlame (write combining) or uncached. */
enum mlx5_ib_uapi_uar_alloc_type {
	MLX5_IB_UAPI_UAR_ALLOC_TYPE_BF			= 0x0,
	MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC			= 0x1,
};

/* Flags of a packet pacing entry. */
enum mlx5_ib_uapi_pp_alloc_flags {
	/* An index of its own, not shared with entries of equal parameters. */
	MLX5_IB_UAPI_PP_ALLOC_FLAGS_DEDICATED_INDEX	= 1 << 0,
};

/* Flags of a VAR (virtio/TLP access region). */
enum mlx5_ib_uapi_var_alloc_flags {
	MLX5_IB_UAPI_VAR_ALLOC_FLAG_TLP			= 1 << 0,
};

/* ---- ports ----------------------------------------------------------- */

/* Which fields of struct mlx5_ib_uapi_query_port are valid. */
enum mlx5_ib_uapi_query_port_flags {
	MLX5_IB_UAPI_QUERY_PORT_VPORT			= 1 << 0,
	MLX5_IB_UAPI_QUERY_PORT_VPORT_VHCA_ID		= 1 << 1,
	MLX5_IB_UAPI_QUERY_PORT_VPORT_STEERING_ICM_RX	= 1 << 2,
	MLX5_IB_UAPI_QUERY_PORT_VPORT_STEERING_ICM_TX	= 1 << 3,
	MLX5_IB_UAPI_QUERY_PORT_VPORT_REG_C0		= 1 << 4,
	MLX5_IB_UAPI_QUERY_PORT_ESW_OWNER_VHCA_ID	= 1 << 5,
};

/* A metadata register match: value under mask. */
struct mlx5_ib_uapi_reg {
	__u32 value;
	__u32 mask;
};

/* E-switch view of a port. All zero when the device is not in switchdev mode. */
struct mlx5_ib_uapi_query_port {
	__aligned_u64 flags;		/* enum mlx5_ib_uapi_query_port_flags */
	__u16 vport;
	__u16 vport_vhca_id;
	__u16 esw_owner_vhca_id;
	__u16 rsvd0;
	__aligned_u64 vport_steering_icm_rx;
	__aligned_u64 vport_steering_icm_tx;
	struct mlx5_ib_uapi_reg reg_c0;
};

#endif /* MLX5_USER_IOCTL_VERBS_H */
