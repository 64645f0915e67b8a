/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/upload_spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store/base/whole_io.h"

/* Uploads are read as they come in; only a burst of large ones fills this. */
#define SPOOL_BYTES_MAX (UINT64_C(8) << 30)

/* Uploads of an earlier run were lost with it: the modules will be asked for again. */
static int remove_leftovers(int folder_fd)
{
	int fd = fcntl(folder_fd, F_DUPFD_CLOEXEC, 0);
	const struct dirent *entry;
	DIR *folder;

	if (fd < 0)
		return -errno;
	folder = fdopendir(fd);
	if (!folder) {
		close(fd);
		return -errno;
	}
	while ((entry = readdir(folder)) != NULL) /* NOLINT(concurrency-mt-unsafe): own stream */
		if (entry->d_type == DT_REG)
			unlinkat(folder_fd, entry->d_name, 0);
	closedir(folder);
	return 0;
}

int upload_spool_init(struct upload_spool *spool, const char *folder, uint64_t file_bytes_max)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r;

	if (fd < 0)
		return -errno;
	r = remove_leftovers(fd);
	if (r < 0) {
		close(fd);
		return r;
	}
	spool->folder_fd = fd;
	spool->file_bytes_max = file_bytes_max;
	spool->bytes_max = SPOOL_BYTES_MAX > file_bytes_max ? SPOOL_BYTES_MAX : file_bytes_max;
	atomic_init(&spool->byte_count, 0);
	return 0;
}

void upload_spool_done(struct upload_spool *spool)
{
	if (spool->folder_fd > 0)
		close(spool->folder_fd);
	spool->folder_fd = -1;
}

int upload_file_begin(struct upload_spool *spool, const struct build_id *id, const char *suffix,
	uint64_t byte_count, struct upload_file *ret_file)
{
	char text[BUILD_ID_TEXT_MAX];
	struct upload_file file = {.byte_count_max = spool->file_bytes_max};

	if (!build_id_known(id))
		return -EINVAL;
	if (byte_count > spool->file_bytes_max)
		return -EFBIG;
	if (byte_count > 0)
		file.byte_count_max = byte_count;
	if (atomic_load(&spool->byte_count) + byte_count > spool->bytes_max)
		return -ENOSPC;
	build_id_format(id, text);
	snprintf(file.name, sizeof(file.name), "%s%.*s", text, UPLOAD_SUFFIX_MAX - 1, suffix);
	file.fd = openat(spool->folder_fd, file.name,
		O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (file.fd < 0)
		return -errno;
	*ret_file = file;
	return 0;
}

/* Leaves of the file what is counted. */
static int cut_back(const struct upload_file *file)
{
	off_t end = (off_t)file->byte_count;

	return ftruncate(file->fd, end) < 0 || lseek(file->fd, end, SEEK_SET) < 0 ? -errno : 0;
}

int upload_file_append(
	struct upload_spool *spool, struct upload_file *file, const void *bytes, size_t byte_count)
{
	int r;

	if (byte_count > file->byte_count_max - file->byte_count)
		return -EFBIG;
	if (atomic_fetch_add(&spool->byte_count, byte_count) + byte_count > spool->bytes_max) {
		atomic_fetch_sub(&spool->byte_count, byte_count);
		return -ENOSPC;
	}
	r = whole_write(file->fd, bytes, byte_count);
	if (r < 0) {
		/* The sender goes on where the file ends: behind what is whole. */
		atomic_fetch_sub(&spool->byte_count, byte_count);
		return cut_back(file) < 0 ? -EIO : r;
	}
	file->byte_count += byte_count;
	return 0;
}

void upload_file_moved(struct upload_spool *spool, struct upload_file *file)
{
	atomic_fetch_sub(&spool->byte_count, file->byte_count);
	file->byte_count = 0;
	file->name[0] = '\0';
}

void upload_file_remove(struct upload_spool *spool, struct upload_file *file)
{
	if (file->fd <= 0)
		return;
	if (file->name[0])
		unlinkat(spool->folder_fd, file->name, 0);
	close(file->fd);
	atomic_fetch_sub(&spool->byte_count, file->byte_count);
	*file = (struct upload_file){.fd = -1};
}
