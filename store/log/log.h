/* SPDX-License-Identifier: Apache-2.0 */
/* Log: one line an event on standard error, for programs only.
 *
 * What it is   levelled lines `LEVEL message` (`LEVEL message: reason` where an error is given), so
 *              that journald and people read the same text. No time stamp: the journal has one.
 * Ownership    nothing is kept but the level and the name.
 * Threads      any; each line is one write.
 * Errors       log_error and log_warning give back the error they report: `return log_error(r,
 *              "...")`.
 */
#pragma once

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

/* By level, closed by NULL: what a setting takes. */
extern const char *const log_level_names[];

/* PROGRAM (static text) stands before each line. Default level: info. */
void log_init(const char *program, enum log_level level);
/* ERROR is a negative errno, or 0 when there is no system reason to tell. */
int log_error(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));
int log_warning(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));
void log_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *format, ...) __attribute__((format(printf, 1, 2)));
