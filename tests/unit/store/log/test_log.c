/* SPDX-License-Identifier: Apache-2.0 */
#include "store/log/log.h"

#include <errno.h>
#include <unistd.h>

#include "tests/support/check.h"

static char output[8192];

/* Standard error goes to a file for as long as SAY runs. */
static void listen_to(void (*say)(void))
{
	FILE *file = tmpfile();
	int kept = dup(STDERR_FILENO);
	size_t length;

	CHECK(file && kept >= 0);
	CHECK(dup2(fileno(file), STDERR_FILENO) >= 0);
	say();
	CHECK(dup2(kept, STDERR_FILENO) >= 0);
	close(kept);
	rewind(file);
	length = fread(output, 1, sizeof(output) - 1, file);
	output[length] = '\0';
	fclose(file);
}

static void say_each(void)
{
	CHECK_EQ(log_error(-ENOENT, "open %s", "x"), -ENOENT);
	CHECK_EQ(log_error(0, "no reason"), 0);
	CHECK_EQ(log_warning(-EAGAIN, "later"), -EAGAIN);
	log_info("number %d", 7);
	log_debug("hidden");
}

static void lines_have_a_level_and_a_reason(void)
{
	log_init("cairn-test", LOG_LEVEL_INFO);
	listen_to(say_each);
	CHECK_STR(output,
		"cairn-test: error: open x: No such file or directory\n"
		"cairn-test: error: no reason\n"
		"cairn-test: warning: later: Resource temporarily unavailable\n"
		"cairn-test: number 7\n");
}

static void say_debug(void)
{
	log_debug("shown");
}

static void the_level_decides_what_is_shown(void)
{
	log_init("t", LOG_LEVEL_DEBUG);
	listen_to(say_debug);
	CHECK_STR(output, "t: debug: shown\n");
	log_init("t", LOG_LEVEL_ERROR);
	listen_to(say_each);
	CHECK_STR(output, "t: error: open x: No such file or directory\nt: error: no reason\n");
	log_init("t", LOG_LEVEL_INFO);
}

static void say_foreign(void)
{
	log_info("name %s", "a\nb\r\033[2Jc\td\177");
}

static void foreign_text_stays_one_harmless_line(void)
{
	listen_to(say_foreign);
	CHECK_STR(output, "t: name a b  [2Jc d \n");
}

static void say_much(void)
{
	char much[5000];

	memset(much, 'm', sizeof(much));
	log_error(-EIO, "%.*s", (int)sizeof(much), much);
}

static void a_long_line_is_cut_and_ends(void)
{
	listen_to(say_much);
	CHECK_EQ(strlen(output), 2048);
	CHECK_EQ(output[2047], '\n');
	CHECK(strchr(output, '\n') == output + 2047);
}

int main(void)
{
	RUN(lines_have_a_level_and_a_reason);
	RUN(the_level_decides_what_is_shown);
	RUN(foreign_text_stays_one_harmless_line);
	RUN(a_long_line_is_cut_and_ends);
	return 0;
}
