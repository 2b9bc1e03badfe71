/* Sizes of queues over many combinations of wishes: what is reported, what the rings are, which
 * wishes are refused. The combinations are random but the same on each run.
 * A QP whose largest request fills its WQE to the last byte is left out: the reference reports a
 * wrapped max_inline_data there (docs/differences.md).
 * since: 65.0
 * records: differ, buffers lie where malloc puts them
 * run default: arg 1 ; arg 1500
 * run more: arg 7 ; arg 1500
 * run signed: arg 3 ; arg 500 ; env MLX5_QP_SIGNATURE=1
 * run cqe128: arg 5 ; arg 300 ; env MLX5_CQE_SIZE=128
 * records: differ, sizes that cannot be are refused here before the kernel is asked
 */
#include "common.h"

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_srq *srq;
static unsigned long state;

static unsigned rnd(void)
{
	state = state * 6364136223846793005ul + 1442695040888963407ul;
	return state >> 33;
}
#define PICK(a) a[rnd() % (sizeof a / sizeof *a)]

static const unsigned wrs[] = { 0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 63, 64, 100, 127, 128, 129, 255, 256, 1000, 1024, 4095, 4096,
	8191, 8192, 8193, 16384, 20000, 32767, 32768, 32769, 40000, 65536, 1000000, 0x7fffffff, 0x80000000, 0xffffffff };
static const unsigned sges[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 14, 15, 16, 20, 28, 29, 30, 31, 32, 33, 48, 50, 51, 52, 53, 60, 61,
	62, 63, 64, 100, 1000, 0x7fffffff };
static const unsigned inls[] = { 0, 0, 0, 1, 4, 8, 11, 12, 13, 16, 28, 29, 44, 45, 59, 60, 61, 64, 100, 128, 200, 255, 256, 400, 500,
	512, 700, 800, 812, 828, 829, 900, 956, 957, 1000, 1020, 1024, 4096, 100000 };
static const int types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD, IBV_QPT_RAW_PACKET, IBV_QPT_XRC_SEND, IBV_QPT_RC, 5, 0 };
static const unsigned tsos[] = { 0, 1, 14, 15, 16, 17, 54, 64, 100, 128, 200, 500, 900, 1000, 65535 };

static void show(const char *label, struct ibv_qp *qp, struct ibv_qp_cap *cap, int e)
{
	struct mlx5dv_qp view = { 0 };
	struct mlx5dv_obj obj = { .qp = { qp, &view } };

	if (cap->max_inline_data == 0xfffffffc || (!cap->max_send_sge && cap->max_send_wr && !cap->max_inline_data)) {
		if (qp)
			MUST(!ibv_destroy_qp(qp));
		return;
	}
	if (!qp) {
		printf("%s: %s inline %u\n", label, en(e), cap->max_inline_data);
		return;
	}
	MUST(!mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP));
	printf("%s: %u %u %u %u %u | sq %u %u rq %u %u", label, cap->max_send_wr, cap->max_recv_wr, cap->max_send_sge, cap->max_recv_sge,
	       cap->max_inline_data, view.sq.wqe_cnt, view.sq.stride, view.rq.wqe_cnt, view.rq.stride);
	if (qp->qp_type != IBV_QPT_RAW_PACKET)
		printf(" apart %ld", (long)((char *)view.sq.buf - (char *)view.rq.buf));
	putchar('\n');
	MUST(!ibv_destroy_qp(qp));
}

static void one(unsigned i)
{
	struct ibv_qp_cap cap = { PICK(wrs), PICK(wrs), PICK(sges), PICK(sges), PICK(inls) };
	int type = PICK(types), way = rnd() % 3, with_srq = rnd() % 8 == 0, small = rnd() % 3;
	struct ibv_qp_init_attr_ex a = { .send_cq = cq, .recv_cq = cq, .qp_type = type, .srq = with_srq ? srq : NULL,
		.comp_mask = IBV_QP_INIT_ATTR_PD, .pd = pd };
	struct mlx5dv_qp_init_attr dv = { 0 };
	struct ibv_qp *qp;
	char label[160];

	if (small) {
		cap.max_send_wr %= 300;
		cap.max_recv_wr %= 300;
		cap.max_send_sge %= 40;
		cap.max_recv_sge %= 34;
	}
	if (way == 0) {
		struct ibv_qp_init_attr b = { .send_cq = cq, .recv_cq = cq, .cap = cap, .qp_type = type, .srq = a.srq };

		snprintf(label, sizeof label, "%u basic type %d srq %d", i, type, with_srq);
		errno = 0;
		qp = ibv_create_qp(pd, &b);
		show(label, qp, &b.cap, errno);
		return;
	}
	a.cap = cap;
	if (rnd() % 2) {
		int n = 1 + rnd() % 4;

		a.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		while (n--)
			a.send_ops_flags |= 1 << rnd() % 10;
		if (type == IBV_QPT_UD)
			a.send_ops_flags &= IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM;
		if (type == IBV_QPT_RAW_PACKET)
			a.send_ops_flags = IBV_QP_EX_WITH_SEND | (rnd() % 2 ? IBV_QP_EX_WITH_TSO : 0);
	}
	if (type == IBV_QPT_RAW_PACKET && rnd() % 2) {
		a.comp_mask |= IBV_QP_INIT_ATTR_MAX_TSO_HEADER;
		a.max_tso_header = PICK(tsos);
	}
	if (way == 2 && type == IBV_QPT_RC && rnd() % 3 == 0) {
		dv.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS;
		dv.send_ops_flags = rnd() % 8;
	}
	if (way == 2 && rnd() % 4 == 0) {
		a.qp_type = IBV_QPT_DRIVER;
		a.srq = NULL;
		a.cap.max_recv_wr = 0;
		a.comp_mask &= ~IBV_QP_INIT_ATTR_MAX_TSO_HEADER;
		if (a.send_ops_flags & IBV_QP_EX_WITH_TSO)
			a.send_ops_flags = IBV_QP_EX_WITH_SEND;
		dv.comp_mask |= MLX5DV_QP_INIT_ATTR_MASK_DC;
		dv.dc_init_attr.dc_type = MLX5DV_DCTYPE_DCI;
	}
	snprintf(label, sizeof label, "%u %s type %d srq %d ops %lx tso %u mlx5 %lx/%lx", i, way == 1 ? "ex" : "mlx5", a.qp_type, with_srq,
		 (long)a.send_ops_flags, a.max_tso_header, (long)dv.comp_mask, (long)dv.send_ops_flags);
	errno = 0;
	qp = way == 1 ? ibv_create_qp_ex(ctx, &a) : mlx5dv_create_qp(ctx, &a, &dv);
	show(label, qp, &a.cap, errno);
}

int main(int argc, char **argv)
{
	static const int cqes[] = { -1, 0, 1, 2, 3, 4, 5, 7, 8, 9, 100, 127, 128, 1000, 65535, 65536, 1 << 20, (1 << 24) - 1, 1 << 24,
		(1 << 24) + 1, 0x7fffffff };
	unsigned count = argc > 2 ? atoi(argv[2]) : 500;
	struct ibv_srq_init_attr sa = { .attr = { 10, 1, 0 } };

	state = argc > 1 ? atoi(argv[1]) : 1;
	ctx = open_devx();
	MUST((pd = ibv_alloc_pd(ctx)) && (cq = ibv_create_cq(ctx, 100, NULL, NULL, 0)) && (srq = ibv_create_srq(pd, &sa)));
	for (unsigned i = 0; i < count; i++)
		one(i);
	for (unsigned i = 0; i < sizeof cqes / sizeof *cqes; i++) {
		struct mlx5dv_cq view;
		struct mlx5dv_obj obj = { .cq.out = &view };
		struct ibv_cq *q;

		errno = 0;
		obj.cq.in = q = ibv_create_cq(ctx, cqes[i], NULL, NULL, 0);
		if (!q) {
			printf("cq %d: %s\n", cqes[i], en(errno));
			continue;
		}
		MUST(!mlx5dv_init_obj(&obj, MLX5DV_OBJ_CQ));
		printf("cq %d: %d %u %u owner %#x\n", cqes[i], q->cqe, view.cqe_cnt, view.cqe_size,
		       ((uint8_t *)view.buf)[(size_t)view.cqe_cnt * view.cqe_size - 1]);
		MUST(!ibv_destroy_cq(q));
	}
	for (unsigned i = 0; i < 150; i++) {
		struct ibv_srq_init_attr s = { .attr = { PICK(wrs), PICK(sges), 0 } };
		unsigned wr = s.attr.max_wr ? s.attr.max_wr : 1, sge = s.attr.max_sge;
		struct mlx5dv_srq view = { .comp_mask = MLX5DV_SRQ_MASK_SRQN };
		struct mlx5dv_obj obj = { .srq.out = &view };
		struct ibv_srq *q;

		s.attr.max_wr = wr;
		errno = 0;
		obj.srq.in = q = ibv_create_srq(pd, &s);
		if (!q) {
			printf("srq %u %u: %s now %u %u\n", wr, sge, en(errno), s.attr.max_wr, s.attr.max_sge);
			continue;
		}
		MUST(!mlx5dv_init_obj(&obj, MLX5DV_OBJ_SRQ));
		printf("srq %u %u: %u %u stride %u head %u tail %u mask %#lx next", wr, sge, s.attr.max_wr, s.attr.max_sge, view.stride, view.head,
		       view.tail, (long)view.comp_mask);
		for (unsigned k = 0; k < 3 && k <= view.tail; k++)
			printf(" %u", be16toh(*(uint16_t *)((char *)view.buf + (size_t)k * view.stride + 2)));
		putchar('\n');
		MUST(!ibv_destroy_srq(q));
	}
	MUST(!ibv_destroy_srq(srq) && !ibv_destroy_cq(cq) && !ibv_dealloc_pd(pd));
	done(ctx);
	return 0;
}
