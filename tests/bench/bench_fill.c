/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the data folder of a server that has run for a while: windows of 10 s of one made-up host,
 * the last one ending now.
 *
 *     bench_fill FOLDER WINDOWS SAMPLES-A-WINDOW
 *
 * Some windows are made and then repeated with their clocks moved on, in turn: a host does the same
 * things again, and making each window anew would take hours. Prints `name value` lines. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/disk/profile_store.h"
#include "tests/support/check.h"
#include "tests/support/fake_profile.h"

#define WINDOW_NS (10 * NS_PER_S)
#define DISTINCT_WINDOWS 180
/* With this, a window has as many stacks of its own as of those that all windows share. */
#define NEW_PATH_EVERY 100

static void done(void *context, int result)
{
	(void)context;
	CHECK_EQ(result, 0);
}

static struct profile *make_window(uint32_t sample_count, uint32_t number, uint64_t start_ns)
{
	struct fake_host host = {.name = "bench",
		.seed = 23,
		.process_count = 50,
		.thread_count = 4,
		.cpu_count = 8,
		.depth = 30,
		.sample_count = sample_count,
		.new_path_every = NEW_PATH_EVERY};

	return fake_profile(&host, start_ns, WINDOW_NS, number);
}

static uint32_t count_stacks(const struct profile *profile)
{
	const struct sample_table *table = &profile->types[0];
	uint32_t stacks = 0;

	/* Rows are sorted by stack. */
	for (uint32_t i = 0; i < table->row_count; i++)
		stacks += i == 0 || table->rows[i].stack != table->rows[i - 1].stack;
	return stacks;
}

static void append(struct profile_store *store, uint64_t sequence, const struct profile *profile)
{
	struct batch_key key = {.instance = {1}, .sequence = sequence};

	while (profile_store_append(store, &key, profile, done, NULL) < 0)
		profile_store_flush(store);
}

int main(int argc, char **argv)
{
	uint32_t count = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
	uint32_t sample_count = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0;
	struct profile_store_config config = {.dir = argc > 1 ? argv[1] : NULL,
		.clock = clock_system(),
		.retain_ns = UINT64_MAX,
		.retain_bytes = UINT64_MAX};
	uint64_t until_ns = clock_realtime_ns() / WINDOW_NS * WINDOW_NS;
	uint64_t from_ns = until_ns - count * WINDOW_NS, stacks = 0, rows = 0;
	struct profile *windows[DISTINCT_WINDOWS];
	uint64_t clocks[DISTINCT_WINDOWS];
	struct profile_store_report found;
	struct profile_store_stats stats;
	struct profile_store *store;

	if (count == 0 || sample_count == 0) {
		fprintf(stderr, "usage: bench_fill FOLDER WINDOWS SAMPLES-A-WINDOW\n");
		return 2;
	}
	for (uint32_t i = 0; i < DISTINCT_WINDOWS; i++) {
		windows[i] = make_window(sample_count, i, from_ns);
		clocks[i] = windows[i]->head.clocks.realtime_ns;
		stacks += count_stacks(windows[i]);
	}
	CHECK_EQ(profile_store_open(&config, &found, &store), 0);
	for (uint32_t i = 0; i < count; i++) {
		struct profile *profile = windows[i % DISTINCT_WINDOWS];

		profile->head.clocks.realtime_ns = clocks[i % DISTINCT_WINDOWS] + i * WINDOW_NS;
		append(store, i, profile);
		rows += profile->types[0].row_count;
	}
	CHECK_EQ(profile_store_flush(store), 0);
	profile_store_stats(store, &stats);
	printf("from_s %" PRIu64 "\nuntil_s %" PRIu64 "\nsamples %" PRIu64 "\nrows %" PRIu64
	       "\nstacks %" PRIu64 "\nbytes %" PRIu64 "\n",
		from_ns / NS_PER_S, until_ns / NS_PER_S, (uint64_t)count * sample_count, rows,
		stacks, stats.bytes);
	profile_store_close(store);
	for (uint32_t i = 0; i < DISTINCT_WINDOWS; i++)
		profile_free(windows[i]);
	return 0;
}
