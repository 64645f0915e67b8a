/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/sandbox_confine.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/check.h"
#include "tests/support/work_dir.h"

static struct confinement limits = {
	.memory_bytes_max = (uint64_t)256 << 20,
	.cpu_seconds_max = 1,
	.file_bytes_max = 1 << 20,
};

/* Wait status of a process that confines itself and then runs DEED, whose result is its exit
 * status. */
static int confined(int (*deed)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (sandbox_confine(&limits) < 0)
			_exit(99);
		_exit(deed());
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	return status;
}

static bool killed_by(int status, int number)
{
	return WIFSIGNALED(status) && WTERMSIG(status) == number;
}

static int compute(void)
{
	char *bytes = malloc(10 << 20);
	volatile int sum = 0;

	if (!bytes)
		return 1;
	memset(bytes, 1, 10 << 20);
	for (int i = 0; i < 10 << 20; i += 4096)
		sum += bytes[i];
	free(bytes);
	return sum == 0;
}

static void memory_and_arithmetic_are_allowed(void)
{
	CHECK_EQ(confined(compute), 0);
}

/* A build with a sanitizer has no limit (see sandbox_confine.c). */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MEMORY_LIMITED false
#else
#define MEMORY_LIMITED true
#endif

static int take_too_much_memory(void)
{
	void *bytes = malloc(limits.memory_bytes_max + 1);

	free(bytes);
	return bytes != NULL;
}

static void memory_is_limited(void)
{
	CHECK_EQ(confined(take_too_much_memory) == 0, MEMORY_LIMITED);
}

static int open_a_file(void)
{
	return open("/etc/passwd", O_RDONLY) >= 0 ? 1 : errno == EACCES ? 0 : 2;
}

static void no_file_can_be_opened(void)
{
	CHECK_EQ(confined(open_a_file), 0);
}

static int make_a_socket(void)
{
	return socket(AF_INET, SOCK_STREAM, 0) >= 0;
}

static int make_a_process(void)
{
	return fork() >= 0;
}

static int kill_the_parent(void)
{
	return kill(getppid(), 0);
}

static int run_a_program(void)
{
	char *nothing[] = {NULL};

	return execve("/bin/true", nothing, nothing);
}

static int make_code(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
		MAP_FAILED;
}

static void what_reaches_outside_ends_the_run(void)
{
	CHECK(killed_by(confined(make_a_socket), SIGSYS));
	CHECK(killed_by(confined(make_a_process), SIGSYS));
	CHECK(killed_by(confined(kill_the_parent), SIGSYS));
	CHECK(killed_by(confined(run_a_program), SIGSYS));
	CHECK(killed_by(confined(make_code), SIGSYS));
}

static int spin(void)
{
	volatile unsigned i = 1;

	while (i)
		i |= 1;
	return 0;
}

static void cpu_time_is_limited(void)
{
	int status = confined(spin);

	CHECK(killed_by(status, SIGXCPU) || killed_by(status, SIGKILL));
}

static int abort_at_once(void)
{
	abort();
}

static void an_abort_is_told_from_a_forbidden_call(void)
{
	CHECK(killed_by(confined(abort_at_once), SIGABRT));
}

static int output_fd;

static int write_too_much(void)
{
	static char bytes[4096];

	signal(SIGXFSZ, SIG_IGN);
	for (int i = 0; i < 1024; i++)
		if (write(output_fd, bytes, sizeof(bytes)) != sizeof(bytes))
			return i == 256 && errno == EFBIG ? 0 : 1;
	return 2;
}

static void the_result_is_limited(void)
{
	output_fd = open(work_path("out"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	CHECK(output_fd >= 0);
	CHECK_EQ(confined(write_too_much), 0);
	close(output_fd);
}

static int run_a_shell(void)
{
	return system("true") == 0; /* NOLINT(cert-env33-c): must not come back */
}

static void a_shell_is_out_of_reach(void)
{
	CHECK(killed_by(confined(run_a_shell), SIGSYS));
}

int main(void)
{
	RUN(memory_and_arithmetic_are_allowed);
	RUN(memory_is_limited);
	RUN(no_file_can_be_opened);
	RUN(what_reaches_outside_ends_the_run);
	RUN(cpu_time_is_limited);
	RUN(an_abort_is_told_from_a_forbidden_call);
	RUN(the_result_is_limited);
	RUN(a_shell_is_out_of_reach);
	return 0;
}
