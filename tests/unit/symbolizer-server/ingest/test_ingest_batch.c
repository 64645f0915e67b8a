/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/ingest_batch.h"

#include "tests/support/ingest_fixture.h"

#define TEXT(literal) ((struct ingest_text){literal, sizeof(literal) - 1})
#define LABEL(key, value) ((struct ingest_label){TEXT(key), TEXT(value)})
#define CPU PROFILE_TYPE_ON_CPU

static struct ingest_batch batch;

static void begin(void)
{
	CHECK_EQ(ingest_batch_init(&batch, INGEST_START_NS, INGEST_UNTIL_NS), 0);
}

static void add(const struct ingest_name *names, uint32_t count, uint32_t series, int64_t value)
{
	uint32_t frames[8], stack;
	struct sample_table *table;

	for (uint32_t i = 0; i < count; i++)
		CHECK_EQ(ingest_batch_named(&batch, &names[i], &frames[i]), 0);
	CHECK_EQ(ingest_batch_stack_root_first(&batch, frames, count, &stack), 0);
	CHECK_EQ(ingest_batch_type(&batch, CPU, 10, &table), 0);
	CHECK_EQ(ingest_batch_sample(&batch, table, stack, series, 1, value), 0);
}

static uint32_t series_of(const struct ingest_label *labels, uint32_t count)
{
	uint32_t series;

	CHECK_EQ(ingest_batch_series(&batch, labels, count, NULL, &series), 0);
	return series;
}

static void equal_stacks_of_a_series_add_up(void)
{
	const struct ingest_name names[] = {{.kind = FRAME_TEXT, .function = TEXT("main")},
		{.kind = FRAME_TEXT, .function = TEXT("f"), .file = TEXT("/x/a.py"), .line = 7}};

	begin();
	CHECK_EQ(ingest_batch_label(&batch, LABEL("service_name", "web")), 0);
	add(names, 2, series_of(NULL, 0), 30);
	add(names, 2, series_of(NULL, 0), 12);
	add(names, 1, series_of(NULL, 0), 1);
	CHECK_STR(ingest_batch_lines(&batch),
		CPU "{service_name=web} main 1 1\n" CPU
		    "{service_name=web} main;f(/x/a.py:7) 2 42\n");
}

static void labels_of_the_batch_go_before_those_of_a_sample(void)
{
	const struct ingest_label own[] = {LABEL("env", "sample"), LABEL("vehicle", "bike")};
	const struct ingest_name name = {.kind = FRAME_TEXT, .function = TEXT("f")};

	begin();
	CHECK_EQ(ingest_batch_label(&batch, LABEL("env", "all")), 0);
	add(&name, 1, series_of(own, 2), 5);
	CHECK_STR(ingest_batch_lines(&batch), CPU "{env=all,vehicle=bike} f 1 5\n");
}

static void keys_become_such_as_can_be_asked_for(void)
{
	const struct ingest_label own[] = {LABEL("otel.scope.name", "x"), LABEL("a b-c", "1"),
		LABEL("__session_id__", "f00"), LABEL("", "nothing")};
	const struct ingest_name name = {.kind = FRAME_TEXT, .function = TEXT("f")};

	begin();
	add(&name, 1, series_of(own, 4), 5);
	CHECK_EQ(batch.drops.labels_dropped, 2);
	CHECK_STR(ingest_batch_lines(&batch), CPU "{a_b_c=1,otel.scope.name=x} f 1 5\n");
}

static void more_labels_than_fit_are_counted(void)
{
	struct ingest_label own[LABEL_COUNT_MAX + 3];
	char keys[LABEL_COUNT_MAX + 3][8], long_value[INGEST_LABEL_VALUE_BYTES_MAX + 9];

	begin();
	memset(long_value, 'v', sizeof(long_value));
	for (uint32_t i = 0; i < LABEL_COUNT_MAX + 3; i++) {
		int length = snprintf(keys[i], sizeof(keys[i]), "k%u", (unsigned)i);

		own[i] = (struct ingest_label){{keys[i], (size_t)length}, {long_value, 1}};
	}
	own[0].value.length = sizeof(long_value);
	series_of(own, LABEL_COUNT_MAX + 3);
	CHECK_EQ(batch.drops.labels_dropped, 3);
	CHECK_EQ(batch.drops.labels_cut, 1);
	CHECK_EQ(batch.profile->labels.sets[1].count, LABEL_COUNT_MAX);
	ingest_batch_done(&batch);
}

static void what_weighs_nothing_is_left_out_and_counted(void)
{
	const struct ingest_name name = {.kind = FRAME_TEXT};

	begin();
	add(&name, 1, series_of(NULL, 0), 0);
	add(&name, 1, series_of(NULL, 0), -3);
	add(&name, 1, series_of(NULL, 0), 4);
	CHECK_EQ(batch.drops.empty, 1);
	CHECK_EQ(batch.drops.negative, 1);
	CHECK_STR(ingest_batch_lines(&batch), CPU "{} [unknown] 1 4\n");
}

static void a_stack_that_is_too_deep_keeps_its_leaf(void)
{
	static uint32_t frames[INGEST_DEPTH_MAX + 5];
	struct ingest_name name = {.kind = FRAME_TEXT};
	uint32_t root_first, leaf_first;

	begin();
	for (uint32_t i = 0; i < INGEST_DEPTH_MAX + 5; i++) {
		char text[16];

		name.function = (struct ingest_text){
			text, (size_t)snprintf(text, sizeof(text), "f%u", (unsigned)i)};
		CHECK_EQ(ingest_batch_named(&batch, &name, &frames[i]), 0);
	}
	CHECK_EQ(ingest_batch_stack_root_first(&batch, frames, INGEST_DEPTH_MAX + 5, &root_first),
		0);
	CHECK_EQ(stack_table_depth(&batch.profile->stacks, root_first), INGEST_DEPTH_MAX + 1);
	CHECK_EQ(batch.profile->stacks.nodes[root_first].frame, frames[INGEST_DEPTH_MAX + 4]);
	CHECK_EQ(ingest_batch_stack_leaf_first(&batch, frames, INGEST_DEPTH_MAX + 5, &leaf_first),
		0);
	CHECK_EQ(batch.profile->stacks.nodes[leaf_first].frame, frames[0]);
	CHECK_EQ(batch.drops.stacks_cut, 2);
	ingest_batch_done(&batch);
}

static void addresses_keep_module_and_build(void)
{
	struct ingest_address place = {.module = TEXT("/usr/lib/libx.so.1"), .address = 0x1234};
	struct sample_table *table;
	uint32_t frames[2], stack;

	begin();
	CHECK_EQ(build_id_make(BUILD_ID_GNU, "\1\2\3\4", 4, &place.id), 0);
	CHECK_EQ(ingest_batch_address(&batch, &place, &frames[0]), 0);
	place.in_file = true;
	CHECK_EQ(ingest_batch_address(&batch, &place, &frames[1]), 0);
	CHECK_EQ(ingest_batch_stack_leaf_first(&batch, frames, 2, &stack), 0);
	CHECK_EQ(ingest_batch_type(&batch, CPU, 10, &table), 0);
	CHECK_EQ(ingest_batch_sample(&batch, table, stack, series_of(NULL, 0), 3, 30), 0);
	CHECK_EQ(batch.profile->modules.count, 2);
	CHECK(build_id_equal(&batch.profile->modules.modules[1].build_id, &place.id));
	CHECK_STR(ingest_batch_lines(&batch), CPU "{} libx.so.1@0x1234;libx.so.1+0x1234 3 30\n");
}

static void windows_may_be_empty_or_go_backwards(void)
{
	CHECK_EQ(ingest_batch_init(&batch, INGEST_START_NS, INGEST_START_NS), 0);
	CHECK_EQ(batch.profile->head.window_end_ns - batch.profile->head.window_start_ns,
		PROFILE_SLOT_NS);
	ingest_batch_done(&batch);
	CHECK_EQ(ingest_batch_init(&batch, INGEST_UNTIL_NS, INGEST_START_NS), 0);
	CHECK_EQ(profile_window_epoch_ns(batch.profile), INGEST_START_NS);
	CHECK_EQ(profile_window_end_epoch_ns(batch.profile), INGEST_UNTIL_NS);
	ingest_batch_done(&batch);
}

static void periods_that_differ_are_said_no_more(void)
{
	struct sample_table *one, *other;

	begin();
	CHECK_EQ(ingest_batch_type(&batch, CPU, 10, &one), 0);
	CHECK_EQ(ingest_batch_type(&batch, CPU, 10, &other), 0);
	CHECK(one == other);
	CHECK_EQ(one->period, 10);
	CHECK_EQ(ingest_batch_type(&batch, CPU, 11, &other), 0);
	CHECK_EQ(one->period, 0);
	ingest_batch_done(&batch);
}

int main(void)
{
	RUN(equal_stacks_of_a_series_add_up);
	RUN(labels_of_the_batch_go_before_those_of_a_sample);
	RUN(keys_become_such_as_can_be_asked_for);
	RUN(more_labels_than_fit_are_counted);
	RUN(what_weighs_nothing_is_left_out_and_counted);
	RUN(a_stack_that_is_too_deep_keeps_its_leaf);
	RUN(addresses_keep_module_and_build);
	RUN(windows_may_be_empty_or_go_backwards);
	RUN(periods_that_differ_are_said_no_more);
	return 0;
}
