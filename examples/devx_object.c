/*
 * A firmware object through DEVX, and how to read a refusal: the call fails with EREMOTEIO and
 * the device's own status and syndrome stand in the output mailbox.
 *
 *   cc devx_object.c $(pkg-config --cflags --libs libmlx5 libibverbs) -o devx_object
 */
#include "common.h"

enum { OPCODE_ALLOC_PD = 0x800, OPCODE_CREATE_TIR = 0x900 };

int main(void)
{
	struct ibv_context *ctx = open_device(NULL);
	uint8_t in[16] = { 0 }, out[16] = { 0 };
	struct mlx5dv_devx_obj *pd, *tir;
	uint8_t tir_in[0x110] = { 0 }, tir_out[16] = { 0 };
	int err;

	put16(in, OPCODE_ALLOC_PD);
	pd = mlx5dv_devx_obj_create(ctx, in, sizeof(in), out, sizeof(out));
	if (!pd)
		die("ALLOC_PD", errno);
	printf("protection domain 0x%x\n", get32(out + 8) & 0xffffff);

	/* A TIR needs a transport domain; this one names none that exists. */
	put16(tir_in, OPCODE_CREATE_TIR);
	memset(tir_in + 0x20 + 0x24, 0xff, 4);
	tir = mlx5dv_devx_obj_create(ctx, tir_in, sizeof(tir_in), tir_out, sizeof(tir_out));
	if (tir)
		die("CREATE_TIR was expected to fail", EINVAL);
	if (errno == EREMOTEIO)
		printf("CREATE_TIR refused by the device: status 0x%02x, syndrome 0x%08x\n", tir_out[0],
		       get32(tir_out + 4));
	else
		printf("CREATE_TIR refused before the device saw it: %s\n", strerror(errno));

	err = mlx5dv_devx_obj_destroy(pd);
	if (err)
		die("mlx5dv_devx_obj_destroy", err);
	printf("protection domain destroyed\n");
	ibv_close_device(ctx);
	return 0;
}
