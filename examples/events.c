/*
 * Device events through DEVX: one event on a channel, one on an eventfd, and the path of the
 * data-direct companion. This is what `make demo` runs.
 *
 *   cc events.c $(pkg-config --cflags --libs libmlx5 libibverbs) -o events
 *   ./events [DEVICE]
 */
#include "common.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Event types of the PRM that concern the device as a whole. */
enum { EVENT_PORT_CHANGE = 0x09 };
/* The software ConnectX raises any event on this command; a real card refuses it. */
enum { OPCODE_RAISE_EVENT = 0xcf0 };
enum { WAIT_MS = 10000 };

/* Ask the device to raise a port-change event for `port`. */
static void raise_port_change(struct ibv_context *ctx, uint8_t port)
{
	uint8_t in[64] = { OPCODE_RAISE_EVENT >> 8, OPCODE_RAISE_EVENT & 0xff };
	uint8_t out[16] = { 0 };

	in[8] = EVENT_PORT_CHANGE;
	in[9] = 4;                 /* subtype: port active */
	in[16 + 8] = port << 4;    /* event data: port number */
	if (mlx5dv_devx_general_cmd(ctx, in, sizeof(in), out, sizeof(out)))
		printf("  (this device does not raise events on request: waiting %d s for one; "
		       "take its link down and up)\n", WAIT_MS / 1000);
}

static void wait_for(int fd, const char *what)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	switch (poll(&p, 1, WAIT_MS)) {
	case 0:
		fprintf(stderr, "no event on %s within %d s\n", what, WAIT_MS / 1000);
		exit(1);
	case -1:
		die("poll", errno);
	}
}

static void event_on_channel(struct ibv_context *ctx)
{
	union {
		struct mlx5dv_devx_async_event_hdr hdr;
		uint8_t bytes[8 + 64];
	} ev = { 0 };
	uint16_t types[] = { EVENT_PORT_CHANGE };
	struct mlx5dv_devx_event_channel *ch;
	ssize_t n;
	int err;

	ch = mlx5dv_devx_create_event_channel(ctx, 0);
	if (!ch)
		die("mlx5dv_devx_create_event_channel", errno);
	err = mlx5dv_devx_subscribe_devx_event(ch, NULL, sizeof(types), types, 0x1234);
	if (err)
		die("mlx5dv_devx_subscribe_devx_event", err);
	printf("subscribed to port changes on an event channel, cookie 0x1234\n");

	raise_port_change(ctx, 1);
	wait_for(ch->fd, "the channel");
	n = mlx5dv_devx_get_event(ch, &ev.hdr, sizeof(ev));
	if (n < 0)
		die("mlx5dv_devx_get_event", errno);
	/* After the 8-byte cookie comes the event queue entry: type at byte 1, port at byte 40. */
	printf("received %zd bytes: cookie 0x%llx, event type 0x%02x, port %u\n", n,
	       (unsigned long long)ev.hdr.cookie, ev.bytes[8 + 1], ev.bytes[8 + 40] >> 4);
	mlx5dv_devx_destroy_event_channel(ch);
}

static void event_on_eventfd(struct ibv_context *ctx)
{
	struct mlx5dv_devx_event_channel *ch;
	uint64_t count = 0;
	int fd, err;

	ch = mlx5dv_devx_create_event_channel(ctx, MLX5DV_DEVX_CREATE_EVENT_CHANNEL_FLAGS_OMIT_EV_DATA);
	fd = eventfd(0, EFD_CLOEXEC);
	if (!ch || fd < 0)
		die("event channel or eventfd", errno);
	err = mlx5dv_devx_subscribe_devx_event_fd(ch, fd, NULL, EVENT_PORT_CHANGE);
	if (err)
		die("mlx5dv_devx_subscribe_devx_event_fd", err);
	printf("subscribed to port changes on an eventfd\n");

	raise_port_change(ctx, 1);
	wait_for(fd, "the eventfd");
	if (read(fd, &count, sizeof(count)) != sizeof(count))
		die("read", errno);
	printf("eventfd counted %llu event\n", (unsigned long long)count);
	close(fd);
	mlx5dv_devx_destroy_event_channel(ch);
}

static void data_direct(struct ibv_context *ctx)
{
	char path[256];
	int err = mlx5dv_get_data_direct_sysfs_path(ctx, path, sizeof(path));

	if (err)
		printf("no data-direct device: %s\n", strerror(err));
	else
		printf("data-direct device at /sys%s\n", path);
}

int main(int argc, char **argv)
{
	struct ibv_context *ctx = open_device(argc > 1 ? argv[1] : NULL);

	printf("opened %s with DEVX\n", ibv_get_device_name(ctx->device));
	event_on_channel(ctx);
	event_on_eventfd(ctx);
	data_direct(ctx);
	if (ibv_close_device(ctx))
		die("ibv_close_device", errno);
	printf("closed the device\n");
	return 0;
}
