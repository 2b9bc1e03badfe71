/* Asynchronous queries: the command, its completion descriptor, and reading the reply.
 * run old-6.1: sim --kernel 6.1
 */
#include "common.h"

int main(void)
{
	struct ibv_context *ctx = open_devx();
	struct mlx5dv_devx_uar *uar = mlx5dv_devx_alloc_uar(ctx, MLX5DV_UAR_ALLOC_TYPE_NC);
	struct mlx5dv_devx_cmd_comp *comp, *second, none = { .fd = -1 }, other;
	uint8_t in[16] = {0}, reply[512];
	struct mlx5dv_devx_async_cmd_hdr *h = (void *)reply;
	struct pollfd pf;
	struct devx_cq cq;
	enum { OUT = 272 };

	MUST(uar && devx_cq_create(ctx, uar, 4, &cq));
	MUST(comp = PTR("create_cmd_comp", mlx5dv_devx_create_cmd_comp(ctx)));
	printf("  close-on-exec %s, %s\n", fcntl(comp->fd, F_GETFD) & FD_CLOEXEC ? "yes" : "no", fcntl(comp->fd, F_GETFL) & O_NONBLOCK ? "non-blocking" : "blocking");
	MUST(second = mlx5dv_devx_create_cmd_comp(ctx));
	MUST(!fcntl(comp->fd, F_SETFL, fcntl(comp->fd, F_GETFL) | O_NONBLOCK));
	VAL("nothing queued", mlx5dv_devx_get_async_cmd_comp(comp, h, sizeof reply));

	OPCODE(in, OP_QUERY_CQ);
	put(in, 0x48, 24, cq.cqn);
	VAL("query_async", mlx5dv_devx_obj_query_async(cq.obj, in, sizeof in, OUT, 0x1122334455667788, comp));
	pf = (struct pollfd){ .fd = comp->fd, .events = POLLIN };
	printf("  poll %d\n", poll(&pf, 1, 5000));
	memset(reply, 0xa5, sizeof reply);
	VAL("too little room", mlx5dv_devx_get_async_cmd_comp(comp, h, 8 + OUT - 1));
	VAL("no room", mlx5dv_devx_get_async_cmd_comp(comp, h, 0));
	printf("  still queued: poll %d, buffer %s\n", poll(&pf, 1, 0), reply[0] == 0xa5 ? "untouched" : "written");
	VAL("exact room", mlx5dv_devx_get_async_cmd_comp(comp, h, 8 + OUT));
	printf("  wr_id %#llx status %#x log_cq_size %u after it %#x\n", (unsigned long long)h->wr_id, STATUS(h->out_data), (unsigned)get(h->out_data, 0x80 + 0x63, 5), reply[8 + OUT]);
	VAL("read once", mlx5dv_devx_get_async_cmd_comp(comp, h, sizeof reply));

	/* several at once; two descriptors */
	for (int i = 0; i < 3; i++)
		MUST(!mlx5dv_devx_obj_query_async(cq.obj, in, sizeof in, OUT, 100 + i, i == 1 ? second : comp));
	for (int i = 0; i < 3; i++) {
		struct mlx5dv_devx_cmd_comp *c = i == 1 ? second : comp;

		pf.fd = c->fd;
		MUST(poll(&pf, 1, 5000) == 1);
		MUST(!mlx5dv_devx_get_async_cmd_comp(c, h, sizeof reply));
		printf("reply %d: wr_id %llu\n", i, (unsigned long long)h->wr_id);
	}

	/* refusals */
	VAL("fd -1", mlx5dv_devx_obj_query_async(cq.obj, in, sizeof in, OUT, 0, &none));
	MUST((other.fd = open("/dev/null", O_RDWR)) >= 0);
	VAL("fd of another file", mlx5dv_devx_obj_query_async(cq.obj, in, sizeof in, OUT, 0, &other));
	close(other.fd);
	VAL("closed fd", mlx5dv_devx_obj_query_async(cq.obj, in, sizeof in, OUT, 0, &other));
	VAL("out of 65535", mlx5dv_devx_obj_query_async(cq.obj, in, sizeof in, 65535, 1, comp));
	pf.fd = comp->fd;
	if (poll(&pf, 1, 5000) == 1) {
		uint8_t *big = malloc(8 + 65535);

		VAL("  its reply", mlx5dv_devx_get_async_cmd_comp(comp, (void *)big, 8 + 65535));
		free(big);
	}
	VAL("out of 65536", mlx5dv_devx_obj_query_async(cq.obj, in, sizeof in, 65536, 1, comp));
	VAL("in of 15", mlx5dv_devx_obj_query_async(cq.obj, in, 15, OUT, 1, comp));
	VAL("in of 65536", mlx5dv_devx_obj_query_async(cq.obj, in, 65536, OUT, 1, comp));
	put(in, 0x48, 24, cq.cqn + 1);
	VAL("another number", mlx5dv_devx_obj_query_async(cq.obj, in, sizeof in, OUT, 1, comp));
	put(in, 0x48, 24, cq.cqn);
	OPCODE(in, OP_ALLOC_PD);
	VAL("not a query", mlx5dv_devx_obj_query_async(cq.obj, in, sizeof in, OUT, 1, comp));
	VAL("nothing queued by refusals", mlx5dv_devx_get_async_cmd_comp(comp, h, sizeof reply));
	mlx5dv_devx_destroy_cmd_comp(comp);
	mlx5dv_devx_destroy_cmd_comp(second);
	devx_cq_destroy(&cq);
	{
		struct { struct ibv_device dev; void *ops; char more[128]; } alien;
		struct ibv_context foreign = { .device = &alien.dev };

		memset(&alien, 0, sizeof alien);
		PTR("foreign context", mlx5dv_devx_create_cmd_comp(&foreign));
	}
	done(ctx);
	return 0;
}
