/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/status.h"

#include "tests/support/check.h"

static struct settings settings;
static struct identity identity;
static struct features features;
static struct tally tally;
static const struct memory_plan memory = {.limit = 41943040, .unwind_bytes_max = 7};

static struct status_view make_view(void)
{
	static char server[] = "127.0.0.1:4041", host[] = "stone";
	struct status_view view = {.settings = &settings,
		.identity = &identity,
		.features = &features,
		.memory = &memory,
		.tally = &tally};

	settings.server = server;
	settings.host_name = host;
	features_switch_off(
		&features, FEATURE_kernel_symbols, "end the test", "hidden \"for\" this test");
	tally_add(&tally, TALLY_execs, 5);
	view.kernel_counters[COUNTER_received] = 7;
	view.sink_counters[SINK_COUNTER_BATCHES_SENT] = 9;
	return view;
}

static void everything_is_told_with_its_meaning(void)
{
	struct status_view view = make_view();
	struct bytes_writer written;
	struct json_writer json;
	const char *text;

	bytes_writer_init(&written, 1 << 20);
	json_writer_init(&json, &written);
	status_write(&view, &json);
	bytes_write_u8(&written, '\0');
	CHECK_EQ(bytes_writer_fault(&written), 0);
	text = (const char *)written.bytes;
	CHECK(text[0] == '{' && text[strlen(text) - 1] == '}');
	CHECK(strstr(text, "\"host\":\"stone\""));
	CHECK(strstr(text,
		"{\"name\":\"kernel_symbols\",\"state\":\"off\","
		"\"reason\":\"hidden \\\"for\\\" this test\",\"loss\":\""));
	CHECK(strstr(text, "\"remedy\":\"end the test\"}"));
	CHECK(strstr(text, "{\"name\":\"processes\",\"state\":\"on\"}"));
	CHECK(strstr(text, "{\"name\":\"kernel_received\",\"value\":7,\"meaning\":\""));
	CHECK(strstr(text, "{\"name\":\"collector_execs\",\"value\":5,"));
	CHECK(strstr(text, "{\"name\":\"sink_batches_sent\",\"value\":9,"));
	CHECK(strstr(text, "\"memory\":{\"limit_bytes\":41943040,\"unwind_bytes_max\":7,"));
	CHECK(strstr(text, "\"rss_bytes\":") && !strstr(text, "\"rss_bytes\":0,"));
	bytes_writer_done(&written);
}

static void a_profile_carries_the_same_counters_and_features(void)
{
	struct status_view view = make_view();
	struct profile *profile;
	unsigned found = 0;

	CHECK_EQ(profile_new(&profile), 0);
	CHECK_EQ(status_add_to_profile(&view, profile), 0);
	CHECK_EQ(profile->counter_count, COUNTER_MAX + TALLY_MAX + SINK_COUNTER_COUNT);
	for (uint32_t i = 0; i < profile->counter_count; i++) {
		const char *name = string_table_text(&profile->strings, profile->counters[i].name);

		if (strcmp(name, "kernel_received") == 0 && profile->counters[i].value == 7)
			found++;
		if (strcmp(name, "sink_batches_sent") == 0 && profile->counters[i].value == 9)
			found++;
	}
	CHECK_EQ(found, 2);
	CHECK_EQ(profile->feature_count, FEATURE_COUNT);
	CHECK_EQ(profile->features[FEATURE_processes].state, FEATURE_ON);
	CHECK_EQ(profile->features[FEATURE_kernel_symbols].state, FEATURE_OFF);
	CHECK_STR(string_table_text(
			  &profile->strings, profile->features[FEATURE_kernel_symbols].remedy),
		"end the test");
	profile_free(profile);
}

int main(void)
{
	RUN(everything_is_told_with_its_meaning);
	RUN(a_profile_carries_the_same_counters_and_features);
	return 0;
}
