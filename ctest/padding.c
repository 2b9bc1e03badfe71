/* The padding at the end of ibv_qp_init_attr is the caller's rubbish and must not be taken for
 * anything: the queue pair is made as if it were zero, also with a shared receive queue.
 */
#include "common.h"

static void make(struct ibv_pd *pd, struct ibv_cq *cq, struct ibv_srq *srq, uint8_t filling)
{
	union { struct ibv_qp_init_attr attr; uint8_t raw[sizeof(struct ibv_qp_init_attr) + 64]; } u;
	struct ibv_qp *qp;
	struct ibv_qp_attr qa;
	struct ibv_qp_init_attr back;
	char label[64];

	memset(&u, filling, sizeof u);
	u.attr.qp_context = NULL;
	u.attr.send_cq = u.attr.recv_cq = cq;
	u.attr.srq = srq;
	u.attr.cap = (struct ibv_qp_cap){ .max_send_wr = 4, .max_recv_wr = srq ? 0 : 4, .max_send_sge = 1, .max_recv_sge = srq ? 0 : 1 };
	u.attr.qp_type = IBV_QPT_RC;
	u.attr.sq_sig_all = 0;
	snprintf(label, sizeof label, "padding of %#x, %s", filling, srq ? "with an SRQ" : "without");
	qp = PTR(label, ibv_create_qp(pd, &u.attr));
	if (!qp)
		return;
	VAL("  query", ibv_query_qp(qp, &qa, IBV_QP_CAP | IBV_QP_STATE, &back));
	printf("  state %d srq %s send %u recv %u\n", qa.qp_state, back.srq == srq ? "kept" : "lost", back.cap.max_send_wr, back.cap.max_recv_wr);
	VAL("  destroy", ibv_destroy_qp(qp));
}

int main(void)
{
	struct ibv_context *ctx = open_devx();
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	struct ibv_cq *cq = ibv_create_cq(ctx, 15, NULL, NULL, 0);
	struct ibv_srq_init_attr sa = { .attr = { .max_wr = 8, .max_sge = 1 } };
	struct ibv_srq *srq;

	MUST(pd && cq);
	srq = PTR("SRQ", ibv_create_srq(pd, &sa));
	make(pd, cq, NULL, 0);
	make(pd, cq, NULL, 0xff);
	if (srq) {
		make(pd, cq, srq, 0);
		make(pd, cq, srq, 0xff);
		VAL("destroy srq", ibv_destroy_srq(srq));
	}
	VAL("destroy cq", ibv_destroy_cq(cq));
	VAL("dealloc pd", ibv_dealloc_pd(pd));
	done(ctx);
	return 0;
}
