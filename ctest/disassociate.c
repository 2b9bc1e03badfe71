/* Surprise removal: what every call and every destroy answers afterwards, with and without the
 * wish that destroying a removed device's objects counts as done.
 * run allowed: env RDMAV_ALLOW_DISASSOC_DESTROY=1
 */
#include "common.h"

int main(void)
{
	static uint8_t mem[8192] __attribute__((aligned(4096)));
	struct ibv_context *ctx = open_devx(), *two;
	struct mlx5dv_devx_uar *nc = mlx5dv_devx_alloc_uar(ctx, MLX5DV_UAR_ALLOC_TYPE_NC), *bf = mlx5dv_devx_alloc_uar(ctx, MLX5DV_UAR_ALLOC_TYPE_BF);
	/* what could not be destroyed is still the caller's, who here keeps it */
	static struct mlx5dv_devx_obj *pd;
	static struct mlx5dv_devx_umem *umem;
	struct mlx5dv_devx_event_channel *ch = mlx5dv_devx_create_event_channel(ctx, 0);
	struct mlx5dv_devx_cmd_comp *comp = mlx5dv_devx_create_cmd_comp(ctx);
	uint8_t in[16] = {0}, out[4112];
	struct ibv_async_event ev;
	struct pollfd pf;
	uint32_t eqn;

	pd = devx_pd(ctx, NULL);
	umem = mlx5dv_devx_umem_reg(ctx, mem, sizeof mem, IBV_ACCESS_LOCAL_WRITE);
	MUST(nc && bf && pd && umem && ch && comp);
	MUST(!sim_say("disassociate"));

	OPCODE(in, OP_QUERY_HCA_CAP);
	OP_MOD(in, 1);
	memset(out, 0xa5, sizeof out);
	VAL("general_cmd", mlx5dv_devx_general_cmd(ctx, in, 16, out, sizeof out));
	printf("  out %s\n", out[0] == 0xa5 ? "untouched" : "written");
	PTR("obj_create", devx_pd(ctx, NULL));
	PTR("umem_reg", mlx5dv_devx_umem_reg(ctx, mem, sizeof mem, 1));
	PTR("event channel", mlx5dv_devx_create_event_channel(ctx, 0));
	VAL("query_eqn", mlx5dv_devx_query_eqn(ctx, 0, &eqn));
	PTR("another context", two = ibv_open_device(the_device(0)));
	if (two)
		MUST(!ibv_close_device(two));

	/* waiting for events */
	pf = (struct pollfd){ .fd = ctx->async_fd, .events = POLLIN };
	printf("async fd: poll %d\n", poll(&pf, 1, 1000));
	MUST(!fcntl(ctx->async_fd, F_SETFL, fcntl(ctx->async_fd, F_GETFL) | O_NONBLOCK));
	if (!ibv_get_async_event(ctx, &ev)) {
		printf("  event %s\n", ibv_event_type_str(ev.event_type));
		ibv_ack_async_event(&ev);
	}
	pf.fd = ch->fd;
	printf("event channel: poll %d", poll(&pf, 1, 1000));
	printf(" in %d hup %d\n", !!(pf.revents & POLLIN), !!(pf.revents & (POLLHUP | POLLRDHUP)));
	NUM("get_event", mlx5dv_devx_get_event(ch, (void *)out, sizeof out));
	pf.fd = comp->fd;
	printf("command channel: poll %d\n", poll(&pf, 1, 1000));
	VAL("get_async_cmd_comp", mlx5dv_devx_get_async_cmd_comp(comp, (void *)out, sizeof out));

	/* destroying: the kernel gives the handle back as if the device were there */
	VAL("obj_destroy", mlx5dv_devx_obj_destroy(pd));
	VAL("umem_dereg", mlx5dv_devx_umem_dereg(umem));
	mlx5dv_devx_free_uar(bf);
	mlx5dv_devx_free_uar(nc);
	mlx5dv_devx_destroy_event_channel(ch);
	mlx5dv_devx_destroy_cmd_comp(comp);
	VAL("close", ibv_close_device(ctx));
	printf("shared mappings left %d\n", count_shared_maps());
	ibv_free_device_list(device_list);
	return 0;
}
