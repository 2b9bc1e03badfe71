/* The dump functions' own convention: a negative value when either argument is missing. */
#include "common.h"

int main(void)
{
	FILE *f = tmpfile();
	void *obj = calloc(1, 65536);

	MUST(f && obj);
	printf("domain: %s %s %s\n", en(mlx5dv_dump_dr_domain(NULL, NULL)), en(mlx5dv_dump_dr_domain(f, NULL)), en(mlx5dv_dump_dr_domain(NULL, obj)));
	printf("table: %s %s %s\n", en(mlx5dv_dump_dr_table(NULL, NULL)), en(mlx5dv_dump_dr_table(f, NULL)), en(mlx5dv_dump_dr_table(NULL, obj)));
	printf("matcher: %s %s %s\n", en(mlx5dv_dump_dr_matcher(NULL, NULL)), en(mlx5dv_dump_dr_matcher(f, NULL)), en(mlx5dv_dump_dr_matcher(NULL, obj)));
	printf("rule: %s %s %s\n", en(mlx5dv_dump_dr_rule(NULL, NULL)), en(mlx5dv_dump_dr_rule(f, NULL)), en(mlx5dv_dump_dr_rule(NULL, obj)));
	printf("written: %ld\n", ftell(f));
	fclose(f);
	free(obj);
	return 0;
}
