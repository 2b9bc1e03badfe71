/* Every call to the kernel fails in turn, for each function: the errno that comes out, and that
 * a call which failed leaves no descriptor, no mapping and no memory behind.
 *
 * For each function the n-th call to the kernel within it fails, n from 1 until the function
 * makes fewer calls than that.
 * run enomem: arg ENOMEM
 * run old-method: arg EPROTONOSUPPORT
 * timeout: 120
 * records: differ, the reference destroys handle 0 where a UAR could not be mapped
 */
#include "common.h"
#include <sys/eventfd.h>

static struct ibv_context *ctx;
static struct mlx5dv_devx_uar *nc;
static struct devx_cq cq;
static struct mlx5dv_devx_event_channel *ch;
static struct mlx5dv_devx_cmd_comp *comp;
static const char *error = "EIO";
static int efd;
static uint8_t mem[8192] __attribute__((aligned(4096)));

/* A function under test: makes something or nothing; `undo` takes back what it made. */
struct subject {
	const char *name;
	bool (*make)(void **made);               /* true if it says success; errno else */
	void (*undo)(void *made);
	void (*before)(void);                    /* done without any fault */
};

static bool val(int r) { if (r) errno = r; return !r; }
#define MAKE(name, expr) static bool make_##name(void **made) { return (*made = (expr)) != NULL; }
#define CALL(name, expr) static bool make_##name(void **made) { *made = NULL; return val(expr); }

static uint8_t query_in[16], pd_in[16], out[4112];

MAKE(open, ibv_open_device(the_device(0)))
static void undo_open(void *c) { MUST(!ibv_close_device(c)); }
static bool make_open_devx(void **made)
{
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };

	return (*made = mlx5dv_open_device(the_device(0), &attr)) != NULL;
}
CALL(general_cmd, mlx5dv_devx_general_cmd(ctx, query_in, 16, out, sizeof out))
MAKE(obj_create, mlx5dv_devx_obj_create(ctx, pd_in, 16, out, 16))
static void undo_obj(void *o) { MUST(!mlx5dv_devx_obj_destroy(o)); }
static bool make_obj_query(void **made)
{
	uint8_t in[16] = {0};

	*made = NULL;
	OPCODE(in, OP_QUERY_CQ);
	put(in, 0x48, 24, cq.cqn);
	return val(mlx5dv_devx_obj_query(cq.obj, in, 16, out, 272));
}
static bool make_obj_query_async(void **made)
{
	uint8_t in[16] = {0};

	*made = NULL;
	OPCODE(in, OP_QUERY_CQ);
	put(in, 0x48, 24, cq.cqn);
	if (!val(mlx5dv_devx_obj_query_async(cq.obj, in, 16, 272, 7, comp)))
		return false;
	*made = comp;
	return true;
}
static void undo_async(void *c) { MUST(!mlx5dv_devx_get_async_cmd_comp(c, (void *)out, sizeof out)); }
/* Destroying: the object is made beforehand, and one whose destroy failed must still be there. */
static struct mlx5dv_devx_obj *victim;
static void before_obj_destroy(void) { MUST(victim = devx_pd(ctx, NULL)); }
static bool make_obj_destroy(void **made)
{
	if (val(mlx5dv_devx_obj_destroy(victim)))
		return true;
	*made = victim;
	return false;
}
static struct mlx5dv_devx_umem *umem_victim;
static void before_umem_dereg(void) { MUST(umem_victim = mlx5dv_devx_umem_reg(ctx, mem, 4096, IBV_ACCESS_LOCAL_WRITE)); }
static bool make_umem_dereg(void **made)
{
	if (val(mlx5dv_devx_umem_dereg(umem_victim)))
		return true;
	*made = umem_victim;
	return false;
}
MAKE(cmd_comp, mlx5dv_devx_create_cmd_comp(ctx))
static void undo_cmd_comp(void *c) { mlx5dv_devx_destroy_cmd_comp(c); }
MAKE(event_channel, mlx5dv_devx_create_event_channel(ctx, 0))
static void undo_channel(void *c) { mlx5dv_devx_destroy_event_channel(c); }
static uint16_t cq_error[] = { 4 };
CALL(subscribe, mlx5dv_devx_subscribe_devx_event(ch, cq.obj, 2, cq_error, 1))
CALL(subscribe_fd, mlx5dv_devx_subscribe_devx_event_fd(ch, efd, cq.obj, 4))
MAKE(umem_reg, mlx5dv_devx_umem_reg(ctx, mem, sizeof mem, IBV_ACCESS_LOCAL_WRITE))
static void undo_umem(void *u) { MUST(!mlx5dv_devx_umem_dereg(u)); }
static bool make_umem_reg_ex(void **made)
{
	struct mlx5dv_devx_umem_in in = { .addr = mem, .size = sizeof mem, .access = IBV_ACCESS_LOCAL_WRITE, .pgsz_bitmap = 4096 };

	return (*made = mlx5dv_devx_umem_reg_ex(ctx, &in)) != NULL;
}
CALL(query_eqn, mlx5dv_devx_query_eqn(ctx, 0, (void *)out))
MAKE(var, mlx5dv_alloc_var(ctx, 0))
static void undo_var(void *v) { mlx5dv_free_var(v); }
static bool make_pp(void **made)
{
	uint8_t c[48] = {0};

	put(c, 0, 32, 1000);
	return (*made = mlx5dv_pp_alloc(ctx, sizeof c, c, 0)) != NULL;
}
static void undo_pp(void *p) { mlx5dv_pp_free(p); }
static bool make_dm(void **made)
{
	struct ibv_alloc_dm_attr attr = { .length = 64 };
	struct mlx5dv_alloc_dm_attr dv = { .type = MLX5DV_DM_TYPE_MEMIC };

	return (*made = mlx5dv_alloc_dm(ctx, &attr, &dv)) != NULL;
}
static void undo_dm(void *d) { MUST(!ibv_free_dm(d)); }
static bool make_sched_node(void **made)
{
	struct mlx5dv_sched_attr attr = {0};

	return (*made = mlx5dv_sched_node_create(ctx, &attr)) != NULL;
}
static void undo_sched_node(void *n) { MUST(!mlx5dv_sched_node_destroy(n)); }
static uint32_t reserved;
static bool make_reserved_qpn(void **made)
{
	if (!val(mlx5dv_reserved_qpn_alloc(ctx, &reserved)))
		return false;
	*made = &reserved;
	return true;
}
static void undo_reserved_qpn(void *q) { MUST(!mlx5dv_reserved_qpn_dealloc(ctx, *(uint32_t *)q)); }
CALL(query_port, mlx5dv_query_port(ctx, 1, (void *)out))
CALL(ibv_query_port, ibv_query_port(ctx, 1, (void *)out))
CALL(query_device_ex, ibv_query_device_ex(ctx, NULL, (void *)out))
CALL(data_direct, mlx5dv_get_data_direct_sysfs_path(ctx, (void *)out, 4096))
static bool make_query_device(void **made)
{
	struct mlx5dv_context dv = { .comp_mask = 0x1ffff };

	*made = NULL;
	return val(mlx5dv_query_device(ctx, &dv));
}
CALL(clock_info, mlx5dv_get_clock_info(ctx, (void *)out))
MAKE(uar_bf, mlx5dv_devx_alloc_uar(ctx, MLX5DV_UAR_ALLOC_TYPE_BF))
MAKE(uar_dedicated, mlx5dv_devx_alloc_uar(ctx, MLX5DV_UAR_ALLOC_TYPE_NC_DEDICATED))

#define SUBJECT(n, undo) { #n, make_##n, undo, NULL }
static const struct subject subjects[] = {
	SUBJECT(open, undo_open), SUBJECT(open_devx, undo_open), SUBJECT(general_cmd, NULL), SUBJECT(obj_create, undo_obj),
	SUBJECT(obj_query, NULL), SUBJECT(obj_query_async, undo_async), { "obj_destroy", make_obj_destroy, undo_obj, before_obj_destroy }, SUBJECT(cmd_comp, undo_cmd_comp),
	SUBJECT(event_channel, undo_channel), SUBJECT(subscribe, NULL), SUBJECT(subscribe_fd, NULL), SUBJECT(umem_reg, undo_umem),
	SUBJECT(umem_reg_ex, undo_umem), { "umem_dereg", make_umem_dereg, undo_umem, before_umem_dereg }, SUBJECT(query_eqn, NULL), SUBJECT(var, undo_var), SUBJECT(pp, undo_pp), SUBJECT(dm, undo_dm),
	SUBJECT(sched_node, undo_sched_node), SUBJECT(reserved_qpn, undo_reserved_qpn), SUBJECT(query_port, NULL), SUBJECT(ibv_query_port, NULL),
	SUBJECT(query_device_ex, NULL), SUBJECT(data_direct, NULL), SUBJECT(query_device, NULL), SUBJECT(clock_info, NULL),
	/* registers stay with the context, so these come last: each success takes a page in the end */
	SUBJECT(uar_bf, NULL), SUBJECT(uar_dedicated, NULL),
};

/* One call with its n-th kernel call failing. */
static bool once(const struct subject *s, long n, bool *fired, int *e)
{
	void *made = NULL;
	char rule[64];
	long before;
	bool well;

	if (s->before)
		s->before();
	snprintf(rule, sizeof rule, "fault ANY#%ld=%s", n, error);
	MUST(!sim_say(rule));
	before = sim_number("calls");
	errno = 0;
	well = s->make(&made);
	*e = errno;
	*fired = sim_number("calls") - before >= n;
	MUST(!sim_say("faults clear"));
	if (made && s->undo)
		s->undo(made);
	return well;
}

static void climb(const struct subject *s)
{
	for (long n = 1; n < 64; n++) {
		/* the allocator keeps a few blocks of each size: it takes some rounds to see what stays */
		enum { ROUNDS = 24 };
		size_t heap[ROUNDS] = {0};
		int fds = 0, maps = 0, e;
		bool fired, well = false;

		for (int round = 0; round < ROUNDS; round++) {
			well = once(s, n, &fired, &e);
			if (!fired)
				return;
			heap[round] = heap_in_use();
			if (round == 0) {
				fds = count_fds();
				maps = count_shared_maps();
			}
		}
		printf("%s, call %ld fails: %s", s->name, n, well ? "goes on" : en(e));
		if (count_fds() != fds)
			printf(", descriptors left");
		if (!strstr(s->name, "uar") && count_shared_maps() != maps)
			printf(", mappings left");
		if (heap[ROUNDS - 1] > heap[ROUNDS - 2] && heap[ROUNDS - 2] > heap[ROUNDS - 3])
			printf(", memory left");
		putchar('\n');
	}
}

int main(int argc, char **argv)
{
	if (argc > 1)
		error = argv[1];
	sim_say("faults clear");
	ctx = open_devx();
	MUST(nc = mlx5dv_devx_alloc_uar(ctx, MLX5DV_UAR_ALLOC_TYPE_NC));
	MUST(devx_cq_create(ctx, nc, 4, &cq));
	MUST(ch = mlx5dv_devx_create_event_channel(ctx, 0));
	MUST(comp = mlx5dv_devx_create_cmd_comp(ctx));
	MUST((efd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) >= 0);
	OPCODE(query_in, OP_QUERY_HCA_CAP);
	OP_MOD(query_in, 1);
	OPCODE(pd_in, OP_ALLOC_PD);
	for (unsigned i = 0; i < sizeof subjects / sizeof *subjects; i++)
		climb(&subjects[i]);
	mlx5dv_devx_destroy_cmd_comp(comp);
	mlx5dv_devx_destroy_event_channel(ch);
	devx_cq_destroy(&cq);
	done(ctx);
	printf("done\n");
	return 0;
}
