/* mlx5dv_set_context_attr: which types it takes, and foreign contexts.
 */
#include "common.h"

static void *none_alloc(size_t size UNUSED, void *priv UNUSED) { return NULL; }
static void none_free(void *p UNUSED, void *priv UNUSED) { }

int main(void)
{
	struct ibv_context *ctx = open_devx();
	struct mlx5dv_ctx_allocators a = { .alloc = none_alloc, .free = none_free, .data = &a };
	struct { struct ibv_device dev; void *ops; char more[128]; } alien;
	struct ibv_context foreign = { .device = &alien.dev };

	VAL("allocators", mlx5dv_set_context_attr(ctx, MLX5DV_CTX_ATTR_BUF_ALLOCATORS, &a));
	memset(&a, 0, sizeof a);
	VAL("no allocators", mlx5dv_set_context_attr(ctx, MLX5DV_CTX_ATTR_BUF_ALLOCATORS, &a));
	VAL("type 0", mlx5dv_set_context_attr(ctx, 0, &a));
	VAL("type 2", mlx5dv_set_context_attr(ctx, 2, &a));
	VAL("type 2, no value", mlx5dv_set_context_attr(ctx, 2, NULL));
	VAL("type -1", mlx5dv_set_context_attr(ctx, -1, &a));
	memset(&alien, 0, sizeof alien);
	VAL("foreign context", mlx5dv_set_context_attr(&foreign, MLX5DV_CTX_ATTR_BUF_ALLOCATORS, &a));
	done(ctx);
	return 0;
}
