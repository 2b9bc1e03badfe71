/* Creation of queue pairs of every type: refusals in their order, flags, DC, RSS, XRC, underlay,
 * the raw views.
 * since: 65.0
 * records: differ, buffers lie where malloc puts them
 * run signed: env MLX5_QP_SIGNATURE=0 MLX5_SRQ_SIGNATURE=1 MLX5_RWQ_SIGNATURE=1
 * run no-scatter: env MLX5_SCATTER_TO_CQE=0
 * run scatter-env: env MLX5_SCATTER_TO_CQE=00
 * run single: env MLX5_SINGLE_THREADED=1 MLX5_SHUT_UP_BF=1
 * run legacy: sim --fault DEVICE.GET_CONTEXT#1=EINVAL
 * run cqe-v0: sim --fault DEVICE.GET_CONTEXT#1=EINVAL --fault DEVICE.GET_CONTEXT#2=EINVAL
 * run ooo: sim --cap 0:816:5=31
 * run infiniband: sim --port ib
 * run refused: sim --fault QP.CREATE#2=EIO --fault QP.CREATE#5=ENOMEM --fault QP.CREATE#9=EINVAL
 */
#include "common.h"

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_srq *srq;
static bool apart; /* each queue has a buffer of its own */

static void look(struct ibv_qp *qp, bool queues)
{
	struct mlx5dv_qp view;
	struct mlx5dv_obj obj = { .qp = { qp, &view } };

	printf("  context %d qp_context %d pd %d cqs %d %d srq %d type %d state %d number %s ex %d\n", qp->context == ctx, qp->qp_context == (void *)9,
	       qp->pd == pd, qp->send_cq == cq, qp->recv_cq == cq, qp->srq != NULL, qp->qp_type, qp->state, qp->qp_num ? "set" : "0",
	       ibv_qp_to_qp_ex(qp) != NULL);
	/* the reference has no view of queues without a register */
	if (!queues)
		return;
	memset(&view, 0xff, sizeof view);
	view.comp_mask = 0xf;
	apart = apart || qp->qp_type == IBV_QPT_RAW_PACKET;
	MUST(!mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP));
	printf("  sq %u of %u at %d, rq %u of %u, bf %d size %u, mask %#lx, numbers %d %d %d %d %d\n", view.sq.wqe_cnt, view.sq.stride,
	       apart ? 0 : (int)((char *)view.sq.buf - (char *)view.rq.buf), view.rq.wqe_cnt, view.rq.stride,
	       view.bf.reg != NULL, view.bf.size, (long)view.comp_mask, view.tirn != 0, view.tisn != 0, view.rqn != 0, view.sqn != 0,
	       view.tir_icm_addr != 0);
	apart = false;
}
static void cap(const struct ibv_qp_cap *c)
{
	printf("  cap %u %u %u %u %u\n", c->max_send_wr, c->max_recv_wr, c->max_send_sge, c->max_recv_sge, c->max_inline_data);
}
static void finish(struct ibv_qp *qp, bool view)
{
	if (!qp)
		return;
	look(qp, view);
	VAL("  destroy", ibv_destroy_qp(qp));
}
static struct ibv_qp_init_attr_ex base(int type)
{
	struct ibv_qp_init_attr_ex a = { .qp_context = (void *)9, .send_cq = cq, .recv_cq = cq, .cap = { 10, 20, 1, 2, 0 }, .qp_type = type,
		.comp_mask = IBV_QP_INIT_ATTR_PD, .pd = pd };
	return a;
}

int main(void)
{
	static const int types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD, IBV_QPT_RAW_PACKET, IBV_QPT_XRC_SEND, IBV_QPT_DRIVER, 0, 5, 100 };
	struct ibv_srq_init_attr sa = { .attr = { 10, 1, 0 } };
	struct ibv_xrcd_init_attr xa = { .comp_mask = 3, .fd = -1, .oflags = O_CREAT };
	struct ibv_xrcd *xrcd;
	char label[128];

	ctx = open_devx();
	MUST((pd = ibv_alloc_pd(ctx)) && (cq = ibv_create_cq(ctx, 100, NULL, NULL, 0)) && (srq = ibv_create_srq(pd, &sa)));
	for (unsigned i = 0; i < sizeof types / sizeof *types; i++)
		for (int with_srq = 0; with_srq < 2; with_srq++) {
			struct ibv_qp_init_attr a = { .qp_context = (void *)9, .send_cq = cq, .recv_cq = cq, .srq = with_srq ? srq : NULL,
				.cap = { 10, 20, 1, 2, 0 }, .qp_type = types[i], .sq_sig_all = with_srq };
			struct ibv_qp *qp;

			if (types[i] == IBV_QPT_DRIVER)
				continue; /* errno is left alone */
			snprintf(label, sizeof label, "create_qp type %d srq %d", types[i], with_srq);
			qp = PTR(label, ibv_create_qp(pd, &a));
			cap(&a.cap);
			finish(qp, true);
		}
	/* operations, one by one and by type */
	for (unsigned i = 0; i < sizeof types / sizeof *types; i++)
		for (int bit = 0; bit < 14; bit++) {
			struct ibv_qp_init_attr_ex a = base(types[i]);
			struct ibv_qp *qp;

			if (types[i] == IBV_QPT_DRIVER)
				continue;
			a.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
			a.send_ops_flags = 1ul << bit;
			snprintf(label, sizeof label, "create_qp_ex type %d op %#lx", types[i], (long)a.send_ops_flags);
			qp = PTR(label, ibv_create_qp_ex(ctx, &a));
			cap(&a.cap);
			finish(qp, false);
		}
	for (int bit = 0; bit < 7; bit++)
		for (int type = 0; type < 3; type++) {
			struct ibv_qp_init_attr_ex a = base(type == 0 ? IBV_QPT_RC : type == 1 ? IBV_QPT_UD : IBV_QPT_DRIVER);
			struct mlx5dv_qp_init_attr dv = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS, .send_ops_flags = 1ul << bit };
			struct ibv_qp *qp;

			if (type == 2) {
				a.cap.max_recv_wr = 0;
				dv.comp_mask |= MLX5DV_QP_INIT_ATTR_MASK_DC;
				dv.dc_init_attr.dc_type = MLX5DV_DCTYPE_DCI;
			}
			snprintf(label, sizeof label, "mlx5dv_create_qp kind %d op %#lx", type, (long)dv.send_ops_flags);
			qp = PTR(label, mlx5dv_create_qp(ctx, &a, &dv));
			cap(&a.cap);
			finish(qp, false);
		}
	/* create flags of verbs */
	for (uint32_t bit = 1; bit <= 0x1000; bit <<= 1)
		for (int type = 0; type < 3; type++) {
			struct ibv_qp_init_attr_ex a = base(type == 0 ? IBV_QPT_RC : type == 1 ? IBV_QPT_UD : IBV_QPT_RAW_PACKET);
			struct ibv_qp *qp;

			a.comp_mask |= IBV_QP_INIT_ATTR_CREATE_FLAGS;
			a.create_flags = bit;
			a.source_qpn = 0x321;
			snprintf(label, sizeof label, "create_qp_ex kind %d create_flags %#x", type, bit);
			qp = PTR(label, ibv_create_qp_ex(ctx, &a));
			apart = bit == IBV_QP_CREATE_SOURCE_QPN;
			finish(qp, true);
		}
	/* create flags of mlx5 */
	for (uint32_t bit = 1; bit <= 0x200; bit <<= 1)
		for (int type = 0; type < 4; type++) {
			struct ibv_qp_init_attr_ex a = base(type == 0 ? IBV_QPT_RC : type == 1 ? IBV_QPT_UD : type == 2 ? IBV_QPT_RAW_PACKET : IBV_QPT_UC);
			struct mlx5dv_qp_init_attr dv = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS, .create_flags = bit };
			struct ibv_qp *qp;

			snprintf(label, sizeof label, "mlx5dv_create_qp kind %d create_flags %#x", type, bit);
			qp = PTR(label, mlx5dv_create_qp(ctx, &a, &dv));
			cap(&a.cap);
			finish(qp, false);
		}
	{
		struct ibv_qp_init_attr_ex a = base(IBV_QPT_RC);
		struct mlx5dv_qp_init_attr dv = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS,
			.create_flags = MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE | MLX5DV_QP_CREATE_ALLOW_SCATTER_TO_CQE };

		finish(PTR("scatter allowed and disabled", mlx5dv_create_qp(ctx, &a, &dv)), false);
		dv.comp_mask = 1 << 8;
		finish(PTR("mlx5 comp_mask", mlx5dv_create_qp(ctx, &a, &dv)), false);
		dv.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC;
		dv.dc_init_attr.dc_type = MLX5DV_DCTYPE_DCI;
		finish(PTR("DC attributes of an RC QP", mlx5dv_create_qp(ctx, &a, &dv)), false);
		finish(PTR("no mlx5 attributes", mlx5dv_create_qp(ctx, &a, NULL)), false);
	}
	/* driver QPs */
	for (int dc = 0; dc < 4; dc++)
		for (int k = 0; k < 5; k++) {
			struct ibv_qp_init_attr_ex a = base(IBV_QPT_DRIVER);
			struct mlx5dv_qp_init_attr dv = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC, .dc_init_attr.dc_type = dc };
			struct ibv_qp *qp;

			if (dc == MLX5DV_DCTYPE_DCT) {
				a.srq = srq;
				dv.dc_init_attr.dct_access_key = 0x1234567890;
			} else {
				a.cap.max_recv_wr = 0;
			}
			if (k == 1) {
				dv.comp_mask |= MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS;
				dv.create_flags = MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE;
			} else if (k == 2) {
				a.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
				a.send_ops_flags = IBV_QP_EX_WITH_SEND;
			} else if (k == 3 && dc == MLX5DV_DCTYPE_DCI) {
				dv.comp_mask |= MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS;
				dv.dc_init_attr.dci_streams.log_num_concurent = 1;
				dv.dc_init_attr.dci_streams.log_num_errored = 1;
			} else if (k == 4) {
				dv.comp_mask |= MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS;
				dv.create_flags = MLX5DV_QP_CREATE_PACKET_BASED_CREDIT_MODE;
			}
			snprintf(label, sizeof label, "driver QP dc_type %d variant %d", dc, k);
			qp = PTR(label, mlx5dv_create_qp(ctx, &a, &dv));
			cap(&a.cap);
			finish(qp, dc != MLX5DV_DCTYPE_DCT);
		}
	/* XRC */
	xrcd = PTR("open_xrcd", ibv_open_xrcd(ctx, &xa));
	if (xrcd) {
		struct ibv_qp_init_attr_ex a = { .qp_context = (void *)9, .qp_type = IBV_QPT_XRC_RECV, .comp_mask = IBV_QP_INIT_ATTR_XRCD, .xrcd = xrcd };
		struct ibv_srq_init_attr_ex sx = { .attr = { 10, 1, 0 }, .comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ, .srq_type = IBV_SRQT_XRC, .pd = pd, .xrcd = xrcd, .cq = cq };
		struct ibv_srq *xs;
		uint32_t num = 0;

		finish(PTR("XRC target", ibv_create_qp_ex(ctx, &a)), true);
		a = base(IBV_QPT_XRC_SEND);
		a.recv_cq = NULL;
		a.cap.max_recv_wr = 0;
		finish(PTR("XRC initiator", ibv_create_qp_ex(ctx, &a)), false);
		xs = PTR("XRC SRQ", ibv_create_srq_ex(ctx, &sx));
		printf("  %u %u\n", sx.attr.max_wr, sx.attr.max_sge);
		if (xs) {
			VAL("  number", ibv_get_srq_num(xs, &num));
			printf("  %s\n", num ? "set" : "0");
			VAL("  close domain in use", ibv_close_xrcd(xrcd));
			VAL("  destroy", ibv_destroy_srq(xs));
		}
		sx.srq_type = 7;
		PTR("SRQ of type 7", ibv_create_srq_ex(ctx, &sx));
		VAL("close_xrcd", ibv_close_xrcd(xrcd));
	}
	xa.comp_mask = 1;
	printf("open_xrcd without oflags: %d\n", ibv_open_xrcd(ctx, &xa) != NULL);
	MUST(!ibv_destroy_srq(srq) && !ibv_destroy_cq(cq) && !ibv_dealloc_pd(pd));
	done(ctx);
	return 0;
}
