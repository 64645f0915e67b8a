/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/otlp_type.h"

#include <errno.h>

#include "tests/support/made_otlp.h"

static struct otlp_dictionary dictionary;

/* The dictionary's texts are these, from 1 on. */
static void open_texts(const char *const *texts)
{
	static struct proto_text text; /* the dictionary points into it */
	struct ingest_fault fault;

	text.length = 0;
	proto_string(&text, 5, "");
	for (; *texts; texts++)
		proto_string(&text, 5, *texts);
	CHECK_EQ(otlp_dictionary_init(
			 &dictionary, (struct ingest_text){text.bytes, text.length}, &fault),
		0);
}

static void check_type(const char *const *texts, int64_t period, const char *expected,
	int64_t expected_period, int64_t weight)
{
	const struct otlp_head head = {{1, 2}, {3, 4}, period, 0, 0};
	struct otlp_type type;

	open_texts(texts);
	otlp_type_of(&dictionary, &head, &type);
	CHECK_STR(type.text, expected);
	CHECK_EQ(type.period, expected_period);
	CHECK_EQ(type.weight, weight);
	otlp_dictionary_done(&dictionary);
}

#define TEXTS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void samples_of_cpu_time_are_cpu_time(void)
{
	check_type(
		TEXTS("samples", "count", "cpu", "nanoseconds"), 50, PROFILE_TYPE_ON_CPU, 50, 50);
	check_type(TEXTS("itimer", "ns", "itimer", "ns"), 10, PROFILE_TYPE_ON_CPU, 10, 1);
	check_type(TEXTS("cpu", "nanoseconds", "", ""), 0, PROFILE_TYPE_ON_CPU, 0, 1);
}

static void the_rest_keeps_its_names(void)
{
	check_type(
		TEXTS("off_cpu", "nanoseconds", "", ""), 0, "off_cpu:off_cpu:nanoseconds::", 0, 1);
	check_type(TEXTS("events", "count", "", ""), 0, "events:events:count::", 0, 1);
	check_type(TEXTS("samples", "count", "", ""), 0, "samples:samples:count::", 0, 1);
	check_type(TEXTS("a:b", "ns", "c", "d"), 5, "a_b:a_b:nanoseconds:c:d", 0, 1);
}

static void heads_are_read_and_old_ones_told_apart(void)
{
	struct proto_text profile;
	struct otlp_head head;

	made_otlp_profile(&profile);
	CHECK_EQ(otlp_head_read((struct ingest_text){profile.bytes, profile.length}, &head), 0);
	CHECK_EQ(head.time_ns, MADE_OTLP_TIME);
	CHECK_EQ(head.duration_ns, MADE_OTLP_DURATION);
	CHECK_EQ(head.period, (int64_t)MADE_OTLP_PERIOD);
	CHECK_EQ(head.sample_type.unit, 2);
	CHECK_EQ(otlp_head_read((struct ingest_text){"\x1a\x01\x01", 3}, &head), -EINVAL);
	CHECK_EQ(otlp_head_read((struct ingest_text){"\x0a\x7f", 2}, &head), -EBADMSG);
}

int main(void)
{
	RUN(samples_of_cpu_time_are_cpu_time);
	RUN(the_rest_keeps_its_names);
	RUN(heads_are_read_and_old_ones_told_apart);
	return 0;
}
