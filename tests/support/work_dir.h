/* SPDX-License-Identifier: Apache-2.0 */
/* Work folder: a place for one test's files, and the tools that make them.
 *
 * What it is   a fresh folder below $TMPDIR or /tmp, shell commands run in it, files read and
 *              written in it. It goes away at the end of the program.
 * Ownership    one folder a program; texts that are given back are malloc'ed.
 * Threads      the test's main thread.
 * Errors       what a test needs and does not get ends the program with exit status 1.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Made at the first call. */
const char *work_dir(void);
/* FORMAT is a file name in the folder; the path lives until the 16th call after this one. */
const char *work_path(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Runs a shell command in the folder; it must succeed. */
void work_run(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Exit status of a shell command in the folder. */
int work_try(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* What a shell command that must succeed prints, less the newline at its end. */
char *work_output(const char *format, ...) __attribute__((format(printf, 1, 2)));
void work_write(const char *name, const void *bytes, size_t byte_count);
void work_write_text(const char *name, const char *text);
uint8_t *work_read(const char *name, size_t *ret_byte_count);
/* Opens a file of the folder for reading. */
int work_open(const char *name);
