/*
 * What an mlx5 device can do, as the direct-verbs API tells it.
 *
 *   cc device_info.c $(pkg-config --cflags --libs libmlx5 libibverbs) -o device_info
 */
#include <infiniband/mlx5dv.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void show(struct ibv_device *dev)
{
	struct mlx5dv_context caps = {
		/* Ask for what you want to know; what the device lacks loses its bit. */
		.comp_mask = MLX5DV_CONTEXT_MASK_CQE_COMPRESION | MLX5DV_CONTEXT_MASK_STRIDING_RQ |
			     MLX5DV_CONTEXT_MASK_DYN_BFREGS | MLX5DV_CONTEXT_MASK_CLOCK_INFO_UPDATE |
			     MLX5DV_CONTEXT_MASK_NUM_LAG_PORTS | MLX5DV_CONTEXT_MASK_WR_MEMCPY_LENGTH,
	};
	struct mlx5dv_clock_info clock;
	struct mlx5dv_port port;
	struct ibv_context *ctx = mlx5dv_open_device(dev, NULL);
	int err;

	if (!ctx) {
		perror(ibv_get_device_name(dev));
		return;
	}
	printf("%s\n", ibv_get_device_name(dev));
	err = mlx5dv_query_device(ctx, &caps);
	if (err) {
		printf("  mlx5dv_query_device: %s\n", strerror(err));
		goto out;
	}
	printf("  flags                %#" PRIx64 "\n", (uint64_t)caps.flags);
	if (caps.comp_mask & MLX5DV_CONTEXT_MASK_CQE_COMPRESION)
		printf("  CQE compression      up to %u entries, formats %#x\n", caps.cqe_comp_caps.max_num,
		       caps.cqe_comp_caps.supported_format);
	if (caps.comp_mask & MLX5DV_CONTEXT_MASK_STRIDING_RQ)
		printf("  striding RQ          strides of 2^%u to 2^%u bytes\n",
		       caps.striding_rq_caps.min_single_stride_log_num_of_bytes,
		       caps.striding_rq_caps.max_single_stride_log_num_of_bytes);
	if (caps.comp_mask & MLX5DV_CONTEXT_MASK_DYN_BFREGS)
		printf("  BlueFlame registers  %u can be allocated\n", caps.max_dynamic_bfregs);
	if (caps.comp_mask & MLX5DV_CONTEXT_MASK_NUM_LAG_PORTS)
		printf("  LAG                  %u ports\n", caps.num_lag_ports);
	if (caps.comp_mask & MLX5DV_CONTEXT_MASK_WR_MEMCPY_LENGTH)
		printf("  memcpy work request  up to %zu bytes\n", caps.max_wr_memcpy_length);

	err = mlx5dv_get_clock_info(ctx, &clock);
	if (err)
		printf("  clock page           %s\n", strerror(err));
	else
		printf("  clock page           one cycle is %.3f ns\n",
		       (double)clock.mult / (double)(1ull << clock.shift));

	err = mlx5dv_query_port(ctx, 1, &port);
	if (err)
		printf("  port 1               %s\n", strerror(err));
	else if (port.flags & MLX5DV_QUERY_PORT_VPORT)
		printf("  port 1               vport %u\n", port.vport);
	else
		printf("  port 1               not a switchdev port\n");
out:
	ibv_close_device(ctx);
}

int main(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL), **d;

	if (!list) {
		perror("ibv_get_device_list");
		return 1;
	}
	for (d = list; *d; d++)
		if (mlx5dv_is_supported(*d))
			show(*d);
	ibv_free_device_list(list);
	return 0;
}
