/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/file_index.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/base/whole_io.h"
#include "symbolizer-server/sandbox/code_map.h"
#include "symbolizer-server/sandbox/dwarf_read.h"
#include "symbolizer-server/sandbox/elf_symbols.h"
#include "symbolizer-server/sandbox/file_open.h"
#include "symbolizer-server/sandbox/go_lines.h"
#include "symbolizer-server/sandbox/go_names.h"
#include "symbolizer-server/sandbox/index_writer.h"
#include "symbolizer-server/sandbox/kernel_text.h"
#include "symbolizer-server/sandbox/mini_debug.h"
#include "symbolizer-server/sandbox/object_image.h"
#include "symbolizer-server/sandbox/plt_names.h"
#include "symbolizer-server/sandbox/symbol_segment.h"

#define KERNEL_TEXT_BYTES_MAX ((size_t)256 << 20)

/* What reading gave so far. */
struct sources {
	struct string_table strings;
	struct code_ranges code;
	struct function_list functions;
	struct code_map calls; /* filled and resolved only where there is debug information */
	struct symbol_segments segments; /* none where addresses are not those of the file */
	enum symbol_quality quality;
	struct dwarf_missing missing;
};

/* Lays a list under what is there already; its quality counts if nothing better was found. */
static int take(struct sources *sources, struct function_list *list, enum symbol_quality quality)
{
	int r = function_list_overlay(&sources->functions, list);

	if (r == 0 && list->count > 0 && quality > sources->quality)
		sources->quality = quality;
	return r;
}

/* A damaged or absent source is left out: the next one may do. */
static bool survivable(int error)
{
	return error == -ENOENT || error == -EBADMSG || error == -ENOTSUP;
}

/* What was read before the damage is no whole: without its functions the map is worth nothing. */
static int forget_map(struct sources *sources)
{
	code_map_done(&sources->calls);
	return code_map_init(&sources->calls);
}

static int read_dwarf(
	const struct dwarf_source *from, const struct function_list *table, struct sources *sources)
{
	struct function_list list = {0};
	const struct dwarf_target target = {
		.code = &sources->code,
		.table = table,
		.strings = &sources->strings,
		.functions = &list,
		.map = &sources->calls,
	};
	int r = dwarf_read(from, &target, &sources->missing);

	if (r == 0)
		r = function_list_resolve(&list);
	if (r == 0)
		r = take(sources, &list, SYMBOL_QUALITY_DWARF);
	if (r == 0)
		r = code_map_resolve(&sources->calls);
	else if (survivable(r))
		r = forget_map(sources);
	function_list_done(&list);
	return r;
}

/* Lays what a reader gave under the rest, whatever became of it. */
static int take_read(
	struct sources *sources, int read, struct function_list *list, enum symbol_quality quality)
{
	int r = read == 0 ? take(sources, list, quality) : read;

	function_list_done(list);
	return survivable(r) ? 0 : r;
}

/* What the map says of calls and lines where there is no debug information. */
static int read_go_lines(
	const struct image *image, const struct section_names *names, struct sources *sources)
{
	int r = go_lines_read(image, names, &sources->code, &sources->strings, &sources->calls);

	if (r == 0)
		return code_map_resolve(&sources->calls);
	return survivable(r) ? forget_map(sources) : r;
}

/* What a stripped file has, too. Stubs are named by what they lead to, so they alone make no index:
 * nothing of the file's own would have a name. */
static int read_exports(
	const struct image *image, const struct section_names *names, struct sources *sources)
{
	struct function_list mini = {0}, dynamic = {0}, go = {0}, stubs = {0};
	int r = take_read(sources,
		mini_debug_read(image, names, &sources->code, &sources->strings, &mini), &mini,
		SYMBOL_QUALITY_MINIDEBUG);

	if (r == 0) {
		r = take_read(sources,
			elf_symbols_read(image, names, &sources->code, ELF_SYMBOLS_DYNAMIC,
				&sources->strings, &dynamic),
			&dynamic, SYMBOL_QUALITY_DYNAMIC);
	}
	if (r == 0) {
		r = take_read(sources,
			go_names_read(image, names, &sources->code, &sources->strings, &go), &go,
			SYMBOL_QUALITY_GO);
	}
	if (r == 0 && !sources->calls.resolved)
		r = read_go_lines(image, names, sources);
	if (r == 0 && sources->functions.count > 0)
		r = take_read(sources, plt_names_read(image, names, &sources->strings, &stubs),
			&stubs, SYMBOL_QUALITY_NONE);
	return r;
}

/* A file with the names of its sections. */
struct opened {
	struct image image;
	struct section_names names;
};

static bool has_dwarf(const struct opened *file)
{
	return section_find(&file->image, &file->names, ".debug_info") > 0 ||
		section_find(&file->image, &file->names, ".zdebug_info") > 0;
}

static int read_debug(const struct image *image, const struct section_names *names,
	const struct sandbox_request *request, struct sources *sources)
{
	const struct dwarf_source dwarf = {
		.image = image,
		.names = names,
		.scratch_fd = request->scratch_fd,
		.supplementary_fd = request->supplementary_fd,
		.package_fd = request->package_fd,
	};
	struct function_list table = {0};
	int r = elf_symbols_read(
		image, names, &sources->code, ELF_SYMBOLS_WHOLE, &sources->strings, &table);

	if (survivable(r))
		r = 0;
	if (r == 0 && !request->tables_only)
		r = read_dwarf(&dwarf, &table, sources);
	if (r == 0)
		r = take(sources, &table, SYMBOL_QUALITY_TABLE);
	function_list_done(&table);
	return r;
}

/* The table of symbols of a second file. */
static int read_table(const struct opened *file, struct sources *sources)
{
	struct function_list table = {0};

	return take_read(sources,
		elf_symbols_read(&file->image, &file->names, &sources->code, ELF_SYMBOLS_WHOLE,
			&sources->strings, &table),
		&table, SYMBOL_QUALITY_TABLE);
}

/* Best first, since what is there is never overlaid. */
static int read_sources(const struct image *image, const struct section_names *names,
	const struct sandbox_request *request, struct sources *sources)
{
	int r = read_debug(image, names, request, sources);

	return r == 0 ? read_exports(image, names, sources) : r;
}

/* Two files of one module, as if they were one: the DWARF of whichever has it. */
static int read_pair(const struct opened *file, const struct opened *companion,
	const struct sandbox_request *request, struct sources *sources)
{
	bool turned = !has_dwarf(file) && has_dwarf(companion);
	const struct opened *first = turned ? companion : file;
	const struct opened *second = turned ? file : companion;
	int r = code_ranges_read(&first->image, &sources->code);

	if (r == 0)
		r = read_debug(&first->image, &first->names, request, sources);
	if (r == 0)
		r = read_table(second, sources);
	if (r == 0)
		r = read_exports(&first->image, &first->names, sources);
	return r == 0 ? read_exports(&second->image, &second->names, sources) : r;
}

/* Where the kernel's own image begins, which its addresses are counted from; 0: it is no kernel. */
static uint64_t kernel_start(const struct image *image, const struct section_names *names)
{
	uint32_t index = section_find(image, names, ".head.text");

	/* What modules may call: every kernel has it, and nothing else. */
	if (section_find(image, names, "__ksymtab") == 0)
		return 0;
	if (index == 0)
		index = section_find(image, names, ".text");
	return index > 0 ? image->sections[index].address : 0;
}

/* What stands before START (variables of each CPU) is no code. */
static void count_from(struct sources *sources, uint64_t start)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < sources->functions.count; i++) {
		struct function function = sources->functions.functions[i];

		if (function.start < start)
			continue;
		function.start -= start;
		function.end -= start;
		sources->functions.functions[kept++] = function;
	}
	sources->functions.count = kept;
	code_map_move(&sources->calls, start);
}

/* Whatever gives names to code that begins at START; 0: its addresses are those of the file. */
static int read_image(const struct image *image, const struct section_names *names,
	const struct sandbox_request *request, uint64_t start, struct sources *sources)
{
	int r = code_ranges_read(image, &sources->code);

	if (r == 0)
		r = read_sources(image, names, request, sources);
	if (r == 0 && start > 0)
		count_from(sources, start);
	return r;
}

/* A module of the kernel. */
static enum sandbox_fault index_object(const struct image *image, const struct section_names *names,
	const struct sandbox_request *request, struct sources *sources)
{
	struct object_image object;
	int r = object_image_open(image, names, &object);

	if (r == -ENOTSUP || r == -ENOENT)
		return SANDBOX_FAULT_RELOCATABLE;
	if (r < 0)
		return file_fault(r);
	r = read_image(&object.image, names, request, object.start, sources);
	object_image_done(&object);
	return file_fault(r);
}

/* False: there is none, or it is not what it should be. */
static bool open_companion(const struct sandbox_request *request, struct opened *ret_file)
{
	struct sandbox_request its = *request;

	if (request->companion_fd <= 0)
		return false;
	/* A hash of the contents is that of one of the two files only. */
	its.reduced = true;
	its.scratch_fd = -1;
	if (file_open(request->companion_fd, &its, &ret_file->image) != SANDBOX_FAULT_NONE)
		return false;
	if (ret_file->image.type != ET_REL &&
		section_names_read(&ret_file->image, &ret_file->names) == 0)
		return true;
	section_names_done(&ret_file->names);
	image_done(&ret_file->image);
	return false;
}

/* What is no object file. */
static int index_linked(
	const struct opened *file, const struct sandbox_request *request, struct sources *sources)
{
	uint64_t start = kernel_start(&file->image, &file->names);
	struct opened companion = {0};
	int r;

	if (start == 0)
		symbol_segments_read(&file->image, &sources->segments);
	if (start > 0 || !open_companion(request, &companion))
		return read_image(&file->image, &file->names, request, start, sources);
	/* A program knows where its code is, a debug file tells it again. */
	if (sources->segments.count == 0 || sources->segments.is_told_again)
		symbol_segments_read(&companion.image, &sources->segments);
	r = read_pair(file, &companion, request, sources);
	section_names_done(&companion.names);
	image_done(&companion.image);
	return r;
}

static enum sandbox_fault index_elf(
	int fd, const struct sandbox_request *request, struct sources *sources)
{
	struct sandbox_request rest = *request;
	struct opened file = {0};
	enum sandbox_fault fault = file_open(fd, request, &file.image);
	int r;

	if (fault != SANDBOX_FAULT_NONE)
		return fault;
	/* It holds the file itself, which was packed. */
	if (file.image.fd != fd)
		rest.scratch_fd = -1;
	request = &rest;
	r = section_names_read(&file.image, &file.names);
	if (r < 0 && !survivable(r))
		fault = file_fault(r);
	else if (file.image.type == ET_REL)
		fault = index_object(&file.image, &file.names, request, sources);
	else
		fault = file_fault(index_linked(&file, request, sources));
	/* A file that was cut off keeps its segments and loses the table of sections. */
	if (fault == SANDBOX_FAULT_NONE && sources->functions.count == 0)
		fault = file.image.section_count == 0 ? SANDBOX_FAULT_DAMAGED
						      : SANDBOX_FAULT_NO_NAMES;
	section_names_done(&file.names);
	image_done(&file.image);
	return fault;
}

static enum sandbox_fault index_kernel_text(int fd, struct sources *sources)
{
	struct stat stat;
	SCOPED_FREE char *text = NULL;
	size_t byte_count;
	int r;

	if (fstat(fd, &stat) < 0)
		return SANDBOX_FAULT_READ;
	if (stat.st_size == 0)
		return SANDBOX_FAULT_EMPTY;
	byte_count = (uint64_t)stat.st_size < KERNEL_TEXT_BYTES_MAX ? (size_t)stat.st_size
								    : KERNEL_TEXT_BYTES_MAX;
	text = malloc(byte_count);
	if (!text)
		return SANDBOX_FAULT_MEMORY;
	if (whole_read_at(fd, 0, text, byte_count) < 0)
		return SANDBOX_FAULT_READ;
	r = kernel_text_read(text, byte_count, &sources->strings, &sources->functions);
	sources->quality = SYMBOL_QUALITY_KERNEL;
	if (r == -ENODATA)
		return SANDBOX_FAULT_HIDDEN_ADDRESSES;
	return r == -EBADMSG ? SANDBOX_FAULT_NOT_SYMBOLS : file_fault(r);
}

enum sandbox_fault file_index(int fd, const struct sandbox_request *request, size_t index_bytes_max,
	uint8_t **ret_bytes, size_t *ret_byte_count, struct dwarf_missing *ret_missing)
{
	struct sources sources = {0};
	enum sandbox_fault fault;
	int r = string_table_init(&sources.strings);

	if (r == 0)
		r = code_map_init(&sources.calls);
	if (r < 0) {
		string_table_done(&sources.strings);
		return file_fault(r);
	}
	fault = request->input == SANDBOX_INPUT_ELF ? index_elf(fd, request, &sources)
						    : index_kernel_text(fd, &sources);
	if (fault == SANDBOX_FAULT_NONE) {
		struct index_content content = {
			.functions = &sources.functions,
			.code = sources.calls.resolved ? &sources.calls : NULL,
			.segments = &sources.segments,
			.strings = &sources.strings,
			.quality = sources.quality,
		};

		r = index_write(&content, index_bytes_max, ret_bytes, ret_byte_count);
		fault = file_fault(r);
	}
	*ret_missing = sources.missing;
	function_list_done(&sources.functions);
	code_map_done(&sources.calls);
	code_ranges_done(&sources.code);
	string_table_done(&sources.strings);
	return fault;
}
