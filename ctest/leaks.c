/* Growth: what a process holds after many rounds is what it held after a few. The counts are
 * modest; CTEST_OPENS and CTEST_OBJECTS ask for more (1,000 and 100,000 is the full measure).
 * timeout: 600
 */
#include "common.h"

static struct ibv_context *ctx;

static void round_open(void)
{
	struct ibv_context *c = open_devx();
	struct mlx5dv_devx_uar *bf = mlx5dv_devx_alloc_uar(c, MLX5DV_UAR_ALLOC_TYPE_BF), *nc = mlx5dv_devx_alloc_uar(c, MLX5DV_UAR_ALLOC_TYPE_NC_DEDICATED);
	struct mlx5dv_devx_event_channel *ch = mlx5dv_devx_create_event_channel(c, 0);

	MUST(bf && nc && ch);
	mlx5dv_devx_destroy_event_channel(ch);
	mlx5dv_devx_free_uar(bf);
	mlx5dv_devx_free_uar(nc);
	MUST(!ibv_close_device(c));
}
static void round_refused(void)
{
	struct mlx5dv_context_attr bad = { .comp_mask = 1u << 20 };

	MUST(!mlx5dv_open_device(the_device(0), &bad));
}
static void round_list(void)
{
	int n;
	struct ibv_device **l = ibv_get_device_list(&n);

	MUST(l);
	ibv_free_device_list(l);
}
static void round_object(void) { MUST(!mlx5dv_devx_obj_destroy(devx_pd(ctx, NULL))); }
static void round_object_refused(void)
{
	uint32_t in[4] = {0}, out[4];

	MUST(!mlx5dv_devx_obj_create(ctx, in, sizeof in, out, sizeof out));
}
static void round_umem(void)
{
	static uint8_t mem[8192] __attribute__((aligned(4096)));
	struct mlx5dv_devx_umem *u = mlx5dv_devx_umem_reg(ctx, mem, sizeof mem, IBV_ACCESS_LOCAL_WRITE);

	MUST(u && !mlx5dv_devx_umem_dereg(u));
}
static void round_uar(void)
{
	struct mlx5dv_devx_uar *u = mlx5dv_devx_alloc_uar(ctx, MLX5DV_UAR_ALLOC_TYPE_BF);

	MUST(u);
	mlx5dv_devx_free_uar(u);
}
static void round_channel(void)
{
	struct mlx5dv_devx_event_channel *ch = mlx5dv_devx_create_event_channel(ctx, 0);
	struct mlx5dv_devx_cmd_comp *comp = mlx5dv_devx_create_cmd_comp(ctx);

	MUST(ch && comp);
	mlx5dv_devx_destroy_cmd_comp(comp);
	mlx5dv_devx_destroy_event_channel(ch);
}
static void round_command(void)
{
	uint8_t in[16] = {0}, out[4112];

	OPCODE(in, OP_QUERY_HCA_CAP);
	OP_MOD(in, 1);
	MUST(!mlx5dv_devx_general_cmd(ctx, in, sizeof in, out, sizeof out));
}

static void repeat(const char *name, void (*round)(void), long times)
{
	int fds, maps, all;
	size_t heap;

	/* the allocator keeps a few blocks of each size: let it have them */
	for (int i = 0; i < 24; i++)
		round();
	fds = count_fds();
	maps = count_shared_maps();
	all = count_maps();
	heap = heap_in_use();
	for (long i = 0; i < times; i++)
		round();
	printf("%s: %s, %s, %s, %s\n", name, count_fds() == fds ? "no descriptor" : "DESCRIPTORS", count_shared_maps() == maps ? "no shared mapping" : "SHARED MAPPINGS",
	       count_maps() <= all + 2 ? "no mapping" : "MAPPINGS", heap_in_use() <= heap + 4096 ? "no memory" : "MEMORY");
}

int main(void)
{
	long opens = env_long("CTEST_OPENS", 20), objects = env_long("CTEST_OBJECTS", 300);

	mallopt(M_MMAP_THRESHOLD, 64 << 20);     /* a context is large: keep it in the heap's count */
	repeat("open and close", round_open, opens);
	repeat("refused open", round_refused, opens);
	repeat("device list", round_list, opens);
	ctx = open_devx();
	repeat("object", round_object, objects);
	repeat("refused object", round_object_refused, objects);
	repeat("umem", round_umem, objects);
	repeat("uar", round_uar, objects);
	repeat("channels", round_channel, objects);
	repeat("command", round_command, objects);
	done(ctx);
	return 0;
}
