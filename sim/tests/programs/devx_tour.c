/* DEVX through mlx5dv, end to end: open, general command, UAR, user memory, objects, event
 * channel with an event raised over the control channel, asynchronous query, data direct.
 * Prints what it sees; every line is checked by the test that runs it. */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <unistd.h>

#define CHECK(c) do { if (!(c)) { printf("FAIL line %d: %s (errno %d, %s)\n", __LINE__, #c, errno, strerror(errno)); exit(1); } } while (0)

static void put(void *mailbox, unsigned word, uint32_t value)
{
	((uint32_t *)mailbox)[word] = htobe32(value);
}

static void control(const char *line)
{
	char reply[64] = "";
	int fd = open("/dev/infiniband/mlx5_sim_ctl", O_RDWR);
	CHECK(fd >= 0);
	CHECK(write(fd, line, strlen(line)) == (ssize_t)strlen(line));
	CHECK(read(fd, reply, sizeof reply - 1) > 0);
	if (strncmp(reply, "ok", 2)) { printf("control: %s", reply); exit(1); }
	close(fd);
}

/* the data-direct path, by the ioctl itself: release 44 has no function for it */
static int data_direct(int cmd_fd, char *buf, unsigned len)
{
	struct { struct ib_uverbs_ioctl_hdr h; struct ib_uverbs_attr a; } c;
	memset(&c, 0, sizeof c);
	c.h.length = sizeof c;
	c.h.method_id = 0x1001;
	c.h.num_attrs = 1;
	c.h.driver_id = 1;
	c.a.attr_id = 0x1000;
	c.a.len = len;
	c.a.flags = 1;
	c.a.data = (uintptr_t)buf;
	return ioctl(cmd_fd, RDMA_VERBS_IOCTL, &c) ? errno : 0;
}

int main(void)
{
	int n;
	struct ibv_device **list = ibv_get_device_list(&n);
	CHECK(list && n >= 1);
	CHECK(mlx5dv_is_supported(list[0]));
	struct mlx5dv_context_attr oa = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	struct ibv_context *c = mlx5dv_open_device(list[0], &oa);
	CHECK(c);

	struct mlx5dv_clock_info ci;
	CHECK(!mlx5dv_get_clock_info(c, &ci));
	printf("clock: mult %u shift %u\n", ci.mult, ci.shift);
	struct ibv_values_ex v = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK };
	CHECK(!ibv_query_rt_values_ex(c, &v));

	uint32_t in[4] = {0}, out[4 + 1024] = {0};
	put(in, 0, 0x100u << 16);
	put(in, 1, 1);
	CHECK(!mlx5dv_devx_general_cmd(c, in, sizeof in, out, sizeof out));
	printf("log_max_cq %u\n", be32toh(out[4 + 6]) & 0x1f);
	put(in, 0, 0x900u << 16);
	printf("general command with another opcode: %d\n", mlx5dv_devx_general_cmd(c, in, sizeof in, out, sizeof out));
	put(in, 0, 0xb77u << 16);
	int rc = mlx5dv_devx_general_cmd(c, in, sizeof in, out, 16);
	printf("refused by the device: %s status %u\n", rc == EREMOTEIO ? "EREMOTEIO" : strerror(rc), out[0] & 0xff);

	struct mlx5dv_devx_uar *uar = mlx5dv_devx_alloc_uar(c, MLX5DV_UAR_ALLOC_TYPE_NC);
	CHECK(uar);
	printf("uar offset in page %#lx\n", (unsigned long)((uintptr_t)uar->reg_addr & 0xfff));
	void *mem = aligned_alloc(4096, 16384);
	memset(mem, 0, 16384);
	struct mlx5dv_devx_umem *um = mlx5dv_devx_umem_reg(c, mem, 16384, IBV_ACCESS_LOCAL_WRITE);
	CHECK(um);
	CHECK(!mlx5dv_devx_umem_reg(c, (void *)4096, 4096, 0));
	printf("umem of nothing: %s\n", strerror(errno));

	uint32_t eqn;
	CHECK(!mlx5dv_devx_query_eqn(c, 0, &eqn));
	printf("vector 99: %d\n", mlx5dv_devx_query_eqn(c, 99, &(uint32_t){0}));

	/* CREATE_CQ: 64 entries, buffer and doorbell record in the umem */
	uint32_t cq_in[4 + 64] = {0}, cq_out[4] = {0};
	put(cq_in, 0, 0x400u << 16);
	put(cq_in, 4 + 1, um->umem_id);			/* dbr_umem_id */
	put(cq_in, 4 + 3, 6u << 24 | uar->page_id);
	put(cq_in, 4 + 5, eqn);
	put(cq_in, 4 + 15, 8192);			/* doorbell record's offset */
	put(cq_in, 22, um->umem_id);			/* cq_umem_id */
	struct mlx5dv_devx_obj *cq = mlx5dv_devx_obj_create(c, cq_in, sizeof cq_in, cq_out, sizeof cq_out);
	CHECK(cq);
	uint32_t cqn = be32toh(cq_out[2]) & 0xffffff;
	uint32_t q_in[4] = {0}, q_out[4 + 64] = {0};
	put(q_in, 0, 0x402u << 16);
	put(q_in, 2, cqn);
	CHECK(!mlx5dv_devx_obj_query(cq, q_in, sizeof q_in, q_out, sizeof q_out));
	printf("queried log size %u\n", be32toh(q_out[4 + 3]) >> 24);
	put(q_in, 2, cqn + 1);
	printf("query of another number: %d\n", mlx5dv_devx_obj_query(cq, q_in, sizeof q_in, q_out, sizeof q_out));
	put(q_in, 2, cqn);

	struct mlx5dv_devx_event_channel *ch = mlx5dv_devx_create_event_channel(c, 0);
	CHECK(ch);
	uint16_t events[] = { 4 };
	CHECK(!mlx5dv_devx_subscribe_devx_event(ch, cq, sizeof events, events, 0xc00c1e));
	printf("odd list: %d\n", mlx5dv_devx_subscribe_devx_event(ch, cq, 3, events, 0));
	char line[64];
	snprintf(line, sizeof line, "devx 4 %u", cqn);
	control(line);
	struct pollfd pf = { ch->fd, POLLIN, 0 };
	CHECK(poll(&pf, 1, 2000) == 1);
	union { struct mlx5dv_devx_async_event_hdr h; char b[128]; } e;
	ssize_t k = mlx5dv_devx_get_event(ch, &e.h, 40);
	printf("short read: %zd, %s\n", k, strerror(errno));
	k = mlx5dv_devx_get_event(ch, &e.h, sizeof e);
	printf("event: %zd bytes, cookie %#lx, type %u\n", k, (unsigned long)e.h.cookie, (unsigned char)e.h.out_data[1]);
	fcntl(ch->fd, F_SETFL, O_NONBLOCK);
	k = mlx5dv_devx_get_event(ch, &e.h, sizeof e);
	printf("no event: %zd, %s\n", k, strerror(errno));

	struct mlx5dv_devx_cmd_comp *cc = mlx5dv_devx_create_cmd_comp(c);
	CHECK(cc);
	CHECK(!mlx5dv_devx_obj_query_async(cq, q_in, sizeof q_in, sizeof q_out, 0x77, cc));
	union { struct mlx5dv_devx_async_cmd_hdr h; char b[512]; } a;
	printf("short result: %d\n", mlx5dv_devx_get_async_cmd_comp(cc, &a.h, 16));
	CHECK(!mlx5dv_devx_get_async_cmd_comp(cc, &a.h, sizeof a));
	printf("result: wr_id %#lx status %u\n", (unsigned long)a.h.wr_id, a.h.out_data[0]);
	mlx5dv_devx_destroy_cmd_comp(cc);

	char path[256] = "?";
	printf("data direct: %d", data_direct(c->cmd_fd, path, 0));
	rc = data_direct(c->cmd_fd, path, sizeof path);
	printf(" %d %s\n", rc, path);
	if (!rc) {
		char again[256];
		printf("one byte short: %d, exact: %d\n", data_direct(c->cmd_fd, again, strlen(path)),
		       data_direct(c->cmd_fd, again, strlen(path) + 1));
	}

	CHECK(!mlx5dv_devx_obj_destroy(cq));
	mlx5dv_devx_destroy_event_channel(ch);
	CHECK(!mlx5dv_devx_umem_dereg(um));
	mlx5dv_devx_free_uar(uar);
	CHECK(!ibv_close_device(c));
	ibv_free_device_list(list);
	puts("done");
	return 0;
}
