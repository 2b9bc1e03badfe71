/* The calls beside a QP's life: LAG port, UDP source port, scheduling, DCI streams. The queue
 * pair is only its public part, so this is about which queue pairs each call takes; none of
 * them reaches the device with a number that the device knows.
 */
#include "common.h"

int main(void)
{
	struct ibv_context *ctx = open_devx();
	struct ibv_qp *qp = calloc(1, 65536);
	static const struct { const char *name; int type; } types[] = {
		{ "RC", IBV_QPT_RC }, { "UC", IBV_QPT_UC }, { "UD", IBV_QPT_UD }, { "RAW_PACKET", IBV_QPT_RAW_PACKET },
		{ "XRC_SEND", IBV_QPT_XRC_SEND }, { "XRC_RECV", IBV_QPT_XRC_RECV }, { "DRIVER", IBV_QPT_DRIVER }, { "0", 0 },
	};
	static const struct { const char *name; int state; } states[] = {
		{ "RESET", IBV_QPS_RESET }, { "INIT", IBV_QPS_INIT }, { "RTR", IBV_QPS_RTR }, { "RTS", IBV_QPS_RTS }, { "ERR", IBV_QPS_ERR },
	};

	MUST(qp);
	qp->context = ctx;
	qp->qp_num = 0xffff00;
	qp->handle = 0x7777;
	for (unsigned t = 0; t < sizeof types / sizeof *types; t++)
		for (unsigned s = 0; s < sizeof states / sizeof *states; s++) {
			uint8_t port = 0xa5, active = 0xa5;
			char label[64];

			qp->qp_type = types[t].type;
			qp->state = states[s].state;
#define ON(what) (snprintf(label, sizeof label, "%s, %s %s", what, types[t].name, states[s].name), label)
			VAL(ON("query_lag_port"), mlx5dv_query_qp_lag_port(qp, &port, &active));
			if (port != 0xa5 || active != 0xa5)
				printf("  written %u %u\n", port, active);
			VAL(ON("modify_lag_port"), mlx5dv_modify_qp_lag_port(qp, 1));
			VAL(ON("modify_udp_sport"), mlx5dv_modify_qp_udp_sport(qp, 0xc000));
			VAL(ON("modify_sched_elem"), mlx5dv_modify_qp_sched_elem(qp, NULL, NULL));
			VAL(ON("dci_stream_id_reset"), mlx5dv_dci_stream_id_reset(qp, 1));
		}
	{
		struct { struct ibv_device dev; void *ops; char more[128]; } alien;
		struct ibv_context foreign = { .device = &alien.dev };
		uint8_t port, active;

		memset(&alien, 0, sizeof alien);
		qp->context = &foreign;
		VAL("query_lag_port, foreign", mlx5dv_query_qp_lag_port(qp, &port, &active));
		VAL("modify_lag_port, foreign", mlx5dv_modify_qp_lag_port(qp, 1));
		VAL("modify_udp_sport, foreign", mlx5dv_modify_qp_udp_sport(qp, 0xc000));
		VAL("modify_sched_elem, foreign", mlx5dv_modify_qp_sched_elem(qp, NULL, NULL));
		VAL("dci_stream_id_reset, foreign", mlx5dv_dci_stream_id_reset(qp, 1));
	}
	free(qp);
	done(ctx);
	return 0;
}
