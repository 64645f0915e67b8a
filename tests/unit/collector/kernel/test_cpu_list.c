/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/cpu_list.h"

#include <errno.h>
#include <unistd.h>

#include "tests/support/check.h"

static int parse(const char *text, struct cpu_list *ret_list)
{
	return cpu_list_parse(text, strlen(text), ret_list);
}

static void ranges_and_single_cpus_are_read(void)
{
	struct cpu_list list;

	CHECK_EQ(parse("0-3,8,10-11\n", &list), 0);
	CHECK_EQ(cpu_list_count(&list), 7);
	CHECK(cpu_list_has(&list, 0) && cpu_list_has(&list, 3) && !cpu_list_has(&list, 4));
	CHECK(cpu_list_has(&list, 8) && !cpu_list_has(&list, 9) && cpu_list_has(&list, 11));
	CHECK_EQ(parse("0", &list), 0);
	CHECK_EQ(cpu_list_count(&list), 1);
	CHECK_EQ(parse("63-64,8191", &list), 0);
	CHECK_EQ(cpu_list_count(&list), 3);
	CHECK(cpu_list_has(&list, 64) && cpu_list_has(&list, 8191));
}

static void no_cpu_at_all_is_a_list(void)
{
	struct cpu_list list;

	CHECK_EQ(parse("\n", &list), 0);
	CHECK_EQ(cpu_list_count(&list), 0);
	CHECK_EQ(parse("", &list), 0);
	CHECK_EQ(cpu_list_count(&list), 0);
}

static void every_cpu_there_can_be_is_read(void)
{
	struct cpu_list list;

	CHECK_EQ(parse("0-8191", &list), 0);
	CHECK_EQ(cpu_list_count(&list), CPU_LIST_MAX);
	CHECK(!cpu_list_has(&list, CPU_LIST_MAX));
}

static void bad_text_is_refused_and_output_untouched(void)
{
	static const char *const texts[] = {"-", "1-", "-1", "3-1", "1,", ",1", "1,,2", "1 2", "a",
		"1-2-3", "0x1", "1\n\n", " 1", "1;2"};
	struct cpu_list list = {.bits = {42}};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		CHECK_EQ(parse(texts[i], &list), -EINVAL);
		CHECK_EQ(list.bits[0], 42);
	}
	CHECK_EQ(parse("8192", &list), -E2BIG);
	CHECK_EQ(parse("0-99999999999999999999", &list), -E2BIG);
	CHECK_EQ(list.bits[0], 42);
}

static void a_file_is_read(void)
{
	char path[] = "/tmp/cairn-cpu-list-XXXXXX";
	int fd = mkstemp(path);
	struct cpu_list list;

	CHECK(fd >= 0);
	CHECK_EQ(write(fd, "0-1\n", 4), 4);
	CHECK_EQ(cpu_list_read(path, &list), 0);
	CHECK_EQ(cpu_list_count(&list), 2);
	close(fd);
	unlink(path);
	CHECK_EQ(cpu_list_read(path, &list), -ENOENT);
}

int main(void)
{
	RUN(ranges_and_single_cpus_are_read);
	RUN(no_cpu_at_all_is_a_list);
	RUN(every_cpu_there_can_be_is_read);
	RUN(bad_text_is_refused_and_output_untouched);
	RUN(a_file_is_read);
	return 0;
}
