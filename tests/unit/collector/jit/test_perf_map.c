/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/jit/perf_map.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/jit/perf_map_line.h"
#include "tests/support/check.h"
#include "tests/support/torture.h"
#include "tests/support/work_dir.h"

/* Monotonic time in these tests; the wall clock is REAL_NS ahead of it. */
#define START (UINT64_C(10000) * NS_PER_S)
#define REAL_NS (UINT64_C(1700000000) * NS_PER_S)

static struct perf_map map;
static struct perf_map_counts counts;

/* At SECOND the file, last changed at CHANGED, is read. */
static int follow_within(uint64_t second, uint64_t changed, uint64_t *bytes_left)
{
	struct clock_reading now = {.monotonic_ns = START + second * NS_PER_S,
		.realtime_ns = START + REAL_NS + second * NS_PER_S};
	struct timespec times[2] = {{.tv_nsec = UTIME_OMIT},
		{.tv_sec = (time_t)((START + REAL_NS) / NS_PER_S + changed)}};
	int fd, r;

	CHECK_EQ(utimensat(AT_FDCWD, work_path("map"), times, 0), 0);
	fd = work_open("map");
	CHECK(fd >= 0);
	r = perf_map_follow(&map, fd, &now, bytes_left, &counts);
	close(fd);
	return r;
}

static void follow(uint64_t second, uint64_t changed)
{
	uint64_t bytes_left = UINT64_MAX;

	CHECK_EQ(follow_within(second, changed, &bytes_left), 0);
}

static const char *name_at(uint64_t address, uint64_t second)
{
	int fd = work_open("map");
	const char *name = perf_map_name(&map, fd, address, START + second * NS_PER_S);

	close(fd);
	return name ? name : "";
}

static void set_up(const char *text)
{
	perf_map_init(&map, 10000, START);
	counts = (struct perf_map_counts){0};
	work_write_text("map", text);
}

static void append(const char *text)
{
	FILE *file = fopen(work_path("map"), "ae");

	CHECK(file);
	CHECK(fputs(text, file) >= 0);
	CHECK_EQ(fclose(file), 0);
}

static void what_is_added_is_read_on_from_where_reading_stopped(void)
{
	set_up("1000 10 a\n2000 10 b c\n");
	follow(1, 1);
	CHECK_STR(name_at(0x1005, 1), "a");
	CHECK_STR(name_at(0x2000, 1), "b c");
	CHECK_STR(name_at(0x3000, 1), "");
	CHECK_EQ(counts.bytes_read, 22);
	append("3000 10 d\n");
	follow(2, 2);
	CHECK_STR(name_at(0x3000, 2), "d");
	CHECK_STR(name_at(0x1005, 2), "a");
	CHECK_EQ(counts.bytes_read, 32);
	/* Nothing new: nothing is read. */
	follow(3, 2);
	CHECK_EQ(counts.bytes_read, 32);
	CHECK_EQ(counts.malformed, 0);
	CHECK_EQ(counts.replaced, 0);
	perf_map_done(&map);
}

static void a_line_without_its_end_waits_for_it(void)
{
	set_up("1000 10 a\n2000 10 hal");
	follow(1, 1);
	CHECK_STR(name_at(0x1000, 1), "a");
	CHECK_STR(name_at(0x2000, 1), "");
	append("f");
	follow(2, 2);
	CHECK_STR(name_at(0x2000, 2), "");
	append("\n");
	follow(3, 3);
	CHECK_STR(name_at(0x2000, 3), "half");
	CHECK_EQ(counts.malformed, 0);
	perf_map_done(&map);
}

static void lines_that_are_none_are_counted_and_the_others_hold(void)
{
	static char filling[PERF_MAP_LINE_BYTES_MAX * 6];

	set_up("nonsense\n1000 10 a\n\n2000 0 b\n");
	follow(1, 1);
	CHECK_EQ(counts.malformed, 2);
	CHECK_STR(name_at(0x1000, 1), "a");
	memset(filling, 'x', sizeof(filling) - 1);
	append("3000 10 ");
	append(filling);
	append("\n4000 10 d\n");
	follow(2, 2);
	CHECK_EQ(counts.malformed, 3);
	CHECK_STR(name_at(0x3000, 2), "");
	CHECK_STR(name_at(0x4000, 2), "d");
	perf_map_done(&map);
}

static void an_address_that_is_used_again_has_the_name_of_its_time(void)
{
	set_up("1000 10 early\n");
	follow(10, 4);
	append("1000 10 late\n");
	/* It was written at 15 at the latest, whenever it is read. */
	follow(20, 15);
	CHECK_STR(name_at(0x1000, 2), "early");
	CHECK_STR(name_at(0x1000, 14), "early");
	CHECK_STR(name_at(0x1000, 15), "late");
	CHECK_STR(name_at(0x1000, 19), "late");
	perf_map_done(&map);
}

/* The time of a file is its owner's to set. */
static void a_file_from_the_future_was_seen_when_it_was_read(void)
{
	set_up("1000 10 early\n");
	follow(10, 999999);
	append("1000 10 late\n");
	follow(20, 999999);
	CHECK_STR(name_at(0x1000, 19), "early");
	CHECK_STR(name_at(0x1000, 20), "late");
	perf_map_done(&map);
}

static void a_file_that_was_replaced_cut_or_written_anew_is_read_anew(void)
{
	set_up("1000 10 a\n2000 10 b\n");
	follow(1, 1);
	CHECK_STR(name_at(0x2000, 1), "b");
	work_run("rm map && echo '1000 10 replaced and longer than before' > map");
	follow(2, 2);
	CHECK_EQ(counts.replaced, 1);
	CHECK_STR(name_at(0x1000, 2), "replaced and longer than before");
	CHECK_STR(name_at(0x2000, 2), "");
	work_run("echo '1000 10 cut' > map");
	follow(3, 3);
	CHECK_EQ(counts.replaced, 2);
	CHECK_STR(name_at(0x1000, 3), "cut");
	/* The same file, as long as before and longer, with other lines. */
	work_run("printf '3000 10 c\\n4000 10 d\\n' > map");
	follow(4, 4);
	CHECK_EQ(counts.replaced, 3);
	CHECK_STR(name_at(0x1000, 4), "");
	CHECK_STR(name_at(0x4000, 4), "d");
	perf_map_done(&map);
}

static void a_line_that_moved_unseen_names_nothing_and_the_file_is_read_anew(void)
{
	set_up("1000 10 a\n2000 10 b\n");
	follow(1, 1);
	work_run("printf '1800 10 x\\n2000 10 b\\n' > map");
	follow(2, 1);
	CHECK_EQ(counts.replaced, 0);
	CHECK_STR(name_at(0x1000, 2), "");
	follow(3, 1);
	CHECK_EQ(counts.replaced, 1);
	CHECK_STR(name_at(0x1800, 3), "x");
	perf_map_done(&map);
}

static void names_that_were_asked_for_outlive_the_file(void)
{
	set_up("1000 10 a\n2000 10 b\n");
	follow(1, 1);
	CHECK_STR(name_at(0x1000, 1), "a");
	CHECK_STR(perf_map_name(&map, -1, 0x1000, START), "a");
	/* What it said since then, nobody knows. */
	CHECK(!perf_map_name(&map, -1, 0x1000, START + 2 * NS_PER_S));
	CHECK(!perf_map_name(&map, -1, 0x2000, START));
	perf_map_done(&map);
}

static void reading_stops_at_what_is_allowed_and_goes_on_later(void)
{
	uint64_t bytes_left = 40000;

	set_up("");
	work_run("for i in $(seq 1000 9999); do echo ${i}0 10 name$i; done > map");
	CHECK_EQ(follow_within(1, 1, &bytes_left), 0);
	CHECK_EQ(bytes_left, 0);
	CHECK(map.is_behind);
	CHECK_STR(name_at(0x10000, 1), "name1000");
	CHECK_STR(name_at(0x99990, 1), "");
	CHECK_EQ(follow_within(2, 1, &bytes_left), 0);
	CHECK_STR(name_at(0x99990, 1), "");
	follow(3, 1);
	CHECK(!map.is_behind);
	CHECK_STR(name_at(0x99990, 1), "name9999");
	perf_map_done(&map);
}

static void memory_for_names_is_bounded(void)
{
	set_up("");
	work_run("for i in $(seq 1000 1999); do printf '%%s0 10 %%01000d\\n' $i $i; done > map");
	follow(1, 1);
	for (uint64_t i = 1000; i < 2000; i++) {
		/* The digits of a decimal number, read as hexadecimal ones. */
		uint64_t address =
			(((i / 1000 * 16 + i / 100 % 10) * 16 + i / 10 % 10) * 16 + i % 10) * 16;

		CHECK_EQ(strtoull(name_at(address, 1), NULL, 10), i);
	}
	CHECK(map.name_capacity <= PERF_MAP_NAMES_BYTES_MAX);
	CHECK(perf_map_memory(&map) >= map.name_capacity);
	perf_map_done(&map);
}

static int read_all(void *context)
{
	struct perf_map made;
	struct perf_map_counts made_counts = {0};
	struct clock_reading now = {.monotonic_ns = START, .realtime_ns = REAL_NS};
	uint64_t bytes_left = UINT64_MAX;
	int fd = work_open("map");
	int r;

	(void)context;
	perf_map_init(&made, 1000, START);
	r = perf_map_follow(&made, fd, &now, &bytes_left, &made_counts);
	if (r == 0 && !perf_map_name(&made, fd, 0x1000, START))
		r = -ENOMEM;
	else if (r < 0)
		CHECK(made.is_behind);
	perf_map_done(&made);
	close(fd);
	return r;
}

static void what_memory_did_not_suffice_for_is_read_again(void)
{
	work_write_text("map", "1000 10 a\n");
	torture_tolerant(read_all, NULL, 2);
}

int main(void)
{
	RUN(what_is_added_is_read_on_from_where_reading_stopped);
	RUN(a_line_without_its_end_waits_for_it);
	RUN(lines_that_are_none_are_counted_and_the_others_hold);
	RUN(an_address_that_is_used_again_has_the_name_of_its_time);
	RUN(a_file_from_the_future_was_seen_when_it_was_read);
	RUN(a_file_that_was_replaced_cut_or_written_anew_is_read_anew);
	RUN(a_line_that_moved_unseen_names_nothing_and_the_file_is_read_anew);
	RUN(names_that_were_asked_for_outlive_the_file);
	RUN(reading_stops_at_what_is_allowed_and_goes_on_later);
	RUN(memory_for_names_is_bounded);
	RUN(what_memory_did_not_suffice_for_is_read_again);
	return 0;
}
