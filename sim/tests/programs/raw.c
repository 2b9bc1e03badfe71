/* The ioctl itself, without any RDMA library: which refusal comes first. Linked statically
 * it also shows that interception does not depend on libc. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

struct attr { uint16_t id, len, flags, extra; uint64_t data; };
struct call { uint16_t length, object, method, n; uint64_t r1; uint32_t driver, r2; struct attr a[8]; };

static int fd;

static const char *go(struct call *c, int object, int method, int n)
{
	if (!c->length)
		c->length = 24 + 16 * n;
	c->object = object;
	c->method = method;
	c->n = n;
	if (!c->driver)
		c->driver = 1;
	return ioctl(fd, 0xc0181b01, c) ? strerrorname_np(errno) : "0";
}
#define GO(what, object, method, n, ...) do { struct call c_ = { __VA_ARGS__ }; printf("%s: %s\n", what, go(&c_, object, method, n)); } while (0)

int main(void)
{
	struct stat st;
	uint8_t req[40] = { 16, 0, 0, 0, 4, 0, 0, 0, 1 }, resp[72], mailbox[16] = { 0x08, 0x00 }, out[16];
	uint32_t vectors = 0;

	fd = open("/dev/infiniband/uverbs0", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return 1;
	fstat(fd, &st);
	printf("character device %d:%d\n", S_ISCHR(st.st_mode) ? (int)major(st.st_rdev) : -1, (int)minor(st.st_rdev));
	req[16] = 1;	/* max_cqe_version */
	req[24] = 3;	/* lib_caps */

	GO("before a context", 0x1000, 0x1002, 2, .a = { { 0x1000, 4, 1, 0, 0 }, { 0x1001, 4, 1, 0, (uintptr_t)out } });
	GO("object before a context", 0x1001, 0x1000, 3, .a = { { 0x1000, 0, 1, 0, 0 }, { 0x1001, 16, 1, 0, (uintptr_t)mailbox }, { 0x1002, 16, 1, 0, (uintptr_t)out } });
	GO("context", 0, 3, 3, .a = { { 0, 4, 1, 0, (uintptr_t)&vectors }, { 0x1000, 32, 1, 0, (uintptr_t)req }, { 0x1001, 72, 1, 0, (uintptr_t)resp } });
	printf("vectors %u\n", vectors);
	GO("second context", 0, 3, 2, .a = { { 0x1000, 32, 1, 0, (uintptr_t)req }, { 0x1001, 72, 1, 0, (uintptr_t)resp } });

	/* header, driver, method, attributes: in this order */
	GO("length not of its attributes", 1, 77, 1, .length = 100, .driver = 2);
	GO("reserved field", 1, 77, 1, .r1 = 1, .driver = 2);
	GO("driver", 1, 77, 1, .driver = 2);
	GO("method", 1, 77, 1, .a = { { 0, 0, 1, 0, 0 } });
	GO("object", 99, 0, 1, .a = { { 0, 0, 1, 0, 0 } });
	GO("unknown mandatory attribute", 1, 0, 1, .a = { { 9, 0, 1, 0, 0 } });
	GO("unknown optional attribute", 1, 0, 1, .a = { { 9, 0, 0, 0, 0 } });
	GO("handle", 1, 0, 1, .a = { { 0, 0, 1, 0, 999 } });
	GO("handle below zero", 1, 0, 1, .a = { { 0, 0, 1, 0, -1ull } });
	GO("handle with a length", 1, 0, 1, .a = { { 0, 4, 1, 0, 999 } });
	GO("reserved of an attribute", 1, 0, 1, .a = { { 0, 0, 1, 7, 999 } });
	GO("attribute twice", 0x1000, 0x1002, 3, .a = { { 0x1000, 4, 1, 0, 0 }, { 0x1000, 4, 1, 0, 0 }, { 0x1001, 4, 1, 0, (uintptr_t)out } });
	GO("input too short", 0x1000, 0x1002, 2, .a = { { 0x1000, 2, 1, 0, 0 }, { 0x1001, 4, 1, 0, (uintptr_t)out } });
	GO("input too long", 0x1000, 0x1002, 2, .a = { { 0x1000, 8, 1, 0, 0 }, { 0x1001, 4, 1, 0, (uintptr_t)out } });
	GO("mandatory one missing", 0x1000, 0x1002, 1, .a = { { 0x1000, 4, 1, 0, 0 } });
	GO("mandatory one missing, handler would refuse", 0x1000, 0x1002, 1, .a = { { 0x1000, 4, 1, 0, 99 } });
	GO("output nowhere", 0x1000, 0x1002, 2, .a = { { 0x1000, 4, 1, 0, 0 }, { 0x1001, 4, 1, 0, 16 } });
	GO("input nowhere", 0x1000, 0x1000, 2, .a = { { 0x1000, 16, 1, 0, 16 }, { 0x1001, 16, 1, 0, (uintptr_t)out } });

	/* handles: lowest first, in the attribute before the method has succeeded */
	struct call d = { .a = { { 0x1000, 0, 1, 0, 77 }, { 0x1001, 16, 1, 0, (uintptr_t)mailbox }, { 0x1002, 16, 1, 0, (uintptr_t)out } } };
	const char *r = go(&d, 0x1001, 0x1000, 3);
	printf("object: %s, handle %d\n", r, (int)d.a[0].data);
	printf("output marked: %d\n", d.a[2].flags >> 1 & 1);
	GO("handle of another type", 1, 0, 1, .a = { { 0, 0, 1, 0, d.a[0].data } });
	GO("destroy", 0x1001, 0x1001, 1, .a = { { 0x1000, 0, 1, 0, d.a[0].data } });
	GO("destroy again", 0x1001, 0x1001, 1, .a = { { 0x1000, 0, 1, 0, d.a[0].data } });
	GO("no event descriptor", 0x1000, 0x1003, 2, .a = { { 0x1000, 0, 1, 0, 9999 }, { 0x1002, 2, 1, 0, 9 } });
	GO("another file's", 0x1000, 0x1003, 2, .a = { { 0x1000, 0, 1, 0, 1 }, { 0x1002, 2, 1, 0, 9 } });

	/* mappings */
	void *p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0x500000);
	printf("clock: %s\n", p == MAP_FAILED ? strerrorname_np(errno) : "mapped");
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0x500000);
	printf("clock to write: %s\n", p == MAP_FAILED ? strerrorname_np(errno) : "mapped");
	p = mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, fd, 0x900000);
	printf("nobody's page: %s\n", p == MAP_FAILED ? strerrorname_np(errno) : "mapped");
	p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 1 << 20);
	printf("contiguous pages: %s\n", p == MAP_FAILED ? strerrorname_np(errno) : "mapped");
	printf("write nobody looks at: %s\n", write(fd, out, 8) < 0 ? "refused" : "taken");
	close(fd);
	return 0;
}
