/* One device, several threads, processes and descriptors; nothing may be left behind. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(c) do { if (!(c)) { printf("FAIL line %d: %s (errno %d, %s)\n", __LINE__, #c, errno, strerror(errno)); fflush(stdout); _exit(1); } } while (0)

static struct ibv_device **list;

static int entries(const char *path)
{
	int n = 0;
	DIR *d = opendir(path);
	CHECK(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static void *worker(void *arg)
{
	struct ibv_context *c = arg;
	char *mem = aligned_alloc(4096, 4096);
	for (int i = 0; i < 200; i++) {
		struct ibv_pd *pd = ibv_alloc_pd(c);
		CHECK(pd);
		struct ibv_mr *mr = ibv_reg_mr(pd, mem, 4096, IBV_ACCESS_LOCAL_WRITE);
		CHECK(mr);
		CHECK(ibv_dealloc_pd(pd) == EBUSY);
		CHECK(!ibv_dereg_mr(mr));
		CHECK(!ibv_dealloc_pd(pd));
	}
	free(mem);
	return NULL;
}

static int child(pid_t p)
{
	int status;
	CHECK(waitpid(p, &status, 0) == p);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int main(void)
{
	list = ibv_get_device_list(NULL);
	CHECK(list && list[0]);
	struct ibv_context *c = ibv_open_device(list[0]);
	CHECK(c);

	pthread_t t[4];
	for (int i = 0; i < 4; i++)
		CHECK(!pthread_create(&t[i], NULL, worker, c));
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	puts("threads");
	fflush(stdout);

	/* a child uses the descriptor it inherited, with memory of its own */
	pid_t p = fork();
	if (!p) {
		worker(c);
		_exit(0);
	}
	printf("child on the inherited descriptor: %d\n", child(p));
	fflush(stdout);

	/* a context imported from a duplicate shares the handles */
	struct ibv_pd *pd = ibv_alloc_pd(c);
	CHECK(pd);
	p = fork();
	if (!p) {
		struct ibv_context *i = ibv_import_device(dup(c->cmd_fd));
		CHECK(i);
		struct ibv_pd *same = ibv_import_pd(i, pd->handle);
		CHECK(same);
		char *mem = aligned_alloc(4096, 4096);
		struct ibv_mr *mr = ibv_reg_mr(same, mem, 4096, 0);
		CHECK(mr && !ibv_dereg_mr(mr));
		ibv_unimport_pd(same);
		CHECK(!ibv_close_device(i));
		_exit(0);
	}
	printf("child on an import: %d\n", child(p));
	CHECK(!ibv_dealloc_pd(pd));

	/* a killed process leaves nothing that its device would miss */
	p = fork();
	if (!p) {
		struct ibv_context *o = ibv_open_device(list[0]);
		CHECK(o && ibv_alloc_pd(o));
		kill(getpid(), SIGKILL);
	}
	printf("killed child: %d\n", child(p));

	/* the asynchronous descriptor in epoll, non-blocking */
	int ep = epoll_create1(0);
	struct epoll_event ev = { .events = EPOLLIN };
	CHECK(!epoll_ctl(ep, EPOLL_CTL_ADD, c->async_fd, &ev));
	CHECK(epoll_wait(ep, &ev, 1, 0) == 0);
	CHECK(!fcntl(c->async_fd, F_SETFL, O_NONBLOCK));
	struct ibv_async_event ae;
	CHECK(ibv_get_async_event(c, &ae) && errno == EAGAIN);
	int ctl = open("/dev/infiniband/mlx5_sim_ctl", O_RDWR);
	char reply[32];
	CHECK(ctl >= 0 && write(ctl, "port 1 down", 11) == 11 && read(ctl, reply, sizeof reply) > 0);
	close(ctl);
	CHECK(epoll_wait(ep, &ev, 1, 2000) == 1);
	CHECK(!ibv_get_async_event(c, &ae));
	printf("event: %s, port %d\n", ibv_event_type_str(ae.event_type), ae.element.port_num);
	ibv_ack_async_event(&ae);
	close(ep);
	CHECK(!ibv_close_device(c));

	int fds = entries("/proc/self/fd"), maps = entries("/proc/self/map_files");
	for (int i = 0; i < 100; i++) {
		c = ibv_open_device(list[0]);
		CHECK(c);
		struct ibv_comp_channel *ch = ibv_create_comp_channel(c);
		struct ibv_cq *cq = ibv_create_cq(c, 10, NULL, ch, 0);
		CHECK(ch && cq);
		CHECK(!ibv_destroy_cq(cq));
		CHECK(!ibv_destroy_comp_channel(ch));
		CHECK(!ibv_close_device(c));
	}
	printf("left open: %d\n", entries("/proc/self/fd") - fds);
	printf("left mapped: %d\n", entries("/proc/self/map_files") - maps > 8 ? 1 : 0);
	ibv_free_device_list(list);
	puts("done");
	return 0;
}
