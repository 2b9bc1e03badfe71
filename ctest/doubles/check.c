/* Loads the library under test beside the stand-in that the search path holds, and drives it as
 * far as a context: registration, device object, open, every operation's place, close.
 *
 *   check LIBRARY
 *
 * An operation is printed as its distance from the library's start, so that the same name can be
 * compared between stand-ins: in each layout it must lead to the same function.
 */
#define _GNU_SOURCE
#include "double.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MUST(c) do { if (!(c)) { printf("stopped: %s (errno %d)\n", #c, errno); exit(1); } } while (0)

static int fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n;
}
static int open_device(void) { return open("/dev/infiniband/uverbs0", O_RDWR | O_CLOEXEC); }

int main(int argc, char **argv)
{
	struct { struct ibv_device device; const void *ops; char rest[64]; } *device;
	void *mlx5, *verbs, *ibverbs = dlopen("libibverbs.so.1", RTLD_NOW | RTLD_NOLOAD);
	struct double_state *s;
	struct ibv_context *ctx;
	const char *ops;
	Dl_info where;
	int before, n = 0;

	MUST(argc == 2 && !ibverbs);
	mlx5 = dlopen(argv[1], RTLD_NOW);
	if (!mlx5)
		printf("%s\n", dlerror());
	MUST(mlx5 && (ibverbs = dlopen("libibverbs.so.1", RTLD_NOW | RTLD_NOLOAD)));
	MUST(s = dlsym(ibverbs, "double_state"));
	printf("registrations %d\n", s->registrations);
	if (!s->registered) {
		bool (*supported)(void *) = dlsym(mlx5, "mlx5dv_is_supported");
		void *(*open_dv)(void *, void *) = dlsym(mlx5, "mlx5dv_open_device");

		/* nothing is registered, and what an application can still call answers */
		device = calloc(1, sizeof *device);
		printf("supported %d\n", supported(device));
		errno = 0;
		printf("open %s\n", open_dv(device, NULL) ? "succeeded" : strerrorname_np(errno));
		return 0;
	}
	ops = s->registered;
	printf("name %s, abi %u to %u\n", *(char **)ops, *(uint32_t *)(ops + 8), *(uint32_t *)(ops + 12));
	for (const char *m = *(char **)(ops + 16); *(uint8_t *)(m + 20); m += 24) {
		if (!n)
			printf("first match: kind %u driver %llu\n", *(uint8_t *)(m + 20), *(unsigned long long *)(m + 8));
		n++;
	}
	printf("match entries %d, match_device %s, static providers %s\n", n, *(void **)(ops + 32) ? "set" : "none", *(void **)(ops + 24) ? "set" : "none");

	MUST(device = (*(void *(**)(void *))(ops + 56))(NULL));
	device->ops = ops;
	device->device.transport_type = IBV_TRANSPORT_IB;
	s->open_fd = open_device;
	before = fds();

	/* a refused open gives everything back, also the descriptor it was handed */
	setenv("MLX5_TOTAL_UUARS", "0", 1);
	errno = 0;
	verbs = s->alloc_context(&device->device, open_device(), NULL);
	printf("bad environment: %s %s, descriptors %+d, contexts %d to %d\n", verbs ? "opened" : "refused", strerrorname_np(errno), fds() - before, s->inits, s->uninits);
	unsetenv("MLX5_TOTAL_UUARS");

	MUST(verbs = s->alloc_context(&device->device, open_device(), NULL));
	printf("opened with driver id %u, sz kept %s\n", s->driver, s->context_size(verbs) ? "yes" : "no");
	ctx = s->ibv_context(verbs);
	printf("vectors %d, device %s\n", ctx->num_comp_vectors, ctx->device == &device->device ? "set" : "lost");
	MUST(dladdr(dlsym(mlx5, "mlx5dv_is_supported"), &where));
	for (int i = 0; i < s->op_count; i++)
		if (s->ops[i]) {
			Dl_info d;

			MUST(dladdr(s->ops[i], &d) && d.dli_fbase == where.dli_fbase);
			printf("op %s %#lx\n", s->op_names[i], (unsigned long)((char *)s->ops[i] - (char *)where.dli_fbase));
		}
	for (int i = 0; i < s->op_count; i++) {
		if (!strcmp(s->op_names[i], "query_port")) {
			struct ibv_port_attr a;

			MUST(s->ops[i]);
			printf("query_port answers %d for port", ((int (*)(void *, uint8_t, void *))s->ops[i])(ctx, 1, &a));
			printf(" %u\n", s->port_queried);
		} else if (!strcmp(s->op_names[i], "query_rt_values")) {
			struct ibv_values_ex v = { .comp_mask = 0x80 };

			MUST(s->ops[i]);
			printf("query_rt_values answers %s\n", strerrorname_np(((int (*)(void *, void *))s->ops[i])(ctx, &v)));
		}
	}
	{
		/* through the public side: the context is recognised at its offset */
		struct { uint8_t version, pad[7]; uint64_t flags, mask; char rest[512]; } dv = { .mask = 0x10 };
		int (*query)(void *, void *) = dlsym(mlx5, "mlx5dv_query_device");
		bool (*supported)(void *) = dlsym(mlx5, "mlx5dv_is_supported");
		void *(*open_dv)(void *, void *) = dlsym(mlx5, "mlx5dv_open_device");
		int answer = query(ctx, &dv);
		void *again;

		printf("supported %d, query_device %d mask %#llx flags %#llx\n", supported(device), answer, (unsigned long long)dv.mask, (unsigned long long)dv.flags);
		MUST(again = open_dv(device, NULL));
		printf("opened again through mlx5dv\n");
		for (int i = 0; i < s->op_count; i++)
			if (!strcmp(s->op_names[i], "free_context")) {
				MUST(s->ops[i]);
				((void (*)(void *))s->ops[i])(again);
				((void (*)(void *))s->ops[i])(ctx);
			}
	}
	printf("closed: contexts %d of %d, descriptors %+d\n", s->uninits, s->inits, fds() - before);
	(*(void (**)(void *))(ops + 64))(device);
	return 0;
}
