/* Clocks: the shared clock page, the raw counter and the header's conversion.
 */
#include "common.h"
#include <time.h>

static void convert(const char *label, const struct mlx5dv_clock_info *i, uint64_t ts)
{
	struct mlx5dv_clock_info copy = *i;

	printf("%s: %llu\n", label, (unsigned long long)mlx5dv_ts_to_ns(&copy, ts));
}

int main(void)
{
	struct ibv_context *ctx = open_devx();
	struct mlx5dv_clock_info info, again;
	struct ibv_values_ex v;

	memset(&info, 0xa5, sizeof info);
	if (!VAL("get_clock_info", mlx5dv_get_clock_info(ctx, &info)))
		printf("  mult %u shift %u mask %#llx\n", info.mult, info.shift, (unsigned long long)info.mask);
	if (!VAL("again", mlx5dv_get_clock_info(ctx, &again)))
		printf("  not going back: %s\n", again.nsec >= info.nsec ? "yes" : "no");

	for (unsigned bit = 0; bit < 3; bit++) {
		char label[48];

		memset(&v, 0, sizeof v);
		v.comp_mask = 1u << bit;
		snprintf(label, sizeof label, "query_rt_values bit %u", bit);
		if (!VAL(label, ibv_query_rt_values_ex(ctx, &v)))
			printf("  comp_mask %#x seconds %lld clock %s\n", v.comp_mask, (long long)v.raw_clock.tv_sec, v.raw_clock.tv_nsec ? "runs" : "stands");
	}
	memset(&v, 0, sizeof v);
	v.comp_mask = 3;
	VAL("query_rt_values bits 0 and 1", ibv_query_rt_values_ex(ctx, &v));
	v.comp_mask = 0;
	if (!VAL("query_rt_values nothing", ibv_query_rt_values_ex(ctx, &v)))
		printf("  comp_mask %#x\n", v.comp_mask);

	info = (struct mlx5dv_clock_info){ .nsec = 1000000, .last_cycles = 5000, .frac = 12, .mult = 3, .shift = 2, .mask = 0xffff };
	convert("now", &info, 5000);
	convert("later", &info, 6001);
	convert("before", &info, 4000);
	convert("half a turn on", &info, 5000 + 0x7fff);
	convert("half a turn and one on", &info, 5000 + 0x8000);
	convert("all ones", &info, ~0ull);
	info.mask = ~0ull;
	convert("wide mask, later", &info, 1ull << 40);
	convert("wide mask, before", &info, 0);
	done(ctx);
	return 0;
}
