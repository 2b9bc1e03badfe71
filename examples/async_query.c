/*
 * Queries that do not block: several in flight on one completion fd, told apart by wr_id.
 *
 *   cc async_query.c $(pkg-config --cflags --libs libmlx5 libibverbs) -o async_query
 */
#include "common.h"

#include <poll.h>

enum { OPCODE_ALLOC_FLOW_COUNTER = 0x939, OPCODE_QUERY_FLOW_COUNTER = 0x93b };
enum { QUERY_OUT = 16 + 16, IN_FLIGHT = 3 };

int main(void)
{
	struct ibv_context *ctx = open_device(NULL);
	struct mlx5dv_devx_cmd_comp *comp = mlx5dv_devx_create_cmd_comp(ctx);
	uint8_t in[16] = { 0 }, out[16] = { 0 }, query[32] = { 0 };
	struct mlx5dv_devx_obj *counter;
	int err, i;

	if (!comp)
		die("mlx5dv_devx_create_cmd_comp", errno);
	put16(in, OPCODE_ALLOC_FLOW_COUNTER);
	counter = mlx5dv_devx_obj_create(ctx, in, sizeof(in), out, sizeof(out));
	if (!counter)
		die("ALLOC_FLOW_COUNTER", errno);
	printf("flow counter 0x%x\n", get32(out + 8));

	put16(query, OPCODE_QUERY_FLOW_COUNTER);
	memcpy(query + 28, out + 8, 4);
	for (i = 0; i < IN_FLIGHT; i++) {
		err = mlx5dv_devx_obj_query_async(counter, query, sizeof(query), QUERY_OUT, 100 + i, comp);
		if (err)
			die("mlx5dv_devx_obj_query_async", err);
	}
	for (i = 0; i < IN_FLIGHT; i++) {
		union {
			struct mlx5dv_devx_async_cmd_hdr hdr;
			uint8_t bytes[8 + QUERY_OUT];
		} reply;
		struct pollfd p = { .fd = comp->fd, .events = POLLIN };

		if (poll(&p, 1, 10000) != 1)
			die("waiting for a reply", ETIMEDOUT);
		err = mlx5dv_devx_get_async_cmd_comp(comp, &reply.hdr, sizeof(reply));
		if (err)
			die("mlx5dv_devx_get_async_cmd_comp", err);
		/* 0 only means that a reply came: whether the command worked is in its status byte. */
		printf("reply %llu: status 0x%02x\n", (unsigned long long)reply.hdr.wr_id, reply.bytes[8]);
	}
	err = mlx5dv_devx_obj_destroy(counter);
	if (err)
		die("mlx5dv_devx_obj_destroy", err);
	mlx5dv_devx_destroy_cmd_comp(comp);
	ibv_close_device(ctx);
	return 0;
}
