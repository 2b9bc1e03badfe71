/* Device memory: types, lengths, copying in and out, operation addresses.
 * run old-6.1: sim --kernel 6.1
 */
#include "common.h"

static struct ibv_context *ctx;

static struct ibv_dm *alloc(const char *label, uint64_t length, uint32_t align, uint32_t mask, int type, uint64_t mlx5_mask)
{
	struct ibv_alloc_dm_attr attr = { .length = length, .log_align_req = align, .comp_mask = mask };
	struct mlx5dv_alloc_dm_attr dv = { .type = type, .comp_mask = mlx5_mask };

	return PTR(label, mlx5dv_alloc_dm(ctx, &attr, &dv));
}

int main(void)
{
	struct ibv_device_attr_ex ex;
	struct ibv_dm *dm;
	uint8_t buf[256], back[256];
	int maps;

	ctx = open_devx();
	MUST(!ibv_query_device_ex(ctx, NULL, &ex));
	printf("max_dm_size %s\n", ex.max_dm_size ? "set" : "0");
	for (int type = -1; type <= 5; type++) {
		char label[32];

		snprintf(label, sizeof label, "type %d", type);
		dm = alloc(label, 4096, 0, 0, type, 0);
		if (dm)
			VAL("  free", ibv_free_dm(dm));
	}
	alloc("comp_mask 1", 64, 0, 1, 0, 0);
	alloc("mlx5 comp_mask 1", 64, 0, 0, 0, 1);
	alloc("unknown type and comp_mask", 64, 0, 1, 9, 1);
	alloc("longer than there is", ex.max_dm_size + 1, 0, 0, 0, 0);
	alloc("length 0", 0, 0, 0, 0, 0);
	alloc("alignment of 2^64", 64, 64, 0, 0, 0);
	maps = count_shared_maps();
	dm = alloc("64 bytes", 64, 0, 0, 0, 0);
	if (dm) {
		void *op;

		printf("  mappings more %d, copying %s\n", count_shared_maps() - maps, dm->memcpy_to_dm && dm->memcpy_from_dm ? "possible" : "impossible");
		for (unsigned i = 0; i < sizeof buf; i++)
			buf[i] = i * 7 + 1;
		VAL("copy in", ibv_memcpy_to_dm(dm, 0, buf, 64));
		memset(back, 0, sizeof back);
		VAL("copy out", ibv_memcpy_from_dm(back, dm, 0, 64));
		printf("  the same: %s\n", memcmp(buf, back, 64) ? "no" : "yes");
		VAL("middle in", ibv_memcpy_to_dm(dm, 12, buf + 100, 8));
		VAL("middle out", ibv_memcpy_from_dm(back, dm, 8, 16));
		printf("  bytes %u %u %u %u\n", back[3], back[4], back[11], back[12]);
		VAL("past the end", ibv_memcpy_to_dm(dm, 60, buf, 8));
		VAL("past the end and odd", ibv_memcpy_to_dm(dm, 63, buf, 3));
		VAL("odd offset", ibv_memcpy_to_dm(dm, 2, buf, 4));
		VAL("odd length", ibv_memcpy_to_dm(dm, 0, buf, 5));
		VAL("nothing", ibv_memcpy_to_dm(dm, 64, buf, 0));
		VAL("odd length, out", ibv_memcpy_from_dm(back, dm, 0, 6));
		VAL("past the end, out", ibv_memcpy_from_dm(back, dm, 64, 4));
		for (int o = 0; o < 4; o++) {
			char label[32];

			snprintf(label, sizeof label, "operation %d", o);
			op = PTR(label, mlx5dv_dm_map_op_addr(dm, o));
			(void)op;
		}
		PTR("operation 32", mlx5dv_dm_map_op_addr(dm, 32));
		PTR("operation 255", mlx5dv_dm_map_op_addr(dm, 255));
		VAL("free", ibv_free_dm(dm));
	}
	{
		struct { struct ibv_device dev; void *ops; char more[128]; } alien;
		struct ibv_context foreign = { .device = &alien.dev };
		struct ibv_alloc_dm_attr attr = { .length = 64 };
		struct mlx5dv_alloc_dm_attr dv = { .type = 77 };

		memset(&alien, 0, sizeof alien);
		PTR("foreign context", mlx5dv_alloc_dm(&foreign, &attr, &dv));
	}
	done(ctx);
	return 0;
}
