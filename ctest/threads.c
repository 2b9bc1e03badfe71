/* Many threads on one context, and many contexts: every call's answer must be its own.
 *
 * records: differ, threads take turns as the scheduler has it
 */
#include "common.h"
#include <pthread.h>

enum { THREADS = 6, ROUNDS = 20 };
static struct ibv_context *shared;
static int wrong[THREADS];
static struct mlx5dv_devx_event_channel *ch;
static int seen;

static void work(struct ibv_context *ctx, int me)
{
	uint8_t *mem = aligned_alloc(4096, 8192);

	for (int i = 0; i < ROUNDS; i++) {
		uint8_t in[16] = {0}, out[4112];
		struct mlx5dv_devx_umem *u = mlx5dv_devx_umem_reg(ctx, mem, 8192, IBV_ACCESS_LOCAL_WRITE);
		struct mlx5dv_devx_obj *o = devx_pd(ctx, NULL);
		struct mlx5dv_devx_uar *r = mlx5dv_devx_alloc_uar(ctx, i & 1 ? MLX5DV_UAR_ALLOC_TYPE_BF : MLX5DV_UAR_ALLOC_TYPE_NC_DEDICATED);

		wrong[me] += !u || !o || !r;
		OPCODE(in, OP_QUERY_HCA_CAP);
		OP_MOD(in, i & 1);
		wrong[me] += mlx5dv_devx_general_cmd(ctx, in, 16, out, sizeof out) || STATUS(out);
		OP_MOD(in, 0x7fff);
		wrong[me] += mlx5dv_devx_general_cmd(ctx, in, 16, out, sizeof out) != EREMOTEIO;
		if (o)
			wrong[me] += !!mlx5dv_devx_obj_destroy(o);
		if (u)
			wrong[me] += !!mlx5dv_devx_umem_dereg(u);
		if (r)
			mlx5dv_devx_free_uar(r);
	}
	free(mem);
}
static void *on_shared(void *me) { work(shared, (int)(intptr_t)me); return NULL; }
static void *on_own(void *me)
{
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	struct ibv_context *ctx = mlx5dv_open_device(device_list[0], &attr);

	if (!ctx) {
		wrong[(intptr_t)me]++;
		return NULL;
	}
	work(ctx, (int)(intptr_t)me);
	wrong[(intptr_t)me] += !!ibv_close_device(ctx);
	return NULL;
}
static void *reader(void *none UNUSED)
{
	uint8_t rec[72];

	while (mlx5dv_devx_get_event(ch, (void *)rec, sizeof rec) == sizeof rec && rec[0] != 0xff)
		__atomic_add_fetch(&seen, 1, __ATOMIC_RELAXED);
	return NULL;
}
static void all(const char *label, void *(*f)(void *))
{
	pthread_t t[THREADS];
	int sum = 0;

	memset(wrong, 0, sizeof wrong);
	for (intptr_t i = 0; i < THREADS; i++)
		MUST(!pthread_create(&t[i], NULL, f, (void *)i));
	for (int i = 0; i < THREADS; i++) {
		pthread_join(t[i], NULL);
		sum += wrong[i];
	}
	printf("%s: %d wrong answers\n", label, sum);
}

int main(void)
{
	struct devx_cq cq;
	struct mlx5dv_devx_uar *nc;
	uint16_t list = 4;
	pthread_t t[3];
	char line[64];

	shared = open_devx();
	all("one context", on_shared);
	all("a context each", on_own);

	/* one record goes to one reader */
	MUST(nc = mlx5dv_devx_alloc_uar(shared, MLX5DV_UAR_ALLOC_TYPE_NC));
	MUST(devx_cq_create(shared, nc, 4, &cq));
	MUST(ch = mlx5dv_devx_create_event_channel(shared, 0));
	MUST(!mlx5dv_devx_subscribe_devx_event(ch, cq.obj, 2, &list, 1));
	for (int i = 0; i < 3; i++)
		MUST(!pthread_create(&t[i], NULL, reader, NULL));
	snprintf(line, sizeof line, "devx 4 %u", cq.cqn);
	for (int i = 0; i < 30; i++)
		MUST(!sim_say(line));
	for (int i = 0; i < 2000 && __atomic_load_n(&seen, __ATOMIC_RELAXED) < 30; i++)
		usleep(1000);
	/* a cookie that tells a reader to stop, once for each */
	for (int i = 0; i < 3; i++) {
		MUST(!mlx5dv_devx_subscribe_devx_event(ch, NULL, 2, (uint16_t[]){ 9 }, 0xff));
	}
	MUST(!sim_say("event 9"));
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("three readers: %d records\n", seen);
	mlx5dv_devx_destroy_event_channel(ch);
	devx_cq_destroy(&cq);
	done(shared);
	return 0;
}
