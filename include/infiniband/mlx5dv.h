/*
 * The mlx5 direct verbs API: what an mlx5 device (NVIDIA/Mellanox ConnectX and
 * BlueField) can do beyond the common verbs of <infiniband/verbs.h>.
 *
 * Names, layouts and values are those of release 65.0 (abi/mlx5dv-65.0.json);
 * programs written for any earlier release compile against it unchanged.
 * C11 and later, C++11 and later.
 *
 * Conventions of the functions, unless a comment says otherwise:
 *   pointer results   NULL with errno set on failure
 *   int results       0, or a positive errno value; errno itself is not
 *                     guaranteed to be set
 *   a device of another provider, or one that lacks the feature's support in
 *                     this library, is answered with EOPNOTSUPP
 *   comp_mask         of an input: which optional members are meant, unknown
 *                     bits are refused; of an output: asked for on entry,
 *                     delivered on return
 *
 * Contents, in this order: device; raw views of verbs objects; queue creation;
 * work requests; memory keys, signature and crypto; memory; DEVX; flows;
 * software steering; scheduling and QP side knobs; VFIO; wire formats of
 * completions and work requests; device mailboxes.
 */
#ifndef _MLX5DV_H_
#define _MLX5DV_H_

#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <linux/types.h>
#include <infiniband/verbs.h>
#include <infiniband/tm_types.h>
#include <infiniband/mlx5_api.h>

#ifdef __SSSE3__
#include <tmmintrin.h>
#endif

/* For functions so small that a call would cost more than their body. */
#if defined(__GNUC__)
#define MLX5DV_ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define MLX5DV_ALWAYS_INLINE inline
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Host to big-endian. <endian.h> has these only outside strict -std=c11, and
 * this header works there too.
 */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define mlx5dv_be16_(x) ((__be16)__builtin_bswap16(x))
#define mlx5dv_be32_(x) ((__be32)__builtin_bswap32(x))
#define mlx5dv_be64_(x) ((__be64)__builtin_bswap64(x))
#else
#define mlx5dv_be16_(x) ((__be16)(x))
#define mlx5dv_be32_(x) ((__be32)(x))
#define mlx5dv_be64_(x) ((__be64)(x))
#endif

/* ====================================================================== */
/* Device                                                                 */
/* ====================================================================== */

/* Optional members of struct mlx5dv_context. */
enum mlx5dv_context_comp_mask {
	MLX5DV_CONTEXT_MASK_CQE_COMPRESION	= 1 << 0, /* spelled so */
	MLX5DV_CONTEXT_MASK_SWP			= 1 << 1,
	MLX5DV_CONTEXT_MASK_STRIDING_RQ		= 1 << 2,
	MLX5DV_CONTEXT_MASK_TUNNEL_OFFLOADS	= 1 << 3,
	MLX5DV_CONTEXT_MASK_DYN_BFREGS		= 1 << 4,
	MLX5DV_CONTEXT_MASK_CLOCK_INFO_UPDATE	= 1 << 5,
	MLX5DV_CONTEXT_MASK_FLOW_ACTION_FLAGS	= 1 << 6,
	MLX5DV_CONTEXT_MASK_DC_ODP_CAPS		= 1 << 7,
	MLX5DV_CONTEXT_MASK_HCA_CORE_CLOCK	= 1 << 8,
	MLX5DV_CONTEXT_MASK_NUM_LAG_PORTS	= 1 << 9,
	MLX5DV_CONTEXT_MASK_SIGNATURE_OFFLOAD	= 1 << 10,
	MLX5DV_CONTEXT_MASK_DCI_STREAMS		= 1 << 11,
	MLX5DV_CONTEXT_MASK_WR_MEMCPY_LENGTH	= 1 << 12,
	MLX5DV_CONTEXT_MASK_CRYPTO_OFFLOAD	= 1 << 13,
	MLX5DV_CONTEXT_MASK_MAX_DC_RD_ATOM	= 1 << 14,
	MLX5DV_CONTEXT_MASK_REG_C0		= 1 << 15,
	MLX5DV_CONTEXT_MASK_OOO_RECV_WRS	= 1 << 16,
};

/* Device features, mlx5dv_context.flags; always filled. */
enum mlx5dv_context_flags {
	MLX5DV_CONTEXT_FLAGS_CQE_V1		= 1 << 0,
	MLX5DV_CONTEXT_FLAGS_OBSOLETE		= 1 << 1, /* never set */
	MLX5DV_CONTEXT_FLAGS_MPW_ALLOWED	= 1 << 2,
	MLX5DV_CONTEXT_FLAGS_ENHANCED_MPW	= 1 << 3,
	/* 128-byte completions: may be compressed, may be padded */
	MLX5DV_CONTEXT_FLAGS_CQE_128B_COMP	= 1 << 4,
	MLX5DV_CONTEXT_FLAGS_CQE_128B_PAD	= 1 << 5,
	MLX5DV_CONTEXT_FLAGS_PACKET_BASED_CREDIT_MODE = 1 << 6,
	/* Completion timestamps are wall-clock time, not cycles. */
	MLX5DV_CONTEXT_FLAGS_REAL_TIME_TS	= 1 << 7,
	MLX5DV_CONTEXT_FLAGS_BLUEFLAME		= 1 << 8,
};

/* Layouts of compressed completions; bits of supported_format. */
enum mlx5dv_cqe_comp_res_format {
	MLX5DV_CQE_RES_FORMAT_HASH		= 1 << 0,
	MLX5DV_CQE_RES_FORMAT_CSUM		= 1 << 1,
	MLX5DV_CQE_RES_FORMAT_CSUM_STRIDX	= 1 << 2,
};

struct mlx5dv_cqe_comp_caps {
	uint32_t max_num;
	uint32_t supported_format;	/* enum mlx5dv_cqe_comp_res_format */
};

/* Software parsing of packet headers, sw_parsing_caps.sw_parsing_offloads. */
enum mlx5dv_sw_parsing_offloads {
	MLX5DV_SW_PARSING			= 1 << 0,
	MLX5DV_SW_PARSING_CSUM			= 1 << 1,
	MLX5DV_SW_PARSING_LSO			= 1 << 2,
};

struct mlx5dv_sw_parsing_caps {
	uint32_t sw_parsing_offloads;	/* enum mlx5dv_sw_parsing_offloads */
	uint32_t supported_qpts;	/* bit per enum ibv_qp_type */
};

/* Limits of receive queues whose entries hold many strides. */
struct mlx5dv_striding_rq_caps {
	uint32_t min_single_stride_log_num_of_bytes;
	uint32_t max_single_stride_log_num_of_bytes;
	uint32_t min_single_wqe_log_num_of_strides;
	uint32_t max_single_wqe_log_num_of_strides;
	uint32_t supported_qpts;	/* bit per enum ibv_qp_type */
};

/* Offloads on the inner packet of a tunnel, tunnel_offloads_caps. */
enum mlx5dv_tunnel_offloads {
	MLX5DV_RAW_PACKET_CAP_TUNNELED_OFFLOAD_VXLAN		= 1 << 0,
	MLX5DV_RAW_PACKET_CAP_TUNNELED_OFFLOAD_GRE		= 1 << 1,
	MLX5DV_RAW_PACKET_CAP_TUNNELED_OFFLOAD_GENEVE		= 1 << 2,
	MLX5DV_RAW_PACKET_CAP_TUNNELED_OFFLOAD_CW_MPLS_OVER_GRE	= 1 << 3,
	MLX5DV_RAW_PACKET_CAP_TUNNELED_OFFLOAD_CW_MPLS_OVER_UDP	= 1 << 4,
};

/* ESP offloads of flow actions, flow_action_flags. */
enum mlx5dv_flow_action_cap_flags {
	MLX5DV_FLOW_ACTION_FLAGS_ESP_AES_GCM			= 1 << 0,
	MLX5DV_FLOW_ACTION_FLAGS_ESP_AES_GCM_REQ_METADATA	= 1 << 1,
	MLX5DV_FLOW_ACTION_FLAGS_ESP_AES_GCM_SPI_STEERING	= 1 << 2,
	MLX5DV_FLOW_ACTION_FLAGS_ESP_AES_GCM_FULL_OFFLOAD	= 1 << 3,
	MLX5DV_FLOW_ACTION_FLAGS_ESP_AES_GCM_TX_IV_IS_ESN	= 1 << 4,
};

/* Kinds of block protection, sig_caps.block_prot. */
enum mlx5dv_sig_prot_caps {
	MLX5DV_SIG_PROT_CAP_T10DIF		= 1 << 0,
	MLX5DV_SIG_PROT_CAP_CRC			= 1 << 1,
};

/* Guards that T10-DIF may use: the value of an attribute, then its bit. */
enum mlx5dv_sig_t10dif_bg_type {
	MLX5DV_SIG_T10DIF_CRC			= 0,
	MLX5DV_SIG_T10DIF_CSUM			= 1,
};

enum mlx5dv_sig_t10dif_bg_caps {
	MLX5DV_SIG_T10DIF_BG_CAP_CRC		= 1 << MLX5DV_SIG_T10DIF_CRC,
	MLX5DV_SIG_T10DIF_BG_CAP_CSUM		= 1 << MLX5DV_SIG_T10DIF_CSUM,
};

/* CRC polynomials: the value of an attribute, then its bit. */
enum mlx5dv_sig_crc_type {
	MLX5DV_SIG_CRC_TYPE_CRC32		= 0,
	MLX5DV_SIG_CRC_TYPE_CRC32C		= 1,
	MLX5DV_SIG_CRC_TYPE_CRC64_XP10		= 2,
};

enum mlx5dv_sig_crc_type_caps {
	MLX5DV_SIG_CRC_TYPE_CAP_CRC32		= 1 << MLX5DV_SIG_CRC_TYPE_CRC32,
	MLX5DV_SIG_CRC_TYPE_CAP_CRC32C		= 1 << MLX5DV_SIG_CRC_TYPE_CRC32C,
	MLX5DV_SIG_CRC_TYPE_CAP_CRC64_XP10	= 1 << MLX5DV_SIG_CRC_TYPE_CRC64_XP10,
};

/* Block sizes in bytes, of signature and crypto: the value, then its bit. */
enum mlx5dv_block_size {
	MLX5DV_BLOCK_SIZE_512			= 0,
	MLX5DV_BLOCK_SIZE_520			= 1,
	MLX5DV_BLOCK_SIZE_4048			= 2,
	MLX5DV_BLOCK_SIZE_4096			= 3,
	MLX5DV_BLOCK_SIZE_4160			= 4,
};

enum mlx5dv_block_size_caps {
	MLX5DV_BLOCK_SIZE_CAP_512		= 1 << MLX5DV_BLOCK_SIZE_512,
	MLX5DV_BLOCK_SIZE_CAP_520		= 1 << MLX5DV_BLOCK_SIZE_520,
	MLX5DV_BLOCK_SIZE_CAP_4048		= 1 << MLX5DV_BLOCK_SIZE_4048,
	MLX5DV_BLOCK_SIZE_CAP_4096		= 1 << MLX5DV_BLOCK_SIZE_4096,
	MLX5DV_BLOCK_SIZE_CAP_4160		= 1 << MLX5DV_BLOCK_SIZE_4160,
};

struct mlx5dv_sig_caps {
	uint64_t block_size;	/* enum mlx5dv_block_size_caps */
	uint32_t block_prot;	/* enum mlx5dv_sig_prot_caps */
	uint16_t t10dif_bg;	/* enum mlx5dv_sig_t10dif_bg_caps */
	uint16_t crc_type;	/* enum mlx5dv_sig_crc_type_caps */
};

/* Upper bounds for struct mlx5dv_dci_streams. The spelling is part of the API. */
struct mlx5dv_dci_streams_caps {
	uint8_t max_log_num_concurent;
	uint8_t max_log_num_errored;
};

enum mlx5dv_crypto_engines_caps {
	MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS		= 1 << 0, /* never set */
	MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_SINGLE_BLOCK	= 1 << 1,
	MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_MULTI_BLOCK	= 1 << 2,
};

/* Keys that may, or must, be imported wrapped by a key-encryption key. */
enum mlx5dv_crypto_wrapped_import_method_caps {
	MLX5DV_CRYPTO_WRAPPED_IMPORT_METHOD_CAP_AES_XTS	= 1 << 0,
};

enum mlx5dv_crypto_caps_flags {
	MLX5DV_CRYPTO_CAPS_CRYPTO				= 1 << 0,
	MLX5DV_CRYPTO_CAPS_WRAPPED_CRYPTO_OPERATIONAL		= 1 << 1,
	MLX5DV_CRYPTO_CAPS_WRAPPED_CRYPTO_GOING_TO_COMMISSIONING = 1 << 2,
};

struct mlx5dv_crypto_caps {
	uint16_t failed_selftests;	/* bit mask, device specific */
	uint8_t crypto_engines;		/* enum mlx5dv_crypto_engines_caps */
	uint8_t wrapped_import_method;	/* enum mlx5dv_crypto_wrapped_import_method_caps */
	uint8_t log_max_num_deks;
	uint32_t flags;			/* enum mlx5dv_crypto_caps_flags */
};

/* Receive depth available with MLX5DV_QP_CREATE_OOO_DP, by transport. */
struct mlx5dv_ooo_recv_wrs_caps {
	uint32_t max_rc;
	uint32_t max_xrc;
	uint32_t max_dct;
	uint32_t max_ud;
	uint32_t max_uc;
};

/*
 * Answer of mlx5dv_query_device. A member whose bit is not set in comp_mask on
 * return was not written. The structure grows at its end from release to
 * release and carries no size: a program gets only what it asks for.
 */
struct mlx5dv_context {
	uint8_t version;		/* 0 */
	uint64_t flags;			/* enum mlx5dv_context_flags */
	uint64_t comp_mask;		/* enum mlx5dv_context_comp_mask */
	struct mlx5dv_cqe_comp_caps cqe_comp_caps;
	struct mlx5dv_sw_parsing_caps sw_parsing_caps;
	struct mlx5dv_striding_rq_caps striding_rq_caps;
	uint32_t tunnel_offloads_caps;	/* enum mlx5dv_tunnel_offloads */
	uint32_t max_dynamic_bfregs;
	uint64_t max_clock_info_update_nsec; /* refresh the clock info so often */
	uint32_t flow_action_flags;	/* enum mlx5dv_flow_action_cap_flags */
	uint32_t dc_odp_caps;		/* enum ibv_odp_transport_cap_bits */
	void *hca_core_clock;		/* mapped free running counter, big-endian */
	uint8_t num_lag_ports;
	struct mlx5dv_sig_caps sig_caps;
	struct mlx5dv_dci_streams_caps dci_streams_caps;
	size_t max_wr_memcpy_length;	/* bytes, of mlx5dv_wr_memcpy */
	struct mlx5dv_crypto_caps crypto_caps;
	uint64_t max_dc_rd_atom;	/* RDMA reads and atomics: as a target */
	uint64_t max_dc_init_rd_atom;	/* and as an initiator */
	struct mlx5dv_reg reg_c0;	/* bits of register C0 for the user */
	struct mlx5dv_ooo_recv_wrs_caps ooo_recv_wrs_caps;
};

/* mlx5dv_context_attr.flags */
enum mlx5dv_context_attr_flags {
	/* Fail instead of opening a context without DEVX. */
	MLX5DV_CONTEXT_FLAGS_DEVX		= 1 << 0,
};

/* mlx5dv_context_attr.comp_mask */
enum mlx5dv_context_attr_comp_mask {
	MLX5DV_CONTEXT_ATTR_MASK_FD_ARRAY	= 1 << 0,
};

struct ibv_fd_arr;	/* in <infiniband/verbs.h> from release 63 on */

struct mlx5dv_context_attr {
	uint32_t flags;			/* enum mlx5dv_context_attr_flags */
	uint64_t comp_mask;		/* enum mlx5dv_context_attr_comp_mask */
	struct ibv_fd_arr *fds;		/* capability files, with MASK_FD_ARRAY */
};

/* Is this a device that the kernel's mlx5 driver and this library drive? */
bool mlx5dv_is_supported(struct ibv_device *device);

/* Open a device; attr may be NULL. Close with ibv_close_device. */
struct ibv_context *mlx5dv_open_device(struct ibv_device *device,
				       struct mlx5dv_context_attr *attr);

/* Capabilities; attrs_out->comp_mask asks for the optional members. */
int mlx5dv_query_device(struct ibv_context *ctx_in,
			struct mlx5dv_context *attrs_out);

int _mlx5dv_query_port(struct ibv_context *context, uint32_t port_num,
		       struct mlx5dv_port *info, size_t info_len);

/* E-switch identity of a port (from 1); info->flags says what is valid. */
static inline int mlx5dv_query_port(struct ibv_context *context,
				    uint32_t port_num,
				    struct mlx5dv_port *info)
{
	return _mlx5dv_query_port(context, port_num, info, sizeof(*info));
}

/*
 * Path below /sys of the device's data-direct function, with its NUL.
 * ENODEV: there is none. ENOSPC: buf_len is too short.
 */
int mlx5dv_get_data_direct_sysfs_path(struct ibv_context *context, char *buf,
				      size_t buf_len);

/* ---- clock ----------------------------------------------------------- */

/* A sample that turns device timestamps into nanoseconds. */
struct mlx5dv_clock_info {
	uint64_t nsec;		/* wall-clock time at last_cycles */
	uint64_t last_cycles;
	uint64_t frac;		/* fraction of nsec, 1 / 2^shift ns */
	uint32_t mult;
	uint32_t shift;
	uint64_t mask;		/* width of the device counter */
};

/* Take a sample. EINVAL: no clock page. EBUSY: it kept changing. */
int mlx5dv_get_clock_info(struct ibv_context *context,
			  struct mlx5dv_clock_info *clock_info);

/*
 * Nanoseconds of a device timestamp. The counter wraps at mask, so a distance
 * of more than half its range means a timestamp from before the sample.
 */
static inline uint64_t mlx5dv_ts_to_ns(struct mlx5dv_clock_info *clock_info,
				       uint64_t device_timestamp)
{
	uint64_t since = (device_timestamp - clock_info->last_cycles) &
			 clock_info->mask;
	uint64_t before;

	if (since <= clock_info->mask / 2)
		return clock_info->nsec +
		       ((since * clock_info->mult + clock_info->frac) >>
			clock_info->shift);

	before = (clock_info->last_cycles - device_timestamp) &
		 clock_info->mask;
	return clock_info->nsec -
	       ((before * clock_info->mult - clock_info->frac) >>
		clock_info->shift);
}

/* ---- context attributes ---------------------------------------------- */

enum mlx5dv_set_ctx_attr_type {
	MLX5DV_CTX_ATTR_BUF_ALLOCATORS		= 1,
};

/* Allocators for queue buffers and doorbell pages (page-aligned memory). */
struct mlx5dv_ctx_allocators {
	void *(*alloc)(size_t size, void *priv_data);
	void (*free)(void *ptr, void *priv_data);
	void *data;		/* the priv_data of both */
};

/* attr: struct mlx5dv_ctx_allocators, copied. */
int mlx5dv_set_context_attr(struct ibv_context *context,
			    enum mlx5dv_set_ctx_attr_type type, void *attr);

/* resource_type that a parent domain's allocators are called with. */
#define MLX5DV_RES_TYPE_QP	((uint64_t)RDMA_DRIVER_MLX5 << 32 | 1)
#define MLX5DV_RES_TYPE_RWQ	((uint64_t)RDMA_DRIVER_MLX5 << 32 | 2)
#define MLX5DV_RES_TYPE_DBR	((uint64_t)RDMA_DRIVER_MLX5 << 32 | 3)
#define MLX5DV_RES_TYPE_SRQ	((uint64_t)RDMA_DRIVER_MLX5 << 32 | 4)
#define MLX5DV_RES_TYPE_CQ	((uint64_t)RDMA_DRIVER_MLX5 << 32 | 5)

/* ====================================================================== */
/* Raw views of verbs objects                                             */
/* ====================================================================== */

/* Optional members of struct mlx5dv_qp. */
enum mlx5dv_qp_comp_mask {
	MLX5DV_QP_MASK_UAR_MMAP_OFFSET		= 1 << 0,
	MLX5DV_QP_MASK_RAW_QP_HANDLES		= 1 << 1,
	MLX5DV_QP_MASK_RAW_QP_TIR_ADDR		= 1 << 2,
};

struct mlx5dv_qp {
	__be32 *dbrec;		/* index MLX5_RCV_DBR and MLX5_SND_DBR */
	struct {
		void *buf;
		uint32_t wqe_cnt;
		uint32_t stride;	/* bytes */
	} sq;
	struct {
		void *buf;
		uint32_t wqe_cnt;
		uint32_t stride;	/* bytes */
	} rq;
	struct {
		void *reg;
		uint32_t size;	/* bytes of one BlueFlame buffer; 0: doorbell only */
	} bf;
	uint64_t comp_mask;	/* enum mlx5dv_qp_comp_mask */
	off_t uar_mmap_offset;
	uint32_t tirn;
	uint32_t tisn;
	uint32_t rqn;
	uint32_t sqn;
	uint64_t tir_icm_addr;
};

struct mlx5dv_cq {
	void *buf;
	__be32 *dbrec;		/* [0] consumer index, [1] arm */
	uint32_t cqe_cnt;
	uint32_t cqe_size;	/* bytes */
	void *cq_uar;		/* arm doorbell at + MLX5_CQ_DOORBELL */
	uint32_t cqn;
	uint64_t comp_mask;
};

/* Optional members of struct mlx5dv_srq. */
enum mlx5dv_srq_comp_mask {
	MLX5DV_SRQ_MASK_SRQN			= 1 << 0,
};

struct mlx5dv_srq {
	void *buf;
	__be32 *dbrec;
	uint32_t stride;	/* bytes */
	uint32_t head;
	uint32_t tail;
	uint64_t comp_mask;	/* enum mlx5dv_srq_comp_mask */
	uint32_t srqn;
};

struct mlx5dv_rwq {
	void *buf;
	__be32 *dbrec;
	uint32_t wqe_cnt;
	uint32_t stride;	/* bytes */
	uint64_t comp_mask;
};

/* Optional members of struct mlx5dv_dm. */
enum mlx5dv_dm_comp_mask {
	MLX5DV_DM_MASK_REMOTE_VA		= 1 << 0,
};

struct mlx5dv_dm {
	void *buf;		/* mapping; NULL for steering memory */
	uint64_t length;
	uint64_t comp_mask;	/* enum mlx5dv_dm_comp_mask */
	uint64_t remote_va;	/* address in the device */
};

struct mlx5_wqe_av;

struct mlx5dv_ah {
	struct mlx5_wqe_av *av;	/* ready to be copied into a work request */
	uint64_t comp_mask;
};

struct mlx5dv_pd {
	uint32_t pdn;
	uint64_t comp_mask;
};

struct mlx5dv_devx {
	uint32_t handle;
};

struct mlx5dv_devx_obj;

/* Which pairs of struct mlx5dv_obj are filled in. */
enum mlx5dv_obj_type {
	MLX5DV_OBJ_QP				= 1 << 0,
	MLX5DV_OBJ_CQ				= 1 << 1,
	MLX5DV_OBJ_SRQ				= 1 << 2,
	MLX5DV_OBJ_RWQ				= 1 << 3,
	MLX5DV_OBJ_DM				= 1 << 4,
	MLX5DV_OBJ_AH				= 1 << 5,
	MLX5DV_OBJ_PD				= 1 << 6,
	MLX5DV_OBJ_DEVX				= 1 << 7,
};

/* For each kind: the verbs object in, the place for its raw view out. */
struct mlx5dv_obj {
	struct {
		struct ibv_qp *in;
		struct mlx5dv_qp *out;
	} qp;
	struct {
		struct ibv_cq *in;
		struct mlx5dv_cq *out;
	} cq;
	struct {
		struct ibv_srq *in;
		struct mlx5dv_srq *out;
	} srq;
	struct {
		struct ibv_wq *in;
		struct mlx5dv_rwq *out;
	} rwq;
	struct {
		struct ibv_dm *in;
		struct mlx5dv_dm *out;
	} dm;
	struct {
		struct ibv_ah *in;
		struct mlx5dv_ah *out;
	} ah;
	struct {
		struct ibv_pd *in;
		struct mlx5dv_pd *out;
	} pd;
	struct {
		struct mlx5dv_devx_obj *in;
		struct mlx5dv_devx *out;
	} devx;
};

/*
 * Raw views of the objects that obj_type names (enum mlx5dv_obj_type). A CQ
 * taken this way belongs to the caller: the library no longer removes the
 * completions of destroyed queues from it.
 */
int mlx5dv_init_obj(struct mlx5dv_obj *obj, uint64_t obj_type);

/* ====================================================================== */
/* Creation of queues                                                     */
/* ====================================================================== */

enum mlx5dv_cq_init_attr_mask {
	MLX5DV_CQ_INIT_ATTR_MASK_COMPRESSED_CQE	= 1 << 0,
	MLX5DV_CQ_INIT_ATTR_MASK_FLAGS		= 1 << 1,
	MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE	= 1 << 2,
};

enum mlx5dv_cq_init_attr_flags {
	/* The device writes 128-byte entries whole, also for 64 bytes of content. */
	MLX5DV_CQ_INIT_ATTR_FLAGS_CQE_PAD	= 1 << 0,
	MLX5DV_CQ_INIT_ATTR_FLAGS_RESERVED	= 1 << 1,
};

struct mlx5dv_cq_init_attr {
	uint64_t comp_mask;		/* enum mlx5dv_cq_init_attr_mask */
	uint8_t cqe_comp_res_format;	/* one of enum mlx5dv_cqe_comp_res_format */
	uint32_t flags;			/* enum mlx5dv_cq_init_attr_flags */
	uint16_t cqe_size;		/* 64 or 128 */
};

/*
 * The verbs do not expand compressed completions: a CQ created with a
 * compression format is for programs that read its buffer themselves.
 */
struct ibv_cq_ex *mlx5dv_create_cq(struct ibv_context *context,
				   struct ibv_cq_init_attr_ex *cq_attr,
				   struct mlx5dv_cq_init_attr *mlx5_cq_attr);

enum mlx5dv_qp_init_attr_mask {
	MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS = 1 << 0,
	MLX5DV_QP_INIT_ATTR_MASK_DC		= 1 << 1,
	MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS	= 1 << 2,
	MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS	= 1 << 3,
};

enum mlx5dv_qp_create_flags {
	MLX5DV_QP_CREATE_TUNNEL_OFFLOADS	= 1 << 0,
	MLX5DV_QP_CREATE_TIR_ALLOW_SELF_LOOPBACK_UC = 1 << 1,
	MLX5DV_QP_CREATE_TIR_ALLOW_SELF_LOOPBACK_MC = 1 << 2,
	/* Small payloads in the completion; the two exclude each other. */
	MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE	= 1 << 3,
	MLX5DV_QP_CREATE_ALLOW_SCATTER_TO_CQE	= 1 << 4,
	MLX5DV_QP_CREATE_PACKET_BASED_CREDIT_MODE = 1 << 5,
	/* A signature error drains the send queue into SQD. */
	MLX5DV_QP_CREATE_SIG_PIPELINING		= 1 << 6,
	/* Packets may be placed out of order. */
	MLX5DV_QP_CREATE_OOO_DP			= 1 << 7,
};

/* The two ends of the dynamically connected transport. */
enum mlx5dv_dc_type {
	MLX5DV_DCTYPE_DCT			= 1,
	MLX5DV_DCTYPE_DCI			= 2,
};

struct mlx5dv_dci_streams {
	uint8_t log_num_concurent;
	uint8_t log_num_errored;
};

struct mlx5dv_dc_init_attr {
	enum mlx5dv_dc_type dc_type;
	union {
		uint64_t dct_access_key;		/* DCT */
		struct mlx5dv_dci_streams dci_streams;	/* DCI, by comp_mask */
	};
};

/* Setters that the QP is to have, mlx5dv_qp_init_attr.send_ops_flags. */
enum mlx5dv_qp_create_send_ops_flags {
	MLX5DV_QP_EX_WITH_MR_INTERLEAVED	= 1 << 0,
	MLX5DV_QP_EX_WITH_MR_LIST		= 1 << 1,
	MLX5DV_QP_EX_WITH_MKEY_CONFIGURE	= 1 << 2,
	MLX5DV_QP_EX_WITH_RAW_WQE		= 1 << 3,
	MLX5DV_QP_EX_WITH_MEMCPY		= 1 << 4,
};

struct mlx5dv_qp_init_attr {
	uint64_t comp_mask;		/* enum mlx5dv_qp_init_attr_mask */
	uint32_t create_flags;		/* enum mlx5dv_qp_create_flags */
	struct mlx5dv_dc_init_attr dc_init_attr;
	uint64_t send_ops_flags;	/* enum mlx5dv_qp_create_send_ops_flags */
};

/* IBV_QPT_DRIVER with MLX5DV_QP_INIT_ATTR_MASK_DC makes a DCI or a DCT. */
struct ibv_qp *mlx5dv_create_qp(struct ibv_context *context,
				struct ibv_qp_init_attr_ex *qp_attr,
				struct mlx5dv_qp_init_attr *mlx5_qp_attr);

enum mlx5dv_wq_init_attr_mask {
	MLX5DV_WQ_INIT_ATTR_MASK_STRIDING_RQ	= 1 << 0,
};

struct mlx5dv_striding_rq_init_attr {
	uint32_t single_stride_log_num_of_bytes;
	uint32_t single_wqe_log_num_of_strides;
	uint8_t two_byte_shift_en;	/* two bytes before each packet */
};

struct mlx5dv_wq_init_attr {
	uint64_t comp_mask;		/* enum mlx5dv_wq_init_attr_mask */
	struct mlx5dv_striding_rq_init_attr striding_rq_attrs;
};

struct ibv_wq *mlx5dv_create_wq(struct ibv_context *context,
				struct ibv_wq_init_attr *wq_init_attr,
				struct mlx5dv_wq_init_attr *mlx5_wq_attr);

/* ====================================================================== */
/* Memory keys, signature and crypto                                      */
/* ====================================================================== */

enum mlx5dv_mkey_init_attr_flags {
	/* Translates through other keys; the only kind there is, always set. */
	MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT		= 1 << 0,
	MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE	= 1 << 1,
	MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO		= 1 << 2,
	/* The low byte of the key may change with each configuration. */
	MLX5DV_MKEY_INIT_ATTR_FLAGS_UPDATE_TAG		= 1 << 3,
	MLX5DV_MKEY_INIT_ATTR_FLAGS_REMOTE_INVALIDATE	= 1 << 4,
};

struct mlx5dv_mkey_init_attr {
	struct ibv_pd *pd;
	uint32_t create_flags;	/* enum mlx5dv_mkey_init_attr_flags */
	uint16_t max_entries;	/* rounded up; the result is written back */
};

struct mlx5dv_mkey {
	uint32_t lkey;
	uint32_t rkey;
};

/* A key without content; mlx5dv_wr_mkey_configure and kin give it one. */
struct mlx5dv_mkey *mlx5dv_create_mkey(struct mlx5dv_mkey_init_attr *mkey_init_attr);

int mlx5dv_destroy_mkey(struct mlx5dv_mkey *mkey);

enum mlx5dv_mkey_conf_flags {
	/* Forget the signature and crypto attributes set before. */
	MLX5DV_MKEY_CONF_FLAG_RESET_SIG_ATTR	= 1 << 0,
};

struct mlx5dv_mkey_conf_attr {
	uint32_t conf_flags;	/* enum mlx5dv_mkey_conf_flags */
	uint64_t comp_mask;	/* 0 */
};

/* One stretch of a strided layout: bytes_count used, bytes_skip passed over. */
struct mlx5dv_mr_interleaved {
	uint64_t addr;
	uint32_t bytes_count;
	uint32_t bytes_skip;
	uint32_t lkey;
};

/* ---- block signature ------------------------------------------------- */

enum mlx5dv_sig_type {
	MLX5DV_SIG_TYPE_T10DIF			= 0,
	MLX5DV_SIG_TYPE_CRC			= 1,
};

enum mlx5dv_sig_t10dif_flags {
	/* The reference tag counts up from block to block. */
	MLX5DV_SIG_T10DIF_FLAG_REF_REMAP	= 1 << 0,
	/* No check when the application tag, or it and the reference tag, are all ones. */
	MLX5DV_SIG_T10DIF_FLAG_APP_ESCAPE	= 1 << 1,
	MLX5DV_SIG_T10DIF_FLAG_APP_REF_ESCAPE	= 1 << 2,
};

struct mlx5dv_sig_t10dif {
	enum mlx5dv_sig_t10dif_bg_type bg_type;
	uint16_t bg;		/* seed of the guard: 0 or 0xffff */
	uint16_t app_tag;
	uint32_t ref_tag;
	uint16_t flags;		/* enum mlx5dv_sig_t10dif_flags */
};

struct mlx5dv_sig_crc {
	enum mlx5dv_sig_crc_type type;
	uint64_t seed;		/* 0 or all ones of the polynomial's width */
};

/* How the data looks on one side: in memory or on the wire. */
struct mlx5dv_sig_block_domain {
	enum mlx5dv_sig_type sig_type;
	union {
		const struct mlx5dv_sig_t10dif *dif;
		const struct mlx5dv_sig_crc *crc;
	} sig;
	enum mlx5dv_block_size block_size;
	uint64_t comp_mask;	/* 0 */
};

/* Bytes of a signature field, one bit each, for check_mask and copy_mask. */
enum mlx5dv_sig_mask {
	MLX5DV_SIG_MASK_T10DIF_GUARD		= 0xc0,
	MLX5DV_SIG_MASK_T10DIF_APPTAG		= 0x30,
	MLX5DV_SIG_MASK_T10DIF_REFTAG		= 0x0f,
	MLX5DV_SIG_MASK_CRC32			= 0xf0,
	MLX5DV_SIG_MASK_CRC32C			= 0xf0,
	MLX5DV_SIG_MASK_CRC64_XP10		= 0xff,
};

enum mlx5dv_sig_block_attr_flags {
	/* copy_mask is given and is not to be derived from the domains. */
	MLX5DV_SIG_BLOCK_ATTR_FLAG_COPY_MASK	= 1 << 0,
};

struct mlx5dv_sig_block_attr {
	const struct mlx5dv_sig_block_domain *mem;	/* NULL: no signature */
	const struct mlx5dv_sig_block_domain *wire;	/* likewise; not both NULL */
	uint32_t flags;		/* enum mlx5dv_sig_block_attr_flags */
	uint8_t check_mask;	/* enum mlx5dv_sig_mask */
	uint8_t copy_mask;	/* enum mlx5dv_sig_mask */
	uint64_t comp_mask;	/* 0 */
};

enum mlx5dv_mkey_err_type {
	MLX5DV_MKEY_NO_ERR			= 0,
	MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD		= 1,
	MLX5DV_MKEY_SIG_BLOCK_BAD_REFTAG	= 2,
	MLX5DV_MKEY_SIG_BLOCK_BAD_APPTAG	= 3,
};

struct mlx5dv_sig_err {
	uint64_t actual_value;
	uint64_t expected_value;
	uint64_t offset;	/* bytes from the start of the transfer */
};

struct mlx5dv_mkey_err {
	enum mlx5dv_mkey_err_type err_type;
	union {
		struct mlx5dv_sig_err sig;
	} err;
};

int _mlx5dv_mkey_check(struct mlx5dv_mkey *mkey,
		       struct mlx5dv_mkey_err *err_info, size_t err_info_size);

/* Fetch and clear the signature error that completions reported on a key. */
static inline int mlx5dv_mkey_check(struct mlx5dv_mkey *mkey,
				    struct mlx5dv_mkey_err *err_info)
{
	return _mlx5dv_mkey_check(mkey, err_info, sizeof(*err_info));
}

/* ---- crypto ---------------------------------------------------------- */

enum mlx5dv_crypto_standard {
	MLX5DV_CRYPTO_STANDARD_AES_XTS		= 0,
};

/* On transmission; on reception the order is reversed. */
enum mlx5dv_signature_crypto_order {
	MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_AFTER_CRYPTO_ON_TX	= 0,
	MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_BEFORE_CRYPTO_ON_TX	= 1,
};

struct mlx5dv_dek;

struct mlx5dv_crypto_attr {
	enum mlx5dv_crypto_standard crypto_standard;
	bool encrypt_on_tx;	/* false: memory holds cipher text */
	enum mlx5dv_signature_crypto_order signature_crypto_order;
	enum mlx5dv_block_size data_unit_size;
	char initial_tweak[16];
	struct mlx5dv_dek *dek;
	char keytag[8];
	uint64_t comp_mask;	/* 0 */
};

enum mlx5dv_crypto_login_state {
	MLX5DV_CRYPTO_LOGIN_STATE_VALID		= 0,
	MLX5DV_CRYPTO_LOGIN_STATE_NO_LOGIN	= 1,
	MLX5DV_CRYPTO_LOGIN_STATE_INVALID	= 2,
};

/* The context-wide login. */
struct mlx5dv_crypto_login_attr {
	uint32_t credential_id;	/* 24 bits */
	uint32_t import_kek_id;	/* 24 bits */
	char credential[48];
	uint64_t comp_mask;	/* 0 */
};

struct mlx5dv_crypto_login_attr_ex {
	uint32_t credential_id;
	uint32_t import_kek_id;
	const void *credential;
	size_t credential_len;
	uint64_t comp_mask;	/* 0 */
};

struct mlx5dv_crypto_login_query_attr {
	enum mlx5dv_crypto_login_state state;
	uint64_t comp_mask;	/* 0 */
};

struct mlx5dv_crypto_login_obj;

/* Log a context in, once (EEXIST); needed to import wrapped keys. */
int mlx5dv_crypto_login(struct ibv_context *context,
			struct mlx5dv_crypto_login_attr *login_attr);

int mlx5dv_crypto_login_query_state(struct ibv_context *context,
				    enum mlx5dv_crypto_login_state *state);

/* ENOENT: there was no login. */
int mlx5dv_crypto_logout(struct ibv_context *context);

/* A login as an object, any number per context, chosen for each key. */
struct mlx5dv_crypto_login_obj *
mlx5dv_crypto_login_create(struct ibv_context *context,
			   struct mlx5dv_crypto_login_attr_ex *login_attr);

int mlx5dv_crypto_login_query(struct mlx5dv_crypto_login_obj *crypto_login,
			      struct mlx5dv_crypto_login_query_attr *query_attr);

int mlx5dv_crypto_login_destroy(struct mlx5dv_crypto_login_obj *crypto_login);

enum mlx5dv_crypto_key_size {
	MLX5DV_CRYPTO_KEY_SIZE_128		= 0,
	MLX5DV_CRYPTO_KEY_SIZE_256		= 1,
};

enum mlx5dv_crypto_key_purpose {
	MLX5DV_CRYPTO_KEY_PURPOSE_AES_XTS	= 0,
};

enum mlx5dv_dek_init_attr_mask {
	MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN	= 1 << 0,
};

/* A data encryption key, plain or wrapped. */
struct mlx5dv_dek_init_attr {
	enum mlx5dv_crypto_key_size key_size;
	bool has_keytag;
	enum mlx5dv_crypto_key_purpose key_purpose;
	struct ibv_pd *pd;
	char opaque[8];		/* the user's; mlx5dv_dek_query returns it */
	char key[128];
	uint64_t comp_mask;	/* enum mlx5dv_dek_init_attr_mask */
	struct mlx5dv_crypto_login_obj *crypto_login;
};

enum mlx5dv_dek_state {
	MLX5DV_DEK_STATE_READY			= 0,
	MLX5DV_DEK_STATE_ERROR			= 1,
};

struct mlx5dv_dek_attr {
	enum mlx5dv_dek_state state;
	char opaque[8];
	uint64_t comp_mask;	/* 0 */
};

struct mlx5dv_dek *mlx5dv_dek_create(struct ibv_context *context,
				     struct mlx5dv_dek_init_attr *init_attr);

int mlx5dv_dek_query(struct mlx5dv_dek *dek, struct mlx5dv_dek_attr *attr);

int mlx5dv_dek_destroy(struct mlx5dv_dek *dek);

/* ====================================================================== */
/* Work requests                                                          */
/* ====================================================================== */

/* Completions beyond the verbs' own, ibv_wc.opcode. */
enum mlx5dv_wc_opcode {
	MLX5DV_WC_UMR				= IBV_WC_DRIVER1,
	MLX5DV_WC_RAW_WQE			= IBV_WC_DRIVER2,
	MLX5DV_WC_MEMCPY			= IBV_WC_DRIVER3,
};

/*
 * Builders and setters between ibv_wr_start and ibv_wr_complete, beside those
 * of struct ibv_qp_ex. A member is only set when the QP was created with the
 * matching flag of enum mlx5dv_qp_create_send_ops_flags. Use the functions
 * below; errors are reported by ibv_wr_complete.
 */
struct mlx5dv_qp_ex {
	uint64_t comp_mask;
	void (*wr_set_dc_addr)(struct mlx5dv_qp_ex *mqp, struct ibv_ah *ah,
			       uint32_t remote_dctn, uint64_t remote_dc_key);
	void (*wr_mr_interleaved)(struct mlx5dv_qp_ex *mqp,
				  struct mlx5dv_mkey *mkey,
				  uint32_t access_flags, uint32_t repeat_count,
				  uint16_t num_interleaved,
				  struct mlx5dv_mr_interleaved *data);
	void (*wr_mr_list)(struct mlx5dv_qp_ex *mqp, struct mlx5dv_mkey *mkey,
			   uint32_t access_flags, uint16_t num_sges,
			   struct ibv_sge *sge);
	void (*wr_mkey_configure)(struct mlx5dv_qp_ex *mqp,
				  struct mlx5dv_mkey *mkey,
				  uint8_t num_setters,
				  struct mlx5dv_mkey_conf_attr *attr);
	void (*wr_set_mkey_access_flags)(struct mlx5dv_qp_ex *mqp,
					 uint32_t access_flags);
	void (*wr_set_mkey_layout_list)(struct mlx5dv_qp_ex *mqp,
					uint16_t num_sges,
					const struct ibv_sge *sge);
	void (*wr_set_mkey_layout_interleaved)(
		struct mlx5dv_qp_ex *mqp, uint32_t repeat_count,
		uint16_t num_interleaved,
		const struct mlx5dv_mr_interleaved *data);
	void (*wr_set_mkey_sig_block)(struct mlx5dv_qp_ex *mqp,
				      const struct mlx5dv_sig_block_attr *attr);
	void (*wr_raw_wqe)(struct mlx5dv_qp_ex *mqp, const void *wqe);
	void (*wr_set_dc_addr_stream)(struct mlx5dv_qp_ex *mqp,
				      struct ibv_ah *ah, uint32_t remote_dctn,
				      uint64_t remote_dc_key,
				      uint16_t stream_id);
	void (*wr_memcpy)(struct mlx5dv_qp_ex *mqp, uint32_t dest_lkey,
			  uint64_t dest_addr, uint32_t src_lkey,
			  uint64_t src_addr, size_t length);
	void (*wr_set_mkey_crypto)(struct mlx5dv_qp_ex *mqp,
				   const struct mlx5dv_crypto_attr *attr);
};

/* The mlx5 side of an extended QP; a conversion of the pointer, never fails. */
struct mlx5dv_qp_ex *mlx5dv_qp_ex_from_ibv_qp_ex(struct ibv_qp_ex *qp);

/*
 * Turn the posted requests with this wr_id into NOPs. The QP must be in SQD.
 * Returns how many, or a negative errno value.
 */
int mlx5dv_qp_cancel_posted_send_wrs(struct mlx5dv_qp_ex *mqp, uint64_t wr_id);

/* Destination of the current request on a DCI. */
static inline void mlx5dv_wr_set_dc_addr(struct mlx5dv_qp_ex *mqp,
					 struct ibv_ah *ah,
					 uint32_t remote_dctn,
					 uint64_t remote_dc_key)
{
	mqp->wr_set_dc_addr(mqp, ah, remote_dctn, remote_dc_key);
}

/* The same, on one of the DCI's streams. */
static inline void mlx5dv_wr_set_dc_addr_stream(struct mlx5dv_qp_ex *mqp,
						struct ibv_ah *ah,
						uint32_t remote_dctn,
						uint64_t remote_dc_key,
						uint16_t stream_id)
{
	mqp->wr_set_dc_addr_stream(mqp, ah, remote_dctn, remote_dc_key,
				   stream_id);
}

/* Give a key a strided layout: the stretches of data, repeat_count times over. */
static inline void mlx5dv_wr_mr_interleaved(struct mlx5dv_qp_ex *mqp,
					    struct mlx5dv_mkey *mkey,
					    uint32_t access_flags,
					    uint32_t repeat_count,
					    uint16_t num_interleaved,
					    struct mlx5dv_mr_interleaved *data)
{
	mqp->wr_mr_interleaved(mqp, mkey, access_flags, repeat_count,
			       num_interleaved, data);
}

/* Give a key the concatenation of num_sges buffers. */
static inline void mlx5dv_wr_mr_list(struct mlx5dv_qp_ex *mqp,
				     struct mlx5dv_mkey *mkey,
				     uint32_t access_flags, uint16_t num_sges,
				     struct ibv_sge *sge)
{
	mqp->wr_mr_list(mqp, mkey, access_flags, num_sges, sge);
}

/* Start a key's configuration; exactly num_setters of the next five follow. */
static inline void mlx5dv_wr_mkey_configure(struct mlx5dv_qp_ex *mqp,
					    struct mlx5dv_mkey *mkey,
					    uint8_t num_setters,
					    struct mlx5dv_mkey_conf_attr *attr)
{
	mqp->wr_mkey_configure(mqp, mkey, num_setters, attr);
}

static inline void mlx5dv_wr_set_mkey_access_flags(struct mlx5dv_qp_ex *mqp,
						   uint32_t access_flags)
{
	mqp->wr_set_mkey_access_flags(mqp, access_flags);
}

static inline void mlx5dv_wr_set_mkey_layout_list(struct mlx5dv_qp_ex *mqp,
						  uint16_t num_sges,
						  const struct ibv_sge *sge)
{
	mqp->wr_set_mkey_layout_list(mqp, num_sges, sge);
}

static inline void mlx5dv_wr_set_mkey_layout_interleaved(
	struct mlx5dv_qp_ex *mqp, uint32_t repeat_count,
	uint16_t num_interleaved, const struct mlx5dv_mr_interleaved *data)
{
	mqp->wr_set_mkey_layout_interleaved(mqp, repeat_count, num_interleaved,
					    data);
}

static inline void mlx5dv_wr_set_mkey_sig_block(
	struct mlx5dv_qp_ex *mqp, const struct mlx5dv_sig_block_attr *attr)
{
	mqp->wr_set_mkey_sig_block(mqp, attr);
}

static inline void mlx5dv_wr_set_mkey_crypto(
	struct mlx5dv_qp_ex *mqp, const struct mlx5dv_crypto_attr *attr)
{
	mqp->wr_set_mkey_crypto(mqp, attr);
}

/* Post a request that the caller built; only its index is filled in. */
static inline void mlx5dv_wr_raw_wqe(struct mlx5dv_qp_ex *mqp, const void *wqe)
{
	mqp->wr_raw_wqe(mqp, wqe);
}

/* Let the device copy local memory. */
static inline void mlx5dv_wr_memcpy(struct mlx5dv_qp_ex *mqp,
				    uint32_t dest_lkey, uint64_t dest_addr,
				    uint32_t src_lkey, uint64_t src_addr,
				    size_t length)
{
	mqp->wr_memcpy(mqp, dest_lkey, dest_addr, src_lkey, src_addr, length);
}

/* ====================================================================== */
/* Memory                                                                 */
/* ====================================================================== */

struct mlx5dv_alloc_dm_attr {
	enum mlx5dv_alloc_dm_type type;
	uint64_t comp_mask;	/* 0 */
};

/* Device memory of a kind; free with ibv_free_dm. */
struct ibv_dm *mlx5dv_alloc_dm(struct ibv_context *context,
			       struct ibv_alloc_dm_attr *dm_attr,
			       struct mlx5dv_alloc_dm_attr *mlx5_dm_attr);

/* Map the address where MEMIC operation `op` acts; unmapped at close only. */
void *mlx5dv_dm_map_op_addr(struct ibv_dm *dm, uint8_t op);

/* ibv_reg_dmabuf_mr with mlx5 access flags (MLX5DV_REG_DMABUF_ACCESS_*). */
struct ibv_mr *mlx5dv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset,
				    size_t length, uint64_t iova, int fd,
				    int access, int mlx5_access);

/* ====================================================================== */
/* DEVX: device commands from user space                                  */
/* ====================================================================== */

/*
 * in and out are device mailboxes, big-endian and at least 16 bytes each. When
 * the device refuses a command the result is EREMOTEIO, and out holds its
 * status (byte 0) and syndrome (bytes 4 to 7).
 */

/* A command that belongs to no object. */
int mlx5dv_devx_general_cmd(struct ibv_context *context, const void *in,
			    size_t inlen, void *out, size_t outlen);

/* Objects. A failed destroy leaves the handle valid. */
struct mlx5dv_devx_obj *mlx5dv_devx_obj_create(struct ibv_context *context,
					       const void *in, size_t inlen,
					       void *out, size_t outlen);
int mlx5dv_devx_obj_query(struct mlx5dv_devx_obj *obj, const void *in,
			  size_t inlen, void *out, size_t outlen);
int mlx5dv_devx_obj_modify(struct mlx5dv_devx_obj *obj, const void *in,
			   size_t inlen, void *out, size_t outlen);
int mlx5dv_devx_obj_destroy(struct mlx5dv_devx_obj *obj);

/* Query and modify commands on objects that the verbs made. */
int mlx5dv_devx_cq_query(struct ibv_cq *cq, const void *in, size_t inlen,
			 void *out, size_t outlen);
int mlx5dv_devx_cq_modify(struct ibv_cq *cq, const void *in, size_t inlen,
			  void *out, size_t outlen);
int mlx5dv_devx_qp_query(struct ibv_qp *qp, const void *in, size_t inlen,
			 void *out, size_t outlen);
int mlx5dv_devx_qp_modify(struct ibv_qp *qp, const void *in, size_t inlen,
			  void *out, size_t outlen);
int mlx5dv_devx_srq_query(struct ibv_srq *srq, const void *in, size_t inlen,
			  void *out, size_t outlen);
int mlx5dv_devx_srq_modify(struct ibv_srq *srq, const void *in, size_t inlen,
			   void *out, size_t outlen);
int mlx5dv_devx_wq_query(struct ibv_wq *wq, const void *in, size_t inlen,
			 void *out, size_t outlen);
int mlx5dv_devx_wq_modify(struct ibv_wq *wq, const void *in, size_t inlen,
			  void *out, size_t outlen);
int mlx5dv_devx_ind_tbl_query(struct ibv_rwq_ind_table *ind_tbl,
			      const void *in, size_t inlen, void *out,
			      size_t outlen);
int mlx5dv_devx_ind_tbl_modify(struct ibv_rwq_ind_table *ind_tbl,
			       const void *in, size_t inlen, void *out,
			       size_t outlen);

/* Event queue number of a completion vector. */
int mlx5dv_devx_query_eqn(struct ibv_context *context, uint32_t vector,
			  uint32_t *eqn);

/* ---- asynchronous queries -------------------------------------------- */

struct mlx5dv_devx_cmd_comp {
	int fd;			/* readable when an answer waits */
};

struct mlx5dv_devx_cmd_comp *
mlx5dv_devx_create_cmd_comp(struct ibv_context *context);

void mlx5dv_devx_destroy_cmd_comp(struct mlx5dv_devx_cmd_comp *cmd_comp);

/* Start a query; outlen bytes of answer come with wr_id on cmd_comp. */
int mlx5dv_devx_obj_query_async(struct mlx5dv_devx_obj *obj, const void *in,
				size_t inlen, size_t outlen, uint64_t wr_id,
				struct mlx5dv_devx_cmd_comp *cmd_comp);

/* Read one answer. The device's status is inside cmd_resp->out_data. */
int mlx5dv_devx_get_async_cmd_comp(struct mlx5dv_devx_cmd_comp *cmd_comp,
				   struct mlx5dv_devx_async_cmd_hdr *cmd_resp,
				   size_t cmd_resp_len);

/* ---- events ---------------------------------------------------------- */

struct mlx5dv_devx_event_channel {
	int fd;			/* readable when an event waits */
};

struct mlx5dv_devx_event_channel *
mlx5dv_devx_create_event_channel(struct ibv_context *context,
				 enum mlx5dv_devx_create_event_channel_flags flags);

void mlx5dv_devx_destroy_event_channel(
	struct mlx5dv_devx_event_channel *event_channel);

/*
 * Queue events on the channel. events_sz is the size of events_num in bytes;
 * obj is NULL for events that belong to no object. All or none are taken.
 */
int mlx5dv_devx_subscribe_devx_event(
	struct mlx5dv_devx_event_channel *event_channel,
	struct mlx5dv_devx_obj *obj, uint16_t events_sz,
	uint16_t events_num[], uint64_t cookie);

/* Signal an eventfd instead; the channel must stay open. */
int mlx5dv_devx_subscribe_devx_event_fd(
	struct mlx5dv_devx_event_channel *event_channel, int fd,
	struct mlx5dv_devx_obj *obj, uint16_t event_num);

/* Read one event: the number of bytes, or -1 with errno. */
ssize_t mlx5dv_devx_get_event(struct mlx5dv_devx_event_channel *event_channel,
			      struct mlx5dv_devx_async_event_hdr *event_data,
			      size_t event_resp_len);

/* ---- user memory ----------------------------------------------------- */

struct mlx5dv_devx_umem {
	uint32_t umem_id;
};

enum mlx5dv_devx_umem_in_mask {
	/* dmabuf_fd is given, and addr is an offset into that buffer. */
	MLX5DV_UMEM_MASK_DMABUF			= 1 << 0,
};

struct mlx5dv_devx_umem_in {
	void *addr;
	size_t size;		/* bytes */
	uint32_t access;	/* enum ibv_access_flags */
	uint64_t pgsz_bitmap;	/* page sizes the device may use, bit per log2 */
	uint64_t comp_mask;	/* enum mlx5dv_devx_umem_in_mask */
	int dmabuf_fd;
};

struct mlx5dv_devx_umem *mlx5dv_devx_umem_reg(struct ibv_context *ctx,
					      void *addr, size_t size,
					      uint32_t access);

struct mlx5dv_devx_umem *
mlx5dv_devx_umem_reg_ex(struct ibv_context *ctx,
			struct mlx5dv_devx_umem_in *umem_in);

int mlx5dv_devx_umem_dereg(struct mlx5dv_devx_umem *umem);

/* ---- user access regions, VAR, packet pacing ------------------------- */

struct mlx5dv_devx_uar {
	void *reg_addr;		/* the doorbell register */
	void *base_addr;	/* start of its page */
	uint32_t page_id;	/* number in device contexts */
	off_t mmap_off;
	uint64_t comp_mask;
};

/* flags: MLX5DV_UAR_ALLOC_TYPE_*. NC gives all callers the same one. */
struct mlx5dv_devx_uar *mlx5dv_devx_alloc_uar(struct ibv_context *context,
					      uint32_t flags);

void mlx5dv_devx_free_uar(struct mlx5dv_devx_uar *devx_uar);

/* A dma-buf of the page: its fd, which the caller closes, or -1 with errno. */
int mlx5dv_devx_uar_export_dmabuf_fd(struct mlx5dv_devx_uar *devx_uar);

struct mlx5dv_var {
	uint32_t page_id;
	uint32_t length;	/* to mmap from the context's cmd_fd, ... */
	off_t mmap_off;		/* ... at this offset */
	uint64_t comp_mask;
};

/* flags: MLX5DV_VAR_ALLOC_FLAG_*. */
struct mlx5dv_var *mlx5dv_alloc_var(struct ibv_context *context,
				    uint32_t flags);

void mlx5dv_free_var(struct mlx5dv_var *dv_var);

struct mlx5dv_pp {
	uint16_t index;		/* packet pacing index for device contexts */
};

/* pp_context: a device rate-limit context. flags: MLX5DV_PP_ALLOC_FLAGS_*. */
struct mlx5dv_pp *mlx5dv_pp_alloc(struct ibv_context *context,
				  size_t pp_context_sz, const void *pp_context,
				  uint32_t flags);

void mlx5dv_pp_free(struct mlx5dv_pp *pp);

/* ---- export and import ----------------------------------------------- */

/*
 * A process that shares the context's file (ibv_import_device) can take over
 * handles from blobs. unimport drops the local handle only.
 */

struct mlx5dv_export_sizes {
	uint32_t var_attrs_size;
	uint32_t devx_umem_attrs_size;
	uint32_t devx_obj_attrs_size;
};

void _mlx5dv_get_export_sizes(struct mlx5dv_export_sizes *sizes,
			      size_t sizes_len);

/* How many bytes the blobs below have. */
static inline void mlx5dv_get_export_sizes(struct mlx5dv_export_sizes *sizes)
{
	_mlx5dv_get_export_sizes(sizes, sizeof(*sizes));
}

int mlx5dv_var_export(struct mlx5dv_var *dv_var, void *data);
struct mlx5dv_var *mlx5dv_var_import(struct ibv_context *context, void *data);
void mlx5dv_var_unimport(struct mlx5dv_var *dv_var);

int mlx5dv_devx_umem_export(struct mlx5dv_devx_umem *umem, void *data);
struct mlx5dv_devx_umem *mlx5dv_devx_umem_import(struct ibv_context *context,
						 void *data);
void mlx5dv_devx_umem_unimport(struct mlx5dv_devx_umem *umem);

int mlx5dv_devx_obj_export(struct mlx5dv_devx_obj *obj, void *data);
struct mlx5dv_devx_obj *mlx5dv_devx_obj_import(struct ibv_context *context,
					       void *data);
void mlx5dv_devx_obj_unimport(struct mlx5dv_devx_obj *obj);

/* ====================================================================== */
/* Flows, through the kernel                                              */
/* ====================================================================== */

struct mlx5dv_flow_match_parameters {
	size_t match_sz;	/* bytes */
	__extension__ uint64_t match_buf[];	/* device layout (fte_match_param) */
};

enum mlx5dv_flow_matcher_attr_mask {
	MLX5DV_FLOW_MATCHER_MASK_FT_TYPE	= 1 << 0,
	MLX5DV_FLOW_MATCHER_MASK_IB_PORT	= 1 << 1,
};

struct mlx5dv_flow_matcher_attr {
	enum ibv_flow_attr_type type;	/* IBV_FLOW_ATTR_NORMAL */
	uint32_t flags;			/* enum ibv_flow_flags; 0 or EGRESS */
	uint16_t priority;
	uint8_t match_criteria_enable;	/* parts of the mask, bit per part */
	struct mlx5dv_flow_match_parameters *match_mask;
	uint64_t comp_mask;		/* enum mlx5dv_flow_matcher_attr_mask */
	enum mlx5dv_flow_table_type ft_type;
	uint32_t ib_port;		/* for the RDMA_TRANSPORT types */
};

struct mlx5dv_flow_matcher;

struct mlx5dv_flow_matcher *
mlx5dv_create_flow_matcher(struct ibv_context *context,
			   struct mlx5dv_flow_matcher_attr *matcher_attr);

/* EBUSY while flows use it. */
int mlx5dv_destroy_flow_matcher(struct mlx5dv_flow_matcher *matcher);

enum mlx5dv_flow_action_type {
	MLX5DV_FLOW_ACTION_DEST_IBV_QP		= 0,
	MLX5DV_FLOW_ACTION_DROP			= 1,
	MLX5DV_FLOW_ACTION_IBV_COUNTER		= 2,
	MLX5DV_FLOW_ACTION_IBV_FLOW_ACTION	= 3,
	MLX5DV_FLOW_ACTION_TAG			= 4,
	MLX5DV_FLOW_ACTION_DEST_DEVX		= 5,
	MLX5DV_FLOW_ACTION_COUNTERS_DEVX	= 6,
	MLX5DV_FLOW_ACTION_DEFAULT_MISS		= 7,
	MLX5DV_FLOW_ACTION_COUNTERS_DEVX_WITH_OFFSET = 8,
};

/*
 * One action. Arrays of it are passed, and it was smaller in earlier releases:
 * see mlx5dv_create_flow.
 */
struct mlx5dv_flow_action_attr {
	enum mlx5dv_flow_action_type type;
	union {
		struct ibv_qp *qp;
		struct ibv_counters *counter;
		struct ibv_flow_action *action;
		uint32_t tag_value;
		struct mlx5dv_devx_obj *obj;
		struct {
			struct mlx5dv_devx_obj *obj;
			uint32_t offset;	/* counter within the bulk */
		} bulk_obj;
	};
};

struct ibv_flow *
__mlx5dv_create_flow(struct mlx5dv_flow_matcher *matcher,
		     struct mlx5dv_flow_match_parameters *match_value,
		     size_t num_actions,
		     struct mlx5dv_flow_action_attr actions_attr[],
		     size_t attr_len);

static inline struct ibv_flow *
_mlx5dv_create_flow(struct mlx5dv_flow_matcher *matcher,
		    struct mlx5dv_flow_match_parameters *match_value,
		    size_t num_actions,
		    struct mlx5dv_flow_action_attr actions_attr[])
{
	return __mlx5dv_create_flow(matcher, match_value, num_actions,
				    actions_attr,
				    sizeof(struct mlx5dv_flow_action_attr));
}

/*
 * Add a flow; remove it with ibv_destroy_flow. A macro, because the exported
 * function of this name serves programs built when an action had 16 bytes:
 * what is compiled now tells the library the size it was compiled with.
 */
#define mlx5dv_create_flow(matcher, match_value, num_actions, actions_attr) \
	_mlx5dv_create_flow(matcher, match_value, num_actions, actions_attr)

/* ---- flow actions; release with ibv_destroy_flow_action -------------- */

enum mlx5dv_flow_action_esp_mask {
	MLX5DV_FLOW_ACTION_ESP_MASK_FLAGS	= 1 << 0,
};

struct mlx5dv_flow_action_esp {
	uint64_t comp_mask;	/* enum mlx5dv_flow_action_esp_mask */
	uint32_t action_flags;	/* enum mlx5dv_flow_action_flags */
};

struct ibv_flow_action *
mlx5dv_create_flow_action_esp(struct ibv_context *ctx,
			      struct ibv_flow_action_esp_attr *esp,
			      struct mlx5dv_flow_action_esp *mlx5_attr);

/* actions: device header-rewrite actions, actions_sz bytes of them. */
struct ibv_flow_action *
mlx5dv_create_flow_action_modify_header(struct ibv_context *ctx,
					size_t actions_sz, uint64_t actions[],
					enum mlx5dv_flow_table_type ft_type);

/* data: the header to push, if the type pushes one. */
struct ibv_flow_action *mlx5dv_create_flow_action_packet_reformat(
	struct ibv_context *ctx, size_t data_sz, void *data,
	enum mlx5dv_flow_action_packet_reformat_type reformat_type,
	enum mlx5dv_flow_table_type ft_type);

/* ---- steering anchors ------------------------------------------------ */

struct mlx5dv_steering_anchor_attr {
	enum mlx5dv_flow_table_type ft_type;
	uint16_t priority;
	uint64_t comp_mask;	/* 0 */
};

struct mlx5dv_steering_anchor {
	uint32_t id;		/* flow table that DEVX rules may jump to */
};

struct mlx5dv_steering_anchor *
mlx5dv_create_steering_anchor(struct ibv_context *context,
			      struct mlx5dv_steering_anchor_attr *attr);

int mlx5dv_destroy_steering_anchor(struct mlx5dv_steering_anchor *sa);

/* ====================================================================== */
/* Software steering                                                      */
/* ====================================================================== */

/*
 * A domain holds tables, a table matchers, a matcher rules, a rule actions.
 * Each is destroyed after what it holds; EBUSY otherwise.
 */
struct mlx5dv_dr_domain;
struct mlx5dv_dr_table;
struct mlx5dv_dr_matcher;
struct mlx5dv_dr_rule;
struct mlx5dv_dr_action;

enum mlx5dv_dr_domain_type {
	MLX5DV_DR_DOMAIN_TYPE_NIC_RX		= 0,
	MLX5DV_DR_DOMAIN_TYPE_NIC_TX		= 1,
	MLX5DV_DR_DOMAIN_TYPE_FDB		= 2,
};

/* What mlx5dv_dr_domain_sync waits for. */
enum mlx5dv_dr_domain_sync_flags {
	/* written rules are in the device's memory */
	MLX5DV_DR_DOMAIN_SYNC_FLAGS_SW		= 1 << 0,
	/* packets no longer see what was removed */
	MLX5DV_DR_DOMAIN_SYNC_FLAGS_HW		= 1 << 1,
	/* freed steering memory is given back */
	MLX5DV_DR_DOMAIN_SYNC_FLAGS_MEM		= 1 << 2,
};

/* Flags of actions that work in both kinds of tables. */
enum mlx5dv_dr_action_flags {
	/* for a root table, i.e. through the kernel */
	MLX5DV_DR_ACTION_FLAGS_ROOT_LEVEL	= 1 << 0,
};

struct mlx5dv_dr_domain *
mlx5dv_dr_domain_create(struct ibv_context *ctx,
			enum mlx5dv_dr_domain_type type);
int mlx5dv_dr_domain_destroy(struct mlx5dv_dr_domain *domain);
int mlx5dv_dr_domain_sync(struct mlx5dv_dr_domain *domain, uint32_t flags);

/* Give unused steering memory back at once. Off at first. */
void mlx5dv_dr_domain_set_reclaim_device_memory(struct mlx5dv_dr_domain *dmn,
						bool enable);

/* Accept a rule that equals an existing one. On at first. */
void mlx5dv_dr_domain_allow_duplicate_rules(struct mlx5dv_dr_domain *domain,
					    bool allow);

/* Level 0 is the root table. */
struct mlx5dv_dr_table *mlx5dv_dr_table_create(struct mlx5dv_dr_domain *domain,
					       uint32_t level);
int mlx5dv_dr_table_destroy(struct mlx5dv_dr_table *table);

struct mlx5dv_dr_matcher *
mlx5dv_dr_matcher_create(struct mlx5dv_dr_table *table, uint16_t priority,
			 uint8_t match_criteria_enable,
			 struct mlx5dv_flow_match_parameters *mask);
int mlx5dv_dr_matcher_destroy(struct mlx5dv_dr_matcher *matcher);

enum mlx5dv_dr_matcher_layout_flags {
	MLX5DV_DR_MATCHER_LAYOUT_RESIZABLE	= 1 << 0,
	/* log_num_of_rules_hint is given */
	MLX5DV_DR_MATCHER_LAYOUT_NUM_RULE	= 1 << 1,
};

struct mlx5dv_dr_matcher_layout {
	uint32_t flags;		/* enum mlx5dv_dr_matcher_layout_flags */
	uint32_t log_num_of_rules_hint;
};

/* Before the first rule. errno is set as well. */
int mlx5dv_dr_matcher_set_layout(struct mlx5dv_dr_matcher *matcher,
				 struct mlx5dv_dr_matcher_layout *layout);

struct mlx5dv_dr_rule *
mlx5dv_dr_rule_create(struct mlx5dv_dr_matcher *matcher,
		      struct mlx5dv_flow_match_parameters *value,
		      size_t num_actions, struct mlx5dv_dr_action *actions[]);
int mlx5dv_dr_rule_destroy(struct mlx5dv_dr_rule *rule);

/* ---- steering actions ------------------------------------------------ */

int mlx5dv_dr_action_destroy(struct mlx5dv_dr_action *action);

struct mlx5dv_dr_action *mlx5dv_dr_action_create_drop(void);
struct mlx5dv_dr_action *mlx5dv_dr_action_create_default_miss(void);
struct mlx5dv_dr_action *mlx5dv_dr_action_create_tag(uint32_t tag_value);

/* Destinations. */
struct mlx5dv_dr_action *
mlx5dv_dr_action_create_dest_ibv_qp(struct ibv_qp *ibqp);
struct mlx5dv_dr_action *
mlx5dv_dr_action_create_dest_devx_tir(struct mlx5dv_devx_obj *devx_obj);
struct mlx5dv_dr_action *
mlx5dv_dr_action_create_dest_table(struct mlx5dv_dr_table *table);
struct mlx5dv_dr_action *
mlx5dv_dr_action_create_dest_root_table(struct mlx5dv_dr_table *table,
					uint16_t priority);
struct mlx5dv_dr_action *
mlx5dv_dr_action_create_dest_vport(struct mlx5dv_dr_domain *domain,
				   uint32_t vport);
struct mlx5dv_dr_action *
mlx5dv_dr_action_create_dest_ib_port(struct mlx5dv_dr_domain *domain,
				     uint32_t ib_port);

enum mlx5dv_dr_action_dest_type {
	MLX5DV_DR_ACTION_DEST			= 0,
	MLX5DV_DR_ACTION_DEST_REFORMAT		= 1,
};

struct mlx5dv_dr_action_dest_reformat {
	struct mlx5dv_dr_action *reformat;
	struct mlx5dv_dr_action *dest;
};

struct mlx5dv_dr_action_dest_attr {
	enum mlx5dv_dr_action_dest_type type;
	union {
		struct mlx5dv_dr_action *dest;
		struct mlx5dv_dr_action_dest_reformat *dest_reformat;
	};
};

/* A copy of the packet to each of at least two destinations. */
struct mlx5dv_dr_action *
mlx5dv_dr_action_create_dest_array(struct mlx5dv_dr_domain *domain,
				   size_t num_dest,
				   struct mlx5dv_dr_action_dest_attr *dests[]);

/* Packet changes. flags: enum mlx5dv_dr_action_flags. */
struct mlx5dv_dr_action *mlx5dv_dr_action_create_packet_reformat(
	struct mlx5dv_dr_domain *domain, uint32_t flags,
	enum mlx5dv_flow_action_packet_reformat_type reformat_type,
	size_t data_sz, void *data);
struct mlx5dv_dr_action *
mlx5dv_dr_action_create_modify_header(struct mlx5dv_dr_domain *domain,
				      uint32_t flags, size_t actions_sz,
				      __be64 actions[]);
struct mlx5dv_dr_action *mlx5dv_dr_action_create_pop_vlan(void);
/* vlan_hdr: ethertype 0x8100 or 0x88a8, then the tag. */
struct mlx5dv_dr_action *
mlx5dv_dr_action_create_push_vlan(struct mlx5dv_dr_domain *domain,
				  __be32 vlan_hdr);

/* Counting, metering, sampling. */
struct mlx5dv_dr_action *
mlx5dv_dr_action_create_flow_counter(struct mlx5dv_devx_obj *devx_obj,
				     uint32_t offset);

struct mlx5dv_dr_flow_meter_attr {
	struct mlx5dv_dr_table *next_table;
	uint8_t active;
	uint8_t reg_c_index;		/* register that receives the colour */
	size_t flow_meter_parameter_sz;	/* bytes */
	void *flow_meter_parameter;	/* device layout */
};

struct mlx5dv_dr_action *
mlx5dv_dr_action_create_flow_meter(struct mlx5dv_dr_flow_meter_attr *attr);
int mlx5dv_dr_action_modify_flow_meter(struct mlx5dv_dr_action *action,
				       struct mlx5dv_dr_flow_meter_attr *attr,
				       __be64 modify_field_select);

struct mlx5dv_dr_flow_sampler_attr {
	uint32_t sample_ratio;		/* one packet in so many */
	struct mlx5dv_dr_table *default_next_table;
	uint32_t num_sample_actions;
	struct mlx5dv_dr_action **sample_actions;
	__be64 action;			/* FDB: set-register action to restore */
};

struct mlx5dv_dr_action *
mlx5dv_dr_action_create_flow_sampler(struct mlx5dv_dr_flow_sampler_attr *attr);

/* Advanced steering objects: flags depend on the object's kind. */
enum mlx5dv_dr_action_aso_first_hit_flags {
	MLX5DV_DR_ACTION_FLAGS_ASO_FIRST_HIT_SET	= 1 << 0,
};

/* The colour before the meter: exactly one. */
enum mlx5dv_dr_action_aso_flow_meter_flags {
	MLX5DV_DR_ACTION_FLAGS_ASO_FLOW_METER_RED	= 1 << 0,
	MLX5DV_DR_ACTION_FLAGS_ASO_FLOW_METER_YELLOW	= 1 << 1,
	MLX5DV_DR_ACTION_FLAGS_ASO_FLOW_METER_GREEN	= 1 << 2,
	MLX5DV_DR_ACTION_FLAGS_ASO_FLOW_METER_UNDEFINED	= 1 << 3,
};

enum mlx5dv_dr_action_aso_ct_flags {
	MLX5DV_DR_ACTION_FLAGS_ASO_CT_DIRECTION_INITIATOR = 1 << 0,
	MLX5DV_DR_ACTION_FLAGS_ASO_CT_DIRECTION_RESPONDER = 1 << 1,
};

struct mlx5dv_dr_action *
mlx5dv_dr_action_create_aso(struct mlx5dv_dr_domain *domain,
			    struct mlx5dv_devx_obj *devx_obj, uint32_t offset,
			    uint32_t flags, uint8_t return_reg_c);
int mlx5dv_dr_action_modify_aso(struct mlx5dv_dr_action *action,
				uint32_t offset, uint32_t flags,
				uint8_t return_reg_c);

/* Share connection tracking with a peer domain. errno is set as well. */
int mlx5dv_dr_aso_other_domain_link(struct mlx5dv_devx_obj *devx_obj,
				    struct mlx5dv_dr_domain *peer_dmn,
				    struct mlx5dv_dr_domain *dmn,
				    uint32_t flags, uint8_t return_reg_c);
int mlx5dv_dr_aso_other_domain_unlink(struct mlx5dv_devx_obj *devx_obj,
				      struct mlx5dv_dr_domain *dmn);

/* State as text for debugging tools: 0, or a negative value. */
int mlx5dv_dump_dr_domain(FILE *fout, struct mlx5dv_dr_domain *domain);
int mlx5dv_dump_dr_table(FILE *fout, struct mlx5dv_dr_table *table);
int mlx5dv_dump_dr_matcher(FILE *fout, struct mlx5dv_dr_matcher *matcher);
int mlx5dv_dump_dr_rule(FILE *fout, struct mlx5dv_dr_rule *rule);

/* ====================================================================== */
/* Scheduling and other knobs of a QP                                     */
/* ====================================================================== */

enum mlx5dv_sched_elem_attr_flags {
	MLX5DV_SCHED_ELEM_ATTR_FLAGS_BW_SHARE	= 1 << 0,
	MLX5DV_SCHED_ELEM_ATTR_FLAGS_MAX_AVG_BW	= 1 << 1,
};

struct mlx5dv_sched_node;
struct mlx5dv_sched_leaf;

struct mlx5dv_sched_attr {
	struct mlx5dv_sched_node *parent;	/* NULL: a root node */
	uint32_t flags;			/* enum mlx5dv_sched_elem_attr_flags */
	uint32_t bw_share;		/* relative to the siblings */
	uint32_t max_avg_bw;		/* Mbit/s; 0: no limit */
	uint64_t comp_mask;		/* 0 */
};

struct mlx5dv_sched_node *
mlx5dv_sched_node_create(struct ibv_context *context,
			 const struct mlx5dv_sched_attr *sched_attr);
int mlx5dv_sched_node_modify(struct mlx5dv_sched_node *node,
			     const struct mlx5dv_sched_attr *sched_attr);
int mlx5dv_sched_node_destroy(struct mlx5dv_sched_node *node);

struct mlx5dv_sched_leaf *
mlx5dv_sched_leaf_create(struct ibv_context *context,
			 const struct mlx5dv_sched_attr *sched_attr);
int mlx5dv_sched_leaf_modify(struct mlx5dv_sched_leaf *leaf,
			     const struct mlx5dv_sched_attr *sched_attr);
int mlx5dv_sched_leaf_destroy(struct mlx5dv_sched_leaf *leaf);

/* Attach a QP to leaves; NULL detaches. */
int mlx5dv_modify_qp_sched_elem(struct ibv_qp *qp,
				const struct mlx5dv_sched_leaf *requestor,
				const struct mlx5dv_sched_leaf *responder);

/* Port of a link aggregation group: configured, and in use now. */
int mlx5dv_query_qp_lag_port(struct ibv_qp *qp, uint8_t *port_num,
			     uint8_t *active_port_num);
int mlx5dv_modify_qp_lag_port(struct ibv_qp *qp, uint8_t port_num);

/* UDP source port of a RoCE v2 QP in RTS. */
int mlx5dv_modify_qp_udp_sport(struct ibv_qp *qp, uint16_t udp_sport);

/* Bring a DCI stream out of error. */
int mlx5dv_dci_stream_id_reset(struct ibv_qp *qp, uint16_t stream_id);

/* QP numbers kept free for the user's own purposes. */
int mlx5dv_reserved_qpn_alloc(struct ibv_context *ctx, uint32_t *qpn);
int mlx5dv_reserved_qpn_dealloc(struct ibv_context *ctx, uint32_t qpn);

/* Tell the device which remote QP an address handle leads to. */
int mlx5dv_map_ah_to_qp(struct ibv_ah *ah, uint32_t qp_num);

/* ====================================================================== */
/* VFIO: a PCI function driven without the kernel's mlx5 driver           */
/* ====================================================================== */

enum mlx5dv_vfio_context_attr_flags {
	MLX5DV_VFIO_CTX_FLAGS_INIT_LINK_DOWN	= 1 << 0,
};

struct mlx5dv_vfio_context_attr {
	const char *pci_name;	/* domain:bus:device.function */
	uint32_t flags;		/* enum mlx5dv_vfio_context_attr_flags */
	uint64_t comp_mask;	/* 0 */
};

/* A NULL-terminated list of one; free with ibv_free_device_list. */
struct ibv_device **
mlx5dv_get_vfio_device_list(struct mlx5dv_vfio_context_attr *attr);

/* To poll; then let the second handle what came. VFIO contexts only. */
int mlx5dv_vfio_get_events_fd(struct ibv_context *ibctx);
int mlx5dv_vfio_process_events(struct ibv_context *context);

struct mlx5dv_devx_msi_vector {
	int vector;
	int fd;			/* eventfd of the vector */
};

struct mlx5dv_devx_msi_vector *
mlx5dv_devx_alloc_msi_vector(struct ibv_context *ibctx);
int mlx5dv_devx_free_msi_vector(struct mlx5dv_devx_msi_vector *msi);

struct mlx5dv_devx_eq {
	void *vaddr;		/* the event queue's buffer */
};

struct mlx5dv_devx_eq *mlx5dv_devx_create_eq(struct ibv_context *ibctx,
					     const void *in, size_t inlen,
					     void *out, size_t outlen);
int mlx5dv_devx_destroy_eq(struct mlx5dv_devx_eq *eq);

/* ====================================================================== */
/* Wire formats: what the device reads and writes in memory               */
/* ====================================================================== */

/* Multi-byte members are big-endian unless their comment says otherwise. */

enum {
	MLX5_RCV_DBR		= 0,	/* words of a QP's doorbell record */
	MLX5_SND_DBR		= 1,
};

/* Command part of an mmap offset on the context's cmd_fd: (command << 8 | page) pages. */
enum {
	MLX5_MMAP_GET_REGULAR_PAGES_CMD	= 0,
	MLX5_MMAP_GET_NC_PAGES_CMD	= 3,
};

/* ---- completions ----------------------------------------------------- */

enum {
	MLX5_CQ_DOORBELL	= 0x20,	/* offset in the CQ's UAR page */
};

/* Arm word: for any completion, or for solicited ones and errors only. */
enum {
	MLX5_CQ_DB_REQ_NOT_SOL	= 1 << 24,
	MLX5_CQ_DB_REQ_NOT	= 0 << 24,
};

/* Bit 0 of op_own, and the opcodes in bits 7 to 4. */
enum {
	MLX5_CQE_OWNER_MASK	= 1,
	MLX5_CQE_REQ		= 0,
	MLX5_CQE_RESP_WR_IMM	= 1,
	MLX5_CQE_RESP_SEND	= 2,
	MLX5_CQE_RESP_SEND_IMM	= 3,
	MLX5_CQE_RESP_SEND_INV	= 4,
	MLX5_CQE_RESIZE_CQ	= 5,
	MLX5_CQE_NO_PACKET	= 6,
	MLX5_CQE_SIG_ERR	= 12,
	MLX5_CQE_REQ_ERR	= 13,
	MLX5_CQE_RESP_ERR	= 14,
	MLX5_CQE_INVALID	= 15,
};

/* Format bits of op_own: payload inside the entry, up to 32 or 64 bytes. */
enum {
	MLX5_INLINE_SCATTER_32	= 0x4,
	MLX5_INLINE_SCATTER_64	= 0x8,
};

/* mlx5_err_cqe.syndrome */
enum {
	MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR		= 0x01,
	MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR		= 0x02,
	MLX5_CQE_SYNDROME_LOCAL_PROT_ERR		= 0x04,
	MLX5_CQE_SYNDROME_WR_FLUSH_ERR			= 0x05,
	MLX5_CQE_SYNDROME_MW_BIND_ERR			= 0x06,
	MLX5_CQE_SYNDROME_BAD_RESP_ERR			= 0x10,
	MLX5_CQE_SYNDROME_LOCAL_ACCESS_ERR		= 0x11,
	MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR		= 0x12,
	MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR		= 0x13,
	MLX5_CQE_SYNDROME_REMOTE_OP_ERR			= 0x14,
	MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR	= 0x15,
	MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR		= 0x16,
	MLX5_CQE_SYNDROME_REMOTE_ABORTED_ERR		= 0x22,
};

/* mlx5_err_cqe.vendor_err_synd */
enum {
	MLX5_CQE_VENDOR_SYNDROME_ODP_PFAULT		= 0x93,
};

/* mlx5_cqe64.hds_ip_ext: checks that passed. */
enum {
	MLX5_CQE_L2_OK		= 1 << 0,
	MLX5_CQE_L3_OK		= 1 << 1,
	MLX5_CQE_L4_OK		= 1 << 2,
};

/* Bits 3 to 2 of mlx5_cqe64.l4_hdr_type_etc. */
enum {
	MLX5_CQE_L3_HDR_TYPE_NONE	= 0x0,
	MLX5_CQE_L3_HDR_TYPE_IPV6	= 0x1,
	MLX5_CQE_L3_HDR_TYPE_IPV4	= 0x2,
};

/* mlx5_tm_cqe.success */
enum {
	MLX5_TMC_SUCCESS	= 0x80000000U,
};

/* Start of a completion of a tag matching list operation. */
struct mlx5_tm_cqe {
	__be32 success;
	__be16 hw_phase_cnt;
	uint8_t rsvd0[12];
};

/* A completion; the second half of a 128-byte one. */
struct mlx5_cqe64 {
	union {
		__extension__ struct {
			uint8_t rsvd0[2];
			__be16 wqe_id;
			uint8_t rsvd4[13];
			uint8_t ml_path;
			uint8_t rsvd20[4];
			__be16 slid;
			__be32 flags_rqpn;
			uint8_t hds_ip_ext;
			uint8_t l4_hdr_type_etc;
			__be16 vlan_info;
		};
		struct mlx5_tm_cqe tm_cqe;
		struct ibv_tmh tmh;
	};
	__be32 srqn_uidx;
	__be32 imm_inval_pkey;
	uint8_t app;
	uint8_t app_op;
	__be16 app_info;
	__be32 byte_cnt;
	__be64 timestamp;
	__be32 sop_drop_qpn;
	__be16 wqe_counter;
	uint8_t signature;
	uint8_t op_own;
};

/* A completion with an error opcode. Its integers too are big-endian. */
struct mlx5_err_cqe {
	uint8_t rsvd0[32];
	uint32_t srqn;
	uint8_t rsvd1[18];
	uint8_t vendor_err_synd;
	uint8_t syndrome;
	uint32_t s_wqe_opcode_qpn;
	uint16_t wqe_counter;
	uint8_t signature;
	uint8_t op_own;
};

static MLX5DV_ALWAYS_INLINE uint8_t mlx5dv_get_cqe_owner(struct mlx5_cqe64 *cqe)
{
	return cqe->op_own & MLX5_CQE_OWNER_MASK;
}

static MLX5DV_ALWAYS_INLINE void mlx5dv_set_cqe_owner(struct mlx5_cqe64 *cqe,
						      uint8_t val)
{
	cqe->op_own = (uint8_t)((cqe->op_own & ~MLX5_CQE_OWNER_MASK) |
				(val & MLX5_CQE_OWNER_MASK));
}

/* Solicited event. */
static MLX5DV_ALWAYS_INLINE uint8_t mlx5dv_get_cqe_se(struct mlx5_cqe64 *cqe)
{
	return (cqe->op_own >> 1) & 0x1;
}

static MLX5DV_ALWAYS_INLINE uint8_t mlx5dv_get_cqe_format(struct mlx5_cqe64 *cqe)
{
	return (cqe->op_own >> 2) & 0x3;
}

static MLX5DV_ALWAYS_INLINE uint8_t mlx5dv_get_cqe_opcode(struct mlx5_cqe64 *cqe)
{
	return cqe->op_own >> 4;
}

/* ---- work requests --------------------------------------------------- */

enum {
	MLX5_SEND_WQE_BB	= 64,	/* send queue unit, bytes; and its log2 */
	MLX5_SEND_WQE_SHIFT	= 6,
};

/* Low byte of mlx5_wqe_ctrl_seg.opmod_idx_opcode. */
enum {
	MLX5_OPCODE_NOP			= 0x00,
	MLX5_OPCODE_SEND_INVAL		= 0x01,
	MLX5_OPCODE_RDMA_WRITE		= 0x08,
	MLX5_OPCODE_RDMA_WRITE_IMM	= 0x09,
	MLX5_OPCODE_SEND		= 0x0a,
	MLX5_OPCODE_SEND_IMM		= 0x0b,
	MLX5_OPCODE_TSO			= 0x0e,
	MLX5_OPCODE_RDMA_READ		= 0x10,
	MLX5_OPCODE_ATOMIC_CS		= 0x11,
	MLX5_OPCODE_ATOMIC_FA		= 0x12,
	MLX5_OPCODE_ATOMIC_MASKED_CS	= 0x14,
	MLX5_OPCODE_ATOMIC_MASKED_FA	= 0x15,
	MLX5_OPCODE_FMR			= 0x19,
	MLX5_OPCODE_LOCAL_INVAL		= 0x1b,
	MLX5_OPCODE_CONFIG_CMD		= 0x1f,
	MLX5_OPCODE_SET_PSV		= 0x20,
	MLX5_OPCODE_UMR			= 0x25,
	MLX5_OPCODE_TAG_MATCHING	= 0x28,
	MLX5_OPCODE_FLOW_TBL_ACCESS	= 0x2c,
	MLX5_OPCODE_MMO			= 0x2f,
};

/* mlx5_wqe_ctrl_seg.fm_ce_se */
enum {
	MLX5_WQE_CTRL_CQ_UPDATE			= 2 << 2,
	MLX5_WQE_CTRL_SOLICITED			= 1 << 1,
	MLX5_WQE_CTRL_FENCE			= 4 << 5,
	MLX5_WQE_CTRL_INITIATOR_SMALL_FENCE	= 1 << 5,
};

/* First segment of every send request. */
struct mlx5_wqe_ctrl_seg {
	__be32 opmod_idx_opcode;
	__be32 qpn_ds;
	uint8_t signature;
	__be16 dci_stream_channel_id;	/* at an odd offset, hence packed */
	uint8_t fm_ce_se;
	__be32 imm;
} __attribute__((packed, aligned(4)));

/* Key of an entry that ends a list of data segments. */
enum {
	MLX5_INVALID_LKEY	= 0x100,
};

struct mlx5_wqe_data_seg {
	__be32 byte_count;
	__be32 lkey;
	__be64 addr;
};

/* Set in byte_count: the data follows here, it is not pointed to. */
enum {
	MLX5_INLINE_SEG		= 0x80000000U,
};

struct mlx5_wqe_inl_data_seg {
	uint32_t byte_count;	/* big-endian */
};

struct mlx5_wqe_raddr_seg {
	__be64 raddr;
	__be32 rkey;
	__be32 reserved;
};

struct mlx5_wqe_atomic_seg {
	__be64 swap_add;
	__be64 compare;
};

/* Set in dqp_dct: the address vector has its full 48 bytes. */
enum {
	MLX5_EXTENDED_UD_AV	= 0x80000000U,
};

/* Address vector of a datagram or of the dynamically connected transport. */
struct mlx5_wqe_av {
	union {
		struct {
			__be32 qkey;
			__be32 reserved;
		} qkey;
		__be64 dc_key;
	} key;
	__be32 dqp_dct;
	uint8_t stat_rate_sl;
	uint8_t fl_mlid;
	__be16 rlid;
	uint8_t reserved0[4];
	uint8_t rmac[6];
	uint8_t tclass;
	uint8_t hop_limit;
	__be32 grh_gid_fl;
	uint8_t rgid[16];
};

struct mlx5_wqe_datagram_seg {
	struct mlx5_wqe_av av;
};

/* mlx5_wqe_eth_seg.cs_flags: checksums the device fills in. */
enum {
	MLX5_ETH_WQE_L3_CSUM	= 1 << 6,
	MLX5_ETH_WQE_L4_CSUM	= 1 << 7,
};

struct mlx5_wqe_eth_seg {
	__be32 rsvd0;
	uint8_t cs_flags;
	uint8_t rsvd1;
	__be16 mss;
	__be32 rsvd2;
	__be16 inline_hdr_sz;
	uint8_t inline_hdr_start[2];
	uint8_t inline_hdr[16];		/* continues inline_hdr_start */
};

/* Operation on the list of a tag matching SRQ. */
struct mlx5_wqe_tm_seg {
	uint8_t opcode;
	uint8_t flags;
	__be16 index;
	uint8_t rsvd0[2];
	__be16 sw_cnt;
	uint8_t rsvd1[8];
	__be64 append_tag;
	__be64 append_mask;
};

/* First segment of every SRQ entry. */
struct mlx5_wqe_srq_next_seg {
	uint8_t rsvd0[2];
	__be16 next_wqe_index;
	uint8_t signature;
	uint8_t rsvd1[11];
};

/* Entry of a striding receive queue. */
struct mlx5_mprq_wqe {
	struct mlx5_wqe_srq_next_seg nseg;
	struct mlx5_wqe_data_seg dseg;
};

/* ---- UMR: memory key updates ----------------------------------------- */

/* mlx5_wqe_umr_ctrl_seg.flags */
enum {
	MLX5_WQE_UMR_CTRL_FLAG_INLINE			= 1 << 7,
	MLX5_WQE_UMR_CTRL_FLAG_CHECK_FREE		= 1 << 5,
	MLX5_WQE_UMR_CTRL_FLAG_TRNSLATION_OFFSET	= 1 << 4, /* spelled so */
	MLX5_WQE_UMR_CTRL_FLAG_CHECK_QPN		= 1 << 3,
};

/* mlx5_wqe_umr_ctrl_seg.mkey_mask: members of the context to change. */
enum {
	MLX5_WQE_UMR_CTRL_MKEY_MASK_LEN			= 1 << 0,
	MLX5_WQE_UMR_CTRL_MKEY_MASK_START_ADDR		= 1 << 6,
	MLX5_WQE_UMR_CTRL_MKEY_MASK_SIG_ERR		= 1 << 9,
	MLX5_WQE_UMR_CTRL_MKEY_MASK_BSF_ENABLE		= 1 << 12,
	MLX5_WQE_UMR_CTRL_MKEY_MASK_MKEY		= 1 << 13,
	MLX5_WQE_UMR_CTRL_MKEY_MASK_QPN			= 1 << 14,
	MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_LOCAL_WRITE	= 1 << 18,
	MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_REMOTE_READ	= 1 << 19,
	MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_REMOTE_WRITE	= 1 << 20,
	MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_ATOMIC	= 1 << 21,
	MLX5_WQE_UMR_CTRL_MKEY_MASK_FREE		= 1 << 29,
};

struct mlx5_wqe_umr_ctrl_seg {
	uint8_t flags;
	uint8_t rsvd0[3];
	__be16 klm_octowords;		/* in units of 16 bytes */
	union {
		__be16 translation_offset;
		__be16 bsf_octowords;
	};
	__be64 mkey_mask;
	uint8_t rsvd1[32];
};

/* One stretch of memory behind an indirect key. */
struct mlx5_wqe_umr_klm_seg {
	__be32 byte_count;
	__be32 mkey;
	__be64 address;
};

union mlx5_wqe_umr_inline_seg {
	struct mlx5_wqe_umr_klm_seg klm;
};

/* A strided layout: this header, then its entries. */
struct mlx5_wqe_umr_repeat_ent_seg {
	__be16 stride;
	__be16 byte_count;
	__be32 memkey;
	__be64 va;
};

struct mlx5_wqe_umr_repeat_block_seg {
	__be32 byte_count;
	__be32 op;
	__be32 repeat_count;
	__be16 reserved;
	__be16 num_ent;
	__extension__ struct mlx5_wqe_umr_repeat_ent_seg entries[0];
};

/* mlx5_wqe_mkey_context_seg.free */
enum {
	MLX5_WQE_MKEY_CONTEXT_FREE			= 1 << 6,
};

/* mlx5_wqe_mkey_context_seg.access_flags */
enum {
	MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_ATOMIC	= 1 << 6,
	MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_REMOTE_WRITE	= 1 << 5,
	MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_REMOTE_READ	= 1 << 4,
	MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_LOCAL_WRITE	= 1 << 3,
	MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_LOCAL_READ	= 1 << 2,
};

struct mlx5_wqe_mkey_context_seg {
	uint8_t free;
	uint8_t reserved1;
	uint8_t access_flags;
	uint8_t sf;
	__be32 qpn_mkey;
	__be32 reserved2;
	__be32 flags_pd;
	__be64 start_addr;
	__be64 len;
	__be32 bsf_octword_size;
	__be32 reserved3[4];
	__be32 translations_octword_size;
	uint8_t reserved4[3];
	uint8_t log_page_size;
	__be32 reserved;
	__extension__ union mlx5_wqe_umr_inline_seg inseg[0];
};

/* ---- filling segments ------------------------------------------------ */

/*
 * Control segment. imm is stored as given; dci_stream_channel_id keeps what
 * was there. ds counts 16-byte units of the whole request.
 */
static MLX5DV_ALWAYS_INLINE void
mlx5dv_set_ctrl_seg(struct mlx5_wqe_ctrl_seg *seg, uint16_t pi, uint8_t opcode,
		    uint8_t opmod, uint32_t qp_num, uint8_t fm_ce_se,
		    uint8_t ds, uint8_t signature, uint32_t imm)
{
	seg->opmod_idx_opcode = mlx5dv_be32_((uint32_t)opmod << 24 |
					     (uint32_t)pi << 8 | opcode);
	seg->qpn_ds = mlx5dv_be32_(qp_num << 8 | ds);
	seg->signature = signature;
	seg->fm_ce_se = fm_ce_se;
	seg->imm = imm;
}

/* Pointer to `length` bytes at `address`. */
static MLX5DV_ALWAYS_INLINE void
mlx5dv_set_data_seg(struct mlx5_wqe_data_seg *seg, uint32_t length,
		    uint32_t lkey, uintptr_t address)
{
	seg->byte_count = mlx5dv_be32_(length);
	seg->lkey = mlx5dv_be32_(lkey);
	seg->addr = mlx5dv_be64_(address);
}

/* Address vector; `key` is the q_key in its upper half, or the DC key. */
static MLX5DV_ALWAYS_INLINE void
mlx5dv_set_dgram_seg(struct mlx5_wqe_datagram_seg *seg, uint64_t key,
		     uint32_t dqp_dct, uint8_t ext, uint8_t stat_rate_sl,
		     uint8_t fl_mlid, uint16_t rlid, uint8_t *rmac,
		     uint8_t tclass, uint8_t hop_limit, uint32_t grh_gid_fi,
		     uint8_t *rgid)
{
	struct mlx5_wqe_av *av = &seg->av;

	av->key.dc_key = mlx5dv_be64_(key);
	av->dqp_dct = mlx5dv_be32_((uint32_t)ext << 31 | dqp_dct);
	av->stat_rate_sl = stat_rate_sl;
	av->fl_mlid = fl_mlid;
	av->rlid = mlx5dv_be16_(rlid);
	memcpy(av->rmac, rmac, sizeof(av->rmac));
	av->tclass = tclass;
	av->hop_limit = hop_limit;
	av->grh_gid_fl = mlx5dv_be32_(grh_gid_fi);
	memcpy(av->rgid, rgid, sizeof(av->rgid));
}

/* Ethernet segment; a header of more than 18 bytes runs past its end. */
static MLX5DV_ALWAYS_INLINE void
mlx5dv_set_eth_seg(struct mlx5_wqe_eth_seg *seg, uint8_t cs_flags, uint16_t mss,
		   uint16_t inline_hdr_sz, uint8_t *inline_hdr_start)
{
	uint8_t *header = (uint8_t *)seg +
			  offsetof(struct mlx5_wqe_eth_seg, inline_hdr_start);

	seg->cs_flags = cs_flags;
	seg->mss = mlx5dv_be16_(mss);
	seg->inline_hdr_sz = mlx5dv_be16_(inline_hdr_sz);
	memcpy(header, inline_hdr_start, inline_hdr_sz);
}

/*
 * The same segments by one byte shuffle and one aligned 16-byte store. Only
 * SSSE3 has the shuffle; on a plain SSE3 target they are built from the
 * functions above. The control segment's dci_stream_channel_id becomes 0.
 */
#ifdef __SSE3__

static MLX5DV_ALWAYS_INLINE void
mlx5dv_x86_set_ctrl_seg(struct mlx5_wqe_ctrl_seg *seg, uint16_t pi,
			uint8_t opcode, uint8_t opmod, uint32_t qp_num,
			uint8_t fm_ce_se, uint8_t ds, uint8_t signature,
			uint32_t imm)
{
#ifdef __SSSE3__
	__m128i order = _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 8, 9, 10, 11,
				      12, 13, 14, 15);
	__m128i words = _mm_setr_epi32(
		(int)((uint32_t)opmod << 24 | (uint32_t)pi << 8 | opcode),
		(int)(qp_num << 8 | ds),
		(int)((uint32_t)fm_ce_se << 24 | signature), (int)imm);

	_mm_store_si128((__m128i *)__builtin_assume_aligned(seg, 16),
			_mm_shuffle_epi8(words, order));
#else
	mlx5dv_set_ctrl_seg(seg, pi, opcode, opmod, qp_num, fm_ce_se, ds,
			    signature, imm);
	seg->dci_stream_channel_id = 0;
#endif
}

static MLX5DV_ALWAYS_INLINE void
mlx5dv_x86_set_data_seg(struct mlx5_wqe_data_seg *seg, uint32_t length,
			uint32_t lkey, uintptr_t address)
{
#ifdef __SSSE3__
	__m128i order = _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 15, 14, 13, 12,
				      11, 10, 9, 8);
	__m128i words = _mm_setr_epi32((int)length, (int)lkey,
				       (int)(uint32_t)address,
				       (int)(uint32_t)((uint64_t)address >> 32));

	_mm_store_si128((__m128i *)__builtin_assume_aligned(seg, 16),
			_mm_shuffle_epi8(words, order));
#else
	mlx5dv_set_data_seg(seg, length, lkey, address);
#endif
}

#endif /* __SSE3__ */

/* ====================================================================== */
/* Device mailboxes, for DEVX commands                                    */
/* ====================================================================== */

/*
 * A layout is a type struct mlx5_ifc_NAME_bits whose members stand for fields:
 * one byte of a member for one bit of the field. Fields of up to 32 bits lie
 * within one big-endian 32-bit word, 64-bit fields within one 64-bit word.
 */

#define __devx_nullp(typ) ((struct mlx5_ifc_##typ##_bits *)NULL)
#define __devx_st_sz_bits(typ) sizeof(struct mlx5_ifc_##typ##_bits)
#define __devx_bit_sz(typ, fld) sizeof(__devx_nullp(typ)->fld)
#define __devx_bit_off(typ, fld) offsetof(struct mlx5_ifc_##typ##_bits, fld)
#define __devx_dw_off(bit_off) ((bit_off) / 32)
#define __devx_64_off(bit_off) ((bit_off) / 64)
#define __devx_dw_bit_off(bit_sz, bit_off) \
	(32 - (bit_sz) - ((bit_off) & 31))
#define __devx_mask(bit_sz) ((uint32_t)((UINT64_C(1) << (bit_sz)) - 1))
#define __devx_dw_mask(bit_sz, bit_off) \
	(__devx_mask(bit_sz) << __devx_dw_bit_off(bit_sz, bit_off))

/* Sizes of a layout, and of a union of layouts, in bytes and words. */
#define DEVX_FLD_SZ_BYTES(typ, fld) (__devx_bit_sz(typ, fld) / 8)
#define DEVX_ST_SZ_BYTES(typ) (__devx_st_sz_bits(typ) / 8)
#define DEVX_ST_SZ_DW(typ) (__devx_st_sz_bits(typ) / 32)
#define DEVX_ST_SZ_QW(typ) (__devx_st_sz_bits(typ) / 64)
#define DEVX_UN_SZ_BYTES(typ) (sizeof(union mlx5_ifc_##typ##_bits) / 8)
#define DEVX_UN_SZ_DW(typ) (sizeof(union mlx5_ifc_##typ##_bits) / 32)

/* Where a field lies. */
#define DEVX_BYTE_OFF(typ, fld) (__devx_bit_off(typ, fld) / 8)
#define DEVX_ADDR_OF(typ, p, fld) \
	((unsigned char *)(p) + DEVX_BYTE_OFF(typ, fld))

static inline void _devx_set(void *p, uint32_t value, size_t bit_off,
			     size_t bit_sz)
{
	unsigned char *word = (unsigned char *)p + 4 * __devx_dw_off(bit_off);
	uint32_t keep;
	__be32 be;

	memcpy(&be, word, sizeof(be));
	keep = (uint32_t)mlx5dv_be32_(be) & ~__devx_dw_mask(bit_sz, bit_off);
	be = mlx5dv_be32_(keep | (value & __devx_mask(bit_sz))
			  << __devx_dw_bit_off(bit_sz, bit_off));
	memcpy(word, &be, sizeof(be));
}

static inline uint32_t _devx_get(const void *p, size_t bit_off, size_t bit_sz)
{
	__be32 be;

	memcpy(&be, (const unsigned char *)p + 4 * __devx_dw_off(bit_off),
	       sizeof(be));
	return ((uint32_t)mlx5dv_be32_(be) >>
		__devx_dw_bit_off(bit_sz, bit_off)) & __devx_mask(bit_sz);
}

static inline void _devx_set64(void *p, uint64_t v, size_t bit_off)
{
	__be64 be = mlx5dv_be64_(v);

	memcpy((unsigned char *)p + 8 * __devx_64_off(bit_off), &be,
	       sizeof(be));
}

static inline uint64_t _devx_get64(const void *p, size_t bit_off)
{
	__be64 be;

	memcpy(&be, (const unsigned char *)p + 8 * __devx_64_off(bit_off),
	       sizeof(be));
	return (uint64_t)mlx5dv_be64_(be);
}

/* Fields of up to 32 bits. */
#define DEVX_SET(typ, p, fld, v) \
	_devx_set(p, v, __devx_bit_off(typ, fld), __devx_bit_sz(typ, fld))
#define DEVX_GET(typ, p, fld) \
	_devx_get(p, __devx_bit_off(typ, fld), __devx_bit_sz(typ, fld))

/* Fields of 64 bits, and element idx of an array of them. */
#define DEVX_SET64(typ, p, fld, v) _devx_set64(p, v, __devx_bit_off(typ, fld))
#define DEVX_GET64(typ, p, fld) _devx_get64(p, __devx_bit_off(typ, fld))
#define DEVX_ARRAY_SET64(typ, p, fld, idx, v) \
	do { \
		_devx_set64(p, v, \
			    __devx_bit_off(typ, fld) + \
				    (idx) * __devx_bit_sz(typ, fld[0])); \
	} while (0)

#ifdef __cplusplus
}
#endif

#endif /* _MLX5DV_H_ */
