/* SPDX-License-Identifier: Apache-2.0 */
/* Tables are evicted and built again in a tight loop while a program is sampled whose stacks tell
 * whether they are right: none is ever wrong.
 *
 * test_eviction CHAIN [STACKS [HZ]]: goes on until so many stacks were checked. */
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/process/locate.h"
#include "store/base/clock.h"
#include "tests/kernel/loaded.h"
#include "tests/kernel/privilege.h"
#include "tests/kernel/unwound.h"
#include "tests/support/check.h"
#include "tests/support/random.h"

#define HZ_USUAL 9973
#define STACKS_USUAL 10000
#define SECONDS_MAX 1200
#define SHARD_COUNT 8
#define PROGRAMS 2
#define DEPTH 60
#define DEPTH_TEXT "60"
/* Some 10 us, so that the chain itself is sampled as well as its end. */
#define TURNS_TEXT "20000"
#define FUNCTIONS 4096
#define FUNCTION_BYTES 64
#define TABLES_MAX 64
#define RING_BYTES (8 << 20)
/* Tables stand for a while, so that walks go by them when they are taken back. */
#define PAUSE_US_MAX 300
/* One round in so many begins without them. */
#define MAPPINGS_STAND 4
#define DRAIN_NS (40 * NS_PER_MS)

struct chain {
	pid_t pid;
	uint64_t functions, enter, end;
};

struct seen {
	struct unwound unwound;
	struct chain chains[PROGRAMS];
	int event_fds[PROGRAMS];
	uint64_t checked;
	uint64_t whole;
	uint64_t wrong;
	uint32_t tail; /* frames above chain_enter of a whole stack; 0: not known yet */
	int fds[TABLES_MAX]; /* of the file behind each table; -1: none */
	uint64_t build_count;
};

static const char *program;
static uint64_t stacks_wanted = STACKS_USUAL;
static uint64_t hz = HZ_USUAL;

static struct chain start_chain(void)
{
	struct chain chain = {.pid = 0};
	int ends[2];
	char line[128];
	ssize_t length;

	CHECK_EQ(pipe2(ends, O_CLOEXEC), 0);
	chain.pid = fork();
	CHECK(chain.pid >= 0);
	if (chain.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(ends[1], STDOUT_FILENO);
		execl(program, program, DEPTH_TEXT, TURNS_TEXT, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	length = read(ends[0], line, sizeof(line) - 1);
	CHECK(length > 0);
	line[length] = '\0';
	CHECK_EQ(sscanf(line, "%lx %lx %lx", &chain.functions, &chain.enter, &chain.end), 3);
	close(ends[0]);
	return chain;
}

/* --- whether a stack is right ------------------------------------------------------------------ */

/* The number of the function at ADDRESS, or FUNCTIONS. */
static uint64_t function_at(const struct chain *chain, uint64_t address)
{
	uint64_t number = (address - chain->functions) / FUNCTION_BYTES;

	return number < FUNCTIONS ? number : FUNCTIONS;
}

/* Frames of the chain from the leaf on, each called by the next. */
static uint32_t chain_length(const struct chain *chain, const uint64_t *ips, uint32_t count)
{
	uint32_t length = 1;

	while (length < count) {
		uint64_t called = function_at(chain, ips[length - 1] - (length > 1));
		uint64_t caller = function_at(chain, ips[length] - 1);

		if (caller == FUNCTIONS || (caller * 5 + 7) % FUNCTIONS != called)
			break;
		length++;
	}
	return length;
}

static bool is_right(
	struct seen *seen, const struct chain *chain, const struct event_sample *sample)
{
	const uint64_t *ips = sample->ips + sample->kernel_frame_count;
	uint32_t count = sample->user_frame_count;
	uint32_t length = chain_length(chain, ips, count);

	if (length > DEPTH)
		return false;
	if (length == count)
		return sample->user_stop != STOP_complete;
	if (ips[length] < chain->enter || ips[length] >= chain->end)
		return false;
	if (sample->user_stop != STOP_complete)
		return true;
	seen->whole++;
	if (seen->tail == 0)
		seen->tail = count - length;
	return count - length == seen->tail;
}

static void print_wrong(const struct event_sample *sample)
{
	fprintf(stderr, "wrong (stop %d):", sample->user_stop);
	for (uint32_t i = 0; i < sample->user_frame_count; i++)
		fprintf(stderr, " %lx", sample->ips[sample->kernel_frame_count + i]);
	fprintf(stderr, "\n");
}

static int check_sample(void *context, const struct event_sample *sample)
{
	struct seen *seen = context;

	sample = unwound_complete(&seen->unwound, sample);
	for (int i = 0; i < PROGRAMS; i++) {
		const struct chain *chain = &seen->chains[i];

		if (sample->pid != (uint32_t)chain->pid || sample->user_frame_count == 0 ||
			function_at(chain, sample->ips[sample->kernel_frame_count]) == FUNCTIONS)
			continue;
		seen->checked++;
		if (is_right(seen, chain, sample))
			continue;
		if (seen->wrong++ < 5)
			print_wrong(sample);
	}
	return 0;
}

/* --- the loop that takes tables away ----------------------------------------------------------- */

static int file_of_table(struct seen *seen, uint32_t number)
{
	struct table_store *tables = &seen->unwound.unwinder.tables;
	const char *path;

	if (number >= TABLES_MAX)
		return -1;
	if (seen->fds[number] < 0) {
		seen->fds[number] = locate_file(
			&seen->unwound.processes, &tables->entries[number].build_id, &path);
	}
	return seen->fds[number];
}

/* Takes every table back and builds them all anew in another order, so that each gets nodes of others
 * while walks still go by the old ones. */
static void replace_tables(struct seen *seen, uint32_t round)
{
	struct table_store *tables = &seen->unwound.unwinder.tables;
	uint64_t now_ns = clock_monotonic_ns();
	uint32_t ready[TABLES_MAX], count = 0;

	for (uint32_t i = 0; i < tables->count && count < TABLES_MAX; i++)
		if (tables->tables[i].state == UNWIND_TABLE_ready && file_of_table(seen, i) >= 0)
			ready[count++] = i;
	while (table_store_evict(tables, UNWIND_TABLES_MAX, 0, now_ns))
		;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t number = ready[(i + round) % count];

		table_store_build(tables, number, seen->fds[number], now_ns);
		seen->build_count++;
	}
}

/* The programs' mappings are taken back, as when a process maps something: walks find another generation,
 * and the nodes go to the tables that are built next. */
static void replace_mappings(struct seen *seen)
{
	struct process_table *processes = &seen->unwound.processes;

	for (struct process *process = processes->newest; process; process = process->older)
		if (process->mappings)
			mapping_tree_forget(process->mappings, &seen->unwound.unwinder.pool);
}

static void print_counters(struct seen *seen, struct loaded *loaded)
{
	uint64_t replaced = loaded_counter(loaded, COUNTER_user_stop_table_replaced);
	uint64_t absent = loaded_counter(loaded, COUNTER_user_stop_no_table);

	printf("stacks %lu\nwhole %lu\nwrong %lu\nbuilt %lu\nevicted %lu\n", seen->checked,
		seen->whole, seen->wrong, seen->build_count,
		tally_value(&seen->unwound.tally, TALLY_unwind_tables_evicted));
	printf("met_replaced %lu\nmet_absent %lu\nwithout_room %lu\nlost %lu\n", replaced, absent,
		loaded_counter(loaded, COUNTER_stacks_without_room),
		loaded_counter(loaded, COUNTER_ring_full));
	/* On a single CPU no walk meets a table that is being built, but for a preemption's chance. */
	CHECK(replaced > 0);
}

static void start_all(struct seen *seen, struct loaded *loaded)
{
	for (int i = 0; i < TABLES_MAX; i++)
		seen->fds[i] = -1;
	loaded_init(loaded, RING_BYTES, false);
	unwound_init_maps(&seen->unwound, &loaded->maps, SHARD_COUNT);
	for (int i = 0; i < PROGRAMS; i++) {
		seen->chains[i] = start_chain();
		seen->event_fds[i] =
			loaded_sample_thread(loaded, seen->chains[i].pid, NS_PER_S / hz);
	}
}

static void end_all(struct seen *seen, struct loaded *loaded)
{
	for (int i = 0; i < PROGRAMS; i++) {
		kill(seen->chains[i].pid, SIGKILL);
		waitpid(seen->chains[i].pid, NULL, 0);
		close(seen->event_fds[i]);
	}
	for (int i = 0; i < TABLES_MAX; i++)
		if (seen->fds[i] >= 0)
			close(seen->fds[i]);
	unwound_done(&seen->unwound);
	loaded_done(loaded);
}

static void no_stack_is_ever_wrong(void)
{
	uint64_t now_ns = clock_monotonic_ns(), until_ns = now_ns + SECONDS_MAX * NS_PER_S;
	struct random random = {.state = 1};
	static struct seen seen;
	struct loaded loaded;
	uint64_t drain_ns;

	start_all(&seen, &loaded);
	/* A single slow CPU may take its time until a walk meets what was taken back. */
	while (now_ns < until_ns &&
		(seen.checked < stacks_wanted ||
			loaded_counter(&loaded, COUNTER_user_stop_table_replaced) == 0)) {
		CHECK(rings_drain(&loaded.rings, check_sample, &seen) >= 0);
		if (random_below(&random, MAPPINGS_STAND) == 0)
			replace_mappings(&seen);
		drain_ns = clock_monotonic_ns() + DRAIN_NS;
		while ((now_ns = clock_monotonic_ns()) < drain_ns) {
			replace_tables(&seen, (uint32_t)random_below(&random, TABLES_MAX));
			usleep((useconds_t)random_below(&random, PAUSE_US_MAX));
		}
	}
	print_counters(&seen, &loaded);
	CHECK(seen.checked >= stacks_wanted);
	CHECK(seen.whole > seen.checked / 10);
	CHECK_EQ(seen.wrong, 0);
	end_all(&seen, &loaded);
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: %s CHAIN [STACKS [HZ]]\n", argv[0]);
		return 2;
	}
	program = argv[1];
	if (argc > 2)
		stacks_wanted = strtoul(argv[2], NULL, 10);
	if (argc > 3)
		hz = strtoul(argv[3], NULL, 10);
	privilege_need_sampling();
	RUN(no_stack_is_ever_wrong);
	return 0;
}
