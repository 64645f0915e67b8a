/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   inode -> durable contents    by fdatasync and fsync of a file
 *   inode -> durable names       by fsync of a folder: name -> inode
 *
 * A cut walks the durable names from the root. An inode that a name was taken from is held open, so
 * that its number is not given to another file meanwhile.
 */
#include "tests/power_cut/volatile_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/check.h"
#include "tests/support/fake_profile.h"

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's --wrap gives these names. */
int __real_unlink(const char *path);
int __real_unlinkat(int folder_fd, const char *path, int flags);
int __wrap_fsync(int fd);
int __wrap_fdatasync(int fd);
int __wrap_unlink(const char *path);
int __wrap_unlinkat(int folder_fd, const char *path, int flags);
/* NOLINTEND(bugprone-reserved-identifier) */

#define INODE_COUNT_MAX 512
#define NAME_COUNT_MAX 128
#define HELD_COUNT_MAX 512
#define PATH_BYTES 600
#define SECTOR_BYTES 512
#define DEPTH_MAX 8

struct name {
	char text[64];
	ino_t inode;
	bool is_folder;
};

struct names {
	struct name list[NAME_COUNT_MAX];
	uint32_t count;
};

struct bytes {
	uint8_t *data; /* NULL: none */
	size_t count;
};

struct durable {
	ino_t inode;
	struct bytes contents; /* of a file */
	struct names *names; /* of a folder */
};

/* A folder of the cut that is still to be filled. */
struct step {
	char from[PATH_BYTES], to[PATH_BYTES];
	ino_t inode;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char root[PATH_BYTES]; /* "": nothing is watched */
static struct durable durables[INODE_COUNT_MAX];
static uint32_t durable_count;
static int held[HELD_COUNT_MAX];
static uint32_t held_count;
static volatile_before_sync_fn before_sync;
static void *before_context;

static void set_text(char *to, size_t size, const char *text)
{
	CHECK(strlen(text) < size);
	memcpy(to, text, strlen(text) + 1);
}

static struct durable *find(ino_t inode)
{
	for (uint32_t i = 0; i < durable_count; i++) {
		if (durables[i].inode == inode)
			return &durables[i];
	}
	return NULL;
}

static struct durable *find_or_add(ino_t inode)
{
	struct durable *found = find(inode);

	if (found)
		return found;
	CHECK(durable_count < INODE_COUNT_MAX);
	durables[durable_count] = (struct durable){.inode = inode};
	return &durables[durable_count++];
}

static struct bytes read_all(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	struct bytes bytes = {0};

	CHECK(fd >= 0);
	CHECK_EQ(fstat(fd, &status), 0);
	bytes.data = malloc((size_t)status.st_size + 1);
	CHECK(bytes.data);
	while (bytes.count < (size_t)status.st_size) {
		ssize_t got = pread(fd, bytes.data + bytes.count,
			(size_t)status.st_size - bytes.count, (off_t)bytes.count);

		CHECK(got > 0);
		bytes.count += (size_t)got;
	}
	close(fd);
	return bytes;
}

static void read_names(const char *path, struct names *names)
{
	DIR *stream = opendir(path);
	struct dirent *entry;

	CHECK(stream);
	names->count = 0;
	while ((entry = readdir(stream))) { /* NOLINT(concurrency-mt-unsafe): a stream of its own */
		struct name *name = &names->list[names->count];

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		CHECK(++names->count < NAME_COUNT_MAX);
		set_text(name->text, sizeof(name->text), entry->d_name);
		name->inode = entry->d_ino;
		name->is_folder = entry->d_type == DT_DIR;
	}
	closedir(stream);
}

/* What is in the file or folder now is durable. */
static void keep(int fd, const struct stat *status)
{
	struct durable *durable = find_or_add(status->st_ino);
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (S_ISDIR(status->st_mode)) {
		if (!durable->names)
			durable->names = calloc(1, sizeof(*durable->names));
		CHECK(durable->names);
		read_names(path, durable->names);
	} else if (S_ISREG(status->st_mode)) {
		free(durable->contents.data);
		durable->contents = read_all(path);
	}
}

static void sync_file(int fd)
{
	struct stat status;
	char link[64], path[PATH_BYTES] = "";
	bool watched = false;

	pthread_mutex_lock(&lock);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (root[0] && readlink(link, path, sizeof(path) - 1) > 0)
		watched = strncmp(path, root, strlen(root)) == 0;
	if (watched && before_sync)
		before_sync(before_context);
	if (watched && fstat(fd, &status) == 0)
		keep(fd, &status);
	pthread_mutex_unlock(&lock);
}

int __wrap_fsync(int fd)
{
	sync_file(fd);
	return 0;
}

int __wrap_fdatasync(int fd)
{
	sync_file(fd);
	return 0;
}

static void hold(int folder_fd, const char *path)
{
	int fd = openat(folder_fd, path, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return;
	pthread_mutex_lock(&lock);
	if (root[0]) {
		CHECK(held_count < HELD_COUNT_MAX);
		held[held_count++] = fd;
	} else {
		close(fd);
	}
	pthread_mutex_unlock(&lock);
}

int __wrap_unlinkat(int folder_fd, const char *path, int flags)
{
	hold(folder_fd, path);
	return __real_unlinkat(folder_fd, path, flags);
}

int __wrap_unlink(const char *path)
{
	hold(AT_FDCWD, path);
	return __real_unlink(path);
}

static int keep_one(const char *path, const struct stat *status, int kind, struct FTW *where)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	(void)kind;
	(void)where;
	CHECK(fd >= 0);
	keep(fd, status);
	close(fd);
	return 0;
}

void volatile_watch(const char *folder, volatile_before_sync_fn before, void *context)
{
	CHECK(!root[0]);
	CHECK_EQ(nftw(folder, keep_one, DEPTH_MAX, FTW_PHYS), 0);
	pthread_mutex_lock(&lock);
	before_sync = before;
	before_context = context;
	set_text(root, sizeof(root), folder);
	pthread_mutex_unlock(&lock);
}

void volatile_done(void)
{
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < durable_count; i++) {
		free(durables[i].contents.data);
		free(durables[i].names);
	}
	for (uint32_t i = 0; i < held_count; i++)
		close(held[i]);
	durable_count = held_count = 0;
	root[0] = '\0';
	pthread_mutex_unlock(&lock);
}

/* ---- A cut ---- */

static uint32_t choose(uint64_t *state, uint32_t below)
{
	return (uint32_t)(fake_random(state) >> 32) % below;
}

static const struct name *name_in(const struct names *names, const struct name *wanted)
{
	for (uint32_t i = 0; i < names->count; i++) {
		if (names->list[i].inode == wanted->inode &&
			strcmp(names->list[i].text, wanted->text) == 0)
			return &names->list[i];
	}
	return NULL;
}

/* STATE, here and below, is NULL where only what is durable stays.
 *
 * Names that came or went since the last sync of their folder are there or not. */
static void mix_names(const char *path, uint64_t *state, struct names *names)
{
	static struct names now, mixed;

	mixed.count = 0;
	read_names(path, &now);
	for (uint32_t i = 0; i < names->count; i++) {
		if (name_in(&now, &names->list[i]) || choose(state, 2))
			mixed.list[mixed.count++] = names->list[i];
	}
	for (uint32_t i = 0; i < now.count; i++) {
		if (!name_in(names, &now.list[i]) && choose(state, 2)) {
			CHECK(mixed.count < NAME_COUNT_MAX);
			mixed.list[mixed.count++] = now.list[i];
		}
	}
	*names = mixed;
}

/* Sectors written since the last sync of their file are there or not, and so is its new size. */
static struct bytes mix_contents(
	const struct bytes *durable, const struct bytes *now, uint64_t *state)
{
	size_t larger = durable->count > now->count ? durable->count : now->count;
	size_t size = choose(state, 2) ? now->count : durable->count;
	struct bytes mixed = {calloc(1, larger + 1), size};

	CHECK(mixed.data);
	if (durable->count)
		memcpy(mixed.data, durable->data, durable->count);
	for (size_t at = 0; at < now->count; at += SECTOR_BYTES) {
		size_t count = now->count - at < SECTOR_BYTES ? now->count - at : SECTOR_BYTES;

		if (choose(state, 2))
			memcpy(mixed.data + at, now->data + at, count);
	}
	return mixed;
}

static void write_contents(const char *path, const struct bytes *bytes)
{
	FILE *file = fopen(path, "we");

	CHECK(file);
	CHECK_EQ(fwrite(bytes->data ? bytes->data : (const uint8_t *)"", 1, bytes->count, file),
		bytes->count);
	CHECK_EQ(fclose(file), 0);
}

static void leave_file(const char *from, const char *to, ino_t inode, uint64_t *state)
{
	struct durable *durable = find(inode);
	struct bytes kept = durable ? durable->contents : (struct bytes){0};
	struct bytes now, mixed;

	if (!state || access(from, R_OK) != 0) {
		write_contents(to, &kept);
		return;
	}
	now = read_all(from);
	mixed = mix_contents(&kept, &now, state);
	write_contents(to, &mixed);
	free(now.data);
	free(mixed.data);
}

static void leave_folder(
	const struct step *step, uint64_t *state, struct step *steps, uint32_t *step_count)
{
	static struct names names;
	const struct durable *durable = find(step->inode);

	names.count = 0;
	if (durable && durable->names)
		names = *durable->names;
	if (state && access(step->from, F_OK) == 0)
		mix_names(step->from, state, &names);
	CHECK_EQ(mkdir(step->to, 0750), 0);
	for (uint32_t i = 0; i < names.count; i++) {
		const struct name *name = &names.list[i];
		struct step next = {.inode = name->inode};

		CHECK(snprintf(next.from, PATH_BYTES, "%s/%s", step->from, name->text) <
			PATH_BYTES);
		CHECK(snprintf(next.to, PATH_BYTES, "%s/%s", step->to, name->text) < PATH_BYTES);
		if (!name->is_folder)
			leave_file(next.from, next.to, name->inode, state);
		else
			steps[(*step_count)++] = next;
		CHECK(*step_count < DEPTH_MAX);
	}
}

/* A cut in before_sync runs under the lock of the sync that it stands before. */
void volatile_cut(const char *target, uint64_t chance)
{
	static struct step steps[DEPTH_MAX];
	uint64_t random = chance, *state = chance ? &random : NULL;
	uint32_t step_count = 1;
	struct stat status;

	CHECK(root[0]);
	CHECK_EQ(stat(root, &status), 0);
	steps[0] = (struct step){.inode = status.st_ino};
	set_text(steps[0].from, PATH_BYTES, root);
	set_text(steps[0].to, PATH_BYTES, target);
	for (uint32_t i = 0; i < step_count; i++) {
		struct step step = steps[i];

		leave_folder(&step, state, steps, &step_count);
	}
}
