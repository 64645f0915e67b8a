/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/store_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/base/cleanup.h"

/* More files than any retention leaves; what a foreign folder may make us hold. */
#define NUMBER_COUNT_MAX ((size_t)1 << 20)
#define COPY_BYTES 65536
/* A file a second lasts for 3 * 10^10 years; a foreign name must not use numbers up. */
#define NUMBER_MAX UINT64_C(1000000000000000000)
#define FORMAT_TEXT "cairn data folder, format "

static void close_dirs(DIR **stream)
{
	if (*stream)
		closedir(*stream);
}

static int fail(int error, char *ret_problem, const char *path, const char *what)
{
	snprintf(ret_problem, STORE_PROBLEM_BYTES, "%s: %s", path, what);
	return error;
}

static int sync_parent(int fd)
{
	SCOPED_FD int parent_fd = openat(fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return parent_fd < 0 || fsync(parent_fd) < 0 ? -errno : 0;
}

/* Opens folder NAME below AT. CREATE: makes it if it is missing, and makes its name durable: one
 * that is there may be the work of a process that was killed before it could. */
static int open_folder(int at, const char *name, bool create, int *ret_fd)
{
	bool made = create && mkdirat(at, name, 0750) == 0;
	SCOPED_FD int fd = -1;
	int r;

	if (create && !made && errno != EEXIST)
		return -errno;
	fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = create ? sync_parent(fd) : 0;
	/* A parent that cannot be read or synced is none that we made anything in. */
	if (r < 0 && (made || r == -EIO))
		return r;
	*ret_fd = TAKE_FD(fd);
	return 0;
}

static int lock_folder(int dir_fd, const char *path, int *ret_lock_fd, char *ret_problem)
{
	SCOPED_FD int fd = openat(dir_fd, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0640);
	char owner[32] = "";

	if (fd < 0)
		return fail(-errno, ret_problem, path, "its lock file cannot be opened");
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		int error = errno == EWOULDBLOCK ? -EBUSY : -errno;

		if (pread(fd, owner, sizeof(owner) - 1, 0) < 0)
			owner[0] = '\0';
		owner[strcspn(owner, "\n")] = '\0';
		snprintf(ret_problem, STORE_PROBLEM_BYTES, "%s: in use by process %s", path,
			owner[0] ? owner : "(unknown)");
		return error;
	}
	/* Only a help for people: who cannot write it still holds the lock. */
	if (ftruncate(fd, 0) == 0)
		dprintf(fd, "%d\n", (int)getpid());
	*ret_lock_fd = TAKE_FD(fd);
	return 0;
}

/* Written aside and moved into place, so that it is never there in part. Its name is durable when
 * that of `profiles` beside it is. */
static int write_format(int dir_fd)
{
	SCOPED_FD int fd =
		openat(dir_fd, "format.new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);

	if (fd < 0)
		return -errno;
	if (dprintf(fd, FORMAT_TEXT "%d\n", STORE_FORMAT_VERSION) < 0 || fsync(fd) < 0 ||
		renameat(dir_fd, "format.new", dir_fd, "format") < 0)
		return -errno;
	return 0;
}

static bool is_format(const char *text, int version)
{
	char expected[64];

	snprintf(expected, sizeof(expected), FORMAT_TEXT "%d\n", version);
	return strcmp(text, expected) == 0;
}

/* Older formats are read as they are, but get things that their own versions would not see: those
 * must refuse the folder from here on. */
static int raise_format(int dir_fd)
{
	int r = write_format(dir_fd);

	return r == 0 && fsync(dir_fd) < 0 ? -errno : r;
}

static int check_format(int dir_fd, const char *path, bool read_only, char *ret_problem)
{
	SCOPED_FD int fd = openat(dir_fd, "format", O_RDONLY | O_CLOEXEC);
	char text[64] = "";
	int r = 0;

	if (fd < 0 && errno == ENOENT && !read_only) {
		r = write_format(dir_fd);
		return r < 0 ? fail(r, ret_problem, path, "cannot be written to") : 0;
	}
	if (fd < 0)
		return fail(-errno, ret_problem, path, "its format file cannot be opened");
	if (read(fd, text, sizeof(text) - 1) < 0)
		return fail(-errno, ret_problem, path, "its format file cannot be read");
	if (is_format(text, STORE_FORMAT_VERSION))
		return 0;
	if (is_format(text, STORE_FORMAT_VERSION_MIN)) {
		r = read_only ? 0 : raise_format(dir_fd);
		return r < 0 ? fail(r, ret_problem, path, "cannot be written to") : 0;
	}
	return fail(-ENOTSUP, ret_problem, path,
		"its format is not one that this version reads; keep it and use the version that "
		"wrote it, or name another folder");
}

static int open_parts(
	struct store_dir *dir, int dir_fd, const char *path, bool read_only, char *ret_problem)
{
	int r;

	if (!read_only) {
		r = lock_folder(dir_fd, path, &dir->lock_fd, ret_problem);
		if (r < 0)
			return r;
	}
	r = check_format(dir_fd, path, read_only, ret_problem);
	if (r < 0)
		return r;
	r = open_folder(dir_fd, "profiles", !read_only, &dir->profiles_fd);
	if (r < 0)
		return fail(r, ret_problem, path, "its folder `profiles` cannot be opened");
	if (!read_only && faccessat(dir->profiles_fd, ".", R_OK | W_OK | X_OK, AT_EACCESS) < 0)
		return fail(-errno, ret_problem, path, "its folder `profiles` is not writable");
	return 0;
}

int store_dir_open(struct store_dir *dir, const char *path, bool read_only, char *ret_problem)
{
	struct store_dir opened = {.profiles_fd = -1, .lock_fd = -1};
	SCOPED_FD int dir_fd = -1;
	int r = open_folder(AT_FDCWD, path, !read_only, &dir_fd);

	if (r < 0)
		return fail(r, ret_problem, path, "the data folder cannot be opened");
	r = open_parts(&opened, dir_fd, path, read_only, ret_problem);
	if (r < 0) {
		store_dir_close(&opened);
		return r;
	}
	*dir = opened;
	return 0;
}

void store_dir_close(struct store_dir *dir)
{
	if (dir->profiles_fd >= 0)
		close(dir->profiles_fd);
	if (dir->lock_fd >= 0)
		close(dir->lock_fd);
	dir->profiles_fd = dir->lock_fd = -1;
}

static const char *const endings[] = {
	[STORE_LOG] = "log",
	[STORE_SEGMENT] = "seg",
	[STORE_TORN] = "torn",
	[STORE_UNFINISHED] = "new",
};

void store_dir_name(enum store_kind kind, uint64_t number, char *ret_name)
{
	snprintf(ret_name, STORE_NAME_BYTES, "%010" PRIu64 ".%s", number, endings[kind]);
}

/* Whether NAME is exactly what store_dir_name makes of a number. */
static bool parse_name(enum store_kind kind, const char *name, uint64_t *ret_number)
{
	char again[STORE_NAME_BYTES];
	uint64_t number;

	if (name[0] < '0' || name[0] > '9')
		return false;
	errno = 0;
	number = strtoull(name, NULL, 10);
	if (errno != 0 || number > NUMBER_MAX)
		return false;
	store_dir_name(kind, number, again);
	if (strcmp(name, again) != 0)
		return false;
	*ret_number = number;
	return true;
}

static int number_compare(const void *left, const void *right)
{
	uint64_t one = *(const uint64_t *)left, other = *(const uint64_t *)right;

	return (one > other) - (one < other);
}

static int add_number(uint64_t **numbers, size_t *count, uint64_t number)
{
	uint64_t *grown = *numbers;

	if (*count == NUMBER_COUNT_MAX)
		return -E2BIG;
	if ((*count & (*count + 1)) == 0) { /* full at one less than each power of two */
		grown = realloc(*numbers, (*count + 1) * 2 * sizeof(**numbers));
		if (!grown)
			return -ENOMEM;
	}
	*numbers = grown;
	grown[(*count)++] = number;
	return 0;
}

int store_dir_list(const struct store_dir *dir, enum store_kind kind, uint64_t **ret_numbers,
	size_t *ret_count)
{
	__attribute__((cleanup(close_dirs))) DIR *stream = NULL;
	SCOPED_FREE uint64_t *numbers = NULL;
	struct dirent *entry;
	size_t count = 0;
	int fd = openat(dir->profiles_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	stream = fdopendir(fd);
	if (!stream) {
		close(fd);
		return -ENOMEM;
	}
	while ((entry = readdir(stream))) {
		uint64_t number;
		int r = 0;

		if (parse_name(kind, entry->d_name, &number))
			r = add_number(&numbers, &count, number);
		if (r < 0)
			return r;
	}
	if (count > 1)
		qsort(numbers, count, sizeof(*numbers), number_compare);
	*ret_numbers = TAKE(numbers);
	*ret_count = count;
	return 0;
}

int store_dir_open_file(const struct store_dir *dir, enum store_kind kind, uint64_t number,
	bool writable, int *ret_fd)
{
	char name[STORE_NAME_BYTES];
	int fd;

	store_dir_name(kind, number, name);
	fd = openat(
		dir->profiles_fd, name, (writable ? O_RDWR : O_RDONLY) | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	*ret_fd = fd;
	return 0;
}

int store_dir_begin_segment(const struct store_dir *dir, uint64_t number, int *ret_fd)
{
	char name[STORE_NAME_BYTES];
	int fd;

	store_dir_name(STORE_UNFINISHED, number, name);
	fd = openat(dir->profiles_fd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
	if (fd < 0)
		return -errno;
	*ret_fd = fd;
	return 0;
}

int store_dir_publish_segment(const struct store_dir *dir, uint64_t number)
{
	char from[STORE_NAME_BYTES], to[STORE_NAME_BYTES];

	store_dir_name(STORE_UNFINISHED, number, from);
	store_dir_name(STORE_SEGMENT, number, to);
	if (renameat(dir->profiles_fd, from, dir->profiles_fd, to) < 0)
		return -errno;
	return store_dir_sync(dir);
}

static int copy_tail(int from_fd, uint64_t offset, int to_fd)
{
	SCOPED_FREE char *bytes = malloc(COPY_BYTES);

	if (!bytes)
		return -ENOMEM;
	for (;;) {
		ssize_t got = pread(from_fd, bytes, COPY_BYTES, (off_t)offset);

		if (got < 0)
			return -errno;
		if (got == 0)
			return fdatasync(to_fd) < 0 ? -errno : 0;
		if (write(to_fd, bytes, (size_t)got) != got)
			return -EIO;
		offset += (uint64_t)got;
	}
}

int store_dir_cut_tail(const struct store_dir *dir, uint64_t number, int fd, uint64_t offset)
{
	char name[STORE_NAME_BYTES];
	SCOPED_FD int torn_fd = -1;

	store_dir_name(STORE_TORN, number, name);
	torn_fd = openat(dir->profiles_fd, name,
		O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0640);
	/* Nothing in it was ever acknowledged, so the copy is a courtesy to whoever looks for what
	 * happened; half of one would mislead. */
	if (torn_fd >= 0 && copy_tail(fd, offset, torn_fd) < 0)
		unlinkat(dir->profiles_fd, name, 0);
	if (ftruncate(fd, (off_t)offset) < 0 || fdatasync(fd) < 0)
		return -errno;
	return store_dir_sync(dir);
}

int store_dir_remove(const struct store_dir *dir, enum store_kind kind, uint64_t number)
{
	char name[STORE_NAME_BYTES];

	if (kind == STORE_LOG) {
		store_dir_name(STORE_TORN, number, name);
		unlinkat(dir->profiles_fd, name, 0);
	}
	store_dir_name(kind, number, name);
	if (unlinkat(dir->profiles_fd, name, 0) < 0 && errno != ENOENT)
		return -errno;
	return 0;
}

int store_dir_sync(const struct store_dir *dir)
{
	return fsync(dir->profiles_fd) < 0 ? -errno : 0;
}
