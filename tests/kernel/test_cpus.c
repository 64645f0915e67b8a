/* SPDX-License-Identifier: Apache-2.0 */
/* CPUs that come and go. The list of online CPUs is a file of the test's own, so that none has to
 * go in earnest. */
#include "collector/kernel/sampler.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "store/base/cleanup.h"
#include "store/base/clock.h"
#include "tests/kernel/known.h"
#include "tests/kernel/privilege.h"
#include "tests/support/check.h"

#define HZ 97
#define LOOK_NS (300 * NS_PER_MS)
#define CPUS_MAX 1024

DEFINE_SCOPED(struct sampler *, sampler_free)

static enum sampler_way way = SAMPLER_BPF;
static char folder[] = "/tmp/cairn-cpus-XXXXXX";
static char online_path[64];

static void set_online(const char *list)
{
	SCOPED_FD int fd = open(online_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	CHECK(fd >= 0);
	CHECK_EQ(write(fd, list, strlen(list)), strlen(list));
}

static void make_folder(void)
{
	CHECK(mkdtemp(folder) != NULL);
	snprintf(online_path, sizeof(online_path), "%s/online", folder);
	set_online("0\n");
}

static void remove_folder(void)
{
	unlink(online_path);
	rmdir(folder);
}

static int tally_own(void *context, const struct event_sample *sample)
{
	uint64_t *counts = context;

	CHECK(sample->cpu < CPUS_MAX);
	if (sample->pid == (uint32_t)getpid())
		counts[sample->cpu]++;
	return 0;
}

/* Keeps CPU busy and gives the samples a second that come of it. */
static uint64_t samples_of(struct sampler *sampler, int cpu)
{
	static uint64_t counts[CPUS_MAX], before;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	CHECK_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
	CHECK(sampler_drain(sampler, tally_own, counts) >= 0);
	before = counts[cpu];
	known_compute_for(LOOK_NS);
	CHECK(sampler_drain(sampler, tally_own, counts) >= 0);
	return (counts[cpu] - before) * NS_PER_S / LOOK_NS;
}

static void follow(struct sampler *sampler, const char *list, uint32_t count)
{
	uint32_t online_count = UINT32_MAX;

	set_online(list);
	CHECK_EQ(sampler_cpus_changed(sampler, &online_count), 0);
	CHECK_EQ(online_count, count);
}

/* Other work may take most of a CPU's time, but not all of it. */
static bool is_sampled(struct sampler *sampler, int cpu)
{
	uint64_t rate = samples_of(sampler, cpu);

	CHECK(rate < HZ * 5 / 4);
	return rate > HZ / 10;
}

static void a_cpu_that_goes_is_left_alone_and_one_that_comes_is_sampled(void)
{
	struct sampler_config config = {.way = way, .hz = HZ, .cpu_folder = folder};
	SCOPED(sampler_free) struct sampler *sampler = NULL;
	struct sampler_reason reason;
	uint64_t values[COUNTER_MAX];

	CHECK_EQ(sampler_open(&config, &reason, &sampler), 0);
	CHECK(is_sampled(sampler, 0));
	follow(sampler, "\n", 0);
	CHECK_EQ(samples_of(sampler, 0), 0);
	follow(sampler, "\n", 0);
	CHECK_EQ(samples_of(sampler, 0), 0);
	follow(sampler, "0\n", 1);
	CHECK(is_sampled(sampler, 0));
	CHECK_EQ(sampler_counters(sampler, values), 0);
	CHECK_EQ(values[COUNTER_cpu_restarted], 0);
}

/* What becomes of the timer when its CPU goes: it stays, but is never active again. */
static void kill_timers(void)
{
	char path[64], target[64];
	ssize_t length;

	for (int fd = 3; fd < 256; fd++) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		length = readlink(path, target, sizeof(target) - 1);
		if (length <= 0)
			continue;
		target[length] = '\0';
		if (strcmp(target, "anon_inode:[perf_event]") == 0)
			CHECK_EQ(ioctl(fd, PERF_EVENT_IOC_DISABLE, 0), 0);
	}
}

static void a_dead_timer_is_started_again(void)
{
	struct sampler_config config = {.way = way, .hz = HZ, .cpu_folder = folder};
	SCOPED(sampler_free) struct sampler *sampler = NULL;
	struct sampler_reason reason;
	uint64_t values[COUNTER_MAX];
	uint64_t until_ns;

	CHECK_EQ(sampler_open(&config, &reason, &sampler), 0);
	CHECK(is_sampled(sampler, 0));
	kill_timers();
	CHECK_EQ(samples_of(sampler, 0), 0);
	until_ns = clock_monotonic_ns() + 20 * NS_PER_S;
	do {
		usleep(SAMPLER_INTERVAL_NS / NS_PER_US / 2);
		follow(sampler, "0\n", 1);
		CHECK_EQ(sampler_counters(sampler, values), 0);
		CHECK(clock_monotonic_ns() < until_ns);
	} while (values[COUNTER_cpu_restarted] == 0);
	CHECK(is_sampled(sampler, 0));
	CHECK_EQ(values[COUNTER_cpu_restarted], 1);
}

static void every_online_cpu_is_sampled(void)
{
	struct sampler_config config = {.way = way, .hz = HZ};
	SCOPED(sampler_free) struct sampler *sampler = NULL;
	struct sampler_reason reason;
	uint32_t online_count = 0;
	cpu_set_t allowed;

	CHECK_EQ(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	CHECK_EQ(sampler_open(&config, &reason, &sampler), 0);
	CHECK_EQ(sampler_cpus_changed(sampler, &online_count), 0);
	CHECK_EQ(online_count, sysconf(_SC_NPROCESSORS_ONLN));
	for (int cpu = 0; cpu < CPUS_MAX; cpu++)
		if (CPU_ISSET(cpu, &allowed))
			CHECK(is_sampled(sampler, cpu));
}

static void switch_cpu(int cpu, bool on)
{
	char path[64];
	SCOPED_FD int fd = -1;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	CHECK(fd >= 0);
	CHECK_EQ(write(fd, on ? "1" : "0", 1), 1);
}

/* In earnest: for a machine of our own only. */
static void a_cpu_that_is_switched_off_and_on_is_sampled_again(void)
{
	struct sampler_config config = {.way = way, .hz = HZ};
	SCOPED(sampler_free) struct sampler *sampler = NULL;
	uint64_t values[COUNTER_MAX], until_ns;
	struct sampler_reason reason;
	uint32_t online_count = 0;

	CHECK_EQ(sampler_open(&config, &reason, &sampler), 0);
	CHECK(is_sampled(sampler, 1));
	/* Seen to go and to come. */
	CHECK(is_sampled(sampler, 0));
	switch_cpu(1, false);
	CHECK_EQ(sampler_cpus_changed(sampler, &online_count), 0);
	CHECK_EQ(online_count, 1);
	switch_cpu(1, true);
	CHECK_EQ(sampler_cpus_changed(sampler, &online_count), 0);
	CHECK_EQ(online_count, 2);
	CHECK(is_sampled(sampler, 1));
	/* Gone and back between two looks. */
	CHECK(is_sampled(sampler, 0));
	switch_cpu(1, false);
	switch_cpu(1, true);
	until_ns = clock_monotonic_ns() + 20 * NS_PER_S;
	do {
		usleep(SAMPLER_INTERVAL_NS / NS_PER_US / 2);
		CHECK_EQ(sampler_cpus_changed(sampler, &online_count), 0);
		CHECK_EQ(sampler_counters(sampler, values), 0);
		CHECK(clock_monotonic_ns() < until_ns);
	} while (values[COUNTER_cpu_restarted] == 0);
	CHECK(is_sampled(sampler, 1));
}

/* "switch-cpus" as argument: CPUs may be switched off and on in earnest. */
int main(int argc, char **argv)
{
	privilege_need_sampling();
	/* First, while every CPU is allowed. */
	RUN(every_online_cpu_is_sampled);
	if (argc > 1 && strcmp(argv[1], "switch-cpus") == 0)
		RUN(a_cpu_that_is_switched_off_and_on_is_sampled_again);
	make_folder();
	RUN(a_cpu_that_goes_is_left_alone_and_one_that_comes_is_sampled);
	RUN(a_dead_timer_is_started_again);
	way = SAMPLER_PERF;
	RUN(a_cpu_that_goes_is_left_alone_and_one_that_comes_is_sampled);
	RUN(a_dead_timer_is_started_again);
	remove_folder();
	return 0;
}
