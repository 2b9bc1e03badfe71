/* A system with 64 KiB pages. This host has 4 KiB ones, so the program stands in for the system:
 * its own sysconf, mmap, munmap and ioctl come before the C library's. They tell the library of
 * 64 KiB pages with 16 UARs in each, show every mapping as the library asks for it, and give the
 * simulator what it understands.
 * run legacy: arg legacy
 * run crowded: arg legacy ; env MLX5_TOTAL_UUARS=512
 * run shut-up: arg legacy ; env MLX5_SHUT_UP_BF=1
 * records: differ, addresses of the stand-in's own mappings
 * valgrind: no, it puts itself before the same functions
 */
#include "common.h"
#include <dlfcn.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

enum { BIG = 65536, SMALL = 4096 };
static bool on, legacy;
static int mapped;

long sysconf(int name)
{
	static long (*real)(int);

	if (!real)
		real = (long (*)(int))dlsym(RTLD_NEXT, "sysconf");
	return on && name == _SC_PAGESIZE ? BIG : real(name);
}

static bool is_device(int fd)
{
	struct stat st;

	return fd >= 0 && !fstat(fd, &st) && S_ISCHR(st.st_mode) && st.st_rdev >> 8 == 231;
}

static void *device_map(size_t len, int prot, int flags, int fd, uint64_t off)
{
	void *room, *page;

	printf("mmap command %llu index %llu length %zu prot %d%s\n", (unsigned long long)(off / BIG >> 8 & 0xff),
	       (unsigned long long)((off / BIG & 0xff) | (off / BIG >> 16) << 8), len, prot, off % BIG ? " UNALIGNED" : "");
	mapped++;
	/* one small page of the device at the start of a large one of ours */
	room = (void *)syscall(SYS_mmap, NULL, 2 * BIG, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (room == MAP_FAILED)
		return room;
	page = (void *)(((uintptr_t)room + BIG - 1) / BIG * BIG);
	room = (void *)syscall(SYS_mmap, page, SMALL, prot, flags | MAP_FIXED, fd, off / (BIG / SMALL));
	return room;
}
void *mmap(void *addr, size_t len, int prot, int flags, int fd, off_t off)
{
	if (on && is_device(fd))
		return device_map(len, prot, flags, fd, off);
	return (void *)syscall(SYS_mmap, addr, len, prot, flags, fd, off);
}
void *mmap64(void *addr, size_t len, int prot, int flags, int fd, off_t off) { return mmap(addr, len, prot, flags, fd, off); }
int munmap(void *addr, size_t len)
{
	if (on && len == BIG && (uintptr_t)addr % BIG == 0)
		mapped--;
	return syscall(SYS_munmap, addr, len);
}

struct attr { uint16_t id, len, flags, reserved; uint64_t data; };
struct call { uint16_t length, object, method, count; uint64_t r1; uint32_t driver, r2; struct attr attr[]; };

int ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	struct call *c;
	int r;

	va_start(ap, request);
	c = va_arg(ap, void *);
	va_end(ap);
	/* a library that cannot take registers one by one is given them all */
	if (on && legacy && request == 0xc0181b01 && c->object == 0 && c->method == 3)
		for (int i = 0; i < c->count; i++)
			if (c->attr[i].id == 0x1000 && c->attr[i].len >= 32)
				*(uint64_t *)(uintptr_t)(c->attr[i].data + 24) = 1;
	r = syscall(SYS_ioctl, fd, request, c);
	if (r || !on || request != 0xc0181b01)
		return r;
	for (int i = 0; i < c->count; i++) {
		struct attr *a = &c->attr[i];

		if (c->object == 0 && c->method == 3 && a->id == 0x1001 && a->len >= 64)
			*(uint32_t *)(uintptr_t)(a->data + 60) = BIG / SMALL;       /* num_uars_per_page */
		if (c->object == 0x1008 && c->method == 0x1000 && a->id == 0x1002)
			*(uint64_t *)(uintptr_t)a->data *= BIG / SMALL;             /* the offset that the kernel gives */
		if (c->object == 0x1008 && c->method == 0x1000 && a->id == 0x1003)
			*(uint32_t *)(uintptr_t)a->data = BIG;
	}
	return r;
}

int main(int argc, char **argv UNUSED)
{
	struct ibv_device *dev;
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	struct ibv_context *ctx;
	struct mlx5dv_devx_uar *all[40], *u, *first = NULL;

	legacy = argc > 1;
	on = true;
	dev = the_device(0);
	errno = 0;
	ctx = mlx5dv_open_device(dev, &attr);
	show_ptr("open", ctx, errno);
	if (!ctx)
		return 0;
	for (int i = 0; i < 40; i++) {
		uint32_t kind = i % 2 ? MLX5DV_UAR_ALLOC_TYPE_BF : MLX5DV_UAR_ALLOC_TYPE_NC_DEDICATED;

		errno = 0;
		u = all[i] = mlx5dv_devx_alloc_uar(ctx, kind);
		if (!u) {
			printf("uar %d: NULL %s\n", i, en(errno));
			continue;
		}
		if (!first)
			first = u;
		printf("uar %d: page %+d, base in its page at %#lx, register at %#lx, offset %s\n", i, (int)(u->page_id - first->page_id),
		       (unsigned long)((uintptr_t)u->base_addr % BIG), (unsigned long)((uintptr_t)u->reg_addr % BIG), u->mmap_off ? "set" : "0");
	}
	for (int i = 0; i < 40; i++)
		if (all[i])
			mlx5dv_devx_free_uar(all[i]);
	VAL("close", ibv_close_device(ctx));
	printf("large mappings left %d\n", mapped);
	on = false;
	ibv_free_device_list(device_list);
	return 0;
}
