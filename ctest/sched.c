/* Scheduling nodes and leaves: what their attributes may be, and what becomes of a leaf's parent.
 * run no-qos: sim --cap 0:539:1=0
 * run old-6.1: sim --kernel 6.1
 */
#include "common.h"

static struct ibv_context *ctx;

int main(void)
{
	struct mlx5dv_sched_attr a = {0}, leaf_attr = {0};
	struct mlx5dv_sched_node *root, *node, *n;
	struct mlx5dv_sched_leaf *leaf;

	ctx = open_devx();
	PTR("node, no attributes", mlx5dv_sched_node_create(ctx, NULL));
	PTR("leaf, no attributes", mlx5dv_sched_leaf_create(ctx, NULL));
	root = PTR("root", mlx5dv_sched_node_create(ctx, &a));
	a.comp_mask = 1;
	PTR("node, comp_mask 1", mlx5dv_sched_node_create(ctx, &a));
	PTR("leaf, comp_mask 1", mlx5dv_sched_leaf_create(ctx, &a));
	a.comp_mask = 0;
	for (unsigned flags = 1; flags <= 8; flags++) {
		char label[48];

		a.flags = flags;
		a.bw_share = 10;
		a.max_avg_bw = 100;
		a.parent = NULL;
		snprintf(label, sizeof label, "root with flags %#x", flags);
		n = PTR(label, mlx5dv_sched_node_create(ctx, &a));
		if (n)
			VAL("  destroy", mlx5dv_sched_node_destroy(n));
		if (!root)
			continue;
		a.parent = root;
		snprintf(label, sizeof label, "node with flags %#x", flags);
		n = PTR(label, mlx5dv_sched_node_create(ctx, &a));
		if (n)
			VAL("  destroy", mlx5dv_sched_node_destroy(n));
		snprintf(label, sizeof label, "leaf with flags %#x", flags);
		leaf = PTR(label, mlx5dv_sched_leaf_create(ctx, &a));
		if (leaf)
			VAL("  destroy", mlx5dv_sched_leaf_destroy(leaf));
	}
	memset(&a, 0, sizeof a);
	PTR("leaf without parent", mlx5dv_sched_leaf_create(ctx, &a));
	if (root) {
		a.parent = root;
		node = PTR("node", mlx5dv_sched_node_create(ctx, &a));
		leaf_attr.parent = node;
		leaf = node ? PTR("leaf", mlx5dv_sched_leaf_create(ctx, &leaf_attr)) : NULL;
		if (node) {
			a.flags = MLX5DV_SCHED_ELEM_ATTR_FLAGS_BW_SHARE;
			a.bw_share = 20;
			VAL("node modify, share", mlx5dv_sched_node_modify(node, &a));
			a.flags = MLX5DV_SCHED_ELEM_ATTR_FLAGS_MAX_AVG_BW;
			a.max_avg_bw = 1000;
			VAL("node modify, rate", mlx5dv_sched_node_modify(node, &a));
			a.flags = 0;
			VAL("node modify, nothing", mlx5dv_sched_node_modify(node, &a));
			a.flags = 4;
			VAL("node modify, unknown flag", mlx5dv_sched_node_modify(node, &a));
			a.flags = 1;
			a.comp_mask = 2;
			VAL("node modify, comp_mask", mlx5dv_sched_node_modify(node, &a));
			a.comp_mask = 0;
			a.parent = NULL;
			VAL("node modify, root style with a flag", mlx5dv_sched_node_modify(node, &a));
			VAL("node modify, no attributes", mlx5dv_sched_node_modify(node, NULL));
		}
		if (leaf) {
			leaf_attr.flags = MLX5DV_SCHED_ELEM_ATTR_FLAGS_BW_SHARE;
			leaf_attr.bw_share = 5;
			VAL("leaf modify, share", mlx5dv_sched_leaf_modify(leaf, &leaf_attr));
			leaf_attr.parent = NULL;
			VAL("leaf modify, no parent", mlx5dv_sched_leaf_modify(leaf, &leaf_attr));
			VAL("leaf modify, no attributes", mlx5dv_sched_leaf_modify(leaf, NULL));
		}
		/* a parent goes last */
		if (node && leaf && VAL("destroy the node under the leaf", mlx5dv_sched_node_destroy(node)) == 0)
			node = NULL;
		if (leaf)
			VAL("destroy the leaf", mlx5dv_sched_leaf_destroy(leaf));
		if (node)
			VAL("destroy the node", mlx5dv_sched_node_destroy(node));
		VAL("destroy the root", mlx5dv_sched_node_destroy(root));
	}
	{
		struct { struct ibv_device dev; void *ops; char more[128]; } alien;
		struct ibv_context foreign = { .device = &alien.dev };

		memset(&alien, 0, sizeof alien);
		PTR("foreign context, node", mlx5dv_sched_node_create(&foreign, NULL));
		PTR("foreign context, leaf", mlx5dv_sched_leaf_create(&foreign, NULL));
	}
	done(ctx);
	return 0;
}
