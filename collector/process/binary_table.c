/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   bucket[hash of path] -> binary -> binary -> ...        referenced by mappings
 *                             |
 *                           idle list: newest <-> ... <-> oldest    referenced by none
 *
 * The path is the hash key because both ways to name a file (build-ID, inode) carry it. A reference
 * count tells which binaries may be forgotten; the idle list tells which to forget first.
 */
#include "collector/process/binary_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "collector/process/vdso.h"
#include "store/base/cleanup.h"
#include "store/base/clock.h"
#include "store/base/hash.h"
#include "store/base/must.h"
#include "store/elf/elf_note.h"

#define BUCKET_COUNT 4096u
/* A file that can't be read costs two system calls a try: after a second, then ever more seldom. */
#define RETRY_NS_FIRST NS_PER_S
#define RETRY_DOUBLINGS_MAX 8

int binary_table_init(struct binary_table *table, const struct proc_root *proc, struct tally *tally)
{
	*table = (struct binary_table){.proc = proc, .tally = tally, .vdso_fd = -1};
	table->buckets = calloc(BUCKET_COUNT, sizeof(struct binary *));
	return table->buckets ? 0 : -ENOMEM;
}

static void binary_free(struct binary *binary)
{
	free(binary->segments);
	free(binary->path);
	free(binary);
}

void binary_table_done(struct binary_table *table)
{
	if (!table->buckets)
		return;
	for (uint32_t i = 0; i < BUCKET_COUNT; i++) {
		struct binary *next;

		for (struct binary *binary = table->buckets[i]; binary; binary = next) {
			next = binary->next_in_bucket;
			binary_free(binary);
		}
	}
	free(table->buckets);
	table->buckets = NULL;
	if (table->vdso_fd >= 0)
		close(table->vdso_fd);
	table->vdso_fd = -1;
}

static void idle_remove(struct binary_table *table, struct binary *binary)
{
	if (binary->idle_newer)
		binary->idle_newer->idle_older = binary->idle_older;
	else
		table->idle_newest = binary->idle_older;
	if (binary->idle_older)
		binary->idle_older->idle_newer = binary->idle_newer;
	else
		table->idle_oldest = binary->idle_newer;
	binary->idle_newer = NULL;
	binary->idle_older = NULL;
	table->idle_count--;
}

static void idle_add(struct binary_table *table, struct binary *binary)
{
	binary->idle_older = table->idle_newest;
	if (table->idle_newest)
		table->idle_newest->idle_newer = binary;
	else
		table->idle_oldest = binary;
	table->idle_newest = binary;
	table->idle_count++;
}

static struct binary **bucket_of(struct binary_table *table, const char *path, size_t length)
{
	return &table->buckets[hash_bytes(path, length) % BUCKET_COUNT];
}

static void evict_oldest(struct binary_table *table)
{
	struct binary *binary = table->idle_oldest;
	struct binary **link = bucket_of(table, binary->path, strlen(binary->path));

	while (*link != binary)
		link = &(*link)->next_in_bucket;
	*link = binary->next_in_bucket;
	idle_remove(table, binary);
	binary_free(binary);
	table->count--;
	tally_add(table->tally, TALLY_binaries_evicted, 1);
}

void binary_share(struct binary_table *table, struct binary *binary)
{
	if (binary->reference_count == 0)
		idle_remove(table, binary);
	binary->reference_count++;
}

void binary_release(struct binary_table *table, struct binary *binary)
{
	must(binary->reference_count > 0);
	binary->reference_count--;
	if (binary->reference_count > 0)
		return;
	idle_add(table, binary);
	if (table->idle_count > BINARY_IDLE_MAX)
		evict_oldest(table);
}

static bool has_key(const struct binary *binary, const struct binary_key *key, size_t path_length)
{
	bool by_id = build_id_known(&key->build_id);

	if (binary->id_from_kernel != by_id || strlen(binary->path) != path_length ||
		memcmp(binary->path, key->path, path_length) != 0)
		return false;
	if (by_id)
		return build_id_equal(&binary->build_id, &key->build_id);
	/* /proc/PID/maps has no generation. */
	return binary->inode == key->inode && binary->dev_major == key->dev_major &&
		binary->dev_minor == key->dev_minor &&
		(binary->generation == key->generation || binary->generation == 0 ||
			key->generation == 0);
}

static int binary_new(const struct binary_key *key, size_t path_length, struct binary **ret_binary)
{
	struct binary *binary = calloc(1, sizeof(*binary));
	size_t base_length;

	if (!binary)
		return -ENOMEM;
	binary->path = malloc(path_length + 1);
	if (!binary->path) {
		free(binary);
		return -ENOMEM;
	}
	memcpy(binary->path, key->path, path_length);
	binary->path[path_length] = '\0';
	binary->base_name = maps_base_name(binary->path, path_length, &base_length);
	binary->id_from_kernel = build_id_known(&key->build_id);
	binary->build_id = key->build_id;
	binary->dev_major = key->dev_major;
	binary->dev_minor = key->dev_minor;
	binary->inode = key->inode;
	binary->generation = key->generation;
	*ret_binary = binary;
	return 0;
}

int binary_get(struct binary_table *table, const struct binary_key *key, struct binary **ret_binary)
{
	size_t path_length = maps_path_length(key->path, key->path_length);
	struct binary **bucket = bucket_of(table, key->path, path_length);
	struct binary *binary = *bucket;
	int r;

	while (binary && !has_key(binary, key, path_length))
		binary = binary->next_in_bucket;
	if (!binary) {
		if (table->count >= BINARY_COUNT_MAX && table->idle_count > 0)
			evict_oldest(table);
		if (table->count >= BINARY_COUNT_MAX)
			return -E2BIG;
		r = binary_new(key, path_length, &binary);
		if (r < 0)
			return r;
		binary->next_in_bucket = *bucket;
		*bucket = binary;
		table->count++;
		idle_add(table, binary);
	}
	if (key->generation != 0)
		binary->generation = key->generation;
	/* An inode keeps its number when it is written to. */
	if (!binary->id_from_kernel && !binary->is_vdso && binary->state == BINARY_READ)
		binary->mapped_again = true;
	binary_share(table, binary);
	*ret_binary = binary;
	return 0;
}

int binary_get_vdso(struct binary_table *table, struct binary **ret_binary)
{
	struct binary_key key = {.path = "[vdso]", .path_length = strlen("[vdso]")};
	int r;

	if (table->vdso_fd < 0) {
		int fd = vdso_open();

		if (fd < 0)
			return fd;
		table->vdso_fd = fd;
	}
	r = binary_get(table, &key, ret_binary);
	if (r == 0)
		(*ret_binary)->is_vdso = true;
	return r;
}

/* True if the open file is the inode that was mapped. Through the mapping only the number is
 * compared, as far as all file systems agree on it: some show another device in maps than in stat,
 * overlays of several file systems count above 32 bits which of them a file is from. */
static bool is_that_inode(const struct binary *binary, int fd, bool through_mapping)
{
	struct stat stat;

	if (binary->is_vdso)
		return true;
	if (fstat(fd, &stat) < 0)
		return false;
	if (through_mapping)
		return (uint32_t)stat.st_ino == (uint32_t)binary->inode;
	return stat.st_ino == binary->inode && major(stat.st_dev) == binary->dev_major &&
		minor(stat.st_dev) == binary->dev_minor;
}

/* True if the open file is the one that was mapped. Its place in memory may show another one by
 * now: a library that was loaded after this one was unloaded. */
static bool is_that_file(
	const struct binary *binary, int fd, const struct image *image, bool through_mapping)
{
	struct build_id found;

	if (binary->id_from_kernel)
		return note_find(image, BUILD_ID_GNU, &found) == 0 &&
			build_id_equal(&found, &binary->build_id);
	return is_that_inode(binary, fd, through_mapping);
}

/* The ways to a file, the surest first: the mapping itself shows the file that was mapped, whatever
 * stands at its path today. */
enum way { WAY_MAPPING, WAY_PROCESS_PATH, WAY_PARENT_PATH, WAY_OWN_PATH, WAY_COUNT };

static int open_by(struct binary_table *table, const struct binary *binary,
	const struct binary_mapping *mapping, enum way way)
{
	switch (way) {
	case WAY_MAPPING:
		return proc_open_mapped(table->proc, mapping->pid, mapping->start, mapping->end);
	case WAY_PROCESS_PATH:
		return proc_open_path(table->proc, mapping->pid, binary->path);
	case WAY_PARENT_PATH:
		return proc_open_path(table->proc, mapping->parent_pid, binary->path);
	case WAY_OWN_PATH:
		return proc_open_own(binary->path);
	case WAY_COUNT:
		break;
	}
	return -ENOENT;
}

/* Opens the right file and its headers. -ENOENT: none could be opened.  -ESTALE: only others.
 * -EBADMSG: it is the right file, but not ELF. */
static int open_image(struct binary_table *table, const struct binary *binary,
	const struct binary_mapping *mapping, int *ret_fd, struct image *ret_image)
{
	int result = -ENOENT;

	for (int way = 0; way < WAY_COUNT; way++) {
		SCOPED_FD int fd = binary->is_vdso ? dup(table->vdso_fd)
						   : open_by(table, binary, mapping, way);
		bool certain = binary->is_vdso || way == WAY_MAPPING;
		int r;

		if (fd == -EMEDIUMTYPE && certain)
			return -EBADMSG;
		if (fd < 0)
			continue;
		r = image_open(fd, false, ret_image);
		if (r == -EBADMSG && certain && !binary->id_from_kernel &&
			is_that_inode(binary, fd, true))
			return r;
		if (r == 0 && is_that_file(binary, fd, ret_image, certain)) {
			*ret_fd = TAKE_FD(fd);
			return 0;
		}
		if (r == 0)
			image_done(ret_image);
		if (r == 0 || r == -EBADMSG)
			result = -ESTALE;
	}
	return result;
}

static uint64_t changed_at_ns(const struct stat *file)
{
	return (uint64_t)file->st_ctim.tv_sec * NS_PER_S + (uint64_t)file->st_ctim.tv_nsec;
}

static int note_version(struct binary *binary, int fd)
{
	struct stat file;

	if (fstat(fd, &file) < 0)
		return -errno;
	binary->byte_count = (uint64_t)file.st_size;
	binary->changed_at_ns = changed_at_ns(&file);
	return 0;
}

/* True if the file is as it was when it was read. */
static bool is_unchanged(struct binary_table *table, const struct binary *binary,
	const struct binary_mapping *mapping)
{
	for (int way = 0; way < WAY_COUNT; way++) {
		SCOPED_FD int fd = open_by(table, binary, mapping, way);
		struct stat file;

		if (fd >= 0 && fstat(fd, &file) == 0 &&
			is_that_inode(binary, fd, way == WAY_MAPPING) &&
			(uint64_t)file.st_size == binary->byte_count &&
			changed_at_ns(&file) == binary->changed_at_ns)
			return true;
	}
	return false;
}

static void forget(struct binary *binary)
{
	free(binary->segments);
	binary->segments = NULL;
	binary->build_id = (struct build_id){0};
	binary->state = BINARY_UNREAD;
	binary->failure_count = 0;
	binary->retry_at_ns = 0;
	binary->window = 0;
}

static int read_headers(struct binary *binary, const struct image *image)
{
	SCOPED_FREE struct load_map *segments = malloc(sizeof(*segments));
	struct build_id build_id = binary->build_id;
	int r;

	if (!segments)
		return -ENOMEM;
	r = load_map_of_image(image, segments);
	if (r < 0)
		return r;
	if (!binary->id_from_kernel)
		r = note_build_id_of_image(image, &build_id);
	if (r < 0)
		return r;
	binary->build_id = build_id;
	binary->segments = TAKE(segments);
	return 0;
}

void binary_read(struct binary_table *table, struct binary *binary,
	const struct binary_mapping *mapping, uint64_t now_ns)
{
	SCOPED_FD int fd = -1;
	struct image image;
	int r;

	if (binary->mapped_again) {
		if (!is_unchanged(table, binary, mapping))
			forget(binary);
		binary->mapped_again = false;
	}
	/* A process that is gone must not keep the next one from showing the file. */
	if (binary->state != BINARY_UNREAD ||
		(now_ns < binary->retry_at_ns && mapping->pid == binary->failed_pid))
		return;
	r = open_image(table, binary, mapping, &fd, &image);
	if (r == 0) {
		/* Before its content: what is written meanwhile will be noticed. */
		r = note_version(binary, fd);
		if (r == 0)
			r = read_headers(binary, &image);
		image_done(&image);
	}
	if (r == 0) {
		binary->state = BINARY_READ;
		tally_add(table->tally, TALLY_binaries_read, 1);
		return;
	}
	tally_add(table->tally, r == -ESTALE ? TALLY_binaries_replaced : TALLY_binaries_unread, 1);
	if (r == -EBADMSG && !binary->id_from_kernel)
		binary->state = BINARY_NOT_ELF;
	binary->failed_pid = mapping->pid;
	binary->retry_at_ns = now_ns + (RETRY_NS_FIRST << binary->failure_count);
	if (binary->failure_count < RETRY_DOUBLINGS_MAX)
		binary->failure_count++;
}

int binary_open(struct binary_table *table, const struct binary *binary,
	const struct binary_mapping *mapping)
{
	SCOPED_FD int fd = -1;
	struct build_id build_id;
	struct image image;
	int r = open_image(table, binary, mapping, &fd, &image);

	if (r < 0)
		return r;
	r = note_build_id_of_image(&image, &build_id);
	image_done(&image);
	if (r < 0)
		return r;
	return build_id_equal(&build_id, &binary->build_id) ? TAKE_FD(fd) : -ESTALE;
}

struct binary *binary_find(
	struct binary_table *table, const struct build_id *build_id, const struct binary *after)
{
	struct binary **bucket =
		after ? bucket_of(table, after->path, strlen(after->path)) : table->buckets;
	struct binary *binary = after ? after->next_in_bucket : *bucket;

	for (;;) {
		while (binary && !build_id_equal(&binary->build_id, build_id))
			binary = binary->next_in_bucket;
		if (binary || ++bucket == table->buckets + BUCKET_COUNT)
			return binary;
		binary = *bucket;
	}
}
