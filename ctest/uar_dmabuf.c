/* A dma-buf of a UAR.
 * since: 65.0
 * run old-6.12: sim --kernel 6.12
 * run legacy: sim --fault DEVICE.GET_CONTEXT#1=EINVAL
 */
#include "common.h"

int main(void)
{
	struct ibv_context *ctx = open_devx();
	static const uint32_t kind[] = { MLX5DV_UAR_ALLOC_TYPE_NC, MLX5DV_UAR_ALLOC_TYPE_BF, MLX5DV_UAR_ALLOC_TYPE_NC_DEDICATED };

	for (int i = 0; i < 3; i++) {
		char label[48];
		struct mlx5dv_devx_uar *u;
		int fd;

		snprintf(label, sizeof label, "uar kind %#x", kind[i]);
		u = PTR(label, mlx5dv_devx_alloc_uar(ctx, kind[i]));
		if (!u)
			continue;
		errno = 0;
		fd = mlx5dv_devx_uar_export_dmabuf_fd(u);
		printf("  export: %s\n", fd >= 0 ? "a descriptor" : en(errno));
		if (fd >= 0) {
			printf("  close-on-exec %s\n", fcntl(fd, F_GETFD) & FD_CLOEXEC ? "yes" : "no");
			close(fd);
		}
		mlx5dv_devx_free_uar(u);
	}
	done(ctx);
	return 0;
}
