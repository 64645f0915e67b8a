/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/kernel_text.h"

#include <errno.h>

#include "tests/support/check.h"

static struct string_table strings;

static int read_text(const char *text, struct function_list *ret_list)
{
	return kernel_text_read(text, strlen(text), &strings, ret_list);
}

static const char *name_at(const struct function_list *list, uint64_t address)
{
	const struct function *found = function_list_find(list, address);

	return found ? string_table_text(&strings, found->name) : "-";
}

static void a_function_reaches_to_the_next_start(void)
{
	struct function_list list;

	CHECK_EQ(read_text("0 _text\n1000 do_one\n1040 do_two\n", &list), 0);
	CHECK_STR(name_at(&list, 0xfff), "_text");
	CHECK_STR(name_at(&list, 0x1000), "do_one");
	CHECK_STR(name_at(&list, 0x103f), "do_one");
	CHECK_STR(name_at(&list, 0x1040), "do_two");
	function_list_done(&list);
}

static void a_gap_is_nobody_s(void)
{
	struct function_list list;

	CHECK_EQ(read_text("1000 last_of_text\n40000000 first_of_init\n", &list), 0);
	CHECK_STR(name_at(&list, 0x1000 + KERNEL_FUNCTION_BYTES_MAX - 1), "last_of_text");
	CHECK_STR(name_at(&list, 0x1000 + KERNEL_FUNCTION_BYTES_MAX), "-");
	CHECK_STR(name_at(&list, 0x3fffffff), "-");
	CHECK_STR(name_at(&list, 0x40000000), "first_of_init");
	CHECK_STR(name_at(&list, UINT64_MAX), "-");
	function_list_done(&list);
}

static void order_does_not_matter(void)
{
	struct function_list list;

	CHECK_EQ(read_text("30 c\n10 a\n20 b", &list), 0);
	CHECK_STR(name_at(&list, 0x1f), "a");
	CHECK_STR(name_at(&list, 0x2f), "b");
	CHECK_STR(name_at(&list, 0x30), "c");
	function_list_done(&list);
}

static void of_several_names_for_a_place_one_is_chosen(void)
{
	struct function_list list;

	CHECK_EQ(read_text("10 __softirqentry_text_start\n10 __do_softirq\n20 x\n", &list), 0);
	CHECK_STR(name_at(&list, 0x10), "__do_softirq");
	CHECK_STR(name_at(&list, 0x1f), "__do_softirq");
	function_list_done(&list);
}

static void hidden_addresses_are_no_addresses(void)
{
	struct function_list list;

	CHECK_EQ(read_text("0 a\n0 b\n0000000000000000 c\n", &list), -ENODATA);
	CHECK_EQ(read_text("", &list), -EBADMSG);
	CHECK_EQ(read_text("<html>\n</html>\n", &list), -EBADMSG);
}

static void lines_of_another_form_are_left_out(void)
{
	struct function_list list;

	CHECK_EQ(read_text("10 a\n"
			   "20 tcp_probe\t[tcp_probe]\n"
			   "30\n"
			   "40 \n"
			   "\n"
			   "xyz b\n"
			   "50 two words\n"
			   "12345678901234567 too_long\n"
			   "60 c\r\n"
			   "70 d",
			 &list),
		0);
	CHECK_EQ(list.count, 2);
	CHECK_STR(name_at(&list, 0x10), "a");
	CHECK_STR(name_at(&list, 0x70), "d");
	function_list_done(&list);
}

static void the_highest_address_does_not_wrap(void)
{
	struct function_list list;

	CHECK_EQ(read_text("10 a\nffffffffffffffff b\nfffffffffffffff0 c\n", &list), 0);
	CHECK_STR(name_at(&list, 0x10), "a");
	CHECK_STR(name_at(&list, 5), "-");
	CHECK_STR(name_at(&list, UINT64_MAX - 1), "c");
	function_list_done(&list);
}

int main(void)
{
	CHECK_EQ(string_table_init(&strings), 0);
	RUN(a_function_reaches_to_the_next_start);
	RUN(a_gap_is_nobody_s);
	RUN(order_does_not_matter);
	RUN(of_several_names_for_a_place_one_is_chosen);
	RUN(hidden_addresses_are_no_addresses);
	RUN(lines_of_another_form_are_left_out);
	RUN(the_highest_address_does_not_wrap);
	string_table_done(&strings);
	return 0;
}
