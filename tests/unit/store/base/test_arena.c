/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/arena.h"

#include <stdalign.h>
#include <stdint.h>

#include "tests/support/check.h"

static void what_is_given_out_is_aligned_and_does_not_overlap(void)
{
	static const size_t sizes[] = {0, 1, 7, 16, 100, 70000, 3, 65536, 65520, 40000, 1};
	unsigned char *given[sizeof(sizes) / sizeof(sizes[0])];
	struct arena arena;

	arena_init(&arena, SIZE_MAX);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		given[i] = arena_alloc(&arena, sizes[i]);
		CHECK(given[i]);
		CHECK_EQ((uintptr_t)given[i] % alignof(max_align_t), 0);
		memset(given[i], (int)i, sizes[i]);
	}
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (size_t j = 0; j < sizes[i]; j++)
			CHECK_EQ(given[i][j], i);
	}
	arena_done(&arena);
}

static void beyond_the_limit_nothing_is_given_and_the_rest_stays(void)
{
	struct arena arena;
	char *text;

	arena_init(&arena, 64);
	text = arena_copy_text(&arena, "stone", 5);
	CHECK_STR(text, "stone");
	CHECK(!arena_alloc(&arena, 49));
	CHECK(arena_alloc(&arena, 48));
	CHECK_EQ(arena.byte_count, 64);
	CHECK(!arena_alloc(&arena, 1));
	CHECK_STR(text, "stone");
	arena_done(&arena);
}

static void sizes_that_would_overflow_are_refused(void)
{
	struct arena arena;

	arena_init(&arena, SIZE_MAX);
	CHECK(!arena_alloc(&arena, SIZE_MAX));
	CHECK(!arena_alloc(&arena, SIZE_MAX - 16));
	CHECK(!arena_alloc(&arena, SIZE_MAX - 31));
	CHECK(!arena_copy_text(&arena, "", SIZE_MAX));
	CHECK_EQ(arena.byte_count, 0);
	arena_done(&arena);
}

static void a_reset_arena_has_its_whole_limit_again(void)
{
	struct arena arena;

	arena_init(&arena, 200000);
	for (int round = 0; round < 100; round++) {
		CHECK(arena_alloc(&arena, 100000));
		CHECK(arena_alloc(&arena, 60000));
		CHECK(!arena_alloc(&arena, 60000));
		arena_reset(&arena);
		CHECK_EQ(arena.byte_count, 0);
	}
	arena_done(&arena);
	arena_reset(&arena);
	arena_done(&arena);
}

static void a_copied_text_may_hold_any_byte(void)
{
	struct arena arena;
	char *text;

	arena_init(&arena, 100);
	text = arena_copy_text(&arena, "a\0b", 3);
	CHECK(memcmp(text, "a\0b\0", 4) == 0);
	arena_done(&arena);
}

int main(void)
{
	RUN(what_is_given_out_is_aligned_and_does_not_overlap);
	RUN(beyond_the_limit_nothing_is_given_and_the_rest_stays);
	RUN(sizes_that_would_overflow_are_refused);
	RUN(a_reset_arena_has_its_whole_limit_again);
	RUN(a_copied_text_may_hold_any_byte);
	return 0;
}
