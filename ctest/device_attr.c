/* The plain verbs queries: ibv_query_device, ibv_query_device_ex with every size an application
 * may have been built with, ibv_query_port, gids and pkeys.
 * run infiniband: sim --port ib
 * run two-ports: sim --ports 2
 */
#include "common.h"

static void ports(struct ibv_context *ctx)
{
	for (int port = 0; port <= 3; port++) {
		struct ibv_port_attr a;
		union ibv_gid gid;
		uint16_t pkey;
		char label[32];
		int r;

		memset(&a, 0, sizeof a);
		snprintf(label, sizeof label, "query_port %d", port);
		errno = 0;
		r = ibv_query_port(ctx, port, &a);
		printf("%s: %s\n", label, r < 0 ? "-1" : en(r));
		if (r)
			continue;
		printf("  state %d max_mtu %d active_mtu %d gids %d cap %#x max_msg %u pkeys %u lid %u sm_lid %u lmc %u vls %u width %u speed %u phys %u link %u flags %u cap2 %#x\n",
		       a.state, a.max_mtu, a.active_mtu, a.gid_tbl_len, a.port_cap_flags, a.max_msg_sz, a.pkey_tbl_len, a.lid, a.sm_lid, a.lmc,
		       a.max_vl_num, a.active_width, a.active_speed, a.phys_state, a.link_layer, a.flags, a.port_cap_flags2);
		NUM("  gid 0", ibv_query_gid(ctx, port, 0, &gid));
		NUM("  pkey 0", ibv_query_pkey(ctx, port, 0, &pkey));
	}
}

int main(void)
{
	struct ibv_context *ctx = open_devx();
	struct ibv_device_attr a;
	struct ibv_device_attr_ex ex;
	struct ibv_query_device_ex_input in = {0};

	VAL("query_device", ibv_query_device(ctx, &a));
	printf("  fw %s vendor %#x part %#x hw %#x ports %d\n", a.fw_ver, a.vendor_id, a.vendor_part_id, a.hw_ver, a.phys_port_cnt);
	printf("  max: mr_size %#llx page_size_cap %#llx qp %d qp_wr %d sge %d sge_rd %d cq %d cqe %d mr %d pd %d ah %d srq %d srq_wr %d srq_sge %d pkeys %u\n",
	       (unsigned long long)a.max_mr_size, (unsigned long long)a.page_size_cap, a.max_qp, a.max_qp_wr, a.max_sge, a.max_sge_rd, a.max_cq,
	       a.max_cqe, a.max_mr, a.max_pd, a.max_ah, a.max_srq, a.max_srq_wr, a.max_srq_sge, a.max_pkeys);
	printf("  flags %#x atomic %d rd_atom %d init %d ack_delay %u\n", a.device_cap_flags, a.atomic_cap, a.max_qp_rd_atom, a.max_qp_init_rd_atom, a.local_ca_ack_delay);

	memset(&ex, 0xa5, sizeof ex);
	VAL("query_device_ex", ibv_query_device_ex(ctx, NULL, &ex));
	printf("  comp_mask %#x odp %#llx %#x %#x %#x completion_timestamp_mask %#llx clock %llu flags_ex %#llx\n", ex.comp_mask,
	       (unsigned long long)ex.odp_caps.general_caps, ex.odp_caps.per_transport_caps.rc_odp_caps, ex.odp_caps.per_transport_caps.uc_odp_caps,
	       ex.odp_caps.per_transport_caps.ud_odp_caps, (unsigned long long)ex.completion_timestamp_mask, (unsigned long long)ex.hca_core_clock,
	       (unsigned long long)ex.device_cap_flags_ex);
	printf("  tso %u %#x rss %u %u %#llx %#x wq_type_rq %u packet pacing %u %u %#x raw caps %#x\n", ex.tso_caps.max_tso, ex.tso_caps.supported_qpts,
	       ex.rss_caps.max_rwq_indirection_tables, ex.rss_caps.max_rwq_indirection_table_size, (unsigned long long)ex.rss_caps.rx_hash_fields_mask,
	       ex.rss_caps.rx_hash_function, ex.max_wq_type_rq, ex.packet_pacing_caps.qp_rate_limit_min, ex.packet_pacing_caps.qp_rate_limit_max,
	       ex.packet_pacing_caps.supported_qpts, ex.raw_packet_caps);
	printf("  tm %u %u %#x %u %u cq_mod %u %u dm %#llx atomics %u %u %u xrc odp %#x phys ports %u\n", ex.tm_caps.max_rndv_hdr_size, ex.tm_caps.max_num_tags,
	       ex.tm_caps.flags, ex.tm_caps.max_ops, ex.tm_caps.max_sge, ex.cq_mod_caps.max_cq_count, ex.cq_mod_caps.max_cq_period,
	       (unsigned long long)ex.max_dm_size, ex.pci_atomic_caps.fetch_add, ex.pci_atomic_caps.swap, ex.pci_atomic_caps.compare_swap,
	       ex.xrc_odp_caps, ex.phys_port_cnt_ex);
	in.comp_mask = 1;
	VAL("unknown input mask", ibv_query_device_ex(ctx, &in, &ex));
	in.comp_mask = 0;
	VAL("empty input", ibv_query_device_ex(ctx, &in, &ex));
	ports(ctx);
	done(ctx);
	return 0;
}
