/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/jfr_value.h"

#include <errno.h>

#include "tests/support/made_jfr.h"

static struct made_jfr made;
static struct bytes_reader reader;

static void read_made(void)
{
	bytes_reader_init(&reader, made.bytes, made.length);
}

static void numbers_have_one_to_nine_bytes(void)
{
	static const uint64_t numbers[] = {0, 1, 0x7f, 0x80, 0x3fff, 0x4000, UINT32_MAX,
		UINT64_C(1) << 55, (UINT64_C(1) << 56) - 1, UINT64_C(1) << 56, INT64_MAX,
		UINT64_MAX};
	const size_t count = sizeof(numbers) / sizeof(numbers[0]);

	made.length = 0;
	made_jfr_numbers_of(&made, numbers, count);
	read_made();
	for (size_t i = 0; i < count; i++)
		CHECK(jfr_number(&reader) == numbers[i]);
	CHECK_EQ(bytes_left(&reader), 0);
	CHECK_EQ(bytes_reader_fault(&reader), 0);
	read_made();
	jfr_skip_numbers(&reader, count - 1);
	CHECK(jfr_number(&reader) == UINT64_MAX);
	/* Nine bytes of which the last has its highest bit set are whole. */
	bytes_reader_init(&reader, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 10);
	CHECK(jfr_number(&reader) == UINT64_MAX);
	CHECK_EQ(jfr_number(&reader), 1);
}

static void a_cut_number_is_a_fault_that_stays(void)
{
	bytes_reader_init(&reader, "\x80\x80", 2);
	CHECK_EQ(jfr_number(&reader), 0);
	CHECK_EQ(bytes_reader_fault(&reader), -EBADMSG);
	bytes_reader_init(&reader, "\1", 1);
	jfr_skip_numbers(&reader, UINT64_MAX);
	CHECK_EQ(bytes_reader_fault(&reader), -EBADMSG);
	CHECK_EQ(jfr_number(&reader), 0);
}

static void check_text(const char *bytes, size_t length, const char *expected)
{
	struct jfr_text text;
	struct ingest_text utf8;
	struct arena arena;

	arena_init(&arena, 1024);
	bytes_reader_init(&reader, bytes, length);
	text = jfr_text_read(&reader);
	CHECK_EQ(bytes_reader_fault(&reader), 0);
	CHECK_EQ(bytes_left(&reader), 0);
	CHECK_EQ(jfr_text_utf8(&text, &arena, &utf8), 0);
	CHECK_EQ(utf8.length, strlen(expected));
	CHECK(memcmp(utf8.text, expected, utf8.length) == 0);
	arena_done(&arena);
}

static void texts_come_in_six_ways(void)
{
	struct jfr_text text;

	check_text("\0", 1, "");
	check_text("\1", 1, "");
	check_text("\3\5caf\xc3\xa9", 7, "caf\xc3\xa9");
	check_text("\5\4caf\xe9", 6, "caf\xc3\xa9");
	check_text("\5\3abc", 5, "abc");
	check_text("\4\2ab", 4, "ab");
	/* a, e with an acute accent, the euro sign, a pair of surrogates, half a pair and b. */
	check_text("\4\7\x61\xe9\x01\xac\x41\xbd\xb0\x03\x80\xb8\x03\xbd\xb0\x03\x62", 17,
		"a\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\x80\xef\xbf\xbd"
		"b");
	check_text("\4\1\x80\xbc\x03", 5, "\xef\xbf\xbd");
	bytes_reader_init(&reader, "\2\x81\1", 3);
	text = jfr_text_read(&reader);
	CHECK_EQ(text.form, JFR_TEXT_CONSTANT);
	CHECK_EQ(text.constant, 129);
}

static void check_fault(const char *bytes, size_t length)
{
	bytes_reader_init(&reader, bytes, length);
	CHECK_EQ(jfr_text_read(&reader).bytes.length, 0);
	CHECK_EQ(bytes_reader_fault(&reader), -EBADMSG);
}

static void damaged_texts_are_faults(void)
{
	check_fault("", 0);
	check_fault("\6", 1);
	check_fault("\3\5abcd", 6);
	check_fault("\5\xff\xff\xff\xff\xff\xff\xff\xff\xff", 10);
	check_fault("\4\3ab", 4);
}

static void a_full_arena_is_too_much(void)
{
	struct jfr_text text = {JFR_TEXT_LATIN1, 0, {"\xe9\xe9", 2}};
	struct ingest_text utf8 = {NULL, 0};
	struct arena arena;

	arena_init(&arena, 1);
	CHECK_EQ(jfr_text_utf8(&text, &arena, &utf8), -E2BIG);
	CHECK(!utf8.text);
	arena_done(&arena);
}

int main(void)
{
	RUN(numbers_have_one_to_nine_bytes);
	RUN(a_cut_number_is_a_fault_that_stays);
	RUN(texts_come_in_six_ways);
	RUN(damaged_texts_are_faults);
	RUN(a_full_arena_is_too_much);
	return 0;
}
