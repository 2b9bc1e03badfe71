/* Creation of completion queues: each refusal, each attribute, what the views show, moderation and
 * resize without traffic.
 * records: differ, buffers lie where malloc puts them
 * run cqe128: env MLX5_CQE_SIZE=128
 * run bad-env: env MLX5_CQE_SIZE=100
 * run atoi-env: env MLX5_CQE_SIZE=128bytes
 * run single: env MLX5_SINGLE_THREADED=1
 * run refused: sim --fault CQ.CREATE#3=EIO --fault CQ.CREATE#7=ENOMEM
 * run device: sim --fault CMD.0x400#2=8/0x99
 * run resize: sim --fault WRITE.RESIZE_CQ=ENOMEM
 * run no-uar: sim --fault UAR.ALLOC=ENOMEM
 */
#include "common.h"

static struct ibv_context *ctx;

static void look(struct ibv_cq *cq)
{
	struct mlx5dv_cq view;
	struct mlx5dv_obj obj = { .cq = { cq, &view } };
	unsigned invalid = 0;

	memset(&view, 0xff, sizeof view);
	MUST(!mlx5dv_init_obj(&obj, MLX5DV_OBJ_CQ));
	for (unsigned i = 1; i <= view.cqe_cnt; i++)
		invalid += ((uint8_t *)view.buf)[(size_t)i * view.cqe_size - 1] == 0xf0;
	printf("  cqe %d: %u entries of %u, %u the device's, uar %d, mask %#lx, cqn %d, dbrec %#x %#x\n", cq->cqe, view.cqe_cnt, view.cqe_size,
	       invalid, view.cq_uar != NULL, (long)view.comp_mask, view.cqn != 0, view.dbrec[0], view.dbrec[1]);
}
static void plain(int cqe, struct ibv_comp_channel *ch, int vector)
{
	char label[64];
	struct ibv_cq *cq;

	snprintf(label, sizeof label, "create_cq %d, channel %d, vector %d", cqe, ch != NULL, vector);
	cq = PTR(label, ibv_create_cq(ctx, cqe, (void *)77, ch, vector));
	if (!cq)
		return;
	printf("  context %d cq_context %d channel %d handle %d\n", cq->context == ctx, cq->cq_context == (void *)77, cq->channel == ch, cq->handle != 0xffffffff);
	look(cq);
	VAL("  destroy", ibv_destroy_cq(cq));
}
static void ex(const char *label, struct ibv_cq_init_attr_ex *a, struct mlx5dv_cq_init_attr *dv)
{
	struct ibv_cq_ex *cq;

	errno = 0;
	cq = dv ? mlx5dv_create_cq(ctx, a, dv) : ibv_create_cq_ex(ctx, a);
	show_ptr(label, cq, errno);
	if (!cq)
		return;
	printf("  start %d next %d end %d opcode %d vendor_err %d flags %d len %d imm %d qp %d src %d slid %d sl %d dlid %d ts %d vlan %d tag %d tm %d ns %d\n",
	       !!cq->start_poll, !!cq->next_poll, !!cq->end_poll, !!cq->read_opcode, !!cq->read_vendor_err, !!cq->read_wc_flags,
	       !!cq->read_byte_len, !!cq->read_imm_data, !!cq->read_qp_num, !!cq->read_src_qp, !!cq->read_slid, !!cq->read_sl,
	       !!cq->read_dlid_path_bits, !!cq->read_completion_ts, !!cq->read_cvlan, !!cq->read_flow_tag, !!cq->read_tm_info,
	       !!cq->read_completion_wallclock_ns);
	printf("  context %d cq_context %d\n", cq->context == ctx, cq->cq_context == a->cq_context);
	look(ibv_cq_ex_to_cq(cq));
	VAL("  destroy", ibv_destroy_cq(ibv_cq_ex_to_cq(cq)));
}

int main(void)
{
	static const int cqes[] = { -5, 0, 1, 2, 3, 63, 64, 1000 };
	struct ibv_comp_channel *ch;
	struct ibv_cq *cq;
	struct ibv_pd *pd;

	ctx = open_devx();
	MUST((ch = ibv_create_comp_channel(ctx)) && (pd = ibv_alloc_pd(ctx)));
	for (unsigned i = 0; i < sizeof cqes / sizeof *cqes; i++)
		plain(cqes[i], i & 1 ? ch : NULL, 0);
	plain(10, ch, ctx->num_comp_vectors - 1);
	plain(10, ch, ctx->num_comp_vectors);
	plain(10, NULL, -1);
	VAL("destroy channel", ibv_destroy_comp_channel(ch));

	for (uint64_t bit = 1; bit <= 1u << 13; bit <<= 1) {
		struct ibv_cq_init_attr_ex a = { .cqe = 10, .cq_context = (void *)5, .wc_flags = bit };
		char label[64];

		snprintf(label, sizeof label, "create_cq_ex wc_flags %#lx", (long)bit);
		ex(label, &a, NULL);
	}
	for (uint32_t flags = 0; flags < 8; flags++)
		for (uint32_t mask = 0; mask < 8; mask += flags ? 1 : 4) {
			struct ibv_cq_init_attr_ex a = { .cqe = 10, .comp_mask = mask, .flags = flags, .parent_domain = pd };
			char label[64];

			snprintf(label, sizeof label, "create_cq_ex comp_mask %#x flags %#x", mask, flags);
			ex(label, &a, NULL);
		}
	{
		struct ibv_cq_init_attr_ex a = { .cqe = 0 };

		ex("create_cq_ex without entries", &a, NULL);
		a.cqe = 10;
		a.wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK;
		ex("create_cq_ex both clocks", &a, NULL);
		a.wc_flags = IBV_WC_STANDARD_FLAGS;
		for (uint64_t mask = 0; mask < 16; mask++)
			for (int k = 0; k < 6; k++) {
				static const struct { uint8_t format; uint32_t flags; uint16_t size; } set[] = {
					{ 1, 0, 64 }, { 2, 1, 128 }, { 3, 0, 128 }, { 0, 1, 64 }, { 4, 2, 0 }, { 8, 1, 256 } };
				struct mlx5dv_cq_init_attr dv = { .comp_mask = mask, .cqe_comp_res_format = set[k].format, .flags = set[k].flags,
					.cqe_size = set[k].size };
				char label[96];

				if (!mask && k)
					continue;
				snprintf(label, sizeof label, "mlx5dv_create_cq %#lx format %d flags %#x size %d", (long)mask, set[k].format, set[k].flags,
					 set[k].size);
				ex(label, &a, &dv);
			}
	}
	cq = PTR("create_cq", ibv_create_cq(ctx, 10, NULL, NULL, 0));
	if (cq) {
		static const int to[] = { 10, 14, 15, 16, 100, 5, 1, 0, -1, 1000, 0x2000000, 0x7fffffff };
		struct ibv_modify_cq_attr m = { 0 };

		for (unsigned i = 0; i < sizeof to / sizeof *to; i++) {
			char label[32];
			int r;

			snprintf(label, sizeof label, "resize %d", to[i]);
			errno = 0;
			r = ibv_resize_cq(cq, to[i]);
			if (r == -1)
				printf("%s: -1 %s\n", label, en(errno));
			else
				show_val(label, r, errno);
			look(cq);
		}
		VAL("modify_cq nothing", ibv_modify_cq(cq, &m));
		m.attr_mask = IBV_CQ_ATTR_MODERATE;
		m.moderate.cq_count = 3;
		m.moderate.cq_period = 4;
		VAL("modify_cq moderate", ibv_modify_cq(cq, &m));
		m.attr_mask = 2;
		VAL("modify_cq unknown", ibv_modify_cq(cq, &m));
	}
	if (cq)
		VAL("destroy", ibv_destroy_cq(cq));
	MUST(!ibv_dealloc_pd(pd));
	done(ctx);
	return 0;
}
