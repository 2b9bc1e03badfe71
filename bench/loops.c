/* The loops that are measured on both libraries.
 *
 *   loops CASE ROUNDS [BATCHES]
 *
 * Prints the best batch's nanoseconds a round. Under callgrind the function `measured` is what
 * is collected, and one batch is enough.
 */
#define _GNU_SOURCE
#include <endian.h>
#include <fcntl.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MUST(c) do { if (!(c)) { perror(#c); exit(1); } } while (0)

static struct ibv_device *dev;
static struct ibv_context *ctx;
static uint8_t mem[8192] __attribute__((aligned(4096)));
static uint32_t cap_in[4], cap_out[1028], pd_in[4], pd_out[4];
static int pipe_ends[2];
static struct mlx5dv_devx_event_channel channel;

static void open_close(void)
{
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	struct ibv_context *c = mlx5dv_open_device(dev, &attr);

	MUST(c && !ibv_close_device(c));
}
static void general_cmd(void) { MUST(!mlx5dv_devx_general_cmd(ctx, cap_in, sizeof cap_in, cap_out, sizeof cap_out)); }
static void object(void)
{
	struct mlx5dv_devx_obj *o = mlx5dv_devx_obj_create(ctx, pd_in, sizeof pd_in, pd_out, sizeof pd_out);

	MUST(o && !mlx5dv_devx_obj_destroy(o));
}
static void umem(void)
{
	struct mlx5dv_devx_umem *u = mlx5dv_devx_umem_reg(ctx, mem, sizeof mem, IBV_ACCESS_LOCAL_WRITE);

	MUST(u && !mlx5dv_devx_umem_dereg(u));
}
static void get_event(void)
{
	uint8_t record[72];

	MUST(mlx5dv_devx_get_event(&channel, (void *)record, sizeof record) == sizeof record);
}
static void fill_pipe(long rounds)
{
	uint8_t record[72] = {0};

	for (long i = 0; i < rounds; i++)
		MUST(write(pipe_ends[1], record, sizeof record) == sizeof record);
}

static const struct { const char *name; void (*round)(void); bool device; } cases[] = {
	{ "open_close", open_close, false }, { "general_cmd", general_cmd, true }, { "object", object, true },
	{ "umem", umem, true }, { "get_event", get_event, false },
};

__attribute__((noinline)) void measured(void (*round)(void), long rounds)
{
	for (long i = 0; i < rounds; i++)
		round();
}
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(int argc, char **argv)
{
	long rounds = argc > 2 ? atol(argv[2]) : 0, batches = argc > 3 ? atol(argv[3]) : 1;
	double best = 1e18;
	int n;

	MUST(argc >= 3 && rounds > 0);
	cap_in[0] = htobe32(0x100u << 16);       /* QUERY_HCA_CAP */
	cap_in[1] = htobe32(1);
	pd_in[0] = htobe32(0x800u << 16);        /* ALLOC_PD */
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		if (strcmp(argv[1], cases[i].name))
			continue;
		if (cases[i].round == get_event) {
			MUST(!pipe(pipe_ends));
			MUST(fcntl(pipe_ends[1], F_SETPIPE_SZ, 1 << 20) > 0);
			channel.fd = pipe_ends[0];
		} else {
			struct ibv_device **l = ibv_get_device_list(&n);

			MUST(l && n > 0);
			dev = l[0];
			open_close();
			if (cases[i].device) {
				struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };

				MUST(ctx = mlx5dv_open_device(dev, &attr));
				cases[i].round();
			}
		}
		for (long b = 0; b < batches; b++) {
			double t;

			if (cases[i].round == get_event)
				fill_pipe(rounds);
			t = now();
			measured(cases[i].round, rounds);
			t = (now() - t) / rounds;
			if (t < best)
				best = t;
		}
		printf("%.1f\n", best);
		return 0;
	}
	fprintf(stderr, "no case is named %s\n", argv[1]);
	return 2;
}
