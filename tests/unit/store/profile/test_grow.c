/* SPDX-License-Identifier: Apache-2.0 */
#include "store/profile/grow.h"

#include <errno.h>

#include "tests/support/check.h"

/* Adds numbers up to COUNT_MAX and answers how often the array moved on to a larger capacity. */
static int fill(uint32_t count_max)
{
	uint64_t *numbers = NULL;
	uint32_t capacity = 0, before = 0, count = 0;
	int grown = 0;

	while (count < count_max) {
		CHECK_EQ(grow_array(&numbers, &capacity, count, count_max), 0);
		CHECK(capacity > count);
		CHECK(capacity <= count_max);
		grown += capacity != before;
		before = capacity;
		numbers[count] = count;
		count++;
	}
	CHECK_EQ(grow_array(&numbers, &capacity, count, count_max), -E2BIG);
	CHECK_EQ(capacity, before);
	for (uint32_t i = 0; i < count; i++)
		CHECK_EQ(numbers[i], i);
	free(numbers);
	return grown;
}

static void an_array_grows_to_its_limit_and_no_further(void)
{
	for (uint32_t limit = 0; limit < 100; limit++)
		fill(limit);
	CHECK_EQ(fill(1 << 20), 17);
}

static void an_array_with_room_stays_where_it_is(void)
{
	uint64_t number = 7, *numbers = &number;
	uint32_t capacity = UINT32_MAX / 2;

	CHECK_EQ(grow_array(&numbers, &capacity, capacity - 1, UINT32_MAX), 0);
	CHECK(numbers == &number);
	CHECK_EQ(capacity, UINT32_MAX / 2);
}

int main(void)
{
	RUN(an_array_grows_to_its_limit_and_no_further);
	RUN(an_array_with_room_stays_where_it_is);
	return 0;
}
