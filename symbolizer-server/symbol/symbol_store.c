/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/base/whole_io.h"
#include "store/log/log.h"
#include "symbolizer-server/symbol/symbolizer_state.h"

/* An index file as the cache reads it: chunk 0 is the header, the others follow in order. */
struct index_file {
	int fd;
	uint32_t chunk_count;
	uint64_t *offsets; /* chunk_count + 1 of them */
};

static int read_chunk(void *context, uint32_t chunk, uint8_t *ret_bytes, uint32_t *ret_byte_count)
{
	const struct index_file *file = context;
	uint64_t byte_count = file->offsets[chunk + 1] - file->offsets[chunk];

	*ret_byte_count = (uint32_t)byte_count;
	return whole_read_at(file->fd, file->offsets[chunk], ret_bytes, byte_count);
}

static int find_offsets(const struct symbol_index_header *header, struct index_file *file)
{
	SCOPED_FREE uint8_t *bytes = malloc(header->byte_count);
	int r;

	file->chunk_count = header->chunk_count + 1;
	file->offsets = calloc((size_t)file->chunk_count + 1, sizeof(*file->offsets));
	if (!bytes || !file->offsets)
		return -ENOMEM;
	r = whole_read_at(file->fd, 0, bytes, header->byte_count);
	if (r < 0)
		return r;
	file->offsets[1] = header->byte_count;
	for (uint32_t i = 0; i < header->chunk_count; i++)
		file->offsets[i + 2] =
			file->offsets[i + 1] + symbol_index_entry(bytes, i).byte_count;
	return 0;
}

static int store(struct symbolizer *symbolizer, const struct build_id *id,
	const struct sandbox_result *result)
{
	struct index_file file = {.fd = result->index_fd};
	int r = find_offsets(&result->header, &file);
	struct symbol_cache_index index = {
		.id = *id,
		.quality = (uint8_t)result->header.quality,
		.parser_version = result->header.parser_version,
		.chunk_count = file.chunk_count,
		.byte_count = result->header.total_bytes,
		.read = read_chunk,
		.context = &file,
	};

	if (r == 0)
		r = symbol_cache_store(symbolizer->cache, &index);
	free(file.offsets);
	return r;
}

/* Whether an index is to be stored. If so nobody else stores one of this module until
 * end_store: an upload and a fetch may end at the same time. */
static bool begin_store(struct symbolizer *symbolizer, struct module_record *module,
	const struct symbol_index_header *header)
{
	bool better;

	pthread_mutex_lock(&symbolizer->lock);
	while (module->storing)
		pthread_cond_wait(&symbolizer->changed, &symbolizer->lock);
	/* As good, and more of it: two files of the module laid over each other. */
	better = module->stale || header->quality > module->quality ||
		(header->quality == module->quality &&
			header->function_count > module->function_count);
	module->storing = better;
	pthread_mutex_unlock(&symbolizer->lock);
	return better;
}

static void end_store(struct symbolizer *symbolizer, struct module_record *module)
{
	pthread_mutex_lock(&symbolizer->lock);
	module->storing = false;
	pthread_cond_broadcast(&symbolizer->changed);
	pthread_mutex_unlock(&symbolizer->lock);
}

/* Makes a stored index known. */
static void publish(struct symbolizer *symbolizer, struct module_record *module,
	const struct symbol_index_header *header)
{
	bool had_names;

	pthread_mutex_lock(&symbolizer->lock);
	had_names = module->quality != SYMBOL_QUALITY_NONE;
	module_registry_set_index(
		&symbolizer->registry, module, header->quality, header->function_count, false);
	pthread_mutex_unlock(&symbolizer->lock);
	if (had_names)
		symbol_count(symbolizer, SYMBOL_COUNTER_INDEX_BETTERED, 1);
	atomic_fetch_add(&symbolizer->generation, 1);
}

static void log_outcome(const struct module_record *module,
	const struct symbol_file_request *request, const struct symbol_file_outcome *outcome)
{
	char id[BUILD_ID_TEXT_MAX];

	build_id_format(&request->id, id);
	if (outcome->error == -ECANCELED)
		return;
	if (outcome->error < 0) {
		log_warning(outcome->error, "symbols of %s (%s) from %s: ignoring the file",
			module->name, id, request->from);
	} else if (outcome->fault == SANDBOX_FAULT_NO_NAMES) {
		log_info("symbols of %s (%s) from %s: %s", module->name, id, request->from,
			sandbox_fault_text(outcome->fault));
	} else if (outcome->fault != SANDBOX_FAULT_NONE) {
		log_warning(0, "symbols of %s (%s) from %s: %s: ignoring the file", module->name,
			id, request->from, sandbox_fault_text(outcome->fault));
	} else if (outcome->dwarf_fault != SANDBOX_FAULT_NONE) {
		log_warning(0, "symbols of %s (%s) from %s: %s: ignoring its DWARF", module->name,
			id, request->from, sandbox_fault_text(outcome->dwarf_fault));
	} else {
		log_info("symbols of %s (%s) from %s: %s", module->name, id, request->from,
			symbol_quality_text(outcome->quality));
	}
}

static int run_parser(struct symbolizer *symbolizer, int fd, const struct sandbox_request *request,
	struct sandbox_result *ret_result)
{
	int r;

	while (sem_wait(&symbolizer->parsers) < 0)
		continue;
	r = sandbox_index(symbolizer->sandbox, fd, request, ret_result);
	sem_post(&symbolizer->parsers);
	return r;
}

/* A file that another one needs beside it; -1: it is not to be had. */
static int open_beside(struct symbolizer *symbolizer, const struct build_id *id, const char *name,
	enum symbol_file file)
{
	struct symbol_question question = {.id = *id, .file = file, .name = name};
	uint64_t byte_count;
	int fd = -1;

	return symbol_open_local(symbolizer, &question, &fd, &byte_count) < 0 ? -1 : fd;
}

/* Reads the file once more, with the supplementary file that it named, if that is to be had: from
 * this machine, or from where the file itself came. RESULT is then of both. */
static void parse_with_supplementary(struct symbolizer *symbolizer, int fd,
	const struct symbol_file_request *request, struct sandbox_request *sandbox_request,
	struct sandbox_result *result)
{
	const struct build_id *id = &result->supplementary_id;
	SCOPED_FD int local = open_beside(symbolizer, id, "", SYMBOL_FILE_DEBUGINFO);
	struct symbol_fetched fetched = {.fd = -1};
	struct sandbox_result whole;

	if (local < 0 && request->worker)
		symbol_fetch_beside(symbolizer, *request->worker, id, &fetched);
	sandbox_request->supplementary_fd = local >= 0 ? local : fetched.fd;
	if (sandbox_request->supplementary_fd >= 0 &&
		run_parser(symbolizer, fd, sandbox_request, &whole) == 0) {
		sandbox_result_done(result);
		*result = whole;
	}
	if (fetched.fd >= 0)
		symbolizer->source->release(symbolizer->source, &fetched);
}

static bool is_same_file(int one, int other)
{
	struct stat a, b;

	return fstat(one, &a) == 0 && fstat(other, &b) == 0 && a.st_dev == b.st_dev &&
		a.st_ino == b.st_ino;
}

/* What else this machine has of a module whose file FD is read; -1: nothing. */
static int open_companion(
	struct symbolizer *symbolizer, const struct build_id *id, const char *name, int fd)
{
	static const enum symbol_file files[] = {SYMBOL_FILE_EXECUTABLE, SYMBOL_FILE_DEBUGINFO};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		int companion = open_beside(symbolizer, id, name, files[i]);

		if (companion >= 0 && !is_same_file(companion, fd))
			return companion;
		if (companion >= 0)
			close(companion);
	}
	return -1;
}

/* With the companion; without it, if anything is wrong with the two together. */
static int run_with_companion(struct symbolizer *symbolizer, int fd,
	struct sandbox_request *request, struct sandbox_result *ret_result)
{
	struct sandbox_result alone;
	int r = run_parser(symbolizer, fd, request, ret_result);

	if (r < 0 || request->companion_fd <= 0 ||
		(ret_result->fault == SANDBOX_FAULT_NONE &&
			ret_result->dwarf_fault == SANDBOX_FAULT_NONE))
		return r;
	request->companion_fd = -1;
	r = run_parser(symbolizer, fd, request, &alone);
	sandbox_result_done(ret_result);
	if (r == 0)
		*ret_result = alone;
	return r;
}

/* Reads the file, and once more if it names a supplementary file that is there. */
static int parse(struct symbolizer *symbolizer, const struct module_record *module, int fd,
	const struct symbol_file_request *request, struct sandbox_result *ret_result)
{
	struct sandbox_request sandbox_request = {
		.input = request->what == SYMBOL_WHAT_KERNEL_SYMBOLS ? SANDBOX_INPUT_KERNEL_SYMBOLS
								     : SANDBOX_INPUT_ELF,
		.zstd = request->zstd,
		.id = request->id,
		.reduced = request->reduced,
		.folder_fd = symbolizer->folder_fd,
		.cancel_fd = symbolizer->cancel_fd,
	};
	SCOPED_FD int package = -1, companion = -1;
	int r;

	if (request->matched)
		sandbox_request.id = (struct build_id){.byte_count = 0};
	if (request->what == SYMBOL_WHAT_EXECUTABLE) {
		package = open_beside(symbolizer, &request->id, module->name, SYMBOL_FILE_PACKAGE);
		companion = open_companion(symbolizer, &request->id, module->name, fd);
	}
	sandbox_request.package_fd = package;
	sandbox_request.companion_fd = companion;
	r = run_with_companion(symbolizer, fd, &sandbox_request, ret_result);
	if (r == 0 && build_id_known(&ret_result->supplementary_id))
		parse_with_supplementary(symbolizer, fd, request, &sandbox_request, ret_result);
	return r;
}

int symbol_describe(struct symbolizer *symbolizer, int fd, const struct sandbox_request *request,
	enum sandbox_fault *ret_fault, struct file_facts *ret_facts)
{
	int r;

	while (sem_wait(&symbolizer->parsers) < 0)
		continue;
	r = sandbox_describe(symbolizer->sandbox, fd, request, ret_fault, ret_facts);
	sem_post(&symbolizer->parsers);
	return r;
}

static void count_result(struct symbolizer *symbolizer, const struct sandbox_result *result)
{
	if (result->fault == SANDBOX_FAULT_BAD_RESULT ||
		result->dwarf_fault == SANDBOX_FAULT_BAD_RESULT)
		symbol_count(symbolizer, SYMBOL_COUNTER_INDEX_REJECTED, 1);
	if (result->fault != SANDBOX_FAULT_NONE) {
		symbol_count(symbolizer, SYMBOL_COUNTER_FILES_FAILED, 1);
		return;
	}
	symbol_count(symbolizer, SYMBOL_COUNTER_INDEXED, 1);
	symbol_count(symbolizer, SYMBOL_COUNTER_INDEXED_FUNCTIONS, result->header.function_count);
}

static int keep_if_better(struct symbolizer *symbolizer, struct module_record *module,
	const struct build_id *id, const struct sandbox_result *result)
{
	int r;

	if (!begin_store(symbolizer, module, &result->header)) {
		symbol_count(symbolizer, SYMBOL_COUNTER_INDEX_UNUSED, 1);
		return 0;
	}
	symbol_count(symbolizer, SYMBOL_COUNTER_INDEX_OPEN, 1);
	r = store(symbolizer, id, result);
	symbol_count_less(symbolizer, SYMBOL_COUNTER_INDEX_OPEN, 1);
	symbol_count(
		symbolizer, r < 0 ? SYMBOL_COUNTER_INDEX_UNSTORED : SYMBOL_COUNTER_INDEX_STORED, 1);
	if (r == 0)
		publish(symbolizer, module, &result->header);
	end_store(symbolizer, module);
	return r;
}

/* With that file there will be more to read. */
static void note_supplementary(struct symbolizer *symbolizer, struct module_record *module,
	const struct build_id *supplementary_id)
{
	pthread_mutex_lock(&symbolizer->lock);
	module->supplementary_id = *supplementary_id;
	pthread_mutex_unlock(&symbolizer->lock);
}

struct symbol_file_outcome symbol_store_file(struct symbolizer *symbolizer,
	struct module_record *module, int fd, const struct symbol_file_request *request)
{
	struct symbol_file_outcome outcome = {0};
	struct sandbox_result result;

	symbol_count(symbolizer, SYMBOL_COUNTER_FILES_READ, 1);
	symbol_count(symbolizer, SYMBOL_COUNTER_FILES_OPEN, 1);
	outcome.error = parse(symbolizer, module, fd, request, &result);
	symbol_count_less(symbolizer, SYMBOL_COUNTER_FILES_OPEN, 1);
	if (outcome.error < 0) {
		symbol_count(symbolizer, SYMBOL_COUNTER_FILES_FAILED, 1);
		log_outcome(module, request, &outcome);
		return outcome;
	}
	count_result(symbolizer, &result);
	outcome.fault = result.fault;
	outcome.dwarf_fault = result.dwarf_fault;
	note_supplementary(symbolizer, module, &result.supplementary_id);
	if (result.fault == SANDBOX_FAULT_NONE) {
		outcome.quality = result.header.quality;
		outcome.error = keep_if_better(symbolizer, module, &request->id, &result);
	}
	sandbox_result_done(&result);
	log_outcome(module, request, &outcome);
	return outcome;
}
