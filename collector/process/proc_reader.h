/* SPDX-License-Identifier: Apache-2.0 */
/* Proc reader: what the files below /proc say about one process.
 *
 * What it is   the only code that opens /proc/PID/...; each call reads one file, nothing is polled.
 * Ownership    a proc_root owns the descriptor of its folder.
 * Threads      no shared state; several threads may use one root.
 * Errors       negative errno; -ENOENT and -ESRCH: the process is gone; -EBADMSG: text that makes
 *              no sense; -EACCES, -EPERM: a privilege is missing.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/process/maps_parser.h"

struct proc_root {
	int fd;
};

/* FOLDER is /proc, or what a test made. */
int proc_root_init(struct proc_root *root, const char *folder);
void proc_root_done(struct proc_root *root);

struct proc_stat {
	char name[64]; /* kernel threads may be longer than 15 characters, see proc(5) */
	uint32_t parent_pid;
	uint32_t thread_count;
	bool is_kernel_thread;
	uint64_t started_at_ticks; /* since boot, USER_HZ */
};

/* Length of one tick of started_at_ticks. */
uint64_t proc_tick_ns(void);

int proc_read_stat(const struct proc_root *root, uint32_t pid, struct proc_stat *ret_stat);
/* Pure: the text of /proc/PID/stat, closed by NUL. */
int proc_parse_stat(const char *text, size_t length, struct proc_stat *ret_stat);

/* Reads at most TEXT_BYTES - 1 of /proc/PID/NAME and closes it with NUL. */
int proc_read_text(const struct proc_root *root, uint32_t pid, const char *name, char *ret_text,
	size_t text_bytes, size_t *ret_length);

/* The file that the process executes, without ` (deleted)`. RET_PATH holds PATH_MAX bytes. */
int proc_read_exe(const struct proc_root *root, uint32_t pid, char *ret_path);

/* Gives each executable mapping to FN; lines that make no sense are counted. A negative answer of
 * FN ends the reading and is the result. */
typedef int (*proc_map_fn)(void *context, const struct maps_line *line);
int proc_each_map(const struct proc_root *root, uint32_t pid, proc_map_fn fn, void *context,
	uint64_t *ret_malformed);

/* Gives each process to FN; a negative answer ends it and is the result. */
typedef int (*proc_pid_fn)(void *context, uint32_t pid);
int proc_each_pid(const struct proc_root *root, proc_pid_fn fn, void *context);

/* Opens the file behind a mapping, whatever stands at its path today.
 * -ENOENT: no such mapping any more.  -EPERM: CAP_CHECKPOINT_RESTORE is missing.
 * -EMEDIUMTYPE: not a regular file. */
int proc_open_mapped(const struct proc_root *root, uint32_t pid, uint64_t start, uint64_t end);

/* Opens PATH as the process sees it; no link on the way leads out of its root folder.
 * -EMEDIUMTYPE: not a regular file. */
int proc_open_path(const struct proc_root *root, uint32_t pid, const char *path);

/* The same, and no link at all may stand on the way or at its end. -ELOOP: one does. */
int proc_open_direct(const struct proc_root *root, uint32_t pid, const char *path);

/* Opens PATH as this program sees it. -EMEDIUMTYPE: not a regular file. */
int proc_open_own(const char *path);
