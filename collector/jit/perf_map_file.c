/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/jit/perf_map_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "store/base/cleanup.h"

/* /proc/PID/status has some 60 short lines; Uid and NSpid stand among the first twenty. */
#define STATUS_BYTES_MAX 4096

/* The text behind NAME and its tab, or NULL. */
static const char *find_field(const char *text, const char *name)
{
	size_t length = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, length) == 0 && line[length] == '\t')
			return line + length;
	}
	return NULL;
}

/* The number at COLUMN of a line of them, or its last for a negative one. False: there is none. */
static bool read_column(const char *text, int column, uint32_t *ret_number)
{
	bool found = false;

	for (int i = 0; *text == '\t' && (column < 0 || i <= column); i++) {
		char *end;
		unsigned long number = strtoul(text + 1, &end, 10);

		if (end == text + 1 || number > UINT32_MAX)
			return false;
		*ret_number = (uint32_t)number;
		found = column < 0 || i == column;
		text = end;
	}
	return found;
}

int perf_map_parse_owner(const char *text, struct perf_map_owner *ret_owner)
{
	/* Real, effective, saved and file system's. */
	const char *uids = find_field(text, "Uid:");
	/* From our namespace inwards. */
	const char *pids = find_field(text, "NSpid:");
	struct perf_map_owner owner = {0, 0};

	if (!uids || !read_column(uids, 1, &owner.uid))
		return -EBADMSG;
	if (pids && !read_column(pids, -1, &owner.inner_pid))
		return -EBADMSG;
	*ret_owner = owner;
	return 0;
}

static bool is_same_process(const struct proc_root *root, uint32_t pid, uint64_t started_at_ns)
{
	struct proc_stat stat;

	if (proc_read_stat(root, pid, &stat) < 0)
		return false;
	return started_at_ns == 0 || stat.started_at_ticks == started_at_ns / proc_tick_ns();
}

static int check_file(int fd, const struct perf_map_owner *owner)
{
	struct stat stat;

	if (fstat(fd, &stat) < 0)
		return -errno;
	if (!S_ISREG(stat.st_mode))
		return -EMEDIUMTYPE;
	/* A second name may be a link that somebody made to another's file. */
	if ((stat.st_uid != owner->uid && stat.st_uid != 0) || stat.st_nlink > 1)
		return -EPERM;
	return 0;
}

int perf_map_open(const struct proc_root *root, uint32_t pid, uint64_t started_at_ns)
{
	SCOPED_FD int fd = -1;
	struct perf_map_owner owner = {0, 0};
	char text[STATUS_BYTES_MAX], path[64];
	size_t length;
	int r = proc_read_text(root, pid, "status", text, sizeof(text), &length);

	if (r == 0)
		r = perf_map_parse_owner(text, &owner);
	if (r < 0)
		return r == -ENOENT ? -ESRCH : r;
	snprintf(path, sizeof(path), "tmp/perf-%u.map", owner.inner_pid ? owner.inner_pid : pid);
	fd = proc_open_direct(root, pid, path);
	/* Only now: if it is that process at the end, it was all the time. */
	if (!is_same_process(root, pid, started_at_ns))
		return -ESRCH;
	if (fd < 0)
		return fd;
	r = check_file(fd, &owner);
	return r < 0 ? r : TAKE_FD(fd);
}
