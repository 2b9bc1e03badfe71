/* Event channels without events: creating them, and the rules of subscribing.
 * run old-6.1: sim --kernel 6.1
 * run kernel-6.12: sim --kernel 6.12
 * run traced: env MLX5_TRACE=stderr
 */
#include "common.h"
#include <sys/eventfd.h>

enum { PORT_CHANGE = 9, CQ_ERROR = 4, COMPLETION = 0, QP_LAST_WQE = 0x13, SRQ_LIMIT = 0x14, DCT_DRAINED = 0x1c };

static struct mlx5dv_devx_event_channel *ch;

static void sub(const char *label, struct mlx5dv_devx_obj *o, unsigned bytes, uint16_t *list)
{
	VAL(label, mlx5dv_devx_subscribe_devx_event(ch, o, bytes, list, 0x1234));
}

int main(void)
{
	struct ibv_context *ctx = open_devx();
	struct mlx5dv_devx_uar *uar = mlx5dv_devx_alloc_uar(ctx, MLX5DV_UAR_ALLOC_TYPE_NC);
	struct mlx5dv_devx_event_channel *omit;
	struct mlx5dv_devx_obj *pd = devx_pd(ctx, NULL);
	static uint16_t lots[32768];
	uint16_t list[32];
	uint8_t rec[128];
	struct devx_cq cq;
	int fd, keep;

	MUST(uar && pd && devx_cq_create(ctx, uar, 4, &cq));
	for (unsigned flags = 0; flags < 5; flags++) {
		char label[32];
		struct mlx5dv_devx_event_channel *c;

		snprintf(label, sizeof label, "channel flags %#x", flags);
		c = PTR(label, mlx5dv_devx_create_event_channel(ctx, flags));
		if (!c)
			continue;
		printf("  close-on-exec %s, %s\n", fcntl(c->fd, F_GETFD) & FD_CLOEXEC ? "yes" : "no", fcntl(c->fd, F_GETFL) & O_NONBLOCK ? "non-blocking" : "blocking");
		mlx5dv_devx_destroy_event_channel(c);
	}
	PTR("channel flags 2^31", mlx5dv_devx_create_event_channel(ctx, 1u << 31));
	MUST(ch = mlx5dv_devx_create_event_channel(ctx, 0));
	MUST(omit = mlx5dv_devx_create_event_channel(ctx, MLX5DV_DEVX_CREATE_EVENT_CHANNEL_FLAGS_OMIT_EV_DATA));
	MUST(!fcntl(ch->fd, F_SETFL, fcntl(ch->fd, F_GETFL) | O_NONBLOCK));
	NUM("empty", mlx5dv_devx_get_event(ch, (void *)rec, sizeof rec));

	list[0] = PORT_CHANGE;
	sub("port change, no object", NULL, 2, list);
	sub("port change again", NULL, 2, list);
	sub("port change on an object", cq.obj, 2, list);
	list[0] = COMPLETION;
	sub("completion of a queue", cq.obj, 2, list);
	sub("completion of a queue again", cq.obj, 2, list);
	sub("completion of no object", NULL, 2, list);
	sub("completion of a domain", pd, 2, list);
	list[0] = CQ_ERROR;
	sub("queue error", cq.obj, 2, list);
	sub("queue error of no object", NULL, 2, list);
	for (unsigned ev = 0; ev < 64; ev++) {
		char label[48];

		list[0] = ev;
		snprintf(label, sizeof label, "event %#x of the queue", ev);
		sub(label, cq.obj, 2, list);
		snprintf(label, sizeof label, "event %#x of no object", ev);
		sub(label, NULL, 2, list);
	}
	static const unsigned odd[] = { 0x7f, 0xff, 0x100, 0x109, 0xffff };
	for (unsigned i = 0; i < sizeof odd / sizeof *odd; i++) {
		char label[48];

		list[0] = odd[i];
		snprintf(label, sizeof label, "event %#x of the queue", odd[i]);
		sub(label, cq.obj, 2, list);
		snprintf(label, sizeof label, "event %#x of no object", odd[i]);
		sub(label, NULL, 2, list);
	}
	/* sizes are bytes */
	for (unsigned i = 0; i < 32; i++)
		list[i] = COMPLETION;
	for (unsigned bytes = 0; bytes <= 6; bytes++) {
		char label[32];

		snprintf(label, sizeof label, "%u bytes of list", bytes);
		sub(label, cq.obj, bytes, list);
	}
	sub("16 events", cq.obj, 32, list);
	sub("17 events", cq.obj, 34, list);
	sub("32767 events", cq.obj, 65534, lots);
	sub("no list", cq.obj, 2, NULL);
	sub("no list, no size", cq.obj, 0, NULL);
	/* all or none */
	list[1] = 0xffff;
	sub("a good and a bad event", cq.obj, 4, list);
	list[1] = CQ_ERROR;
	sub("two good events", cq.obj, 4, list);
	/* cookies */
	list[0] = CQ_ERROR;
	VAL("cookie 0", mlx5dv_devx_subscribe_devx_event(ch, cq.obj, 2, list, 0));
	VAL("cookie of all ones", mlx5dv_devx_subscribe_devx_event(ch, cq.obj, 2, list, ~0ull));
	VAL("on the channel that omits data", mlx5dv_devx_subscribe_devx_event(omit, cq.obj, 2, list, 5));

	/* eventfds */
	MUST((fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) >= 0);
	VAL("eventfd, queue error", mlx5dv_devx_subscribe_devx_event_fd(ch, fd, cq.obj, CQ_ERROR));
	VAL("eventfd, again", mlx5dv_devx_subscribe_devx_event_fd(ch, fd, cq.obj, CQ_ERROR));
	VAL("eventfd, port change", mlx5dv_devx_subscribe_devx_event_fd(ch, fd, NULL, PORT_CHANGE));
	VAL("eventfd, completion of no object", mlx5dv_devx_subscribe_devx_event_fd(ch, fd, NULL, COMPLETION));
	VAL("eventfd, unknown event", mlx5dv_devx_subscribe_devx_event_fd(ch, fd, cq.obj, 0xffff));
	VAL("eventfd, omitting channel", mlx5dv_devx_subscribe_devx_event_fd(omit, fd, cq.obj, CQ_ERROR));
	VAL("eventfd -1", mlx5dv_devx_subscribe_devx_event_fd(ch, -1, cq.obj, CQ_ERROR));
	VAL("eventfd not open", mlx5dv_devx_subscribe_devx_event_fd(ch, 987, cq.obj, CQ_ERROR));
	MUST((keep = open("/dev/null", O_RDWR)) >= 0);
	VAL("eventfd that is another file", mlx5dv_devx_subscribe_devx_event_fd(ch, keep, cq.obj, CQ_ERROR));

	/* channel descriptors that are none: the container is the library's, so only fd is changed */
	keep = dup(keep);
	{
		int mine = ch->fd;

		list[0] = CQ_ERROR;
		ch->fd = -1;
		sub("channel fd -1", cq.obj, 2, list);
		ch->fd = 987;
		sub("channel fd not open", cq.obj, 2, list);
		ch->fd = keep;
		sub("channel fd of another file", cq.obj, 2, list);
		ch->fd = mine;
	}
	/* a destroyed object takes its subscriptions along; channel and others stay */
	devx_cq_destroy(&cq);
	NUM("empty after the object has gone", mlx5dv_devx_get_event(ch, (void *)rec, sizeof rec));
	list[0] = PORT_CHANGE;
	sub("the channel still takes", NULL, 2, list);
	mlx5dv_devx_destroy_event_channel(ch);
	mlx5dv_devx_destroy_event_channel(omit);
	{
		struct { struct ibv_device dev; void *ops; char more[128]; } alien;
		struct ibv_context foreign = { .device = &alien.dev };

		memset(&alien, 0, sizeof alien);
		PTR("foreign context", mlx5dv_devx_create_event_channel(&foreign, 0));
	}
	MUST(!mlx5dv_devx_obj_destroy(pd));
	done(ctx);
	return 0;
}
