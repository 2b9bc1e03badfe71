/* VARs: the pages of a virtio-net or TLP emulation device.
 * run old-6.12: sim --kernel 6.12
 * run old-6.1: sim --kernel 6.1
 */
#include "common.h"
#include <sys/mman.h>

int main(void)
{
	struct ibv_context *ctx = open_devx();
	struct mlx5dv_var *v[3] = {0};

	for (int i = 0; i < 3; i++) {
		char label[32];

		snprintf(label, sizeof label, "var %d", i);
		v[i] = PTR(label, mlx5dv_alloc_var(ctx, 0));
		if (!v[i])
			continue;
		printf("  length %u, offset %s, comp_mask %llu, page %s\n", v[i]->length, v[i]->mmap_off ? "set" : "0", (unsigned long long)v[i]->comp_mask,
		       i && v[i - 1] ? v[i]->page_id == v[i - 1]->page_id ? "as before" : "another" : "some");
	}
	if (v[0]) {
		void *p = mmap(NULL, v[0]->length, PROT_WRITE, MAP_SHARED, ctx->cmd_fd, v[0]->mmap_off);

		printf("mapped by the caller: %s\n", p == MAP_FAILED ? en(errno) : "yes");
		if (p != MAP_FAILED)
			munmap(p, v[0]->length);
	}
	for (int i = 0; i < 3; i++)
		if (v[i])
			mlx5dv_free_var(v[i]);
	v[0] = PTR("TLP", mlx5dv_alloc_var(ctx, 1));
	if (v[0])
		mlx5dv_free_var(v[0]);
	for (int bit = 1; bit < 32; bit += 15) {
		char label[32];

		snprintf(label, sizeof label, "flags bit %d", bit);
		PTR(label, mlx5dv_alloc_var(ctx, 1u << bit));
	}
	{
		struct { struct ibv_device dev; void *ops; char more[128]; } alien;
		struct ibv_context foreign = { .device = &alien.dev };

		memset(&alien, 0, sizeof alien);
		PTR("foreign context", mlx5dv_alloc_var(&foreign, 0));
	}
	done(ctx);
	return 0;
}
