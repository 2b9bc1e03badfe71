/* mlx5dv_map_ah_to_qp without what it needs: no capability, no GRH, a foreign context.
 */
#include "common.h"

int main(void)
{
	struct ibv_context *ctx = open_devx();
	struct ibv_ah *ah = calloc(1, 65536);
	struct { struct ibv_device dev; void *ops; char more[128]; } alien;
	struct ibv_context foreign = { .device = &alien.dev };

	MUST(ah);
	memset(&alien, 0, sizeof alien);
	ah->context = ctx;
	VAL("no GRH", mlx5dv_map_ah_to_qp(ah, 5));
	ah->context = &foreign;
	VAL("foreign context", mlx5dv_map_ah_to_qp(ah, 5));
	free(ah);
	done(ctx);
	return 0;
}
