/* Modification and query of queue pairs: every state, each attribute by itself, ECE, rate limits,
 * order of data, what posting is told in which state.
 * since: 65.0
 * records: differ, buffers lie where malloc puts them
 * run infiniband: sim --port ib
 * run two-ports: sim --ports 2
 * run refused: sim --fault WRITE.MODIFY_QP#2=EINVAL --fault WRITE.QUERY_QP#2=ENOMEM --fault QP.DESTROY#1=EBUSY
 */
#include "common.h"

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static char mem[4096] __attribute__((aligned(4096)));

static void post(struct ibv_qp *qp)
{
	struct ibv_send_wr sw = { .wr_id = 1, .opcode = IBV_WR_SEND }, *bads = NULL;
	struct ibv_recv_wr rw = { .wr_id = 2 }, *badr = NULL;
	int r;

	r = ibv_post_recv(qp, &rw, &badr);
	printf("  post_recv %s%s", en(r), badr ? " bad" : "");
	r = ibv_post_send(qp, &sw, &bads);
	printf(", post_send %s%s\n", en(r), bads ? " bad" : "");
}
static void query(struct ibv_qp *qp)
{
	struct ibv_qp_attr a;
	struct ibv_qp_init_attr i;
	int r;

	memset(&a, 0xee, sizeof a);
	memset(&i, 0xee, sizeof i);
	r = VAL("  query", ibv_query_qp(qp, &a, IBV_QP_STATE | IBV_QP_CAP | IBV_QP_AV, &i));
	if (r)
		return;
	printf("  state %d cur %d mtu %d mig %d qkey %#x rq_psn %#x sq_psn %#x dest %#x access %#x pkey %d sqd %d rd %d %d rnr %d port %d timeout %d retry %d %d\n",
	       a.qp_state, a.cur_qp_state, a.path_mtu, a.path_mig_state, a.qkey, a.rq_psn, a.sq_psn, a.dest_qp_num ? 1 : 0, a.qp_access_flags,
	       a.pkey_index, a.sq_draining, a.max_rd_atomic, a.max_dest_rd_atomic, a.min_rnr_timer, a.port_num, a.timeout, a.retry_cnt, a.rnr_retry);
	printf("  cap %u %u %u %u %u, init %u %u %u %u %u type %d sig %d cqs %d %d\n", a.cap.max_send_wr, a.cap.max_recv_wr, a.cap.max_send_sge,
	       a.cap.max_recv_sge, a.cap.max_inline_data, i.cap.max_send_wr, i.cap.max_recv_wr, i.cap.max_send_sge, i.cap.max_recv_sge,
	       i.cap.max_inline_data, i.qp_type, i.sq_sig_all, i.send_cq == cq, i.recv_cq == cq);
	printf("  ah global %d dlid %d sl %d hop %d port %d\n", a.ah_attr.is_global, a.ah_attr.dlid, a.ah_attr.sl, a.ah_attr.grh.hop_limit,
	       a.ah_attr.port_num);
}
static int to(struct ibv_qp *qp, int state, int drop)
{
	struct ibv_qp_attr a = { .qp_state = state };
	int mask = IBV_QP_STATE, type = qp->qp_type;
	char label[64];

	if (state == IBV_QPS_INIT) {
		a.port_num = 1;
		a.qp_access_flags = 7;
		a.qkey = 0x1234;
		mask |= IBV_QP_PORT;
		if (type != IBV_QPT_RAW_PACKET)
			mask |= IBV_QP_PKEY_INDEX | (type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS);
	} else if (state == IBV_QPS_RTR && (type == IBV_QPT_RC || type == IBV_QPT_UC)) {
		a.path_mtu = IBV_MTU_1024;
		a.dest_qp_num = qp->qp_num;
		a.rq_psn = 5;
		a.max_dest_rd_atomic = 1;
		a.min_rnr_timer = 12;
		a.ah_attr.port_num = 1;
		a.ah_attr.dlid = 1;
		a.ah_attr.is_global = 1;
		a.ah_attr.grh.hop_limit = 3;
		MUST(!ibv_query_gid(ctx, 1, 0, &a.ah_attr.grh.dgid));
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
		if (type == IBV_QPT_RC)
			mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	} else if (state == IBV_QPS_RTS && type != IBV_QPT_RAW_PACKET) {
		a.sq_psn = 7;
		a.timeout = 14;
		a.retry_cnt = 6;
		a.rnr_retry = 5;
		a.max_rd_atomic = 1;
		mask |= IBV_QP_SQ_PSN;
		if (type == IBV_QPT_RC)
			mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
	}
	mask &= ~drop;
	snprintf(label, sizeof label, " to %d mask %#x", state, mask);
	return VAL(label, ibv_modify_qp(qp, &a, mask));
}

int main(void)
{
	static const int types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD, IBV_QPT_RAW_PACKET };
	struct ibv_mr *mr;

	ctx = open_devx();
	MUST((pd = ibv_alloc_pd(ctx)) && (cq = ibv_create_cq(ctx, 100, NULL, NULL, 0)) && (mr = ibv_reg_mr(pd, mem, sizeof mem, 7)));
	for (unsigned i = 0; i < sizeof types / sizeof *types; i++) {
		struct ibv_qp_init_attr a = { .send_cq = cq, .recv_cq = cq, .cap = { 10, 20, 1, 2, 0 }, .qp_type = types[i], .sq_sig_all = i & 1 };
		struct ibv_qp *qp;

		printf("type %d\n", types[i]);
		qp = PTR("create", ibv_create_qp(pd, &a));
		if (!qp)
			continue;
		post(qp);
		query(qp);
		to(qp, IBV_QPS_RTR, 0);
		to(qp, IBV_QPS_INIT, IBV_QP_PORT);
		to(qp, IBV_QPS_INIT, 0);
		query(qp);
		to(qp, IBV_QPS_RTS, 0);
		to(qp, IBV_QPS_RTR, IBV_QP_DEST_QPN);
		to(qp, IBV_QPS_RTR, 0);
		query(qp);
		printf("in order %d\n", ibv_query_qp_data_in_order(qp, IBV_WR_RDMA_WRITE, 0));
		to(qp, IBV_QPS_RTS, 0);
		query(qp);
		printf("in order %d\n", ibv_query_qp_data_in_order(qp, IBV_WR_RDMA_WRITE, 0));
		{
			struct ibv_ece ece = { 0 };
			struct ibv_qp_rate_limit_attr rl = { .rate_limit = 100 };

			VAL("query_ece", ibv_query_ece(qp, &ece));
			printf("  %#x %#x %#x\n", ece.vendor_id, ece.options, ece.comp_mask);
			ece.comp_mask = 1;
			VAL("set_ece comp_mask", ibv_set_ece(qp, &ece));
			ece.comp_mask = 0;
			ece.vendor_id = 1;
			VAL("set_ece vendor", ibv_set_ece(qp, &ece));
			ece.vendor_id = 0x15b3;
			ece.options = 0;
			VAL("set_ece nothing", ibv_set_ece(qp, &ece));
			VAL("rate limit", ibv_modify_qp_rate_limit(qp, &rl));
			rl.comp_mask = 1;
			VAL("rate limit comp_mask", ibv_modify_qp_rate_limit(qp, &rl));
			rl.comp_mask = 0;
			rl.max_burst_sz = 10;
			VAL("rate limit burst", ibv_modify_qp_rate_limit(qp, &rl));
			rl.rate_limit = 0;
			VAL("rate limit burst without rate", ibv_modify_qp_rate_limit(qp, &rl));
		}
		to(qp, IBV_QPS_SQD, 0);
		to(qp, IBV_QPS_ERR, 0);
		query(qp);
		to(qp, IBV_QPS_RESET, 0);
		query(qp);
		post(qp);
		to(qp, IBV_QPS_INIT, 0);
		to(qp, IBV_QPS_ERR, 0);
		if (VAL("destroy", ibv_destroy_qp(qp)))
			VAL("destroy again", ibv_destroy_qp(qp));
	}
	MUST(!ibv_dereg_mr(mr) && !ibv_destroy_cq(cq) && !ibv_dealloc_pd(pd));
	done(ctx);
	return 0;
}
