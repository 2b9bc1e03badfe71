/* mlx5dv_get_data_direct_sysfs_path: every buffer length around the edge, with and without a
 * companion, and kernels that know nothing of it.
 * run bonded: sim --data-direct
 * run old-6.1: sim --kernel 6.1
 * run old-6.12: sim --kernel 6.12
 */
#include "common.h"

int main(void)
{
	struct ibv_context *ctx = open_devx();
	static char buf[1 << 17];
	size_t len = 0;
	static const size_t more[] = { 4096, 65535, 65536, 1 << 17 };

	memset(buf, 0x5a, sizeof buf);
	errno = 0;
	if (!mlx5dv_get_data_direct_sysfs_path(ctx, buf, 4096))
		len = strlen(buf);
	printf("with room: %s, path of %zu characters%s%s\n", len ? "0" : en(errno), len, len ? ": " : "", len ? buf : "");
	for (size_t n = 0; n <= len + 2; n++) {
		int r;

		memset(buf, 0x5a, sizeof buf);
		errno = 0;
		r = mlx5dv_get_data_direct_sysfs_path(ctx, buf, n);
		printf("length %zu: %s, buffer %s\n", n, en(r), buf[0] == 0x5a ? "untouched" : "written");
		for (size_t i = n; i < n + 64; i++)
			if (buf[i] != 0x5a) {
				printf("  written at %zu\n", i);
				break;
			}
	}
	for (unsigned i = 0; i < sizeof more / sizeof *more; i++) {
		char label[32];

		snprintf(label, sizeof label, "length %zu", more[i]);
		VAL(label, mlx5dv_get_data_direct_sysfs_path(ctx, buf, more[i]));
	}
	VAL("no buffer", mlx5dv_get_data_direct_sysfs_path(ctx, NULL, 4096));
	VAL("no buffer, no length", mlx5dv_get_data_direct_sysfs_path(ctx, NULL, 0));
	{
		struct { struct ibv_device dev; void *ops; char more[128]; } alien;
		struct ibv_context foreign = { .device = &alien.dev };

		memset(&alien, 0, sizeof alien);
		VAL("foreign context", mlx5dv_get_data_direct_sysfs_path(&foreign, buf, 4096));
	}
	done(ctx);
	return 0;
}
