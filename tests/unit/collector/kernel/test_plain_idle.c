/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/plain_idle.h"

#include "tests/support/check.h"

#define IDLE_STACK UINT64_C(0xffffc90000084000)
#define INTERRUPT_STACK UINT64_C(0xffffc90000003000)

static void interrupts_are_told_from_idling(void)
{
	struct plain_idle idle = {0};

	for (int i = 0; i < 1000; i++) {
		CHECK(plain_idle_is(&idle, IDLE_STACK + 0x3e00 - (uint64_t)(i % 7) * 16));
		if (i % 10 == 9)
			CHECK(!plain_idle_is(&idle, INTERRUPT_STACK + 0xf80));
	}
}

static void a_first_tick_that_was_an_interrupt_is_forgotten_soon(void)
{
	struct plain_idle idle = {0};
	int wrong = 0;

	CHECK(plain_idle_is(&idle, INTERRUPT_STACK));
	for (int i = 0; i < 100; i++)
		wrong += !plain_idle_is(&idle, IDLE_STACK);
	CHECK_EQ(wrong, 1);
	CHECK(!plain_idle_is(&idle, INTERRUPT_STACK));
}

static void a_stack_ends_where_the_next_begins(void)
{
	struct plain_idle idle = {0};

	CHECK(plain_idle_is(&idle, IDLE_STACK));
	CHECK(plain_idle_is(&idle, IDLE_STACK + PLAIN_STACK_BYTES - 8));
	CHECK(!plain_idle_is(&idle, IDLE_STACK + PLAIN_STACK_BYTES));
	CHECK(!plain_idle_is(&idle, IDLE_STACK - 8));
}

static void votes_stop_at_their_maximum(void)
{
	struct plain_idle idle = {.block = IDLE_STACK / PLAIN_STACK_BYTES, .votes = UINT32_MAX};

	CHECK(plain_idle_is(&idle, IDLE_STACK));
	CHECK_EQ(idle.votes, UINT32_MAX);
}

int main(void)
{
	RUN(interrupts_are_told_from_idling);
	RUN(a_first_tick_that_was_an_interrupt_is_forgotten_soon);
	RUN(a_stack_ends_where_the_next_begins);
	RUN(votes_stop_at_their_maximum);
	return 0;
}
