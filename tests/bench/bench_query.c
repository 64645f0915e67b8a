/* SPDX-License-Identifier: Apache-2.0 */
/* Measures what a flame query costs, part by part, on windows of a made-up host.
 *
 *     bench_query FOLDER [WINDOWS [SAMPLES-A-WINDOW]]
 *
 * FOLDER must not exist; it is left there. Times are of the CPU. Each part runs several times; the
 * fastest counts: the page cache is warm then, and other programs disturb least. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "store/disk/profile_store.h"
#include "symbolizer-server/query/flame.h"
#include "tests/support/check.h"
#include "tests/support/fake_profile.h"

#define WINDOW_NS (10 * NS_PER_S)
#define START_NS (UINT64_C(1700000000) * NS_PER_S)
#define ROUND_COUNT 5
#define NAME_COUNT_MAX (2u << 20)
#define NAME_BYTES 48

struct bench {
	struct profile_store *store;
	struct time_range range;
	struct selector selector;
	struct merge merge;
	struct function_table functions;
	struct naming naming;
	struct call_tree calls;
	struct level_tree levels;
	struct flame flame;
	struct bytes_writer columns;
};

/* CPU time of this process: a busy machine matters less. */
static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static void done(void *context, int result)
{
	(void)context;
	CHECK_EQ(result, 0);
}

static void fill(struct bench *bench, uint32_t window_count, uint32_t sample_count)
{
	struct fake_host host = {.name = "busy",
		.seed = 7,
		.process_count = 50,
		.thread_count = 4,
		.cpu_count = 2,
		.depth = 25,
		.sample_count = sample_count};

	for (uint32_t i = 0; i < window_count; i++) {
		struct profile *profile =
			fake_profile(&host, START_NS + i * WINDOW_NS, WINDOW_NS, i);
		struct batch_key key = {.instance = {1}, .sequence = i};

		CHECK_EQ(profile_store_append(bench->store, &key, profile, done, NULL), 0);
		profile_free(profile);
	}
	CHECK_EQ(profile_store_flush(bench->store), 0);
	bench->range = (struct time_range){START_NS, START_NS + window_count * WINDOW_NS};
}

static int visit_nothing(void *context, const struct profile *profile)
{
	*(uint64_t *)context += profile->stacks.count;
	return 0;
}

static int visit_merge(void *context, const struct profile *profile)
{
	return merge_add(context, profile);
}

/* Texts that stay where they are for as long as names are asked for. */
struct given_names {
	char (*texts)[NAME_BYTES];
	uint32_t used;
};

static int ask(
	void *context, const struct build_id *id, uint64_t address, struct symbol_chain *ret_chain)
{
	struct given_names *names = context;
	uint64_t start = address >> 9 << 9;
	char *text;

	if (names->used == NAME_COUNT_MAX)
		return -ENOMEM;
	text = names->texts[names->used++];
	/* Functions of 512 bytes, as in the middle of a large program. */
	snprintf(text, NAME_BYTES, "function_%02x_%" PRIx64, id->bytes[0], address >> 9);
	*ret_chain = (struct symbol_chain){.start = start, .end = start + 512, .count = 1};
	ret_chain->line_start = ret_chain->start;
	ret_chain->line_end = ret_chain->end;
	ret_chain->calls[0] = (struct symbol_call){.name = text};
	return 0;
}

static void run_visit(struct bench *bench)
{
	uint64_t nodes = 0;

	CHECK_EQ(profile_store_visit(bench->store, bench->range.from_ns, bench->range.until_ns,
			 NULL, visit_nothing, &nodes),
		0);
	printf("%" PRIu64 " nodes in the blocks; ", nodes);
}

static void run_merge(struct bench *bench)
{
	CHECK_EQ(merge_init(&bench->merge, &bench->selector, bench->range), 0);
	CHECK_EQ(profile_store_visit(bench->store, bench->range.from_ns, bench->range.until_ns,
			 NULL, visit_merge, &bench->merge),
		0);
	printf("%u nodes, %u frames; ", bench->merge.tree.count, bench->merge.frames.count);
}

static void run_naming(struct bench *bench)
{
	struct given_names names = {.texts = calloc(NAME_COUNT_MAX, NAME_BYTES)};

	CHECK(names.texts);
	CHECK_EQ(function_table_init(&bench->functions), 0);
	CHECK_EQ(naming_init(&bench->naming, &bench->merge, &bench->functions, ask, &names), 0);
	free(names.texts);
}

static void run_join(struct bench *bench)
{
	CHECK_EQ(
		call_tree_init(&bench->calls, &bench->merge, &bench->naming, &bench->functions), 0);
	printf("%u nodes, %u functions; ", bench->calls.tree.count, bench->functions.count);
}

static void run_order(struct bench *bench)
{
	CHECK_EQ(level_tree_init(&bench->levels, &bench->calls, LEVEL_TREE_BY_TOTAL, 200000), 0);
}

static void run_write(struct bench *bench)
{
	struct flame_about about = {.range = bench->range};

	bytes_writer_init(&bench->columns, (size_t)1 << 30);
	CHECK_EQ(flame_init(&bench->flame, &bench->levels, &about), 0);
	CHECK_EQ(flame_write_columns(&bench->flame, &bench->columns), 0);
	printf("%zu bytes; ", bench->columns.byte_count);
}

static void nothing(struct bench *bench)
{
	(void)bench;
}

static void undo_merge(struct bench *bench)
{
	merge_done(&bench->merge);
}

static void undo_naming(struct bench *bench)
{
	naming_done(&bench->naming);
	function_table_done(&bench->functions);
}

static void undo_join(struct bench *bench)
{
	call_tree_done(&bench->calls);
}

static void undo_order(struct bench *bench)
{
	level_tree_done(&bench->levels);
}

static void undo_write(struct bench *bench)
{
	flame_done(&bench->flame);
	bytes_writer_done(&bench->columns);
}

static void measure(struct bench *bench, const char *what, void (*run)(struct bench *),
	void (*undo)(struct bench *))
{
	uint64_t best_ns = UINT64_MAX;

	printf("%-28s", what);
	for (int i = 0; i < ROUND_COUNT; i++) {
		uint64_t start_ns = cpu_ns(), took_ns;

		if (i > 0) {
			undo(bench);
			printf("\r%-28s", what);
			start_ns = cpu_ns();
		}
		run(bench);
		took_ns = cpu_ns() - start_ns;
		best_ns = took_ns < best_ns ? took_ns : best_ns;
	}
	printf("%.1f ms\n", (double)best_ns / 1e6);
}

int main(int argc, char **argv)
{
	struct profile_store_config config = {
		.dir = argc > 1 ? argv[1] : NULL, .retain_ns = UINT64_MAX, .clock = clock_system()};
	uint32_t window_count = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 90;
	uint32_t sample_count = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 1980;
	struct profile_store_report report;
	char error[SELECTOR_ERROR_BYTES_MAX];
	struct bench bench = {0};

	if (argc < 2) {
		fprintf(stderr, "usage: bench_query FOLDER [WINDOWS [SAMPLES-A-WINDOW]]\n");
		return 2;
	}
	CHECK_EQ(profile_store_open(&config, &report, &bench.store), 0);
	CHECK_EQ(selector_parse(
			 PROFILE_TYPE_ON_CPU, strlen(PROFILE_TYPE_ON_CPU), &bench.selector, error),
		0);
	fill(&bench, window_count, sample_count);
	measure(&bench, "visit, decoding only", run_visit, nothing);
	measure(&bench, "visit and merge", run_merge, undo_merge);
	measure(&bench, "name", run_naming, undo_naming);
	measure(&bench, "join", run_join, undo_join);
	measure(&bench, "order and trim", run_order, undo_order);
	measure(&bench, "write columns", run_write, undo_write);
	undo_write(&bench);
	undo_order(&bench);
	undo_join(&bench);
	undo_naming(&bench);
	undo_merge(&bench);
	selector_done(&bench.selector);
	profile_store_close(bench.store);
	return 0;
}
