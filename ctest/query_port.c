/* mlx5dv_query_port: port numbers, and the size that the caller's header brings.
 * run two-ports: sim --ports 2
 * run old-6.1: sim --kernel 6.1
 */
#include "common.h"

int main(void)
{
	struct ibv_context *ctx = open_devx();
	static const size_t sizes[] = { 0, 8, 39, 40, 41, 64, 256, 65535, 65536, 1 << 20 };
	static uint8_t room[(1 << 20) + 64];

	for (int port = 0; port <= 3; port++) {
		struct mlx5dv_port p;
		char label[32];
		int r;

		memset(&p, 0xa5, sizeof p);
		snprintf(label, sizeof label, "port %d", port);
		r = VAL(label, mlx5dv_query_port(ctx, port, &p));
		if (!r)
			printf("  flags %#llx vport %u vhca %u owner %u icm %#llx %#llx reg_c0 %#x %#x\n", (unsigned long long)p.flags, p.vport,
			       p.vport_vhca_id, p.esw_owner_vhca_id, (unsigned long long)p.vport_steering_icm_rx,
			       (unsigned long long)p.vport_steering_icm_tx, p.reg_c0.value, p.reg_c0.mask);
		else
			printf("  struct %s\n", *(uint8_t *)&p == 0xa5 ? "untouched" : "touched");
	}
	VAL("port 2^32-1", mlx5dv_query_port(ctx, ~0u, (void *)room));
	for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		char label[32];
		size_t n;

		memset(room, 0xa5, sizeof room);
		snprintf(label, sizeof label, "size %zu", sizes[i]);
		VAL(label, _mlx5dv_query_port(ctx, 1, (void *)room, sizes[i]));
		for (n = sizeof room; n && room[n - 1] == 0xa5; n--)
			;
		printf("  written up to %zu\n", n);
	}
	done(ctx);
	return 0;
}
