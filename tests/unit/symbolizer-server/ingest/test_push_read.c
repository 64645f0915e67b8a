/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/push_read.h"

#include <errno.h>

#include "tests/support/ingest_fixture.h"
#include "tests/support/made_pprof.h"

static struct proto_text pprof, request;
static struct profile_list list;
static struct ingest_drops drops;
static struct ingest_fault fault;

static struct push_target target(void)
{
	list = (struct profile_list){.profiles = NULL};
	fault.text[0] = '\0';
	return (struct push_target){&list, &drops, &fault, INGEST_UNTIL_NS};
}

static void add_label(struct proto_text *series, const char *name, const char *value)
{
	struct proto_text label = {.length = 0};

	proto_string(&label, 1, name);
	proto_string(&label, 2, value);
	proto_inner(series, 1, &label);
}

static void add_series(const char *name, const char *service, const struct proto_text *profile)
{
	struct proto_text series = {.length = 0}, sample = {.length = 0};

	proto_inner(&sample, 1, profile);
	proto_string(&sample, 2, "0b6e0a4c-0000-0000-0000-000000000000");
	proto_inner(&series, 2, &sample);
	/* Behind the sample, as any field may. */
	add_label(&series, "__name__", name);
	if (service)
		add_label(&series, "service_name", service);
	proto_inner(&request, 1, &series);
}

static int read_request(void)
{
	const struct push_target to = target();

	return push_read((struct ingest_text){request.bytes, request.length}, &to);
}

static void a_series_becomes_a_profile_of_its_own_time(void)
{
	made_pprof(&pprof, 1);
	request.length = 0;
	add_series("process_cpu", "web", &pprof);
	CHECK_EQ(read_request(), 0);
	CHECK_EQ(list.count, 1);
	CHECK_EQ(profile_window_epoch_ns(list.profiles[0]), MADE_PPROF_TIME);
	CHECK(strstr(ingest_lines(list.profiles[0]),
		PROFILE_TYPE_ON_CPU "{endpoint=/api,service_name=web} main(/src/a.c:5);"));
	profile_list_done(&list);
}

static void a_series_without_a_service_is_told_to_have_none(void)
{
	request.length = 0;
	add_series("memory", NULL, &pprof);
	CHECK_EQ(read_request(), 0);
	CHECK(strstr(ingest_lines(list.profiles[0]),
		"memory:samples:count:cpu:nanoseconds{service_name=unknown_service}"));
	profile_list_done(&list);
}

static void good_series_are_kept_beside_bad_ones(void)
{
	struct proto_text junk = {.length = 0};

	proto_put(&junk, "junk!", 5);
	request.length = 0;
	add_series("process_cpu", "one", &pprof);
	add_series("process_cpu", "two", &junk);
	add_series("process_cpu", "three", &pprof);
	CHECK_EQ(read_request(), -EBADMSG);
	CHECK(strstr(fault.text, "pprof"));
	CHECK_EQ(list.count, 2);
	profile_list_done(&list);
}

static void nothing_is_refused(void)
{
	request.length = 0;
	CHECK_EQ(read_request(), -EINVAL);
	CHECK_STR(fault.text, "no profiles received");
	proto_put(&request, "\x0a\x7f", 2);
	CHECK_EQ(read_request(), -EBADMSG);
	profile_list_done(&list);
}

static void write_base64(char *text, const uint8_t *bytes, size_t length)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < length; i += 3) {
		uint32_t bits = 0;
		size_t left = length - i < 3 ? length - i : 3;

		for (size_t j = 0; j < left; j++)
			bits |= (uint32_t)bytes[i + j] << (16 - 8 * j);
		for (size_t j = 0; j <= left; j++)
			*text++ = digits[bits >> (18 - 6 * j) & 63];
	}
	*text = '\0';
}

static int read_json(const char *text)
{
	const struct push_target to = target();

	return push_read_json((struct ingest_text){text, strlen(text)}, &to);
}

static void json_says_the_same(void)
{
	static char profile[4096], text[16384];

	made_pprof(&pprof, 1);
	write_base64(profile, (const uint8_t *)pprof.bytes, pprof.length);
	snprintf(text, sizeof(text),
		"{\"series\":[{\"labels\":[{\"name\":\"__name__\",\"value\":\"process_cpu\"},"
		"{\"name\":\"service_name\",\"value\":\"web\"}],\"samples\":[{\"rawProfile\":\"%"
		"s\","
		"\"ID\":\"x\"},{\"raw_profile\":\"%s\"}]}]}",
		profile, profile);
	CHECK_EQ(read_json(text), 0);
	CHECK_EQ(list.count, 2);
	CHECK(strstr(ingest_lines(list.profiles[1]),
		PROFILE_TYPE_ON_CPU "{endpoint=/api,service_name=web} "));
	profile_list_done(&list);
	CHECK_EQ(read_json("{}"), -EINVAL);
	CHECK_EQ(read_json("[]"), -EBADMSG);
	CHECK_EQ(read_json("{\"series\":[{\"samples\":[{\"rawProfile\":\"?\"}]}]}"), -EBADMSG);
	CHECK(strstr(fault.text, "base64"));
}

int main(void)
{
	RUN(a_series_becomes_a_profile_of_its_own_time);
	RUN(a_series_without_a_service_is_told_to_have_none);
	RUN(good_series_are_kept_beside_bad_ones);
	RUN(nothing_is_refused);
	RUN(json_says_the_same);
	return 0;
}
