/* SPDX-License-Identifier: Apache-2.0 */
/* The run that parses: sandbox_main of sandbox.h.
 *
 * Arguments behind the verb: what to do (elf, tables, kernel, unpack, facts), the build-ID as text or `-`,
 * `exact` or `reduced`, the limits (bytes of memory, seconds of CPU, bytes of the result), and which
 * other files there are to read: `-`, `s`, `p`, `sp` for a supplementary file and a package.
 * Descriptor 0 is the file to read, 1 the result to write, 2 the report, 3 a file to unpack sections
 * into; then come the other files, and there is nothing else. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/base/compress.h"
#include "store/base/whole_io.h"
#include "symbolizer-server/sandbox/file_index.h"
#include "symbolizer-server/sandbox/file_open.h"
#include "symbolizer-server/sandbox/sandbox.h"
#include "symbolizer-server/sandbox/sandbox_confine.h"

#define ARGUMENT_COUNT 9
#define REPORT_FD 2
#define SCRATCH_FD 3
#define OTHER_FD 4 /* the first of the other files */

struct task {
	struct sandbox_request request;
	bool unpack;
	bool describe;
	uint64_t result_bytes_max;
	struct confinement confinement;
};

static bool parse_number(const char *text, uint64_t *ret_value)
{
	char *end;

	errno = 0;
	*ret_value = strtoull(text, &end, 10);
	return errno == 0 && end != text && *end == '\0';
}

static bool parse_deed(const char *text, struct task *task)
{
	if (strcmp(text, "unpack") == 0) {
		task->unpack = true;
		return true;
	}
	if (strcmp(text, "facts") == 0) {
		task->describe = true;
		return true;
	}
	task->request.tables_only = strcmp(text, "tables") == 0;
	task->request.input =
		strcmp(text, "kernel") == 0 ? SANDBOX_INPUT_KERNEL_SYMBOLS : SANDBOX_INPUT_ELF;
	return task->request.tables_only || strcmp(text, "kernel") == 0 || strcmp(text, "elf") == 0;
}

static bool parse_others(const char *text, struct task *task)
{
	int next = OTHER_FD;

	task->request.scratch_fd = SCRATCH_FD;
	if (*text == 's') {
		task->request.supplementary_fd = next++;
		text++;
	}
	if (*text == 'p') {
		task->request.package_fd = next++;
		text++;
	}
	if (*text == 'c') {
		task->request.companion_fd = next++;
		text++;
	}
	/* What the parent did not mean to give is not here. */
	return (*text == '\0' || strcmp(text, "-") == 0) &&
		close_range((unsigned)next, ~0U, 0) == 0;
}

static bool parse_arguments(int argc, char **argv, struct task *task)
{
	if (argc != ARGUMENT_COUNT || !parse_deed(argv[2], task))
		return false;
	if (strcmp(argv[3], "-") != 0 &&
		build_id_parse(argv[3], strlen(argv[3]), &task->request.id) < 0)
		return false;
	task->request.reduced = strcmp(argv[4], "reduced") == 0;
	return parse_number(argv[5], &task->confinement.memory_bytes_max) &&
		parse_number(argv[6], &task->confinement.cpu_seconds_max) &&
		parse_number(argv[7], &task->result_bytes_max) && parse_others(argv[8], task);
}

/* What the parent had set for itself: blocked and ignored signals outlive an exec. */
static void reset_signals(void)
{
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL); /* NOLINT(concurrency-mt-unsafe): one thread */
	/* A file that grows too large is an error of write. */
	signal(SIGXFSZ, SIG_IGN);
}

static enum sandbox_fault write_result(int fd, const void *bytes, size_t byte_count)
{
	return whole_write(fd, bytes, byte_count) < 0 ? SANDBOX_FAULT_WRITE : SANDBOX_FAULT_NONE;
}

static enum sandbox_fault write_report(const struct dwarf_missing *missing)
{
	struct sandbox_report report = {
		.package_missing = missing->package,
		.supplementary_bytes = missing->supplementary.byte_count,
	};

	memcpy(report.supplementary, missing->supplementary.bytes, sizeof(report.supplementary));
	return write_result(REPORT_FD, &report, sizeof(report));
}

static enum sandbox_fault unpack(const struct task *task)
{
	int r = decompress_file(STDIN_FILENO, STDOUT_FILENO, task->result_bytes_max);

	switch (r) {
	case 0:
		return SANDBOX_FAULT_NONE;
	case -EBADMSG:
	case -EFBIG:
		return SANDBOX_FAULT_NOT_COMPRESSED;
	case -ENOMEM:
		return SANDBOX_FAULT_MEMORY;
	default:
		return SANDBOX_FAULT_WRITE;
	}
}

static enum sandbox_fault describe(const struct task *task)
{
	uint8_t bytes[FILE_FACTS_BYTES];
	struct file_facts facts;
	enum sandbox_fault fault = file_describe(STDIN_FILENO, &task->request, &facts);

	if (fault != SANDBOX_FAULT_NONE)
		return fault;
	file_facts_encode(&facts, bytes);
	return write_result(STDOUT_FILENO, bytes, sizeof(bytes));
}

static enum sandbox_fault index_file(const struct task *task)
{
	struct dwarf_missing missing = {0};
	uint8_t *bytes = NULL;
	size_t byte_count = 0;
	enum sandbox_fault fault = file_index(STDIN_FILENO, &task->request, task->result_bytes_max,
		&bytes, &byte_count, &missing);

	if (fault == SANDBOX_FAULT_NONE)
		fault = write_result(STDOUT_FILENO, bytes, byte_count);
	if (fault == SANDBOX_FAULT_NONE)
		fault = write_report(&missing);
	free(bytes);
	return fault;
}

int sandbox_main(int argc, char **argv)
{
	struct task task = {.confinement.file_bytes_max = SANDBOX_SCRATCH_BYTES_MAX};
	enum sandbox_fault fault;

	/* The parent has seen to both already; a mistake there must not reach the parser. */
	clearenv(); /* NOLINT(concurrency-mt-unsafe): one thread */
	reset_signals();
	if (!parse_arguments(argc, argv, &task) || sandbox_confine(&task.confinement) < 0)
		_exit(SANDBOX_FAULT_INTERNAL);
	if (task.unpack)
		fault = unpack(&task);
	else
		fault = task.describe ? describe(&task) : index_file(&task);
	/* At once: exit handlers of libraries have no business here. */
	_exit((int)fault);
}
