/* A parent that has the device open forks: the child opens its own, the parent's goes on, and
 * memory that was registered is still the parent's. With and without fork protection.
 * run protected: env RDMAV_FORK_SAFE=1
 */
#include "common.h"
#include <sys/wait.h>

int main(void)
{
	static uint8_t mem[8192] __attribute__((aligned(4096)));
	struct ibv_context *ctx = open_devx();
	struct mlx5dv_devx_umem *umem = mlx5dv_devx_umem_reg(ctx, mem, sizeof mem, IBV_ACCESS_LOCAL_WRITE);
	struct mlx5dv_devx_obj *pd = devx_pd(ctx, NULL);
	int status;
	pid_t child;

	MUST(umem && pd);
	fflush(stdout);
	child = fork();
	MUST(child >= 0);
	if (!child) {
		struct ibv_context *own;
		struct mlx5dv_devx_obj *o;

		device_list = NULL;
		own = open_devx();
		o = devx_pd(own, NULL);
		printf("child: own context, object %s\n", o ? "made" : en(errno));
		VAL("child: destroy", mlx5dv_devx_obj_destroy(o));
		VAL("child: close", ibv_close_device(own));
		fflush(stdout);
		_exit(0);
	}
	MUST(waitpid(child, &status, 0) == child);
	printf("child ended %s\n", WIFEXITED(status) && !WEXITSTATUS(status) ? "well" : "badly");
	VAL("parent: destroy", mlx5dv_devx_obj_destroy(pd));
	VAL("parent: dereg", mlx5dv_devx_umem_dereg(umem));
	PTR("parent: another object", pd = devx_pd(ctx, NULL));
	VAL("parent: destroy", mlx5dv_devx_obj_destroy(pd));
	done(ctx);
	return 0;
}
