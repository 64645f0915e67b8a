/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernel/compared.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/kernel/cpu_list.h"
#include "collector/kernel/stop.h"
#include "collector/process/task_events.h"
#include "collector/sample/hold.h"
#include "store/base/clock.h"
#include "tests/kernel/held.h"
#include "tests/kernel/libdwfl_walk.h"
#include "tests/kernel/loaded.h"
#include "tests/kernel/perf_stacks.h"
#include "tests/kernel/unwound.h"
#include "tests/support/check.h"

#define RING_BYTES ((uint32_t)16 << 20)
#define SHARD_COUNT 24
#define ROUND_US 10000
/* A record is in its ring so soon after the instant that it tells of. */
#define SETTLED_NS (20 * NS_PER_MS)
/* The event reads the clock before our program does, or behind it on kernels before 6.2; both are in
 * one interrupt, and the next is a period away. */
#define SAME_INSTANT_NS (NS_PER_MS / 2)
/* What a process maps is read again so often at most. */
#define REFRESH_NS (200 * NS_PER_MS)
/* A host on which a program gets no CPU for so long is not one to compare on. */
#define WAIT_NS_MAX (60 * NS_PER_S)

/* Our samples that still wait for libdwfl's. */
struct waiting {
	struct waiting *next;
	struct event_sample sample;
};

struct queue {
	struct waiting *first;
	struct waiting **last;
};

struct comparing {
	const struct comparison_config *config;
	struct comparison *comparison;
	struct loaded loaded;
	struct unwound unwound;
	struct task_events *events;
	struct hold hold;
	struct perf_stacks *stacks;
	struct libdwfl_walk walk;
	struct queue queues[CPU_LIST_MAX];
	uint64_t compare_from_ns;
	uint64_t refreshed_at_ns;
};

static void begin(struct comparing *all)
{
	struct task_events_config config = {.tally = &all->unwound.tally};

	loaded_init(&all->loaded, RING_BYTES, true);
	unwound_init_maps(&all->unwound, &all->loaded.maps, SHARD_COUNT);
	CHECK_EQ(task_events_new(&config, &all->events), 0);
	hold_init(&all->hold);
	libdwfl_walk_init(&all->walk);
	for (uint32_t i = 0; i < CPU_LIST_MAX; i++)
		all->queues[i].last = &all->queues[i].first;
}

/* Frees the samples of QUEUE that were taken before TIME_NS. */
static void drop_before(struct queue *queue, uint64_t time_ns)
{
	while (queue->first && queue->first->sample.taken_at_ns < time_ns) {
		struct waiting *first = queue->first;

		queue->first = first->next;
		if (!queue->first)
			queue->last = &queue->first;
		free(first);
	}
}

static void end(struct comparing *all)
{
	for (uint32_t i = 0; i < CPU_LIST_MAX; i++)
		drop_before(&all->queues[i], UINT64_MAX);
	libdwfl_walk_done(&all->walk);
	hold_done(&all->hold);
	task_events_free(all->events);
	unwound_done(&all->unwound);
	loaded_done(&all->loaded);
}

/* --- the command ------------------------------------------------------------------------------- */

/* A process group that waits for its end of a pipe before it becomes the command. */
static pid_t start_command(char *const *argv, int *ret_go_fd)
{
	int ends[2];
	pid_t pid;
	char byte;

	CHECK_EQ(pipe2(ends, O_CLOEXEC), 0);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		CHECK_EQ(read(ends[0], &byte, 1), 1);
		execvp(argv[0], argv);
		fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
		_exit(127);
	}
	close(ends[0]);
	*ret_go_fd = ends[1];
	return pid;
}

static void end_command(pid_t pid)
{
	int status;

	CHECK_EQ(waitpid(pid, &status, WNOHANG), 0);
	kill(-pid, SIGKILL);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
}

/* --- our side ---------------------------------------------------------------------------------- */

static int hold_sample(void *context, const struct event_sample *sample)
{
	struct comparing *all = context;

	CHECK_EQ(hold_add(&all->hold, sample), 0);
	all->comparison->ours_frames += sample->kernel_frame_count + sample->user_frame_count;
	return 0;
}

static void enqueue(struct queue *queue, const struct event_sample *sample)
{
	uint64_t byte_count = event_sample_bytes(sample);
	struct waiting *waiting = malloc(sizeof(*waiting) + byte_count);

	CHECK(waiting != NULL);
	waiting->next = NULL;
	memcpy(&waiting->sample, sample, byte_count);
	*queue->last = waiting;
	queue->last = &waiting->next;
}

static const struct event_sample *finish(struct comparing *all, const struct event_sample *sample)
{
	bool counts = sample->taken_at_ns >= all->compare_from_ns;

	all->comparison->kernel_whole += counts && sample->user_stop == STOP_complete;
	sample = unwound_complete(&all->unwound, sample);
	all->comparison->whole += counts && sample->user_stop == STOP_complete;
	if (counts && all->config->on_sample)
		all->config->on_sample(all->config->context, sample);
	return sample;
}

static void take_ours(struct comparing *all, uint64_t until_ns)
{
	const struct event_sample *sample;
	struct task_record record;

	CHECK(rings_drain(&all->loaded.rings, hold_sample, all) >= 0);
	while ((sample = hold_next(&all->hold, until_ns)) != NULL) {
		while (task_events_next(all->events, sample->taken_at_ns, &record) == 1)
			process_table_apply(&all->unwound.processes, &record);
		CHECK(sample->cpu < CPU_LIST_MAX);
		enqueue(&all->queues[sample->cpu], finish(all, sample));
	}
	hold_compact(&all->hold);
}

/* --- comparing --------------------------------------------------------------------------------- */

static enum comparison_class classify(
	const struct event_sample *sample, const struct libdwfl_walk *walk, uint32_t *ret_common)
{
	const uint64_t *ours = sample->ips + sample->kernel_frame_count;
	uint32_t count = sample->user_frame_count, common = 0;

	while (common < count && common < walk->count && ours[common] == walk->ips[common])
		common++;
	*ret_common = common;
	if (common < count && common < walk->count)
		return COMPARISON_DIFFERENT;
	if (count == walk->count)
		return COMPARISON_EQUAL;
	return common == walk->count ? COMPARISON_OURS_LONGER : COMPARISON_THEIRS_LONGER;
}

static void note_kind(struct comparing *all, const struct event_sample *sample,
	enum comparison_class class, uint32_t common)
{
	const uint64_t *ours = sample->ips + sample->kernel_frame_count;
	struct comparison *comparison = all->comparison;
	uint64_t within = 0;
	const char *file = common
		? libdwfl_walk_place(&all->walk, sample->pid, ours[common - 1], &within)
		: "";
	struct comparison_kind *kind = comparison->kinds;

	for (uint32_t i = 0; i < comparison->kind_count; i++, kind++) {
		if (kind->kind == class && kind->stop == sample->user_stop &&
			kind->within == within && strcmp(kind->file, file) == 0) {
			kind->count++;
			return;
		}
	}
	if (comparison->kind_count == COMPARISON_KINDS_MAX)
		return;
	comparison->kind_count++;
	*kind = (struct comparison_kind){
		.kind = class,
		.stop = sample->user_stop,
		.within = within,
		.ours = common < sample->user_frame_count ? ours[common] : 0,
		.theirs = common < all->walk.count ? all->walk.ips[common] : 0,
		.count = 1,
	};
	snprintf(kind->file, sizeof(kind->file), "%s", file);
}

/* What a process maps may have changed since libdwfl looked. */
static enum comparison_class walk_and_classify(struct comparing *all,
	const struct event_sample *sample, const struct perf_stack *stack, uint32_t *ret_common)
{
	enum comparison_class class = classify(sample, &all->walk, ret_common);
	uint64_t now_ns = clock_monotonic_ns();

	if (class == COMPARISON_EQUAL || now_ns < all->refreshed_at_ns + REFRESH_NS)
		return class;
	all->refreshed_at_ns = now_ns;
	libdwfl_walk_forget(&all->walk, stack->pid);
	if (!libdwfl_walk_stack(&all->walk, stack))
		return class;
	return classify(sample, &all->walk, ret_common);
}

static uint64_t time_between(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns > b_ns ? a_ns - b_ns : b_ns - a_ns;
}

static bool is_same_instant(const struct event_sample *sample, const struct perf_stack *stack)
{
	return sample->tid == stack->tid && sample->user_frame_count > 0 &&
		sample->ips[sample->kernel_frame_count] == stack->registers[16] &&
		time_between(sample->taken_at_ns, stack->taken_at_ns) <= SAME_INSTANT_NS;
}

/* Ours of the same instant, the nearest in time if a late timer ticked twice; NULL if it was lost. */
static const struct event_sample *ours_of(struct comparing *all, const struct perf_stack *stack)
{
	struct queue *queue = &all->queues[stack->cpu];
	const struct event_sample *nearest = NULL;

	drop_before(queue, stack->taken_at_ns - SAME_INSTANT_NS);
	for (const struct waiting *at = queue->first; at; at = at->next) {
		const struct event_sample *sample = &at->sample;

		if (is_same_instant(sample, stack) &&
			(!nearest ||
				time_between(sample->taken_at_ns, stack->taken_at_ns) <
					time_between(nearest->taken_at_ns, stack->taken_at_ns)))
			nearest = sample;
		if (sample->taken_at_ns > stack->taken_at_ns + SAME_INSTANT_NS)
			break;
	}
	return nearest;
}

static void compare_stack(void *context, const struct perf_stack *stack)
{
	struct comparing *all = context;
	const struct event_sample *sample = ours_of(all, stack);
	enum comparison_class class;
	uint32_t common;

	if (stack->taken_at_ns < all->compare_from_ns)
		return;
	if (!sample || !libdwfl_walk_stack(&all->walk, stack)) {
		all->comparison->not_compared++;
		return;
	}
	class = walk_and_classify(all, sample, stack, &common);
	all->comparison->counts[class]++;
	if (class != COMPARISON_EQUAL)
		note_kind(all, sample, class, common);
}

static void run_round(struct comparing *all)
{
	uint64_t until_ns = clock_monotonic_ns() - SETTLED_NS;

	take_ours(all, until_ns);
	perf_stacks_drain(all->stacks, until_ns, compare_stack, all);
}

static bool is_over(const struct comparing *all)
{
	uint64_t now_ns = clock_monotonic_ns();
	uint64_t until_ns = all->compare_from_ns + all->config->duration_ns;

	if (now_ns < until_ns)
		return false;
	return comparison_total(all->comparison) >= all->config->stacks_min ||
		now_ns > until_ns + WAIT_NS_MAX;
}

void compare_command(const struct comparison_config *config, struct comparison *ret_comparison)
{
	static struct comparing all;
	int go_fd, measuring_fd = held_measure_run_time();
	pid_t pid = start_command(config->argv, &go_fd);

	memset(ret_comparison, 0, sizeof(*ret_comparison));
	ret_comparison->pid = pid;
	memset(&all, 0, sizeof(all));
	all.config = config;
	all.comparison = ret_comparison;
	begin(&all);
	all.stacks = perf_stacks_new(pid, NS_PER_S / config->hz, all.loaded.program_fd);
	all.compare_from_ns = clock_monotonic_ns() + config->warm_up_ns;
	CHECK_EQ(write(go_fd, "", 1), 1);
	while (!is_over(&all)) {
		usleep(ROUND_US);
		run_round(&all);
	}
	end_command(pid);
	ret_comparison->theirs_ns = all.walk.walk_ns;
	ret_comparison->theirs_frames = all.walk.frame_count;
	ret_comparison->ours_ns = held_run_time_of_fd(all.loaded.program_fd).run_ns;
	ret_comparison->ticks = held_run_time_of_fd(all.loaded.program_fd).run_count;
	if (perf_stacks_lost(all.stacks))
		fprintf(stderr, "%llu records lost\n",
			(unsigned long long)perf_stacks_lost(all.stacks));
	perf_stacks_free(all.stacks);
	end(&all);
	close(go_fd);
	close(measuring_fd);
}

/* --- telling ----------------------------------------------------------------------------------- */

uint64_t comparison_total(const struct comparison *comparison)
{
	uint64_t total = 0;

	for (int i = 0; i < COMPARISON_CLASSES; i++)
		total += comparison->counts[i];
	return total;
}

static int compare_kinds(const void *left, const void *right)
{
	const struct comparison_kind *a = left, *b = right;

	return a->count < b->count ? 1 : a->count > b->count ? -1 : 0;
}

void comparison_print_kinds(struct comparison *comparison, uint32_t count_max)
{
	static const char *const words[] = {"equal", "ours longer", "theirs longer", "different"};

	qsort(comparison->kinds, comparison->kind_count, sizeof(comparison->kinds[0]),
		compare_kinds);
	for (uint32_t i = 0; i < comparison->kind_count && i < count_max; i++) {
		const struct comparison_kind *kind = &comparison->kinds[i];

		fprintf(stderr, "%6llu %s after %s+0x%llx: ours (%s) 0x%llx, theirs 0x%llx\n",
			(unsigned long long)kind->count, words[kind->kind],
			kind->file[0] ? kind->file : "memory", (unsigned long long)kind->within,
			stop_words(kind->stop), (unsigned long long)kind->ours,
			(unsigned long long)kind->theirs);
	}
}
