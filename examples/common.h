/* What the examples share: an mlx5 device opened with DEVX, and mailbox numbers. */
#ifndef EXAMPLES_COMMON_H
#define EXAMPLES_COMMON_H

#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void die(const char *what, int err)
{
	fprintf(stderr, "%s: %s\n", what, strerror(err));
	exit(1);
}

/* The mlx5 device called `name`, or the first one if `name` is NULL. */
static inline struct ibv_context *open_device(const char *name)
{
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	struct ibv_device **list = ibv_get_device_list(NULL), **d;
	struct ibv_context *ctx = NULL;
	int err = ENODEV;

	for (d = list; d && *d && !ctx; d++) {
		if (!mlx5dv_is_supported(*d) || (name && strcmp(name, ibv_get_device_name(*d))))
			continue;
		ctx = mlx5dv_open_device(*d, &attr);
		err = errno;
	}
	if (!ctx)
		die("open an mlx5 device with DEVX", err);
	ibv_free_device_list(list);
	return ctx;
}

/* Big-endian numbers of device mailboxes. */
static inline void put16(uint8_t *p, uint16_t v)
{
	p[0] = v >> 8;
	p[1] = v;
}

static inline uint32_t get32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
}

#endif
