/* Memory regions and windows: registration of each kind, re-registration, the null region, import.
 * run refused: sim --fault WRITE.REG_MR#2=ENOMEM --fault WRITE.REREG_MR=EIO --fault MR.DESTROY#2=EBUSY --fault WRITE.ALLOC_MW#2=ENOMEM
 * run old-6.1: sim --kernel 6.1
 */
#include "common.h"

static char mem[1 << 16] __attribute__((aligned(4096)));
static struct ibv_context *ctx;
static struct ibv_pd *pd;

static struct ibv_mr *show(const char *label, struct ibv_mr *mr, int e)
{
	show_ptr(label, mr, e);
	if (mr)
		printf("  context %d pd %d addr %s length %zu lkey %d rkey %d same %d\n", mr->context == ctx, mr->pd == pd,
		       !mr->addr ? "NULL" : (char *)mr->addr >= mem && (char *)mr->addr < mem + sizeof mem ? "inside" : "other", mr->length,
		       mr->lkey != 0, mr->rkey != 0, mr->lkey == mr->rkey);
	return mr;
}
#define MR(label, call) ({ errno = 0; struct ibv_mr *m_ = (call); show(label, m_, errno); })
static void gone(struct ibv_mr *mr)
{
	int r;

	if (!mr)
		return;
	r = VAL("  dereg", ibv_dereg_mr(mr));
	if (r)
		VAL("  dereg again", ibv_dereg_mr(mr));
}

int main(void)
{
	struct ibv_pd *pd2;
	struct ibv_mr *mr;
	struct ibv_mw *mw;
	struct ibv_sge sge = { (uintptr_t)mem, 4096, 0 };
	char label[64];

	ctx = open_devx();
	MUST((pd = ibv_alloc_pd(ctx)) && (pd2 = ibv_alloc_pd(ctx)));
	for (unsigned bit = 0; bit < 22; bit++) {
		snprintf(label, sizeof label, "reg_mr access %#x", 1u << bit);
		gone(MR(label, ibv_reg_mr(pd, mem, 8192, 1 << bit)));
		snprintf(label, sizeof label, "reg_mr access %#x | 1", 1u << bit);
		gone(MR(label, ibv_reg_mr(pd, mem + 12, 100, 1 << bit | 1)));
	}
	gone(MR("reg_mr length 0", ibv_reg_mr(pd, mem, 0, 1)));
	gone(MR("reg_mr iova", ibv_reg_mr_iova(pd, mem + 4096, 4096, 0x1000, 7)));
	gone(MR("reg_mr iova, other offset", ibv_reg_mr_iova(pd, mem + 4096, 4096, 0x1008, 7)));
	gone(MR("implicit", ibv_reg_mr(pd, NULL, SIZE_MAX, IBV_ACCESS_ON_DEMAND | IBV_ACCESS_LOCAL_WRITE)));
	gone(MR("reg_mr not mapped", ibv_reg_mr(pd, (void *)4096, 4096, 1)));
	mr = MR("reg_mr", ibv_reg_mr(pd, mem, 8192, 7));
	if (mr) {
		VAL("rereg access", ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, 1));
		VAL("rereg pd", ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_PD, pd2, NULL, 0, 0));
		printf("  pd %d\n", mr->pd == pd2);
		VAL("rereg pd back", ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_PD, pd, NULL, 0, 0));
		VAL("rereg translation", ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, mem + 8192, 4096, 0));
		printf("  addr %ld length %zu\n", (long)((char *)mr->addr - mem), mr->length);
		VAL("rereg nothing", ibv_rereg_mr(mr, 0, NULL, NULL, 0, 0));
		VAL("rereg unknown", ibv_rereg_mr(mr, 8, NULL, NULL, 0, 0));
		sge.lkey = mr->lkey;
		sge.addr = (uintptr_t)mr->addr;
		VAL("advise prefetch", ibv_advise_mr(pd, IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH, IB_UVERBS_ADVISE_MR_FLAG_FLUSH, &sge, 1));
		VAL("advise 9", ibv_advise_mr(pd, 9, 0, &sge, 1));
		VAL("dealloc_pd under a region", ibv_dealloc_pd(pd));
	}
	gone(mr);
	mr = MR("null region", ibv_alloc_null_mr(pd));
	gone(mr);
	for (int type = 0; type < 4; type++) {
		snprintf(label, sizeof label, "alloc_mw type %d", type);
		mw = PTR(label, ibv_alloc_mw(pd, type));
		if (mw) {
			printf("  context %d pd %d type %d rkey %d\n", mw->context == ctx, mw->pd == pd, mw->type, mw->rkey != 0);
			VAL("  dealloc", ibv_dealloc_mw(mw));
		}
	}
	MUST(!ibv_dealloc_pd(pd2));
	VAL("dealloc_pd", ibv_dealloc_pd(pd));
	done(ctx);
	return 0;
}
