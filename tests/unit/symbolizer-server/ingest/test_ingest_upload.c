/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/ingest_upload.h"

#include <errno.h>

#include "store/base/deflate.h"
#include "symbolizer-server/ingest/profile_list.h"
#include "tests/support/ingest_fixture.h"
#include "tests/support/made_contexts.h"
#include "tests/support/made_jfr.h"
#include "tests/support/made_pprof.h"

#define CPU PROFILE_TYPE_ON_CPU

static struct ingest_drops drops;
static struct ingest_fault fault;
static struct profile_list list;
static struct proto_text pprof;
static struct made_jfr jfr;

static int read_body(const struct ingest_upload *upload, const void *body, size_t length)
{
	list = (struct profile_list){.profiles = NULL};
	return ingest_upload_read(
		upload, (struct ingest_text){body, length}, &list, &drops, &fault);
}

static void free_profiles(void)
{
	profile_list_done(&list);
}

static struct ingest_upload with_name(const char *name)
{
	return (struct ingest_upload){.name = name,
		.from = "1796061870",
		.until = "1796061880",
		.now_ns = INGEST_UNTIL_NS};
}

static void check_lines(
	const struct ingest_upload *upload, const void *body, size_t length, const char *lines)
{
	CHECK_EQ(read_body(upload, body, length), 0);
	CHECK_EQ(list.count, 1);
	CHECK_STR(ingest_lines(list.profiles[0]), lines);
	CHECK_EQ(profile_window_epoch_ns(list.profiles[0]), INGEST_START_NS);
	CHECK_EQ(profile_window_end_epoch_ns(list.profiles[0]), INGEST_UNTIL_NS);
	free_profiles();
}

static void text_is_folded_if_nothing_else_is_said(void)
{
	struct ingest_upload upload = with_name("demo.cpu{env=x-y}");

	check_lines(&upload, "main;a 30\n", 10,
		CPU "{env=x-y,service_name=demo} main;a 30 300000000\n");
	upload.content_type = "application/x-www-form-urlencoded";
	upload.sample_rate = "";
	upload.units = "";
	check_lines(&upload, "main;a 30\n", 10,
		CPU "{env=x-y,service_name=demo} main;a 30 300000000\n");
	upload.format = "lines";
	upload.sample_rate = "1000";
	check_lines(&upload, "main;a\nmain;a\n", 14,
		CPU "{env=x-y,service_name=demo} main;a 2 2000000\n");
	upload.format = NULL;
	upload.content_type = "binary/octet-stream+tree";
	check_lines(&upload, "\0\0\1\1a\2\0", 7, CPU "{env=x-y,service_name=demo} a 2 2000000\n");
	upload.content_type = "binary/octet-stream+trie";
	check_lines(&upload, "\0\0\1\1a\2\0", 7, CPU "{env=x-y,service_name=demo} a 2 2000000\n");
}

static void a_service_label_goes_before_the_name(void)
{
	struct ingest_upload upload = with_name("demo.inuse_space{service_name=web}");

	upload.spy_name = "scripting";
	check_lines(&upload, "a 7\n", 4,
		"memory:inuse_space:bytes::{app_name=demo,pyroscope_spy=scripting,service_name=web}"
		" "
		"a 1 7\n");
}

#define MADE_LINES                                                                        \
	CPU "{endpoint=/api,service_name=demo} "                                          \
	    "main(/src/a.c:5);work(/src/a.c:20);hot(:30) 3 30000000\n" CPU                \
	    "{service_name=demo} main(/src/a.c:5);libx.so+0x1500 1 10000000\n"            \
	    "process_cpu:samples:count:cpu:nanoseconds{endpoint=/api,service_name=demo} " \
	    "main(/src/a.c:5);work(/src/a.c:20);hot(:30) 3 3\n"                           \
	    "process_cpu:samples:count:cpu:nanoseconds{service_name=demo} "               \
	    "main(/src/a.c:5);libx.so+0x1500 1 1\n"

static void pprof_comes_bare_packed_and_in_forms(void)
{
	struct ingest_upload upload = with_name("demo");
	struct bytes_writer packed, form;
	static const char head[] =
		"--b\r\nContent-Disposition: form-data; name=\"profile\"; filename=\"p\"\r\n\r\n";

	made_pprof(&pprof, 1);
	upload.format = "pprof";
	check_lines(&upload, pprof.bytes, pprof.length, MADE_LINES);
	bytes_writer_init(&packed, 1u << 20);
	CHECK_EQ(deflate_write_gzip(&packed, pprof.bytes, pprof.length), 0);
	check_lines(&upload, packed.bytes, packed.byte_count, MADE_LINES);
	upload.content_encoding = "gzip";
	check_lines(&upload, packed.bytes, packed.byte_count, MADE_LINES);
	upload.content_encoding = NULL;
	bytes_writer_init(&form, 1u << 20);
	bytes_write_span(&form, head, sizeof(head) - 1);
	bytes_write_span(&form, packed.bytes, packed.byte_count);
	bytes_write_span(&form, "\r\n--b--\r\n", 9);
	upload.content_type = "multipart/form-data; boundary=b";
	check_lines(&upload, form.bytes, form.byte_count, MADE_LINES);
	upload.format = NULL;
	check_lines(&upload, form.bytes, form.byte_count, MADE_LINES);
	bytes_writer_done(&form);
	bytes_writer_done(&packed);
}

static void read_form(const char *body, int expected)
{
	struct ingest_upload upload = with_name("demo");

	upload.content_type = "multipart/form-data; boundary=b";
	CHECK_EQ(read_body(&upload, body, strlen(body)), expected);
}

static void a_form_without_a_profile_stores_nothing(void)
{
	read_form("--b\r\nContent-Disposition: form-data; name=\"profile\"; filename=\"p\"\r\n\r\n"
		  "\r\n--b--",
		0);
	CHECK_EQ(list.count, 0);
	free_profiles();
	read_form("--b\r\nContent-Disposition: form-data; name=\"prev_profile\"; filename=\"p\""
		  "\r\n\r\nx\r\n--b--",
		-EBADMSG);
	CHECK(strstr(fault.text, "prev_profile"));
}

/* A form with a recording and labels, packed or not. */
static void make_jfr_form(struct bytes_writer *form, bool is_packed)
{
	static const char jfr_head[] =
		"--b\r\nContent-Disposition: form-data; name=\"jfr\"; filename=\"jfr\"\r\n\r\n";
	static const char labels_head[] = "\r\n--b\r\nContent-Disposition: form-data; "
					  "name=\"labels\"; filename=\"labels\"\r\n\r\n";
	static struct proto_text labels;

	jfr.length = 0;
	made_jfr_chunk(&jfr);
	made_contexts(&labels);
	bytes_writer_init(form, 1u << 20);
	bytes_write_span(form, jfr_head, sizeof(jfr_head) - 1);
	if (is_packed)
		CHECK_EQ(deflate_write_gzip(form, jfr.bytes, jfr.length), 0);
	else
		bytes_write_span(form, jfr.bytes, jfr.length);
	bytes_write_span(form, labels_head, sizeof(labels_head) - 1);
	if (is_packed)
		CHECK_EQ(deflate_write_gzip(form, labels.bytes, labels.length), 0);
	else
		bytes_write_span(form, labels.bytes, labels.length);
	bytes_write_span(form, "\r\n--b--\r\n", 9);
}

static void recordings_come_bare_packed_and_in_forms_with_labels(void)
{
	struct ingest_upload upload = with_name("demo");
	struct bytes_writer form;

	upload.content_type = "multipart/form-data; boundary=b";
	for (int way = 0; way < 4; way++) {
		make_jfr_form(&form, way % 2);
		upload.format = way < 2 ? "jfr" : NULL;
		CHECK_EQ(read_body(&upload, form.bytes, form.byte_count), 0);
		CHECK_EQ(list.count, 1);
		CHECK(strstr(ingest_lines(list.profiles[0]),
			CPU "{endpoint=/heavy,service_name=demo,vehicle=car} " MADE_JFR_RUN
			    " 2 40000000\n"));
		free_profiles();
		bytes_writer_done(&form);
	}
	upload.content_type = NULL;
	upload.sample_rate = "1000";
	CHECK_EQ(read_body(&upload, jfr.bytes, jfr.length), 0);
	CHECK(strstr(ingest_lines(list.profiles[0]),
		CPU "{service_name=demo} " MADE_JFR_RUN " 2 2000000\n"));
	free_profiles();
}

static void chunks_have_their_own_times_unless_one_is_told(void)
{
	struct ingest_upload upload = with_name("demo");

	jfr.length = 0;
	made_jfr_chunk(&jfr);
	made_jfr_chunk(&jfr);
	made_jfr_set_big(&jfr, jfr.chunk_at + 32, MADE_JFR_START_NS + 60 * NS_PER_S, 8);
	upload.format = "jfr";
	CHECK_EQ(read_body(&upload, jfr.bytes, jfr.length), 0);
	CHECK_EQ(list.count, 1);
	CHECK_EQ(profile_window_epoch_ns(list.profiles[0]), INGEST_START_NS);
	free_profiles();
	upload.from = "";
	CHECK_EQ(read_body(&upload, jfr.bytes, jfr.length), 0);
	CHECK_EQ(list.count, 2);
	CHECK_EQ(profile_window_epoch_ns(list.profiles[1]), MADE_JFR_START_NS + 60 * NS_PER_S);
	CHECK_EQ(profile_window_end_epoch_ns(list.profiles[1]), MADE_JFR_START_NS + 70 * NS_PER_S);
	free_profiles();
	/* What is damaged in its second chunk is not stored in part. */
	CHECK_EQ(read_body(&upload, jfr.bytes, jfr.length - 1), -EBADMSG);
	CHECK(strstr(fault.text, "chunk 2"));
	CHECK_EQ(list.count, 0);
}

static void equal_uploads_have_one_key(void)
{
	struct ingest_upload upload = with_name("demo"), other = with_name("demo");
	struct ingest_text body = {"FLR", 4};
	struct hash128 key, same;

	CHECK(ingest_upload_is_recording(&upload, body));
	CHECK(!ingest_upload_is_recording(&upload, (struct ingest_text){"a 1", 3}));
	CHECK_EQ(ingest_upload_key(&upload, body, &key), 0);
	other.now_ns++;
	CHECK_EQ(ingest_upload_key(&other, body, &same), 0);
	CHECK(key.low == same.low && key.high == same.high);
	CHECK_EQ(ingest_upload_key(&other, (struct ingest_text){"FLS", 4}, &same), 0);
	CHECK(key.low != same.low || key.high != same.high);
	other.until = "1796061881";
	CHECK_EQ(ingest_upload_key(&other, body, &same), 0);
	CHECK(key.low != same.low || key.high != same.high);
}

static void odd_times_are_now(void)
{
	struct ingest_upload upload = with_name("demo");

	upload.from = "yesterday";
	upload.until = "";
	CHECK_EQ(read_body(&upload, "a 1", 3), 0);
	CHECK_EQ(profile_window_epoch_ns(list.profiles[0]), INGEST_UNTIL_NS);
	free_profiles();
	upload.from = "1796061880";
	upload.until = "1796061870";
	check_lines(&upload, "a 1", 3, CPU "{service_name=demo} a 1 10000000\n");
}

static void what_is_wrong_is_said(void)
{
	struct ingest_upload upload = with_name("");

	CHECK_EQ(read_body(&upload, "a 1", 3), -EINVAL);
	CHECK(strstr(fault.text, "name"));
	upload = with_name("a b");
	CHECK_EQ(read_body(&upload, "a 1", 3), -EINVAL);
	upload = with_name("demo");
	CHECK_EQ(read_body(&upload, "a x", 3), -EBADMSG);
	upload.content_encoding = "gzip";
	CHECK_EQ(read_body(&upload, "\x1f\x8b\x08 no", 6), -EBADMSG);
	CHECK(strstr(fault.text, "gzip"));
}

static void a_bomb_is_not_unpacked(void)
{
	static uint8_t zeros[1u << 20];
	struct ingest_upload upload = with_name("demo");
	struct bytes_writer bomb;

	/* Members of a gzip file follow each other: 96 MiB in about 100 kB. */
	bytes_writer_init(&bomb, 8u << 20);
	for (int i = 0; i < 96; i++)
		CHECK_EQ(deflate_write_gzip(&bomb, zeros, sizeof(zeros)), 0);
	upload.format = "pprof";
	CHECK_EQ(read_body(&upload, bomb.bytes, bomb.byte_count), -E2BIG);
	CHECK(strstr(fault.text, "unpacked"));
	bytes_writer_done(&bomb);
}

int main(void)
{
	RUN(text_is_folded_if_nothing_else_is_said);
	RUN(a_service_label_goes_before_the_name);
	RUN(pprof_comes_bare_packed_and_in_forms);
	RUN(a_form_without_a_profile_stores_nothing);
	RUN(recordings_come_bare_packed_and_in_forms_with_labels);
	RUN(chunks_have_their_own_times_unless_one_is_told);
	RUN(equal_uploads_have_one_key);
	RUN(odd_times_are_now);
	RUN(what_is_wrong_is_said);
	RUN(a_bomb_is_not_unpacked);
	return 0;
}
