/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/file_shelf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/elf/elf_contents.h"
#include "store/profile/grow.h"

/* The time of use survives a restart as the file's own time, which is not written at each use. */
#define USE_SAVED_NS (UINT64_C(3600) * NS_PER_S)
/* Room is made a tenth at a time. */
#define EVICT_PART 10

struct shelf_file {
	struct build_id id;
	enum shelf_kind kind;
	uint64_t byte_count;
	uint64_t used_at_ns;
	uint64_t use_saved_at_ns;
};

const char *shelf_kind_text(enum shelf_kind kind)
{
	static const char *const texts[] = {
#define SHELF_KIND_TEXT(name, text) text,
		SHELF_KINDS(SHELF_KIND_TEXT)
#undef SHELF_KIND_TEXT
	};

	return kind < SHELF_KIND_COUNT ? texts[kind] : "";
}

bool shelf_kind_of(const struct contents *contents, enum shelf_kind *ret_kind)
{
	if (contents->is_package)
		*ret_kind = SHELF_PACKAGE;
	else if (contents->has_code)
		*ret_kind = contents->has_dwarf ? SHELF_WHOLE : SHELF_CODE;
	else if (contents->has_dwarf || contents->has_table)
		*ret_kind = contents->has_dwarf ? SHELF_DEBUG : SHELF_TABLE;
	else
		return false;
	return true;
}

static void name_of(const struct build_id *id, enum shelf_kind kind, char ret_name[SHELF_NAME_MAX])
{
	char text[BUILD_ID_TEXT_MAX];

	build_id_format(id, text);
	snprintf(ret_name, SHELF_NAME_MAX, "%s.%s", text, shelf_kind_text(kind));
}

static bool parse_name(const char *name, struct build_id *ret_id, enum shelf_kind *ret_kind)
{
	const char *dot = strchr(name, '.');

	if (!dot || build_id_parse(name, (size_t)(dot - name), ret_id) < 0)
		return false;
	for (unsigned kind = 0; kind < SHELF_KIND_COUNT; kind++) {
		if (strcmp(dot + 1, shelf_kind_text((enum shelf_kind)kind)) == 0) {
			*ret_kind = (enum shelf_kind)kind;
			return true;
		}
	}
	return false;
}

/* ---- The list; with LOCK ---- */

static struct shelf_file *find(
	const struct file_shelf *shelf, const struct build_id *id, enum shelf_kind kind)
{
	for (uint32_t i = 0; i < shelf->count; i++) {
		struct shelf_file *file = &shelf->files[i];

		if (file->kind == kind && build_id_equal(&file->id, id))
			return file;
	}
	return NULL;
}

static int add(struct file_shelf *shelf, const struct shelf_file *file)
{
	int r = grow_array(&shelf->files, &shelf->capacity, shelf->count, SHELF_COUNT_MAX);

	if (r < 0)
		return r;
	shelf->files[shelf->count++] = *file;
	shelf->byte_count += file->byte_count;
	return 0;
}

static void forget(struct file_shelf *shelf, struct shelf_file *file)
{
	shelf->byte_count -= file->byte_count;
	*file = shelf->files[--shelf->count];
}

static void discard(struct file_shelf *shelf, struct shelf_file *file)
{
	char name[SHELF_NAME_MAX];

	name_of(&file->id, file->kind, name);
	unlinkat(shelf->folder_fd, name, 0);
	forget(shelf, file);
}

static void discard_kind(struct file_shelf *shelf, const struct build_id *id, enum shelf_kind kind)
{
	struct shelf_file *file = find(shelf, id, kind);

	if (file)
		discard(shelf, file);
}

static void make_room(struct file_shelf *shelf, uint64_t byte_count)
{
	uint64_t goal = shelf->bytes_max - shelf->bytes_max / EVICT_PART;

	if (shelf->byte_count + byte_count <= shelf->bytes_max && shelf->count < SHELF_COUNT_MAX)
		return;
	goal = goal > byte_count ? goal - byte_count : 0;
	while (shelf->count > 0 && (shelf->byte_count > goal || shelf->count >= SHELF_COUNT_MAX)) {
		struct shelf_file *oldest = &shelf->files[0];

		for (uint32_t i = 1; i < shelf->count; i++)
			if (shelf->files[i].used_at_ns < oldest->used_at_ns)
				oldest = &shelf->files[i];
		discard(shelf, oldest);
		shelf->evicted_count++;
	}
}

static void note_use(struct file_shelf *shelf, struct shelf_file *file, int fd)
{
	uint64_t now_ns = clock_read(&shelf->clock).realtime_ns;
	struct timespec times[2];

	file->used_at_ns = now_ns;
	if (now_ns - file->use_saved_at_ns < USE_SAVED_NS)
		return;
	file->use_saved_at_ns = now_ns;
	times[0] = (struct timespec){.tv_nsec = UTIME_OMIT};
	times[1] = (struct timespec){
		.tv_sec = (time_t)(now_ns / NS_PER_S), .tv_nsec = (long)(now_ns % NS_PER_S)};
	/* Without it the file is merely among the first to go after a restart. */
	(void)futimens(fd, times);
}

/* ---- Opening ---- */

static int load_file(struct file_shelf *shelf, const char *name)
{
	struct shelf_file file = {.byte_count = 0};
	struct stat stat;

	if (!parse_name(name, &file.id, &file.kind))
		return 0;
	if (fstatat(shelf->folder_fd, name, &stat, AT_SYMLINK_NOFOLLOW) < 0 ||
		!S_ISREG(stat.st_mode))
		return 0;
	file.byte_count = (uint64_t)stat.st_size;
	file.used_at_ns = (uint64_t)stat.st_mtim.tv_sec * NS_PER_S + (uint64_t)stat.st_mtim.tv_nsec;
	file.use_saved_at_ns = file.used_at_ns;
	return add(shelf, &file);
}

static int load(struct file_shelf *shelf)
{
	int fd = fcntl(shelf->folder_fd, F_DUPFD_CLOEXEC, 0);
	const struct dirent *entry;
	DIR *folder;
	int r = 0;

	if (fd < 0)
		return -errno;
	folder = fdopendir(fd);
	if (!folder) {
		close(fd);
		return -errno;
	}
	while (r == 0 && (entry = readdir(folder)) != NULL) /* NOLINT(concurrency-mt-unsafe): own */
		r = load_file(shelf, entry->d_name);
	closedir(folder);
	return r == -E2BIG ? 0 : r;
}

int file_shelf_init(
	struct file_shelf *shelf, const char *folder, uint64_t bytes_max, struct clock clock)
{
	int r;

	*shelf = (struct file_shelf){.bytes_max = bytes_max, .clock = clock};
	shelf->folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (shelf->folder_fd < 0)
		return -errno;
	pthread_mutex_init(&shelf->lock, NULL);
	r = load(shelf);
	if (r < 0) {
		file_shelf_done(shelf);
		return r;
	}
	make_room(shelf, 0);
	return 0;
}

void file_shelf_done(struct file_shelf *shelf)
{
	if (shelf->folder_fd <= 0)
		return;
	close(shelf->folder_fd);
	free(shelf->files);
	pthread_mutex_destroy(&shelf->lock);
	*shelf = (struct file_shelf){.folder_fd = -1};
}

void file_shelf_usage(struct file_shelf *shelf, struct shelf_usage *ret_usage)
{
	pthread_mutex_lock(&shelf->lock);
	*ret_usage = (struct shelf_usage){
		.byte_count = shelf->byte_count,
		.evicted_count = shelf->evicted_count,
		.count = shelf->count,
	};
	pthread_mutex_unlock(&shelf->lock);
}

/* ---- Taking in ---- */

/* Whether a file of another kind already says all that this one would. */
static bool is_needless(
	const struct file_shelf *shelf, const struct build_id *id, enum shelf_kind kind)
{
	if (kind == SHELF_CODE)
		return find(shelf, id, SHELF_WHOLE) != NULL;
	return kind == SHELF_TABLE &&
		(find(shelf, id, SHELF_DEBUG) || find(shelf, id, SHELF_WHOLE));
}

static void discard_needless(
	struct file_shelf *shelf, const struct build_id *id, enum shelf_kind kind)
{
	if (kind == SHELF_WHOLE)
		discard_kind(shelf, id, SHELF_CODE);
	if (kind == SHELF_WHOLE || kind == SHELF_DEBUG)
		discard_kind(shelf, id, SHELF_TABLE);
}

static int take(
	struct file_shelf *shelf, const struct shelf_file *file, int from_fd, const char *from_name)
{
	char name[SHELF_NAME_MAX];
	struct shelf_file *replaced;

	if (is_needless(shelf, &file->id, file->kind))
		return -EEXIST;
	if (file->byte_count > shelf->bytes_max)
		return -EFBIG;
	name_of(&file->id, file->kind, name);
	if (renameat(from_fd, from_name, shelf->folder_fd, name) < 0)
		return -errno;
	/* The file of that name, if there was one, is gone by the rename. */
	replaced = find(shelf, &file->id, file->kind);
	if (replaced)
		forget(shelf, replaced);
	discard_needless(shelf, &file->id, file->kind);
	make_room(shelf, file->byte_count);
	return add(shelf, file);
}

int file_shelf_take(struct file_shelf *shelf, const struct build_id *id, enum shelf_kind kind,
	int from_fd, const char *name, int fd)
{
	uint64_t now_ns = clock_read(&shelf->clock).realtime_ns;
	struct shelf_file file = {
		.id = *id, .kind = kind, .used_at_ns = now_ns, .use_saved_at_ns = now_ns};
	struct stat stat;
	int r;

	if (!build_id_known(id))
		return -EINVAL;
	if (fstat(fd, &stat) < 0)
		return -errno;
	file.byte_count = (uint64_t)stat.st_size;
	/* What has its name is whole, after a power cut, too. */
	if (fsync(fd) < 0)
		return -errno;
	pthread_mutex_lock(&shelf->lock);
	r = take(shelf, &file, from_fd, name);
	pthread_mutex_unlock(&shelf->lock);
	if (r == 0 && fsync(shelf->folder_fd) < 0)
		r = -errno;
	return r;
}

/* ---- Handing out ---- */

static int open_file(
	struct file_shelf *shelf, struct shelf_file *file, int *ret_fd, uint64_t *ret_byte_count)
{
	char name[SHELF_NAME_MAX];
	int fd;

	name_of(&file->id, file->kind, name);
	fd = openat(shelf->folder_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) {
		int error = errno;

		/* Somebody has tidied up. */
		if (error == ENOENT)
			forget(shelf, file);
		return -error;
	}
	note_use(shelf, file, fd);
	*ret_byte_count = file->byte_count;
	*ret_fd = fd;
	return 0;
}

int file_shelf_open(struct file_shelf *shelf, const struct build_id *id, enum shelf_kind kind,
	int *ret_fd, uint64_t *ret_byte_count)
{
	struct shelf_file *file;
	int r;

	pthread_mutex_lock(&shelf->lock);
	file = find(shelf, id, kind);
	r = file ? open_file(shelf, file, ret_fd, ret_byte_count) : -ENOENT;
	pthread_mutex_unlock(&shelf->lock);
	return r;
}

int file_shelf_find(struct file_shelf *shelf, const struct build_id *id, enum symbol_file file,
	int *ret_fd, uint64_t *ret_byte_count, enum shelf_kind *ret_kind)
{
	static const enum shelf_kind debuginfo[] = {SHELF_DEBUG, SHELF_WHOLE, SHELF_TABLE},
				     executable[] = {SHELF_CODE, SHELF_WHOLE},
				     package[] = {SHELF_PACKAGE};
	const enum shelf_kind *kinds = debuginfo;
	size_t count = sizeof(debuginfo) / sizeof(debuginfo[0]);
	int r = -ENOENT;

	if (file == SYMBOL_FILE_EXECUTABLE) {
		kinds = executable;
		count = sizeof(executable) / sizeof(executable[0]);
	} else if (file == SYMBOL_FILE_PACKAGE) {
		kinds = package;
		count = 1;
	}
	for (size_t i = 0; r == -ENOENT && i < count; i++) {
		r = file_shelf_open(shelf, id, kinds[i], ret_fd, ret_byte_count);
		if (r == 0)
			*ret_kind = kinds[i];
	}
	return r;
}

unsigned file_shelf_kinds(struct file_shelf *shelf, const struct build_id *id)
{
	unsigned kinds = 0;

	pthread_mutex_lock(&shelf->lock);
	for (uint32_t i = 0; i < shelf->count; i++)
		if (build_id_equal(&shelf->files[i].id, id))
			kinds |= 1u << shelf->files[i].kind;
	pthread_mutex_unlock(&shelf->lock);
	return kinds;
}
