/* Work queues, striding queues, indirection tables and the RSS QPs above them.
 * since: 65.0
 * records: differ, buffers lie where malloc puts them
 * run signed: env MLX5_RWQ_SIGNATURE=1
 * run single: env MLX5_SINGLE_THREADED=1
 * run state-9: arg state-9
 * run refused: sim --fault WQ.CREATE#2=ENOMEM --fault WQ.DESTROY#1=EBUSY --fault WRITE.EX_MODIFY_WQ=EIO
 */
#include "common.h"

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_cq *cq;

static void look(struct ibv_wq *wq)
{
	struct mlx5dv_rwq view;
	struct mlx5dv_obj obj = { .rwq = { wq, &view } };

	memset(&view, 0xff, sizeof view);
	MUST(!mlx5dv_init_obj(&obj, MLX5DV_OBJ_RWQ));
	printf("  context %d pd %d cq %d type %d state %d number %d post_recv %d, %u of %u mask %#lx dbrec %#x\n", wq->context == ctx, wq->pd == pd,
	       wq->cq == cq, wq->wq_type, wq->state, wq->wq_num != 0, wq->post_recv != NULL, view.wqe_cnt, view.stride, (long)view.comp_mask,
	       view.dbrec[0]);
}
static int set(struct ibv_wq *wq, int state, int cur)
{
	struct ibv_wq_attr a = { .attr_mask = IBV_WQ_ATTR_STATE | (cur >= 0 ? IBV_WQ_ATTR_CURR_STATE : 0), .wq_state = state,
		.curr_wq_state = cur };
	char label[48];
	int r;

	snprintf(label, sizeof label, "  to %d from %d", state, cur);
	errno = 0;
	r = ibv_modify_wq(wq, &a);
	if (r < 0)
		printf("%s: %s\n", label, en(r));
	else
		show_val(label, r, errno);
	return r;
}
static void gone(struct ibv_wq *wq)
{
	if (VAL("  destroy", ibv_destroy_wq(wq)))
		VAL("  destroy again", ibv_destroy_wq(wq));
}

int main(int argc, char **argv)
{
	static const unsigned wrs[] = { 1, 2, 3, 16, 100, 32768 }, sges[] = { 0, 1, 2, 3, 31, 32, 33 };
	struct ibv_wq_init_attr a = { .wq_type = IBV_WQT_RQ };
	struct ibv_wq *wq, *many[4];
	char label[96];

	ctx = open_devx();
	MUST((pd = ibv_alloc_pd(ctx)) && (cq = ibv_create_cq(ctx, 100, NULL, NULL, 0)));
	a.pd = pd;
	a.cq = cq;
	for (unsigned i = 0; i < sizeof wrs / sizeof *wrs; i++)
		for (unsigned k = 0; k < sizeof sges / sizeof *sges; k++) {
			a.max_wr = wrs[i];
			a.max_sge = sges[k];
			snprintf(label, sizeof label, "create_wq %u %u", a.max_wr, a.max_sge);
			wq = PTR(label, ibv_create_wq(ctx, &a));
			if (wq) {
				printf("  now %u %u\n", a.max_wr, a.max_sge);
				look(wq);
				gone(wq);
			}
		}
	a.max_wr = 0;
	PTR("create_wq without requests", ibv_create_wq(ctx, &a));
	a.max_wr = 16;
	a.max_sge = 1;
	for (uint32_t bit = 1; bit <= 32; bit <<= 1) {
		a.comp_mask = IBV_WQ_INIT_ATTR_FLAGS;
		a.create_flags = bit;
		snprintf(label, sizeof label, "create_wq flags %#x", bit);
		wq = PTR(label, ibv_create_wq(ctx, &a));
		if (wq)
			gone(wq);
	}
	a.comp_mask = 0;
	for (unsigned bytes = 4; bytes < 16; bytes += 2)
		for (unsigned strides = 7; strides < 19; strides += 3) {
			struct mlx5dv_wq_init_attr dv = { .comp_mask = MLX5DV_WQ_INIT_ATTR_MASK_STRIDING_RQ, .striding_rq_attrs = { bytes, strides, bytes & 2 } };

			snprintf(label, sizeof label, "mlx5dv_create_wq %u %u", bytes, strides);
			wq = PTR(label, mlx5dv_create_wq(ctx, &a, &dv));
			if (wq) {
				look(wq);
				gone(wq);
			}
		}
	{
		struct mlx5dv_wq_init_attr dv = { .comp_mask = 2 };

		PTR("mlx5dv_create_wq comp_mask", mlx5dv_create_wq(ctx, &a, &dv));
		dv.comp_mask = 0;
		wq = PTR("mlx5dv_create_wq plain", mlx5dv_create_wq(ctx, &a, &dv));
		if (wq)
			gone(wq);
	}
	wq = PTR("create_wq", ibv_create_wq(ctx, &a));
	if (wq) {
		set(wq, IBV_WQS_RDY, IBV_WQS_ERR);
		set(wq, IBV_WQS_RDY, IBV_WQS_RESET);
		look(wq);
		set(wq, IBV_WQS_RDY, -1);
		set(wq, IBV_WQS_ERR, IBV_WQS_RDY);
		set(wq, IBV_WQS_RDY, IBV_WQS_ERR);
		set(wq, IBV_WQS_RESET, -1);
		set(wq, IBV_WQS_RDY, -1);
		look(wq);
		gone(wq);
	}
	if (argc > 1 && !strcmp(argv[1], "state-9")) {
		MUST(wq = ibv_create_wq(ctx, &a));
		set(wq, 9, -1);
		gone(wq);
	}
	for (int i = 0; i < 4; i++)
		MUST((many[i] = ibv_create_wq(ctx, &a)));
	for (int log = 0; log < 4; log++) {
		struct ibv_rwq_ind_table_init_attr t = { .log_ind_tbl_size = log, .ind_tbl = many };
		struct ibv_rwq_ind_table *table;
		struct ibv_qp *qp;

		if (log == 3) {
			t.log_ind_tbl_size = 1;
			t.comp_mask = 1;
		}
		snprintf(label, sizeof label, "indirection table %d", log);
		if (log == 3) { /* the reference leaves errno alone */
			printf("%s: %d\n", label, ibv_create_rwq_ind_table(ctx, &t) != NULL);
			continue;
		}
		table = PTR(label, ibv_create_rwq_ind_table(ctx, &t));
		if (!table)
			continue;
		printf("  context %d number %d\n", table->context == ctx, table->ind_tbl_num != 0);
		for (int k = 0; k < 9; k++) {
			static uint8_t key[200] = { 1, 2, 3 };
			static const struct { uint8_t func, len; uint64_t fields; } conf[] = {
				{ IBV_RX_HASH_FUNC_TOEPLITZ, 40, IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4 },
				{ IBV_RX_HASH_FUNC_TOEPLITZ, 40, IBV_RX_HASH_SRC_IPV6 | IBV_RX_HASH_DST_PORT_TCP },
				{ IBV_RX_HASH_FUNC_TOEPLITZ, 40, IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_SRC_IPV6 },
				{ IBV_RX_HASH_FUNC_TOEPLITZ, 40, IBV_RX_HASH_SRC_PORT_UDP | IBV_RX_HASH_SRC_PORT_TCP },
				{ IBV_RX_HASH_FUNC_TOEPLITZ, 39, IBV_RX_HASH_SRC_IPV4 },
				{ IBV_RX_HASH_FUNC_TOEPLITZ, 129, IBV_RX_HASH_SRC_IPV4 },
				{ 7, 40, IBV_RX_HASH_SRC_IPV4 },
				{ IBV_RX_HASH_FUNC_TOEPLITZ, 40, 0 },
				{ IBV_RX_HASH_FUNC_TOEPLITZ, 40, IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_INNER } };
			struct ibv_qp_init_attr_ex q = { .qp_type = IBV_QPT_RAW_PACKET, .comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE |
				IBV_QP_INIT_ATTR_RX_HASH, .pd = pd, .rwq_ind_tbl = table,
				.rx_hash_conf = { conf[k].func, conf[k].len, key, conf[k].fields } };
			struct ibv_qp_attr qa = { .qp_state = IBV_QPS_INIT };
			struct ibv_qp_init_attr qi;

			snprintf(label, sizeof label, " RSS QP %d", k);
			qp = PTR(label, ibv_create_qp_ex(ctx, &q));
			if (!qp)
				continue;
			if (!k) {
				VAL("  modify", ibv_modify_qp(qp, &qa, IBV_QP_STATE));
				VAL("  query", ibv_query_qp(qp, &qa, IBV_QP_STATE, &qi));
				VAL("  table in use", ibv_destroy_rwq_ind_table(table));
			}
			VAL("  destroy", ibv_destroy_qp(qp));
		}
		VAL(" destroy", ibv_destroy_rwq_ind_table(table));
	}
	for (int i = 0; i < 4; i++)
		gone(many[i]);
	MUST(!ibv_destroy_cq(cq) && !ibv_dealloc_pd(pd));
	done(ctx);
	return 0;
}
