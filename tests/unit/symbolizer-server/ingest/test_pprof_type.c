/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/pprof_type.h"

#include "tests/support/proto_text.h"

static struct proto_text text;
static struct pprof_tables tables;

/* A profile of these columns, each {type, unit}, ended by NULL, and this type of period. */
static void open_columns(const char *const (*columns)[2], const char *period, const char *unit)
{
	struct ingest_fault fault;
	uint64_t string = 1;

	text.length = 0;
	proto_string(&text, 6, "");
	for (; (*columns)[0]; columns++) {
		proto_string(&text, 6, (*columns)[0]);
		proto_string(&text, 6, (*columns)[1]);
		PROTO_ROW(&text, 1, {1, string}, {2, string + 1});
		string += 2;
	}
	proto_string(&text, 6, period);
	proto_string(&text, 6, unit);
	PROTO_ROW(&text, 11, {1, string}, {2, string + 1});
	proto_number(&text, 12, 100);
	CHECK_EQ(pprof_tables_init(&tables, (struct ingest_text){text.bytes, text.length}, &fault),
		0);
}

static void check_type(const struct pprof_options *options, uint32_t column, const char *expected)
{
	char type[INGEST_TYPE_BYTES_MAX];

	pprof_type_write(&tables, options, column, type);
	CHECK_STR(type, expected);
}

static const struct pprof_options none;

static void go_profiles_have_their_names(void)
{
	open_columns((const char *const[][2]){{"samples", "count"}, {"cpu", "nanoseconds"}, {0}},
		"cpu", "nanoseconds");
	check_type(&none, 1, "process_cpu:cpu:nanoseconds:cpu:nanoseconds");
	pprof_tables_done(&tables);
	open_columns(
		(const char *const[][2]){{"alloc_objects", "count"}, {"inuse_space", "bytes"}, {0}},
		"space", "bytes");
	check_type(&none, 0, "memory:alloc_objects:count:space:bytes");
	pprof_tables_done(&tables);
	open_columns((const char *const[][2]){{"goroutine", "count"}, {0}}, "goroutine", "count");
	check_type(&none, 0, "goroutines:goroutine:count:goroutine:count");
	pprof_tables_done(&tables);
}

static void a_configuration_tells_block_from_mutex(void)
{
	const struct pprof_rename renames[] = {{{"contentions", 11}, {"block_count", 11}}};
	const struct pprof_options block = {.renames = renames, .rename_count = 1};

	open_columns(
		(const char *const[][2]){{"contentions", "count"}, {"delay", "nanoseconds"}, {0}},
		"contentions", "count");
	check_type(&none, 1, "mutex:delay:nanoseconds:contentions:count");
	check_type(&block, 1, "block:delay:nanoseconds:contentions:count");
	pprof_tables_done(&tables);
}

static void wall_and_cpu_time_in_one_profile_are_two(void)
{
	open_columns((const char *const[][2]){{"samples", "count"}, {"wall", "nanoseconds"},
			     {"cpu", "nanoseconds"}, {0}},
		"wall", "nanoseconds");
	check_type(&none, 0, "wall:samples:count:wall:nanoseconds");
	check_type(&none, 1, "wall:wall:nanoseconds:wall:nanoseconds");
	check_type(&none, 2, "process_cpu:cpu:nanoseconds:wall:nanoseconds");
	CHECK_EQ(pprof_type_period(&tables, 0), 1);
	CHECK_EQ(pprof_type_period(&tables, 1), 100);
	CHECK_EQ(pprof_type_period(&tables, 2), 0);
	pprof_tables_done(&tables);
}

static void odd_parts_do_not_break_a_type(void)
{
	const struct pprof_options delta = {.name = {"godeltaprof_memory", 18}};

	open_columns((const char *const[][2]){{"a:b", "c:d"}, {0}}, "", "");
	check_type(&none, 0, "a_b:a_b:c_d::");
	check_type(&delta, 0, "memory:a_b:c_d::");
	pprof_tables_done(&tables);
}

int main(void)
{
	RUN(go_profiles_have_their_names);
	RUN(a_configuration_tells_block_from_mutex);
	RUN(wall_and_cpu_time_in_one_profile_are_two);
	RUN(odd_parts_do_not_break_a_type);
	return 0;
}
