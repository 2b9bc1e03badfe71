/* ibv_bind_mw: what is refused, the keys that a window goes through, and who may write by them.
 */
#include "common.h"

static struct ibv_cq *cq;
static struct ibv_qp *qp;
static struct ibv_mr *mr, *zero, *plain;
static char target[8192] __attribute__((aligned(4096))), source[64] = "written through a window";

static void wait_for(const char *label)
{
	struct ibv_wc wc;
	int n;

	for (int tries = 0; !(n = ibv_poll_cq(cq, 1, &wc)) && tries < 5000; tries++)
		usleep(1000);
	if (n == 1)
		printf("  %s: %s, id %lu, opcode %d\n", label, ibv_wc_status_str(wc.status), (unsigned long)wc.wr_id, wc.status ? -1 : (int)wc.opcode);
	else
		printf("  %s: polled %d\n", label, n);
}

static void to_rts(struct ibv_context *ctx)
{
	union ibv_gid gid;
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ };

	MUST(!ibv_query_gid(ctx, 1, 0, &gid));
	MUST(!ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS));
	a = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = qp->qp_num, .max_dest_rd_atomic = 1, .min_rnr_timer = 12,
		.ah_attr = { .is_global = 1, .port_num = 1, .grh = { .dgid = gid, .hop_limit = 1 } } };
	MUST(!ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER));
	a = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 1 };
	MUST(!ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC));
}

static void again(struct ibv_context *ctx)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_RESET };

	MUST(!ibv_modify_qp(qp, &a, IBV_QP_STATE));
	to_rts(ctx);
}

static int bind_it(const char *label, struct ibv_mw *mw, struct ibv_mr *of, void *addr, uint64_t length, unsigned access, unsigned flags)
{
	struct ibv_mw_bind b = { .wr_id = 7, .send_flags = flags, .bind_info = { .mr = of, .addr = (uintptr_t)addr, .length = length, .mw_access_flags = access } };
	uint32_t before = mw->rkey;
	int r = VAL(label, ibv_bind_mw(qp, mw, &b));

	printf("  key %s, next tag %d\n", mw->rkey == before ? "stays" : mw->rkey >> 8 == before >> 8 ? "changes its tag" : "is another", (uint8_t)(mw->rkey - before));
	return r;
}

static void write_by(const char *label, uint32_t rkey, char *addr, size_t length)
{
	struct ibv_sge sge = { .addr = (uintptr_t)source, .length = length, .lkey = plain->lkey };
	struct ibv_send_wr wr = { .wr_id = 9, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { .remote_addr = (uintptr_t)addr, .rkey = rkey } }, *bad;

	memset(target, 0, sizeof target);
	MUST(!ibv_post_send(qp, &wr, &bad));
	wait_for(label);
	printf("  there: '%.64s'\n", addr);
}

int main(void)
{
	struct ibv_context *ctx = ibv_open_device(the_device(0));
	struct ibv_pd *pd;
	struct ibv_mw *mw, *second;
	uint32_t old;

	MUST(ctx);
	MUST((pd = ibv_alloc_pd(ctx)));
	MUST((cq = ibv_create_cq(ctx, 16, NULL, NULL, 0)));
	{
		struct ibv_qp_init_attr init = { .send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC,
			.cap = { .max_recv_wr = 1, .max_recv_sge = 1, .max_send_wr = 4, .max_send_sge = 1 } };

		MUST((qp = ibv_create_qp(pd, &init)));
	}
	to_rts(ctx);
	MUST((mr = ibv_reg_mr(pd, target, sizeof target, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_MW_BIND)));
	MUST((plain = ibv_reg_mr(pd, source, sizeof source, IBV_ACCESS_LOCAL_WRITE)));
	zero = PTR("zero based region", ibv_reg_mr(pd, target, sizeof target, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND | IBV_ACCESS_ZERO_BASED));
	MUST((mw = ibv_alloc_mw(pd, IBV_MW_TYPE_1)));

	bind_it("zero based access", mw, mr, target, 64, IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_ZERO_BASED, 0);
	if (zero)
		bind_it("zero based region", mw, zero, 0, 64, IBV_ACCESS_REMOTE_WRITE, 0);
	{
		struct ibv_mr *null = ibv_alloc_null_mr(pd);

		if (null) {
			bind_it("null region", mw, null, target, 64, IBV_ACCESS_REMOTE_WRITE, 0);
			ibv_dereg_mr(null);
		}
	}
	bind_it("length without a region", mw, NULL, target, 64, IBV_ACCESS_REMOTE_WRITE, 0);
	bind_it("address without a region", mw, NULL, target, 0, IBV_ACCESS_REMOTE_WRITE, 0);
	bind_it("more than 2 GiB", mw, mr, target, (2ull << 30) + 1, IBV_ACCESS_REMOTE_WRITE, 0);
	bind_it("local access only", mw, mr, target, 64, IBV_ACCESS_LOCAL_WRITE, IBV_SEND_SIGNALED);
	wait_for("completion");
	again(ctx);

	bind_it("bind", mw, mr, target + 100, 64, IBV_ACCESS_REMOTE_WRITE, IBV_SEND_SIGNALED);
	wait_for("completion");
	write_by("write", mw->rkey, target + 100, 25);
	old = mw->rkey;
	bind_it("move it", mw, mr, target + 4000, 200, IBV_ACCESS_REMOTE_WRITE, IBV_SEND_SIGNALED);
	wait_for("completion");
	write_by("write by the new key", mw->rkey, target + 4090, 25);
	write_by("write by the old key", old, target + 4090, 25);
	again(ctx);
	write_by("write before the window", mw->rkey, target + 3999, 25);
	again(ctx);
	write_by("write over its end", mw->rkey, target + 4190, 25);
	again(ctx);
	bind_it("for reading", mw, mr, target, 200, IBV_ACCESS_REMOTE_READ, IBV_SEND_SIGNALED);
	wait_for("completion");
	write_by("write there", mw->rkey, target, 25);
	again(ctx);
	bind_it("unbind", mw, NULL, NULL, 0, 0, IBV_SEND_SIGNALED);
	wait_for("completion");
	write_by("write after it", mw->rkey, target, 25);
	again(ctx);
	bind_it("region without the right", mw, plain, source, 10, IBV_ACCESS_REMOTE_READ, IBV_SEND_SIGNALED);
	wait_for("completion");
	again(ctx);
	second = PTR("a window of type 2", ibv_alloc_mw(pd, IBV_MW_TYPE_2));
	if (second) {
		bind_it("bind it so", second, mr, target, 64, IBV_ACCESS_REMOTE_WRITE, IBV_SEND_SIGNALED);
		VAL("dealloc it", ibv_dealloc_mw(second));
	}
	VAL("dealloc the window", ibv_dealloc_mw(mw));
	if (zero)
		VAL("deregister", ibv_dereg_mr(zero));
	VAL("deregister", ibv_dereg_mr(plain));
	VAL("deregister", ibv_dereg_mr(mr));
	VAL("destroy the QP", ibv_destroy_qp(qp));
	VAL("destroy the CQ", ibv_destroy_cq(cq));
	VAL("dealloc the domain", ibv_dealloc_pd(pd));
	done(ctx);
	return 0;
}
