/* What posting and polling cost in the library alone.
 *
 *   datapath CASE ROUNDS [BATCHES]
 *
 * As loops.c: prints the best batch's nanoseconds an operation; under callgrind `measured` is what
 * is collected. The program plays the device: completions are written into a queue that belongs to
 * no QP, where the library finds the QP by its user index and the device never writes.
 */
#define _GNU_SOURCE
#include <endian.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DEPTH 512
#define BATCH 256
#define MUST(c) do { if (!(c)) { perror(#c); exit(1); } } while (0)

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_mr *mr;
static struct ibv_cq *sink, *cq;
static struct ibv_cq_ex *lazy;
static struct ibv_qp *qp;
static struct ibv_qp_ex *qpx;
static struct ibv_srq *srq;
static struct ibv_ah *ah;
static struct mlx5dv_cq dcq;
static struct mlx5dv_qp dqp;
static uint8_t memory[65536] __attribute__((aligned(4096)));
static uint32_t written, completed;              /* entries written; blocks completed */

static struct ibv_sge sge[8];
static struct ibv_send_wr wr[16], *bad;
static struct ibv_recv_wr recv_wr, *bad_recv;
static struct ibv_wc wc[16];

/* ---- the device -------------------------------------------------------------- */
/* Completes what was posted, WQE by WQE. */
static void complete(void)
{
	uint16_t to = be32toh(dqp.dbrec[1]);

	for (; (uint16_t)completed != to; written++) {
		const uint8_t *wqe = (uint8_t *)dqp.sq.buf + (completed & (dqp.sq.wqe_cnt - 1)) * 64;
		uint8_t *e = (uint8_t *)dcq.buf + (size_t)(written & (dcq.cqe_cnt - 1)) * dcq.cqe_size + dcq.cqe_size - 64;

		memset(e, 0, 63);
		*(uint32_t *)(e + 44) = htobe32(64);
		*(uint32_t *)(e + 56) = htobe32((uint32_t)wqe[3] << 24 | qp->qp_num);
		*(uint16_t *)(e + 60) = htobe16(completed);
		__atomic_store_n(e + 63, (uint8_t)!!(written & dcq.cqe_cnt), __ATOMIC_RELEASE);
		completed = (uint16_t)(completed + ((wqe[7] & 0x3f) + 3) / 4);
	}
}
static void drain(void)
{
	complete();
	while (ibv_poll_cq(cq, 16, wc) > 0)
		MUST(wc[0].status == IBV_WC_SUCCESS);
}

/* ---- measured ------------------------------------------------------------------ */
static void post_one(unsigned n) { for (unsigned i = 0; i < n; i++) MUST(!ibv_post_send(qp, wr, &bad)); }
static void post_list(unsigned n) { for (unsigned i = 0; i < n; i += 16) MUST(!ibv_post_send(qp, wr, &bad)); }
static void post_recv(unsigned n) { for (unsigned i = 0; i < n; i++) MUST(!ibv_post_recv(qp, &recv_wr, &bad_recv)); }
static void post_srq(unsigned n) { for (unsigned i = 0; i < n; i++) MUST(!ibv_post_srq_recv(srq, &recv_wr, &bad_recv)); }
static void poll_1(unsigned n) { for (unsigned i = 0; i < n; i++) MUST(ibv_poll_cq(cq, 1, wc) == 1); }
static void poll_16(unsigned n) { for (unsigned i = 0; i < n; i += 16) MUST(ibv_poll_cq(cq, 16, wc) == 16); }
static void poll_empty(unsigned n) { for (unsigned i = 0; i < n; i++) MUST(!ibv_poll_cq(cq, 1, wc)); }
static void build_write(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		ibv_wr_start(qpx);
		qpx->wr_id = i;
		qpx->wr_flags = IBV_SEND_SIGNALED;
		ibv_wr_rdma_write(qpx, 0x1234, 0x10000);
		ibv_wr_set_sge(qpx, sge[0].lkey, sge[0].addr, sge[0].length);
		MUST(!ibv_wr_complete(qpx));
	}
}
static void poll_lazy(unsigned n)
{
	struct ibv_poll_cq_attr attr = {0};
	uint64_t sum = 0;

	MUST(!ibv_start_poll(lazy, &attr));
	for (unsigned i = 1;; i++) {
		sum += lazy->wr_id + ibv_wc_read_opcode(lazy) + ibv_wc_read_byte_len(lazy);
		if (i == n)
			break;
		MUST(!ibv_next_poll(lazy));
	}
	ibv_end_poll(lazy);
	__asm__ volatile("" :: "r"(sum));
}
__attribute__((noinline)) void measured(void (*run)(unsigned), unsigned n) { run(n); }

/* ---- setting up ------------------------------------------------------------------ */
static void reset(void)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_RESET };

	MUST(!ibv_modify_qp(qp, &a, IBV_QP_STATE));
	a = (struct ibv_qp_attr){ .qp_state = IBV_QPS_INIT, .port_num = 1 };
	MUST(!ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
}
static void ready(bool ud)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = 1 };

	MUST(!ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | (ud ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS)));
	a = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = qp->qp_num, .max_dest_rd_atomic = 1, .min_rnr_timer = 12,
		.ah_attr = { .is_global = 1, .port_num = 1, .grh = { .hop_limit = 1 } } };
	MUST(!ibv_modify_qp(qp, &a, IBV_QP_STATE | (ud ? 0 : IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)));
	a = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 1 };
	MUST(!ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_SQ_PSN | (ud ? 0 : IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC)));
}
static void set_up(bool ud, bool builders, bool extended, unsigned cqe_size, unsigned elements)
{
	struct ibv_cq_init_attr_ex ca = { .cqe = DEPTH, .wc_flags = IBV_WC_EX_WITH_BYTE_LEN };
	struct mlx5dv_cq_init_attr da = { .comp_mask = MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE, .cqe_size = cqe_size };
	struct ibv_qp_init_attr_ex a = { .qp_type = ud ? IBV_QPT_UD : IBV_QPT_RC, .comp_mask = IBV_QP_INIT_ATTR_PD,
		.cap = { .max_send_wr = DEPTH, .max_recv_wr = DEPTH, .max_send_sge = elements, .max_recv_sge = 1, .max_inline_data = 32 } };
	struct ibv_srq_init_attr sa = { .attr = { .max_wr = DEPTH, .max_sge = 1 } };
	struct ibv_ah_attr aa = { .is_global = 1, .port_num = 1, .grh = { .hop_limit = 1 } };
	struct ibv_device **l = ibv_get_device_list(NULL);
	struct mlx5dv_obj o;

	MUST(l && l[0]);
	MUST((ctx = ibv_open_device(l[0])));
	MUST((pd = ibv_alloc_pd(ctx)));
	MUST((mr = ibv_reg_mr(pd, memory, sizeof memory, IBV_ACCESS_LOCAL_WRITE)));
	MUST((sink = ibv_create_cq(ctx, 8192, NULL, NULL, 0)));
	if (extended || cqe_size != 64) {
		MUST((lazy = mlx5dv_create_cq(ctx, &ca, &da)));
		cq = ibv_cq_ex_to_cq(lazy);
	} else
		MUST((cq = ibv_create_cq(ctx, DEPTH, NULL, NULL, 0)));
	a.pd = pd;
	a.send_cq = a.recv_cq = sink;
	if (builders) {
		a.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		a.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_SEND;
	}
	MUST((qp = ibv_create_qp_ex(ctx, &a)));
	if (builders)
		qpx = ibv_qp_to_qp_ex(qp);
	ready(ud);
	MUST(!ibv_query_gid(ctx, 1, 0, &aa.grh.dgid));
	MUST((ah = ibv_create_ah(pd, &aa)));
	MUST((srq = ibv_create_srq(pd, &sa)));
	o = (struct mlx5dv_obj){ .qp = { qp, &dqp }, .cq = { cq, &dcq } };
	MUST(!mlx5dv_init_obj(&o, MLX5DV_OBJ_QP | MLX5DV_OBJ_CQ));
}
static void prepare(enum ibv_wr_opcode op, unsigned flags, unsigned bytes, unsigned elements, unsigned list)
{
	for (unsigned i = 0; i < 8; i++)
		sge[i] = (struct ibv_sge){ (uintptr_t)memory + i * 64, bytes, mr->lkey };
	for (unsigned i = 0; i < 16; i++)
		wr[i] = (struct ibv_send_wr){ .wr_id = i, .sg_list = sge, .num_sge = elements, .opcode = op, .send_flags = flags | IBV_SEND_SIGNALED,
			.wr = { .rdma = { 0x10000, 0x1234 } }, .next = i + 1 < list ? &wr[i + 1] : NULL };
	recv_wr = (struct ibv_recv_wr){ .wr_id = 1, .sg_list = sge, .num_sge = 1 };
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static const struct {
	const char *name;
	void (*run)(unsigned);
	bool ud, builders, extended;
	unsigned cqe_size;
	enum ibv_wr_opcode op;
	unsigned flags, bytes, elements, list;
} cases[] = {
	{ "write", post_one, 0, 0, 0, 64, IBV_WR_RDMA_WRITE, 0, 64, 1, 1 },
	{ "send", post_one, 0, 0, 0, 64, IBV_WR_SEND, 0, 64, 1, 1 },
	{ "inline32", post_one, 0, 0, 0, 64, IBV_WR_SEND, IBV_SEND_INLINE, 32, 1, 1 },
	{ "list16", post_list, 0, 0, 0, 64, IBV_WR_RDMA_WRITE, 0, 64, 1, 16 },
	{ "sge2", post_one, 0, 0, 0, 64, IBV_WR_RDMA_WRITE, 0, 64, 2, 1 },
	{ "sge8", post_one, 0, 0, 0, 64, IBV_WR_RDMA_WRITE, 0, 64, 8, 1 },
	{ "ud", post_one, 1, 0, 0, 64, IBV_WR_SEND, 0, 64, 1, 1 },
	{ "build", build_write, 0, 1, 1, 64, IBV_WR_RDMA_WRITE, 0, 64, 1, 1 },
	{ "recv", post_recv, 0, 0, 0, 64, IBV_WR_SEND, 0, 64, 1, 1 },
	{ "srq", post_srq, 0, 0, 0, 64, IBV_WR_SEND, 0, 64, 1, 1 },
	{ "poll1", poll_1, 0, 0, 0, 64, IBV_WR_RDMA_WRITE, 0, 64, 1, 1 },
	{ "poll16", poll_16, 0, 0, 0, 64, IBV_WR_RDMA_WRITE, 0, 64, 1, 1 },
	{ "poll16_128", poll_16, 0, 0, 0, 128, IBV_WR_RDMA_WRITE, 0, 64, 1, 1 },
	{ "poll0", poll_empty, 0, 0, 0, 64, IBV_WR_RDMA_WRITE, 0, 64, 1, 1 },
	{ "lazy", poll_lazy, 0, 1, 1, 64, IBV_WR_RDMA_WRITE, 0, 64, 1, 1 },
};

int main(int argc, char **argv)
{
	long rounds = argc > 2 ? atol(argv[2]) : 0, batches = argc > 3 ? atol(argv[3]) : 1;
	double best = 1e18;

	MUST(argc >= 3 && rounds > 0 && rounds <= BATCH && rounds % 16 == 0);
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		bool polls = cases[i].run == poll_1 || cases[i].run == poll_16 || cases[i].run == poll_lazy;

		if (strcmp(argv[1], cases[i].name))
			continue;
		set_up(cases[i].ud, cases[i].builders, cases[i].extended, cases[i].cqe_size, cases[i].elements);
		prepare(cases[i].op, cases[i].flags, cases[i].bytes, cases[i].elements, cases[i].list);
		if (cases[i].ud)
			for (unsigned w = 0; w < 16; w++) {
				wr[w].wr.ud.ah = ah;
				wr[w].wr.ud.remote_qpn = qp->qp_num;
			}
		for (long b = 0; b < batches; b++) {
			double t;

			if (polls) {
				post_one(rounds);
				complete();
			}
			t = now();
			measured(cases[i].run, rounds);
			t = (now() - t) / rounds;
			if (t < best)
				best = t;
			if (cases[i].run == post_recv)
				reset();
			else if (cases[i].run == post_srq)
				break;                   /* receives come back by completions only */
			else
				drain();
		}
		printf("%.1f\n", best);
		return 0;
	}
	fprintf(stderr, "no case is named %s\n", argv[1]);
	return 2;
}
