/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/kernel_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/profile/grow.h"

#define IMAGE_NAME "vmlinux"

struct tree_file {
	char *path;
	char *name; /* IMAGE_NAME, or the module's */
	/* Of the file that was looked into. */
	struct timespec changed_at;
	off_t byte_count;
	bool looked_into;
	bool has_dwarf;
	struct build_id id; /* unknown: it is none of ours */
};

struct kernel_tree {
	pthread_mutex_t lock;
	char *folder;
	kernel_identify_fn identify;
	void *context;
	struct tree_file *files;
	uint32_t file_count;
	uint32_t file_capacity;
	uint64_t walked_at_ns; /* 0: never */
};

static void free_files(struct tree_file *files, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		free(files[i].path);
		free(files[i].name);
	}
	free(files);
}

int kernel_tree_new(const char *folder, kernel_identify_fn identify, void *context,
	struct kernel_tree **ret_tree)
{
	struct kernel_tree *tree = calloc(1, sizeof(*tree));

	if (!tree)
		return -ENOMEM;
	pthread_mutex_init(&tree->lock, NULL);
	tree->folder = strdup(folder);
	tree->identify = identify;
	tree->context = context;
	if (!tree->folder) {
		kernel_tree_free(tree);
		return -ENOMEM;
	}
	*ret_tree = tree;
	return 0;
}

void kernel_tree_free(struct kernel_tree *tree)
{
	if (!tree)
		return;
	free_files(tree->files, tree->file_count);
	free(tree->folder);
	pthread_mutex_destroy(&tree->lock);
	free(tree);
}

/* ---- Walking ---- */

/* Folders that wait to be read: the walk appends to the list that it goes through. */
struct walk {
	char **folders;
	uint32_t folder_count;
	uint32_t folder_capacity;
	struct tree_file *files;
	uint32_t file_count;
	uint32_t file_capacity;
};

static int push_folder(struct walk *walk, const char *folder, const char *name)
{
	int r = grow_array(&walk->folders, &walk->folder_capacity, walk->folder_count,
		KERNEL_TREE_FOLDERS_MAX);

	if (r == 0 && asprintf(&walk->folders[walk->folder_count], "%s/%s", folder, name) < 0)
		r = -ENOMEM;
	if (r == 0)
		walk->folder_count++;
	return r;
}

/* The module's name as the kernel has it, malloc'ed; NULL: it is the file of none. */
static char *name_of_file(const char *file)
{
	static const char *const suffixes[] = {".ko", ".ko.debug", ".ko.xz", ".ko.zst", ".ko.gz"};
	size_t length = strlen(file);

	if (strncmp(file, IMAGE_NAME, strlen(IMAGE_NAME)) == 0)
		return strdup(IMAGE_NAME);
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t suffix = strlen(suffixes[i]);
		char *name;

		if (length <= suffix || strcmp(file + length - suffix, suffixes[i]) != 0)
			continue;
		name = strndup(file, length - suffix);
		for (char *at = name; at && *at; at++)
			if (*at == '-')
				*at = '_';
		return name;
	}
	return NULL;
}

static int push_file(struct walk *walk, const char *folder, const char *file)
{
	SCOPED_FREE char *name = name_of_file(file);
	struct tree_file *found;
	int r;

	if (!name)
		return 0;
	r = grow_array(&walk->files, &walk->file_capacity, walk->file_count, KERNEL_TREE_FILES_MAX);
	if (r < 0)
		return r;
	found = &walk->files[walk->file_count];
	*found = (struct tree_file){.looked_into = false};
	if (asprintf(&found->path, "%s/%s", folder, file) < 0)
		return -ENOMEM;
	found->name = TAKE(name);
	walk->file_count++;
	return 0;
}

static bool is_folder(DIR *dir, const struct dirent *entry)
{
	struct stat stat;

	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type == DT_DIR;
	return fstatat(dirfd(dir), entry->d_name, &stat, AT_SYMLINK_NOFOLLOW) == 0 &&
		S_ISDIR(stat.st_mode);
}

/* A folder that cannot be read holds nothing. */
static int read_folder(struct walk *walk, const char *folder, bool deep)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	int r = 0;

	if (!dir)
		return 0;
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): each walk has directories of its own. */
	while (r == 0 && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		if (!is_folder(dir, entry))
			r = push_file(walk, folder, entry->d_name);
		else if (deep)
			r = push_folder(walk, folder, entry->d_name);
	}
	closedir(dir);
	return r;
}

static int walk_all(const char *folder, struct walk *walk)
{
	SCOPED_FREE char *boot = NULL;
	int r = asprintf(&boot, "%s/boot", folder) < 0 ? -ENOMEM : 0;

	if (r == 0)
		r = read_folder(walk, folder, false);
	if (r == 0)
		r = read_folder(walk, boot, false);
	if (r == 0)
		r = push_folder(walk, folder, "lib/modules");
	if (r == 0)
		r = push_folder(walk, folder, "usr/lib/modules");
	for (uint32_t i = 0; r == 0 && i < walk->folder_count; i++)
		r = read_folder(walk, walk->folders[i], true);
	/* A tree without end: what was seen of it counts. */
	return r == -E2BIG ? 0 : r;
}

static int compare_files(const void *one, const void *other)
{
	return strcmp(
		((const struct tree_file *)one)->path, ((const struct tree_file *)other)->path);
}

/* What is known of a file stays, as long as it is the same. Both lists are sorted by path. */
static void inherit(const struct kernel_tree *tree, struct walk *walk)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < walk->file_count; i++) {
		struct tree_file *file = &walk->files[i];
		const struct tree_file *old;

		while (at < tree->file_count && compare_files(&tree->files[at], file) < 0)
			at++;
		if (at == tree->file_count)
			return;
		old = &tree->files[at];
		if (compare_files(old, file) != 0)
			continue;
		file->changed_at = old->changed_at;
		file->byte_count = old->byte_count;
		file->looked_into = old->looked_into;
		file->has_dwarf = old->has_dwarf;
		file->id = old->id;
	}
}

static int walk_again(struct kernel_tree *tree, uint64_t now_ns)
{
	struct walk walk = {0};
	int r = walk_all(tree->folder, &walk);

	for (uint32_t i = 0; i < walk.folder_count; i++)
		free(walk.folders[i]);
	free(walk.folders);
	if (r < 0) {
		free_files(walk.files, walk.file_count);
		return r;
	}
	if (walk.file_count > 0)
		qsort(walk.files, walk.file_count, sizeof(*walk.files), compare_files);
	inherit(tree, &walk);
	free_files(tree->files, tree->file_count);
	tree->files = walk.files;
	tree->file_count = walk.file_count;
	tree->file_capacity = walk.file_capacity;
	tree->walked_at_ns = now_ns;
	return 0;
}

/* ---- Looking ---- */

static bool is_same(const struct tree_file *file, const struct stat *stat)
{
	return file->looked_into && file->byte_count == stat->st_size &&
		file->changed_at.tv_sec == stat->st_mtim.tv_sec &&
		file->changed_at.tv_nsec == stat->st_mtim.tv_nsec;
}

/* Opens the file if it is of build ID. */
static int try_file(
	struct kernel_tree *tree, struct tree_file *file, const struct build_id *id, int *ret_fd)
{
	SCOPED_FD int fd = -1;
	struct stat about;

	if (stat(file->path, &about) < 0 || !S_ISREG(about.st_mode))
		return -ENOENT;
	if (is_same(file, &about) && (!file->has_dwarf || !build_id_equal(&file->id, id)))
		return -ENOENT;
	fd = open(file->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &about) < 0)
		return -ENOENT;
	if (!is_same(file, &about)) {
		file->looked_into = true;
		file->byte_count = about.st_size;
		file->changed_at = about.st_mtim;
		if (tree->identify(tree->context, fd, &file->id, &file->has_dwarf) < 0) {
			file->id = (struct build_id){.byte_count = 0};
			file->has_dwarf = false;
		}
	}
	if (!file->has_dwarf || !build_id_equal(&file->id, id))
		return -ENOENT;
	*ret_fd = TAKE_FD(fd);
	return 0;
}

/* `[kernel]` is the image; `[name]` a module. */
static bool is_called(const struct tree_file *file, const char *name, size_t length)
{
	static const char kernel[] = "[kernel]";

	if (length == strlen(kernel) && memcmp(name, kernel, length) == 0)
		return strcmp(file->name, IMAGE_NAME) == 0;
	return strlen(file->name) == length - 2 && memcmp(file->name, name + 1, length - 2) == 0;
}

int kernel_tree_open(struct kernel_tree *tree, const char *name, const struct build_id *id,
	uint64_t now_ns, int *ret_fd)
{
	size_t length = strlen(name);
	int r = 0;

	if (length < 3 || name[0] != '[' || name[length - 1] != ']')
		return -ENOENT;
	pthread_mutex_lock(&tree->lock);
	if (tree->walked_at_ns == 0 || now_ns - tree->walked_at_ns >= KERNEL_TREE_WALK_NS)
		r = walk_again(tree, now_ns ? now_ns : 1);
	if (r == 0)
		r = -ENOENT;
	for (uint32_t i = 0; r == -ENOENT && i < tree->file_count; i++)
		if (is_called(&tree->files[i], name, length))
			r = try_file(tree, &tree->files[i], id, ret_fd);
	pthread_mutex_unlock(&tree->lock);
	return r;
}
