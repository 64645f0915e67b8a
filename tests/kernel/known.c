/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernel/known.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/base/clock.h"
#include "tests/support/check.h"

/* Each function has a section of its own, and the linker tells where it begins and ends. */
#define KNOWN(name) __attribute__((noinline, noclone, section("text_of_" #name)))
#define DECLARE_BOUNDS(name) extern const char __start_text_of_##name[], __stop_text_of_##name[];
#define BOUNDS(name)                                          \
	{                                                     \
		__start_text_of_##name, __stop_text_of_##name \
	}

DECLARE_BOUNDS(begin)
DECLARE_BOUNDS(outer)
DECLARE_BOUNDS(middle)
DECLARE_BOUNDS(compute)
DECLARE_BOUNDS(reader)
DECLARE_BOUNDS(read)

/* In the order of enum known_function. */
static const struct {
	const char *start;
	const char *stop;
} bounds[] = {BOUNDS(begin), BOUNDS(outer), BOUNDS(middle), BOUNDS(compute), BOUNDS(reader),
	BOUNDS(read)};

_Static_assert(sizeof(bounds) / sizeof(bounds[0]) == KNOWN_NONE, "every function has its bounds");

#define READ_BYTES (256 * 1024)

struct work {
	uint64_t until_ns;
	int zero_fd;
	char *buffer;
	volatile uint64_t result;
};

/* Calls a function with a frame pointer of 0, as the first code of a thread does. */
void known_begin(void (*function)(struct work *), struct work *work);
__asm__(".pushsection text_of_begin,\"ax\",@progbits\n"
	".globl known_begin\n"
	".type known_begin,@function\n"
	"known_begin:\n"
	"	push %rbp\n"
	"	push %rbx\n"
	"	push %rbx\n"
	"	mov %rdi, %rax\n"
	"	mov %rsi, %rdi\n"
	"	xor %ebp, %ebp\n"
	"	call *%rax\n"
	"	pop %rbx\n"
	"	pop %rbx\n"
	"	pop %rbp\n"
	"	ret\n"
	".size known_begin, .-known_begin\n"
	".popsection\n");

void known_outer(struct work *work);
uint64_t known_middle(uint64_t seed);
uint64_t known_compute(uint64_t seed);
void known_reader(struct work *work);
long known_read(const struct work *work);

/* About a millisecond, so that the calls themselves take no time worth counting. */
KNOWN(compute) uint64_t known_compute(uint64_t seed)
{
	for (int i = 0; i < 400000; i++)
		seed = seed * 6364136223846793005u + 1442695040888963407u;
	return seed;
}

KNOWN(middle) uint64_t known_middle(uint64_t seed)
{
	return known_compute(seed) + 1;
}

KNOWN(outer) void known_outer(struct work *work)
{
	while (clock_monotonic_ns() < work->until_ns)
		work->result += known_middle(work->result);
}

/* The system call itself, not libc's function: that one is built without a frame pointer and would
 * hide its caller. */
KNOWN(read) long known_read(const struct work *work)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"((long)SYS_read), "D"((long)work->zero_fd), "S"(work->buffer),
			 "d"((long)READ_BYTES)
			 : "rcx", "r11", "memory");
	return result;
}

KNOWN(reader) void known_reader(struct work *work)
{
	while (clock_monotonic_ns() < work->until_ns)
		work->result += (uint64_t)known_read(work);
}

void known_compute_for(uint64_t duration_ns)
{
	struct work work = {.until_ns = clock_monotonic_ns() + duration_ns};

	known_begin(known_outer, &work);
}

static void *compute_for_ever(void *argument)
{
	struct work work = {.until_ns = UINT64_MAX};

	(void)argument;
	known_begin(known_outer, &work);
	return NULL;
}

static void *read_for_ever(void *argument)
{
	static char buffer[READ_BYTES];
	struct work work = {
		.until_ns = UINT64_MAX,
		.zero_fd = open("/dev/zero", O_RDONLY | O_CLOEXEC),
		.buffer = buffer,
	};

	(void)argument;
	CHECK(work.zero_fd >= 0);
	known_begin(known_reader, &work);
	return NULL;
}

static void run_child(int stop_fd)
{
	pthread_t threads[2];
	char byte;

	CHECK_EQ(pthread_create(&threads[0], NULL, compute_for_ever, NULL), 0);
	CHECK_EQ(pthread_create(&threads[1], NULL, read_for_ever, NULL), 0);
	while (read(stop_fd, &byte, 1) > 0)
		;
	_exit(0);
}

struct known_process known_start(void)
{
	struct known_process process;
	int ends[2];

	CHECK_EQ(pipe2(ends, O_CLOEXEC), 0);
	process.pid = fork();
	CHECK(process.pid >= 0);
	if (process.pid == 0) {
		close(ends[1]);
		run_child(ends[0]);
	}
	close(ends[0]);
	process.stop_fd = ends[1];
	return process;
}

static uint64_t timeval_ns(struct timeval time)
{
	return (uint64_t)time.tv_sec * NS_PER_S + (uint64_t)time.tv_usec * NS_PER_US;
}

uint64_t known_finish(struct known_process *process)
{
	struct rusage usage;
	int status;

	close(process->stop_fd);
	CHECK_EQ(wait4(process->pid, &status, 0, &usage), process->pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	return timeval_ns(usage.ru_utime) + timeval_ns(usage.ru_stime);
}

enum known_function known_function_of(uint64_t address)
{
	for (int i = 0; i < KNOWN_NONE; i++)
		if (address >= (uintptr_t)bounds[i].start && address < (uintptr_t)bounds[i].stop)
			return (enum known_function)i;
	return KNOWN_NONE;
}
