/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/base/clock.h"
#include "store/base/nameless_file.h"
#include "store/base/whole_io.h"
#include "symbolizer-server/sandbox/sandbox_launch.h"

/* 630 MB of DWARF need a quarter of that. */
#define MEMORY_BYTES_DEFAULT (UINT64_C(2) << 30)
/* The same takes some ten seconds on one core. */
#define CPU_SECONDS_DEFAULT 120
#define WALL_NS_DEFAULT (UINT64_C(300) * NS_PER_S)
/* Hundreds of megabytes of names are those of no program that anybody runs. */
#define INDEX_BYTES_DEFAULT (UINT64_C(512) << 20)
#define UNPACKED_BYTES_MAX (UINT64_C(4) << 30)
#define ARGUMENT_BYTES_MAX 24

int sandbox_init(struct sandbox *sandbox)
{
	const char *path;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		path = (const char *)getauxval(AT_EXECFN);
		fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	}
	if (fd < 0)
		return -errno;
	*sandbox = (struct sandbox){
		.binary_fd = fd,
		.memory_bytes_max = MEMORY_BYTES_DEFAULT,
		.cpu_seconds_max = CPU_SECONDS_DEFAULT,
		.wall_ns_max = WALL_NS_DEFAULT,
		.index_bytes_max = INDEX_BYTES_DEFAULT,
	};
	return 0;
}

void sandbox_done(struct sandbox *sandbox)
{
	if (sandbox->binary_fd > 0)
		close(sandbox->binary_fd);
	*sandbox = (struct sandbox){.binary_fd = -1};
}

static enum sandbox_fault fault_of_end(const struct launch_result *ended)
{
	if (ended->end == LAUNCH_TIMED_OUT)
		return SANDBOX_FAULT_TIMED_OUT;
	if (ended->end == LAUNCH_EXITED)
		return sandbox_fault_of_status(ended->value);
	if (ended->value == SIGXCPU)
		return SANDBOX_FAULT_CPU;
	return ended->value == SIGSYS ? SANDBOX_FAULT_FORBIDDEN : SANDBOX_FAULT_CRASHED;
}

/* What the parser is told to do, and the most that it may write. */
struct deed {
	const char *name;
	uint64_t file_bytes_max;
};

static const char *deed_of(const struct sandbox_request *request)
{
	if (request->input == SANDBOX_INPUT_KERNEL_SYMBOLS)
		return "kernel";
	return request->tables_only ? "tables" : "elf";
}

/* What a run writes. */
struct outputs {
	int index_fd;
	int report_fd;
	int scratch_fd;
};

static void close_outputs(struct outputs *outputs)
{
	cleanup_fd(&outputs->index_fd);
	cleanup_fd(&outputs->report_fd);
	cleanup_fd(&outputs->scratch_fd);
}

static int open_outputs(int folder_fd, struct outputs *ret_outputs)
{
	struct outputs outputs = {.index_fd = nameless_file_open(folder_fd),
		.report_fd = nameless_file_open(folder_fd),
		.scratch_fd = nameless_file_open(folder_fd)};
	int r = outputs.index_fd < 0	? outputs.index_fd
		: outputs.report_fd < 0 ? outputs.report_fd
					: (outputs.scratch_fd < 0 ? outputs.scratch_fd : 0);

	if (r < 0)
		close_outputs(&outputs);
	else
		*ret_outputs = outputs;
	return r;
}

/* Supplementary file, package, companion. */
#define OTHER_COUNT 3

/* Adds the other files of REQUEST to the descriptors of a run; gives the argument that says which
 * they are. */
static void add_others(struct launch_request *launch, const struct sandbox_request *request,
	char ret_text[OTHER_COUNT + 1])
{
	const struct {
		int fd;
		char letter;
	} others[OTHER_COUNT] = {
		{request->supplementary_fd, 's'},
		{request->package_fd, 'p'},
		{request->companion_fd, 'c'},
	};
	size_t count = 0;

	for (size_t i = 0; i < OTHER_COUNT; i++) {
		if (others[i].fd <= 0)
			continue;
		launch->fds[launch->fd_count++] = others[i].fd;
		ret_text[count++] = others[i].letter;
	}
	if (count == 0)
		ret_text[count++] = '-';
	ret_text[count] = '\0';
}

/* One run on one file. */
static int run(struct sandbox *sandbox, int input_fd, const struct sandbox_request *request,
	struct deed deed, const struct outputs *outputs, enum sandbox_fault *ret_fault)
{
	char id[BUILD_ID_TEXT_MAX], memory[ARGUMENT_BYTES_MAX], cpu[ARGUMENT_BYTES_MAX];
	char file_bytes[ARGUMENT_BYTES_MAX], others[OTHER_COUNT + 1];
	char *arguments[] = {(char[]){"cairn-server"}, (char[]){SANDBOX_VERB}, strdupa(deed.name),
		id, request->reduced ? (char[]){"reduced"} : (char[]){"exact"}, memory, cpu,
		file_bytes, others, NULL};
	struct launch_request launch = {
		.binary_fd = sandbox->binary_fd,
		.arguments = arguments,
		.fds = {input_fd, outputs->index_fd, outputs->report_fd, outputs->scratch_fd},
		.fd_count = 4,
		.wall_ns_max = sandbox->wall_ns_max,
		.cancel_fd = request->cancel_fd,
	};
	struct launch_result ended;
	int r;

	build_id_format(&request->id, id);
	if (!*id)
		memcpy(id, "-", 2);
	snprintf(memory, sizeof(memory), "%" PRIu64, sandbox->memory_bytes_max);
	snprintf(cpu, sizeof(cpu), "%" PRIu64, sandbox->cpu_seconds_max);
	snprintf(file_bytes, sizeof(file_bytes), "%" PRIu64, deed.file_bytes_max);
	add_others(&launch, request, others);
	/* The run shares the position of the file with us. */
	if (lseek(input_fd, 0, SEEK_SET) < 0)
		return -errno;
	r = launch_run(&launch, &ended);
	if (r == 0)
		*ret_fault = fault_of_end(&ended);
	return r;
}

static int read_header(int fd, uint8_t *bytes, struct symbol_index_header *ret_header)
{
	struct symbol_index_header header = {0};
	uint32_t byte_count = 0;
	struct stat stat;
	int r = whole_read_at(fd, 0, bytes, SYMBOL_HEADER_BYTES);

	if (r == 0)
		r = symbol_index_header_length(bytes, SYMBOL_HEADER_BYTES, &byte_count);
	if (r == 0)
		r = whole_read_at(fd, 0, bytes, byte_count);
	if (r == 0)
		r = symbol_index_read_header(bytes, byte_count, &header);
	if (r < 0)
		return r;
	if (fstat(fd, &stat) < 0)
		return -errno;
	if ((uint64_t)stat.st_size != header.total_bytes || header.function_count == 0 ||
		header.parser_version != SYMBOL_INDEX_PARSER_VERSION)
		return -EBADMSG;
	*ret_header = header;
	return 0;
}

/* The parser was at the mercy of a foreign file, so every byte that it wrote is foreign, too. */
static int check_result(int fd, struct symbol_index_header *ret_header)
{
	SCOPED_FREE uint8_t *head = malloc(SYMBOL_CHUNK_BYTES_MAX);
	SCOPED_FREE uint8_t *chunk = malloc(SYMBOL_CHUNK_BYTES_MAX);
	struct symbol_index_header header = {0};
	uint64_t offset, function_count = 0;
	int r;

	if (!head || !chunk)
		return -ENOMEM;
	r = read_header(fd, head, &header);
	if (r < 0)
		return r;
	offset = header.byte_count;
	for (uint32_t i = 0; r == 0 && i < header.chunk_count; i++) {
		struct symbol_index_entry entry = symbol_index_entry(head, i);
		uint32_t count = 0;

		r = whole_read_at(fd, offset, chunk, entry.byte_count);
		if (r == 0)
			r = symbol_index_check_chunk(&header, &entry, chunk, &count);
		function_count += count;
		offset += entry.byte_count;
	}
	if (r == 0 && function_count != header.function_count)
		r = -EBADMSG;
	if (r == 0)
		*ret_header = header;
	return r;
}

/* What the run said of files that it lacked. A report that says nothing, or nonsense, says that
 * nothing is missing. */
static void take_report(int report_fd, struct sandbox_result *result)
{
	struct sandbox_report report = {0};

	if (whole_read_at(report_fd, 0, &report, sizeof(report)) < 0 ||
		report.supplementary_bytes > sizeof(report.supplementary))
		return;
	if (report.supplementary_bytes > 0) {
		result->dwarf_fault = SANDBOX_FAULT_NO_SUPPLEMENTARY;
		result->supplementary_id = (struct build_id){
			.kind = BUILD_ID_GNU, .byte_count = report.supplementary_bytes};
		memcpy(result->supplementary_id.bytes, report.supplementary,
			report.supplementary_bytes);
	}
	if (report.package_missing)
		result->dwarf_fault = SANDBOX_FAULT_NO_PACKAGE;
}

/* Takes the index out of OUTPUTS if it keeps every rule. */
static int take_index(
	const struct sandbox *sandbox, struct outputs *outputs, struct sandbox_result *result)
{
	int r = check_result(outputs->index_fd, &result->header);

	if (r == 0 && result->header.total_bytes > sandbox->index_bytes_max)
		r = -EBADMSG;
	if (r == 0) {
		result->index_fd = TAKE_FD(outputs->index_fd);
		take_report(outputs->report_fd, result);
	} else if (r == -EBADMSG || r == -ENOTSUP) {
		result->fault = SANDBOX_FAULT_BAD_RESULT;
		r = 0;
	}
	return r;
}

static int index_once(struct sandbox *sandbox, int input_fd, const struct sandbox_request *request,
	struct sandbox_result *ret_result)
{
	struct sandbox_result result = {.index_fd = -1};
	struct deed deed = {deed_of(request), sandbox->index_bytes_max};
	struct outputs outputs;
	int r = open_outputs(request->folder_fd, &outputs);

	if (r < 0)
		return r;
	r = run(sandbox, input_fd, request, deed, &outputs, &result.fault);
	if (r == 0 && result.fault == SANDBOX_FAULT_NONE)
		r = take_index(sandbox, &outputs, &result);
	close_outputs(&outputs);
	if (r < 0)
		return r;
	*ret_result = result;
	return 0;
}

/* Whether the symbol tables alone may succeed where the whole file did not. */
static bool worth_another_run(const struct sandbox_request *request, enum sandbox_fault fault)
{
	if (request->input != SANDBOX_INPUT_ELF || request->tables_only)
		return false;
	return fault == SANDBOX_FAULT_CRASHED || fault == SANDBOX_FAULT_FORBIDDEN ||
		fault == SANDBOX_FAULT_TIMED_OUT || fault == SANDBOX_FAULT_CPU ||
		fault == SANDBOX_FAULT_MEMORY || fault == SANDBOX_FAULT_WRITE ||
		fault == SANDBOX_FAULT_BAD_RESULT;
}

static int index_plain(struct sandbox *sandbox, int input_fd, const struct sandbox_request *request,
	struct sandbox_result *ret_result)
{
	struct sandbox_request again = *request;
	struct sandbox_result result, second;
	int r = index_once(sandbox, input_fd, request, &result);

	if (r < 0)
		return r;
	if (worth_another_run(request, result.fault)) {
		again.tables_only = true;
		r = index_once(sandbox, input_fd, &again, &second);
		if (r == 0 && second.fault == SANDBOX_FAULT_NONE) {
			second.dwarf_fault = result.fault;
			result = second;
		}
	}
	*ret_result = result;
	return 0;
}

int sandbox_index(struct sandbox *sandbox, int input_fd, const struct sandbox_request *request,
	struct sandbox_result *ret_result)
{
	enum sandbox_fault fault = SANDBOX_FAULT_INTERNAL;
	struct outputs outputs;
	int r;

	if (!request->zstd)
		return index_plain(sandbox, input_fd, request, ret_result);
	r = open_outputs(request->folder_fd, &outputs);
	if (r < 0)
		return r;
	r = run(sandbox, input_fd, request, (struct deed){"unpack", UNPACKED_BYTES_MAX}, &outputs,
		&fault);
	if (r == 0 && fault != SANDBOX_FAULT_NONE)
		*ret_result = (struct sandbox_result){.fault = fault, .index_fd = -1};
	else if (r == 0)
		r = index_plain(sandbox, outputs.index_fd, request, ret_result);
	close_outputs(&outputs);
	return r;
}

void sandbox_result_done(struct sandbox_result *result)
{
	if (result->index_fd >= 0)
		close(result->index_fd);
	*result = (struct sandbox_result){.index_fd = -1};
}

int sandbox_describe(struct sandbox *sandbox, int input_fd, const struct sandbox_request *request,
	enum sandbox_fault *ret_fault, struct file_facts *ret_facts)
{
	enum sandbox_fault fault = SANDBOX_FAULT_INTERNAL;
	uint8_t bytes[FILE_FACTS_BYTES];
	struct outputs outputs;
	struct file_facts facts = {0};
	int r = open_outputs(request->folder_fd, &outputs);

	if (r < 0)
		return r;
	r = run(sandbox, input_fd, request, (struct deed){"facts", FILE_FACTS_BYTES}, &outputs,
		&fault);
	if (r == 0 && fault == SANDBOX_FAULT_NONE) {
		r = whole_read_at(outputs.index_fd, 0, bytes, sizeof(bytes));
		if (r == 0)
			r = file_facts_decode(bytes, sizeof(bytes), &facts);
		if (r == -EBADMSG)
			fault = SANDBOX_FAULT_BAD_RESULT;
	}
	close_outputs(&outputs);
	if (r < 0 && r != -EBADMSG)
		return r;
	if (fault == SANDBOX_FAULT_NONE)
		*ret_facts = facts;
	*ret_fault = fault;
	return 0;
}

int sandbox_run_self(struct sandbox *sandbox, char *const arguments[], int *ret_exit_status)
{
	char *argv[8] = {(char[]){"cairn-server"}};
	/* /dev may not be there. */
	SCOPED_FD int nothing = memfd_create("nothing", MFD_CLOEXEC);
	struct launch_request launch = {
		.binary_fd = sandbox->binary_fd,
		.arguments = argv,
		.fds = {nothing, nothing, nothing},
		.fd_count = 3,
		.wall_ns_max = sandbox->wall_ns_max,
	};
	struct launch_result ended;
	size_t count = 0;
	int r;

	if (nothing < 0)
		return -errno;
	for (; arguments[count]; count++) {
		if (count + 2 >= sizeof(argv) / sizeof(argv[0]))
			return -E2BIG;
		argv[count + 1] = arguments[count];
	}
	r = launch_run(&launch, &ended);
	if (r < 0)
		return r;
	if (ended.end == LAUNCH_TIMED_OUT)
		return -ETIMEDOUT;
	if (ended.end == LAUNCH_KILLED)
		return -ECHILD;
	*ret_exit_status = ended.value;
	return 0;
}
