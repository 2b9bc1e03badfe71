/* Export and import: the sizes, the blobs byte by byte but for the numbers that the device picked,
 * and what an imported object can do.
 * since: 65.0
 */
#include "common.h"

static void dump(const char *label, const void *p, size_t n)
{
	const uint8_t *b = p;

	printf("%s:", label);
	for (size_t i = 0; i < n; i++)
		printf("%s%02x", i % 4 ? "" : " ", b[i]);
	putchar('\n');
}
/* Blank a number that the device picked, and say whether the blob had it. */
static void number(uint8_t *at, uint32_t expected)
{
	uint32_t got;

	memcpy(&got, at, 4);
	printf("  the device's number: %s\n", got == expected ? "yes" : "no");
	memset(at, 0, 4);
}
static void edge(const char *label, const uint8_t *room, size_t size)
{
	for (size_t i = size; i < 64; i++)
		if (room[i] != 0xa5) {
			printf("  %s: written at %zu, past its %zu bytes\n", label, i, size);
			return;
		}
}

int main(void)
{
	struct ibv_context *ctx = open_devx();
	struct mlx5dv_export_sizes { uint32_t v[8]; } sizes;
	static uint8_t room[64], mem[8192] __attribute__((aligned(4096)));
	static const size_t lens[] = { 12, 16, 32 };
	struct mlx5dv_devx_umem *umem, *umem2;
	struct mlx5dv_devx_obj *obj, *obj2;
	struct mlx5dv_var *var;
	uint8_t in[144] = {0}, out[16] = {0};

	for (unsigned i = 0; i < 3; i++) {
		memset(&sizes, 0xa5, sizeof sizes);
		_mlx5dv_get_export_sizes((void *)&sizes, lens[i]);
		dump("sizes", &sizes, 32);
	}
	MUST(umem = mlx5dv_devx_umem_reg(ctx, mem, sizeof mem, IBV_ACCESS_LOCAL_WRITE));
	memset(room, 0xa5, sizeof room);
	VAL("umem export", mlx5dv_devx_umem_export(umem, (void *)room));
	number(room + 4, umem->umem_id);
	dump("umem", room, 8);
	edge("umem", room, 8);
	memcpy(room + 4, &umem->umem_id, 4);
	umem2 = PTR("umem import", mlx5dv_devx_umem_import(ctx, (void *)room));
	printf("  same number: %s\n", umem2 && umem2->umem_id == umem->umem_id ? "yes" : "no");
	VAL("umem dereg through the import", mlx5dv_devx_umem_dereg(umem2));
	VAL("umem dereg of the original", mlx5dv_devx_umem_dereg(umem));
	mlx5dv_devx_umem_unimport(umem);

	MUST(obj = devx_pd(ctx, NULL));
	memset(room, 0xa5, sizeof room);
	VAL("obj export", mlx5dv_devx_obj_export(obj, (void *)room));
	dump("obj", room, 32);
	edge("obj", room, 32);
	obj2 = PTR("obj import", mlx5dv_devx_obj_import(ctx, (void *)room));
	mlx5dv_devx_obj_unimport(obj2);
	VAL("obj destroy", mlx5dv_devx_obj_destroy(obj));

	/* a general object: the table of what is parsed at create shows in the blob */
	OPCODE(in, OP_CREATE_GENERAL_OBJECT);
	put(in, 0x30, 16, 0x26);                 /* obj_type: scheduling element */
	put(in, 0x80 + 0x40, 8, 3);              /* scheduling_hierarchy: NIC */
	put(in, 0x80 + 0x100, 8, 0);             /* element_type: TSAR */
	obj = PTR("general object", mlx5dv_devx_obj_create(ctx, in, sizeof in, out, sizeof out));
	if (obj) {
		memset(room, 0xa5, sizeof room);
		VAL("export", mlx5dv_devx_obj_export(obj, (void *)room));
		number(room + 8, get(out, 0x40, 32));
		dump("obj", room, 32);
		VAL("destroy", mlx5dv_devx_obj_destroy(obj));
	}

	/* a blob is taken as it is */
	memset(room, 0, sizeof room);
	*(uint32_t *)room = 0x7777;
	obj = PTR("import of a stale handle", mlx5dv_devx_obj_import(ctx, (void *)room));
	VAL("  destroy", mlx5dv_devx_obj_destroy(obj));
	mlx5dv_devx_obj_unimport(obj);
	umem = PTR("umem import of a stale handle", mlx5dv_devx_umem_import(ctx, (void *)room));
	VAL("  dereg", mlx5dv_devx_umem_dereg(umem));
	mlx5dv_devx_umem_unimport(umem);

	var = PTR("var", mlx5dv_alloc_var(ctx, 0));
	if (var) {
		struct mlx5dv_var *var2;

		memset(room, 0xa5, sizeof room);
		VAL("var export", mlx5dv_var_export(var, (void *)room));
		dump("var", room, 24);
		edge("var", room, 24);
		var2 = PTR("var import", mlx5dv_var_import(ctx, (void *)room));
		printf("  page_id %s length %s offset %s comp_mask %llu\n", var2->page_id == var->page_id ? "same" : "differs",
		       var2->length == var->length ? "same" : "differs", var2->mmap_off == var->mmap_off ? "same" : "differs",
		       (unsigned long long)var2->comp_mask);
		mlx5dv_var_unimport(var2);
		mlx5dv_free_var(var);
	}
	done(ctx);
	return 0;
}
