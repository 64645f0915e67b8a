/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/pprof_read.h"

#include <errno.h>

#include "tests/support/ingest_fixture.h"
#include "tests/support/made_pprof.h"

static struct proto_text text;
static struct ingest_fault fault;
static const struct pprof_options plain = {
	.start_ns = INGEST_START_NS, .until_ns = INGEST_UNTIL_NS};

static int read_into(struct ingest_batch *batch, const struct pprof_options *options)
{
	struct pprof *pprof;
	int r = pprof_open((struct ingest_text){text.bytes, text.length}, &pprof, &fault);

	if (r < 0)
		return r;
	CHECK_EQ(ingest_batch_init(batch, INGEST_START_NS, INGEST_UNTIL_NS), 0);
	r = pprof_add(pprof, options, batch, &fault);
	if (r < 0)
		ingest_batch_done(batch);
	pprof_free(pprof);
	return r;
}

static void columns_become_types_and_labels_series(void)
{
	struct ingest_batch batch;

	made_pprof(&text, 1);
	CHECK_EQ(read_into(&batch, &plain), 0);
	CHECK_EQ(batch.drops.numbers_dropped, 1);
	CHECK_EQ(batch.drops.labels_dropped, 1);
	CHECK(build_id_known(&batch.profile->modules.modules[1].build_id));
	CHECK_STR(ingest_batch_lines(&batch), MADE_PPROF_LINES);
}

static void ids_may_be_any_numbers(void)
{
	struct ingest_batch batch;

	made_pprof(&text, 100);
	CHECK_EQ(read_into(&batch, &plain), 0);
	CHECK_STR(ingest_batch_lines(&batch), MADE_PPROF_LINES);
}

static void a_name_goes_before_what_columns_tell(void)
{
	const struct pprof_options named = {.name = {"wall", 4}};
	struct ingest_batch batch;
	const char *lines;

	made_pprof(&text, 1);
	CHECK_EQ(read_into(&batch, &named), 0);
	lines = ingest_batch_lines(&batch);
	CHECK(strstr(lines, "wall:samples:count:cpu:nanoseconds{}"));
	/* CPU time beside wall time is CPU time. */
	CHECK(strstr(lines, "process_cpu:cpu:nanoseconds:cpu:nanoseconds{}"));
}

static void its_own_time_is_taken_where_it_is_wanted(void)
{
	struct pprof_options options = {.start_ns = 1, .until_ns = 2, .own_time_first = true};
	uint64_t start_ns, until_ns;
	struct pprof *pprof;

	made_pprof(&text, 1);
	CHECK_EQ(pprof_open((struct ingest_text){text.bytes, text.length}, &pprof, &fault), 0);
	pprof_window(pprof, &options, &start_ns, &until_ns);
	CHECK_EQ(start_ns, MADE_PPROF_TIME);
	CHECK_EQ(until_ns, MADE_PPROF_TIME + MADE_PPROF_DURATION);
	options.own_time_first = false;
	pprof_window(pprof, &options, &start_ns, &until_ns);
	CHECK_EQ(start_ns, 1);
	pprof_free(pprof);
	/* 1970: no time at all. */
	text.length = 0;
	proto_number(&text, 9, 5);
	CHECK_EQ(pprof_open((struct ingest_text){text.bytes, text.length}, &pprof, &fault), 0);
	options.own_time_first = true;
	pprof_window(pprof, &options, &start_ns, &until_ns);
	CHECK_EQ(start_ns, 1);
	pprof_free(pprof);
}

/* A profile of one column and one sample, whose fields are these. */
static const char *read_sample(const uint64_t (*pairs)[2], uint64_t broken)
{
	struct ingest_batch batch;

	text.length = 0;
	PROTO_ROW(&text, 1, {1, 1}, {2, 2});
	proto_numbers_of(&text, 2, pairs);
	PROTO_ROW(&text, 4, {1, 1}, {3, 0xfffffffffffffffe});
	made_pprof_texts(&text);
	CHECK_EQ(read_into(&batch, &plain), 0);
	CHECK_EQ(batch.drops.broken, broken);
	return ingest_batch_lines(&batch);
}

#define SAMPLES "process_cpu:samples:count::{} "

static void what_names_nothing_costs_a_name_and_no_weight(void)
{
	CHECK_STR(read_sample((const uint64_t[][2]){{1, 1}, {2, 7}, {0, 0}}, 0),
		SAMPLES "+0xfffffffffffffffe 7 7\n");
	CHECK_STR(read_sample((const uint64_t[][2]){{1, 9}, {1, 1}, {2, 7}, {0, 0}}, 1),
		SAMPLES "+0xfffffffffffffffe;[unknown] 7 7\n");
	CHECK_STR(read_sample((const uint64_t[][2]){{1, 1}, {2, 7}, {2, 8}, {0, 0}}, 1),
		SAMPLES "+0xfffffffffffffffe 7 7\n");
	CHECK_STR(read_sample((const uint64_t[][2]){{2, 7}, {0, 0}}, 0), SAMPLES " 7 7\n");
}

static void a_profile_without_samples_has_none(void)
{
	struct ingest_batch batch;

	text.length = 0;
	CHECK_EQ(read_into(&batch, &plain), 0);
	CHECK_STR(ingest_batch_lines(&batch), "");
}

static void other_bodies_are_told_apart(void)
{
	struct ingest_batch batch;

	text.length = 0;
	proto_put(&text, "main;a 30\n", 10);
	CHECK_EQ(read_into(&batch, &plain), -EBADMSG);
	CHECK(strstr(fault.text, "read as pprof"));
}

int main(void)
{
	RUN(columns_become_types_and_labels_series);
	RUN(ids_may_be_any_numbers);
	RUN(a_name_goes_before_what_columns_tell);
	RUN(its_own_time_is_taken_where_it_is_wanted);
	RUN(what_names_nothing_costs_a_name_and_no_weight);
	RUN(a_profile_without_samples_has_none);
	RUN(other_bodies_are_told_apart);
	return 0;
}
