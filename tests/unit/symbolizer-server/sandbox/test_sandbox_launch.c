/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/sandbox_launch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/base/clock.h"
#include "tests/support/check.h"

static int binary_fd;

/* ---- What this program does when it is launched by itself ---- */

/* Writes what it was given: descriptors, environment, arguments. */
static int tell(int argc, char **argv)
{
	dprintf(1, "fds");
	for (int fd = 0; fd < 4096; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			dprintf(1, " %d", fd);
	dprintf(1, "\nenvironment");
	for (char **each = environ; each && *each; each++)
		dprintf(1, " %s", *each);
	dprintf(1, "\narguments");
	for (int i = 0; i < argc; i++)
		dprintf(1, " %s", argv[i]);
	dprintf(1, "\n");
	return 0;
}

static int launched(int argc, char **argv)
{
	if (strcmp(argv[1], "tell") == 0)
		return tell(argc, argv);
	if (strcmp(argv[1], "exit") == 0)
		return 42;
	if (strcmp(argv[1], "abort") == 0)
		abort();
	for (;;)
		pause();
}

/* ---- */

static int launch(const char *what, int output_fd, uint64_t wall_ns, int cancel_fd,
	struct launch_result *ret_result)
{
	char name[] = "self", deed[16];
	char *arguments[] = {name, deed, NULL};
	SCOPED_FD int input_fd = memfd_create("input", MFD_CLOEXEC);
	struct launch_request request = {
		.binary_fd = binary_fd,
		.arguments = arguments,
		.fds = {input_fd, output_fd},
		.fd_count = 2,
		.wall_ns_max = wall_ns,
		.cancel_fd = cancel_fd,
	};

	snprintf(deed, sizeof(deed), "%s", what);
	return launch_run(&request, ret_result);
}

static void the_run_gets_what_it_is_given_and_nothing_else(void)
{
	SCOPED_FD int output_fd = memfd_create("output", MFD_CLOEXEC);
	SCOPED_FD int inherited = dup(output_fd); /* without O_CLOEXEC, on purpose */
	struct launch_result result;
	char text[4096] = "";

	CHECK(inherited >= 0);
	CHECK_EQ(setenv("SECRET", "token", 1), 0);
	CHECK_EQ(launch("tell", output_fd, 30 * NS_PER_S, 0, &result), 0);
	CHECK_EQ(result.end, LAUNCH_EXITED);
	CHECK_EQ(result.value, 0);
	CHECK(pread(output_fd, text, sizeof(text) - 1, 0) > 0);
	CHECK_STR(text, "fds 0 1\nenvironment\narguments self tell\n");
}

static void the_way_it_ended_is_told(void)
{
	SCOPED_FD int output_fd = memfd_create("output", MFD_CLOEXEC);
	struct launch_result result;

	CHECK_EQ(launch("exit", output_fd, 30 * NS_PER_S, 0, &result), 0);
	CHECK_EQ(result.end, LAUNCH_EXITED);
	CHECK_EQ(result.value, 42);
	CHECK_EQ(launch("abort", output_fd, 30 * NS_PER_S, 0, &result), 0);
	CHECK_EQ(result.end, LAUNCH_KILLED);
	CHECK_EQ(result.value, SIGABRT);
	CHECK_EQ(launch("sleep", output_fd, 50 * NS_PER_MS, 0, &result), 0);
	CHECK_EQ(result.end, LAUNCH_TIMED_OUT);
}

static void a_run_can_be_given_up(void)
{
	SCOPED_FD int output_fd = memfd_create("output", MFD_CLOEXEC);
	SCOPED_FD int cancel_fd = eventfd(1, EFD_CLOEXEC);
	struct launch_result result;

	CHECK_EQ(launch("sleep", output_fd, 30 * NS_PER_S, cancel_fd, &result), -ECANCELED);
}

static void what_cannot_be_run_is_told(void)
{
	SCOPED_FD int output_fd = memfd_create("output", MFD_CLOEXEC);
	int before = binary_fd;
	struct launch_result result;

	binary_fd = output_fd;
	CHECK_EQ(launch("exit", output_fd, 30 * NS_PER_S, 0, &result), -ENOEXEC);
	binary_fd = 9999;
	CHECK_EQ(launch("exit", output_fd, 30 * NS_PER_S, 0, &result), -EBADF);
	binary_fd = before;
}

static uint32_t open_fds(void)
{
	uint32_t count = 0;

	for (int fd = 0; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static void *launch_often(void *context)
{
	SCOPED_FD int output_fd = memfd_create("output", MFD_CLOEXEC);

	for (int i = 0; i < 10; i++) {
		struct launch_result result;

		CHECK_EQ(launch("exit", output_fd, 30 * NS_PER_S, 0, &result), 0);
		CHECK_EQ(result.value, 42);
	}
	return context;
}

static void threads_launch_side_by_side_and_nothing_leaks(void)
{
	uint32_t before = open_fds();
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, launch_often, NULL), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	CHECK_EQ(open_fds(), before);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return launched(argc, argv);
	binary_fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	CHECK(binary_fd >= 0);
	RUN(the_run_gets_what_it_is_given_and_nothing_else);
	RUN(the_way_it_ended_is_told);
	RUN(a_run_can_be_given_up);
	RUN(what_cannot_be_run_is_told);
	RUN(threads_launch_side_by_side_and_nothing_leaks);
	close(binary_fd);
	return 0;
}
