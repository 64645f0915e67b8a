/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/sandbox_launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/base/clock.h"
#include "store/base/must.h"

/* Above all numbers that the run gets, so that none of the dup2 below overwrites a source. */
#define FD_SOURCE_FIRST 16

/* Everything the child needs, made ready before it exists: it shares our memory until it execs. */
struct child {
	char *const *arguments;
	int fds[LAUNCH_DESCRIPTORS_MAX];
	int fd_count;
	int binary_fd;
	int error; /* why there was no exec */
};

static void child_exec(struct child *child)
{
	static char *const no_environment[] = {NULL};
	int binary_fd = child->fd_count;

	for (int i = 0; i < child->fd_count; i++) {
		if (dup2(child->fds[i], i) < 0) {
			child->error = errno;
			return;
		}
	}
	if (dup3(child->binary_fd, binary_fd, O_CLOEXEC) < 0 ||
		close_range((unsigned)binary_fd + 1, ~0U, 0) < 0) {
		child->error = errno;
		return;
	}
	execveat(binary_fd, "", child->arguments, no_environment, AT_EMPTY_PATH);
	child->error = errno;
}

/* vfork and not fork: a copy of a process that has gRPC's threads and an LMDB map must not run any
 * of their code, and this child runs nothing but system calls until it is a new program. Signals
 * are blocked meanwhile, since a handler would run in our memory; the new run unblocks them. */
static pid_t spawn(struct child *child)
{
	sigset_t all, before;
	volatile pid_t pid;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pid = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork): the reason is above */
	if (pid == 0) {
		child_exec(child); /* NOLINT(clang-analyzer-unix.Vfork): system calls only */
		_exit(127);
	}
	if (pid < 0)
		child->error = errno;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return pid;
}

/* Waits until PIDFD is readable, that is until its process has ended. -ETIMEDOUT, -ECANCELED. */
static int wait_for_end(int pidfd, const struct launch_request *request)
{
	uint64_t deadline_ns = clock_monotonic_ns() + request->wall_ns_max;
	struct pollfd poll_fds[2] = {
		{.fd = pidfd, .events = POLLIN},
		{.fd = request->cancel_fd, .events = POLLIN},
	};
	nfds_t count = request->cancel_fd > 0 ? 2 : 1;

	for (;;) {
		uint64_t now_ns = clock_monotonic_ns();
		uint64_t left_ms =
			now_ns < deadline_ns ? (deadline_ns - now_ns) / NS_PER_MS + 1 : 0;
		int r = poll(poll_fds, count, left_ms > 1000000 ? 1000000 : (int)left_ms);

		if (r > 0)
			return poll_fds[0].revents ? 0 : -ECANCELED;
		if (r == 0 && clock_monotonic_ns() >= deadline_ns)
			return -ETIMEDOUT;
	}
}

static int reap(pid_t pid, struct launch_result *ret_result)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	ret_result->end = WIFEXITED(status) ? LAUNCH_EXITED : LAUNCH_KILLED;
	ret_result->value = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
	return 0;
}

static int wait_for(
	pid_t pid, const struct launch_request *request, struct launch_result *ret_result)
{
	SCOPED_FD int pidfd = pidfd_open(pid, 0);
	/* Without a descriptor there is no wait with a deadline: better no run than an endless one.
	 */
	int waited = pidfd < 0 ? -errno : wait_for_end(pidfd, request);
	struct launch_result result = {0};
	int r;

	if (waited < 0)
		kill(pid, SIGKILL);
	r = reap(pid, &result);
	if (r < 0)
		return r;
	if (waited == -ETIMEDOUT)
		result = (struct launch_result){.end = LAUNCH_TIMED_OUT};
	else if (waited < 0)
		return waited;
	*ret_result = result;
	return 0;
}

static void close_sources(struct child *child)
{
	for (int i = 0; i < child->fd_count; i++)
		if (child->fds[i] >= 0)
			close(child->fds[i]);
	if (child->binary_fd >= 0)
		close(child->binary_fd);
}

/* Copies of all descriptors at numbers that are out of the way. */
static int copy_sources(const struct launch_request *request, struct child *child)
{
	for (int i = 0; i < LAUNCH_DESCRIPTORS_MAX; i++)
		child->fds[i] = -1;
	child->binary_fd = fcntl(request->binary_fd, F_DUPFD_CLOEXEC, FD_SOURCE_FIRST);
	if (child->binary_fd < 0)
		return -errno;
	for (int i = 0; i < request->fd_count; i++) {
		child->fds[i] = fcntl(request->fds[i], F_DUPFD_CLOEXEC, FD_SOURCE_FIRST);
		if (child->fds[i] < 0)
			return -errno;
	}
	return 0;
}

int launch_run(const struct launch_request *request, struct launch_result *ret_result)
{
	struct child child = {
		.arguments = request->arguments,
		.fd_count = request->fd_count,
		.binary_fd = -1,
	};
	struct launch_result result = {0};
	pid_t pid;
	int r;

	must(request->fd_count > 0 && request->fd_count <= LAUNCH_DESCRIPTORS_MAX);
	r = copy_sources(request, &child);
	if (r < 0) {
		close_sources(&child);
		return r;
	}
	pid = spawn(&child);
	close_sources(&child);
	if (pid < 0)
		return -child.error;
	r = wait_for(pid, request, &result);
	if (r < 0)
		return r;
	if (child.error)
		return -child.error;
	*ret_result = result;
	return 0;
}
