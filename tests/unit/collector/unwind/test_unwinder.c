/* SPDX-License-Identifier: Apache-2.0 */
/* The unwinder on this very process: its own registers, its own stack, its own files. */
#include "collector/unwind/unwinder.h"

#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/base/clock.h"
#include "tests/support/check.h"
#include "tests/support/unwind_memory.h"

#define DEPTH 24
#define FRAMES_SEEN_MAX 64
/* A sanitizer wants nearly 1 MiB of it for itself. */
#define THREAD_STACK_BYTES ((size_t)2 * 1024 * 1024)

static struct unwind_memory_fixture memory;
static struct tally tally;
static struct process_table processes;
static struct unwinder unwinder;

/* The last process that walks were told of, and how often. */
static uint32_t told_pid, told_count, forgotten_pid;
static struct unwind_process told;
static int tell_result;

static void *make_shard(void *context, uint32_t number)
{
	return unwind_memory_make_shard(context, number);
}

static int tell_process(void *context, uint32_t pid, const struct unwind_process *process)
{
	(void)context;
	told_pid = pid;
	told = *process;
	told_count++;
	return tell_result;
}

static void forget_process(void *context, uint32_t pid)
{
	(void)context;
	forgotten_pid = pid;
}

static void set_up(void)
{
	struct process_table_config process_config = {.tally = &tally};
	struct unwinder_config config = {
		.processes = &processes, .tally = &tally, .shard_count_max = 8};

	tally = (struct tally){{0}};
	told_count = 0;
	forgotten_pid = 0;
	tell_result = 0;
	unwind_memory_init(&memory);
	config.memory = (struct unwind_memory){.rules = memory.rules,
		.tables = memory.tables,
		.make_shard = make_shard,
		.tell_process = tell_process,
		.forget_process = forget_process,
		.context = &memory};
	CHECK_EQ(process_table_init(&processes, &process_config), 0);
	CHECK_EQ(process_table_scan(&processes), 0);
	CHECK_EQ(unwinder_init(&unwinder, &config), 0);
}

static void tear_down(void)
{
	process_table_done(&processes);
	unwinder_done(&unwinder);
	unwind_memory_done(&memory);
}

static struct process *own_process(void)
{
	struct process_sighting sighting = {
		.pid = (uint32_t)getpid(), .taken_at_ns = clock_monotonic_ns()};

	return process_table_see(&processes, &sighting);
}

/* --- a sample of this thread -------------------------------------------------------------------
 */

struct seen {
	struct event_sample *sample;
	void *frames[FRAMES_SEEN_MAX]; /* as the C library's unwinder sees them */
	int frame_count;
};

/* Reads across frames, and what the sanitizer keeps between variables. */
static __attribute__((noinline, no_sanitize("address"))) void copy_words(
	uint64_t *to, const volatile uint64_t *from, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		to[i] = from[i];
}

/* Reads the registers where it stands, and the stack above. */
static __attribute__((noinline)) int see(struct seen *seen)
{
	struct unwind_state state = {.registers = {.is_exact = 1, .is_leaf = 1}};
	struct unwind_registers *registers = &state.registers;
	struct event_sample *sample = calloc(1, EVENT_SAMPLE_BYTES_MAX);
	uint64_t *rest;

	CHECK(sample);
	__asm__ volatile("lea 0(%%rip), %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2\n\tmov %%rbx, %3"
			 : "=&r"(registers->ip), "=&r"(registers->sp), "=&r"(registers->bp),
			 "=&r"(registers->bx));
	*sample = (struct event_sample){
		.kind = EVENT_SAMPLE,
		.pid = (uint32_t)getpid(),
		.user_frame_count = 1,
		.kernel_stop = STOP_absent,
		.user_stop = STOP_no_process,
		.stack_bytes = STACK_COPY_BYTES_MAX,
		.exec_number = 3,
		.process_started_at_ns = 4,
	};
	sample->ips[0] = registers->ip;
	rest = &sample->ips[1];
	memcpy(rest, &state, sizeof(state));
	copy_words(rest + sizeof(state) / 8, (const volatile uint64_t *)(uintptr_t)registers->sp,
		STACK_COPY_BYTES_MAX / 8);
	seen->sample = sample;
	seen->frame_count = backtrace(seen->frames, FRAMES_SEEN_MAX);
	return 1;
}

static int compare_and_see(const void *left, const void *right)
{
	struct seen *const *seen = left;

	(void)right;
	if (!(*seen)->sample)
		see(*seen);
	return 0;
}

/* Through a callback of the C library, which has no frame pointers. */
/* NOLINTNEXTLINE(misc-no-recursion): a deep stack is what is wanted */
static __attribute__((noinline)) int descend(struct seen *seen, int depth)
{
	struct seen *pair[2] = {seen, seen};

	if (depth > 0)
		return descend(seen, depth - 1) + 1;
	qsort(pair, 2, sizeof(pair[0]), compare_and_see);
	return 1;
}

static void see_deep(struct seen *seen)
{
	*seen = (struct seen){.sample = NULL};
	/* More stack above than is copied, so that nothing behind its end is read. */
	volatile uint8_t above[STACK_COPY_BYTES_MAX];

	above[0] = 0;
	CHECK_EQ(descend(seen, DEPTH), DEPTH + 1 + above[0]);
	CHECK(seen->sample && seen->frame_count > DEPTH + 4);
}

/* The callers of see(), the first COUNT - 1 of them. Where a sanitizer stands between, the C library
 * sees its function, too. */
static void check_callers(const struct event_sample *whole, const struct seen *seen, int count)
{
	int skipped = 0;

	while (skipped < 2 && whole->ips[1] != (uintptr_t)seen->frames[1 + skipped])
		skipped++;
	for (int i = 1; i < count; i++)
		CHECK_EQ(whole->ips[i], (uintptr_t)seen->frames[i + skipped]);
}

/* --- tests -------------------------------------------------------------------------------------
 */

static void a_walk_goes_on_as_the_c_library_sees_it(void)
{
	const struct event_sample *whole;
	struct seen seen;

	set_up();
	see_deep(&seen);
	whole = unwinder_complete(&unwinder, seen.sample, own_process(), clock_monotonic_ns());
	CHECK(whole != seen.sample);
	CHECK_EQ(whole->stack_bytes, 0);
	CHECK(whole->user_frame_count > DEPTH + 4);
	check_callers(whole, &seen, DEPTH + 4);
	CHECK_EQ(tally_value(&tally, TALLY_stacks_continued), 1);
	CHECK(tally_value(&tally, TALLY_unwind_tables_built) >= 2);
	free(seen.sample);
	tear_down();
}

static void walks_are_told_of_the_process_once(void)
{
	struct seen seen;
	struct process *process;

	set_up();
	see_deep(&seen);
	process = own_process();
	unwinder_complete(&unwinder, seen.sample, process, clock_monotonic_ns());
	CHECK_EQ(told_count, 1);
	CHECK_EQ(told_pid, getpid());
	CHECK_EQ(told.exec_number, 3);
	CHECK_EQ(told.started_at_ns, 4);
	CHECK_EQ(told.version, process->mappings->version);
	CHECK(node_pool_at(&unwinder.pool, told.root));
	/* A table was missing: nothing new about the process. */
	seen.sample->user_stop = STOP_no_table;
	unwinder_complete(&unwinder, seen.sample, process, clock_monotonic_ns());
	CHECK_EQ(told_count, 1);
	/* It was forgotten, or became another program. */
	seen.sample->user_stop = STOP_no_process;
	unwinder_complete(&unwinder, seen.sample, process, clock_monotonic_ns());
	CHECK_EQ(told_count, 2);
	free(seen.sample);
	process_table_done(&processes);
	CHECK_EQ(forgotten_pid, getpid());
	CHECK_EQ(
		process_table_init(&processes, &(struct process_table_config){.tally = &tally}), 0);
	tear_down();
}

/* The walk ended at the file, without a copy of its stack: the table is made for the next one. */
static void a_table_that_a_walk_missed_is_made_without_its_stack(void)
{
	static const uint8_t stops[] = {STOP_no_table, STOP_no_room};
	struct seen seen;

	for (size_t i = 0; i < sizeof(stops); i++) {
		set_up();
		see_deep(&seen);
		seen.sample->stack_bytes = 0;
		seen.sample->user_stop = stops[i];
		CHECK(unwinder_complete(&unwinder, seen.sample, own_process(),
			      clock_monotonic_ns()) == seen.sample);
		CHECK_EQ(tally_value(&tally, TALLY_unwind_tables_built), 1);
		CHECK_EQ(tally_value(&tally, TALLY_stacks_continued), 0);
		free(seen.sample);
		tear_down();
	}
}

static void *see_in_thread(void *context)
{
	see(context);
	return NULL;
}

static void a_thread_is_whole_up_to_where_it_begins(void)
{
	const struct event_sample *whole;
	struct seen seen = {.sample = NULL};
	pthread_attr_t attributes;
	pthread_t thread;
	void *stack;

	set_up();
	/* The thread's stack ends in the middle of readable memory: what is copied lies in it. */
	stack = mmap(NULL, THREAD_STACK_BYTES + STACK_COPY_BYTES_MAX, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(stack != MAP_FAILED);
	CHECK_EQ(pthread_attr_init(&attributes), 0);
	CHECK_EQ(pthread_attr_setstack(&attributes, stack, THREAD_STACK_BYTES), 0);
	CHECK_EQ(pthread_create(&thread, &attributes, see_in_thread, &seen), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	whole = unwinder_complete(&unwinder, seen.sample, own_process(), clock_monotonic_ns());
	CHECK_EQ(whole->user_stop, STOP_complete);
	CHECK_EQ(tally_value(&tally, TALLY_stacks_completed), 1);
	check_callers(whole, &seen, whole->user_frame_count);
	pthread_attr_destroy(&attributes);
	munmap(stack, THREAD_STACK_BYTES + STACK_COPY_BYTES_MAX);
	free(seen.sample);
	tear_down();
}

static void a_copy_that_ends_early_is_a_truncated_stack(void)
{
	const struct event_sample *whole;
	struct seen seen;

	set_up();
	see_deep(&seen);
	seen.sample->stack_bytes = 512;
	whole = unwinder_complete(&unwinder, seen.sample, own_process(), clock_monotonic_ns());
	CHECK_EQ(whole->user_stop, STOP_truncated);
	CHECK(whole->user_frame_count >= 2 && whole->user_frame_count < DEPTH);
	check_callers(whole, &seen, whole->user_frame_count);
	free(seen.sample);
	tear_down();
}

static void a_whole_sample_stays_as_it_is(void)
{
	struct event_sample sample = {.user_stop = STOP_complete};

	set_up();
	CHECK(unwinder_complete(&unwinder, &sample, own_process(), 0) == &sample);
	CHECK(unwinder_complete(&unwinder, &sample, NULL, 0) == &sample);
	CHECK_EQ(told_count, 0);
	tear_down();
}

static void frames_found_by_mappings_of_before_are_cut_off(void)
{
	const struct event_sample *cut;
	struct process *process;
	struct seen seen;
	struct mapping over = {.binary = NULL};
	const struct mapping *code;

	set_up();
	see_deep(&seen);
	process = own_process();
	/* The walk went by today's mappings, then something else was mapped over this code. */
	seen.sample->mappings_version = process->mappings->version;
	seen.sample->user_stop = STOP_complete;
	seen.sample->stack_bytes = 0;
	seen.sample->user_frame_count = 3;
	seen.sample->ips[1] = 1;
	seen.sample->ips[2] = 2;
	code = mapping_set_find(process->mappings, seen.sample->ips[0]);
	over.start = code->start;
	over.end = code->end;
	CHECK_EQ(mapping_set_insert(&processes.pool, &process->mappings, &over), 0);
	cut = unwinder_complete(&unwinder, seen.sample, process, clock_monotonic_ns());
	CHECK_EQ(cut->user_frame_count, 1);
	CHECK_EQ(cut->user_stop, STOP_table_replaced);
	CHECK_EQ(tally_value(&tally, TALLY_stacks_cut), 1);
	free(seen.sample);
	tear_down();
}

static void a_process_without_room_is_counted(void)
{
	struct seen seen;

	set_up();
	see_deep(&seen);
	tell_result = -E2BIG;
	unwinder_complete(&unwinder, seen.sample, own_process(), clock_monotonic_ns());
	CHECK_EQ(tally_value(&tally, TALLY_unwind_processes_refused), 1);
	free(seen.sample);
	tear_down();
}

int main(void)
{
	RUN(a_walk_goes_on_as_the_c_library_sees_it);
	RUN(walks_are_told_of_the_process_once);
	RUN(a_table_that_a_walk_missed_is_made_without_its_stack);
	RUN(a_thread_is_whole_up_to_where_it_begins);
	RUN(a_copy_that_ends_early_is_a_truncated_stack);
	RUN(a_whole_sample_stays_as_it_is);
	RUN(frames_found_by_mappings_of_before_are_cut_off);
	RUN(a_process_without_room_is_counted);
	return 0;
}
