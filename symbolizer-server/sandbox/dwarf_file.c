/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/dwarf_file.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/profile/grow.h"
#include "symbolizer-server/sandbox/dwarf_constant.h"

/* More than any program has; the limits on memory and on files are lower still. */
#define DWARF_BYTES_MAX (UINT64_C(4) << 30)
/* A large kernel has 3,000, a large program that dwz went over some 20,000. */
#define UNIT_COUNT_MAX (1u << 20)
/* Dropping pages costs a system call, so it is done for many at once. */
#define FORGET_BYTES (UINT64_C(8) << 20)

static const char *const section_texts[DWARF_SECTION_COUNT][2] = {
	[DWARF_INFO] = {".debug_info", ".debug_info.dwo"},
	[DWARF_ABBREV] = {".debug_abbrev", ".debug_abbrev.dwo"},
	[DWARF_LINE] = {".debug_line", NULL},
	[DWARF_RANGES] = {".debug_ranges", NULL},
	[DWARF_RNGLISTS] = {".debug_rnglists", ".debug_rnglists.dwo"},
	[DWARF_ADDR] = {".debug_addr", NULL},
	[DWARF_STR_OFFSETS] = {".debug_str_offsets", ".debug_str_offsets.dwo"},
	[DWARF_STR] = {".debug_str", ".debug_str.dwo"},
	[DWARF_LINE_STR] = {".debug_line_str", NULL},
	[DWARF_CU_INDEX] = {NULL, ".debug_cu_index"},
};

static int map_region(int fd, uint64_t offset, uint64_t byte_count,
	struct dwarf_mapping *ret_mapping, struct dwarf_span *ret_span)
{
	uint64_t lead = offset % (uint64_t)sysconf(_SC_PAGESIZE);
	void *bytes =
		mmap(NULL, byte_count + lead, PROT_READ, MAP_SHARED, fd, (off_t)(offset - lead));

	if (bytes == MAP_FAILED)
		return errno == ENOMEM ? -ENOMEM : -EIO;
	*ret_mapping = (struct dwarf_mapping){bytes, byte_count + lead, true};
	*ret_span = (struct dwarf_span){(const uint8_t *)bytes + lead, byte_count};
	return 0;
}

static int inflate_to_memory(const struct image *image, const struct section_names *names,
	uint32_t index, uint64_t byte_count, struct dwarf_mapping *ret_mapping,
	struct dwarf_span *ret_span)
{
	void *bytes =
		mmap(NULL, byte_count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int r;

	if (bytes == MAP_FAILED)
		return -ENOMEM;
	r = section_read_into(image, names, index, bytes, byte_count);
	if (r < 0) {
		munmap(bytes, byte_count);
		return r;
	}
	*ret_mapping = (struct dwarf_mapping){bytes, byte_count, false};
	*ret_span = (struct dwarf_span){bytes, byte_count};
	return 0;
}

static int inflate_to_scratch(const struct image *image, const struct section_names *names,
	uint32_t index, struct dwarf_scratch *scratch, struct dwarf_mapping *ret_mapping,
	struct dwarf_span *ret_span)
{
	uint64_t offset = scratch->byte_count, byte_count;
	int r = section_byte_count(image, names, index, &byte_count);

	if (r == 0)
		r = section_write(image, names, index, scratch->fd);
	if (r < 0)
		return r;
	scratch->byte_count += byte_count;
	return map_region(scratch->fd, offset, byte_count, ret_mapping, ret_span);
}

static int open_section(const struct image *image, const struct section_names *names,
	uint32_t index, struct dwarf_scratch *scratch, struct dwarf_file *file,
	enum dwarf_section which)
{
	struct dwarf_mapping *mapping = &file->mappings[which];
	struct dwarf_span *span = &file->sections[which];
	uint64_t byte_count;
	int r = section_byte_count(image, names, index, &byte_count);

	if (r == -ENOENT || (r == 0 && byte_count == 0))
		return 0;
	if (r < 0)
		return r;
	if (byte_count > DWARF_BYTES_MAX)
		return -EFBIG;
	if (section_is_packed(image, names, index)) {
		return scratch->fd > 0
			? inflate_to_scratch(image, names, index, scratch, mapping, span)
			: inflate_to_memory(image, names, index, byte_count, mapping, span);
	}
	if (image->fd >= 0)
		return map_region(
			image->fd, image->sections[index].offset, byte_count, mapping, span);
	*span = (struct dwarf_span){image->memory + image->sections[index].offset, byte_count};
	return 0;
}

/* Behind the length: false if no reader knows what stands there. */
static bool read_head_rest(struct dwarf_cursor *cursor, struct dwarf_unit_head *head)
{
	head->version = dwarf_cursor_u16(cursor);
	if (head->version < 2 || head->version > 5)
		return false;
	head->type = DW_UT_compile;
	if (head->version == 5) {
		head->type = dwarf_cursor_u8(cursor);
		head->address_bytes = dwarf_cursor_u8(cursor);
		head->abbrev_offset = dwarf_cursor_number(cursor, head->offset_bytes);
	} else {
		head->abbrev_offset = dwarf_cursor_number(cursor, head->offset_bytes);
		head->address_bytes = dwarf_cursor_u8(cursor);
	}
	if (head->type != DW_UT_compile && head->type != DW_UT_partial)
		head->id = dwarf_cursor_u64(cursor);
	if (head->type == DW_UT_type || head->type == DW_UT_split_type)
		dwarf_cursor_skip(cursor, head->offset_bytes);
	return !cursor->bad && head->type >= DW_UT_compile && head->type <= DW_UT_split_type &&
		(head->address_bytes == 4 || head->address_bytes == 8);
}

/* A unit whose length is a lie ends the list: where the next one starts is not known then. */
static int list_units(struct dwarf_file *file)
{
	const struct dwarf_span *info = &file->sections[DWARF_INFO];
	uint64_t offset = 0;

	while (offset < info->byte_count) {
		struct dwarf_unit_head head = {.offset = offset, .offset_bytes = 4};
		struct dwarf_cursor cursor = dwarf_cursor_at(info, offset, file->swapped);
		uint64_t length = dwarf_cursor_u32(&cursor);
		int r;

		if (length == UINT32_MAX) {
			length = dwarf_cursor_u64(&cursor);
			head.offset_bytes = 8;
		} else if (length >= UINT64_C(0xfffffff0)) {
			return 0;
		}
		if (cursor.bad || length > dwarf_cursor_left(&cursor))
			return 0;
		head.end = (uint64_t)(cursor.at - info->bytes) + length;
		cursor = dwarf_cursor_part(&cursor, length);
		offset = head.end;
		if (!read_head_rest(&cursor, &head))
			continue;
		head.first_entry = (uint64_t)(cursor.at - info->bytes);
		r = grow_array(
			&file->units, &file->unit_capacity, file->unit_count, UNIT_COUNT_MAX);
		if (r < 0)
			return r;
		file->units[file->unit_count++] = head;
	}
	return 0;
}

int dwarf_file_open(const struct image *image, const struct section_names *names,
	enum dwarf_flavour flavour, struct dwarf_scratch *scratch, struct dwarf_file *ret_file)
{
	struct dwarf_file file = {.swapped = image->swapped};
	int r = 0;

	for (int i = 0; r == 0 && i < DWARF_SECTION_COUNT; i++) {
		const char *text = section_texts[i][flavour == DWARF_SPLIT];
		uint32_t index = text ? section_find(image, names, text) : 0;

		if (index > 0)
			r = open_section(image, names, index, scratch, &file, i);
	}
	if (r == 0 && flavour != DWARF_SHARED &&
		(!file.sections[DWARF_INFO].bytes || !file.sections[DWARF_ABBREV].bytes))
		r = -ENOENT;
	if (r == 0)
		r = list_units(&file);
	if (r < 0) {
		dwarf_file_done(&file);
		return r;
	}
	*ret_file = file;
	return 0;
}

void dwarf_file_done(struct dwarf_file *file)
{
	for (int i = 0; i < DWARF_SECTION_COUNT; i++)
		if (file->mappings[i].bytes)
			munmap(file->mappings[i].bytes, file->mappings[i].byte_count);
	free(file->units);
	*file = (struct dwarf_file){0};
}

/* The first unit that ends behind OFFSET; unit_count if none does. */
static uint32_t first_behind(const struct dwarf_file *file, uint64_t offset)
{
	uint32_t low = 0, high = file->unit_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (file->units[middle].end <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct dwarf_unit_head *dwarf_file_unit(const struct dwarf_file *file, uint64_t offset)
{
	uint32_t index = first_behind(file, offset);

	if (index == file->unit_count || offset < file->units[index].first_entry)
		return NULL;
	return &file->units[index];
}

const struct dwarf_unit_head *dwarf_file_unit_at(const struct dwarf_file *file, uint64_t offset)
{
	uint32_t index = first_behind(file, offset);

	if (index == file->unit_count || offset != file->units[index].offset)
		return NULL;
	return &file->units[index];
}

void dwarf_file_forget(struct dwarf_file *file, uint64_t offset)
{
	const struct dwarf_mapping *mapping = &file->mappings[DWARF_INFO];
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t from = file->forgotten / page * page, to = offset / page * page;

	if (!mapping->of_file || to < from || to - from < FORGET_BYTES)
		return;
	/* The span starts within the first page of the mapping: a little less is dropped. */
	madvise((uint8_t *)mapping->bytes + from, to - from, MADV_DONTNEED);
	file->forgotten = to;
}
