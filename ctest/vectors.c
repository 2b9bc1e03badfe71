/* Completion vectors: EQ numbers from the kernel, and the calls that only a VFIO context serves.
 */
#include "common.h"

int main(void)
{
	struct ibv_context *ctx = open_devx();
	static const uint32_t vec[] = { 0, 1, 2, 3, 7, 8, 63, 64, 255, 256, 65535, 65536, 65537, 0x80000000, 0xffffffff };
	struct { struct ibv_device dev; void *ops; char more[128]; } alien;
	struct ibv_context foreign = { .device = &alien.dev };
	uint32_t eqn, first = 0;

	memset(&alien, 0, sizeof alien);
	printf("vectors %d\n", ctx->num_comp_vectors);
	MUST(!mlx5dv_devx_query_eqn(ctx, 0, &first));
	for (unsigned i = 0; i < sizeof vec / sizeof *vec; i++) {
		char label[32];

		eqn = 0xa5a5a5a5;
		snprintf(label, sizeof label, "vector %u", vec[i]);
		if (!VAL(label, mlx5dv_devx_query_eqn(ctx, vec[i], &eqn)))
			printf("  first +%d\n", (int)(eqn - first));
		else
			printf("  out %s\n", eqn == 0xa5a5a5a5 ? "untouched" : "written");
	}
	VAL("foreign context", mlx5dv_devx_query_eqn(&foreign, 0, &eqn));

	PTR("alloc_msi_vector", mlx5dv_devx_alloc_msi_vector(ctx));
	PTR("create_eq", mlx5dv_devx_create_eq(ctx, &eqn, sizeof eqn, &eqn, sizeof eqn));
	PTR("alloc_msi_vector, foreign", mlx5dv_devx_alloc_msi_vector(&foreign));
	PTR("create_eq, foreign", mlx5dv_devx_create_eq(&foreign, &eqn, sizeof eqn, &eqn, sizeof eqn));
	done(ctx);
	return 0;
}
