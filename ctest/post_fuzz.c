/* Random work, valid and invalid, posted through every interface, and completions made by hand,
 * polled through both. What is printed is the same for each library: results, the request that was
 * refused, doorbell records, a digest of the rings, completions member by member.
 *
 * Completions are written into queues that belong to no QP: the library finds the QP by its user
 * index, and the device never writes there.
 *
 * run default: sim --port ib ; arg 1 ; arg 400
 */
#include "common.h"
#include <sys/mman.h>

#define DEPTH 16
#define KINDS 4
#define SPACE ((uint8_t *)0x200000000000)       /* buffers at the same place in every run */

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_mr *mr;
static struct ibv_ah *ah;
static struct ibv_cq *sink;                      /* of the QPs; never polled */
static struct ibv_cq *cq[2];                     /* played: 64 and 128 bytes */
static struct ibv_cq_ex *lazy;
static struct mlx5dv_cq dcq[3];
static uint32_t produced[3];
static struct ibv_srq *srq;
static struct mlx5dv_srq dsrq;
static bool verbose;

static struct queue {
	const char *name;
	struct ibv_qp *qp;
	struct ibv_qp_ex *ex;
	struct mlx5dv_qp_ex *dv;
	struct mlx5dv_qp d;
	enum ibv_qp_type type;
	uint32_t uidx, max_sge, max_inline;
	uint16_t out[256];                       /* blocks at which WQEs start that are not completed */
	unsigned pending, receives;
	uint32_t posted, received, taken;
	bool fenced;                             /* the next request inherits a fence */
} q[KINDS];

/* ---- random numbers ------------------------------------------------------- */
static uint64_t state;
static uint32_t rnd(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return below ? (uint32_t)(state >> 24) % below : 0;
}
static bool one_in(uint32_t n) { return rnd(n) == 0; }

static uint64_t digest(const void *p, size_t n)
{
	const uint8_t *b = p;
	uint64_t h = 0xcbf29ce484222325;

	while (n--)
		h = (h ^ *b++) * 0x100000001b3;
	return h;
}
static void dump(const char *what, const void *p, size_t n)
{
	const uint8_t *b = p;

	for (size_t i = 0; verbose && i < n; i += 16) {
		printf("  %s %04zx:", what, i);
		for (size_t k = 0; k < 16; k++)
			printf("%s%02x", k % 4 ? "" : " ", b[i + k]);
		putchar('\n');
	}
}

/* ---- what the library wrote ----------------------------------------------- */
/* What a refused request left in blocks that are free is nobody's business. */
static void wipe(struct queue *k)
{
	uint32_t cnt = k->d.sq.wqe_cnt, used = k->pending ? (uint16_t)(k->posted - k->out[0]) : 0;

	for (uint32_t i = used; i < cnt; i++)
		memset((uint8_t *)k->d.sq.buf + ((k->posted + i - used) & (cnt - 1)) * 64, 0, 64);
}
static void show_send(struct queue *k, bool failed)
{
	uint8_t *sq = k->d.sq.buf;
	uint16_t to = be32toh(k->d.dbrec[1]);
	size_t bytes = (size_t)k->d.sq.wqe_cnt * 64;

	while ((uint16_t)(to - k->posted)) {
		uint32_t at = k->posted & (k->d.sq.wqe_cnt - 1), ow = sq[at * 64 + 7] & 0x3f;

		if (k->pending < 256)
			k->out[k->pending++] = k->posted;
		for (unsigned i = 0; verbose && i < (ow + 3) / 4; i++)
			dump("wqe", sq + ((at + i) & (k->d.sq.wqe_cnt - 1)) * 64, 64);
		k->posted = (uint16_t)(k->posted + (ow + 3) / 4);
		if (!ow)
			break;
	}
	if (failed)
		wipe(k);
	printf(" dbrec %08x %08x ring %016lx\n", be32toh(k->d.dbrec[0]), be32toh(k->d.dbrec[1]), digest(sq, bytes));
}
static void show_recv(struct queue *k)
{
	size_t bytes = (size_t)k->d.rq.wqe_cnt * k->d.rq.stride;

	k->receives += (uint16_t)(be32toh(k->d.dbrec[0]) - k->received);
	k->received = (uint16_t)be32toh(k->d.dbrec[0]);
	printf(" dbrec %08x ring %016lx\n", be32toh(k->d.dbrec[0]), digest(k->d.rq.buf, bytes));
}

/* ---- posting --------------------------------------------------------------- */
static struct ibv_sge sges[8][12];
static void random_sges(struct ibv_sge *s, int n)
{
	for (int i = 0; i < n; i++) {
		uint32_t at = rnd(0x8000);

		s[i] = (struct ibv_sge){ (uintptr_t)SPACE + at, one_in(5) ? 0 : one_in(3) ? 1 + rnd(2000) : 1 + rnd(24), 0x1000 + rnd(8) };
	}
}

static void post_send(struct queue *k)
{
	struct ibv_send_wr wr[6], *bad = (void *)8;
	struct ibv_mw mw = { .rkey = 0x77, .type = one_in(2) ? IBV_MW_TYPE_1 : IBV_MW_TYPE_2 };
	int n = 1 + (one_in(3) ? rnd(6) : 0), r, index = -1;
	/* what must not differ by accident: upstream reads members of other opcodes freely */
	/* upstream forgets the fence that waits when a request fails late: those come alone */
	bool late = n == 1 && !k->fenced;
	static const uint8_t ops[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 2, 4, 2, 0 };

	memset(wr, 0, sizeof wr);
	for (int i = 0; i < n; i++) {
		struct ibv_send_wr *w = &wr[i];
		uint32_t bytes = 0;
		int count = one_in(40) ? (int)k->max_sge + 1 : (int)rnd(k->max_sge + 1);

		random_sges(sges[i], count);
		w->wr_id = 0x1000 + rnd(1000);
		w->next = i + 1 < n ? &wr[i + 1] : NULL;
		w->sg_list = sges[i];
		w->num_sge = count;
		w->opcode = one_in(40) ? 12 + rnd(3) : ops[rnd(sizeof ops)];
		w->send_flags = rnd(16) & (one_in(3) ? 15 : 7);
		w->imm_data = rnd(0xffffffff);
		switch (w->opcode) {
		case IBV_WR_BIND_MW:
			w->bind_mw.mw = &mw;
			w->bind_mw.rkey = rnd(0xffffffff);
			w->bind_mw.bind_info = (struct ibv_mw_bind_info){ .mr = mr, .addr = (uintptr_t)SPACE, .length = one_in(4) ? 0 : 1 + rnd(9999), .mw_access_flags = rnd(64) };
			break;
		case IBV_WR_ATOMIC_CMP_AND_SWP:
		case IBV_WR_ATOMIC_FETCH_AND_ADD:
			w->wr.atomic.remote_addr = rnd(0xffffffff);
			w->wr.atomic.compare_add = rnd(0xffffffff);
			w->wr.atomic.swap = rnd(0xffffffff);
			w->wr.atomic.rkey = rnd(0xffffffff);
			break;
		default:
			w->wr.rdma.remote_addr = rnd(0xffffffff);
			w->wr.rdma.rkey = rnd(0xffffffff);
		}
		for (int g = 0; g < count; g++)
			bytes += sges[i][g].length;
		if (bytes > k->max_inline && (!late || w->opcode == IBV_WR_BIND_MW || w->opcode == IBV_WR_LOCAL_INV))
			w->send_flags &= ~IBV_SEND_INLINE;
		if (k->type == IBV_QPT_UD) {
			w->wr.ud.ah = ah;
			w->wr.ud.remote_qpn = rnd(0xffffff);
			w->wr.ud.remote_qkey = rnd(0xffffffff);
			if (w->opcode == IBV_WR_BIND_MW || w->opcode == IBV_WR_ATOMIC_CMP_AND_SWP || w->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD)
				w->opcode = IBV_WR_SEND;
		}
	}
	r = ibv_post_send(k->qp, wr, &bad);
	for (int i = 0; i < n; i++)
		if (bad == &wr[i])
			index = i;
	for (int i = 0; i < (r ? index : n); i++)
		k->fenced = k->type != IBV_QPT_UD && (wr[i].opcode == IBV_WR_BIND_MW || wr[i].opcode == IBV_WR_LOCAL_INV);
	printf("%s post_send n=%d ops", k->name, n);
	for (int i = 0; i < n; i++)
		printf(" %d/%d/%x", wr[i].opcode, wr[i].num_sge, wr[i].send_flags);
	printf(" = %s bad %d", en(r), r ? index : -1);
	show_send(k, r);
}

static void post_recv(struct queue *k)
{
	struct ibv_recv_wr wr[4], *bad = NULL;
	int n = 1 + rnd(4), r, index = -1;

	for (int i = 0; i < n; i++) {
		int count = one_in(30) ? (int)k->max_sge + 2 : (int)rnd(k->max_sge + 1);

		random_sges(sges[i], count);
		/* room for any payload that comes inside a completion: upstream reads on behind the end of
		 * a list that is too short */
		for (int n = 0; n < 2 && count; n++)
			sges[i][n].length = (count == 1 ? 40 : 17) + rnd(30);
		if (!count)
			count = 1, sges[i][0].length = 64;
		wr[i] = (struct ibv_recv_wr){ .wr_id = 0x5000 + rnd(1000), .next = i + 1 < n ? &wr[i + 1] : NULL, .sg_list = sges[i], .num_sge = count };
	}
	r = ibv_post_recv(k->qp, wr, &bad);
	for (int i = 0; i < n; i++)
		if (bad == &wr[i])
			index = i;
	printf("%s post_recv n=%d = %s bad %d", k->name, n, en(r), r ? index : -1);
	show_recv(k);
}

static unsigned srq_posted;
static void post_srq(void)
{
	struct ibv_recv_wr wr[4], *bad = NULL;
	int n = 1 + rnd(4), r, index = -1;

	for (int i = 0; i < n; i++) {
		int count = one_in(30) ? 9 : (int)rnd(3);

		random_sges(sges[i], count);
		wr[i] = (struct ibv_recv_wr){ .wr_id = 0x6000 + rnd(1000), .next = i + 1 < n ? &wr[i + 1] : NULL, .sg_list = sges[i], .num_sge = count };
	}
	r = ibv_post_srq_recv(srq, wr, &bad);
	for (int i = 0; i < n; i++)
		if (bad == &wr[i])
			index = i;
	srq_posted += r ? index : n;
	printf("srq post n=%d = %s bad %d dbrec %08x\n", n, en(r), r ? index : -1, be32toh(dsrq.dbrec[0]));
	for (uint32_t i = 0; verbose && i < 32; i++)
		dump("srq", (uint8_t *)dsrq.buf + i * dsrq.stride, dsrq.stride);
	printf(" ring %016lx\n", digest(dsrq.buf, 32 * dsrq.stride));
}

static void build(struct queue *k)
{
	struct ibv_qp_ex *x = k->ex;
	struct ibv_mw mw = { .rkey = 0x77, .type = one_in(2) ? IBV_MW_TYPE_1 : IBV_MW_TYPE_2 };
	struct ibv_mw_bind_info info = { .mr = mr, .addr = (uintptr_t)SPACE, .length = one_in(4) ? 0 : 1 + rnd(9999), .mw_access_flags = rnd(32) };
	int n = one_in(3) ? rnd(5) : 1, r;
	uint64_t raw[8] = { 0 };
	bool full = false, window = k->fenced;

	/* what is complete is free only when it was polled */
	for (int c = 0; c < 3; c++) {
		struct ibv_wc wc;

		while (ibv_poll_cq(c == 2 ? ibv_cq_ex_to_cq(lazy) : cq[c], 1, &wc))
			;
	}
	printf("%s build", k->name);
	ibv_wr_start(x);
	for (int i = 0; i < n; i++) {
		int op = k->type == IBV_QPT_UD ? 2 + rnd(2) : rnd(k->dv ? 12 : 11), count = rnd(k->max_sge + 1), pieces = rnd(4);
		struct ibv_data_buf bufs[4];
		bool data = true, addressed = k->type == IBV_QPT_UD;
		bool first = one_in(2);

		/* upstream writes through the last control pointer once the queue is full */
		if (k->pending + i >= DEPTH - 1)
			full = true;
		if (full)
			break;
		random_sges(sges[0], count);
		x->wr_id = 0x3000 + rnd(1000);
		x->wr_flags = rnd(8);
		window = k->type != IBV_QPT_UD && (op == 7 || op == 8);
		printf(" %d", op);
		switch (op) {
		case 0: ibv_wr_rdma_write(x, rnd(0xffffffff), rnd(0xffffffff)); break;
		case 1: ibv_wr_rdma_write_imm(x, rnd(0xffffffff), rnd(0xffffffff), rnd(0xffffffff)); break;
		case 2: ibv_wr_send(x); break;
		case 3: ibv_wr_send_imm(x, rnd(0xffffffff)); break;
		case 4: ibv_wr_rdma_read(x, rnd(0xffffffff), rnd(0xffffffff)); break;
		case 5: ibv_wr_atomic_cmp_swp(x, rnd(0xffffffff), rnd(0xffffffff), rnd(0xffffffff), rnd(0xffffffff)); break;
		case 6: ibv_wr_atomic_fetch_add(x, rnd(0xffffffff), rnd(0xffffffff), rnd(0xffffffff)); break;
		case 7: ibv_wr_local_inv(x, rnd(0xffffffff)); data = false; break;
		case 8: ibv_wr_bind_mw(x, &mw, rnd(0xffffffff), &info); data = false; break;
		case 9: ibv_wr_send_inv(x, rnd(0xffffffff)); break;
		case 10: ibv_wr_rdma_write(x, rnd(0xffffffff), rnd(0xffffffff)); break;
		default:
			for (unsigned w = 0; w < 8; w++)
				raw[w] = (uint64_t)rnd(0xffffffff) << 32 | rnd(0xffffffff);
			((uint32_t *)raw)[1] = htobe32(k->qp->qp_num << 8 | (1 + rnd(4)));
			mlx5dv_wr_raw_wqe(k->dv, raw);
			data = false;
		}
		if (addressed && first)
			ibv_wr_set_ud_addr(x, ah, rnd(0xffffff), rnd(0xffffffff));
		if (data) {
			int how = rnd(4);

			printf("s%d", how);
			switch (how) {
			case 0: ibv_wr_set_sge(x, 0x1234, (uintptr_t)SPACE + 5, rnd(3) * 100); break;
			case 1: ibv_wr_set_sge_list(x, one_in(20) ? k->max_sge + 1 : (unsigned)count, sges[0]); break;
			case 2: ibv_wr_set_inline_data(x, SPACE + rnd(100), rnd(k->max_inline + 4)); break;
			default:
				for (int b = 0; b < pieces; b++)
					bufs[b] = (struct ibv_data_buf){ SPACE + rnd(100), rnd(k->max_inline / 3 + 1) };
				ibv_wr_set_inline_data_list(x, pieces, bufs);
			}
		}
		if (addressed && !first)
			ibv_wr_set_ud_addr(x, ah, rnd(0xffffff), rnd(0xffffffff));
	}
	if (one_in(8)) {
		ibv_wr_abort(x);
		r = 1;
		printf(" abort");
	} else {
		r = ibv_wr_complete(x);
		if (!r)
			k->fenced = window;
		printf(" = %s", en(r));
	}
	show_send(k, r);
}

/* ---- completions ----------------------------------------------------------- */
static uint8_t *entry(int c, uint32_t index) { return (uint8_t *)dcq[c].buf + (size_t)(index & (dcq[c].cqe_cnt - 1)) * dcq[c].cqe_size + dcq[c].cqe_size - 64; }

static void produce(int c)
{
	struct queue *k = &q[rnd(KINDS)];
	uint8_t *e = entry(c, produced[c]), op, format = 0;
	uint16_t counter = 0;
	unsigned kind = rnd(6);

	for (unsigned i = 0; i < 63; i++)
		e[i] = rnd(256);
	e[40] = 0;                                       /* no tag matching */
	*(uint32_t *)(e + 44) = htobe32(rnd(100));
	*(uint32_t *)(e + 32) = htobe32((uint32_t)rnd(256) << 24 | k->uidx);
	*(uint32_t *)(e + 56) = htobe32((uint32_t)e[56] << 24 | k->qp->qp_num);
	if (kind < 3) {
		if (!k->pending)
			return;
		unsigned nth = one_in(3) ? rnd(k->pending) : 0;
		uint8_t *wqe = (uint8_t *)k->d.sq.buf + (k->out[nth] & (k->d.sq.wqe_cnt - 1)) * 64;

		counter = k->out[nth];
		memmove(k->out, k->out + nth + 1, (k->pending - nth - 1) * sizeof k->out[0]);
		k->pending -= nth + 1;
		op = one_in(6) ? 13 : 0;
		e[56] = one_in(10) ? rnd(64) : wqe[3];
		if (!op && wqe[3] == 0x10 && wqe[7] > 2 && !(wqe[32] & 0x80) && k->type == IBV_QPT_RC && one_in(2)) {
			format = 1;
			*(uint32_t *)(e + 44) = htobe32(rnd(33));
		}
	} else if (kind < 5) {
		if (!k->receives)
			return;
		k->receives--;
		counter = k->taken++;
		op = one_in(6) ? 14 : 1 + rnd(4);
		if (op != 14 && one_in(3)) {
			format = 1;
			*(uint32_t *)(e + 44) = htobe32(rnd(33));
		}
	} else if (srq_posted && one_in(2)) {
		return;                                      /* SRQ receives: in their own test */
	} else {
		if (!one_in(12))
			return;
		op = one_in(2) ? 5 : 7;                      /* entries that mean nothing */
		*(uint32_t *)(e + 32) = htobe32(q[0].uidx);
	}
	if (op >= 13) {
		static const uint8_t syndromes[] = { 1, 2, 4, 5, 6, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x22, 0x77 };

		e[55] = syndromes[rnd(sizeof syndromes)];
	}
	*(uint16_t *)(e + 60) = htobe16(counter);
	__atomic_store_n(e + 63, (uint8_t)(op << 4 | format << 2 | rnd(2) << 1 | !!(produced[c] & dcq[c].cqe_cnt)), __ATOMIC_RELEASE);
	produced[c]++;
}

static void poll_classic(int c)
{
	struct ibv_wc wc[8];
	int want = rnd(6), n;

	memset(wc, 0xaa, sizeof wc);
	n = ibv_poll_cq(cq[c], want, wc);
	printf("cq%d poll %d = %d dbrec %08x\n", c, want, n, be32toh(dcq[c].dbrec[0]));
	for (int i = 0; i < n; i++)
		printf("  %lx %d op %x err %x len %x imm %x qp %x src %x flags %x pkey %x slid %x sl %x path %x\n", wc[i].wr_id, wc[i].status,
		       wc[i].opcode, wc[i].vendor_err, wc[i].byte_len, wc[i].imm_data, wc[i].qp_num, wc[i].src_qp, wc[i].wc_flags,
		       wc[i].pkey_index, wc[i].slid, wc[i].sl, wc[i].dlid_path_bits);
}

static void poll_lazy(void)
{
	struct ibv_poll_cq_attr attr = { .comp_mask = one_in(30) };
	int want = 1 + rnd(5), r = ibv_start_poll(lazy, &attr);

	printf("lazy start = %d\n", r);
	if (r)
		return;
	do {
		printf("  %lx %d", lazy->wr_id, lazy->status);
		if (lazy->status == IBV_WC_SUCCESS)
			printf(" op %x len %x imm %x qp %x src %x flags %x slid %x sl %x path %x ts %lx vlan %x tag %x", ibv_wc_read_opcode(lazy),
			       ibv_wc_read_byte_len(lazy), ibv_wc_read_imm_data(lazy), ibv_wc_read_qp_num(lazy), ibv_wc_read_src_qp(lazy),
			       ibv_wc_read_wc_flags(lazy), ibv_wc_read_slid(lazy), ibv_wc_read_sl(lazy), ibv_wc_read_dlid_path_bits(lazy),
			       ibv_wc_read_completion_ts(lazy), ibv_wc_read_cvlan(lazy), ibv_wc_read_flow_tag(lazy));
		else
			printf(" err %x", ibv_wc_read_vendor_err(lazy));
		putchar('\n');
	} while (--want && !(r = ibv_next_poll(lazy)));
	ibv_end_poll(lazy);
	printf("  end %d dbrec %08x\n", r, be32toh(dcq[2].dbrec[0]));
}

/* ---- setting up ------------------------------------------------------------ */
static void ready(struct queue *k)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = 1 };
	bool ud = k->type == IBV_QPT_UD;
	int uc = k->type == IBV_QPT_UC;

	MUST(!ibv_modify_qp(k->qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | (ud ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS)));
	a = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = k->qp->qp_num, .max_dest_rd_atomic = 1, .min_rnr_timer = 12,
		.ah_attr = { .is_global = 1, .port_num = 1, .grh = { .hop_limit = 1 } } };
	MUST(!ibv_modify_qp(k->qp, &a, IBV_QP_STATE | (ud ? 0 : IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | (uc ? 0 : IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER))));
	a = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 1 };
	MUST(!ibv_modify_qp(k->qp, &a, IBV_QP_STATE | IBV_QP_SQ_PSN | (ud || uc ? 0 : IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC)));
}
static void create(int i, const char *name, enum ibv_qp_type type, uint32_t sge, uint32_t inl, uint64_t ops, uint64_t dv)
{
	struct queue *k = &q[i];
	struct ibv_qp_init_attr_ex a = { .send_cq = sink, .recv_cq = sink, .qp_type = type, .pd = pd, .comp_mask = IBV_QP_INIT_ATTR_PD,
		.cap = { DEPTH, DEPTH, sge, sge, inl } };
	struct mlx5dv_qp_init_attr d = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS, .send_ops_flags = dv };
	struct mlx5dv_obj o;

	if (ops) {
		a.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		a.send_ops_flags = ops;
	}
	MUST((k->qp = dv ? mlx5dv_create_qp(ctx, &a, &d) : ibv_create_qp_ex(ctx, &a)));
	k->name = name;
	k->type = type;
	k->uidx = i;
	k->max_sge = sge;
	k->max_inline = a.cap.max_inline_data;
	if (ops)
		k->ex = ibv_qp_to_qp_ex(k->qp);
	if (dv)
		k->dv = mlx5dv_qp_ex_from_ibv_qp_ex(k->ex);
	o = (struct mlx5dv_obj){ .qp = { k->qp, &k->d } };
	MUST(!mlx5dv_init_obj(&o, MLX5DV_OBJ_QP));
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	unsigned rounds = argc > 2 ? atoi(argv[2]) : 400;
	struct ibv_cq_init_attr_ex ca = { .cqe = 31 };
	struct mlx5dv_cq_init_attr da = { .comp_mask = MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE, .cqe_size = 128 };
	struct ibv_ah_attr aa = { .is_global = 1, .port_num = 1, .sl = 3, .grh = { .hop_limit = 3, .flow_label = 0x12345, .traffic_class = 9 } };
	struct ibv_srq_init_attr sa = { .attr = { .max_wr = 12, .max_sge = 3 } };
	struct mlx5dv_obj o;

	verbose = getenv("FUZZ_DUMP") != NULL;
	state = seed * 0x9e3779b97f4a7c15 + 1;
	ctx = open_devx();
	MUST(mmap(SPACE, 0x10000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == SPACE);
	for (unsigned i = 0; i < 0x10000; i++)
		SPACE[i] = i * 7 + (i >> 8);
	MUST((pd = ibv_alloc_pd(ctx)));
	MUST((mr = ibv_reg_mr(pd, SPACE, 0x10000, IBV_ACCESS_LOCAL_WRITE)));
	MUST(!ibv_query_gid(ctx, 1, 0, &aa.grh.dgid));
	MUST((ah = ibv_create_ah(pd, &aa)));
	MUST((sink = ibv_create_cq(ctx, 4096, NULL, NULL, 0)));
	MUST((cq[0] = ibv_create_cq(ctx, 31, NULL, NULL, 0)));
	MUST((cq[1] = ibv_cq_ex_to_cq(mlx5dv_create_cq(ctx, &ca, &da))));
	ca.wc_flags = 0x3ff;
	MUST((lazy = ibv_create_cq_ex(ctx, &ca)));
	for (int i = 0; i < 3; i++) {
		o = (struct mlx5dv_obj){ .cq = { i == 2 ? ibv_cq_ex_to_cq(lazy) : cq[i], &dcq[i] } };
		MUST(!mlx5dv_init_obj(&o, MLX5DV_OBJ_CQ));
	}
	create(0, "rc", IBV_QPT_RC, 3, 100, 0, 0);
	create(1, "rcx", IBV_QPT_RC, 4, 200, 0x3ff, MLX5DV_QP_EX_WITH_RAW_WQE);
	create(2, "ud", IBV_QPT_UD, 2, 60, IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM, 0);
	create(3, "uc", IBV_QPT_UC, 2, 40, 0, 0);
	srq = ibv_create_srq(pd, &sa);
	if (srq) {
		o = (struct mlx5dv_obj){ .srq = { srq, &dsrq } };
		MUST(!mlx5dv_init_obj(&o, MLX5DV_OBJ_SRQ));
	}
	for (int i = 0; i < KINDS; i++) {
		post_send(&q[i]);
		post_recv(&q[i]);
		ready(&q[i]);
	}
	for (unsigned i = 0; i < rounds; i++) {
		struct queue *k = &q[rnd(KINDS)];

		switch (rnd(8)) {
		case 0: case 1: post_send(k); break;
		case 2: post_recv(k); break;
		case 3: if (k->ex) build(k); break;
		case 4: if (srq) post_srq(); break;
		default: {
			int c = rnd(3), n = rnd(6);

			while (n--)
				produce(c);
			if (c == 2)
				poll_lazy();
			else
				poll_classic(c);
		}
		}
	}
	printf("done\n");
	return 0;
}
