/* Time of one load of a library, in ns. The program itself has libibverbs. */
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>

int main(int argc, char **argv)
{
	struct timespec a, b;

	if (argc != 2)
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &a);
	if (!dlopen(argv[1], RTLD_NOW)) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("%.0f\n", (b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec));
	return 0;
}
