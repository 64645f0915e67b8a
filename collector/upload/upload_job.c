/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/upload/upload_job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/base/compress.h"

/* Names pack to a fifth at any level; the lowest needs the least memory on a host that is not
 * ours. */
#define PACK_LEVEL 1

int upload_job_new_file(int fd, bool is_slim, struct upload_job **ret_job)
{
	struct upload_job *job = calloc(1, sizeof(*job));
	struct stat status;
	int r = 0;

	if (!job) {
		close(fd);
		return -ENOMEM;
	}
	job->fd = fd;
	job->source = is_slim ? UPLOAD_SLIM : UPLOAD_WHOLE;
	if (is_slim)
		r = slim_elf_init(&job->slim, fd);
	else if (fstat(fd, &status) < 0)
		r = -errno;
	if (r < 0) {
		upload_job_free(job);
		return r;
	}
	job->byte_count = is_slim ? job->slim.byte_count : (uint64_t)status.st_size;
	*ret_job = job;
	return 0;
}

int upload_job_new_symbols(const struct kernel_module *module, struct upload_job **ret_job)
{
	struct upload_job *job = calloc(1, sizeof(*job));

	if (!job)
		return -ENOMEM;
	job->fd = -1;
	job->source = UPLOAD_SYMBOLS;
	job->module = *module;
	*ret_job = job;
	return 0;
}

void upload_job_free(struct upload_job *job)
{
	if (!job)
		return;
	if (job->source == UPLOAD_SLIM)
		slim_elf_done(&job->slim);
	if (job->fd >= 0)
		close(job->fd);
	free(job->packed);
	free(job);
}

/* Reading the list takes some 100 ms, so it is done by the thread that sends it. */
static int pack_symbols(struct upload_job *job)
{
	SCOPED_FREE uint8_t *text = NULL;
	size_t text_bytes, packed_bytes;
	int r = kernel_symbols_text(NULL, &job->module, &text, &text_bytes);

	if (r == 0)
		r = compress_bytes(text, text_bytes, PACK_LEVEL, &job->packed, &packed_bytes);
	if (r == 0)
		job->byte_count = packed_bytes;
	return r;
}

static ssize_t read_whole(struct upload_job *job, void *bytes, size_t byte_count)
{
	ssize_t got;

	if (job->offset >= job->byte_count)
		return 0;
	if (byte_count > job->byte_count - job->offset)
		byte_count = (size_t)(job->byte_count - job->offset);
	got = pread(job->fd, bytes, byte_count, (off_t)job->offset);
	if (got < 0)
		return -errno;
	/* What was promised can't be sent any more. */
	return got == 0 ? -EBADMSG : got;
}

static ssize_t read_symbols(struct upload_job *job, void *bytes, size_t byte_count)
{
	int r = job->packed ? 0 : pack_symbols(job);

	if (r != 0)
		return r;
	if (byte_count > job->byte_count - job->offset)
		byte_count = (size_t)(job->byte_count - job->offset);
	memcpy(bytes, job->packed + job->offset, byte_count);
	return (ssize_t)byte_count;
}

static ssize_t read_some(struct upload_job *job, void *bytes, size_t byte_count)
{
	ssize_t got = -EINVAL;

	switch (job->source) {
	case UPLOAD_WHOLE:
		got = read_whole(job, bytes, byte_count);
		break;
	case UPLOAD_SLIM:
		got = slim_elf_read(&job->slim, bytes, byte_count);
		break;
	case UPLOAD_SYMBOLS:
		got = read_symbols(job, bytes, byte_count);
		break;
	}
	if (got > 0)
		job->offset += (uint64_t)got;
	return got;
}

ssize_t upload_job_read(struct upload_job *job, void *bytes, size_t byte_count)
{
	while (job->offset < job->resume_at) {
		uint64_t left = job->resume_at - job->offset;
		ssize_t got = read_some(job, bytes, left < byte_count ? (size_t)left : byte_count);

		/* It is shorter than it was. */
		if (got <= 0)
			return got < 0 ? got : -EBADMSG;
	}
	return read_some(job, bytes, byte_count);
}
