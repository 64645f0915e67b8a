/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/work_dir.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/check.h"

#define PATH_BYTES 512
#define COMMAND_BYTES 8192
#define OUTPUT_BYTES_MAX ((size_t)64 << 20)
#define DEPTH_MAX 16

static char folder[PATH_BYTES];
static pid_t owner;

static int remove_one(const char *path, const struct stat *stat, int kind, struct FTW *where)
{
	(void)stat;
	(void)kind;
	(void)where;
	return remove(path);
}

static void remove_folder(void)
{
	if (getpid() == owner)
		nftw(folder, remove_one, DEPTH_MAX, FTW_DEPTH | FTW_PHYS);
}

const char *work_dir(void)
{
	const char *base = getenv("TMPDIR");

	if (folder[0])
		return folder;
	snprintf(folder, sizeof(folder), "%s/cairn-test-XXXXXX", base && *base ? base : "/tmp");
	CHECK(mkdtemp(folder));
	owner = getpid();
	CHECK(atexit(remove_folder) == 0);
	return folder;
}

const char *work_path(const char *format, ...)
{
	static char paths[16][2 * PATH_BYTES];
	static unsigned turn;
	char *path = paths[turn++ % 16];
	int length = snprintf(path, sizeof(paths[0]), "%s/", work_dir());
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(path + length, sizeof(paths[0]) - (size_t)length, format, arguments);
	va_end(arguments);
	return path;
}

__attribute__((format(printf, 2, 0))) static void make_command(
	char *command, const char *format, va_list arguments)
{
	int length = snprintf(command, COMMAND_BYTES, "cd '%s' && ", work_dir());
	int more = vsnprintf(
		command + length, (size_t)COMMAND_BYTES - (size_t)length, format, arguments);

	CHECK(more >= 0 && length + more < COMMAND_BYTES);
}

static int run(const char *command)
{
	int status = system(command); /* NOLINT(cert-env33-c): the test's own command */

	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void work_run(const char *format, ...)
{
	char command[COMMAND_BYTES];
	va_list arguments;
	int status;

	va_start(arguments, format);
	make_command(command, format, arguments);
	va_end(arguments);
	status = run(command);
	if (status != 0)
		fprintf(stderr, "exit status %d: %s\n", status, command);
	CHECK(status == 0);
}

int work_try(const char *format, ...)
{
	char command[COMMAND_BYTES];
	va_list arguments;

	va_start(arguments, format);
	make_command(command, format, arguments);
	va_end(arguments);
	return run(command);
}

char *work_output(const char *format, ...)
{
	char command[COMMAND_BYTES];
	va_list arguments;
	FILE *from;
	char *text = malloc(OUTPUT_BYTES_MAX);
	size_t length;
	int status;

	va_start(arguments, format);
	make_command(command, format, arguments);
	va_end(arguments);
	CHECK(text);
	from = popen(command, "r"); /* NOLINT(cert-env33-c): the test's own command */
	CHECK(from);
	length = fread(text, 1, OUTPUT_BYTES_MAX - 1, from);
	status = pclose(from);
	if (status != 0)
		fprintf(stderr, "status %d: %s\n", status, command);
	CHECK(status == 0);
	while (length > 0 && text[length - 1] == '\n')
		length--;
	text[length] = '\0';
	text = realloc(text, length + 1);
	CHECK(text);
	return text;
}

void work_write(const char *name, const void *bytes, size_t byte_count)
{
	FILE *to = fopen(work_path("%s", name), "wb");

	CHECK(to);
	CHECK(fwrite(bytes, 1, byte_count, to) == byte_count);
	CHECK(fclose(to) == 0);
}

void work_write_text(const char *name, const char *text)
{
	work_write(name, text, strlen(text));
}

uint8_t *work_read(const char *name, size_t *ret_byte_count)
{
	FILE *from = fopen(work_path("%s", name), "rb");
	uint8_t *bytes = malloc(OUTPUT_BYTES_MAX);

	CHECK(from && bytes);
	*ret_byte_count = fread(bytes, 1, OUTPUT_BYTES_MAX, from);
	CHECK(*ret_byte_count < OUTPUT_BYTES_MAX);
	(void)fclose(from);
	return bytes;
}

int work_open(const char *name)
{
	int fd = open(work_path("%s", name), O_RDONLY | O_CLOEXEC);

	CHECK(fd >= 0);
	return fd;
}
