/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/cli/import_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/base/bytes.h"
#include "store/base/cleanup.h"
#include "store/base/fault.h"

#define CHUNK_BYTES ((size_t)64 << 10)
/* What a file of `perf record` begins with. */
#define PERF_MAGIC "PERFILE2"
/* What shells say of a program that is not there. */
#define STATUS_NOT_FOUND 127

/* Appends what FD gives, to its end. */
static int read_all(int fd, struct bytes_writer *writer)
{
	SCOPED_FREE uint8_t *chunk = malloc(CHUNK_BYTES);
	ssize_t got;

	if (!chunk)
		return -ENOMEM;
	while ((got = read(fd, chunk, CHUNK_BYTES)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		bytes_write_span(writer, chunk, (size_t)got);
		if (bytes_writer_fault(writer) < 0)
			return bytes_writer_fault(writer);
	}
	return 0;
}

static int explain(int error, char *ret_error)
{
	if (error == -ENOMEM)
		return error;
	if (error == -EFBIG) {
		snprintf(ret_error, IMPORT_ERROR_BYTES_MAX,
			"larger than the %zu MiB that the server takes at a time: import a shorter "
			"recording, or fold it before (one line a stack)",
			IMPORT_BYTES_MAX >> 20);
	} else {
		snprintf(ret_error, IMPORT_ERROR_BYTES_MAX, "%s", fault_text(error));
	}
	return -EIO;
}

/* ---- perf ---- */

/* Standard output goes to FD. */
static int spawn_perf(const char *perf, const char *path, int fd, pid_t *ret_pid)
{
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (pid > 0) {
		*ret_pid = pid;
		return 0;
	}
	/* Its default fields, and the process beside the thread. */
	if (dup2(fd, STDOUT_FILENO) >= 0)
		execlp(perf, perf, "script", "-i", path, "-F", "+pid", (char *)NULL);
	_exit(errno == ENOENT ? STATUS_NOT_FOUND : 1);
}

static int wait_perf(const char *perf, pid_t pid, char *ret_error)
{
	int status;
	pid_t waited;

	do {
		waited = waitpid(pid, &status, 0);
	} while (waited < 0 && errno == EINTR);
	if (waited == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (waited == pid && WIFEXITED(status) && WEXITSTATUS(status) == STATUS_NOT_FOUND) {
		snprintf(ret_error, IMPORT_ERROR_BYTES_MAX,
			"a recording of perf is read by `perf script`, and perf is not installed: "
			"its package is linux-perf (Debian), linux-tools-generic (Ubuntu) or perf; "
			"or, where it was recorded: perf script -F +pid > FILE");
		return -EIO;
	}
	snprintf(ret_error, IMPORT_ERROR_BYTES_MAX,
		"%s script failed: the lines above say why; it must be as new as the perf that "
		"recorded",
		perf);
	return -EIO;
}

/* Reads FROM and closes it: without a reader a perf that goes on writing ends. */
static int read_pipe(int from, struct bytes_writer *writer)
{
	int r = read_all(from, writer);

	close(from);
	return r;
}

static int read_perf(
	const char *path, const char *perf, struct bytes_writer *writer, char *ret_error)
{
	pid_t pid = 0;
	int ends[2], r, waited;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return explain(-errno, ret_error);
	r = spawn_perf(perf, path, ends[1], &pid);
	close(ends[1]);
	if (r < 0) {
		close(ends[0]);
		return explain(r, ret_error);
	}
	r = read_pipe(ends[0], writer);
	waited = wait_perf(perf, pid, ret_error);
	return r < 0 ? explain(r, ret_error) : waited;
}

/* ---- Sources ---- */

static bool is_perf(const struct bytes_writer *writer)
{
	return writer->byte_count >= strlen(PERF_MAGIC) &&
		memcmp(writer->bytes, PERF_MAGIC, strlen(PERF_MAGIC)) == 0;
}

/* The first bytes tell what it is before the rest is read: recordings of perf may be large. */
static int read_begin(int fd, struct bytes_writer *writer)
{
	uint8_t begin[sizeof(PERF_MAGIC) - 1];
	ssize_t got;

	do {
		got = read(fd, begin, sizeof(begin));
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	bytes_write_span(writer, begin, (size_t)got);
	return bytes_writer_fault(writer);
}

static int read_source(int fd, const char *path, const char *perf, struct bytes_writer *writer,
	const char **ret_format, char *ret_error)
{
	int r = read_begin(fd, writer);

	*ret_format = NULL;
	if (r == 0 && is_perf(writer)) {
		if (strcmp(path, "-") == 0) {
			snprintf(ret_error, IMPORT_ERROR_BYTES_MAX,
				"a recording of perf must be named, not piped: perf script goes "
				"back and forth in it");
			return -EIO;
		}
		bytes_writer_reset(writer);
		*ret_format = "perf_script";
		return read_perf(path, perf, writer, ret_error);
	}
	if (r == 0)
		r = read_all(fd, writer);
	return r < 0 ? explain(r, ret_error) : 0;
}

int import_source_read(const char *path, const char *perf, struct import_source *ret_source,
	char ret_error[IMPORT_ERROR_BYTES_MAX])
{
	bool is_input = strcmp(path, "-") == 0;
	SCOPED_FD int opened = is_input ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	struct bytes_writer writer;
	const char *format;
	int r;

	if (!is_input && opened < 0)
		return explain(-errno, ret_error);
	bytes_writer_init(&writer, IMPORT_BYTES_MAX);
	r = read_source(is_input ? STDIN_FILENO : opened, path, perf, &writer, &format, ret_error);
	if (r < 0) {
		bytes_writer_done(&writer);
		return r;
	}
	ret_source->bytes = bytes_writer_take(&writer, &ret_source->byte_count);
	ret_source->format = format;
	return 0;
}

void import_source_done(struct import_source *source)
{
	free(source->bytes);
	*source = (struct import_source){.bytes = NULL};
}

static bool is_name_byte(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
		(byte >= '0' && byte <= '9') || byte == '_' || byte == '-';
}

void import_source_name(const char *path, char ret_name[IMPORT_NAME_BYTES_MAX])
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	size_t length = 0;

	if (strcmp(path, "-") == 0)
		base = "standard-input";
	/* A file that begins with a dot is hidden, not without a name. */
	while (*base == '.')
		base++;
	for (; *base && *base != '.' && length < IMPORT_NAME_BYTES_MAX - 1; base++)
		ret_name[length++] = (char)(is_name_byte(*base) ? *base : '_');
	if (length == 0)
		ret_name[length++] = '_';
	ret_name[length] = '\0';
}
