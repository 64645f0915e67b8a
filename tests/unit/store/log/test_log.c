/* SPDX-License-Identifier: Apache-2.0 */
#include "store/log/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/check.h"

static char output[1 << 19];

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
	(void)fclose(file);
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
	log_info("name %s", "a\nb\r\033[2Jc\td\177 \xc2\x9b\xc3\xa9");
}

static void foreign_text_stays_one_harmless_line(void)
{
	listen_to(say_foreign);
	CHECK_STR(output, "t: name a\\x0ab\\x0d\\x1b[2Jc\\x09d\\x7f \\x9b\xc3\xa9\n");
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

/* ---- Limits ---- */

static uint64_t now_ns = NS_PER_S;

static struct clock_reading read_now(void *context)
{
	(void)context;
	return (struct clock_reading){.monotonic_ns = now_ns};
}

static void say_many(void)
{
	for (int i = 0; i < 100; i++)
		log_warning(0, "again %d", i);
	log_warning(0, "something else");
}

static void say_again(void)
{
	log_warning(0, "something else");
}

static unsigned count_lines(const char *beginning)
{
	unsigned count = 0;

	for (const char *at = output; (at = strstr(at, beginning)) != NULL; at++)
		count++;
	return count;
}

static void a_kind_of_line_is_limited_and_the_rest_is_told_later(void)
{
	struct log_counts before, after;

	log_init("t", LOG_LEVEL_INFO);
	log_use_clock((struct clock){.read = read_now});
	log_read_counts(&before);
	listen_to(say_many);
	CHECK_EQ(count_lines("t: warning: again "), LOG_WARNING_COUNT_MAX);
	CHECK_EQ(count_lines("t: warning: something else\n"), 1);
	log_read_counts(&after);
	CHECK_EQ(after.left_out - before.left_out, 100 - LOG_WARNING_COUNT_MAX);
	CHECK_EQ(after.warnings - before.warnings, LOG_WARNING_COUNT_MAX + 1);
	now_ns += LOG_PERIOD_NS;
	listen_to(say_again);
	CHECK_STR(output,
		"t: warning: 80 more lines were left out that say: again %d\n"
		"t: warning: something else\n");
	listen_to(say_many);
	listen_to(log_done);
	CHECK_STR(output, "t: warning: 80 more lines were left out that say: again %d\n");
	listen_to(log_done);
	CHECK_STR(output, "");
	log_use_clock((struct clock){0});
}

static void a_reader_that_does_not_read_holds_nobody_up(void)
{
	int ends[2], kept = dup(STDERR_FILENO);
	struct log_counts before, after;

	log_read_counts(&before);
	CHECK(kept >= 0);
	CHECK_EQ(pipe(ends), 0);
	CHECK(dup2(ends[1], STDERR_FILENO) >= 0);
	log_init("t", LOG_LEVEL_DEBUG);
	for (int i = 0; i < 2000; i++)
		log_debug("%0100d", i);
	CHECK(dup2(kept, STDERR_FILENO) >= 0);
	log_init("t", LOG_LEVEL_INFO);
	log_read_counts(&after);
	CHECK(after.lost - before.lost > 500);
	close(ends[0]);
	close(ends[1]);
	close(kept);
}

static void say_levels(void)
{
	log_error(0, "e");
	log_info("i");
}

static void lines_for_the_journal_begin_with_their_priority(void)
{
	FILE *file = tmpfile();
	int kept = dup(STDERR_FILENO);
	struct log_counts counts;
	struct stat status;
	char text[64];
	size_t length;

	CHECK(file && kept >= 0);
	CHECK_EQ(fstat(fileno(file), &status), 0);
	snprintf(text, sizeof(text), "%ju:%ju", (uintmax_t)status.st_dev, (uintmax_t)status.st_ino);
	setenv("JOURNAL_STREAM", text, 1);
	CHECK(dup2(fileno(file), STDERR_FILENO) >= 0);
	log_init("t", LOG_LEVEL_INFO);
	say_levels();
	CHECK(dup2(kept, STDERR_FILENO) >= 0);
	log_init("t", LOG_LEVEL_INFO);
	unsetenv("JOURNAL_STREAM");
	rewind(file);
	length = fread(output, 1, sizeof(output) - 1, file);
	output[length] = '\0';
	CHECK_STR(output, "<3>t: error: e\n<6>t: i\n");
	log_read_counts(&counts);
	CHECK(counts.errors > 0);
	(void)fclose(file);
	close(kept);
}

static void *say_in_a_thread(void *context)
{
	for (int i = 0; i < 200; i++)
		log_info("%s", (const char *)context);
	return NULL;
}

static void say_in_threads(void)
{
	static char texts[4][301];
	pthread_t threads[4];

	for (int i = 0; i < 4; i++) {
		memset(texts[i], 'a' + i, 300);
		CHECK_EQ(pthread_create(&threads[i], NULL, say_in_a_thread, texts[i]), 0);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

static void lines_of_several_threads_never_mix(void)
{
	unsigned count = 0;
	size_t length;

	listen_to(say_in_threads);
	for (const char *line = output; *line; line += length + 1) {
		length = strcspn(line, "\n");
		CHECK_EQ(length, 3 + 300);
		CHECK_EQ(strspn(line + 3, (char[]){line[3], '\0'}), 300);
		count++;
	}
	CHECK_EQ(count, 800);
}

int main(void)
{
	RUN(lines_have_a_level_and_a_reason);
	RUN(the_level_decides_what_is_shown);
	RUN(foreign_text_stays_one_harmless_line);
	RUN(a_long_line_is_cut_and_ends);
	RUN(a_kind_of_line_is_limited_and_the_rest_is_told_later);
	RUN(a_reader_that_does_not_read_holds_nobody_up);
	RUN(lines_for_the_journal_begin_with_their_priority);
	RUN(lines_of_several_threads_never_mix);
	return 0;
}
