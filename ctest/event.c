/* Events that arrive: on a channel, on one that omits the data, and on eventfds.
 */
#include "common.h"
#include <sys/eventfd.h>

enum { CQ_ERROR = 4, PORT_CHANGE = 9 };

static void raise_event(unsigned type, uint32_t number)
{
	char line[128];

	snprintf(line, sizeof line, "devx %u %u 00000000000000000000000000000000aabb", type, number);
	MUST(!sim_say(line));
}
static int waiting(int fd, int ms)
{
	struct pollfd pf = { .fd = fd, .events = POLLIN };

	return poll(&pf, 1, ms) == 1 ? pf.revents : 0;
}
static void take(const char *label, struct mlx5dv_devx_event_channel *ch, size_t room)
{
	uint8_t rec[128];
	struct mlx5dv_devx_async_event_hdr *h = (void *)rec;
	long n;

	memset(rec, 0xa5, sizeof rec);
	n = NUM(label, mlx5dv_devx_get_event(ch, h, room));
	if (n >= 8)
		printf("  cookie %#llx", (unsigned long long)h->cookie);
	if (n > 8)
		printf(", event type %u", h->out_data[1]);
	if (n >= 8)
		printf(", after it %#x\n", rec[n]);
	else if (rec[0] != 0xa5)
		printf("  buffer touched\n");
}

int main(void)
{
	struct ibv_context *ctx = open_devx();
	struct mlx5dv_devx_uar *uar = mlx5dv_devx_alloc_uar(ctx, MLX5DV_UAR_ALLOC_TYPE_NC);
	struct mlx5dv_devx_event_channel *ch, *omit;
	uint16_t list[2] = { CQ_ERROR, 0 };
	struct devx_cq a, b;
	uint64_t count;
	int efd;

	MUST(uar && devx_cq_create(ctx, uar, 4, &a) && devx_cq_create(ctx, uar, 4, &b));
	MUST(ch = mlx5dv_devx_create_event_channel(ctx, 0));
	MUST(omit = mlx5dv_devx_create_event_channel(ctx, MLX5DV_DEVX_CREATE_EVENT_CHANNEL_FLAGS_OMIT_EV_DATA));
	MUST((efd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) >= 0);
	MUST(!fcntl(ch->fd, F_SETFL, fcntl(ch->fd, F_GETFL) | O_NONBLOCK));
	MUST(!fcntl(omit->fd, F_SETFL, fcntl(omit->fd, F_GETFL) | O_NONBLOCK));
	VAL("subscribe a", mlx5dv_devx_subscribe_devx_event(ch, a.obj, 2, list, 0xa11a));
	VAL("subscribe b", mlx5dv_devx_subscribe_devx_event(ch, b.obj, 2, list, 0xb22b));
	VAL("subscribe a, omitting", mlx5dv_devx_subscribe_devx_event(omit, a.obj, 2, list, 0xc33c));
	VAL("subscribe b, eventfd", mlx5dv_devx_subscribe_devx_event_fd(ch, efd, b.obj, CQ_ERROR));

	printf("before: %d %d\n", waiting(ch->fd, 0), waiting(omit->fd, 0));
	raise_event(CQ_ERROR, a.cqn);
	printf("a raised: channel %s, omitting %s\n", waiting(ch->fd, 2000) & POLLIN ? "readable" : "silent", waiting(omit->fd, 2000) & POLLIN ? "readable" : "silent");
	take("room for the header only", ch, 8);
	take("room for less", ch, 4);
	take("one byte short", ch, 71);
	take("exact", ch, 72);
	take("empty", ch, 128);
	take("omitting, too little", omit, 7);
	take("omitting, with room", omit, 128);
	take("omitting, empty", omit, 128);
	MUST(read(efd, &count, 8) < 0);
	printf("eventfd untouched: %s\n", en(errno));

	raise_event(CQ_ERROR, b.cqn);
	MUST(waiting(ch->fd, 2000) && waiting(efd, 2000));
	take("b", ch, 128);
	MUST(read(efd, &count, 8) == 8);
	printf("eventfd count %llu\n", (unsigned long long)count);

	/* several before a read: queued each on its own, merged where the data is omitted */
	for (int i = 0; i < 3; i++)
		raise_event(CQ_ERROR, a.cqn);
	MUST(waiting(ch->fd, 2000));
	for (int i = 0; i < 4; i++)
		take("queued", ch, 128);
	for (int i = 0; i < 4; i++)
		take("merged", omit, 128);

	/* subscribed twice, delivered twice */
	VAL("subscribe a once more", mlx5dv_devx_subscribe_devx_event(ch, a.obj, 2, list, 0xa22a));
	raise_event(CQ_ERROR, a.cqn);
	MUST(waiting(ch->fd, 2000));
	take("first", ch, 128);
	take("second", ch, 128);
	take("no third", ch, 128);
	take("omitting", omit, 128);

	/* an object takes its subscriptions along */
	devx_cq_destroy(&a);
	take("after its object has gone", ch, 128);
	raise_event(CQ_ERROR, b.cqn);
	MUST(waiting(ch->fd, 2000));
	take("b goes on", ch, 128);

	/* the port's own event needs no object */
	list[0] = PORT_CHANGE;
	VAL("subscribe port", mlx5dv_devx_subscribe_devx_event(ch, NULL, 2, list, 0xd44d));
	raise_event(PORT_CHANGE, 0);
	MUST(waiting(ch->fd, 2000));
	take("port", ch, 128);

	/* a blocking read gets what comes later */
	MUST(!fcntl(ch->fd, F_SETFL, fcntl(ch->fd, F_GETFL) & ~O_NONBLOCK));
	raise_event(CQ_ERROR, b.cqn);
	take("blocking", ch, 128);
	devx_cq_destroy(&b);
	mlx5dv_devx_destroy_event_channel(omit);
	mlx5dv_devx_destroy_event_channel(ch);
	close(efd);
	done(ctx);
	return 0;
}
