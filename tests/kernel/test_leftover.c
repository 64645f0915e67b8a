/* SPDX-License-Identifier: Apache-2.0 */
/* A sampler that is killed leaves nothing in the kernel. */
#include "collector/kernel/sampler.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/kernel/lives.h"
#include "store/base/clock.h"
#include "tests/kernel/held.h"
#include "tests/kernel/privilege.h"
#include "tests/support/check.h"

/* The kernel frees BPF objects some time after their last holder is gone. */
#define GONE_WITHIN_NS (10 * NS_PER_S)

static void sample_until_killed(int ready_fd)
{
	struct sampler_config config = {.way = SAMPLER_BPF, .hz = 97};
	struct sampler_reason reason;
	struct sampler *sampler;
	struct tally tally = {0};
	struct lives *lives;

	CHECK_EQ(sampler_open(&config, &reason, &sampler), 0);
	CHECK_EQ(lives_open(NULL, &tally, &reason, &lives), 0);
	CHECK_EQ(write(ready_fd, "r", 1), 1);
	for (;;)
		pause();
}

static void check_gone(const struct held_ids *ids, enum held_kind kind)
{
	uint64_t until_ns = clock_monotonic_ns() + GONE_WITHIN_NS;

	for (uint32_t i = 0; i < ids->count; i++) {
		while (held_is_alive(ids->ids[i], kind)) {
			CHECK(clock_monotonic_ns() < until_ns);
			usleep(50000);
		}
	}
}

static void a_killed_sampler_leaves_nothing_behind(void)
{
	struct held_ids programs, maps, links;
	int ends[2], status;
	char byte;
	pid_t pid;

	CHECK_EQ(pipe(ends), 0);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0)
		sample_until_killed(ends[1]);
	close(ends[1]);
	CHECK_EQ(read(ends[0], &byte, 1), 1);
	programs = held_ids_of(pid, HELD_PROGRAM);
	maps = held_ids_of(pid, HELD_MAP);
	links = held_ids_of(pid, HELD_LINK);
	printf("held: %u programs, %u maps, %u links\n", programs.count, maps.count, links.count);
	CHECK(programs.count > 4 && maps.count > 0 && links.count >= 4);
	CHECK(held_is_alive(programs.ids[0], HELD_PROGRAM));
	CHECK_EQ(kill(pid, SIGKILL), 0);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	close(ends[0]);
	check_gone(&links, HELD_LINK);
	check_gone(&programs, HELD_PROGRAM);
	check_gone(&maps, HELD_MAP);
}

int main(void)
{
	privilege_need_sampling();
	RUN(a_killed_sampler_leaves_nothing_behind);
	return 0;
}
