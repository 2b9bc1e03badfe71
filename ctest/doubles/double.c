/* A stand-in for libibverbs' private side, in the layout of one release that no root has.
 *
 * The layout is in layout.h, which the runner writes from abi/provider-abi.json. What a provider
 * calls is done for real as far as it can be seen from the provider: registration is kept, a
 * context is allocated and initialised, operations are copied, descriptors closed. Every other
 * private name of the release exists too and ends the process if it is called.
 */
#include "double.h"
#include "layout.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *alloc_context(struct ibv_device *, int, void *);
static struct ibv_context *ibv_context_of(void *);
static size_t context_size(void *);

struct double_state double_state = {
	.release = RELEASE, .pabi = PABI, .op_names = op_names, .op_count = OPS,
	.alloc_context = alloc_context, .ibv_context = ibv_context_of, .context_size = context_size,
};
bool verbs_allow_disassociate_destroy;

void REGISTER(const void *ops)
{
	double_state.registered = ops;
	double_state.registrations++;
}

void *_verbs_init_and_alloc_context(struct ibv_device *device, int cmd_fd, size_t size, void *at, uint32_t driver)
{
	char *memory = calloc(1, size), *verbs = memory ? memory + (uintptr_t)at : NULL;
	struct ibv_context *ctx;

	if (!memory) {
		close(cmd_fd);
		errno = ENOMEM;
		return NULL;
	}
	*(size_t *)(verbs + CONTEXT_SZ) = CONTEXT_SIZE;
	ctx = (void *)(verbs + CONTEXT_IBV);
	ctx->device = device;
	ctx->cmd_fd = cmd_fd;
	ctx->async_fd = -1;
	ctx->abi_compat = (void *)~(uintptr_t)0;
	double_state.inits++;
	double_state.driver = driver;
	return memory;
}
void verbs_uninit_context(void *verbs)
{
	struct ibv_context *ctx = (void *)((char *)verbs + CONTEXT_IBV);

	close(ctx->cmd_fd);
	if (ctx->async_fd >= 0)
		close(ctx->async_fd);
	double_state.uninits++;
}
void verbs_set_ops(void *verbs, const void *ops)
{
	void *const *from = ops;

	(void)verbs;
	for (int i = 0; i < OPS; i++)
		if (from[i])
			double_state.ops[i] = from[i];
}
void *verbs_open_device(struct ibv_device *device, void *private_data)
{
	char *verbs;

	if (!double_state.open_fd)
		return NULL;
	verbs = alloc_context(device, double_state.open_fd(), private_data);
	return verbs ? verbs + CONTEXT_IBV : NULL;
}
static void *alloc_context(struct ibv_device *device, int fd, void *private_data)
{
	void *(*open)(struct ibv_device *, int, void *) = *(void **)((char *)double_state.registered + 40);

	return open(device, fd, private_data);
}
static struct ibv_context *ibv_context_of(void *verbs)
{
	return (void *)((char *)verbs + CONTEXT_IBV);
}
static size_t context_size(void *verbs)
{
	return *(size_t *)((char *)verbs + CONTEXT_SZ);
}
void verbs_init_cq(struct ibv_cq *cq, struct ibv_context *context, struct ibv_comp_channel *channel, void *cq_context)
{
	cq->context = context;
	cq->channel = channel;
	cq->cq_context = cq_context;
}
int ibv_dontfork_range(void *base, size_t size) { (void)base; (void)size; return 0; }
int ibv_dofork_range(void *base, size_t size) { (void)base; (void)size; return 0; }
int ibv_cmd_query_port(struct ibv_context *c, uint8_t port, void *attr, void *cmd, size_t size)
{
	(void)c; (void)attr; (void)cmd; (void)size;
	double_state.port_queried = port;
	return 0;
}
#if RELEASE >= 62
int ibv_cmd_query_port_speed(struct ibv_context *c, uint32_t port, uint64_t *speed)
{
	(void)c; (void)port;
	*speed = 42;
	return 0;
}
#endif
struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *qp)
{
	return *(uint32_t *)((char *)qp + QP_COMP_MASK) & 2 ? (void *)qp : NULL;
}
