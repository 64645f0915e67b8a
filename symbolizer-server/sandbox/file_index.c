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
#include "store/elf/elf_note.h"
#include "symbolizer-server/sandbox/code_map.h"
#include "symbolizer-server/sandbox/dwarf_read.h"
#include "symbolizer-server/sandbox/elf_symbols.h"
#include "symbolizer-server/sandbox/index_writer.h"
#include "symbolizer-server/sandbox/kernel_text.h"
#include "symbolizer-server/sandbox/mini_debug.h"

#define KERNEL_TEXT_BYTES_MAX ((size_t)256 << 20)

/* What reading gave so far. */
struct sources {
	struct string_table strings;
	struct code_ranges code;
	struct function_list functions;
	struct code_map calls; /* filled and resolved only where there is debug information */
	enum symbol_quality quality;
};

static enum sandbox_fault fault_of(int error)
{
	switch (error) {
	case 0:
		return SANDBOX_FAULT_NONE;
	case -ENOMEM:
		return SANDBOX_FAULT_MEMORY;
	case -EFBIG:
	case -E2BIG:
		return SANDBOX_FAULT_WRITE;
	case -EBADMSG:
	case -ENOTSUP:
		return SANDBOX_FAULT_DAMAGED;
	default:
		return SANDBOX_FAULT_READ;
	}
}

/* Why a file that is no ELF file is none: an empty or zeroed upload is told apart, since its cause
 * is another one. */
static enum sandbox_fault not_elf(int fd)
{
	uint8_t bytes[65536];
	uint64_t offset = 0;
	ssize_t got;

	while ((got = pread(fd, bytes, sizeof(bytes), (off_t)offset)) > 0) {
		for (ssize_t i = 0; i < got; i++) {
			if (bytes[i]) {
				return offset == 0 && got >= SELFMAG &&
						memcmp(bytes, ELFMAG, SELFMAG) == 0
					? SANDBOX_FAULT_DAMAGED
					: SANDBOX_FAULT_NOT_ELF;
			}
		}
		offset += (uint64_t)got;
	}
	if (got < 0)
		return SANDBOX_FAULT_READ;
	return offset == 0 ? SANDBOX_FAULT_EMPTY : SANDBOX_FAULT_ZEROS;
}

/* The id inside must be the one that was asked for: names of another build are worse than none. */
static enum sandbox_fault check_id(const struct image *image, const struct sandbox_request *request)
{
	enum build_id_kind kind = (enum build_id_kind)request->id.kind;
	struct build_id id;
	int r;

	if (kind == BUILD_ID_HTL && request->reduced)
		return SANDBOX_FAULT_NONE;
	if (kind == BUILD_ID_HTL)
		r = note_content_hash(image->fd, &id);
	else
		r = note_find(image, kind, &id);
	if (r == -ENOENT)
		return SANDBOX_FAULT_NO_ID;
	if (r < 0)
		return fault_of(r);
	return build_id_equal(&id, &request->id) ? SANDBOX_FAULT_NONE : SANDBOX_FAULT_OTHER_ID;
}

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

static int read_dwarf(const struct image *image, const struct section_names *names,
	const struct function_list *table, struct sources *sources)
{
	struct function_list list = {0};
	const struct dwarf_source from = {.image = image, .names = names, .scratch_fd = -1};
	const struct dwarf_target target = {
		.code = &sources->code,
		.table = table,
		.strings = &sources->strings,
		.functions = &list,
		.map = &sources->calls,
	};
	int r = dwarf_read(&from, &target);

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

/* Best first, since what is there is never overlaid. */
static int read_sources(const struct image *image, const struct section_names *names,
	bool tables_only, struct sources *sources)
{
	struct function_list table = {0}, mini = {0}, dynamic = {0};
	int r = elf_symbols_read(
		image, names, &sources->code, ELF_SYMBOLS_WHOLE, &sources->strings, &table);

	if (survivable(r))
		r = 0;
	if (r == 0 && !tables_only)
		r = read_dwarf(image, names, &table, sources);
	if (r == 0)
		r = take(sources, &table, SYMBOL_QUALITY_TABLE);
	if (r == 0)
		r = mini_debug_read(image, names, &sources->code, &sources->strings, &mini);
	if (r == 0)
		r = take(sources, &mini, SYMBOL_QUALITY_MINIDEBUG);
	if (survivable(r))
		r = 0;
	if (r == 0)
		r = elf_symbols_read(image, names, &sources->code, ELF_SYMBOLS_DYNAMIC,
			&sources->strings, &dynamic);
	if (survivable(r))
		r = 0;
	if (r == 0)
		r = take(sources, &dynamic, SYMBOL_QUALITY_DYNAMIC);
	function_list_done(&table);
	function_list_done(&mini);
	function_list_done(&dynamic);
	return r;
}

static enum sandbox_fault index_elf(
	int fd, const struct sandbox_request *request, struct sources *sources)
{
	struct section_names names = {0};
	struct image image;
	enum sandbox_fault fault;
	int r = image_open(fd, true, &image);

	if (r == -EBADMSG)
		return not_elf(fd);
	if (r < 0)
		return fault_of(r);
	fault = check_id(&image, request);
	if (fault == SANDBOX_FAULT_NONE && image.type == ET_REL)
		fault = SANDBOX_FAULT_RELOCATABLE;
	if (fault == SANDBOX_FAULT_NONE) {
		r = section_names_read(&image, &names);
		if (r == 0 || survivable(r))
			r = code_ranges_read(&image, &sources->code);
		if (r == 0)
			r = read_sources(&image, &names, request->tables_only, sources);
		fault = fault_of(r);
	}
	/* A file that was cut off keeps its segments and loses the table of sections. */
	if (fault == SANDBOX_FAULT_NONE && sources->functions.count == 0)
		fault = image.section_count == 0 ? SANDBOX_FAULT_DAMAGED : SANDBOX_FAULT_NO_NAMES;
	section_names_done(&names);
	image_done(&image);
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
	return r == -EBADMSG ? SANDBOX_FAULT_NOT_SYMBOLS : fault_of(r);
}

enum sandbox_fault file_index(int fd, const struct sandbox_request *request, size_t index_bytes_max,
	uint8_t **ret_bytes, size_t *ret_byte_count)
{
	struct sources sources = {0};
	enum sandbox_fault fault;
	int r = string_table_init(&sources.strings);

	if (r == 0)
		r = code_map_init(&sources.calls);
	if (r < 0) {
		string_table_done(&sources.strings);
		return fault_of(r);
	}
	fault = request->input == SANDBOX_INPUT_ELF ? index_elf(fd, request, &sources)
						    : index_kernel_text(fd, &sources);
	if (fault == SANDBOX_FAULT_NONE) {
		struct index_content content = {
			.functions = &sources.functions,
			.code = sources.calls.resolved ? &sources.calls : NULL,
			.strings = &sources.strings,
			.quality = sources.quality,
		};

		r = index_write(&content, index_bytes_max, ret_bytes, ret_byte_count);
		fault = fault_of(r);
	}
	function_list_done(&sources.functions);
	code_map_done(&sources.calls);
	code_ranges_done(&sources.code);
	string_table_done(&sources.strings);
	return fault;
}
