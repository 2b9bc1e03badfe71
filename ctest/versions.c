/* Symbol versions as the loader sees them: every exported name at its node, the same name one
 * node before and after its own, and without a version.
 * run default: arg @symbols
 */
#include "common.h"
#include <dlfcn.h>

enum { MAX = 256 };
static struct { char name[96], node[32]; } pair[MAX];
static char node[64][32];
static int pairs, nodes;

static void read_list(const char *path)
{
	FILE *f = fopen(path, "re");
	char line[256], now[32] = "";

	MUST(f);
	while (fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = 0;
		if (line[0] == '[') {
			MUST(sscanf(line, "[%31[^] ]", now) == 1 && nodes < 64);
			strcpy(node[nodes++], now);
		} else if (line[0] && line[0] != '#') {
			MUST(pairs < MAX && strlen(line) < sizeof pair[0].name);
			strcpy(pair[pairs].name, line);
			strcpy(pair[pairs++].node, now);
		}
	}
	fclose(f);
}
static bool listed(const char *name, const char *at)
{
	for (int i = 0; i < pairs; i++)
		if (!strcmp(pair[i].name, name) && !strcmp(pair[i].node, at))
			return true;
	return false;
}
/* Of two versions of a name the default is the newer, which the list has later. */
static void *newest(void *h, const char *name)
{
	void *p = NULL;

	for (int i = 0; i < pairs; i++)
		if (!strcmp(pair[i].name, name))
			p = dlvsym(h, name, pair[i].node);
	return p;
}

int main(int argc, char **argv)
{
	void *h = dlopen("libmlx5.so.1", RTLD_NOW);
	int found = 0, refused = 0, plain = 0, other = 0;

	MUST(argc == 2 && h);
	read_list(argv[1]);
	printf("%d pairs, %d nodes\n", pairs, nodes);
	for (int i = 0; i < pairs; i++) {
		int at = 0;

		if (dlvsym(h, pair[i].name, pair[i].node))
			found++;
		else
			printf("missing %s@%s\n", pair[i].name, pair[i].node);
		for (; at < nodes && strcmp(node[at], pair[i].node); at++)
			;
		for (int side = -1; side <= 1; side += 2) {
			int k = at + side;

			if (k < 0 || k >= nodes || listed(pair[i].name, node[k]))
				continue;
			if (dlvsym(h, pair[i].name, node[k]))
				printf("%s is also at %s\n", pair[i].name, node[k]);
			else
				refused++;
		}
		if (dlsym(h, pair[i].name) == newest(h, pair[i].name))
			plain++;
		else
			printf("%s: the default is not the newest\n", pair[i].name);
	}
	/* each node is an absolute symbol of its own name */
	for (int i = 0; i < nodes; i++) {
		dlerror();
		dlvsym(h, node[i], node[i]);
		if (!dlerror())
			other++;
	}
	printf("found %d, neighbours refused %d, plain look-ups %d, node symbols %d\n", found, refused, plain, other);
	printf("init_obj 1.0 and 1.2 are two functions: %s\n",
	       dlvsym(h, "mlx5dv_init_obj", "MLX5_1.0") != dlvsym(h, "mlx5dv_init_obj", "MLX5_1.2") ? "yes" : "no");
	printf("unknown node: %s\n", dlvsym(h, "mlx5dv_query_device", "MLX5_9.9") ? "found" : "refused");
	printf("private names: %s\n", dlsym(h, "mlx5dv_dr_send_postsend") || dlsym(h, "rust_eh_personality") ? "visible" : "hidden");
	return 0;
}
