/* Importing a context by its descriptor: what is shared, what each side may do, and that a
 * refused import takes the descriptor with it.
 * run legacy: sim --fault DEVICE.GET_CONTEXT#1=EINVAL
 * run refused: sim --fault DEVICE.QUERY_CONTEXT#1=EIO
 * run old-6.1: sim --kernel 6.1
 */
#include "common.h"

static bool is_open(int fd) { return fcntl(fd, F_GETFD) >= 0; }

int main(void)
{
	struct ibv_context *ctx = open_devx(), *twin;
	struct mlx5dv_devx_obj *pd, *in_twin;
	uint32_t pdn;
	int fd, fds, maps;

	MUST(pd = devx_pd(ctx, &pdn));
	fds = count_fds();
	maps = count_shared_maps();
	MUST((fd = dup(ctx->cmd_fd)) >= 0);
	twin = PTR("import", ibv_import_device(fd));
	printf("  descriptor %s\n", is_open(fd) ? "open" : "closed");
	if (twin) {
		struct mlx5dv_context a = { .comp_mask = 0x1ffff }, b = { .comp_mask = 0x1ffff };

		printf("  the same device %s, vectors %d and %d, async fd %s\n", twin->device == ctx->device ? "object" : "by another object",
		       ctx->num_comp_vectors, twin->num_comp_vectors, twin->async_fd >= 0 ? "open" : "none");
		VAL("query_device", mlx5dv_query_device(ctx, &a));
		VAL("query_device, imported", mlx5dv_query_device(twin, &b));
		printf("  flags %#llx %#llx, masks %#llx %#llx\n", (unsigned long long)a.flags, (unsigned long long)b.flags,
		       (unsigned long long)a.comp_mask, (unsigned long long)b.comp_mask);
		in_twin = devx_pd(twin, &pdn);
		printf("object in the imported one: %s\n", in_twin ? "made" : en(errno));
		if (in_twin)
			VAL("  destroy", mlx5dv_devx_obj_destroy(in_twin));
		PTR("NC uar, imported", mlx5dv_devx_alloc_uar(twin, MLX5DV_UAR_ALLOC_TYPE_NC));
		VAL("close the imported one", ibv_close_device(twin));
		printf("  descriptor %s\n", is_open(fd) ? "open" : "closed");
	}
	VAL("the first goes on", mlx5dv_devx_obj_destroy(pd));
	printf("left: %d descriptors, %d shared mappings\n", count_fds() - fds, count_shared_maps() - maps);

	MUST((fd = open("/dev/null", O_RDWR | O_CLOEXEC)) >= 0);
	PTR("import of another file", ibv_import_device(fd));
	printf("  descriptor %s\n", is_open(fd) ? "open" : "closed");
	PTR("import of -1", ibv_import_device(-1));
	done(ctx);
	return 0;
}
