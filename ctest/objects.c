/* DEVX objects: create, query, modify, destroy, the refusals of each, and that a failed destroy
 * leaves the object in the caller's hands.
 * run kernel-6.12: sim --kernel 6.12
 * run traced: env MLX5_TRACE=stderr
 */
#include "common.h"

static struct mlx5dv_devx_obj *create(struct ibv_context *ctx, const char *label, const void *in, size_t inlen, size_t outlen)
{
	uint8_t out[256];
	struct mlx5dv_devx_obj *o;

	memset(out, 0xa5, sizeof out);
	o = PTR(label, mlx5dv_devx_obj_create(ctx, in, inlen, out, outlen));
	if (out[0] != 0xa5)
		printf("  status %#x syndrome %s\n", STATUS(out), SYNDROME(out) ? "set" : "0");
	else if (o)
		printf("  out untouched\n");
	return o;
}
static void query(struct mlx5dv_devx_obj *o, const char *label, const void *in, size_t inlen, size_t outlen, bool modify)
{
	uint8_t out[512];

	memset(out, 0xa5, sizeof out);
	VAL(label, modify ? mlx5dv_devx_obj_modify(o, in, inlen, out, outlen) : mlx5dv_devx_obj_query(o, in, inlen, out, outlen));
	if (out[0] != 0xa5)
		printf("  status %#x syndrome %s\n", STATUS(out), SYNDROME(out) ? "set" : "0");
}

/* An object that should not have been made is at least not kept. */
static void refused(struct mlx5dv_devx_obj *o)
{
	if (o)
		mlx5dv_devx_obj_destroy(o);
}

int main(void)
{
	struct ibv_context *ctx = open_devx();
	uint8_t in[512] = {0}, out[512];
	struct mlx5dv_devx_obj *pd, *td, *tis, *o;
	struct mlx5dv_devx_uar *uar;
	struct devx_cq cq;
	uint32_t pdn, tdn, tisn, cqn;

	OPCODE(in, OP_ALLOC_PD);
	MUST(pd = create(ctx, "ALLOC_PD", in, 16, 16));
	refused(create(ctx, "in of 15", in, 15, 16));
	refused(create(ctx, "out of 15", in, 16, 15));
	refused(create(ctx, "in of 8", in, 8, 16));
	refused(create(ctx, "no in", NULL, 16, 16));
	refused(PTR("no out", mlx5dv_devx_obj_create(ctx, in, 16, NULL, 16)));
	refused(PTR("in of 65536", mlx5dv_devx_obj_create(ctx, in, 65536, out, 16)));
	refused(PTR("out of 65536", mlx5dv_devx_obj_create(ctx, in, 16, out, 65536)));
	refused(PTR("in unreadable", mlx5dv_devx_obj_create(ctx, (void *)16, 32, out, 16)));
	put(in, 0x20, 16, 1);                    /* vhca_tunnel_id */
	refused(create(ctx, "tunnel", in, 16, 16));
	put(in, 0x20, 16, 0);
	static const unsigned ops[] = { 0, OP_QUERY_HCA_CAP, OP_QUERY_CQ, OP_DESTROY_CQ, OP_DEALLOC_PD, 0xffff };
	for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++) {
		char label[32];

		memset(in, 0, sizeof in);
		OPCODE(in, ops[i]);
		snprintf(label, sizeof label, "create with opcode %#x", ops[i]);
		refused(create(ctx, label, in, 16, 16));
	}
	/* what the device refuses arrives as EREMOTEIO, with its reason in out */
	memset(in, 0, sizeof in);
	OPCODE(in, OP_CREATE_GENERAL_OBJECT);
	put(in, 0x30, 16, 0xeeee);
	refused(create(ctx, "general object of no type", in, 32, 16));
	memset(in, 0, sizeof in);
	OPCODE(in, OP_CREATE_CQ);
	refused(create(ctx, "CREATE_CQ without a queue", in, CREATE_CQ_IN, 16));
	memset(in, 0, sizeof in);
	OPCODE(in, OP_CREATE_MKEY);
	refused(create(ctx, "CREATE_MKEY too short", in, 32, 16));

	/* a queue, with the calls that need a number in the mailbox */
	MUST(uar = mlx5dv_devx_alloc_uar(ctx, MLX5DV_UAR_ALLOC_TYPE_NC));
	printf("devx cq: %s", devx_cq_create(ctx, uar, 4, &cq) ? "made\n" : "not made");
	if (!cq.obj)
		printf(" %s, status %#x\n", en(errno), STATUS(cq.out));
	else {
		cqn = cq.cqn;
		memset(in, 0, sizeof in);
		OPCODE(in, OP_QUERY_CQ);
		put(in, 0x48, 24, cqn);
		query(cq.obj, "QUERY_CQ", in, 16, 16 + 64, false);
		query(cq.obj, "QUERY_CQ with room", in, 16, 272, false);
		query(cq.obj, "in of 15", in, 15, 272, false);
		query(cq.obj, "out of 15", in, 16, 15, false);
		put(in, 0x48, 24, cqn + 1);
		query(cq.obj, "another number", in, 16, 272, false);
		put(in, 0x48, 24, cqn);
		query(pd, "another object", in, 16, 272, false);
		put(in, 0x20, 16, 1);
		query(cq.obj, "tunnel", in, 16, 272, false);
		put(in, 0x20, 16, 0);
		query(cq.obj, "query through modify", in, 16, 272, true);
		OPCODE(in, OP_CREATE_CQ);
		query(cq.obj, "create through query", in, 16, 272, false);
		OPCODE(in, OP_ALLOC_PD);
		query(cq.obj, "alloc through modify", in, 16, 272, true);
		/* in use: a umem under a queue does not go */
		if (!VAL("umem under the queue", mlx5dv_devx_umem_dereg(cq.umem)))
			cq.umem = NULL;
		VAL("destroy cq", mlx5dv_devx_obj_destroy(cq.obj));
		cq.obj = NULL;
	}
	devx_cq_destroy(&cq);

	/* a modifiable object: a TIS on a transport domain */
	memset(in, 0, sizeof in);
	OPCODE(in, OP_ALLOC_TRANSPORT_DOMAIN);
	memset(out, 0, sizeof out);
	td = PTR("ALLOC_TRANSPORT_DOMAIN", mlx5dv_devx_obj_create(ctx, in, 16, out, 16));
	tdn = get(out, 0x48, 24);
	if (td) {
		memset(in, 0, sizeof in);
		OPCODE(in, OP_CREATE_TIS);
		put(in, 0x100 + 0x128, 24, tdn);         /* tisc.transport_domain */
		memset(out, 0, sizeof out);
		tis = PTR("CREATE_TIS", mlx5dv_devx_obj_create(ctx, in, 192, out, 16));
		printf("  status %#x\n", STATUS(out));
		tisn = get(out, 0x48, 24);
		if (tis) {
			memset(in, 0, sizeof in);
			OPCODE(in, OP_QUERY_TIS);
			put(in, 0x48, 24, tisn);
			query(tis, "QUERY_TIS", in, 16, 16 + 160, false);
			memset(in, 0, sizeof in);
			OPCODE(in, OP_MODIFY_TIS);
			put(in, 0x48, 24, tisn);
			put(in, 0x80 + 0x1f, 1, 1);      /* bitmask.prio */
			put(in, 0x100 + 0x0c, 4, 3);     /* tisc.prio */
			query(tis, "MODIFY_TIS", in, 192, 16, true);
			put(in, 0x48, 24, tisn + 1);
			query(tis, "another number", in, 192, 16, true);
			put(in, 0x48, 24, tisn);
			query(tis, "in of 15", in, 15, 16, true);
			query(tis, "out of 15", in, 192, 15, true);
			query(tis, "modify through query", in, 192, 16, false);
			/* the domain is in use: refused, kept, and goes once the TIS has gone */
			if (!VAL("destroy the domain under the TIS", mlx5dv_devx_obj_destroy(td)))
				td = NULL;
			VAL("destroy the TIS", mlx5dv_devx_obj_destroy(tis));
		}
		if (td)
			VAL("destroy the domain", mlx5dv_devx_obj_destroy(td));
	}
	VAL("destroy the PD", mlx5dv_devx_obj_destroy(pd));

	/* an object whose kernel handle has gone: made twice from one blob */
	{
		struct { uint8_t b[64]; } blob;
		struct mlx5dv_devx_obj *twin;

		MUST(pd = devx_pd(ctx, &pdn));
		VAL("export", mlx5dv_devx_obj_export(pd, &blob));
		twin = PTR("import", mlx5dv_devx_obj_import(ctx, &blob));
		VAL("destroy one", mlx5dv_devx_obj_destroy(pd));
		VAL("destroy the other", mlx5dv_devx_obj_destroy(twin));
		memset(in, 0, sizeof in);
		OPCODE(in, OP_QUERY_CQ);
		query(twin, "query the other", in, 16, 272, false);
		mlx5dv_devx_obj_unimport(twin);
	}
	{
		struct { struct ibv_device dev; void *ops; char more[128]; } alien;
		struct ibv_context foreign = { .device = &alien.dev };

		memset(&alien, 0, sizeof alien);
		memset(in, 0, sizeof in);
		OPCODE(in, OP_ALLOC_PD);
		o = create(&foreign, "foreign context", in, 16, 16);
		printf("foreign object %s\n", o ? "made" : "none");
	}
	done(ctx);
	return 0;
}
