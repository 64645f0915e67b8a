/* SPDX-License-Identifier: Apache-2.0 */
/* Samples a process whose every function is known, and compares. */
#include "collector/kernel/sampler.h"

#include <unistd.h>

#include "collector/kernel/stop.h"
#include "proto/wire/collector_counter.h"
#include "store/base/cleanup.h"
#include "store/base/clock.h"
#include "tests/kernel/held.h"
#include "tests/kernel/kernel_symbol.h"
#include "tests/kernel/known.h"
#include "tests/kernel/privilege.h"
#include "tests/kernel/unwound.h"
#include "tests/support/check.h"
#include "tests/support/random.h"

/* Enough samples that the error of counting is well below what is tolerated. An emulated CPU can't
 * keep this up: it is given a lower rate on the command line. */
#define HZ_USUAL 997
#define SECONDS 3
#define DRAIN_INTERVAL_US_MIN 50000
#define DRAIN_INTERVAL_US_MAX 150000

/* Of all samples in user mode, so many in a hundred have the whole right chain; the others were
 * taken while a frame was being set up or in the loops around. */
#define RIGHT_CHAINS_PERCENT_MIN 97
#define SHARD_COUNT 12
/* Copies of stacks at any rate of this test. */
#define STACK_BYTES_PER_S (UINT64_C(1) << 30)
#define STACK_RECORD_BYTES (17 << 10)
/* Sampled time against the kernel's own account. */
#define WEIGHT_PERCENT_OFF_MAX 4

DEFINE_SCOPED(struct sampler *, sampler_free)

static uint32_t hz = HZ_USUAL;

struct seen {
	struct unwound *unwound;
	bool is_walked; /* by BPF, which tells what belongs to the task, too */
	pid_t pid;
	struct clock_reading started;
	bool is_known; /* walks know of the process */
	uint64_t sample_count;
	uint64_t weight_ns;
	uint64_t user_count, user_right; /* samples of the computing thread in user mode */
	uint64_t kernel_count, kernel_right; /* samples of the reading thread in a system call */
	uint32_t computing_tid, reading_tid;
	uint64_t last_ns[1024]; /* by CPU */
};

/* Whether the COUNT addresses at IPS lie in FUNCTIONS, and no other follows. */
static bool chain_is(const uint64_t *ips, size_t ip_count, const enum known_function *functions,
	size_t function_count)
{
	if (ip_count != function_count)
		return false;
	for (size_t i = 0; i < ip_count; i++)
		if (known_function_of(ips[i]) != functions[i])
			return false;
	return true;
}

static void tally_computing(struct seen *tally, const struct event_sample *sample)
{
	static const enum known_function chain[] = {
		KNOWN_COMPUTE, KNOWN_MIDDLE, KNOWN_OUTER, KNOWN_BEGIN};
	const uint64_t *user_ips = sample->ips + sample->kernel_frame_count;

	CHECK(tally->computing_tid == 0 || tally->computing_tid == sample->tid);
	tally->computing_tid = sample->tid;
	tally->user_count++;
	if (sample->user_stop == STOP_complete && sample->kernel_frame_count == 0 &&
		chain_is(user_ips, sample->user_frame_count, chain, 4))
		tally->user_right++;
}

/* Kernel part: leaf first, ends in the entry of system calls. */
static bool kernel_part_is_right(const struct event_sample *sample)
{
	uint16_t count = sample->kernel_frame_count;

	return sample->kernel_stop == STOP_complete && count >= 3 &&
		kernel_symbol_starts_with(sample->ips[count - 1], "entry_SYSCALL_64") &&
		kernel_symbol_starts_with(sample->ips[count - 2], "do_syscall_64");
}

static void tally_reading(struct seen *tally, const struct event_sample *sample)
{
	static const enum known_function chain[] = {KNOWN_READ, KNOWN_READER, KNOWN_BEGIN};
	const uint64_t *user_ips = sample->ips + sample->kernel_frame_count;

	CHECK(tally->reading_tid == 0 || tally->reading_tid == sample->tid);
	tally->reading_tid = sample->tid;
	tally->kernel_count++;
	if (sample->user_stop == STOP_complete && kernel_part_is_right(sample) &&
		chain_is(user_ips, sample->user_frame_count, chain, 3))
		tally->kernel_right++;
}

static void check_common(struct seen *tally, const struct event_sample *sample)
{
	CHECK(sample->cpu < 1024);
	CHECK(sample->taken_at_ns > tally->last_ns[sample->cpu]);
	CHECK(sample->taken_at_ns <= clock_monotonic_ns());
	tally->last_ns[sample->cpu] = sample->taken_at_ns;
	CHECK(sample->kernel_frame_count + sample->user_frame_count > 0);
	CHECK((sample->flags & EVENT_IN_KERNEL) != 0 || sample->kernel_frame_count == 0);
	/* Perf events have no number for a thread that is nearly gone. */
	CHECK(sample->pid != 0 || (sample->flags & EVENT_KERNEL_THREAD) != 0 ||
		(!tally->is_walked && sample->user_stop == STOP_no_memory));
	CHECK((sample->flags & EVENT_KERNEL_THREAD) == 0 || sample->user_frame_count == 0);
}

static int tally_sample(void *context, const struct event_sample *sample)
{
	struct seen *tally = context;
	enum known_function leaf;

	check_common(tally, sample);
	sample = unwound_complete(tally->unwound, sample);
	if (sample->pid != (uint32_t)tally->pid)
		return 0;
	/* Perf events see of a thread that is nearly gone only that it has no memory of its own. */
	CHECK((sample->flags & EVENT_KERNEL_THREAD) == 0 || !tally->is_walked);
	if (tally->is_walked) {
		CHECK_STR(sample->comm, "test_sampling");
		CHECK(sample->process_started_at_ns > tally->started.boottime_ns - NS_PER_S);
		CHECK(sample->process_started_at_ns < tally->started.boottime_ns + NS_PER_S);
	}
	CHECK(sample->cgroup_id != 0);
	tally->sample_count++;
	tally->weight_ns += sample->weight_ns;
	/* On a busy host many processes are new at the start, and user space is late: until it has told
	 * walks of this one, its stacks may end at once. */
	tally->is_known |= sample->mappings_version != 0;
	if (!tally->is_known && sample->user_stop == STOP_no_process)
		return 0;
	leaf = sample->user_frame_count > 0
		? known_function_of(sample->ips[sample->kernel_frame_count])
		: KNOWN_NONE;
	if (leaf == KNOWN_COMPUTE && (sample->flags & EVENT_IN_KERNEL) == 0)
		tally_computing(tally, sample);
	else if (leaf == KNOWN_READ && (sample->flags & EVENT_IN_KERNEL) != 0)
		tally_reading(tally, sample);
	return 0;
}

static void drain_for(struct sampler *sampler, struct seen *tally, uint64_t duration_ns)
{
	uint64_t until_ns = clock_monotonic_ns() + duration_ns;
	struct random random = {.state = 1};

	/* In step with the timer, what the drain takes of a shared CPU would be sampled always, or
	 * never. */
	while (clock_monotonic_ns() < until_ns) {
		CHECK(sampler_drain(sampler, tally_sample, tally) >= 0);
		usleep(DRAIN_INTERVAL_US_MIN +
			random_below(&random, DRAIN_INTERVAL_US_MAX - DRAIN_INTERVAL_US_MIN));
	}
	CHECK(sampler_drain(sampler, tally_sample, tally) >= 0);
}

static void check_tally(const struct seen *tally, uint64_t cpu_ns)
{
	double off = 100.0 * ((double)tally->weight_ns / (double)cpu_ns - 1);

	printf("%llu samples stand for %.3f s of %.3f s CPU time used (%+.2f %%)\n",
		(unsigned long long)tally->sample_count, (double)tally->weight_ns / 1e9,
		(double)cpu_ns / 1e9, off);
	printf("computing: %llu of %llu chains right; reading: %llu of %llu\n",
		(unsigned long long)tally->user_right, (unsigned long long)tally->user_count,
		(unsigned long long)tally->kernel_right, (unsigned long long)tally->kernel_count);
	CHECK(off < WEIGHT_PERCENT_OFF_MAX && off > -WEIGHT_PERCENT_OFF_MAX);
	CHECK(tally->user_count > hz / 10 && tally->kernel_count > hz / 10);
	CHECK(tally->user_right * 100 >= tally->user_count * RIGHT_CHAINS_PERCENT_MIN);
	CHECK(tally->kernel_right * 100 >= tally->kernel_count * RIGHT_CHAINS_PERCENT_MIN);
	CHECK(tally->computing_tid != tally->reading_tid);
}

/* What came in went out or was counted by reason. */
static void check_counters(struct sampler *sampler, bool is_walked)
{
	uint64_t values[COUNTER_MAX], user_stops = 0;

	CHECK_EQ(sampler_counters(sampler, values), 0);
	for (int i = 0; i < COUNTER_MAX; i++) {
		if (values[i] > 0)
			printf("%-28s %llu\n", collector_counter_name((uint32_t)i),
				(unsigned long long)values[i]);
	}
	for (int stop = STOP_complete; stop < STOP_MAX; stop++)
		user_stops += values[COUNTER_OF_USER_STOP(stop)];
	CHECK(values[COUNTER_passed] > 0);
	CHECK_EQ(values[COUNTER_user_stop_not_walked] > 0, !is_walked);
	CHECK_EQ(
		values[COUNTER_ring_full] + values[COUNTER_no_record] + values[COUNTER_no_ring], 0);
	CHECK_EQ(values[COUNTER_malformed], 0);
	/* The counters of a CPU are read while it goes on counting. */
	CHECK(values[COUNTER_received] >= values[COUNTER_passed] + values[COUNTER_idle]);
	CHECK(values[COUNTER_received] <= values[COUNTER_passed] + values[COUNTER_idle] + 1024);
	CHECK(user_stops <= values[COUNTER_passed] + 1024);
}

static void print_run_time(void)
{
	struct held_ids ids = held_ids_of(getpid(), HELD_PROGRAM);
	struct held_run_time time;

	CHECK(ids.count > 0);
	time = held_run_time_of(ids.ids[0]);
	CHECK(time.run_count > 0);
	printf("BPF run time: %llu ns a tick (%llu ticks)\n",
		(unsigned long long)(time.run_ns / time.run_count),
		(unsigned long long)time.run_count);
}

/* Two seconds' worth of copies, however busy the machine is. */
static uint32_t stack_ring_bytes(void)
{
	uint32_t bytes = 1 << 20;

	while (bytes < 2 * hz * STACK_RECORD_BYTES)
		bytes *= 2;
	return bytes;
}

static void sample_known_process(enum sampler_way way)
{
	struct sampler_config config = {
		.way = way,
		.hz = hz,
		.stack_bytes_per_s = STACK_BYTES_PER_S,
		.ring_bytes = way == SAMPLER_PERF ? stack_ring_bytes() : 0,
	};
	SCOPED(sampler_free) struct sampler *sampler = NULL;
	SCOPED_FD int measuring_fd = held_measure_run_time();
	struct clock clock = clock_system();
	struct unwound unwound;
	struct seen tally = {.unwound = &unwound, .is_walked = way == SAMPLER_BPF};
	struct known_process process;
	struct sampler_reason reason;
	uint64_t cpu_ns;
	int r = sampler_open(&config, &reason, &sampler);

	if (r < 0)
		fprintf(stderr, "%s\n", reason.text);
	CHECK_EQ(r, 0);
	CHECK_EQ(sampler_walks_in_kernel(sampler), tally.is_walked);
	CHECK_EQ(sampler_period_ns(sampler), NS_PER_S / hz);
	unwound_init(&unwound, sampler, SHARD_COUNT);
	/* Opening a sampler takes a second and more where the CPU is emulated. */
	tally.started = clock_read(&clock);
	process = known_start();
	tally.pid = process.pid;
	drain_for(sampler, &tally, SECONDS * NS_PER_S);
	cpu_ns = known_finish(&process);
	drain_for(sampler, &tally, 0);
	check_tally(&tally, cpu_ns);
	check_counters(sampler, tally.is_walked);
	if (tally.is_walked)
		print_run_time();
	unwound_done(&unwound);
	CHECK(measuring_fd >= 0);
}

static void a_known_process_is_sampled_as_it_is(void)
{
	sample_known_process(SAMPLER_BPF);
}

static void a_known_process_is_sampled_as_it_is_without_bpf(void)
{
	sample_known_process(SAMPLER_PERF);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		hz = (uint32_t)strtoul(argv[1], NULL, 10);
	privilege_need_sampling();
	privilege_need_kernel_symbols();
	RUN(a_known_process_is_sampled_as_it_is);
	RUN(a_known_process_is_sampled_as_it_is_without_bpf);
	return 0;
}
