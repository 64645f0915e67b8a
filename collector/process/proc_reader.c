/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/process/proc_reader.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/base/clock.h"

/* PID/NAME; the longest is a range in map_files. */
#define NAME_BYTES_MAX 96
/* /proc/PID/stat has 52 numbers and a name. */
#define STAT_BYTES_MAX 2048
/* From the kernel's include/linux/sched.h; it has been this bit since 2.6.28. */
#define PF_KTHREAD 0x00200000u
/* Several reads for a usual process, one for a small one. */
#define MAPS_BYTES_READ (32 * 1024)

/* Of a process whose main thread has ended: the first that still lives will do. */
#define THREADS_TRIED_MAX 64

_Static_assert(MAPS_BYTES_READ >= MAPS_LINE_BYTES_MAX, "a whole line must fit");

int proc_root_init(struct proc_root *root, const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	root->fd = fd;
	return 0;
}

void proc_root_done(struct proc_root *root)
{
	if (root->fd > 0)
		close(root->fd);
	root->fd = -1;
}

uint64_t proc_tick_ns(void)
{
	return NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
}

static int open_of(const struct proc_root *root, uint32_t pid, const char *name, int flags)
{
	char path[NAME_BYTES_MAX + sizeof("4294967295/")];
	int fd;

	snprintf(path, sizeof(path), "%u/%s", pid, name);
	fd = openat(root->fd, path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int proc_read_text(const struct proc_root *root, uint32_t pid, const char *name, char *ret_text,
	size_t text_bytes, size_t *ret_length)
{
	SCOPED_FD int fd = open_of(root, pid, name, O_RDONLY);
	size_t length = 0;

	if (fd < 0)
		return fd;
	while (length + 1 < text_bytes) {
		ssize_t got = read(fd, ret_text + length, text_bytes - 1 - length);

		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		length += (size_t)got;
	}
	ret_text[length] = '\0';
	*ret_length = length;
	return 0;
}

/* Fields of proc(5) that are read, by their numbers there. */
enum stat_field { STAT_PARENT = 4, STAT_FLAGS = 9, STAT_THREADS = 20, STAT_STARTED = 22 };

/* The numbers of fields 4 to 22, which begin behind the state (field 3). */
static int read_fields(const char *text, uint64_t ret_fields[STAT_STARTED + 1])
{
	while (*text == ' ')
		text++;
	/* The state is one letter. */
	if (*text++ == '\0')
		return -EBADMSG;
	for (int field = STAT_PARENT; field <= STAT_STARTED; field++) {
		char *end;

		/* A negative number (no terminal) wraps; none of those is read. */
		ret_fields[field] = strtoull(text, &end, 10);
		if (end == text)
			return -EBADMSG;
		text = end;
	}
	return 0;
}

/* The name may hold blanks and brackets, so the numbers begin behind the last bracket. */
int proc_parse_stat(const char *text, size_t length, struct proc_stat *ret_stat)
{
	const char *open = memchr(text, '(', length);
	const char *close = memrchr(text, ')', length);
	struct proc_stat stat = {{0}, 0, 0, false, 0};
	uint64_t fields[STAT_STARTED + 1];

	if (!open || !close || close < open || read_fields(close + 1, fields) < 0)
		return -EBADMSG;
	length = (size_t)(close - open - 1);
	if (length >= sizeof(stat.name))
		length = sizeof(stat.name) - 1;
	memcpy(stat.name, open + 1, length);
	stat.parent_pid = (uint32_t)fields[STAT_PARENT];
	stat.thread_count = (uint32_t)fields[STAT_THREADS];
	stat.is_kernel_thread = (fields[STAT_FLAGS] & PF_KTHREAD) != 0;
	stat.started_at_ticks = fields[STAT_STARTED];
	*ret_stat = stat;
	return 0;
}

int proc_read_stat(const struct proc_root *root, uint32_t pid, struct proc_stat *ret_stat)
{
	char text[STAT_BYTES_MAX];
	size_t length = 0;
	int r = proc_read_text(root, pid, "stat", text, sizeof(text), &length);

	return r != 0 ? r : proc_parse_stat(text, length, ret_stat);
}

int proc_read_exe(const struct proc_root *root, uint32_t pid, char *ret_path)
{
	char name[NAME_BYTES_MAX];
	ssize_t length;

	snprintf(name, sizeof(name), "%u/exe", pid);
	length = readlinkat(root->fd, name, ret_path, PATH_MAX - 1);
	if (length < 0)
		return -errno;
	ret_path[maps_path_length(ret_path, (size_t)length)] = '\0';
	return 0;
}

/* Hands the whole lines of TEXT on and gives the number of bytes they take, or a negative errno. */
static ssize_t hand_over_lines(
	const char *text, size_t length, proc_map_fn fn, void *context, uint64_t *malformed)
{
	const char *at = text;
	const char *end = text + length;
	const char *line_end;

	while ((line_end = memchr(at, '\n', (size_t)(end - at))) != NULL) {
		struct maps_line line;
		int r = 0;

		if (maps_parse_line(at, (size_t)(line_end - at), &line) < 0)
			++*malformed;
		else if (line.executable)
			r = fn(context, &line);
		if (r < 0)
			return r;
		at = line_end + 1;
	}
	return at - text;
}

/* RET_READ: whether there was anything at all. */
static int each_map_of(
	int fd, proc_map_fn fn, void *context, uint64_t *ret_malformed, bool *ret_read)
{
	char text[MAPS_BYTES_READ];
	uint64_t malformed = 0;
	size_t pending = 0;

	*ret_read = false;
	for (;;) {
		ssize_t got = read(fd, text + pending, sizeof(text) - pending);
		ssize_t used;

		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		*ret_read = true;
		pending += (size_t)got;
		used = hand_over_lines(text, pending, fn, context, &malformed);
		if (used < 0)
			return (int)used;
		pending -= (size_t)used;
		memmove(text, text + used, pending);
		/* A line without end that fills everything is none. */
		if (pending == sizeof(text)) {
			malformed++;
			pending = 0;
		}
	}
	*ret_malformed = malformed;
	return 0;
}

/* The memory of a process whose main thread has ended is that of its other threads. */
static int each_map_of_threads(const struct proc_root *root, uint32_t pid, proc_map_fn fn,
	void *context, uint64_t *ret_malformed)
{
	int folder_fd = open_of(root, pid, "task", O_RDONLY | O_DIRECTORY);
	DIR *folder = folder_fd < 0 ? NULL : fdopendir(folder_fd);
	struct dirent *entry;
	bool read_any = false;
	int r = 0;

	if (!folder) {
		if (folder_fd >= 0)
			close(folder_fd);
		return 0;
	}
	for (int tries = 0; r == 0 && !read_any && tries < THREADS_TRIED_MAX; tries++) {
		char name[NAME_BYTES_MAX];

		entry = readdir(folder);
		if (!entry)
			break;
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9' ||
			strtoul(entry->d_name, NULL, 10) == pid)
			continue;
		snprintf(name, sizeof(name), "task/%.20s/maps", entry->d_name);
		SCOPED_FD int fd = open_of(root, pid, name, O_RDONLY);

		if (fd >= 0)
			r = each_map_of(fd, fn, context, ret_malformed, &read_any);
	}
	closedir(folder);
	return r;
}

int proc_each_map(const struct proc_root *root, uint32_t pid, proc_map_fn fn, void *context,
	uint64_t *ret_malformed)
{
	SCOPED_FD int fd = open_of(root, pid, "maps", O_RDONLY);
	bool read_any;
	int r;

	if (fd < 0)
		return fd;
	r = each_map_of(fd, fn, context, ret_malformed, &read_any);
	if (r < 0 || read_any)
		return r;
	return each_map_of_threads(root, pid, fn, context, ret_malformed);
}

int proc_each_pid(const struct proc_root *root, proc_pid_fn fn, void *context)
{
	int fd = openat(root->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int r = 0;

	if (!folder) {
		r = -errno;
		if (fd >= 0)
			close(fd);
		return r;
	}
	while (r >= 0 && (entry = readdir(folder)) != NULL) {
		char *end;
		unsigned long pid = strtoul(entry->d_name, &end, 10);

		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && *end == '\0' &&
			pid <= INT32_MAX)
			r = fn(context, (uint32_t)pid);
	}
	closedir(folder);
	return r < 0 ? r : 0;
}

/* Opening a device or a FIFO may wait or have an effect, and a process may map or name anything: so
 * the place is looked at first (O_PATH) and opened for reading only if it is a regular file. */
static int open_regular(int place_fd)
{
	SCOPED_FD int place = place_fd;
	char name[NAME_BYTES_MAX];
	struct stat stat;
	int fd;

	if (place < 0)
		return place;
	if (fstat(place, &stat) < 0)
		return -errno;
	if (!S_ISREG(stat.st_mode))
		return -EMEDIUMTYPE;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", place);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int proc_open_mapped(const struct proc_root *root, uint32_t pid, uint64_t start, uint64_t end)
{
	char name[NAME_BYTES_MAX];

	snprintf(name, sizeof(name), "map_files/%llx-%llx", (unsigned long long)start,
		(unsigned long long)end);
	return open_regular(open_of(root, pid, name, O_PATH));
}

static int open_below_root(
	const struct proc_root *root, uint32_t pid, const char *path, uint64_t resolve)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | resolve,
	};
	SCOPED_FD int folder = open_of(root, pid, "root", O_PATH | O_DIRECTORY);
	long fd;

	if (folder < 0)
		return folder;
	fd = syscall(SYS_openat2, folder, path, &how, sizeof(how));
	return open_regular(fd < 0 ? -errno : (int)fd);
}

int proc_open_path(const struct proc_root *root, uint32_t pid, const char *path)
{
	return open_below_root(root, pid, path, RESOLVE_NO_MAGICLINKS);
}

int proc_open_direct(const struct proc_root *root, uint32_t pid, const char *path)
{
	return open_below_root(root, pid, path, RESOLVE_NO_SYMLINKS);
}

int proc_open_own(const char *path)
{
	int fd = open(path, O_PATH | O_CLOEXEC);

	return open_regular(fd < 0 ? -errno : fd);
}
