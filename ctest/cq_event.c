/* Completion events, one after the other: each arming has the number that follows the events
 * delivered so far, or the device takes it for one that it has answered.
 */
#include "common.h"

static struct ibv_cq *cq;
static struct mlx5dv_cq ring;

/* what the doorbell record says of the last arming */
static void armed(const char *label)
{
	uint32_t word = be32toh(ring.dbrec[1]);

	printf("%s: number %u, %s, consumer %u\n", label, word >> 28, word >> 24 & 1 ? "solicited" : "any", word & 0xffffff);
}

int main(void)
{
	struct ibv_context *ctx = ibv_open_device(the_device(0));
	struct ibv_comp_channel *channel;
	struct ibv_pd *pd;
	struct ibv_qp *qp;

	MUST(ctx);
	MUST((channel = ibv_create_comp_channel(ctx)));
	MUST((pd = ibv_alloc_pd(ctx)));
	MUST((cq = ibv_create_cq(ctx, 16, "mine", channel, 0)));
	{
		struct mlx5dv_obj obj = { .cq = { .in = cq, .out = &ring } };
		struct ibv_qp_init_attr init = { .send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC,
			.cap = { .max_recv_wr = 4, .max_recv_sge = 1, .max_send_wr = 1, .max_send_sge = 1 } };

		MUST(!mlx5dv_init_obj(&obj, MLX5DV_OBJ_CQ));
		MUST((qp = ibv_create_qp(pd, &init)));
	}
	for (int round = 0; round < 6; round++) {
		struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
		struct ibv_recv_wr wr = { .wr_id = 100 + round }, *bad;
		struct pollfd wait = { .fd = channel->fd, .events = POLLIN };
		struct ibv_cq *which;
		struct ibv_wc wc;
		void *context;

		printf("round %d\n", round);
		MUST(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS));
		MUST(!ibv_post_recv(qp, &wr, &bad));
		/* an error counts as solicited */
		VAL("  arm", ibv_req_notify_cq(cq, round & 1));
		armed("  record");
		/* a second arming in front of the event has the same number */
		if (round == 3) {
			ibv_req_notify_cq(cq, 0);
			armed("  record, armed again");
		}
		attr.qp_state = IBV_QPS_ERR;
		MUST(!ibv_modify_qp(qp, &attr, IBV_QP_STATE));
		NUM("  readable", poll(&wait, 1, 5000));
		if (!wait.revents)
			break;
		VAL("  event", ibv_get_cq_event(channel, &which, &context));
		printf("  of this queue %d, context %s\n", which == cq, (char *)context);
		ibv_ack_cq_events(cq, 1);
		printf("  polled %d, ", ibv_poll_cq(cq, 1, &wc));
		printf("request %lu, %s\n", (unsigned long)wc.wr_id, ibv_wc_status_str(wc.status));
		printf("  then %d\n", ibv_poll_cq(cq, 1, &wc));
		attr.qp_state = IBV_QPS_RESET;
		MUST(!ibv_modify_qp(qp, &attr, IBV_QP_STATE));
	}
	VAL("destroy the QP", ibv_destroy_qp(qp));
	VAL("destroy the CQ", ibv_destroy_cq(cq));
	VAL("destroy the channel", ibv_destroy_comp_channel(channel));
	VAL("dealloc the domain", ibv_dealloc_pd(pd));
	done(ctx);
	return 0;
}
