/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   log_warning(r, "open %s", path) -> kind, by the address of its format: one too many?
 *     -> "<4>program: warning: open /a\x0ab: reason\n" -> one write, if it need not wait
 *
 * One lock orders the lines; nothing under it can wait.
 */
#include "store/log/log.h"

#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/base/fault.h"

/* Longer text is cut, so that a line is one write, and a pipe that has room takes it whole. */
#define LINE_BYTES_MAX 2048
/* There are fewer calls than this; further kinds would be written without a limit. */
#define KIND_COUNT_MAX 256

struct kind {
	const char *format; /* by its address; NULL: free */
	enum log_level level;
	uint64_t since_ns;
	uint64_t written; /* since then, as the next */
	uint64_t left_out;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *program_name = "cairn";
static enum log_level level_shown = LOG_LEVEL_INFO;
static bool has_priority; /* lines begin with it */
static struct clock log_clock;
static struct kind kinds[KIND_COUNT_MAX];
static struct log_counts counts;

const char *const log_level_names[] = {"error", "warning", "info", "debug", NULL};

/* systemd names the device and inode of the journal's socket: is it what standard error is? */
static bool is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	struct stat status;
	char text[64];

	if (!stream || fstat(STDERR_FILENO, &status) < 0)
		return false;
	snprintf(text, sizeof(text), "%ju:%ju", (uintmax_t)status.st_dev, (uintmax_t)status.st_ino);
	return strcmp(text, stream) == 0;
}

void log_init(const char *program, enum log_level level)
{
	pthread_mutex_lock(&lock);
	program_name = program;
	level_shown = level;
	has_priority = is_journal();
	pthread_mutex_unlock(&lock);
}

void log_use_clock(struct clock clock)
{
	pthread_mutex_lock(&lock);
	log_clock = clock;
	memset(kinds, 0, sizeof(kinds));
	pthread_mutex_unlock(&lock);
}

void log_read_counts(struct log_counts *ret_counts)
{
	pthread_mutex_lock(&lock);
	*ret_counts = counts;
	pthread_mutex_unlock(&lock);
}

static uint64_t now_ns(void)
{
	return log_clock.read ? clock_read(&log_clock).monotonic_ns : clock_monotonic_ns();
}

/* ---- A line ---- */

struct line {
	char bytes[LINE_BYTES_MAX];
	size_t used; /* leaves room for the line's end */
};

static void put(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void advance(struct line *line, int printed)
{
	size_t room = sizeof(line->bytes) - 1 - line->used;

	if (printed > 0)
		line->used += (size_t)printed < room ? (size_t)printed : room;
}

static void put(struct line *line, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	advance(line,
		vsnprintf(line->bytes + line->used, sizeof(line->bytes) - line->used, format,
			arguments));
	va_end(arguments);
}

static void put_byte(struct line *line, unsigned char byte)
{
	if (line->used < sizeof(line->bytes) - 1)
		line->bytes[line->used++] = (char)byte;
}

/* Names from outside may hold line ends or what a terminal obeys: they are shown as \xHH, also
 * those that UTF-8 writes as C2 80 to C2 9F. */
static void put_escaped(struct line *line, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	for (; *at; at++) {
		if (*at < ' ' || *at == 0x7f)
			put(line, "\\x%02x", *at);
		else if (at[0] == 0xc2 && at[1] >= 0x80 && at[1] <= 0x9f)
			put(line, "\\x%02x", *++at);
		else
			put_byte(line, *at);
	}
}

static void begin(struct line *line, enum log_level level)
{
	/* syslog's numbers. */
	static const char *const priorities[] = {"<3>", "<4>", "<6>", "<7>"};
	static const char *const words[] = {"error: ", "warning: ", "", "debug: "};

	line->used = 0;
	put(line, "%s%s: %s", has_priority ? priorities[level] : "", program_name, words[level]);
}

static void finish(struct line *line, enum log_level level)
{
	struct pollfd poll_fd = {.fd = STDERR_FILENO, .events = POLLOUT};

	line->bytes[line->used++] = '\n';
	/* A reader that does not read must not stop what we are here for. */
	if (poll(&poll_fd, 1, 0) != 1 || !(poll_fd.revents & POLLOUT) ||
		write(STDERR_FILENO, line->bytes, line->used) < 0) {
		counts.lost++;
		return;
	}
	counts.errors += level == LOG_LEVEL_ERROR;
	counts.warnings += level == LOG_LEVEL_WARNING;
}

/* ---- Kinds ---- */

static uint64_t limit_of(enum log_level level)
{
	if (level <= LOG_LEVEL_WARNING)
		return LOG_WARNING_COUNT_MAX;
	return level == LOG_LEVEL_INFO ? LOG_INFO_COUNT_MAX : UINT64_MAX;
}

/* The kind of FORMAT; NULL: there are too many. */
static struct kind *find_kind(const char *format, enum log_level level)
{
	for (uint32_t i = 0; i < KIND_COUNT_MAX; i++) {
		struct kind *kind = &kinds[i];

		if (!kind->format)
			*kind = (struct kind){
				.format = format, .level = level, .since_ns = now_ns()};
		if (kind->format == format && kind->level == level)
			return kind;
	}
	return NULL;
}

static void tell_left_out(struct kind *kind)
{
	struct line line;

	if (kind->left_out == 0)
		return;
	begin(&line, kind->level);
	put(&line, "%" PRIu64 " more lines were left out that say: ", kind->left_out);
	put_escaped(&line, kind->format);
	finish(&line, kind->level);
	kind->left_out = 0;
}

/* Begins periods anew that are over, and tells what was left out in them. */
static void turn_periods(uint64_t now)
{
	for (uint32_t i = 0; i < KIND_COUNT_MAX && kinds[i].format; i++) {
		if (now - kinds[i].since_ns < LOG_PERIOD_NS)
			continue;
		tell_left_out(&kinds[i]);
		kinds[i].since_ns = now;
		kinds[i].written = 0;
	}
}

static bool is_one_too_many(const char *format, enum log_level level)
{
	struct kind *kind = find_kind(format, level);

	if (!kind)
		return false;
	if (kind->written < limit_of(level)) {
		kind->written++;
		return false;
	}
	kind->left_out++;
	counts.left_out++;
	return true;
}

void log_done(void)
{
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < KIND_COUNT_MAX && kinds[i].format; i++)
		tell_left_out(&kinds[i]);
	pthread_mutex_unlock(&lock);
}

static void write_line(enum log_level level, int error, const char *format, va_list arguments)
	__attribute__((format(printf, 3, 0)));

static void write_line(enum log_level level, int error, const char *format, va_list arguments)
{
	char message[LINE_BYTES_MAX];
	struct line line;

	if (level > level_shown)
		return;
	vsnprintf(message, sizeof(message), format, arguments);
	pthread_mutex_lock(&lock);
	turn_periods(now_ns());
	if (!is_one_too_many(format, level)) {
		begin(&line, level);
		put_escaped(&line, message);
		if (error != 0)
			put(&line, ": %s", fault_text(error));
		finish(&line, level);
	}
	pthread_mutex_unlock(&lock);
}

int log_error(int error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	write_line(LOG_LEVEL_ERROR, error, format, arguments);
	va_end(arguments);
	return error;
}

int log_warning(int error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	write_line(LOG_LEVEL_WARNING, error, format, arguments);
	va_end(arguments);
	return error;
}

void log_info(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	write_line(LOG_LEVEL_INFO, 0, format, arguments);
	va_end(arguments);
}

void log_debug(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	write_line(LOG_LEVEL_DEBUG, 0, format, arguments);
	va_end(arguments);
}
