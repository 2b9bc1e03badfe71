/* The driver goes away under an open context: what each call answers then.
 *
 * The device is unbound from its driver while objects of every kind are open, and bound
 * again. Prints errno by name, nothing that differs between two runs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <infiniband/mlx5dv.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MUST(c) do { if (!(c)) { printf("stopped at line %d: %s (%s)\n", __LINE__, #c, strerrorname_np(errno)); exit(1); } } while (0)

static const char *name(int e) { return e ? strerrorname_np(e < 0 ? -e : e) : "0"; }

static void show(const char *what, int r)
{
	printf("%s: %s", what, name(r));
	if (r && errno != (r < 0 ? -r : r))
		printf(" (errno %s)", name(errno));
	putchar('\n');
}
#define SHOW(what, call) do { errno = 0; show(what, call); } while (0)
#define SHOW_PTR(what, call) do { errno = 0; const void *p_ = (call); printf("%s: %s\n", what, p_ ? "ok" : name(errno)); } while (0)

static void driver(const char *verb, const char *device)
{
	char path[128];
	int fd, n = strlen(device);

	snprintf(path, sizeof path, "/sys/bus/pci/drivers/mlx5_core/%s", verb);
	MUST((fd = open(path, O_WRONLY)) >= 0);
	MUST(write(fd, device, n) == n);
	close(fd);
}

int main(int argc, char **argv)
{
	struct mlx5dv_context_attr dv = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	struct ibv_device_attr attr;
	struct ibv_async_event event;
	struct ibv_wc wc;
	struct ibv_device **list;
	struct ibv_context *ctx;
	struct mlx5dv_devx_obj *object;
	struct mlx5dv_devx_umem *umem;
	struct mlx5dv_devx_uar *uar;
	struct mlx5dv_devx_event_channel *events;
	struct mlx5dv_devx_cmd_comp *commands;
	struct mlx5dv_devx_async_event_hdr header;
	struct ibv_comp_channel *channel;
	struct ibv_pd *pd, *pd2;
	struct ibv_mr *mr;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	struct ibv_qp *qp;
	char device[64], path[128], link[256], *memory, cmd[64] = { 0 }, out[16], hdr[64];
	ssize_t n;

	(void)argc, (void)argv;
	MUST(list = ibv_get_device_list(NULL));
	MUST(list[0]);
	snprintf(path, sizeof path, "/sys/class/infiniband/%s/device", ibv_get_device_name(list[0]));
	MUST((n = readlink(path, link, sizeof link - 1)) > 0);
	link[n] = 0;
	snprintf(device, sizeof device, "%s", strrchr(link, '/') + 1);

	MUST(ctx = mlx5dv_open_device(list[0], &dv));
	MUST(memory = aligned_alloc(4096, 8192));
	memset(memory, 0, 8192);
	MUST(pd = ibv_alloc_pd(ctx));
	MUST(pd2 = ibv_alloc_pd(ctx));
	MUST(mr = ibv_reg_mr(pd, memory, 4096, IBV_ACCESS_LOCAL_WRITE));
	MUST(channel = ibv_create_comp_channel(ctx));
	MUST(cq = ibv_create_cq(ctx, 16, NULL, channel, 0));
	MUST(srq = ibv_create_srq(pd, &(struct ibv_srq_init_attr){ .attr = { .max_wr = 8, .max_sge = 1 } }));
	MUST(qp = ibv_create_qp(pd, &(struct ibv_qp_init_attr){ .send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 } }));
	MUST(umem = mlx5dv_devx_umem_reg(ctx, memory + 4096, 4096, IBV_ACCESS_LOCAL_WRITE));
	MUST(uar = mlx5dv_devx_alloc_uar(ctx, MLX5DV_UAR_ALLOC_TYPE_NC));
	MUST(events = mlx5dv_devx_create_event_channel(ctx, 0));
	MUST(commands = mlx5dv_devx_create_cmd_comp(ctx));
	cmd[0] = 0x08; /* ALLOC_PD, opcode 0x800 */
	MUST(object = mlx5dv_devx_obj_create(ctx, cmd, 16, out, 16));

	driver("unbind", device);
	printf("unbound\n");
	struct pollfd p = { .fd = ctx->async_fd, .events = POLLIN };
	MUST(poll(&p, 1, 5000) == 1);
	errno = 0;
	if (ibv_get_async_event(ctx, &event))
		printf("async event: %s\n", name(errno));
	else {
		printf("async event: %s\n", ibv_event_type_str(event.event_type));
		ibv_ack_async_event(&event);
	}
	SHOW("query device", ibv_query_device(ctx, &attr));
	SHOW_PTR("alloc PD", ibv_alloc_pd(ctx));
	SHOW_PTR("register memory", ibv_reg_mr(pd, memory, 4096, 0));
	SHOW_PTR("create CQ", ibv_create_cq(ctx, 16, NULL, NULL, 0));
	SHOW("modify QP", ibv_modify_qp(qp, &(struct ibv_qp_attr){ .qp_state = IBV_QPS_INIT }, IBV_QP_STATE));
	printf("poll CQ: %d\n", ibv_poll_cq(cq, 1, &wc));
	cmd[0] = 0x08;
	SHOW_PTR("DEVX create", mlx5dv_devx_obj_create(ctx, cmd, 16, out, 16));
	cmd[0] = 0x01; /* QUERY_HCA_CAP would be 0x100; the head alone will do */
	SHOW("DEVX general command", mlx5dv_devx_general_cmd(ctx, cmd, 16, out, 16));
	SHOW_PTR("DEVX umem", mlx5dv_devx_umem_reg(ctx, memory, 4096, 0));
	SHOW_PTR("DEVX UAR", mlx5dv_devx_alloc_uar(ctx, MLX5DV_UAR_ALLOC_TYPE_NC));
	SHOW("DEVX asynchronous query", mlx5dv_devx_obj_query_async(object, cmd, 16, 64, 1, commands));
	fcntl(events->fd, F_SETFL, O_NONBLOCK);
	fcntl(commands->fd, F_SETFL, O_NONBLOCK);
	errno = 0;
	n = mlx5dv_devx_get_event(events, (void *)hdr, sizeof hdr);
	printf("DEVX event: %zd %s\n", n, name(errno));
	SHOW("DEVX answer", mlx5dv_devx_get_async_cmd_comp(commands, (void *)hdr, sizeof header));

	SHOW("DEVX destroy", mlx5dv_devx_obj_destroy(object));
	SHOW("DEVX umem dereg", mlx5dv_devx_umem_dereg(umem));
	mlx5dv_devx_free_uar(uar);
	mlx5dv_devx_destroy_event_channel(events);
	mlx5dv_devx_destroy_cmd_comp(commands);
	SHOW("destroy QP", ibv_destroy_qp(qp));
	SHOW("destroy SRQ", ibv_destroy_srq(srq));
	SHOW("destroy CQ", ibv_destroy_cq(cq));
	SHOW("destroy channel", ibv_destroy_comp_channel(channel));
	SHOW("deregister", ibv_dereg_mr(mr));
	SHOW("dealloc PD", ibv_dealloc_pd(pd));
	SHOW("dealloc PD", ibv_dealloc_pd(pd2));
	SHOW("close", ibv_close_device(ctx));
	ibv_free_device_list(list);

	driver("bind", device);
	for (int k = 0; k < 200; k++) {
		MUST(list = ibv_get_device_list(NULL));
		if (list[0] && (ctx = ibv_open_device(list[0])))
			break;
		ibv_free_device_list(list);
		usleep(50000);
	}
	MUST(list[0] && ctx);
	SHOW("bound again, query device", ibv_query_device(ctx, &attr));
	SHOW("close", ibv_close_device(ctx));
	ibv_free_device_list(list);
	return 0;
}
