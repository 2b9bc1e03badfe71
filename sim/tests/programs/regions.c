/* Regions that are mapped: device memory, virtio doorbells; and packet pacing entries. */
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define CHECK(c) do { if (!(c)) { printf("FAIL line %d: %s (errno %d, %s)\n", __LINE__, #c, errno, strerror(errno)); exit(1); } } while (0)

int main(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	CHECK(list && list[0]);
	struct mlx5dv_context_attr oa = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	struct ibv_context *c = mlx5dv_open_device(list[0], &oa);
	CHECK(c);
	struct ibv_pd *pd = ibv_alloc_pd(c);
	CHECK(pd);

	struct ibv_device_attr_ex ex;
	CHECK(!ibv_query_device_ex(c, NULL, &ex));
	printf("device memory: %s\n", ex.max_dm_size ? "yes" : "no");
	struct ibv_alloc_dm_attr da = { .length = 5000 };
	struct ibv_dm *a = ibv_alloc_dm(c, &da), *b = ibv_alloc_dm(c, &da);
	CHECK(a && b);
	char text[64] = "written to the card, read back from it", back[64];
	CHECK(!ibv_memcpy_to_dm(a, 4096, text, 64));
	CHECK(!ibv_memcpy_from_dm(back, a, 4096, 64));
	printf("read back: %s\n", back);
	CHECK(!ibv_memcpy_from_dm(back, b, 4096, 64));
	printf("the other piece: %d\n", back[0]);
	printf("beyond its end: %d\n", ibv_memcpy_to_dm(a, 4992, text, 64));
	struct ibv_mr *mr = ibv_reg_dm_mr(pd, a, 64, 128, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ZERO_BASED);
	CHECK(mr);
	printf("freed under a region: %s\n", ibv_free_dm(a) ? strerror(errno) : "yes");
	CHECK(!ibv_dereg_mr(mr));
	CHECK(!ibv_reg_dm_mr(pd, a, 4992, 128, IBV_ACCESS_ZERO_BASED));
	printf("region beyond its end: %s\n", strerror(errno));
	CHECK(!ibv_free_dm(a));
	CHECK(!ibv_free_dm(b));
	a = ibv_alloc_dm(c, &da);
	CHECK(a && !ibv_memcpy_from_dm(back, a, 4096, 64));
	printf("new memory is empty: %s\n", back[0] ? "no" : "yes");
	CHECK(!ibv_free_dm(a));
	da.length = 1 << 30;
	CHECK(!ibv_alloc_dm(c, &da));
	printf("more than there is: %s\n", strerror(errno));

	struct mlx5dv_var *v = mlx5dv_alloc_var(c, 0), *w = mlx5dv_alloc_var(c, 0);
	CHECK(v && w);
	printf("doorbells: %u, %u, %s\n", v->page_id, w->page_id, v->mmap_off == w->mmap_off ? "same" : "apart");
	void *p = mmap(NULL, v->length, PROT_WRITE, MAP_SHARED, c->cmd_fd, v->mmap_off);
	CHECK(p != MAP_FAILED);
	munmap(p, v->length);
	mlx5dv_free_var(v);
	mlx5dv_free_var(w);

	uint32_t rate[3] = { __builtin_bswap32(5000) };
	struct mlx5dv_pp *one = mlx5dv_pp_alloc(c, sizeof rate, rate, 0), *two = mlx5dv_pp_alloc(c, sizeof rate, rate, 0);
	CHECK(one && two);
	struct mlx5dv_pp *own = mlx5dv_pp_alloc(c, sizeof rate, rate, MLX5DV_PP_ALLOC_FLAGS_DEDICATED_INDEX);
	CHECK(own);
	printf("rates: equal ones %s, a dedicated one %s\n", one->index == two->index ? "share" : "differ",
	       own->index == one->index ? "shares" : "differs");
	mlx5dv_pp_free(one);
	mlx5dv_pp_free(two);
	mlx5dv_pp_free(own);
	rate[0] = 0;
	CHECK(!mlx5dv_pp_alloc(c, sizeof rate, rate, 0));
	printf("no rate: %s\n", strerror(errno));
	CHECK(!ibv_dealloc_pd(pd));
	CHECK(!ibv_close_device(c));
	puts("done");
	return 0;
}
