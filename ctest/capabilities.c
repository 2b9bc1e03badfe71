/* What an open learns when its queries fail: each in turn, and all. The open goes on, and what
 * could not be learned is zero.
 */
#include "common.h"

static void look(const char *label)
{
	struct mlx5dv_context dv;
	struct ibv_context *ctx;
	struct ibv_device_attr_ex ex;
	uint32_t qpn;
	struct mlx5dv_sched_attr attr = {0};
	struct mlx5dv_sched_node *n;

	errno = 0;
	ctx = mlx5dv_open_device(the_device(0), NULL);
	show_ptr(label, ctx, errno);
	MUST(!sim_say("faults clear"));
	if (!ctx)
		return;
	memset(&dv, 0, sizeof dv);
	dv.comp_mask = 0x1ffff;
	MUST(!mlx5dv_query_device(ctx, &dv));
	printf("  flags %#llx mask %#llx lag %u sig %#llx memcpy %llu crypto %#x dc %llu %llu cqe %u ooo %u\n", (unsigned long long)dv.flags,
	       (unsigned long long)dv.comp_mask, dv.num_lag_ports, (unsigned long long)dv.sig_caps.block_prot, (unsigned long long)dv.max_wr_memcpy_length,
	       dv.crypto_caps.flags, (unsigned long long)dv.max_dc_rd_atom, (unsigned long long)dv.max_dc_init_rd_atom, dv.cqe_comp_caps.max_num,
	       dv.ooo_recv_wrs_caps.max_rc);
	MUST(!ibv_query_device_ex(ctx, NULL, &ex));
	printf("  dm %s tso %u\n", ex.max_dm_size ? "set" : "0", ex.tso_caps.max_tso);
	n = PTR("  sched node", mlx5dv_sched_node_create(ctx, &attr));
	if (n)
		MUST(!mlx5dv_sched_node_destroy(n));
	if (!VAL("  reserved qpn", mlx5dv_reserved_qpn_alloc(ctx, &qpn)))
		MUST(!mlx5dv_reserved_qpn_dealloc(ctx, qpn));
	MUST(!ibv_close_device(ctx));
}

int main(void)
{
	static const char *const rules[] = {
		"CMD.0x100#1=3", "CMD.0x100#2=3", "CMD.0x100#3=3", "CMD.0x100#4=3", "CMD.0x100#*=3", "DEVX.OTHER#1=EPERM", "DEVX.OTHER#*=EPERM",
		"WRITE.EX_QUERY_DEVICE#1=EINVAL", "UAR.ALLOC#*=ENOMEM", "MMAP#1=EAGAIN", "MMAP#2=EAGAIN", "MMAP#*=EAGAIN",
		"DEVICE.GET_CONTEXT#1=EINVAL", "DEVICE.GET_CONTEXT#1=ENOMEM", "ASYNC_EVENT.ALLOC#1=EMFILE", "OPEN#1=EACCES", "DEVICE.QUERY_PORT#1=EINVAL",
	};

	MUST(!sim_say("faults clear"));
	look("nothing fails");
	for (unsigned i = 0; i < sizeof rules / sizeof *rules; i++) {
		char line[96];

		snprintf(line, sizeof line, "fault %s", rules[i]);
		if (!sim_say(line))
			look(rules[i]);
	}
	/* the first, second … tries of GET_CONTEXT fail */
	for (int n = 1; n <= 6; n++) {
		char label[64];

		for (int i = 1; i <= n; i++) {
			char line[96];

			snprintf(line, sizeof line, "fault DEVICE.GET_CONTEXT#%d=%s", i, i & 1 ? "EPERM" : "ENOSPC");
			MUST(!sim_say(line));
		}
		snprintf(label, sizeof label, "the first %d tries of GET_CONTEXT fail", n);
		look(label);
	}
	done(NULL);
	return 0;
}
