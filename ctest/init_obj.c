/* mlx5dv_init_obj in its two versions: the old one stores in cq_uar the address of the pointer,
 * the new one the pointer itself. Everything else of the views must be the same.
 */
#include "common.h"
#include <dlfcn.h>

typedef int init_obj_fn(struct mlx5dv_obj *, uint64_t);

int main(void)
{
	struct ibv_context *ctx = open_devx();
	struct ibv_cq *cq = ibv_create_cq(ctx, 15, NULL, NULL, 0);
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	struct mlx5dv_cq a = {0}, b = {0};
	struct mlx5dv_pd pa = {0}, pb = {0};
	struct mlx5dv_obj obj = {0};
	init_obj_fn *old = (init_obj_fn *)dlvsym(RTLD_DEFAULT, "mlx5dv_init_obj", "MLX5_1.0");
	init_obj_fn *new = (init_obj_fn *)dlvsym(RTLD_DEFAULT, "mlx5dv_init_obj", "MLX5_1.2");

	MUST(cq && pd && old && new);
	obj.cq.in = cq;
	obj.cq.out = &b;
	obj.pd.in = pd;
	obj.pd.out = &pb;
	VAL("new", new(&obj, MLX5DV_OBJ_CQ | MLX5DV_OBJ_PD));
	obj.cq.out = &a;
	obj.pd.out = &pa;
	VAL("old", old(&obj, MLX5DV_OBJ_CQ | MLX5DV_OBJ_PD));
	printf("old cq_uar is the pointer's address: %s\n", a.cq_uar && *(void **)a.cq_uar == b.cq_uar ? "yes" : "no");
	printf("new cq_uar is the pointer: %s\n", b.cq_uar && a.cq_uar != b.cq_uar ? "yes" : "no");
	printf("the rest is the same: %s\n", a.buf == b.buf && a.dbrec == b.dbrec && a.cqe_cnt == b.cqe_cnt && a.cqe_size == b.cqe_size && a.cqn == b.cqn ? "yes" : "no");
	printf("cqe_cnt %u size %u, pd %s\n", b.cqe_cnt, b.cqe_size, pa.pdn == pb.pdn ? "the same" : "another");
	memset(&a, 0xa5, sizeof a);
	obj.cq.out = &a;
	VAL("old, PD only", old(&obj, MLX5DV_OBJ_PD));
	printf("the CQ's view untouched: %s\n", a.cq_uar == (void *)0xa5a5a5a5a5a5a5a5 ? "yes" : "no");
	VAL("nothing", new(&obj, 0));
	for (int bit = 20; bit < 64; bit += 28) {
		char label[32];

		snprintf(label, sizeof label, "bit %d", bit);
		VAL(label, new(&obj, 1ull << bit));
	}
	VAL("destroy cq", ibv_destroy_cq(cq));
	VAL("dealloc pd", ibv_dealloc_pd(pd));
	done(ctx);
	return 0;
}
