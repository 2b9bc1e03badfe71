/*
 * Says which file serves mlx5: the direct-verbs calls of a program linked with libmlx5, those of
 * a program that opens either name at run time, and the devices that libibverbs lists.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#ifdef LINKED
#include <infiniband/mlx5dv.h>
#endif

static void owner(const char *what, void *address)
{
	Dl_info info;

	printf("%s %s\n", what, address && dladdr(address, &info) ? info.dli_fname : "none");
}

int main(int argc, char **argv)
{
	static const char *names[] = { "libmlx5.so", "libmlx5.so.1" };
	struct ibv_device **list;
	unsigned int i;

	for (i = 1; i < (unsigned int)argc; i++)
		printf("argument %s\n", argv[i]);
	list = ibv_get_device_list(NULL);
	/* A device's driver table follows struct ibv_device. */
	for (i = 0; list && list[i]; i++)
		owner("device", *(void **)(list[i] + 1));
#ifdef LINKED
	owner("linked", (void *)mlx5dv_is_supported);
#else
	for (i = 0; i < 2; i++) {
		void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);

		owner(names[i], library ? dlsym(library, "mlx5dv_is_supported") : NULL);
	}
#endif
	(void)names;
	return 7;
}
