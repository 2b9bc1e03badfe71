/* ibv_alloc_buf: memory of the kind that queues get, from the domain's allocator if it has one.
 * since: 65.0
 * libibverbs: 65.0
 * run env-contig: env MLX_MR_ALLOC_TYPE=CONTIG
 * run env-prefer: env MLX_MR_ALLOC_TYPE=PREFER_CONTIG
 * run env-unknown: env MLX_MR_ALLOC_TYPE=nonsense
 */
#include "common.h"

/* what the handle tells to libibverbs */
struct face { void *addr; size_t size; struct ibv_pd *pd; int dmabuf_fd; };

static uint8_t pool[65536] __attribute__((aligned(4096)));
static enum { OWN, NONE, DEFAULT } answer;

static void *alloc(struct ibv_pd *pd, void *pd_context, size_t size, size_t alignment, uint64_t type)
{
	(void)pd;
	printf("  asked for %zu, alignment %zu, type %#lx, context %s\n", size, alignment, (unsigned long)type, (char *)pd_context);
	return answer == OWN ? pool : answer == NONE ? NULL : IBV_ALLOCATOR_USE_DEFAULT;
}
static void release(struct ibv_pd *pd, void *pd_context, void *p, uint64_t type)
{
	(void)pd;
	printf("  given back %s, type %#lx, context %s\n", p == pool ? "the pool" : p ? "other" : "NULL", (unsigned long)type, (char *)pd_context);
}

static void look(const char *label, struct ibv_pd *pd, size_t size)
{
	struct ibv_buf *buf = (void *)0x11;
	uint8_t *p = PTR(label, ibv_alloc_buf(pd, size, &buf));
	struct face *face = (void *)buf;

	if (!p) {
		printf("  handle %s\n", buf == (void *)0x11 ? "left alone" : buf ? "changed" : "NULL");
		return;
	}
	printf("  on a page: %d, first %d, size %zu, domain %s, fd %d, same %d\n", !((uintptr_t)p & 4095), size ? p[0] : 0,
	       face->size, face->pd == pd ? "same" : "other", face->dmabuf_fd, face->addr == p);
	if (answer == OWN || p != pool)
		memset(p, 0x55, size);
	NUM("  export", ibv_export_buf_dmabuf_fd(buf));
	ibv_free_buf(buf);
}

int main(void)
{
	struct ibv_context *ctx = ibv_open_device(the_device(0));
	struct ibv_pd *pd, *parent;
	struct ibv_parent_domain_init_attr attr = {
		.comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS | IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT,
		.alloc = alloc, .free = release, .pd_context = "mine",
	};
	struct ibv_buf *buf;

	MUST(ctx);
	MUST((pd = ibv_alloc_pd(ctx)));
	look("one byte", pd, 1);
	look("a page and a byte", pd, 4097);
	look("two megabytes", pd, 2 << 20);
	look("nothing", pd, 0);
	look("too much", pd, SIZE_MAX / 2);
	attr.pd = pd;
	MUST((parent = ibv_alloc_parent_domain(ctx, &attr)));
	look("parent's pool", parent, 5000);
	answer = NONE;
	look("parent refuses", parent, 5000);
	answer = DEFAULT;
	look("parent leaves it", parent, 5000);
	answer = OWN;
	if (PTR("held", ibv_alloc_buf(parent, 100, &buf))) {
		ibv_free_buf(buf);
		VAL("free the parent domain after it", ibv_dealloc_pd(parent));
	}
	if (PTR("of the plain domain", ibv_alloc_buf(pd, 100, &buf))) {
		struct ibv_mr_init_attr mr = { .length = 100, .access = IBV_ACCESS_LOCAL_WRITE, .addr = ((struct face *)buf)->addr, .buf = buf,
			.comp_mask = IBV_REG_MR_MASK_ADDR | IBV_REG_MR_MASK_BUF };
		struct ibv_mr *m = PTR("register it by its handle", ibv_reg_mr_ex(pd, &mr));

		if (m)
			VAL("deregister", ibv_dereg_mr(m));
		ibv_free_buf(buf);
	}
	VAL("dealloc the domain", ibv_dealloc_pd(pd));
	done(ctx);
	return 0;
}
