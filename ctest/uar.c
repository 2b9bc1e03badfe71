/* User access regions: kinds, sharing of pages, what freeing does, and legacy kernels.
 * run legacy: sim --fault DEVICE.GET_CONTEXT#1=EINVAL
 * records: differ, freed registers go back to a list in another order and are destroyed so at close
 * run no-bf: env MLX5_SHUT_UP_BF=1
 * run refused: sim --fault UAR.ALLOC#3=ENOMEM
 * run traced: env MLX5_TRACE=stderr
 */
#include "common.h"

static struct ibv_context *ctx;
static uint32_t first_page;

static void tell(const char *label, struct mlx5dv_devx_uar *u)
{
	if (!u)
		return;
	printf("  %s: page +%u, register at %#lx, base at %#lx, offset %s, comp_mask %llu\n", label, u->page_id - first_page,
	       (unsigned long)((uintptr_t)u->reg_addr & (sysconf(_SC_PAGESIZE) - 1)), (unsigned long)((uintptr_t)u->base_addr & (sysconf(_SC_PAGESIZE) - 1)),
	       u->mmap_off ? "set" : "0", (unsigned long long)u->comp_mask);
}

int main(void)
{
	enum { MANY = 12 };
	struct mlx5dv_devx_uar *nc, *again, *bf[MANY], *ded[MANY];
	int maps;

	ctx = open_devx();
	nc = PTR("NC", mlx5dv_devx_alloc_uar(ctx, MLX5DV_UAR_ALLOC_TYPE_NC));
	if (nc) {
		first_page = nc->page_id;
		tell("NC", nc);
		again = PTR("NC again", mlx5dv_devx_alloc_uar(ctx, MLX5DV_UAR_ALLOC_TYPE_NC));
		printf("  one pointer: %s\n", again == nc ? "yes" : "no");
		mlx5dv_devx_free_uar(again);
		mlx5dv_devx_free_uar(nc);
		mlx5dv_devx_free_uar(nc);
		again = PTR("NC after free", mlx5dv_devx_alloc_uar(ctx, MLX5DV_UAR_ALLOC_TYPE_NC));
		printf("  one pointer: %s\n", again == nc ? "yes" : "no");
		again = PTR("NC and NC_DEDICATED", mlx5dv_devx_alloc_uar(ctx, MLX5DV_UAR_ALLOC_TYPE_NC | MLX5DV_UAR_ALLOC_TYPE_NC_DEDICATED));
		printf("  one pointer: %s\n", again == nc ? "yes" : "no");
		*(volatile uint32_t *)((char *)nc->base_addr + 0x20) = 0;
	}
	for (int bit = 1; bit < 31; bit += 5) {
		char label[32];

		snprintf(label, sizeof label, "flags bit %d", bit);
		PTR(label, mlx5dv_devx_alloc_uar(ctx, 1u << bit));
		snprintf(label, sizeof label, "flags bits 0 and %d", bit);
		PTR(label, mlx5dv_devx_alloc_uar(ctx, 1u << bit | 1));
	}
	maps = count_shared_maps();
	for (int i = 0; i < MANY; i++) {
		char label[32];

		snprintf(label, sizeof label, "BF %d", i);
		bf[i] = PTR(label, mlx5dv_devx_alloc_uar(ctx, MLX5DV_UAR_ALLOC_TYPE_BF));
		tell(label, bf[i]);
	}
	printf("mappings more: %d\n", count_shared_maps() - maps);
	maps = count_shared_maps();
	for (int i = 0; i < MANY; i++) {
		char label[32];

		snprintf(label, sizeof label, "dedicated NC %d", i);
		ded[i] = PTR(label, mlx5dv_devx_alloc_uar(ctx, MLX5DV_UAR_ALLOC_TYPE_NC_DEDICATED));
		tell(label, ded[i]);
	}
	printf("mappings more: %d\n", count_shared_maps() - maps);
	maps = count_shared_maps();
	/* given back in order, they come again in that order */
	for (int i = 0; i < MANY; i++) {
		if (bf[i])
			mlx5dv_devx_free_uar(bf[i]);
		if (ded[i])
			mlx5dv_devx_free_uar(ded[i]);
	}
	printf("freed, mappings fewer: %d\n", maps - count_shared_maps());
	for (int i = 0; i < 4; i++) {
		char label[32];

		snprintf(label, sizeof label, "BF anew %d", i);
		bf[i] = PTR(label, mlx5dv_devx_alloc_uar(ctx, MLX5DV_UAR_ALLOC_TYPE_BF));
		tell(label, bf[i]);
		snprintf(label, sizeof label, "dedicated NC anew %d", i);
		ded[i] = PTR(label, mlx5dv_devx_alloc_uar(ctx, MLX5DV_UAR_ALLOC_TYPE_NC_DEDICATED));
		tell(label, ded[i]);
	}
	printf("mappings more: %d\n", count_shared_maps() - maps);
	{
		struct { struct ibv_device dev; void *ops; char more[128]; } alien;
		struct ibv_context foreign = { .device = &alien.dev };

		memset(&alien, 0, sizeof alien);
		PTR("foreign context", mlx5dv_devx_alloc_uar(&foreign, MLX5DV_UAR_ALLOC_TYPE_NC));
	}
	for (int i = 0; i < 4; i++) {
		if (bf[i])
			mlx5dv_devx_free_uar(bf[i]);
		if (ded[i])
			mlx5dv_devx_free_uar(ded[i]);
	}
	VAL("close", ibv_close_device(ctx));
	printf("mappings after close: %d\n", count_shared_maps());
	done(NULL);
	return 0;
}
