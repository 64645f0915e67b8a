/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/unread_marks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/base/whole_io.h"
#include "store/profile/grow.h"

#define MARK_FILE_MAX (BUILD_ID_TEXT_MAX + 12)
#define NUMBER_DIGITS 8

static void name_of(const struct build_id *id, uint32_t number, char ret_name[MARK_FILE_MAX])
{
	char text[BUILD_ID_TEXT_MAX];

	build_id_format(id, text);
	snprintf(ret_name, MARK_FILE_MAX, "%s.%08" PRIx32, text, number);
}

static bool parse_name(const char *name, struct unread_old *old)
{
	const char *dot = strchr(name, '.');
	unsigned long number;
	char *end;

	if (!dot || strlen(dot + 1) != NUMBER_DIGITS ||
		build_id_parse(name, (size_t)(dot - name), &old->id) < 0)
		return false;
	number = strtoul(dot + 1, &end, 16);
	old->number = (uint32_t)number;
	return *end == '\0';
}

static int load_mark(struct unread_marks *marks, const char *file)
{
	struct unread_old old = {.number = 0};
	SCOPED_FD int fd = -1;
	int r;

	if (!parse_name(file, &old) || marks->old_count >= UNREAD_OLD_MAX)
		return 0;
	if (old.number >= marks->next_number)
		marks->next_number = old.number + 1;
	fd = openat(marks->folder_fd, file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	/* The name is a help; what counts is the id. */
	if (fd >= 0 && read(fd, old.name, sizeof(old.name) - 1) < 0)
		old.name[0] = '\0';
	r = grow_array(&marks->old, &marks->old_capacity, marks->old_count, UNREAD_OLD_MAX);
	if (r == 0)
		marks->old[marks->old_count++] = old;
	return r;
}

static int load(struct unread_marks *marks)
{
	int fd = fcntl(marks->folder_fd, F_DUPFD_CLOEXEC, 0);
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
		r = load_mark(marks, entry->d_name);
	closedir(folder);
	return r;
}

int unread_marks_init(struct unread_marks *marks, const char *folder)
{
	int r;

	*marks = (struct unread_marks){.folder_fd = -1};
	marks->folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (marks->folder_fd < 0)
		return -errno;
	pthread_mutex_init(&marks->lock, NULL);
	r = load(marks);
	if (r < 0)
		unread_marks_done(marks);
	return r;
}

void unread_marks_done(struct unread_marks *marks)
{
	if (marks->folder_fd <= 0)
		return;
	close(marks->folder_fd);
	free(marks->old);
	pthread_mutex_destroy(&marks->lock);
	*marks = (struct unread_marks){.folder_fd = -1};
}

int unread_marks_add(struct unread_marks *marks, const struct build_id *id, const char *name,
	uint32_t *ret_number)
{
	char file[MARK_FILE_MAX];
	SCOPED_FD int fd = -1;
	uint32_t number;
	int r;

	pthread_mutex_lock(&marks->lock);
	number = marks->next_number++;
	pthread_mutex_unlock(&marks->lock);
	name_of(id, number, file);
	fd = openat(marks->folder_fd, file, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
		0600);
	if (fd < 0)
		return -errno;
	r = whole_write(fd, name, strnlen(name, UNREAD_NAME_MAX - 1));
	if (r == 0 && (fsync(fd) < 0 || fsync(marks->folder_fd) < 0))
		r = -errno;
	if (r < 0)
		unlinkat(marks->folder_fd, file, 0);
	else
		*ret_number = number;
	return r;
}

void unread_marks_remove(struct unread_marks *marks, const struct build_id *id, uint32_t number)
{
	char file[MARK_FILE_MAX];

	name_of(id, number, file);
	unlinkat(marks->folder_fd, file, 0);
}

bool unread_marks_old(const struct unread_marks *marks, uint32_t index, struct unread_old *ret_old)
{
	if (index >= marks->old_count)
		return false;
	*ret_old = marks->old[index];
	return true;
}

void unread_marks_forget_old(struct unread_marks *marks, const struct build_id *id)
{
	uint32_t kept = 0;

	pthread_mutex_lock(&marks->lock);
	for (uint32_t i = 0; i < marks->old_count; i++) {
		if (build_id_equal(&marks->old[i].id, id))
			unread_marks_remove(marks, id, marks->old[i].number);
		else
			marks->old[kept++] = marks->old[i];
	}
	marks->old_count = kept;
	pthread_mutex_unlock(&marks->lock);
}
