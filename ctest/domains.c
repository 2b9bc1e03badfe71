/* Protection, thread and parent domains: who keeps whom alive, what the allocator callbacks are
 * asked for and in which order, refusals. Where a callback fails only NULL is looked at: the
 * reference leaves errno alone.
 * records: differ, buffers lie where malloc puts them
 * run legacy: sim --fault DEVICE.GET_CONTEXT#1=EINVAL
 * run single: env MLX5_SINGLE_THREADED=1
 * run no-pd: sim --fault WRITE.ALLOC_PD#2=ENOMEM
 * run no-uar: sim --fault UAR.ALLOC#2=ENOMEM
 */
#include "common.h"

static int allocs, frees, mode;
static const char *kind(uint64_t type)
{
	static const char *names[] = { "?", "QP", "RWQ", "DBR", "SRQ", "CQ" };

	if (type >> 32 != 1)
		return type ? "foreign" : "none";
	return (uint32_t)type < 6 ? names[(uint32_t)type] : "?";
}
static void *my_alloc(struct ibv_pd *pd, void *ctx, size_t size, size_t align, uint64_t type)
{
	void *p;

	(void)pd;
	printf("  alloc %s %zu align %zu cookie %d\n", kind(type), size, align, ctx == (void *)0x1234);
	if (mode == 1 || (mode == 3 && (uint32_t)type != 3) || (mode == 4 && (uint32_t)type == 3))
		return IBV_ALLOCATOR_USE_DEFAULT;
	if (mode == 2 || (mode == 5 && (uint32_t)type == 3))
		return NULL;
	allocs++;
	/* rings start dirty: only what the library must write is written */
	MUST(!posix_memalign(&p, align < 4096 ? 4096 : align, size + 4096));
	memset(p, 0, size + 4096);
	return p;
}
static void my_free(struct ibv_pd *pd, void *ctx, void *p, uint64_t type)
{
	(void)pd;
	printf("  free %s %d cookie %d\n", kind(type), p != NULL, ctx == (void *)0x1234);
	frees++;
	free(p);
}

int main(void)
{
	struct ibv_context *ctx = open_devx();
	struct ibv_pd *pd, *pd2, *parent, *grand;
	struct ibv_td_init_attr ta = { 0 };
	struct ibv_td *td, *td2;
	struct ibv_parent_domain_init_attr pa = { 0 };

	pd = PTR("alloc_pd", ibv_alloc_pd(ctx));
	pd2 = PTR("alloc_pd 2", ibv_alloc_pd(ctx));
	if (pd2)
		VAL("dealloc_pd 2", ibv_dealloc_pd(pd2));
	MUST(pd);
	td = PTR("alloc_td", ibv_alloc_td(ctx, &ta));
	ta.comp_mask = 1;
	PTR("alloc_td comp_mask", ibv_alloc_td(ctx, &ta));
	ta.comp_mask = 0;
	PTR("parent of nothing", ibv_alloc_parent_domain(ctx, &pa));
	pa.pd = pd;
	pa.comp_mask = 1 << 8;
	PTR("parent comp_mask", ibv_alloc_parent_domain(ctx, &pa));
	pa.comp_mask = 0;
	pa.td = td;
	parent = PTR("parent", ibv_alloc_parent_domain(ctx, &pa));
	VAL("dealloc_pd busy", ibv_dealloc_pd(pd));
	if (td)
		VAL("dealloc_td busy", ibv_dealloc_td(td));
	pa.pd = parent;
	pa.td = NULL;
	grand = PTR("parent of a parent", ibv_alloc_parent_domain(ctx, &pa));
	if (grand) {
		printf("same handle %d\n", grand->handle == pd->handle && parent->handle == pd->handle);
		VAL("dealloc parent while another exists", ibv_dealloc_pd(parent));
		VAL("dealloc_pd still busy", ibv_dealloc_pd(pd));
		VAL("dealloc the other", ibv_dealloc_pd(grand));
	}
	if (td) {
		VAL("dealloc_td", ibv_dealloc_td(td));
		/* the register comes back */
		td = PTR("alloc_td again", ibv_alloc_td(ctx, &ta));
		td2 = PTR("alloc_td second", ibv_alloc_td(ctx, &ta));
		if (td2)
			VAL("dealloc_td second", ibv_dealloc_td(td2));
	}
	pa.pd = pd;
	pa.td = td;
	pa.comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS | IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT;
	pa.alloc = my_alloc;
	pa.free = my_free;
	pa.pd_context = (void *)0x1234;
	for (mode = 0; mode < 6; mode++) {
		struct ibv_cq_init_attr_ex ca = { .cqe = 20, .comp_mask = IBV_CQ_INIT_ATTR_MASK_PD };
		struct ibv_cq_ex *cq;
		struct ibv_cq *plain = ibv_create_cq(ctx, 5, NULL, NULL, 0);
		struct ibv_srq_init_attr sa = { .attr = { 30, 2, 0 } };
		struct ibv_srq *srq;
		struct ibv_qp_init_attr qa = { .send_cq = plain, .recv_cq = plain, .cap = { 10, 20, 1, 2, 0 }, .qp_type = IBV_QPT_RC };
		struct ibv_qp *qp;

		printf("mode %d\n", mode);
		MUST(plain);
		allocs = frees = 0;
		MUST((parent = ibv_alloc_parent_domain(ctx, &pa)));
		ca.parent_domain = parent;
		cq = ibv_create_cq_ex(ctx, &ca);
		printf("cq: %s\n", cq ? "ok" : "NULL");
		if (cq) {
			VAL("dealloc parent under a CQ", ibv_dealloc_pd(parent));
			VAL("resize", ibv_resize_cq(ibv_cq_ex_to_cq(cq), 100));
			VAL("destroy cq", ibv_destroy_cq(ibv_cq_ex_to_cq(cq)));
		}
		srq = ibv_create_srq(parent, &sa);
		printf("srq: %s\n", srq ? "ok" : "NULL");
		if (srq)
			VAL("destroy srq", ibv_destroy_srq(srq));
		qp = ibv_create_qp(parent, &qa);
		printf("qp: %s\n", qp ? "ok" : "NULL");
		if (qp) {
			VAL("dealloc parent under a QP", ibv_dealloc_pd(parent));
			VAL("destroy qp", ibv_destroy_qp(qp));
		}
		VAL("dealloc parent", ibv_dealloc_pd(parent));
		printf("balance %d\n", allocs - frees);
		MUST(!ibv_destroy_cq(plain));
	}
	/* one callback alone is none */
	mode = 0;
	pa.free = NULL;
	MUST((parent = ibv_alloc_parent_domain(ctx, &pa)));
	{
		struct ibv_srq_init_attr sa = { .attr = { 30, 2, 0 } };
		struct ibv_srq *srq = PTR("srq, alloc only", ibv_create_srq(parent, &sa));

		if (srq)
			VAL("destroy srq", ibv_destroy_srq(srq));
	}
	VAL("dealloc parent", ibv_dealloc_pd(parent));
	{
		struct ibv_cq_init_attr_ex ca = { .cqe = 20, .comp_mask = IBV_CQ_INIT_ATTR_MASK_PD, .parent_domain = pd };

		PTR("cq on a plain domain", ibv_create_cq_ex(ctx, &ca));
	}
	if (td)
		VAL("dealloc_td", ibv_dealloc_td(td));
	VAL("dealloc_pd", ibv_dealloc_pd(pd));
	done(ctx);
	return 0;
}
