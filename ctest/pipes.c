/* Short and empty reads of the two record descriptors. A pipe end stands in for the kernel's
 * descriptor, so no device is needed: the library only does one read and looks at its length.
 */
#include "common.h"
#include <sys/socket.h>

static int p[2];

static void refill(const void *bytes, size_t n)
{
	char junk[256];

	while (read(p[0], junk, sizeof junk) > 0)
		;
	if (n)
		MUST(write(p[1], bytes, n) == (ssize_t)n);
}

int main(void)
{
	uint8_t record[72], buf[128];
	struct mlx5dv_devx_event_channel ch;
	struct mlx5dv_devx_cmd_comp comp;
	static const size_t have[] = { 0, 1, 4, 7, 8, 9, 24, 72 }, want[] = { 0, 4, 7, 8, 12, 72, 128 };

	MUST(!pipe2(p, O_NONBLOCK));
	for (unsigned i = 0; i < sizeof record; i++)
		record[i] = i + 1;
	ch.fd = comp.fd = p[0];
	for (unsigned i = 0; i < sizeof have / sizeof *have; i++)
		for (unsigned k = 0; k < sizeof want / sizeof *want; k++) {
			char label[64];
			ssize_t n;
			unsigned changed;

			refill(record, have[i]);
			memset(buf, 0, sizeof buf);
			snprintf(label, sizeof label, "get_event %zu queued, %zu asked", have[i], want[k]);
			n = NUM(label, mlx5dv_devx_get_event(&ch, (void *)buf, want[k]));
			for (changed = 0; changed < sizeof buf && buf[changed]; changed++)
				;
			if (n >= 0 && changed != n)
				printf("  bytes in the buffer: %u\n", changed);
			refill(record, have[i]);
			snprintf(label, sizeof label, "get_async_cmd_comp %zu queued, %zu asked", have[i], want[k]);
			VAL(label, mlx5dv_devx_get_async_cmd_comp(&comp, (void *)buf, want[k]));
		}
	refill(NULL, 0);
	close(p[1]);
	NUM("get_event closed writer", mlx5dv_devx_get_event(&ch, (void *)buf, sizeof buf));
	VAL("get_async_cmd_comp closed writer", mlx5dv_devx_get_async_cmd_comp(&comp, (void *)buf, sizeof buf));
	close(p[0]);
	NUM("get_event closed descriptor", mlx5dv_devx_get_event(&ch, (void *)buf, sizeof buf));
	VAL("get_async_cmd_comp closed descriptor", mlx5dv_devx_get_async_cmd_comp(&comp, (void *)buf, sizeof buf));
	ch.fd = comp.fd = -1;
	NUM("get_event fd -1", mlx5dv_devx_get_event(&ch, (void *)buf, sizeof buf));
	VAL("get_async_cmd_comp fd -1", mlx5dv_devx_get_async_cmd_comp(&comp, (void *)buf, sizeof buf));
	MUST((ch.fd = comp.fd = open("/", O_RDONLY)) >= 0);
	NUM("get_event folder", mlx5dv_devx_get_event(&ch, (void *)buf, sizeof buf));
	VAL("get_async_cmd_comp folder", mlx5dv_devx_get_async_cmd_comp(&comp, (void *)buf, sizeof buf));
	close(ch.fd);
	MUST((ch.fd = comp.fd = open("/dev/zero", O_RDONLY)) >= 0);
	/* an address that a memory checker would rightly complain of */
	if (getenv("CTEST_VALGRIND"))
		return 0;
	NUM("get_event into nowhere", mlx5dv_devx_get_event(&ch, (void *)8, 72));
	VAL("get_async_cmd_comp into nowhere", mlx5dv_devx_get_async_cmd_comp(&comp, (void *)8, 72));
	NUM("get_event endless, 8", mlx5dv_devx_get_event(&ch, (void *)buf, 8));
	NUM("get_event endless, 128", mlx5dv_devx_get_event(&ch, (void *)buf, 128));
	return 0;
}
