/*
 * Memory and a doorbell page for a queue of one's own: umem, UAR, event queue number.
 *
 *   cc memory.c $(pkg-config --cflags --libs libmlx5 libibverbs) -o memory
 */
#include "common.h"

enum { RING_BYTES = 64 * 1024 };

int main(void)
{
	struct ibv_context *ctx = open_device(NULL);
	struct mlx5dv_devx_umem *umem;
	struct mlx5dv_devx_uar *uar;
	uint32_t eqn;
	void *ring;
	int err;

	err = posix_memalign(&ring, 4096, RING_BYTES);
	if (err)
		die("posix_memalign", err);
	umem = mlx5dv_devx_umem_reg(ctx, ring, RING_BYTES, IBV_ACCESS_LOCAL_WRITE);
	if (!umem)
		die("mlx5dv_devx_umem_reg", errno);
	printf("ring of %d bytes is umem %u\n", RING_BYTES, umem->umem_id);

	/* A BlueFlame register if the system can map one write-combined, else a plain doorbell. */
	uar = mlx5dv_devx_alloc_uar(ctx, MLX5DV_UAR_ALLOC_TYPE_BF);
	if (!uar)
		uar = mlx5dv_devx_alloc_uar(ctx, MLX5DV_UAR_ALLOC_TYPE_NC);
	if (!uar)
		die("mlx5dv_devx_alloc_uar", errno);
	printf("doorbells go to UAR page %u, register at offset 0x%lx\n", uar->page_id,
	       (unsigned long)((char *)uar->reg_addr - (char *)uar->base_addr));

	err = mlx5dv_devx_query_eqn(ctx, 0, &eqn);
	if (err)
		die("mlx5dv_devx_query_eqn", err);
	printf("completion vector 0 is event queue %u\n", eqn);

	mlx5dv_devx_free_uar(uar);
	err = mlx5dv_devx_umem_dereg(umem);
	if (err)
		die("mlx5dv_devx_umem_dereg", err);
	free(ring);
	ibv_close_device(ctx);
	return 0;
}
