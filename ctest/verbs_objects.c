/* Query and modify commands on verbs objects. The objects are DEVX-made: the kernel looks at the
 * handle only, and the calls under test take nothing but context and handle from the structs.
 * since: 65.0
 */
#include "common.h"

int main(void)
{
	struct ibv_context *ctx = open_devx();
	struct mlx5dv_devx_uar *uar = mlx5dv_devx_alloc_uar(ctx, MLX5DV_UAR_ALLOC_TYPE_NC);
	uint8_t in[512] = {0}, out[512], *room = calloc(5, 65536);
	struct ibv_cq *cq = (void *)room;
	struct ibv_qp *qp = (void *)(room + 65536);
	struct ibv_srq *srq = (void *)(room + 2 * 65536);
	struct ibv_wq *wq = (void *)(room + 3 * 65536);
	struct ibv_rwq_ind_table *tbl = (void *)(room + 4 * 65536);
	struct { struct ibv_device dev; void *ops; char more[128]; } alien;
	struct ibv_context foreign = { .device = &alien.dev };
	struct devx_cq q;

	MUST(room && uar && devx_cq_create(ctx, uar, 4, &q));
	{
		uint32_t blob[16];

		/* the kernel handle is the first word of an exported object */
		MUST(!mlx5dv_devx_obj_export(q.obj, blob));
		cq->handle = qp->handle = srq->handle = wq->handle = blob[0];
		tbl->ind_tbl_handle = blob[0];
	}
	cq->context = qp->context = srq->context = wq->context = tbl->context = ctx;
	OPCODE(in, OP_QUERY_CQ);
	put(in, 0x48, 24, q.cqn);
#define CALLS(suffix, inlen, outlen) \
	VAL("cq_query " suffix, mlx5dv_devx_cq_query(cq, in, inlen, out, outlen)); \
	VAL("qp_query " suffix, mlx5dv_devx_qp_query(qp, in, inlen, out, outlen)); \
	VAL("srq_query " suffix, mlx5dv_devx_srq_query(srq, in, inlen, out, outlen)); \
	VAL("wq_query " suffix, mlx5dv_devx_wq_query(wq, in, inlen, out, outlen)); \
	VAL("ind_tbl_query " suffix, mlx5dv_devx_ind_tbl_query(tbl, in, inlen, out, outlen)); \
	VAL("cq_modify " suffix, mlx5dv_devx_cq_modify(cq, in, inlen, out, outlen)); \
	VAL("qp_modify " suffix, mlx5dv_devx_qp_modify(qp, in, inlen, out, outlen)); \
	VAL("srq_modify " suffix, mlx5dv_devx_srq_modify(srq, in, inlen, out, outlen)); \
	VAL("wq_modify " suffix, mlx5dv_devx_wq_modify(wq, in, inlen, out, outlen)); \
	VAL("ind_tbl_modify " suffix, mlx5dv_devx_ind_tbl_modify(tbl, in, inlen, out, outlen))
	CALLS("with QUERY_CQ", 16, 272);
	CALLS("with an in of 15", 15, 272);
	CALLS("with an out of 15", 16, 15);
	CALLS("with an in of 65536", 65536, 272);
	put(in, 0x48, 24, q.cqn + 1);
	CALLS("with another number", 16, 272);
	put(in, 0x48, 24, q.cqn);
	OPCODE(in, OP_MODIFY_CQ);
	CALLS("with MODIFY_CQ", CREATE_CQ_IN, 16);
	OPCODE(in, 0x50b);
	CALLS("with QUERY_QP", 16, 272);
	OPCODE(in, 0xffff);
	CALLS("with no opcode there is", 16, 272);
	OPCODE(in, OP_QUERY_CQ);
	cq->handle = qp->handle = srq->handle = wq->handle = 0x7777;
	tbl->ind_tbl_handle = 0x7777;
	CALLS("with a stale handle", 16, 272);
	memset(&alien, 0, sizeof alien);
	cq->context = qp->context = srq->context = wq->context = tbl->context = &foreign;
	CALLS("foreign", 16, 272);
	devx_cq_destroy(&q);
	free(room);
	done(ctx);
	return 0;
}
