/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/wire/frame_reader.h"

#include <errno.h>

#include "tests/support/check.h"

#define FRAME_MAX 8

/* Numbers 0 to 2 of the body; the last two modules are one where they are not distinct. */
static const uint32_t modules[] = {0, 7, 5};
static const uint32_t same_modules[] = {0, 7, 7};
static const uint32_t texts[] = {0, 3};

struct result {
	int error;
	const char *what;
	struct frame_table frames;
	uint32_t indices[FRAME_MAX];
};

static struct result read(const struct frame_columns *columns)
{
	struct result result = {.what = ""};

	CHECK(columns->count <= FRAME_MAX);
	CHECK_EQ(frame_table_init(&result.frames), 0);
	result.error = frame_reader_read(columns, &result.frames, result.indices, &result.what);
	return result;
}

static void check_frame(const struct result *result, uint32_t number, struct frame expected)
{
	const struct frame *frame = &result->frames.frames[result->indices[number]];

	CHECK_EQ(frame->module, expected.module);
	CHECK_EQ(frame->kind, expected.kind);
	CHECK_EQ(frame->flags, expected.flags);
	CHECK_EQ(frame->address, expected.address);
}

/* Module 1 twice, with two frames and one; module 2 with two. */
static const uint32_t group_module[] = {1, 1, 2};
static const uint32_t group_kind[] = {FRAME_NATIVE, FRAME_NATIVE, FRAME_KERNEL};
static const uint32_t group_flags[] = {0, FRAME_RETURN_ADDRESS, 0};
static const uint32_t group_frame_count[] = {2, 1, 2};
static const uint64_t address[] = {100, 20, 110, 40, 1};

static struct frame_columns sound(void)
{
	return (struct frame_columns){
		.group_module = group_module,
		.group_kind = group_kind,
		.group_flags = group_flags,
		.group_frame_count = group_frame_count,
		.group_count = 3,
		.address = address,
		.count = 5,
		.modules = {modules, 3, true},
		.texts = {texts, 2, true},
	};
}

static void check_sound(const struct frame_columns *columns)
{
	struct result result = read(columns);

	CHECK_EQ(result.error, 0);
	CHECK_EQ(result.frames.count, 5);
	check_frame(&result, 0, (struct frame){100, 7, FRAME_NATIVE, 0});
	check_frame(&result, 1, (struct frame){120, 7, FRAME_NATIVE, 0});
	check_frame(&result, 2, (struct frame){110, 7, FRAME_NATIVE, FRAME_RETURN_ADDRESS});
	check_frame(&result, 3, (struct frame){40, 5, FRAME_KERNEL, 0});
	check_frame(&result, 4, (struct frame){41, 5, FRAME_KERNEL, 0});
	frame_table_done(&result.frames);
}

static void both_ways_read_the_same_frames(void)
{
	struct frame_columns columns = sound();

	check_sound(&columns);
	columns.modules.distinct = false;
	check_sound(&columns);
}

static void groups_out_of_order_are_looked_up(void)
{
	static const uint32_t falling[] = {2, 1, 1};
	static const uint32_t ones[] = {1, 1, 1};
	static const uint64_t same[] = {9, 9, 9};
	struct frame_columns columns = sound();
	struct result result;

	columns.group_module = falling;
	columns.group_kind = ones;
	columns.group_flags = ones;
	columns.group_frame_count = ones;
	columns.address = same;
	columns.count = 3;
	result = read(&columns);
	CHECK_EQ(result.error, 0);
	CHECK_EQ(result.frames.count, 2);
	check_frame(&result, 0, (struct frame){9, 5, 1, 1});
	CHECK_EQ(result.indices[1], result.indices[2]);
	frame_table_done(&result.frames);
}

static void an_address_that_comes_twice_is_one_frame(void)
{
	static const uint64_t again[] = {100, 0, 110, 40, 0};
	struct frame_columns columns = sound();
	struct result result;

	columns.address = again;
	result = read(&columns);
	CHECK_EQ(result.error, 0);
	CHECK_EQ(result.frames.count, 3);
	CHECK_EQ(result.indices[0], result.indices[1]);
	CHECK_EQ(result.indices[3], result.indices[4]);
	frame_table_done(&result.frames);
}

static void modules_that_are_one_make_one_frame(void)
{
	static const uint32_t two[] = {1, 2};
	static const uint32_t ones[] = {1, 1};
	static const uint64_t same[] = {9, 9};
	struct frame_columns columns = {
		two, ones, ones, ones, 2, same, 2, {same_modules, 3, false}, {texts, 2, true}};
	struct result result = read(&columns);

	CHECK_EQ(result.error, 0);
	CHECK_EQ(result.frames.count, 1);
	CHECK_EQ(result.indices[0], result.indices[1]);
	frame_table_done(&result.frames);
}

/* A kind and flags that only newer senders know fall together with known ones. */
static void what_is_not_known_here_falls_together(void)
{
	static const uint32_t kinds[] = {FRAME_UNKNOWN, FRAME_KIND_COUNT + 5};
	static const uint32_t flags[] = {0, FRAME_FLAGS_ALL + 1};
	static const uint32_t ones[] = {1, 1};
	static const uint64_t same[] = {9, 9};
	struct frame_columns columns = {
		ones, kinds, flags, ones, 2, same, 2, {modules, 3, true}, {texts, 2, true}};
	struct result result = read(&columns);

	CHECK_EQ(result.error, 0);
	CHECK_EQ(result.frames.count, 1);
	check_frame(&result, 1, (struct frame){9, 7, FRAME_UNKNOWN, 0});
	frame_table_done(&result.frames);
}

static void a_named_frame_has_a_text_for_its_address(void)
{
	static const uint32_t named[] = {FRAME_NAMED};
	static const uint32_t ones[] = {1};
	static const uint64_t text[] = {1}, no_text[] = {2};
	struct frame_columns columns = {
		ones, ones, named, ones, 1, text, 1, {modules, 3, true}, {texts, 2, true}};
	struct result result = read(&columns);

	CHECK_EQ(result.error, 0);
	check_frame(&result, 0, (struct frame){3, 7, 1, FRAME_NAMED});
	frame_table_done(&result.frames);
	columns.address = no_text;
	for (int distinct = 0; distinct < 2; distinct++) {
		columns.texts.distinct = distinct;
		result = read(&columns);
		CHECK_EQ(result.error, -EBADMSG);
		CHECK_STR(result.what, "a frame's name");
		frame_table_done(&result.frames);
	}
}

static void check_refused(const struct frame_columns *columns, const char *what)
{
	struct frame_columns either = *columns;

	for (int distinct = 0; distinct < 2; distinct++) {
		struct result result;

		either.modules.distinct = distinct;
		result = read(&either);
		CHECK_EQ(result.error, -EBADMSG);
		CHECK_STR(result.what, what);
		frame_table_done(&result.frames);
	}
}

static void groups_that_are_not_the_frames_are_refused(void)
{
	static const uint32_t too_few[] = {2, 1, 1}, too_many[] = {2, 1, 3},
			      huge[] = {2, 1, UINT32_MAX};
	static const uint32_t no_module[] = {1, 1, 3};
	struct frame_columns columns = sound();

	columns.group_frame_count = too_few;
	check_refused(&columns, "a group of frames");
	columns.group_frame_count = too_many;
	check_refused(&columns, "a group of frames");
	columns.group_frame_count = huge;
	check_refused(&columns, "a group of frames");
	columns = sound();
	columns.group_module = no_module;
	check_refused(&columns, "a frame's module");
}

static void no_frames_are_an_empty_table(void)
{
	struct frame_columns columns = {.modules = {modules, 3, true}, .texts = {texts, 2, true}};
	struct result result = read(&columns);

	CHECK_EQ(result.error, 0);
	CHECK_EQ(result.frames.count, 0);
	frame_table_done(&result.frames);
}

int main(void)
{
	RUN(both_ways_read_the_same_frames);
	RUN(groups_out_of_order_are_looked_up);
	RUN(an_address_that_comes_twice_is_one_frame);
	RUN(modules_that_are_one_make_one_frame);
	RUN(what_is_not_known_here_falls_together);
	RUN(a_named_frame_has_a_text_for_its_address);
	RUN(groups_that_are_not_the_frames_are_refused);
	RUN(no_frames_are_an_empty_table);
	return 0;
}
