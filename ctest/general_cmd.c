/* mlx5dv_devx_general_cmd: what passes, what is refused where, and what the out mailbox then holds.
 * run kernel-6.12: sim --kernel 6.12
 * run fault: sim --fault CMD.0x100#4=3/0x1234 --fault CMD.0x100#5=ETIMEDOUT ; arg after-fault
 */
#include "common.h"

static void run(struct ibv_context *ctx, const char *label, const void *in, size_t inlen, size_t outlen)
{
	static uint8_t out[1 << 17];
	uint8_t sent[64], *copy = NULL;
	int r;

	memset(out, 0xa5, sizeof out);
	if (inlen <= sizeof sent && in) {
		memcpy(sent, in, inlen);
		copy = sent;
	}
	r = VAL(label, mlx5dv_devx_general_cmd(ctx, in, inlen, out, outlen));
	if (out[0] != 0xa5)
		printf("  status %#x syndrome %s\n", STATUS(out), SYNDROME(out) ? "set" : "0");
	else if (!r)
		printf("  out untouched\n");
	if (copy && memcmp(copy, in, inlen))
		printf("  the caller's mailbox was changed\n");
	for (size_t i = outlen; i < outlen + 64 && i < sizeof out; i++)
		if (out[i] != 0xa5) {
			printf("  written past the end at %zu\n", i);
			break;
		}
}

int main(int argc, char **argv UNUSED)
{
	struct ibv_context *ctx = open_devx();
	uint8_t in[64] = {0};
	static uint8_t big[1 << 17];

	OPCODE(in, OP_QUERY_HCA_CAP);
	OP_MOD(in, 1);
	run(ctx, "capabilities", in, 16, 16 + 4096);
	if (argc > 1) {
		for (int i = 0; i < 4; i++)
			run(ctx, "again", in, 16, 16 + 4096);
		done(ctx);
		return 0;
	}
	OP_MOD(in, 0);
	run(ctx, "capabilities, maximum", in, 16, 16 + 4096);
	OP_MOD(in, 0x7fff);
	run(ctx, "unknown capability group", in, 16, 16 + 4096);
	OP_MOD(in, 1);
	run(ctx, "in of 15", in, 15, 4112);
	run(ctx, "in of 0", in, 0, 4112);
	run(ctx, "in of 8", in, 8, 4112);
	run(ctx, "no in", NULL, 16, 4112);
	run(ctx, "no in, no length", NULL, 0, 4112);
	run(ctx, "in of 64", in, 64, 4112);
	run(ctx, "out of 15", in, 16, 15);
	run(ctx, "out of 0", in, 16, 0);
	run(ctx, "out of 16", in, 16, 16);
	run(ctx, "out of 65535", in, 16, 65535);
	run(ctx, "out of 65536", in, 16, 65536);
	memcpy(big, in, 16);
	run(ctx, "in of 65535", big, 65535, 4112);
	run(ctx, "in of 65536", big, 65536, 4112);
	VAL("no out", mlx5dv_devx_general_cmd(ctx, in, 16, NULL, 4112));
	VAL("in unreadable", mlx5dv_devx_general_cmd(ctx, (void *)16, 32, big, 4112));
	VAL("out unwritable", mlx5dv_devx_general_cmd(ctx, in, 16, (void *)16, 4112));
	/* the same memory for both */
	memcpy(big, in, 16);
	VAL("in place", mlx5dv_devx_general_cmd(ctx, big, 16, big, 4112));
	printf("  status %#x\n", STATUS(big));

	/* commands that make or change objects do not pass here */
	static const unsigned ops[] = { 0, 0x10d, 0x200, OP_CREATE_CQ, OP_DESTROY_CQ, OP_ALLOC_PD, OP_CREATE_GENERAL_OBJECT, 0xaff, 0xcff, 0xd00, 0xffff };
	for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++) {
		char label[32];

		memset(in, 0, sizeof in);
		OPCODE(in, ops[i]);
		snprintf(label, sizeof label, "opcode %#x", ops[i]);
		run(ctx, label, in, 16, 4112);
	}
	{
		struct { struct ibv_device dev; void *ops; char more[128]; } alien;
		struct ibv_context foreign = { .device = &alien.dev };

		memset(&alien, 0, sizeof alien);
		run(&foreign, "foreign context", in, 16, 4112);
	}
	done(ctx);
	return 0;
}
