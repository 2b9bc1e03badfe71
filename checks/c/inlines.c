/*
 * Every inline function and function-like macro of mlx5dv.h on many inputs, its results on
 * stdout. Built once with the header under check and once with a reference header; the outputs
 * must be equal. The exported functions that some inlines call are defined here and record what
 * they were called with, so no library is needed.
 *
 * -DNEWEST adds what release 44.0 did not have.
 */
#include <infiniband/mlx5dv.h>

/* ---- inputs ---------------------------------------------------------- */

static uint64_t seed = 0x9e3779b97f4a7c15u;

static uint64_t any(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* All ones, zeros, single bits and neighbours of powers of two come often. */
static uint64_t edge(void)
{
	switch (any() % 8) {
	case 0: return 0;
	case 1: return ~(uint64_t)0;
	case 2: return (uint64_t)1 << (any() % 64);
	case 3: return ((uint64_t)1 << (any() % 64)) - 1;
	case 4: return ~((uint64_t)1 << (any() % 64));
	default: return any();
	}
}

static void fill(void *p, size_t n)
{
	uint8_t *byte = (uint8_t *)p;

	while (n--)
		*byte++ = (uint8_t)any();
}

static void show(const char *name, const void *p, size_t n)
{
	const uint8_t *byte = (const uint8_t *)p;

	printf("%s ", name);
	while (n--)
		printf("%02x", *byte++);
	printf("\n");
}

#define ROUNDS 3000

/* ---- completions and clock ------------------------------------------- */

static void completions(void)
{
	int byte, val;

	for (byte = 0; byte < 256; byte++) {
		struct mlx5_cqe64 cqe;

		fill(&cqe, sizeof(cqe));
		cqe.op_own = (uint8_t)byte;
		printf("cqe %d %d %d %d\n", mlx5dv_get_cqe_owner(&cqe),
		       mlx5dv_get_cqe_se(&cqe), mlx5dv_get_cqe_format(&cqe),
		       mlx5dv_get_cqe_opcode(&cqe));
		for (val = 0; val < 256; val += 51) {
			mlx5dv_set_cqe_owner(&cqe, (uint8_t)val);
			show("owner", &cqe, sizeof(cqe));
		}
	}
}

static void timestamps(void)
{
	int i;

	for (i = 0; i < ROUNDS; i++) {
		struct mlx5dv_clock_info info;
		uint64_t ts;

		info.nsec = edge();
		info.frac = edge();
		info.mult = (uint32_t)edge();
		info.shift = (uint32_t)(any() % 64);
		info.mask = any() % 2 ? ((uint64_t)1 << (1 + any() % 63)) - 1 : ~(uint64_t)0;
		info.last_cycles = edge() & info.mask;
		ts = edge();
		/* Around half the range, where past and future meet. */
		if (any() % 2)
			ts = info.last_cycles + info.mask / 2 + any() % 5 - 2;
		printf("ns %llu\n", (unsigned long long)mlx5dv_ts_to_ns(&info, ts));
	}
}

/* ---- segments -------------------------------------------------------- */

static void segments(void)
{
	int i;

	for (i = 0; i < ROUNDS; i++) {
		struct mlx5_wqe_ctrl_seg ctrl __attribute__((aligned(16)));
		struct mlx5_wqe_data_seg data __attribute__((aligned(16)));
		struct mlx5_wqe_datagram_seg dgram;
		union {
			struct mlx5_wqe_eth_seg seg;
			uint8_t room[512];
		} eth;
		uint8_t rmac[6], rgid[16], header[400];
		uint16_t pi = (uint16_t)edge(), rlid = (uint16_t)edge();
		uint8_t opcode = (uint8_t)edge(), opmod = (uint8_t)edge();
		uint8_t fm_ce_se = (uint8_t)edge(), ds = (uint8_t)edge();
		uint8_t signature = (uint8_t)edge();
		uint32_t qpn = (uint32_t)edge(), imm = (uint32_t)edge();
		uint64_t addr = edge(), key = edge();

		fill(&ctrl, sizeof(ctrl));
		mlx5dv_set_ctrl_seg(&ctrl, pi, opcode, opmod, qpn, fm_ce_se, ds, signature, imm);
		show("ctrl", &ctrl, sizeof(ctrl));
		fill(&data, sizeof(data));
		mlx5dv_set_data_seg(&data, qpn, imm, (uintptr_t)addr);
		show("data", &data, sizeof(data));
#ifdef __SSE3__
		fill(&ctrl, sizeof(ctrl));
		mlx5dv_x86_set_ctrl_seg(&ctrl, pi, opcode, opmod, qpn, fm_ce_se, ds, signature, imm);
		show("x86 ctrl", &ctrl, sizeof(ctrl));
		fill(&data, sizeof(data));
		mlx5dv_x86_set_data_seg(&data, qpn, imm, (uintptr_t)addr);
		show("x86 data", &data, sizeof(data));
#endif
		fill(rmac, sizeof(rmac));
		fill(rgid, sizeof(rgid));
		fill(&dgram, sizeof(dgram));
		mlx5dv_set_dgram_seg(&dgram, key, qpn, (uint8_t)(any() % 2), opmod, ds, rlid, rmac,
				     fm_ce_se, signature, imm, rgid);
		show("dgram", &dgram, sizeof(dgram));
		fill(&eth, sizeof(eth));
		fill(header, sizeof(header));
		mlx5dv_set_eth_seg(&eth.seg, opcode, pi,
				   (uint16_t)(any() % (sizeof(header) + 1)), header);
		show("eth", &eth, sizeof(eth));
	}
}

/* ---- mailboxes ------------------------------------------------------- */

/* Fields of many widths and places; one byte a bit. */
struct mlx5_ifc_sample_bits {
	uint8_t whole[0x20];
	uint8_t nibble[0x4];
	uint8_t bit[0x1];
	uint8_t odd[0xb];
	uint8_t half[0x10];
	uint8_t top[0x1];
	uint8_t rest[0x1f];
	uint8_t pad[0x20];
	uint8_t quad[0x40];
	uint8_t list[4][0x40];
};

union mlx5_ifc_either_bits {
	struct mlx5_ifc_sample_bits sample;
	uint8_t room[0x400];
};

#define FIELD(fld)                                                                                 \
	do {                                                                                       \
		fill(box, sizeof(box));                                                            \
		printf("get " #fld " %x\n", DEVX_GET(sample, box, fld));                           \
		DEVX_SET(sample, box, fld, (uint32_t)edge());                                      \
		show("set " #fld, box, sizeof(box));                                               \
		printf("at " #fld " %zu %zu %zu %zu\n", (size_t)DEVX_BYTE_OFF(sample, fld),        \
		       (size_t)(DEVX_ADDR_OF(sample, box, fld) - (unsigned char *)box),            \
		       (size_t)__devx_bit_off(sample, fld), (size_t)__devx_bit_sz(sample, fld));   \
	} while (0)

static void mailboxes(void)
{
	uint64_t box[8 + DEVX_ST_SZ_QW(sample)];
	int i, idx;

	printf("sizes %zu %zu %zu %zu %zu %zu %zu\n", (size_t)DEVX_ST_SZ_BYTES(sample),
	       (size_t)DEVX_ST_SZ_DW(sample), (size_t)DEVX_ST_SZ_QW(sample),
	       (size_t)DEVX_UN_SZ_BYTES(either), (size_t)DEVX_UN_SZ_DW(either),
	       (size_t)DEVX_FLD_SZ_BYTES(sample, half), (size_t)__devx_st_sz_bits(sample));
	printf("null %d\n", __devx_nullp(sample) == NULL);
	for (i = 0; i < ROUNDS / 10; i++) {
		FIELD(whole);
		FIELD(nibble);
		FIELD(bit);
		FIELD(odd);
		FIELD(half);
		FIELD(top);
		FIELD(rest);
		printf("get quad %llx\n", (unsigned long long)DEVX_GET64(sample, box, quad));
		DEVX_SET64(sample, box, quad, edge());
		show("set quad", box, sizeof(box));
		for (idx = 0; idx < 4; idx++)
			DEVX_ARRAY_SET64(sample, box, list, idx, edge());
		show("set list", box, sizeof(box));
	}
	for (i = 0; i < ROUNDS; i++) {
		size_t size = 1 + any() % 32;
		size_t offset = any() % 8 * 32 + any() % (33 - size);

		printf("bits %x %x %zu %zu %zu\n", __devx_mask(size), __devx_dw_mask(size, offset),
		       (size_t)__devx_dw_bit_off(size, offset), (size_t)__devx_dw_off(offset),
		       (size_t)__devx_64_off(offset));
		_devx_set(box, (uint32_t)edge(), offset, size);
		printf("bits get %x\n", _devx_get(box, offset, size));
		_devx_set64(box, edge(), offset / 64 * 64);
		printf("bits get64 %llx\n", (unsigned long long)_devx_get64(box, offset / 64 * 64));
		show("bits set", box, sizeof(box));
	}
}

/* ---- what calls the library ------------------------------------------ */

int _mlx5dv_query_port(struct ibv_context *context, uint32_t port_num, struct mlx5dv_port *info,
		       size_t info_len)
{
	printf("query_port %p %u %p %zu\n", (void *)context, port_num, (void *)info, info_len);
	return (int)port_num + 1;
}

int _mlx5dv_mkey_check(struct mlx5dv_mkey *mkey, struct mlx5dv_mkey_err *err_info,
		       size_t err_info_size)
{
	printf("mkey_check %p %p %zu\n", (void *)mkey, (void *)err_info, err_info_size);
	return 77;
}

#ifdef NEWEST
void _mlx5dv_get_export_sizes(struct mlx5dv_export_sizes *sizes, size_t sizes_len)
{
	printf("export_sizes %p %zu\n", (void *)sizes, sizes_len);
}

struct ibv_flow *__mlx5dv_create_flow(struct mlx5dv_flow_matcher *matcher,
				      struct mlx5dv_flow_match_parameters *match_value,
				      size_t num_actions,
				      struct mlx5dv_flow_action_attr actions_attr[],
				      size_t attr_len)
{
	printf("create_flow %p %p %zu %p %zu\n", (void *)matcher, (void *)match_value, num_actions,
	       (void *)actions_attr, attr_len);
	return (struct ibv_flow *)0x1238;
}
#endif

#define AT(type, n) ((struct type *)(uintptr_t)(0x1000 + 8 * (n)))

static void library_calls(void)
{
	printf("= %d\n", mlx5dv_query_port(AT(ibv_context, 1), 5, AT(mlx5_ib_uapi_query_port, 2)));
	printf("= %d\n", mlx5dv_mkey_check(AT(mlx5dv_mkey, 3), AT(mlx5dv_mkey_err, 4)));
#ifdef NEWEST
	mlx5dv_get_export_sizes(AT(mlx5dv_export_sizes, 5));
	printf("= %p\n", (void *)mlx5dv_create_flow(AT(mlx5dv_flow_matcher, 6),
						    AT(mlx5dv_flow_match_parameters, 7), 3,
						    AT(mlx5dv_flow_action_attr, 8)));
	printf("= %p\n", (void *)_mlx5dv_create_flow(AT(mlx5dv_flow_matcher, 6),
						     AT(mlx5dv_flow_match_parameters, 7), 3,
						     AT(mlx5dv_flow_action_attr, 8)));
#endif
}

/* ---- work request builders ------------------------------------------- */

static struct mlx5dv_qp_ex *the_qp;

/* An address on the stack differs from run to run; being the right one does not. */
static const char *same(struct mlx5dv_qp_ex *qp)
{
	return qp == the_qp ? "same" : "other";
}

static void set_dc_addr(struct mlx5dv_qp_ex *q, struct ibv_ah *ah, uint32_t dctn, uint64_t key)
{
	printf("set_dc_addr %s %p %x %lx\n", same(q), (void *)ah, dctn, key);
}

static void mr_interleaved(struct mlx5dv_qp_ex *q, struct mlx5dv_mkey *k, uint32_t access,
			   uint32_t repeat, uint16_t num, struct mlx5dv_mr_interleaved *data)
{
	printf("mr_interleaved %s %p %x %x %x %p\n", same(q), (void *)k, access, repeat, num,
	       (void *)data);
}

static void mr_list(struct mlx5dv_qp_ex *q, struct mlx5dv_mkey *k, uint32_t access, uint16_t num,
		    struct ibv_sge *sge)
{
	printf("mr_list %s %p %x %x %p\n", same(q), (void *)k, access, num, (void *)sge);
}

static void mkey_configure(struct mlx5dv_qp_ex *q, struct mlx5dv_mkey *k, uint8_t num,
			   struct mlx5dv_mkey_conf_attr *attr)
{
	printf("mkey_configure %s %p %x %p\n", same(q), (void *)k, num, (void *)attr);
}

static void set_mkey_access_flags(struct mlx5dv_qp_ex *q, uint32_t access)
{
	printf("set_mkey_access_flags %s %x\n", same(q), access);
}

static void set_mkey_layout_list(struct mlx5dv_qp_ex *q, uint16_t num, const struct ibv_sge *sge)
{
	printf("set_mkey_layout_list %s %x %p\n", same(q), num, (const void *)sge);
}

static void set_mkey_layout_interleaved(struct mlx5dv_qp_ex *q, uint32_t repeat, uint16_t num,
					const struct mlx5dv_mr_interleaved *data)
{
	printf("set_mkey_layout_interleaved %s %x %x %p\n", same(q), repeat, num,
	       (const void *)data);
}

static void set_mkey_sig_block(struct mlx5dv_qp_ex *q, const struct mlx5dv_sig_block_attr *attr)
{
	printf("set_mkey_sig_block %s %p\n", same(q), (const void *)attr);
}

static void raw_wqe(struct mlx5dv_qp_ex *q, const void *wqe)
{
	printf("raw_wqe %s %p\n", same(q), wqe);
}

static void set_dc_addr_stream(struct mlx5dv_qp_ex *q, struct ibv_ah *ah, uint32_t dctn,
			       uint64_t key, uint16_t stream)
{
	printf("set_dc_addr_stream %s %p %x %lx %x\n", same(q), (void *)ah, dctn, key, stream);
}

static void copy(struct mlx5dv_qp_ex *q, uint32_t dkey, uint64_t daddr, uint32_t skey,
		 uint64_t saddr, size_t length)
{
	printf("memcpy %s %x %lx %x %lx %zx\n", same(q), dkey, daddr, skey, saddr, length);
}

static void set_mkey_crypto(struct mlx5dv_qp_ex *q, const struct mlx5dv_crypto_attr *attr)
{
	printf("set_mkey_crypto %s %p\n", same(q), (const void *)attr);
}

static void builders(void)
{
	struct mlx5dv_qp_ex memory, *q = &memory;
	int i;

	the_qp = q;
	memset(q, 0, sizeof(*q));
	q->wr_set_dc_addr = set_dc_addr;
	q->wr_mr_interleaved = mr_interleaved;
	q->wr_mr_list = mr_list;
	q->wr_mkey_configure = mkey_configure;
	q->wr_set_mkey_access_flags = set_mkey_access_flags;
	q->wr_set_mkey_layout_list = set_mkey_layout_list;
	q->wr_set_mkey_layout_interleaved = set_mkey_layout_interleaved;
	q->wr_set_mkey_sig_block = set_mkey_sig_block;
	q->wr_raw_wqe = raw_wqe;
	q->wr_set_dc_addr_stream = set_dc_addr_stream;
	q->wr_memcpy = copy;
	q->wr_set_mkey_crypto = set_mkey_crypto;
	for (i = 0; i < ROUNDS / 10; i++) {
		uint64_t a = edge(), b = edge(), c = edge(), d = edge();

		mlx5dv_wr_set_dc_addr(q, AT(ibv_ah, i), (uint32_t)a, b);
		mlx5dv_wr_mr_interleaved(q, AT(mlx5dv_mkey, i), (uint32_t)a, (uint32_t)b,
					 (uint16_t)c, AT(mlx5dv_mr_interleaved, i + 1));
		mlx5dv_wr_mr_list(q, AT(mlx5dv_mkey, i), (uint32_t)a, (uint16_t)b,
				  AT(ibv_sge, i + 1));
		mlx5dv_wr_mkey_configure(q, AT(mlx5dv_mkey, i), (uint8_t)a,
					 AT(mlx5dv_mkey_conf_attr, i + 1));
		mlx5dv_wr_set_mkey_access_flags(q, (uint32_t)a);
		mlx5dv_wr_set_mkey_layout_list(q, (uint16_t)a, AT(ibv_sge, i));
		mlx5dv_wr_set_mkey_layout_interleaved(q, (uint32_t)a, (uint16_t)b,
						      AT(mlx5dv_mr_interleaved, i));
		mlx5dv_wr_set_mkey_sig_block(q, AT(mlx5dv_sig_block_attr, i));
		mlx5dv_wr_raw_wqe(q, AT(ibv_ah, i));
		mlx5dv_wr_set_dc_addr_stream(q, AT(ibv_ah, i), (uint32_t)a, b, (uint16_t)c);
		mlx5dv_wr_memcpy(q, (uint32_t)a, b, (uint32_t)c, d, (size_t)(a ^ d));
		mlx5dv_wr_set_mkey_crypto(q, AT(mlx5dv_crypto_attr, i));
	}
}

/* The macro that programs put before their own helpers. */
static MLX5DV_ALWAYS_INLINE int helper(int x)
{
	return x + 1;
}

int main(void)
{
	completions();
	timestamps();
	segments();
	mailboxes();
	library_calls();
	builders();
	return helper(-1);
}
