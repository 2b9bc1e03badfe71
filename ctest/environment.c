/* Edges of the environment values that decide how many doorbell registers an open asks for,
 * and what the other variables change that can be seen from outside.
 */
#include "common.h"

static void try(const char *total, const char *low)
{
	struct ibv_context *ctx;
	char label[96];

	if (total)
		setenv("MLX5_TOTAL_UUARS", total, 1);
	else
		unsetenv("MLX5_TOTAL_UUARS");
	if (low)
		setenv("MLX5_NUM_LOW_LAT_UUARS", low, 1);
	else
		unsetenv("MLX5_NUM_LOW_LAT_UUARS");
	snprintf(label, sizeof label, "total %s, low latency %s", total ? total : "unset", low ? low : "unset");
	errno = 0;
	ctx = mlx5dv_open_device(the_device(0), NULL);
	show_ptr(label, ctx, errno);
	if (ctx)
		MUST(!ibv_close_device(ctx));
}

int main(void)
{
	static const char *total[] = { "0", "1", "2", "3", "4", "5", "6", "7", "16", "17", "511", "512", "513", "4096", "-1", "text", "", "8x", " 8", "0x10", "99999999999" };
	static const char *low[] = { "0", "1", "4", "15", "16", "17", "500", "-1", "text", "" };
	struct mlx5dv_context_attr bad = { .flags = 2 };
	int fds;

	try(NULL, NULL);
	fds = count_fds();
	for (unsigned i = 0; i < sizeof total / sizeof *total; i++)
		try(total[i], NULL);
	for (unsigned i = 0; i < sizeof low / sizeof *low; i++)
		try(NULL, low[i]);
	for (unsigned i = 0; i < sizeof low / sizeof *low; i++)
		try("512", low[i]);
	/* the counts are looked at before the attributes */
	setenv("MLX5_TOTAL_UUARS", "4096", 1);
	PTR("bad total and bad attribute", mlx5dv_open_device(the_device(0), &bad));
	setenv("MLX5_TOTAL_UUARS", "0", 1);
	PTR("zero total and bad attribute", mlx5dv_open_device(the_device(0), &bad));
	unsetenv("MLX5_TOTAL_UUARS");
	unsetenv("MLX5_NUM_LOW_LAT_UUARS");
	PTR("bad attribute alone", mlx5dv_open_device(the_device(0), &bad));

	/* no BlueFlame asked for: the context still has it to tell */
	{
		static const char *names[] = { "MLX5_SHUT_UP_BF", "MLX5_POST_SEND_PREFER_BF", "MLX5_SINGLE_THREADED", "MLX5_STALL_CQ_POLL", "MLX5_FREEZE_ON_ERROR_CQE" };

		for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
			struct mlx5dv_context dv = {0};
			struct ibv_context *ctx;

			setenv(names[i], "1", 1);
			MUST(ctx = ibv_open_device(the_device(0)));
			MUST(!mlx5dv_query_device(ctx, &dv));
			printf("%s=1: flags %#llx\n", names[i], (unsigned long long)dv.flags);
			MUST(!ibv_close_device(ctx));
			unsetenv(names[i]);
		}
	}
	/* a debug file that cannot be opened is no reason to fail; one that can is made */
	{
		char path[] = "/tmp/ctest-debug-XXXXXX";
		struct ibv_context *ctx;
		int fd = mkstemp(path);

		MUST(fd >= 0);
		close(fd);
		unlink(path);
		setenv("MLX5_DEBUG_FILE", "/nowhere/at/all", 1);
		MUST(ctx = ibv_open_device(the_device(0)));
		MUST(!ibv_close_device(ctx));
		setenv("MLX5_DEBUG_FILE", path, 1);
		MUST(ctx = ibv_open_device(the_device(0)));
		printf("debug file: %s\n", access(path, F_OK) ? "none" : "made");
		MUST(!ibv_close_device(ctx));
		unlink(path);
		unsetenv("MLX5_DEBUG_FILE");
	}
	printf("descriptors left: %d\n", count_fds() - fds);
	done(NULL);
	return 0;
}
