/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the data folder of a server that has taken profiles of a fleet for a while, and measures that:
 * appending durably, then compaction.
 *
 *     bench_fleet FOLDER HOSTS SERVICES-A-HOST HOURS WINDOW-SECONDS SAMPLES-A-WINDOW [MODULES [HOT-HOURS]]
 *
 * The store's clock goes with the windows, the last of which end now, and each hour it compacts what it
 * can, as a server does that takes them as they come. Some windows of each host are made and played in turn, in another order
 * each time: a host does the same things again, and to make each window anew would take hours.
 * MODULES: tests/support/fleet.h; `-` for none. Prints `name value` lines. A core is a second of this
 * process's CPU time. */
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "store/disk/profile_store.h"
#include "store/disk/segment_reader.h"
#include "tests/support/check.h"
#include "tests/support/fleet.h"
#include "tests/support/random.h"
#include "tests/support/slot_bytes.h"

#define SERVICE_COUNT 50
#define STACKS_A_SERVICE 4000
#define THREADS_A_PROCESS 8
#define CPU_COUNT 16
/* Of all hosts together; each has some memory. */
#define WINDOWS_KEPT 9000
/* How long a window is under way. */
#define DELAY_NS (2 * NS_PER_S)
#define HOUR_NS (3600 * NS_PER_S)
/* Of one host: half an hour of windows of 10 s. */
#define WINDOWS_A_HOST_MAX 180

struct stopwatch {
	double wall_s;
	double cpu_s;
};

struct bench {
	const char *folder;
	uint32_t host_count;
	uint32_t services_a_host;
	uint64_t window_ns;
	uint32_t sample_count; /* of a window */
	uint64_t step_count; /* windows that each host plays */
	uint64_t from_ns;
	const char *modules;
	uint64_t hot_ns;

	struct fleet *fleet;
	struct profile **windows; /* by host and number */
	uint32_t *order; /* the same */
	uint32_t kept; /* windows of a host */
	struct random random;
	uint64_t row_count;
	double slot_bytes; /* of a sample, in blocks */
	_Atomic uint64_t now_ns; /* by the store's clock, epoch */
	struct stopwatch appending, compacting; /* what they took */
};

static struct stopwatch read_stopwatch(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (struct stopwatch){
		.wall_s = (double)clock_monotonic_ns() / 1e9,
		.cpu_s = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
			(double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6,
	};
}

static void add_since(struct stopwatch *took, struct stopwatch start)
{
	struct stopwatch now = read_stopwatch();

	took->wall_s += now.wall_s - start.wall_s;
	took->cpu_s += now.cpu_s - start.cpu_s;
}

static void make_windows(struct bench *bench)
{
	uint64_t rows = 0, stacks = 0, depth = 0, slots = 0;

	bench->kept = WINDOWS_KEPT / bench->host_count;
	if (bench->kept > WINDOWS_A_HOST_MAX)
		bench->kept = WINDOWS_A_HOST_MAX;
	bench->windows = calloc((size_t)bench->host_count * bench->kept, sizeof(*bench->windows));
	bench->order = calloc((size_t)bench->host_count * bench->kept, sizeof(*bench->order));
	CHECK(bench->windows && bench->order);
	for (uint32_t i = 0; i < bench->host_count * bench->kept; i++) {
		const struct sample_table *table;

		bench->windows[i] = fleet_window(bench->fleet, i / bench->kept, bench->window_ns,
			bench->sample_count, i % bench->kept);
		bench->order[i] = i % bench->kept;
		slots += slot_bytes(bench->windows[i]);
		table = &bench->windows[i]->types[0];
		rows += table->row_count;
		/* Rows are sorted by stack. */
		for (uint32_t row = 0; row < table->row_count; row++) {
			uint32_t stack = table->rows[row].stack;

			stacks += row == 0 || table->rows[row - 1].stack != stack;
			depth += stack_table_depth(&bench->windows[i]->stacks, stack);
		}
	}
	bench->slot_bytes = (double)slots / (bench->host_count * bench->kept) / bench->sample_count;
	printf("rows_a_stack %.2f\nmean_depth %.1f\nstacks %" PRIu64 "\n",
		(double)rows / (double)stacks, (double)depth / (double)rows,
		fleet_stack_count(bench->fleet));
}

static void shuffle(struct bench *bench, uint32_t *order)
{
	for (uint32_t i = bench->kept - 1; i > 0; i--) {
		uint32_t other = random_below(&bench->random, i + 1), kept = order[i];

		order[i] = order[other];
		order[other] = kept;
	}
}

static void done(void *context, int result)
{
	(void)context;
	CHECK_EQ(result, 0);
}

static void append(struct bench *bench, struct profile_store *store, uint32_t host, uint64_t step)
{
	uint32_t *order = &bench->order[(size_t)host * bench->kept];
	struct batch_key key = {.instance = {1}, .sequence = step};
	struct profile *window;

	if (step % bench->kept == 0)
		shuffle(bench, order);
	window = bench->windows[(size_t)host * bench->kept + order[step % bench->kept]];
	fleet_move(window, bench->from_ns + step * bench->window_ns);
	atomic_store(&bench->now_ns, bench->from_ns + (step + 1) * bench->window_ns + DELAY_NS);
	memcpy(&key.instance[1], &host, sizeof(host));
	while (profile_store_append(store, &key, window, done, NULL) < 0)
		profile_store_flush(store);
	bench->row_count += window->types[0].row_count;
}

static struct clock_reading read_clock(void *context)
{
	struct bench *bench = context;
	const struct clock system = clock_system();
	struct clock_reading now = clock_read(&system);

	now.realtime_ns = atomic_load(&bench->now_ns);
	return now;
}

static struct profile_store *open_store(struct bench *bench)
{
	struct profile_store_config config = {.dir = bench->folder,
		.clock = {read_clock, bench},
		.retain_ns = UINT64_MAX,
		.retain_bytes = UINT64_MAX,
		.compact_on_demand = true,
		.hot_ns = bench->hot_ns};
	struct profile_store_report found;
	struct profile_store *store;

	CHECK_EQ(profile_store_open(&config, &found, &store), 0);
	return store;
}

static void print_bytes(struct profile_store *store)
{
	struct profile_store_stats stats;

	profile_store_stats(store, &stats);
	printf("bytes %" PRIu64 "\n", stats.bytes);
}

/* Of the segment PATH: bytes of slots, and samples. */
static void add_segment(const char *path, uint64_t *slots, uint64_t *samples)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const struct segment_summary *summary;
	struct segment_reader *reader;

	CHECK(fd >= 0);
	CHECK_EQ(segment_reader_open(fd, &reader), 0);
	summary = segment_reader_summary(reader);
	*slots += summary->slot_bytes;
	*samples += summary->sample_count;
	segment_reader_close(reader);
}

/* What of the folder is slots: segments tell, and in logs a block has as many as another. */
static void print_slots(const struct bench *bench)
{
	uint64_t samples = bench->step_count * bench->host_count * bench->sample_count;
	uint64_t slots = 0, compacted = 0;
	char pattern[PATH_MAX];
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/profiles/*.seg", bench->folder);
	if (glob(pattern, 0, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc; i++)
			add_segment(found.gl_pathv[i], &slots, &compacted);
		globfree(&found);
	}
	CHECK(compacted <= samples);
	printf("slot_bytes %.0f\ncompacted_samples %" PRIu64 "\n",
		(double)slots + bench->slot_bytes * (double)(samples - compacted), compacted);
}

/* Windows FIRST to END - 1 of each host. */
static void play(struct bench *bench, struct profile_store *store, uint64_t first, uint64_t end)
{
	struct stopwatch start = read_stopwatch();

	for (uint64_t step = first; step < end; step++) {
		for (uint32_t host = 0; host < bench->host_count; host++)
			append(bench, store, host, step);
	}
	CHECK_EQ(profile_store_flush(store), 0);
	add_since(&bench->appending, start);
	start = read_stopwatch();
	profile_store_compact(store);
	add_since(&bench->compacting, start);
}

static void fill(struct bench *bench, struct profile_store *store)
{
	uint64_t hour = HOUR_NS / bench->window_ns;

	for (uint64_t step = 0; step < bench->step_count; step += hour)
		play(bench, store, step, step + hour);
	printf("from_s %" PRIu64 "\nuntil_s %" PRIu64 "\nsamples %" PRIu64 "\nrows %" PRIu64 "\n",
		bench->from_ns / NS_PER_S,
		(bench->from_ns + bench->step_count * bench->window_ns) / NS_PER_S,
		bench->step_count * bench->host_count * bench->sample_count, bench->row_count);
	printf("append_rows_a_core %.0f\nappend_rows_a_second %.0f\n",
		(double)bench->row_count / bench->appending.cpu_s,
		(double)bench->row_count / bench->appending.wall_s);
	printf("compact_cpu_s %.2f\ncompact_wall_s %.2f\n", bench->compacting.cpu_s,
		bench->compacting.wall_s);
	print_bytes(store);
	print_slots(bench);
}

static uint64_t number(const char *text)
{
	char *end;
	uint64_t value = strtoull(text, &end, 10);

	CHECK(*text && !*end && value > 0);
	return value;
}

static int usage(void)
{
	fprintf(stderr,
		"usage: bench_fleet FOLDER HOSTS SERVICES-A-HOST HOURS WINDOW-SECONDS "
		"SAMPLES-A-WINDOW [MODULES [HOT-HOURS]]\n");
	return 2;
}

int main(int argc, char **argv)
{
	struct bench bench = {.random = {29}};
	struct fleet_shape shape = {.seed = 31,
		.service_count = SERVICE_COUNT,
		.thread_count = THREADS_A_PROCESS,
		.cpu_count = CPU_COUNT,
		.stack_count = STACKS_A_SERVICE};
	struct profile_store *store;
	uint64_t hours;

	if (argc < 7 || argc > 9)
		return usage();
	bench.folder = argv[1];
	shape.host_count = bench.host_count = (uint32_t)number(argv[2]);
	shape.services_a_host = (uint32_t)number(argv[3]);
	hours = number(argv[4]);
	bench.window_ns = number(argv[5]) * NS_PER_S;
	bench.sample_count = (uint32_t)number(argv[6]);
	shape.modules_path = argc > 7 && strcmp(argv[7], "-") != 0 ? argv[7] : NULL;
	bench.hot_ns = argc > 8 ? number(argv[8]) * HOUR_NS : 0;
	bench.step_count = hours * HOUR_NS / bench.window_ns;
	bench.from_ns =
		(clock_realtime_ns() / bench.window_ns - bench.step_count) * bench.window_ns;
	CHECK(bench.host_count <= WINDOWS_KEPT && shape.services_a_host <= SERVICE_COUNT);
	CHECK(HOUR_NS % bench.window_ns == 0);
	bench.fleet = fleet_new(&shape);
	make_windows(&bench);
	fleet_free(bench.fleet);
	atomic_store(&bench.now_ns, bench.from_ns);
	store = open_store(&bench);
	fill(&bench, store);
	profile_store_close(store);
	for (uint32_t i = 0; i < bench.host_count * bench.kept; i++)
		profile_free(bench.windows[i]);
	free(bench.windows);
	free(bench.order);
	return 0;
}
