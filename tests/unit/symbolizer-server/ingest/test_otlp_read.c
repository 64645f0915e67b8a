/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/otlp_read.h"

#include <errno.h>

#include "tests/support/ingest_fixture.h"
#include "tests/support/made_otlp.h"

static struct proto_text request, profiles[3];
static struct profile_list list;
static struct ingest_drops drops;
static struct ingest_fault fault;
static struct otlp_target target;

static int read_request(void)
{
	list = (struct profile_list){.profiles = NULL};
	target = (struct otlp_target){
		.profiles = &list, .drops = &drops, .fault = &fault, .now_ns = INGEST_UNTIL_NS};
	return otlp_read((struct ingest_text){request.bytes, request.length}, &target);
}

static void times_are_samples_and_the_dictionary_may_be_anywhere(void)
{
	const struct thread *thread;

	made_otlp_profile(&profiles[0]);
	for (int first = 0; first < 2; first++) {
		made_otlp_request(&request, profiles, 1, first);
		CHECK_EQ(read_request(), 0);
		CHECK_EQ(list.count, 1);
		CHECK_STR(ingest_lines(list.profiles[0]), MADE_OTLP_LINES);
		CHECK_EQ(profile_window_epoch_ns(list.profiles[0]), MADE_OTLP_TIME);
		thread = &list.profiles[0]->threads.threads[0];
		CHECK_EQ(thread->pid, 4242);
		CHECK_EQ(thread->tid, 4243);
		CHECK_STR(string_table_text(&list.profiles[0]->strings, thread->name), "worker");
		CHECK_EQ(list.profiles[0]->types[0].rows[0].cpu, 3);
		CHECK(build_id_known(&list.profiles[0]->modules.modules[1].build_id));
		profile_list_done(&list);
	}
}

/* A profile of one sample that has these values, as numbers one by one. */
static void make_values(struct proto_text *profile, const uint64_t (*sample)[2], bool timed)
{
	*profile = (struct proto_text){.length = 0};
	if (timed)
		PROTO_ROW(profile, 1, {1, 1}, {2, 2});
	else
		PROTO_ROW(profile, 1, {1, 5}, {2, 4});
	proto_numbers_of(profile, 2, sample);
	made_otlp_fixed64(profile, 3, MADE_OTLP_TIME);
	if (timed) {
		PROTO_ROW(profile, 5, {1, 3}, {2, 4});
		proto_number(profile, 6, MADE_OTLP_PERIOD);
	}
}

static void values_are_counts_or_what_their_type_says(void)
{
	make_values(&profiles[0], (const uint64_t[][2]){{1, 1}, {4, 3}, {0, 0}}, true);
	make_values(&profiles[1], (const uint64_t[][2]){{1, 1}, {4, 700}, {0, 0}}, false);
	made_otlp_request(&request, profiles, 2, false);
	CHECK_EQ(read_request(), 0);
	CHECK_EQ(list.count, 2);
	CHECK_STR(ingest_lines(list.profiles[0]),
		PROFILE_TYPE_ON_CPU
		"{service_name=web} main;work(/a.py:7);libx.so+0x1234 3 150000000\n");
	CHECK_STR(ingest_lines(list.profiles[1]),
		"libx.so:libx.so:nanoseconds::{service_name=web} "
		"main;work(/a.py:7);libx.so+0x1234 1 700\n");
	profile_list_done(&list);
}

static void old_numbering_is_refused_and_the_rest_kept(void)
{
	struct proto_text sample = {.length = 0};

	made_otlp_profile(&profiles[0]);
	profiles[1] = (struct proto_text){.length = 0};
	proto_span(&sample, 3, "\1", 1);
	proto_inner(&profiles[1], 2, &sample);
	profiles[2] = (struct proto_text){.length = 0};
	proto_span(&profiles[2], 3, "\1\2", 2);
	made_otlp_request(&request, profiles, 3, true);
	CHECK_EQ(read_request(), -EINVAL);
	CHECK(strstr(fault.text, "before 1.10"));
	CHECK_EQ(target.rejected_count, 2);
	CHECK_EQ(list.count, 1);
	profile_list_done(&list);
}

static void without_a_resource_it_is_an_unknown_service(void)
{
	struct proto_text scope = {.length = 0}, all = {.length = 0}, dictionary;

	made_otlp_profile(&profiles[0]);
	made_otlp_dictionary(&dictionary);
	proto_inner(&scope, 2, &profiles[0]);
	proto_inner(&all, 2, &scope);
	request.length = 0;
	proto_inner(&request, 2, &dictionary);
	proto_inner(&request, 1, &all);
	CHECK_EQ(read_request(), 0);
	CHECK(strstr(ingest_lines(list.profiles[0]), "service_name=unknown_service"));
	profile_list_done(&list);
}

static void other_bodies_are_refused(void)
{
	request.length = 0;
	proto_put(&request, "main;a 30\n", 10);
	CHECK_EQ(read_request(), -EBADMSG);
	CHECK(fault.text[0] != '\0');
	request.length = 0;
	CHECK_EQ(read_request(), 0);
	CHECK_EQ(list.count, 0);
}

int main(void)
{
	RUN(times_are_samples_and_the_dictionary_may_be_anywhere);
	RUN(values_are_counts_or_what_their_type_says);
	RUN(old_numbering_is_refused_and_the_rest_kept);
	RUN(without_a_resource_it_is_an_unknown_service);
	RUN(other_bodies_are_refused);
	return 0;
}
