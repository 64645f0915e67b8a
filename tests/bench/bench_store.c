/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the profile store on windows of a made-up host: bytes a sample, appending with
 * fdatasync, visiting, opening.
 *
 *     bench_store FOLDER [WINDOWS [SAMPLES-A-WINDOW [SMALL-RECORDS]]]
 *
 * FOLDER must not exist; it is left there. Prints `name value` lines. A core is a second of this
 * process's CPU time, so that a busy machine matters less. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "store/disk/profile_store.h"
#include "tests/support/check.h"
#include "tests/support/fake_profile.h"
#include "tests/support/slot_bytes.h"

#define WINDOW_NS (10 * NS_PER_S)
#define START_NS (UINT64_C(1700000000) * NS_PER_S)
/* Of the windows together a distinct stack has some ninety samples. */
#define NEW_PATH_EVERY 100

struct stopwatch {
	double wall_s;
	double cpu_s;
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

static struct stopwatch since(struct stopwatch start)
{
	struct stopwatch now = read_stopwatch();

	return (struct stopwatch){now.wall_s - start.wall_s, now.cpu_s - start.cpu_s};
}

/* `name value` lines: a second of CPU, and what it took by the clock. */
static void report(const char *what, struct stopwatch took, double amount, const char *unit)
{
	printf("%s_%s_a_core %.0f\n%s_%s_wall_s %.3f\n", what, unit, amount / took.cpu_s, what,
		unit, took.wall_s);
}

static void done(void *context, int result)
{
	(void)context;
	CHECK_EQ(result, 0);
}

static void append(struct profile_store *store, uint8_t instance, uint64_t sequence,
	const struct profile *profile)
{
	struct batch_key key = {.instance = {instance}, .sequence = sequence};

	while (profile_store_append(store, &key, profile, done, NULL) < 0)
		profile_store_flush(store);
}

struct total {
	uint64_t profiles, rows, samples;
};

static int count_profile(void *context, const struct profile *profile)
{
	struct total *total = context;

	total->profiles++;
	for (uint32_t i = 0; i < profile->type_count; i++)
		total->rows += profile->types[i].row_count;
	total->samples += profile_sample_count(profile);
	return 0;
}

static struct profile_store *open_store(const char *dir)
{
	struct profile_store_config config = {.dir = dir,
		.clock = clock_system(),
		.retain_ns = UINT64_MAX,
		.retain_bytes = UINT64_MAX};
	struct profile_store_report found;
	struct profile_store *store;
	struct stopwatch start = read_stopwatch();
	int r = profile_store_open(&config, &found, &store);

	if (r < 0)
		fprintf(stderr, "%s\n", found.problem);
	CHECK_EQ(r, 0);
	report("open", since(start), (double)found.record_count, "records");
	return store;
}

/* Rows are sorted by stack. */
static void describe(const struct profile *profile)
{
	const struct sample_table *table = &profile->types[0];
	uint64_t depth = 0;
	uint32_t stacks = 0;

	for (uint32_t i = 0; i < table->row_count; i++) {
		stacks += i == 0 || table->rows[i].stack != table->rows[i - 1].stack;
		depth += stack_table_depth(&profile->stacks, table->rows[i].stack);
	}
	printf("window_rows %u\nwindow_stacks %u\nmean_depth %.1f\n", table->row_count, stacks,
		(double)depth / table->row_count);
}

static void measure_appends(struct profile_store *store, struct profile **profiles, uint64_t count)
{
	struct stopwatch start = read_stopwatch();
	struct profile_store_stats stats;
	struct total total = {0};
	uint64_t slots = 0;

	for (uint64_t i = 0; i < count; i++)
		append(store, 1, i, profiles[i]);
	CHECK_EQ(profile_store_flush(store), 0);
	for (uint64_t i = 0; i < count; i++)
		count_profile(&total, profiles[i]);
	report("append", since(start), (double)total.rows, "rows");
	for (uint64_t i = 0; i < count; i++)
		slots += slot_bytes(profiles[i]);
	profile_store_stats(store, &stats);
	printf("windows %" PRIu64 "\nrows %" PRIu64 "\nsamples %" PRIu64 "\ncommits %" PRIu64 "\n",
		total.profiles, total.rows, total.samples, stats.counters[PROFILE_STORE_commits]);
	printf("bytes_a_sample %.3f\nslot_bytes_a_sample %.3f\n",
		(double)stats.bytes / (double)total.samples, (double)slots / (double)total.samples);
}

static void measure_visit(struct profile_store *store)
{
	struct stopwatch start = read_stopwatch();
	struct total total = {0};

	CHECK_EQ(profile_store_visit(store, 0, UINT64_MAX, NULL, count_profile, &total), 0);
	report("visit", since(start), (double)total.rows, "rows");
}

static void add_small_records(struct profile_store *store, uint64_t count)
{
	struct fake_host host = fake_small_host("small");
	struct stopwatch start = read_stopwatch();
	struct profile *profile;

	host.sample_count = 3;
	for (uint64_t i = 0; i < count; i++) {
		profile = fake_profile(&host, START_NS + i * WINDOW_NS, WINDOW_NS, i % 100);
		append(store, 2, i, profile);
		profile_free(profile);
	}
	CHECK_EQ(profile_store_flush(store), 0);
	report("small", since(start), (double)count, "records");
}

int main(int argc, char **argv)
{
	uint64_t windows = argc > 2 ? strtoull(argv[2], NULL, 10) : 200;
	struct fake_host host = {.name = "bench",
		.seed = 11,
		.process_count = 50,
		.thread_count = 8,
		.cpu_count = 8,
		.depth = 30,
		.sample_count = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 7920,
		.new_path_every = NEW_PATH_EVERY};
	struct profile **profiles = calloc(windows, sizeof(struct profile *));
	struct profile_store *store;

	if (argc < 2 || !profiles) {
		fprintf(stderr, "usage: bench_store FOLDER [WINDOWS [SAMPLES [SMALL-RECORDS]]]\n");
		return 2;
	}
	for (uint64_t i = 0; i < windows; i++)
		profiles[i] = fake_profile(&host, START_NS + i * WINDOW_NS, WINDOW_NS, i);
	describe(profiles[0]);
	store = open_store(argv[1]);
	measure_appends(store, profiles, windows);
	measure_visit(store);
	for (uint64_t i = 0; i < windows; i++)
		profile_free(profiles[i]);
	free(profiles);
	if (argc > 4)
		add_small_records(store, strtoull(argv[4], NULL, 10));
	profile_store_close(store);
	profile_store_close(open_store(argv[1]));
	return 0;
}
