/* SPDX-License-Identifier: Apache-2.0 */
/* Log: one line an event on standard error, for programs only.
 *
 * What it is   `PROGRAM: LEVEL: message` (`...: reason` where an error is given; no LEVEL for what
 *              is only told), so that journald and people read the same text. No time stamp: the
 *              journal has one. Under systemd each line begins with its priority, `<4>`. Lines of
 *              one kind (one format) are limited; how many were left out is told later.
 * Ownership    nothing is kept but the level, the name and a table of kinds.
 * Threads      any; a line is one write, and none ever waits: what standard error cannot take at
 *              once is lost and counted.
 * Errors       log_error and log_warning give back the error they report: `return log_error(r,
 *              "...")`.
 */
#pragma once

#include <stdint.h>

#include "store/base/clock.h"

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

/* As settings name them, in the order of the enum; ends with NULL. */
extern const char *const log_level_names[];

/* So many lines of one kind in LOG_PERIOD_NS. Repeated warnings say nothing new; what is only told
 * is one line for each thing done, as an upload; and who asks for debug lines wants all of them. */
#define LOG_PERIOD_NS (60 * NS_PER_S)
#define LOG_WARNING_COUNT_MAX 20
#define LOG_INFO_COUNT_MAX 1000

/* X(name, meaning), since the start. */
#define LOG_COUNTERS(X)                                                      \
	X(errors, "lines of level error written")                            \
	X(warnings, "lines of level warning written")                        \
	X(left_out, "lines not written because too many of their kind were") \
	X(lost, "lines lost because standard error could not take them at once")

struct log_counts {
#define LOG_COUNT_FIELD(name, meaning) uint64_t name;
	LOG_COUNTERS(LOG_COUNT_FIELD)
#undef LOG_COUNT_FIELD
};

/* PROGRAM (static text) stands before each line. Default level: info. */
void log_init(const char *program, enum log_level level);
/* For tests; the system's by default. */
void log_use_clock(struct clock clock);
/* Tells what was left out so far; to be called when the program ends. */
void log_done(void);
void log_read_counts(struct log_counts *ret_counts);

/* ERROR is a negative errno, or 0 when there is no system reason to tell. FORMAT is static text. */
int log_error(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));
int log_warning(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));
void log_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *format, ...) __attribute__((format(printf, 1, 2)));
