/* Opening a device: what mlx5dv_open_device accepts, in which order it refuses, and that a
 * refused open leaves nothing behind.
 * run old-6.1: sim --kernel 6.1
 * run invoke-write: sim --fault DEVICE.GET_CONTEXT#*=EPROTONOSUPPORT
 * run write: sim --fault DEVICE.GET_CONTEXT#*=EPROTONOSUPPORT --fault DEVICE.INVOKE_WRITE#*=EPROTONOSUPPORT
 * run traced: env MLX5_TRACE=stderr
 */
#include "common.h"

static int fds, maps;

static void try(const char *label, struct ibv_device *dev, struct mlx5dv_context_attr *attr)
{
	struct ibv_context *ctx;

	errno = 0;
	ctx = mlx5dv_open_device(dev, attr);
	show_ptr(label, ctx, errno);
	if (ctx) {
		struct mlx5dv_devx_obj *o = devx_pd(ctx, NULL);

		printf("  device %s, %d vectors, async fd %s, devx object %s\n", ibv_get_device_name(ctx->device),
		       ctx->num_comp_vectors, ctx->async_fd >= 0 ? "open" : "none", o ? "made" : en(errno));
		if (o)
			MUST(!mlx5dv_devx_obj_destroy(o));
		VAL("  close", ibv_close_device(ctx));
	}
	if (count_fds() != fds || count_shared_maps() != maps)
		printf("  left behind: %d descriptors, %d shared mappings\n", count_fds() - fds, count_shared_maps() - maps);
}

int main(void)
{
	struct mlx5dv_context_attr attr;
	struct ibv_device *dev = the_device(0);
	struct ibv_context *ctx;
	int no_fds[1] = { -1 };
	struct { int *arr; uint32_t count; } fd_arr = { no_fds, 0 };      /* struct ibv_fd_arr, which older headers lack */

	printf("is_supported: %d\n", mlx5dv_is_supported(dev));
	printf("name %s, node type %s, transport %d\n", ibv_get_device_name(dev), ibv_node_type_str(dev->node_type), dev->transport_type);
	/* the first open may leave process-wide things behind, such as the loader's */
	MUST(ctx = ibv_open_device(dev));
	MUST(!ibv_close_device(ctx));
	fds = count_fds();
	maps = count_shared_maps();

	try("attr NULL", dev, NULL);
	memset(&attr, 0, sizeof attr);
	try("attr zero", dev, &attr);
	attr.flags = MLX5DV_CONTEXT_FLAGS_DEVX;
	try("DEVX", dev, &attr);
	for (int bit = 1; bit < 32; bit += 15) {
		char label[48];

		snprintf(label, sizeof label, "flags bit %d", bit);
		attr.flags = 1u << bit;
		try(label, dev, &attr);
		snprintf(label, sizeof label, "flags bits 0 and %d", bit);
		attr.flags = 1u << bit | 1;
		try(label, dev, &attr);
	}
	attr.flags = MLX5DV_CONTEXT_FLAGS_DEVX;
	for (int bit = 1; bit < 64; bit += 31) {
		char label[48];

		snprintf(label, sizeof label, "comp_mask bit %d", bit);
		attr.comp_mask = 1ull << bit;
		try(label, dev, &attr);
		snprintf(label, sizeof label, "comp_mask bits 0 and %d", bit);
		attr.comp_mask = 1ull << bit | 1;
		attr.fds = (void *)&fd_arr;
		try(label, dev, &attr);
	}
	/* both wrong: the mask is looked at first, either is EINVAL */
	attr.flags = 2;
	try("flags and comp_mask", dev, &attr);
	/* capability descriptors: the array is looked at only with its bit */
	attr.flags = MLX5DV_CONTEXT_FLAGS_DEVX;
	attr.comp_mask = 0;
	fd_arr.count = 1;
	try("fds without the bit", dev, &attr);
	attr.comp_mask = MLX5DV_CONTEXT_ATTR_MASK_FD_ARRAY;
	fd_arr.count = 0;
	try("no fds", dev, &attr);
	fd_arr.count = 1;
	try("fd -1, DEVX", dev, &attr);
	MUST((no_fds[0] = open("/dev/null", O_RDWR)) >= 0);
	fds++;
	try("fd of another file, DEVX", dev, &attr);
	attr.flags = 0;
	try("fd of another file, DEVX if possible", dev, &attr);
	close(no_fds[0]);
	fds--;

	MUST(ctx = ibv_open_device(dev));
	VAL("ibv_open_device, close", ibv_close_device(ctx));
	/* two at a time, closed in the order they were opened */
	{
		struct ibv_context *a = open_devx(), *b = open_devx();
		uint32_t pa, pb;
		struct mlx5dv_devx_obj *oa = devx_pd(a, &pa), *ob = devx_pd(b, &pb);

		MUST(oa && ob);
		printf("two contexts, two domains: %s\n", pa != pb ? "different" : "the same");
		VAL("destroy in a", mlx5dv_devx_obj_destroy(oa));
		VAL("close a", ibv_close_device(a));
		VAL("destroy in b", mlx5dv_devx_obj_destroy(ob));
		VAL("close b", ibv_close_device(b));
	}
	printf("left at the end: %d descriptors, %d shared mappings\n", count_fds() - fds, count_shared_maps() - maps);
	done(NULL);
	return 0;
}
