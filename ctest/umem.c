/* User memory: what can be registered, with which access, page sizes and dma-buf arguments.
 * run old-6.1: sim --kernel 6.1
 * run kernel-6.12: sim --kernel 6.12
 * run traced: env MLX5_TRACE=stderr
 */
#include "common.h"
#include <sys/mman.h>
#pragma GCC diagnostic ignored "-Woverride-init"

static struct ibv_context *ctx;

static void reg(const char *label, void *addr, size_t size, uint32_t access)
{
	struct mlx5dv_devx_umem *u = PTR(label, mlx5dv_devx_umem_reg(ctx, addr, size, access));

	if (u)
		VAL("  dereg", mlx5dv_devx_umem_dereg(u));
}
static void reg_ex(const char *label, struct mlx5dv_devx_umem_in in)
{
	struct mlx5dv_devx_umem *u = PTR(label, mlx5dv_devx_umem_reg_ex(ctx, &in));

	if (u)
		VAL("  dereg", mlx5dv_devx_umem_dereg(u));
}

int main(void)
{
	size_t page = sysconf(_SC_PAGESIZE);
	uint8_t *mem, *hole;
	struct mlx5dv_devx_umem *a, *b;
	int fd;

	ctx = open_devx();
	MUST(mem = aligned_alloc(page, 4 * page));
	memset(mem, 0, 4 * page);
	MUST((a = mlx5dv_devx_umem_reg(ctx, mem, 2 * page, IBV_ACCESS_LOCAL_WRITE)));
	MUST((b = mlx5dv_devx_umem_reg(ctx, mem, 2 * page, IBV_ACCESS_LOCAL_WRITE)));
	printf("the same memory twice: %s numbers\n", a->umem_id == b->umem_id ? "equal" : "two");
	VAL("dereg", mlx5dv_devx_umem_dereg(a));
	VAL("dereg", mlx5dv_devx_umem_dereg(b));

	reg("whole pages", mem, page, IBV_ACCESS_LOCAL_WRITE);
	reg("unaligned", mem + 100, page, IBV_ACCESS_LOCAL_WRITE);
	reg("one byte", mem + 3, 1, IBV_ACCESS_LOCAL_WRITE);
	reg("size 0", mem, 0, IBV_ACCESS_LOCAL_WRITE);
	reg("no memory, no size", NULL, 0, IBV_ACCESS_LOCAL_WRITE);
	reg("no memory", NULL, page, IBV_ACCESS_LOCAL_WRITE);
	reg("end of the address space", (void *)-page, 2 * page, IBV_ACCESS_LOCAL_WRITE);
	reg("size that wraps", mem, ~0ull - 100, IBV_ACCESS_LOCAL_WRITE);
	/* at a fixed place: where nothing is mapped the record shows the number itself */
	hole = mmap((void *)0x500000000000, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	MUST(hole != MAP_FAILED);
	MUST(!munmap(hole + page, page));
	reg("half of it unmapped", hole, 2 * page, IBV_ACCESS_LOCAL_WRITE);
	MUST(!munmap(hole, page));
	reg("unmapped", hole, page, IBV_ACCESS_LOCAL_WRITE);

	reg("access 0", mem, page, 0);
	for (int bit = 0; bit < 32; bit++) {
		char label[48];

		snprintf(label, sizeof label, "access bit %d", bit);
		reg(label, mem, page, 1u << bit);
		snprintf(label, sizeof label, "access bit %d with local write", bit);
		if (bit)
			reg(label, mem, page, 1u << bit | IBV_ACCESS_LOCAL_WRITE);
	}
	reg("all that may be", mem, page, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_RELAXED_ORDERING);

#define EX(...) (struct mlx5dv_devx_umem_in){ .addr = mem, .size = page, .access = IBV_ACCESS_LOCAL_WRITE, __VA_ARGS__ }
	reg_ex("ex, any page", EX(.pgsz_bitmap = ~0xfffull));
	reg_ex("ex, 4 KiB", EX(.pgsz_bitmap = 4096));
	reg_ex("ex, every bit", EX(.pgsz_bitmap = ~0ull));
	reg_ex("ex, no page size", EX(.pgsz_bitmap = 0));
	reg_ex("ex, 1 byte pages", EX(.pgsz_bitmap = 1));
	reg_ex("ex, 2^63 pages", EX(.pgsz_bitmap = 1ull << 63));
	reg_ex("ex, 2 MiB pages under one page", EX(.pgsz_bitmap = 1ull << 21));
	for (int bit = 1; bit < 64; bit += 31) {
		char label[48];

		snprintf(label, sizeof label, "ex, comp_mask bit %d", bit);
		reg_ex(label, EX(.pgsz_bitmap = 4096, .comp_mask = 1ull << bit));
	}
	reg_ex("ex, comp_mask bits 0 and 1, fd -1", EX(.pgsz_bitmap = 4096, .comp_mask = 3, .dmabuf_fd = -1));
	reg_ex("ex, fd without its bit", EX(.pgsz_bitmap = 4096, .dmabuf_fd = -1));
	reg_ex("ex, bad access", EX(.pgsz_bitmap = 4096, .access = 1u << 30));
	reg_ex("ex, size 0", EX(.pgsz_bitmap = 4096, .size = 0));

	/* dma-buf: the address is an offset; 0 keeps fork protection out of it */
#define DMABUF(n) { .addr = NULL, .size = page, .access = IBV_ACCESS_LOCAL_WRITE, .pgsz_bitmap = 4096, .comp_mask = MLX5DV_UMEM_MASK_DMABUF, .dmabuf_fd = (n) }
	reg_ex("dma-buf, fd -1", (struct mlx5dv_devx_umem_in) DMABUF(-1));
	reg_ex("dma-buf, fd that is not open", (struct mlx5dv_devx_umem_in) DMABUF(987));
	reg_ex("dma-buf, fd -2", (struct mlx5dv_devx_umem_in) DMABUF(-2));
	MUST((fd = open("/dev/null", O_RDWR)) >= 0);
	reg_ex("dma-buf, fd of another file", (struct mlx5dv_devx_umem_in) DMABUF(fd));
	close(fd);

	/* contexts without DEVX, and foreign ones */
	{
		struct { struct ibv_device dev; void *ops; char more[128]; } alien;
		struct ibv_context foreign = { .device = &alien.dev };
		struct mlx5dv_devx_umem_in in = EX(.pgsz_bitmap = 4096, .comp_mask = 2);

		memset(&alien, 0, sizeof alien);
		PTR("foreign context", mlx5dv_devx_umem_reg(&foreign, mem, page, 1));
		PTR("foreign context, ex", mlx5dv_devx_umem_reg_ex(&foreign, &in));
	}
	free(mem);
	done(ctx);
	return 0;
}
