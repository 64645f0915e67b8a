/* SPDX-License-Identifier: Apache-2.0 */
#include "store/profile/build_id.h"

#include <errno.h>

#include "tests/support/check.h"

static const uint8_t bytes[BUILD_ID_BYTES_MAX + 1] = {0x00, 0x1f, 0xab, 0xff};

static struct build_id made(enum build_id_kind kind, size_t byte_count)
{
	struct build_id id;

	CHECK_EQ(build_id_make(kind, bytes, byte_count, &id), 0);
	return id;
}

static void check_text(enum build_id_kind kind, size_t byte_count, const char *expected)
{
	struct build_id id = made(kind, byte_count), parsed;
	char text[BUILD_ID_TEXT_MAX];

	build_id_format(&id, text);
	CHECK_STR(text, expected);
	CHECK_EQ(build_id_parse(text, strlen(text), &parsed), 0);
	CHECK(build_id_equal(&parsed, &id));
	CHECK(build_id_hash(&parsed) == build_id_hash(&id));
}

static void each_kind_has_a_text_that_parses_to_the_same(void)
{
	check_text(BUILD_ID_GNU, 4, "001fabff");
	check_text(BUILD_ID_GO, 2, "go-001f");
	check_text(BUILD_ID_HTL, 1, "htl-00");
}

static void the_longest_id_fits_its_text(void)
{
	for (enum build_id_kind kind = BUILD_ID_GNU; kind <= BUILD_ID_HTL; kind++) {
		struct build_id id = made(kind, BUILD_ID_BYTES_MAX), parsed;
		char text[BUILD_ID_TEXT_MAX];

		build_id_format(&id, text);
		CHECK_EQ(build_id_parse(text, strlen(text), &parsed), 0);
		CHECK(build_id_equal(&parsed, &id));
	}
}

static void an_unknown_id_has_an_empty_text(void)
{
	struct build_id none = {0};
	char text[BUILD_ID_TEXT_MAX] = "x";

	build_id_format(&none, text);
	CHECK_STR(text, "");
	CHECK(!build_id_known(&none));
}

static void what_is_no_id_is_refused_and_output_untouched(void)
{
	static const char *const texts[] = {
		"", "0", "0g", "AB", "go-", "htl-", "go-0", "go-go-00", "0x00", " 00", "00 ", "-0"};
	struct build_id id = made(BUILD_ID_GNU, 4), before = id;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		CHECK_EQ(build_id_parse(texts[i], strlen(texts[i]), &id), -EINVAL);
	CHECK_EQ(build_id_make(BUILD_ID_GNU, bytes, 0, &id), -EINVAL);
	CHECK_EQ(build_id_make(BUILD_ID_GNU, bytes, BUILD_ID_BYTES_MAX + 1, &id), -E2BIG);
	CHECK_EQ(build_id_make(BUILD_ID_NONE, bytes, 4, &id), -EINVAL);
	CHECK_EQ(build_id_make((enum build_id_kind)4, bytes, 4, &id), -EINVAL);
	CHECK(build_id_equal(&id, &before));
}

static void a_text_that_is_too_long_is_refused(void)
{
	char text[2 * BUILD_ID_BYTES_MAX + 2];
	struct build_id id;

	memset(text, 'a', sizeof(text));
	CHECK_EQ(build_id_parse(text, sizeof(text), &id), -E2BIG);
	CHECK_EQ(build_id_parse(text, sizeof(text) - 2, &id), 0);
}

static void kinds_and_lengths_never_meet(void)
{
	struct build_id ids[] = {{.kind = BUILD_ID_NONE}, made(BUILD_ID_GNU, 1),
		made(BUILD_ID_GNU, 4), made(BUILD_ID_GO, 4), made(BUILD_ID_HTL, 4)};
	size_t count = sizeof(ids) / sizeof(ids[0]);

	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < count; j++) {
			CHECK_EQ(build_id_equal(&ids[i], &ids[j]), i == j);
			CHECK_EQ(build_id_compare(&ids[i], &ids[j]) < 0, i < j);
			CHECK_EQ(build_id_compare(&ids[i], &ids[j]) > 0, i > j);
			CHECK_EQ(build_id_hash(&ids[i]) == build_id_hash(&ids[j]), i == j);
		}
	}
}

int main(void)
{
	RUN(each_kind_has_a_text_that_parses_to_the_same);
	RUN(the_longest_id_fits_its_text);
	RUN(an_unknown_id_has_an_empty_text);
	RUN(what_is_no_id_is_refused_and_output_untouched);
	RUN(a_text_that_is_too_long_is_refused);
	RUN(kinds_and_lengths_never_meet);
	return 0;
}
