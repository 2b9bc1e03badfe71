/* Shared receive queues of each type, and address handles: refusals, views, numbers.
 * since: 65.0
 * records: differ, buffers lie where malloc puts them
 * run infiniband: sim --port ib
 * run two-ports: sim --ports 2
 * run signed: env MLX5_SRQ_SIGNATURE=1
 * run cqe-v0: sim --fault DEVICE.GET_CONTEXT#1=EINVAL --fault DEVICE.GET_CONTEXT#2=EINVAL
 * run refused: sim --fault SRQ.CREATE#2=ENOMEM --fault SRQ.DESTROY#1=EBUSY --fault WRITE.MODIFY_SRQ=EIO --fault WRITE.CREATE_AH#2=ENOMEM
 * run no-cmd-qp: sim --fault QP.CREATE=ENOMEM
 * run cmd-qp-stuck: sim --fault WRITE.MODIFY_QP#2=EINVAL
 */
#include "common.h"

static struct ibv_context *ctx;
static struct ibv_pd *pd;

static void look(struct ibv_srq *srq)
{
	struct mlx5dv_srq view;
	struct mlx5dv_obj obj = { .srq = { srq, &view } };
	struct ibv_srq_attr q = { 0 };
	uint32_t num = 0;

	memset(&view, 0xff, sizeof view);
	MUST(!mlx5dv_init_obj(&obj, MLX5DV_OBJ_SRQ));
	VAL("  number", ibv_get_srq_num(srq, &num));
	printf("  context %d pd %d cookie %d, stride %u head %u tail %u mask %#lx number equal %d dbrec %#x, next", srq->context == ctx,
	       srq->pd == pd, srq->srq_context != NULL, view.stride, view.head, view.tail, (long)view.comp_mask, num == view.srqn,
	       view.dbrec[0]);
	for (unsigned k = 0; k < 4; k++)
		printf(" %u", be16toh(*(uint16_t *)((char *)view.buf + (size_t)k * view.stride + 2)));
	putchar('\n');
	if (!VAL("  query", ibv_query_srq(srq, &q)))
		printf("  %u %u %u\n", q.max_wr, q.max_sge, q.srq_limit);
}
static void gone(struct ibv_srq *srq)
{
	if (VAL("  destroy", ibv_destroy_srq(srq)))
		VAL("  destroy again", ibv_destroy_srq(srq));
}
static void handles(int port)
{
	struct ibv_port_attr pa;
	struct ibv_ah *ah;

	for (int global = 0; global < 2; global++)
		for (int rate = 0; rate < 25; rate += 8) {
			struct ibv_ah_attr a = { .grh = { .flow_label = 0xabcde, .sgid_index = 0, .hop_limit = 64, .traffic_class = 7 }, .dlid = 0x1234,
				.sl = 11, .src_path_bits = 0x83, .static_rate = rate, .is_global = global, .port_num = port };
			char label[64];

			if (global && !ibv_query_gid(ctx, 1, 0, &a.grh.dgid))
				a.grh.dgid.raw[15] ^= 0;
			snprintf(label, sizeof label, "create_ah port %d global %d rate %d", port, global, rate);
			if (ibv_query_port(ctx, port, &pa)) { /* the reference leaves errno alone */
				printf("%s: %d\n", label, ibv_create_ah(pd, &a) != NULL);
				continue;
			}
			ah = PTR(label, ibv_create_ah(pd, &a));
			if (!ah)
				continue;
			{
				struct mlx5dv_ah view = { .comp_mask = 7 };
				struct mlx5dv_obj obj = { .ah = { ah, &view } };

				MUST(!mlx5dv_init_obj(&obj, MLX5DV_OBJ_AH));
				printf("  context %d pd %d mask %#lx vector", ah->context == ctx, ah->pd == pd, (long)view.comp_mask);
				for (unsigned i = 12; i < 48; i++)
					printf(" %02x", ((uint8_t *)view.av)[i]);
				putchar('\n');
			}
			VAL("  destroy", ibv_destroy_ah(ah));
		}
}

int main(void)
{
	struct ibv_srq_init_attr sa = { .srq_context = (void *)3, .attr = { 20, 3, 0 } };
	struct ibv_cq_init_attr_ex ca = { .cqe = 50, .wc_flags = IBV_WC_EX_WITH_TM_INFO };
	struct ibv_cq_ex *cx;
	struct ibv_cq *cq;
	struct ibv_srq *srq;

	ctx = open_devx();
	MUST((pd = ibv_alloc_pd(ctx)) && (cq = ibv_create_cq(ctx, 100, NULL, NULL, 0)) && (cx = ibv_create_cq_ex(ctx, &ca)));
	for (int i = 0; i < 3; i++) {
		sa.attr.max_wr = 20;
		sa.attr.max_sge = 3;
		sa.attr.srq_limit = i * 20;
		srq = PTR("create_srq", ibv_create_srq(pd, &sa));
		printf("  now %u %u %u\n", sa.attr.max_wr, sa.attr.max_sge, sa.attr.srq_limit);
		if (!srq)
			continue;
		look(srq);
		{
			struct ibv_srq_attr m = { .srq_limit = 7 };

			VAL("  limit", ibv_modify_srq(srq, &m, IBV_SRQ_LIMIT));
			m.max_wr = 40;
			VAL("  max_wr", ibv_modify_srq(srq, &m, IBV_SRQ_MAX_WR));
			VAL("  nothing", ibv_modify_srq(srq, &m, 0));
		}
		look(srq);
		gone(srq);
	}
	for (int type = 0; type < 4; type++)
		for (int with_ex = 0; with_ex < 2; with_ex++) {
			struct ibv_srq_init_attr_ex x = { .srq_context = (void *)3, .attr = { 20, 1, 0 }, .comp_mask = IBV_SRQ_INIT_ATTR_TYPE |
				IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_CQ | IBV_SRQ_INIT_ATTR_TM, .srq_type = type, .pd = pd,
				.cq = with_ex ? ibv_cq_ex_to_cq(cx) : cq, .tm_cap = { 8, 4 } };
			char label[64];

			if (type == IBV_SRQT_XRC)
				continue; /* needs a domain: another program */
			x.srq_context = NULL; /* the reference forgets it unless the type is XRC */
			snprintf(label, sizeof label, "create_srq_ex type %d extended CQ %d", type, with_ex);
			srq = PTR(label, ibv_create_srq_ex(ctx, &x));
			printf("  now %u %u\n", x.attr.max_wr, x.attr.max_sge);
			if (srq) {
				look(srq);
				gone(srq);
			}
		}
	for (int port = 0; port < 4; port++)
		handles(port);
	MUST(!ibv_destroy_cq(cq) && !ibv_destroy_cq(ibv_cq_ex_to_cq(cx)));
	VAL("dealloc_pd", ibv_dealloc_pd(pd));
	done(ctx);
	return 0;
}
