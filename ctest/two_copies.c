/* Two copies of the library in one process: the second is opened by an absolute path while the
 * first drives the device. Calls into the copy that does not own a device answer EOPNOTSUPP.
 * run default: arg @second
 * run reverse: swap ; arg @second
 * records: differ, two libraries take part
 */
#include "common.h"
#include <dlfcn.h>

int main(int argc, char **argv)
{
	void *other = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	struct ibv_context *ctx;
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	struct mlx5dv_context dv = {0};
	static uint8_t mem[4096] __attribute__((aligned(4096)));
	uint8_t in[16] = {0}, out[4112];
	uint32_t eqn;

	if (!other)
		printf("%s\n", dlerror());
	MUST(other);
#define OTHER(name) __typeof__(&name) o_##name = (void *)dlsym(other, #name)
	OTHER(mlx5dv_is_supported);
	OTHER(mlx5dv_open_device);
	OTHER(mlx5dv_query_device);
	OTHER(mlx5dv_devx_general_cmd);
	OTHER(mlx5dv_devx_obj_create);
	OTHER(mlx5dv_devx_umem_reg);
	OTHER(mlx5dv_devx_alloc_uar);
	OTHER(mlx5dv_devx_query_eqn);
	OTHER(mlx5dv_devx_create_event_channel);
	OTHER(mlx5dv_devx_create_cmd_comp);
	OTHER(mlx5dv_alloc_var);
	OTHER(mlx5dv_reserved_qpn_alloc);
	OTHER(mlx5dv_get_clock_info);
	OTHER(mlx5dv_set_context_attr);
	OTHER(mlx5dv_sched_node_create);

	printf("two functions: %s\n", o_mlx5dv_query_device != mlx5dv_query_device ? "yes" : "no");
	printf("supported: by the first %d, by the second %d\n", mlx5dv_is_supported(the_device(0)), o_mlx5dv_is_supported(the_device(0)));
	ctx = PTR("first opens", mlx5dv_open_device(the_device(0), &attr));
	PTR("second opens", o_mlx5dv_open_device(the_device(0), &attr));
	MUST(ctx);
	VAL("first, query_device", mlx5dv_query_device(ctx, &dv));
	VAL("second, query_device", o_mlx5dv_query_device(ctx, &dv));
	OPCODE(in, OP_QUERY_HCA_CAP);
	OP_MOD(in, 1);
	VAL("second, general_cmd", o_mlx5dv_devx_general_cmd(ctx, in, 16, out, sizeof out));
	PTR("second, obj_create", o_mlx5dv_devx_obj_create(ctx, in, 16, out, 16));
	PTR("second, umem_reg", o_mlx5dv_devx_umem_reg(ctx, mem, sizeof mem, 1));
	PTR("second, alloc_uar", o_mlx5dv_devx_alloc_uar(ctx, MLX5DV_UAR_ALLOC_TYPE_NC));
	VAL("second, query_eqn", o_mlx5dv_devx_query_eqn(ctx, 0, &eqn));
	PTR("second, event channel", o_mlx5dv_devx_create_event_channel(ctx, 0));
	PTR("second, command channel", o_mlx5dv_devx_create_cmd_comp(ctx));
	PTR("second, var", o_mlx5dv_alloc_var(ctx, 0));
	VAL("second, reserved_qpn", o_mlx5dv_reserved_qpn_alloc(ctx, &eqn));
	VAL("second, clock_info", o_mlx5dv_get_clock_info(ctx, (void *)out));
	VAL("second, context attr", o_mlx5dv_set_context_attr(ctx, MLX5DV_CTX_ATTR_BUF_ALLOCATORS, out));
	PTR("second, sched node", o_mlx5dv_sched_node_create(ctx, (void *)out));
	VAL("first, general_cmd", mlx5dv_devx_general_cmd(ctx, in, 16, out, sizeof out));
	done(ctx);
	return 0;
}
