/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/profile_list.h"

#include <errno.h>

#include "tests/support/ingest_fixture.h"

#define HOUR_NS (UINT64_C(3600) * NS_PER_S)

static struct ingest_batch batch;
static struct profile_list list;

static void begin(uint64_t start_ns, uint64_t until_ns, int64_t value)
{
	const struct ingest_name name = {.kind = FRAME_TEXT, .function = {"f", 1}};
	struct sample_table *table;
	uint32_t frame, stack, series;

	list = (struct profile_list){.profiles = NULL};
	CHECK_EQ(ingest_batch_init(&batch, start_ns, until_ns), 0);
	CHECK_EQ(ingest_batch_named(&batch, &name, &frame), 0);
	CHECK_EQ(ingest_batch_stack_leaf_first(&batch, &frame, 1, &stack), 0);
	CHECK_EQ(ingest_batch_series(&batch, NULL, 0, NULL, &series), 0);
	CHECK_EQ(ingest_batch_type(&batch, PROFILE_TYPE_ON_CPU, 1, &table), 0);
	if (value > 0)
		CHECK_EQ(ingest_batch_sample(&batch, table, stack, series, 7, value), 0);
}

static void an_hour_is_one_profile(void)
{
	begin(INGEST_START_NS, INGEST_START_NS + HOUR_NS, 5);
	CHECK_EQ(profile_list_take(&list, &batch), 0);
	CHECK_EQ(list.count, 1);
	CHECK_EQ(profile_sample_count(list.profiles[0]), 7);
	profile_list_done(&list);
	ingest_batch_done(&batch);
}

static void a_long_window_is_shared_out(void)
{
	int64_t value = 0;
	uint64_t count = 0, at_ns = INGEST_START_NS;

	begin(INGEST_START_NS, INGEST_START_NS + 2 * HOUR_NS + HOUR_NS / 2, 1001);
	CHECK_EQ(profile_list_take(&list, &batch), 0);
	CHECK_EQ(list.count, 3);
	for (uint32_t i = 0; i < list.count; i++) {
		CHECK_EQ(profile_window_epoch_ns(list.profiles[i]), at_ns);
		at_ns = profile_window_end_epoch_ns(list.profiles[i]);
		count += profile_sample_count(list.profiles[i]);
		value += list.profiles[i]->types[0].rows[0].value;
		CHECK_EQ(stack_table_depth(&list.profiles[i]->stacks, 1), 1);
	}
	CHECK_EQ(at_ns, INGEST_START_NS + 2 * HOUR_NS + HOUR_NS / 2);
	CHECK_EQ(count, 7);
	CHECK_EQ(value, 1001);
	profile_list_done(&list);
	ingest_batch_done(&batch);
}

static void without_a_sample_there_is_no_profile(void)
{
	begin(INGEST_START_NS, INGEST_UNTIL_NS, 0);
	CHECK_EQ(profile_list_take(&list, &batch), 0);
	CHECK_EQ(list.count, 0);
	profile_list_done(&list);
	ingest_batch_done(&batch);
}

static void years_are_too_long(void)
{
	begin(0, UINT64_C(20000) * HOUR_NS, INT64_MAX);
	CHECK_EQ(profile_list_take(&list, &batch), -E2BIG);
	profile_list_done(&list);
	ingest_batch_done(&batch);
}

int main(void)
{
	RUN(an_hour_is_one_profile);
	RUN(a_long_window_is_shared_out);
	RUN(without_a_sample_there_is_no_profile);
	RUN(years_are_too_long);
	return 0;
}
