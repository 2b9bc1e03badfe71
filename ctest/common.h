/* What every program of the harness shares: printing that is the same on every run,
 * mailboxes, the simulator's control channel and a look at what the process holds.
 *
 * A program prints results by name of errno, never by number, and never an address. */
#ifndef CTEST_COMMON_H
#define CTEST_COMMON_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <malloc.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define UNUSED __attribute__((unused))

/* What was said before a crash is part of the finding. */
static __attribute__((constructor)) void line_by_line(void) { setvbuf(stdout, NULL, _IOLBF, 0); }

/* ---- errno by name -------------------------------------------------------- */
static UNUSED const char *en(int e)
{
	static char text[4][24];
	static int turn;
	char *t = text[turn++ & 3];
	const char *name = e > 0 ? strerrorname_np(e) : NULL;

	if (!e)
		return "0";
	if (name)
		return name;
	if (e < 0 && (name = strerrorname_np(-e)) != NULL) {
		snprintf(t, sizeof text[0], "-%s", name);
		return t;
	}
	snprintf(t, sizeof text[0], "%d", e);
	return t;
}

/* A call that returns 0 or an errno value. errno is printed too when it tells another story. */
static UNUSED int show_val(const char *label, int r, int e)
{
	printf("%s: %s", label, en(r));
	if (r && e != r)
		printf(" (errno %s)", en(e));
	putchar('\n');
	return r;
}
/* A call that returns a pointer, or NULL with errno. */
static UNUSED void *show_ptr(const char *label, void *p, int e)
{
	if (p)
		printf("%s: ok\n", label);
	else
		printf("%s: NULL %s\n", label, en(e));
	return p;
}
/* A call that returns a count or descriptor, or -1 with errno. */
static UNUSED long show_num(const char *label, long n, int e)
{
	if (n < 0)
		printf("%s: %ld %s\n", label, n, en(e));
	else
		printf("%s: %ld\n", label, n);
	return n;
}
#define VAL(label, call) ({ errno = 0; int r_ = (call); show_val(label, r_, errno); })
#define PTR(label, call) ({ errno = 0; __auto_type p_ = (call); show_ptr(label, p_, errno); p_; })
#define NUM(label, call) ({ errno = 0; long n_ = (call); show_num(label, n_, errno); })
#define MUST(cond) do { if (!(cond)) { printf("stopped at %s:%d: %s (errno %s)\n", __FILE_NAME__, __LINE__, #cond, en(errno)); exit(1); } } while (0)

/* ---- device ---------------------------------------------------------------- */
static UNUSED struct ibv_device **device_list;

static UNUSED struct ibv_device *the_device(int index)
{
	int n = 0;

	if (!device_list)
		device_list = ibv_get_device_list(&n);
	MUST(device_list && device_list[0]);
	for (n = 0; device_list[n]; n++)
		if (n == index)
			return device_list[n];
	MUST(!"no such device");
	return NULL;
}
static UNUSED struct ibv_context *open_devx(void)
{
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	struct ibv_context *ctx = mlx5dv_open_device(the_device(0), &attr);

	MUST(ctx);
	return ctx;
}
static UNUSED void done(struct ibv_context *ctx)
{
	if (ctx)
		MUST(!ibv_close_device(ctx));
	if (device_list)
		ibv_free_device_list(device_list);
	device_list = NULL;
}

/* ---- device mailboxes: fields are numbered from the most significant bit of byte 0 --- */
static UNUSED void put(void *box, unsigned bit, unsigned width, uint64_t v)
{
	uint8_t *p = box;

	for (unsigned i = 0; i < width; i++) {
		unsigned b = bit + i;
		uint8_t m = 0x80 >> (b & 7);

		if (v >> (width - 1 - i) & 1)
			p[b / 8] |= m;
		else
			p[b / 8] &= ~m;
	}
}
static UNUSED uint64_t get(const void *box, unsigned bit, unsigned width)
{
	const uint8_t *p = box;
	uint64_t v = 0;

	for (unsigned i = 0; i < width; i++)
		v = v << 1 | (p[(bit + i) / 8] >> (7 - ((bit + i) & 7)) & 1);
	return v;
}
#define OPCODE(box, op) put(box, 0, 16, op)
#define OP_MOD(box, mod) put(box, 0x30, 16, mod)
#define STATUS(out) ((unsigned)get(out, 0, 8))
#define SYNDROME(out) ((unsigned)get(out, 0x20, 32))

enum {
	OP_QUERY_HCA_CAP = 0x100,
	OP_ALLOC_PD = 0x800, OP_DEALLOC_PD = 0x801,
	OP_CREATE_CQ = 0x400, OP_DESTROY_CQ = 0x401, OP_QUERY_CQ = 0x402, OP_MODIFY_CQ = 0x403,
	OP_CREATE_MKEY = 0x200,
	OP_CREATE_TIS = 0x912, OP_MODIFY_TIS = 0x913, OP_QUERY_TIS = 0x915,
	OP_ALLOC_TRANSPORT_DOMAIN = 0x816,
	OP_CREATE_GENERAL_OBJECT = 0xa00, OP_MODIFY_GENERAL_OBJECT = 0xa01,
	OP_QUERY_GENERAL_OBJECT = 0xa02,
};

/* ALLOC_PD through DEVX: the smallest object there is. */
static UNUSED struct mlx5dv_devx_obj *devx_pd(struct ibv_context *ctx, uint32_t *pdn)
{
	uint32_t in[4] = {0}, out[4] = {0};
	struct mlx5dv_devx_obj *o;

	OPCODE(in, OP_ALLOC_PD);
	o = mlx5dv_devx_obj_create(ctx, in, sizeof in, out, sizeof out);
	if (o && pdn)
		*pdn = get(out, 0x48, 24);
	return o;
}

/* A completion queue of 2^log_size entries made through DEVX, on memory of its own.
 * Field places: CREATE_CQ has the CQ context at 0x80, the queue's umem after it. */
struct devx_cq {
	struct mlx5dv_devx_obj *obj;
	struct mlx5dv_devx_umem *umem, *dbr;
	void *mem, *dbr_mem;
	uint32_t cqn;
	uint8_t out[16];
};
enum { CREATE_CQ_IN = 272 };

static UNUSED void devx_cq_mailbox(void *in, unsigned log_size, uint32_t page_id, uint32_t eqn, uint32_t umem_id, uint32_t dbr_id)
{
	enum { CQC = 0x80 };

	memset(in, 0, CREATE_CQ_IN);
	OPCODE(in, OP_CREATE_CQ);
	put(in, CQC + 0x06, 1, 1);               /* dbr_umem_valid */
	put(in, CQC + 0x63, 5, log_size);        /* log_cq_size */
	put(in, CQC + 0x68, 24, page_id);        /* uar_page */
	put(in, CQC + 0xa0, 32, eqn);            /* c_eqn_or_apu_element */
	put(in, CQC + 0x20, 32, dbr_id);         /* dbr_umem_id */
	put(in, 0x2c0, 32, umem_id);             /* cq_umem_id */
	put(in, 0x2e0, 1, 1);                    /* cq_umem_valid */
}
static UNUSED bool devx_cq_create(struct ibv_context *ctx, struct mlx5dv_devx_uar *uar, unsigned log_size, struct devx_cq *cq)
{
	uint8_t in[CREATE_CQ_IN];
	size_t bytes = (size_t)64 << log_size, page = sysconf(_SC_PAGESIZE);
	uint32_t eqn = 0;                        /* a memory checker does not see what the kernel writes */

	memset(cq, 0, sizeof *cq);
	bytes = (bytes + page - 1) / page * page;
	cq->mem = aligned_alloc(page, bytes);
	cq->dbr_mem = aligned_alloc(page, page);
	MUST(cq->mem && cq->dbr_mem);
	memset(cq->mem, 0xf1, bytes);            /* invalid opcode, owned by the device */
	memset(cq->dbr_mem, 0, page);
	MUST(!mlx5dv_devx_query_eqn(ctx, 0, &eqn));
	MUST(cq->umem = mlx5dv_devx_umem_reg(ctx, cq->mem, bytes, IBV_ACCESS_LOCAL_WRITE));
	MUST(cq->dbr = mlx5dv_devx_umem_reg(ctx, cq->dbr_mem, page, IBV_ACCESS_LOCAL_WRITE));
	devx_cq_mailbox(in, log_size, uar->page_id, eqn, cq->umem->umem_id, cq->dbr->umem_id);
	cq->obj = mlx5dv_devx_obj_create(ctx, in, sizeof in, cq->out, sizeof cq->out);
	cq->cqn = get(cq->out, 0x48, 24);
	return cq->obj;
}
static UNUSED void devx_cq_destroy(struct devx_cq *cq)
{
	int e = errno;

	if (cq->obj)
		MUST(!mlx5dv_devx_obj_destroy(cq->obj));
	if (cq->umem)
		MUST(!mlx5dv_devx_umem_dereg(cq->umem));
	MUST(!mlx5dv_devx_umem_dereg(cq->dbr));
	free(cq->mem);
	free(cq->dbr_mem);
	errno = e;
}

/* ---- the simulator's control channel --------------------------------------- */
#ifndef SIM_CONTROL
#define SIM_CONTROL "/dev/infiniband/mlx5_sim_ctl"
#endif
/* Say a line; the answer without its "ok" in `answer`, if anything is wanted. */
static UNUSED int sim_ask(const char *line, char *answer, size_t room)
{
	static int fd = -1;
	char text[256];
	ssize_t n;

	if (fd < 0)
		fd = open(SIM_CONTROL, O_RDWR | O_CLOEXEC);
	MUST(fd >= 0);
	MUST(dprintf(fd, "%s\n", line) > 0);
	MUST((n = read(fd, text, sizeof text - 1)) > 0);
	text[n] = 0;
	if (strncmp(text, "ok", 2)) {
		printf("the simulator on '%s': %s", line, text);
		return -1;
	}
	if (answer)
		snprintf(answer, room, "%s", text + 2);
	return 0;
}
static UNUSED int sim_say(const char *line) { return sim_ask(line, NULL, 0); }
static UNUSED long sim_number(const char *line)
{
	char text[64] = "";

	MUST(!sim_ask(line, text, sizeof text));
	return strtol(text, NULL, 0);
}

/* ---- what the process holds -------------------------------------------------- */
static UNUSED int count_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	MUST(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 3;                            /* ".", ".." and the folder itself */
}
/* Mappings of the device and other shared ones; the heap has its own count. */
static UNUSED int count_shared_maps(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512], perm[8];
	int n = 0;

	MUST(f);
	while (fgets(line, sizeof line, f))
		if (sscanf(line, "%*s %7s", perm) == 1 && perm[3] == 's')
			n++;
	fclose(f);
	return n;
}
static UNUSED int count_maps(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512];
	int n = 0;

	MUST(f);
	while (fgets(line, sizeof line, f))
		n++;
	fclose(f);
	return n;
}
static UNUSED size_t heap_in_use(void) { return mallinfo2().uordblks + mallinfo2().hblkhd; }
static UNUSED long env_long(const char *name, long otherwise)
{
	const char *s = getenv(name);

	return s && *s ? strtol(s, NULL, 0) : otherwise;
}
#endif
