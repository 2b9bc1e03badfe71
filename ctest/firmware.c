/* Refused by the firmware: every status a command can end with, as the raw calls pass it on and
 * as the calls inside the library map it; and commands that never come back.
 */
#include "common.h"

static struct ibv_context *ctx;

static void fault(const char *rule)
{
	char line[96];

	snprintf(line, sizeof line, "fault %s", rule);
	MUST(!sim_say("faults clear"));
	MUST(!sim_say(line));
}

int main(void)
{
	static const unsigned status[] = { 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0f, 0x10, 0x30, 0x40, 0x50, 0x51, 0x7f, 0xff };
	static const char *const lost[] = { "ETIMEDOUT", "ENXIO", "EIO", "EAGAIN", "ENOMEM", "EINTR" };
	uint8_t in[272], out[4112];
	struct mlx5dv_devx_uar *nc;
	struct devx_cq cq;
	uint32_t qpn;

	ctx = open_devx();
	MUST(nc = mlx5dv_devx_alloc_uar(ctx, MLX5DV_UAR_ALLOC_TYPE_NC));
	MUST(devx_cq_create(ctx, nc, 4, &cq));
	for (unsigned i = 0; i < sizeof status / sizeof *status; i++) {
		char rule[64], label[64];
		struct mlx5dv_devx_obj *o;
		struct mlx5dv_sched_attr attr = {0};

#define BAD(what) (snprintf(label, sizeof label, what ", status %#x", status[i]), label)
#define SAY() do { if (out[0] != 0xa5) printf("  status %#x syndrome %#x\n", STATUS(out), SYNDROME(out)); else printf("  out untouched\n"); } while (0)
		snprintf(rule, sizeof rule, "CMD.0x100#*=%#x/%#x", status[i], 0xabc000 + status[i]);
		fault(rule);
		memset(in, 0, sizeof in);
		memset(out, 0xa5, sizeof out);
		OPCODE(in, OP_QUERY_HCA_CAP);
		OP_MOD(in, 1);
		VAL(BAD("general_cmd"), mlx5dv_devx_general_cmd(ctx, in, 16, out, 4112));
		SAY();
		snprintf(rule, sizeof rule, "CMD.0x800#*=%#x/%#x", status[i], 0xabc000 + status[i]);
		fault(rule);
		memset(in, 0, sizeof in);
		memset(out, 0xa5, sizeof out);
		OPCODE(in, OP_ALLOC_PD);
		PTR(BAD("obj_create"), mlx5dv_devx_obj_create(ctx, in, 16, out, 16));
		SAY();
		snprintf(rule, sizeof rule, "CMD.0x402#*=%#x/%#x", status[i], 0xabc000 + status[i]);
		fault(rule);
		memset(in, 0, sizeof in);
		memset(out, 0xa5, sizeof out);
		OPCODE(in, OP_QUERY_CQ);
		put(in, 0x48, 24, cq.cqn);
		VAL(BAD("obj_query"), mlx5dv_devx_obj_query(cq.obj, in, 16, out, 272));
		SAY();
		/* a destroy command's status is mapped by the kernel, and the object stays */
		MUST(!sim_say("faults clear"));
		MUST(o = devx_pd(ctx, NULL));
		snprintf(rule, sizeof rule, "CMD.0x801#*=%#x/%#x", status[i], 0xabc000 + status[i]);
		fault(rule);
		VAL(BAD("obj_destroy"), mlx5dv_devx_obj_destroy(o));
		MUST(!sim_say("faults clear"));
		MUST(!mlx5dv_devx_obj_destroy(o));
		/* inside the library */
		snprintf(rule, sizeof rule, "CMD.0xa00#*=%#x/%#x", status[i], 0xabc000 + status[i]);
		fault(rule);
		PTR(BAD("sched_node_create"), mlx5dv_sched_node_create(ctx, &attr));
		VAL(BAD("reserved_qpn_alloc"), mlx5dv_reserved_qpn_alloc(ctx, &qpn));
	}
	for (unsigned i = 0; i < sizeof lost / sizeof *lost; i++) {
		char rule[64], label[64];

#undef BAD
#define BAD(what) (snprintf(label, sizeof label, what ", %s", lost[i]), label)
		snprintf(rule, sizeof rule, "CMD.0x100#*=%s", lost[i]);
		fault(rule);
		memset(in, 0, sizeof in);
		memset(out, 0xa5, sizeof out);
		OPCODE(in, OP_QUERY_HCA_CAP);
		OP_MOD(in, 1);
		VAL(BAD("general_cmd"), mlx5dv_devx_general_cmd(ctx, in, 16, out, 4112));
		SAY();
		snprintf(rule, sizeof rule, "CMD.0x800#*=%s", lost[i]);
		fault(rule);
		memset(in, 0, sizeof in);
		memset(out, 0xa5, sizeof out);
		OPCODE(in, OP_ALLOC_PD);
		PTR(BAD("obj_create"), mlx5dv_devx_obj_create(ctx, in, 16, out, 16));
		SAY();
	}
	MUST(!sim_say("faults clear"));
	devx_cq_destroy(&cq);
	done(ctx);
	return 0;
}
