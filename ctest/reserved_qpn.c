/* Reserved QP numbers: blocks, the order they are handed out in, and when a block goes.
 * run old-6.1: sim --kernel 6.1
 */
#include "common.h"

int main(void)
{
	enum { MANY = 200 };
	struct ibv_context *ctx = open_devx();
	uint32_t qpn[MANY] = {0}, one = 0xa5a5a5a5;
	int made, runs = 1;

	if (VAL("alloc", mlx5dv_reserved_qpn_alloc(ctx, &one)))
		printf("  out %s\n", one == 0xa5a5a5a5 ? "untouched" : "written");
	else
		VAL("dealloc", mlx5dv_reserved_qpn_dealloc(ctx, one));
	VAL("dealloc of none", mlx5dv_reserved_qpn_dealloc(ctx, 0));
	VAL("dealloc of all ones", mlx5dv_reserved_qpn_dealloc(ctx, ~0u));
	VAL("dealloc twice", mlx5dv_reserved_qpn_dealloc(ctx, one));
	for (made = 0; made < MANY && !mlx5dv_reserved_qpn_alloc(ctx, &qpn[made]); made++)
		if (made && qpn[made] != qpn[made - 1] + 1)
			runs++;
	printf("allocated %d, in %d runs of consecutive numbers\n", made, runs);
	if (made) {
		uint32_t again;

		/* a freed slot is not handed out again */
		VAL("free the first", mlx5dv_reserved_qpn_dealloc(ctx, qpn[0]));
		VAL("free the first again", mlx5dv_reserved_qpn_dealloc(ctx, qpn[0]));
		if (!VAL("one more", mlx5dv_reserved_qpn_alloc(ctx, &again))) {
			printf("  is the freed one: %s\n", again == qpn[0] ? "yes" : "no");
			VAL("  free it", mlx5dv_reserved_qpn_dealloc(ctx, again));
		}
		for (int i = 1; i < made; i++)
			if (mlx5dv_reserved_qpn_dealloc(ctx, qpn[i]))
				printf("cannot free number %d\n", i);
		VAL("after all are free", mlx5dv_reserved_qpn_dealloc(ctx, qpn[made - 1]));
	}
	/* some left to the close */
	mlx5dv_reserved_qpn_alloc(ctx, &one);
	{
		struct { struct ibv_device dev; void *ops; char more[128]; } alien;
		struct ibv_context foreign = { .device = &alien.dev };

		memset(&alien, 0, sizeof alien);
		VAL("alloc, foreign context", mlx5dv_reserved_qpn_alloc(&foreign, &one));
		VAL("dealloc, foreign context", mlx5dv_reserved_qpn_dealloc(&foreign, one));
	}
	done(ctx);
	return 0;
}
