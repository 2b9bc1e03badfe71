/* Indirect memory keys, data encryption keys, crypto logins: flags, attributes, refusals.
 * since: 65.0
 * run offloads: sim --cap 0:535:1=1 --cap 0:1152:1=1 --cap 0:1009:1=1 --cap 0:1129:1=1 --cap 0:1075:1=1 --cap 0:1056:1=1
 * run psv-refused: sim --cap 0:535:1=1 --cap 0:1152:1=1 --fault CMD.0x600#2=8/0x12
 * run mkey-refused: sim --cap 0:535:1=1 --cap 0:1152:1=1 --fault CMD.0x200#1=3/0x34 --fault CMD.0x200#3=0xf/0x34
 * run destroy-refused: sim --cap 0:535:1=1 --cap 0:1152:1=1 --fault DEVX_OBJ.DESTROY#2=EBUSY --fault DEVX_OBJ.DESTROY#6=EIO
 */
#include "common.h"

static struct ibv_context *ctx;
static struct ibv_pd *pd;

static void keys(void)
{
	static const unsigned flags[] = { 0, 1, 2, 4, 8, 0x10, 1 | 2, 1 | 4, 1 | 2 | 4, 1 | 8, 1 | 0x10, 0x80000001 };

	for (unsigned i = 0; i < sizeof flags / sizeof *flags; i++)
		for (unsigned n = 0; n < 12; n += 5) {
			struct mlx5dv_mkey_init_attr a = { .pd = pd, .create_flags = flags[i], .max_entries = n };
			struct mlx5dv_mkey_err err;
			struct mlx5dv_mkey *mkey;
			char label[64];

			snprintf(label, sizeof label, "mkey flags %#x entries %u", flags[i], n);
			mkey = PTR(label, mlx5dv_create_mkey(&a));
			if (!mkey)
				continue;
			printf("  entries %u, keys equal %d, low byte %#x\n", a.max_entries, mkey->lkey == mkey->rkey, mkey->lkey & 0xff);
			memset(&err, 0, sizeof err);
			if (!VAL("  check", mlx5dv_mkey_check(mkey, &err)))
				printf("  type %d\n", err.err_type);
			if (VAL("  destroy", mlx5dv_destroy_mkey(mkey)))
				VAL("  destroy again", mlx5dv_destroy_mkey(mkey));
		}
}
static void deks(struct mlx5dv_crypto_login_obj *login)
{
	struct mlx5dv_dek_init_attr a = { .pd = pd, .opaque = "abcdefg", .key = "0123456789" };
	struct mlx5dv_dek_attr q = { 0 };
	struct mlx5dv_dek *dek;

	for (int mask = 0; mask < 3; mask++)
		for (int size = 0; size < 3; size++)
			for (int purpose = 0; purpose < 2; purpose++) {
				char label[64];

				a.key_size = size;
				a.key_purpose = purpose;
				a.has_keytag = size;
				a.comp_mask = mask;
				a.crypto_login = login;
				snprintf(label, sizeof label, "dek size %d purpose %d mask %d login %d", size, purpose, mask, login != NULL);
				dek = PTR(label, mlx5dv_dek_create(ctx, &a));
				if (!dek)
					continue;
				q.comp_mask = 0;
				VAL("  query", mlx5dv_dek_query(dek, &q));
				printf("  state %d opaque %.8s\n", q.state, q.opaque);
				q.comp_mask = 1;
				VAL("  query comp_mask", mlx5dv_dek_query(dek, &q));
				VAL("  destroy", mlx5dv_dek_destroy(dek));
			}
}

int main(void)
{
	struct mlx5dv_crypto_login_attr la = { .credential_id = 1, .import_kek_id = 2, .credential = "secret" };
	struct mlx5dv_crypto_login_attr_ex lx = { .credential_id = 1, .import_kek_id = 2, .credential = "secret", .credential_len = 6 };
	struct mlx5dv_crypto_login_query_attr lq = { 0 };
	struct mlx5dv_crypto_login_obj *login;
	enum mlx5dv_crypto_login_state st = 77;

	ctx = open_devx();
	MUST((pd = ibv_alloc_pd(ctx)));
	keys();
	deks(NULL);
	VAL("state", mlx5dv_crypto_login_query_state(ctx, &st));
	printf("  %d\n", st);
	VAL("logout", mlx5dv_crypto_logout(ctx));
	la.comp_mask = 1;
	VAL("login comp_mask", mlx5dv_crypto_login(ctx, &la));
	la.comp_mask = 0;
	la.credential_id = 0x1000000;
	VAL("login credential id", mlx5dv_crypto_login(ctx, &la));
	la.credential_id = 1;
	la.import_kek_id = 0x1000000;
	VAL("login key id", mlx5dv_crypto_login(ctx, &la));
	la.import_kek_id = 2;
	if (!VAL("login", mlx5dv_crypto_login(ctx, &la))) {
		VAL("login twice", mlx5dv_crypto_login(ctx, &la));
		VAL("state", mlx5dv_crypto_login_query_state(ctx, &st));
		printf("  %d\n", st);
		deks(NULL);
		VAL("logout", mlx5dv_crypto_logout(ctx));
	}
	lx.comp_mask = 1;
	PTR("login_create comp_mask", mlx5dv_crypto_login_create(ctx, &lx));
	lx.comp_mask = 0;
	login = PTR("login_create", mlx5dv_crypto_login_create(ctx, &lx));
	if (login) {
		VAL("login_query", mlx5dv_crypto_login_query(login, &lq));
		printf("  %d\n", lq.state);
		lq.comp_mask = 1;
		VAL("login_query comp_mask", mlx5dv_crypto_login_query(login, &lq));
		deks(login);
		VAL("login_destroy", mlx5dv_crypto_login_destroy(login));
	}
	VAL("dealloc_pd", ibv_dealloc_pd(pd));
	done(ctx);
	return 0;
}
