/* mlx5dv_query_device: each request bit alone, all together, none, and bits nobody knows; which
 * fields are written and which keep the caller's bytes.
 * run old-6.1: sim --kernel 6.1
 * run infiniband: sim --port ib
 */
#include "common.h"
#include <stddef.h>

/* `gap`: the first of three bytes that pad the struct and belong to nobody. */
static const struct field { int bit; const char *name; unsigned off, size; bool pointer; unsigned gap; } field[] = {
	{ 0, "cqe_comp_caps", offsetof(struct mlx5dv_context, cqe_comp_caps), 8, false, 0 },
	{ 1, "sw_parsing_caps", offsetof(struct mlx5dv_context, sw_parsing_caps), 8, false, 0 },
	{ 2, "striding_rq_caps", offsetof(struct mlx5dv_context, striding_rq_caps), 20, false, 0 },
	{ 3, "tunnel_offloads_caps", offsetof(struct mlx5dv_context, tunnel_offloads_caps), 4, false, 0 },
	{ 4, "max_dynamic_bfregs", offsetof(struct mlx5dv_context, max_dynamic_bfregs), 4, false, 0 },
	{ 5, "max_clock_info_update_nsec", offsetof(struct mlx5dv_context, max_clock_info_update_nsec), 8, false, 0 },
	{ 6, "flow_action_flags", offsetof(struct mlx5dv_context, flow_action_flags), 4, false, 0 },
	{ 7, "dc_odp_caps", offsetof(struct mlx5dv_context, dc_odp_caps), 4, false, 0 },
	{ 8, "hca_core_clock", offsetof(struct mlx5dv_context, hca_core_clock), 8, true, 0 },
	{ 9, "num_lag_ports", offsetof(struct mlx5dv_context, num_lag_ports), 1, false, 0 },
	{ 10, "sig_caps", offsetof(struct mlx5dv_context, sig_caps), 16, false, 0 },
	{ 11, "dci_streams_caps", offsetof(struct mlx5dv_context, dci_streams_caps), 2, false, 0 },
	{ 12, "max_wr_memcpy_length", offsetof(struct mlx5dv_context, max_wr_memcpy_length), 8, false, 0 },
	{ 13, "crypto_caps", offsetof(struct mlx5dv_context, crypto_caps), 12, false, 5 },
	{ 14, "max_dc_rd_atom", offsetof(struct mlx5dv_context, max_dc_rd_atom), 8, false, 0 },
	{ 14, "max_dc_init_rd_atom", offsetof(struct mlx5dv_context, max_dc_init_rd_atom), 8, false, 0 },
	{ 15, "reg_c0", offsetof(struct mlx5dv_context, reg_c0), 8, false, 0 },
	{ 16, "ooo_recv_wrs_caps", offsetof(struct mlx5dv_context, ooo_recv_wrs_caps), 20, false, 0 },
};

static void query(struct ibv_context *ctx, const char *label, uint64_t mask)
{
	union { struct mlx5dv_context dv; uint8_t raw[256]; } u;

	memset(&u, 0xa5, sizeof u);
	u.dv.comp_mask = mask;
	VAL(label, mlx5dv_query_device(ctx, &u.dv));
	printf("  version %u flags %#llx comp_mask %#llx\n", u.dv.version, (unsigned long long)u.dv.flags, (unsigned long long)u.dv.comp_mask);
	for (unsigned i = 0; i < sizeof field / sizeof *field; i++) {
		const struct field *f = &field[i];
		bool touched = false;

		for (unsigned b = 0; b < f->size; b++) {
			touched |= u.raw[f->off + b] != 0xa5;
		}
		if (!touched)
			continue;
		printf("  %s:", f->name);
		if (f->pointer)
			printf(" %s", u.dv.hca_core_clock ? "mapped" : "NULL");
		else
			for (unsigned b = 0; b < f->size; b++)
				if (!f->gap || b < f->gap || b >= f->gap + 3)
					printf(" %02x", u.raw[f->off + b]);
		putchar('\n');
	}
	for (unsigned i = sizeof u.dv; i < sizeof u; i++)
		if (u.raw[i] != 0xa5)
			printf("  byte %u past the struct was written\n", i);
}

int main(void)
{
	struct ibv_context *ctx = open_devx();
	char label[32];

	query(ctx, "none", 0);
	for (int bit = 0; bit <= 17; bit++) {
		snprintf(label, sizeof label, "bit %d", bit);
		query(ctx, label, 1ull << bit);
	}
	query(ctx, "bit 63", 1ull << 63);
	query(ctx, "all known", 0x1ffff);
	query(ctx, "all 64", ~0ull);
	MUST(!ibv_close_device(ctx));
	/* a context without DEVX: what comes from device commands may be missing */
	{
		struct mlx5dv_context_attr attr = {0};

		MUST(ctx = mlx5dv_open_device(the_device(0), &attr));
		query(ctx, "no flag, all known", 0x1ffff);
	}
	/* a foreign context is refused before anything of it is looked at */
	{
		struct ibv_device other = *the_device(0);
		struct ibv_context foreign = { .device = &other };
		struct mlx5dv_context dv = {0};
		struct { struct ibv_device dev; void *ops; char more[128]; } alien;

		memset(&alien, 0, sizeof alien);
		alien.dev = other;
		foreign.device = &alien.dev;
		VAL("foreign context", mlx5dv_query_device(&foreign, &dv));
		printf("foreign device supported: %d\n", mlx5dv_is_supported(&alien.dev));
	}
	done(ctx);
	return 0;
}
