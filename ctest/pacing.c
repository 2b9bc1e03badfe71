/* Packet pacing entries.
 * run old-6.1: sim --kernel 6.1
 */
#include "common.h"

static struct ibv_context *ctx;

/* The context: rate_limit in kbit/s at 0, burst_upper_bound at 0x20, typical_packet_size at 0x48. */
static struct mlx5dv_pp *alloc(const char *label, uint32_t rate, size_t size, uint32_t flags)
{
	uint8_t c[64] = {0};

	put(c, 0, 32, rate);
	return PTR(label, mlx5dv_pp_alloc(ctx, size, c, flags));
}

int main(void)
{
	struct mlx5dv_pp *a, *b, *d;

	ctx = open_devx();
	a = alloc("a rate", 1000, 48, 0);
	b = alloc("the same rate", 1000, 48, 0);
	d = alloc("the same rate, an index of its own", 1000, 48, MLX5_IB_UAPI_PP_ALLOC_FLAGS_DEDICATED_INDEX);
	if (a && b)
		printf("  shared: %s\n", a->index == b->index ? "one index" : "two");
	if (a && d)
		printf("  dedicated: %s\n", a->index == d->index ? "one index" : "two");
	if (d)
		mlx5dv_pp_free(d);
	if (b)
		mlx5dv_pp_free(b);
	if (a)
		mlx5dv_pp_free(a);
	for (int bit = 1; bit < 32; bit += 15) {
		char label[32];

		snprintf(label, sizeof label, "flags bit %d", bit);
		alloc(label, 1000, 48, 1u << bit);
	}
	alloc("size 0", 1000, 0, 0);
	a = alloc("size 4", 1000, 4, 0);
	if (a)
		mlx5dv_pp_free(a);
	alloc("size 49", 1000, 49, 0);
	PTR("size 65536", mlx5dv_pp_alloc(ctx, 65536, &ctx, 0));
	PTR("no context bytes", mlx5dv_pp_alloc(ctx, 48, NULL, 0));
	alloc("rate 0", 0, 48, 0);
	alloc("rate of all ones", ~0u, 48, 0);
	{
		struct { struct ibv_device dev; void *ops; char more[128]; } alien;
		struct ibv_context foreign = { .device = &alien.dev };
		uint8_t c[48] = {0};

		memset(&alien, 0, sizeof alien);
		PTR("foreign context", mlx5dv_pp_alloc(&foreign, 48, c, 0));
	}
	done(ctx);
	return 0;
}
