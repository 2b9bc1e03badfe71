/* What the stand-in keeps and the checker looks at. */
#ifndef DOUBLE_H
#define DOUBLE_H
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct double_state {
	int release, pabi;
	const void *registered;
	int registrations, inits, uninits;
	uint32_t driver;
	uint8_t port_queried;
	const char *const *op_names;
	int op_count;
	void *ops[128];
	int (*open_fd)(void);
	void *(*alloc_context)(struct ibv_device *device, int fd, void *private_data);
	struct ibv_context *(*ibv_context)(void *verbs);
	size_t (*context_size)(void *verbs);
};
#endif
