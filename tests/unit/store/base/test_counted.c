/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/counted.h"

#include "tests/support/check.h"

#define LIST(X)                                \
	X(IN, "things_in", "things that came") \
	X(HELD, "things_held", "of these, held, now")

static const struct counted rows[] = {LIST(COUNTED_ROW)};

static void add(void *context, const struct counted *counted)
{
	struct counted *seen = context;

	while (seen->name)
		seen++;
	*seen = *counted;
}

static void rows_are_given_with_their_values(void)
{
	struct counted seen[3] = {{0}};

	counted_visit(rows, (const uint64_t[]){7, 9}, 2, add, seen);
	CHECK_STR(seen[0].name, "things_in");
	CHECK_EQ(seen[0].value, 7);
	CHECK_STR(seen[1].meaning, "of these, held, now");
	CHECK_EQ(seen[1].value, 9);
}

static void levels_say_now(void)
{
	CHECK(counted_is_level("batches that wait, now"));
	CHECK(!counted_is_level("batches now lost"));
	CHECK(!counted_is_level(", now"));
	CHECK(!counted_is_level(""));
}

int main(void)
{
	RUN(rows_are_given_with_their_values);
	RUN(levels_say_now);
	return 0;
}
