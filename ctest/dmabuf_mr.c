/* mlx5dv_reg_dmabuf_mr: the order of its refusals. No dma-buf exporter is at hand, so the last
 * answer is always about the descriptor.
 * since: 56.1
 * run bonded: sim --data-direct
 * run old-6.1: sim --kernel 6.1
 * run old-6.12: sim --kernel 6.12
 */
#include "common.h"

int main(void)
{
	struct ibv_context *ctx = open_devx();
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	int other = open("/dev/null", O_RDWR);

	if (!pd) {
		/* an own PD, of which only the public part is looked at */
		pd = calloc(1, 65536);
		MUST(pd);
		pd->context = ctx;
		pd->handle = 0x7777;
	}
#define MR(label, off, len, iova, fd, access, dv) PTR(label, mlx5dv_reg_dmabuf_mr(pd, off, len, iova, fd, access, dv))
	MR("fd -1", 0, 4096, 0, -1, IBV_ACCESS_LOCAL_WRITE, 0);
	MR("fd of another file", 0, 4096, 0, other, IBV_ACCESS_LOCAL_WRITE, 0);
	MR("fd not open", 0, 4096, 0, 987, IBV_ACCESS_LOCAL_WRITE, 0);
	MR("offset and iova apart", 0x10, 4096, 0x20, other, IBV_ACCESS_LOCAL_WRITE, 0);
	MR("length 0", 0, 0, 0, other, IBV_ACCESS_LOCAL_WRITE, 0);
	MR("unknown access", 0, 4096, 0, other, 1 << 30, 0);
	MR("remote write alone", 0, 4096, 0, other, IBV_ACCESS_REMOTE_WRITE, 0);
	MR("data direct", 0, 4096, 0, other, IBV_ACCESS_LOCAL_WRITE, MLX5DV_REG_DMABUF_ACCESS_DATA_DIRECT);
	MR("data direct, iova not on a page", 0x10, 4096, 0x10, other, IBV_ACCESS_LOCAL_WRITE, MLX5DV_REG_DMABUF_ACCESS_DATA_DIRECT);
	MR("data direct, on demand", 0, 4096, 0, other, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND, MLX5DV_REG_DMABUF_ACCESS_DATA_DIRECT);
	for (int bit = 1; bit < 32; bit += 15) {
		char label[32];

		snprintf(label, sizeof label, "mlx5 access bit %d", bit);
		MR(label, 0, 4096, 0, other, IBV_ACCESS_LOCAL_WRITE, 1 << bit);
	}
	close(other);
	if (pd->handle != 0x7777)
		VAL("dealloc the domain", ibv_dealloc_pd(pd));
	else
		free(pd);
	{
		struct { struct ibv_device dev; void *ops; char more[128]; } alien;
		struct ibv_context foreign = { .device = &alien.dev };
		struct ibv_pd none = { .context = &foreign };

		memset(&alien, 0, sizeof alien);
		PTR("foreign context", mlx5dv_reg_dmabuf_mr(&none, 0, 4096, 0, -1, 0, 0));
	}
	done(ctx);
	return 0;
}
