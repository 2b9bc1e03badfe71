/* Flow rules through the driver's own interface: a packet reaches the queue that the first
 * matching rule names. */
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHECK(c) do { if (!(c)) { printf("FAIL line %d: %s (errno %d, %s)\n", __LINE__, #c, errno, strerror(errno)); exit(1); } } while (0)

static struct ibv_context *c;
static struct ibv_pd *pd;
static char *mem;
static struct ibv_mr *mr;

struct queue { struct ibv_cq *cq; struct ibv_qp *qp; };

static struct queue queue(int slot)
{
	struct queue q = { .cq = ibv_create_cq(c, 16, NULL, NULL, 0) };
	CHECK(q.cq);
	struct ibv_qp_init_attr a = { .send_cq = q.cq, .recv_cq = q.cq, .qp_type = IBV_QPT_RAW_PACKET, .sq_sig_all = 1,
		.cap = { .max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 1, .max_recv_sge = 1 } };
	CHECK(q.qp = ibv_create_qp(pd, &a));
	struct ibv_qp_attr m = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	CHECK(!ibv_modify_qp(q.qp, &m, IBV_QP_STATE | IBV_QP_PORT));
	m.qp_state = IBV_QPS_RTR;
	CHECK(!ibv_modify_qp(q.qp, &m, IBV_QP_STATE));
	m.qp_state = IBV_QPS_RTS;
	CHECK(!ibv_modify_qp(q.qp, &m, IBV_QP_STATE));
	struct ibv_sge s = { (uintptr_t)mem + 1024 * slot, 512, mr->lkey };
	struct ibv_recv_wr w = { .wr_id = slot, .sg_list = &s, .num_sge = 1 }, *bad;
	CHECK(!ibv_post_recv(q.qp, &w, &bad));
	return q;
}

static int poll(struct queue *q, struct ibv_wc *wc)
{
	struct timespec nap = { 0, 1000000 };
	for (int k = 0; k < 300; k++) {
		int n = ibv_poll_cq(q->cq, 1, wc);
		if (n)
			return n;
		nanosleep(&nap, NULL);
	}
	return 0;
}

static struct mlx5dv_flow_matcher *matcher(uint16_t priority, struct mlx5dv_flow_match_parameters *mask)
{
	struct mlx5dv_flow_matcher_attr a = { .type = IBV_FLOW_ATTR_NORMAL, .priority = priority, .match_criteria_enable = 1, .match_mask = mask };
	return mlx5dv_create_flow_matcher(c, &a);
}

int main(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	CHECK(list && list[0] && (c = ibv_open_device(list[0])));
	CHECK(pd = ibv_alloc_pd(c));
	mem = aligned_alloc(4096, 8192);
	memset(mem, 0, 8192);
	CHECK(mr = ibv_reg_mr(pd, mem, 8192, IBV_ACCESS_LOCAL_WRITE));
	struct queue a = queue(1), b = queue(2);

	/* destination Ethernet address: bytes 0 to 3 and 4, 5 of the outer headers' second part */
	struct { size_t sz; uint8_t v[64]; } mask = { .sz = 64 }, value = { .sz = 64 };
	memset(mask.v + 8, 0xff, 6);
	memcpy(value.v + 8, "\x02\x11\x22\x33\x44\x55", 6);
	struct mlx5dv_flow_matcher *first = matcher(1, (void *)&mask), *second = matcher(5, (void *)&mask);
	CHECK(first && second);
	struct mlx5dv_flow_action_attr to_a = { .type = MLX5DV_FLOW_ACTION_DEST_IBV_QP, .qp = a.qp },
		to_b = { .type = MLX5DV_FLOW_ACTION_DEST_IBV_QP, .qp = b.qp };
	struct ibv_flow *later = mlx5dv_create_flow(second, (void *)&value, 1, &to_b);
	CHECK(later);
	struct ibv_flow *sooner = mlx5dv_create_flow(first, (void *)&value, 1, &to_a);
	CHECK(sooner);
	printf("matcher under a rule: %s\n", strerror(mlx5dv_destroy_flow_matcher(first)));
	printf("queue under a rule: %s\n", strerror(ibv_destroy_qp(a.qp)));

	char *packet = mem + 4096;
	memcpy(packet, "\x02\x11\x22\x33\x44\x55\x02\x00\x00\x00\x00\x01\x88\xb5", 14);
	strcpy(packet + 14, "a packet");
	struct ibv_sge s = { (uintptr_t)packet, 64, mr->lkey };
	struct ibv_send_wr w = { .sg_list = &s, .num_sge = 1, .opcode = IBV_WR_SEND }, *bad;
	struct ibv_wc wc;
	CHECK(!ibv_post_send(b.qp, &w, &bad));
	CHECK(poll(&b, &wc) == 1 && wc.status == IBV_WC_SUCCESS);
	CHECK(poll(&a, &wc) == 1);
	printf("first rule: slot %d, %u bytes, %s\n", (int)wc.wr_id, wc.byte_len, mem + 1024 + 14);
	CHECK(!ibv_destroy_flow(sooner));
	CHECK(!ibv_post_send(a.qp, &w, &bad));
	CHECK(poll(&a, &wc) == 1 && wc.status == IBV_WC_SUCCESS);
	CHECK(poll(&b, &wc) == 1);
	printf("second rule: slot %d, %s\n", (int)wc.wr_id, mem + 2048 + 14);
	CHECK(!ibv_destroy_flow(later));
	CHECK(!mlx5dv_destroy_flow_matcher(first) && !mlx5dv_destroy_flow_matcher(second));
	CHECK(!ibv_destroy_qp(a.qp) && !ibv_destroy_qp(b.qp));
	CHECK(!ibv_destroy_cq(a.cq) && !ibv_destroy_cq(b.cq));
	CHECK(!ibv_dereg_mr(mr) && !ibv_dealloc_pd(pd) && !ibv_close_device(c));
	puts("done");
	return 0;
}
