/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/name_text.h"

#include "tests/support/check.h"

static void check_mended(const char *text, const char *expected)
{
	char copy[64];
	size_t length = strlen(text);

	memcpy(copy, text, length + 1);
	name_text_mend(copy, length);
	CHECK_STR(copy, expected);
	CHECK(name_text_clean(copy, length));
	CHECK_EQ(name_text_clean(text, length), strcmp(text, expected) == 0);
}

static void sound_text_stays(void)
{
	check_mended("", "");
	check_mended("std::map<int, char>::operator[]", "std::map<int, char>::operator[]");
	check_mended("gr\xc3\xb6\xc3\x9f"
		     "e",
		"gr\xc3\xb6\xc3\x9f"
		"e");
	check_mended("\xe2\x82\xac \xf0\x9f\x98\x80", "\xe2\x82\xac \xf0\x9f\x98\x80");
}

static void control_characters_become_question_marks(void)
{
	check_mended("a\nb\tc\x1b[0m\x7f", "a?b?c?[0m?");
	check_mended("\xc2\x85", "??");
}

static void broken_characters_become_question_marks(void)
{
	check_mended("\xff\xfe", "??");
	check_mended("\x80", "?");
	check_mended("\xc3", "?");
	check_mended("a\xe2\x82", "a??");
	check_mended("\xc0\xaf", "??"); /* longer than it needs to be */
	check_mended("\xe0\x80\xaf", "???");
	check_mended("\xed\xa0\x80", "???"); /* half of a surrogate pair */
	check_mended("\xf4\x90\x80\x80", "????"); /* beyond the last one */
}

static void a_cut_never_splits_a_character(void)
{
	CHECK_EQ(name_text_cut("abc", 3, 5), 3);
	CHECK_EQ(name_text_cut("abc", 3, 2), 2);
	CHECK_EQ(name_text_cut("a\xe2\x82\xac", 4, 4), 4);
	CHECK_EQ(name_text_cut("a\xe2\x82\xac", 4, 3), 1);
	CHECK_EQ(name_text_cut("a\xe2\x82\xac", 4, 2), 1);
	CHECK_EQ(name_text_cut("\xe2\x82\xac", 3, 2), 0);
}

int main(void)
{
	RUN(sound_text_stays);
	RUN(control_characters_become_question_marks);
	RUN(broken_characters_become_question_marks);
	RUN(a_cut_never_splits_a_character);
	return 0;
}
