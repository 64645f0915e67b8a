/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/unwind/frame_source.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>

#include "store/elf/elf_section.h"

/* The index of .eh_frame (PT_GNU_EH_FRAME) begins with a version, three encodings, and a pointer to
 * .eh_frame itself. */
#define INDEX_HEAD_BYTES 16
#define INDEX_VERSION 1

bool frame_code_range(const struct load_map *map, uint64_t *ret_from, uint64_t *ret_until)
{
	uint64_t from = UINT64_MAX, until = 0;

	for (uint32_t i = 0; i < map->count; i++) {
		const struct load_segment *segment = &map->segments[i];

		if (!segment->executable)
			continue;
		if (segment->address < from)
			from = segment->address;
		if (segment->address + segment->file_bytes > until)
			until = segment->address + segment->file_bytes;
	}
	if (from >= until)
		return false;
	*ret_from = from;
	*ret_until = until;
	return true;
}

static int take_section(const struct image *image, const struct section_names *names,
	const char *name, uint8_t **bytes, struct eh_frame *section)
{
	uint32_t index = section_find(image, names, name);
	size_t byte_count;
	int r;

	if (index == 0)
		return -ENOENT;
	r = section_read(image, names, index, FRAME_SOURCE_BYTES_MAX, bytes, &byte_count);
	if (r < 0) {
		*bytes = NULL;
		return r;
	}
	section->bytes = *bytes;
	section->byte_count = byte_count;
	section->bases.section = image->sections[index].address;
	return 0;
}

/* Where there is a second text section of C code in front, newer tables don't say where Go's begins;
 * what they say would fit nowhere. */
static bool text_is_known(
	const struct frame_source *source, const struct go_table *table, uint64_t text)
{
	return table->text != text || !source->bytes;
}

/* A file without Go's table, or with one that can't be read, goes by what else there is. */
static void read_go(
	const struct image *image, const struct section_names *names, struct frame_source *source)
{
	uint32_t index = section_find(image, names, ".gopclntab");
	uint32_t text_index = section_find(image, names, ".text");
	struct go_table *table = &source->table.go;
	size_t byte_count;
	uint64_t text;

	if (index == 0)
		index = section_find(image, names, ".data.rel.ro.gopclntab");
	if (index == 0 || text_index == 0)
		return;
	text = image->sections[text_index].address;
	if (section_read(image, names, index, FRAME_SOURCE_GO_BYTES_MAX, &source->go_bytes,
		    &byte_count) < 0) {
		source->go_bytes = NULL;
		return;
	}
	if (go_table_open(source->go_bytes, byte_count, text, table) < 0 ||
		!text_is_known(source, table, text))
		*table = (struct go_table){0};
}

/* Programs built without unwind tables still have .eh_frame of the start files, and what the compiler
 * knew of their own code is in .debug_frame. */
static int read_by_section(const struct image *image, struct frame_source *source)
{
	struct table_source *table = &source->table;
	struct section_names names;
	int r = section_names_read(image, &names), of_debug;

	if (r < 0)
		return r;
	r = take_section(image, &names, ".eh_frame", &source->bytes, &table->section);
	table->debug_section.is_debug_frame = true;
	of_debug = take_section(
		image, &names, ".debug_frame", &source->debug_bytes, &table->debug_section);
	if (r == 0 || r == -ENOENT)
		read_go(image, &names, source);
	section_names_done(&names);
	return r == -ENOENT ? of_debug : r;
}

static const struct image_segment *segment_of(
	const struct image *image, uint32_t type, uint64_t address)
{
	for (uint32_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *segment = &image->segments[i];

		if (segment->type == type &&
			(type != PT_LOAD || address - segment->address < segment->file_bytes))
			return segment;
	}
	return NULL;
}

/* From the address that the index gives to the end of its segment: the chain of entries ends by
 * itself. */
static int read_by_index(const struct image *image, struct frame_source *source)
{
	const struct image_segment *index = segment_of(image, PT_GNU_EH_FRAME, 0), *load;
	struct eh_frame *section = &source->table.section;
	struct frame_bases bases = {0};
	uint8_t head[INDEX_HEAD_BYTES];
	struct bytes_reader reader;
	uint64_t address, byte_count;
	int r;

	if (!index || index->file_bytes < sizeof(head))
		return -ENOENT;
	r = image_read(image, index->offset, head, sizeof(head));
	if (r < 0)
		return r;
	bases.section = index->address;
	bases.data = index->address;
	bytes_reader_init(&reader, head, sizeof(head));
	if (bytes_read_u8(&reader) != INDEX_VERSION)
		return -EBADMSG;
	(void)bytes_read_span(&reader, 3);
	address = frame_read_pointer(&reader, head[1], &bases, head);
	load = segment_of(image, PT_LOAD, address);
	if (bytes_reader_fault(&reader) || !load)
		return -EBADMSG;
	byte_count = load->file_bytes - (address - load->address);
	if (byte_count > FRAME_SOURCE_BYTES_MAX)
		return -EFBIG;
	source->bytes = malloc(byte_count);
	if (!source->bytes)
		return -ENOMEM;
	section->bytes = source->bytes;
	section->byte_count = byte_count;
	section->bases.section = address;
	return image_read(
		image, load->offset + (address - load->address), source->bytes, byte_count);
}

static int read_image(const struct image *image, struct frame_source *source)
{
	struct load_map map;
	int r = load_map_of_image(image, &map);

	if (r < 0)
		return r;
	if (!frame_code_range(&map, &source->table.code_from, &source->table.code_until) ||
		!image->is_64 || image->swapped)
		return -ENOENT;
	source->table.entry = image->entry;
	r = image->section_count ? read_by_section(image, source) : -ENOENT;
	if (r == -ENOENT)
		r = read_by_index(image, source);
	/* Go's own table is enough. */
	return r == -ENOENT && source->table.go.function_count > 0 ? 0 : r;
}

int frame_source_read(int fd, struct frame_source *ret_source)
{
	struct frame_source source = {0};
	struct image image;
	int r = image_open(fd, true, &image);

	if (r < 0)
		return r;
	r = read_image(&image, &source);
	image_done(&image);
	if (r < 0)
		frame_source_done(&source);
	else
		*ret_source = source;
	return r;
}

void frame_source_done(struct frame_source *source)
{
	free(source->bytes);
	source->bytes = NULL;
	free(source->debug_bytes);
	source->debug_bytes = NULL;
	free(source->go_bytes);
	source->go_bytes = NULL;
}
