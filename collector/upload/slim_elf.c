/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   original   [ELF|PHDR][note][dynsym][ .text ][ .rodata ][ .data ][debug][symtab][SHDR]
 *                   |       |      |                                   |       |     |
 *   slim       [ELF|PHDR][note][dynsym][debug][symtab][SHDR]
 *
 * What stays moves by a multiple of SHIFT_BYTES, so that alignments hold and notes that follow each
 * other in one segment still do.
 */
#include "collector/upload/slim_elf.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/base/must.h"
#include "store/elf/elf_image.h"
#include "store/elf/elf_section.h"

/* The largest alignment that sections without code have. */
#define SHIFT_BYTES 64u
#define TABLE_ALIGNMENT 8u

/* A part of the slim file: from memory, from the original, or (both absent) zeros. */
struct slim_piece {
	const uint8_t *memory;
	uint64_t source_offset;
	uint64_t byte_count;
	bool is_padding;
};

/* What is being laid out. */
struct layout {
	struct slim_elf *slim;
	const struct image *image;
	const struct section_names *names;
	uint64_t *moved_to; /* by section; 0: dropped or without contents */
	bool *is_kept; /* by section */
};

/* --- what stays ----------------------------------------------------------------------------------
 */

static bool ends_with(const char *text, const char *suffix)
{
	size_t length = strlen(text), suffix_length = strlen(suffix);

	return length >= suffix_length && strcmp(text + length - suffix_length, suffix) == 0;
}

static bool is_go_table(const char *name)
{
	return ends_with(name, "gopclntab");
}

static bool stays(const struct layout *layout, uint32_t index)
{
	const struct image_section *section = &layout->image->sections[index];

	if (section->type == SHT_NOBITS || section->type == SHT_NULL)
		return false;
	if (!(section->flags & SHF_ALLOC))
		return true;
	/* By the order of .rela.plt the stubs of the linkage table are named. */
	return section->type == SHT_NOTE || section->type == SHT_DYNSYM ||
		is_go_table(section_name(layout->image, layout->names, index)) ||
		strcmp(section_name(layout->image, layout->names, index), ".rela.plt") == 0;
}

static void choose(struct layout *layout)
{
	const struct image *image = layout->image;

	for (uint32_t i = 1; i < image->section_count; i++)
		layout->is_kept[i] = stays(layout, i);
	/* The names of what stays. */
	for (uint32_t i = 1; i < image->section_count; i++) {
		uint32_t link = image->sections[i].link;

		if (layout->is_kept[i] && link < image->section_count &&
			image->sections[link].type == SHT_STRTAB)
			layout->is_kept[link] = true;
	}
}

static bool carries_symbols(const struct layout *layout)
{
	const struct image *image = layout->image;

	for (uint32_t i = 1; i < image->section_count; i++) {
		const struct image_section *section = &image->sections[i];
		const char *name = section_name(image, layout->names, i);

		if (!layout->is_kept[i])
			continue;
		/* The first symbol is always an empty one. */
		if ((section->type == SHT_SYMTAB || section->type == SHT_DYNSYM) &&
			section->byte_count > section->entry_bytes)
			return true;
		if (strcmp(name, ".debug_info") == 0 || strcmp(name, ".zdebug_info") == 0 ||
			strcmp(name, ".gnu_debugdata") == 0 || is_go_table(name))
			return true;
	}
	return false;
}

/* --- where it goes -------------------------------------------------------------------------------
 */

static void add_piece(struct slim_elf *slim, struct slim_piece piece)
{
	if (piece.byte_count == 0)
		return;
	slim->pieces[slim->piece_count++] = piece;
	slim->byte_count += piece.byte_count;
}

static void pad(struct slim_elf *slim, uint64_t byte_count)
{
	add_piece(slim, (struct slim_piece){.byte_count = byte_count, .is_padding = true});
}

/* Every byte of the original may be sent once; sections that overlap would multiply it. */
static bool is_too_long(const struct layout *layout)
{
	uint64_t overhead =
		(uint64_t)layout->image->section_count * (SHIFT_BYTES + sizeof(Elf64_Shdr));

	return layout->slim->byte_count > layout->image->byte_count + overhead;
}

static int place_sections(struct layout *layout)
{
	struct slim_elf *slim = layout->slim;
	const struct image *image = layout->image;

	for (uint32_t i = 1; i < image->section_count; i++) {
		const struct image_section *section = &image->sections[i];

		if (!layout->is_kept[i])
			continue;
		if (section->offset > image->byte_count ||
			section->byte_count > image->byte_count - section->offset)
			return -EBADMSG;
		pad(slim, (section->offset - slim->byte_count) % SHIFT_BYTES);
		layout->moved_to[i] = slim->byte_count;
		add_piece(slim,
			(struct slim_piece){.source_offset = section->offset,
				.byte_count = section->byte_count});
		if (is_too_long(layout))
			return -EBADMSG;
	}
	pad(slim, -slim->byte_count % TABLE_ALIGNMENT);
	return 0;
}

/* --- headers -------------------------------------------------------------------------------------
 */

/* The two forms of a header differ in width and order. */
static void put_word(const struct image *image, uint8_t *header, size_t offset_of_64,
	size_t offset_of_32, uint64_t value)
{
	uint32_t narrow = (uint32_t)value;

	if (image->is_64)
		memcpy(header + offset_of_64, &value, sizeof(value));
	else
		memcpy(header + offset_of_32, &narrow, sizeof(narrow));
}

#define PUT_WORD(image, header, type, member, value)                \
	put_word((image), (header), offsetof(Elf64_##type, member), \
		offsetof(Elf32_##type, member), (value))
#define SIZE(image, type) ((image)->is_64 ? sizeof(Elf64_##type) : sizeof(Elf32_##type))

/* Offset of the table of segments or sections in the original. */
static uint64_t table_offset(const struct image *image, const uint8_t *head, bool of_sections)
{
	Elf64_Ehdr wide;
	Elf32_Ehdr narrow;

	if (image->is_64) {
		memcpy(&wide, head, sizeof(wide));
		return of_sections ? wide.e_shoff : wide.e_phoff;
	}
	memcpy(&narrow, head, sizeof(narrow));
	return of_sections ? narrow.e_shoff : narrow.e_phoff;
}

/* ELF header and program headers, joined as nearly every linker does. */
static int read_head(const struct image *image, uint8_t **ret_head, size_t *ret_bytes)
{
	size_t header_bytes = SIZE(image, Ehdr);
	size_t segment_bytes = image->segment_count * SIZE(image, Phdr);
	SCOPED_FREE uint8_t *head = malloc(header_bytes + segment_bytes);
	int r;

	if (!head)
		return -ENOMEM;
	r = image_read(image, 0, head, header_bytes);
	if (r == 0)
		r = image_read(image, table_offset(image, head, false), head + header_bytes,
			segment_bytes);
	if (r < 0)
		return r;
	PUT_WORD(image, head, Ehdr, e_phoff, segment_bytes ? header_bytes : 0);
	*ret_head = TAKE(head);
	*ret_bytes = header_bytes + segment_bytes;
	return 0;
}

static bool lies_in(const struct image_section *section, const struct image_segment *segment)
{
	return section->offset >= segment->offset &&
		section->offset < segment->offset + segment->file_bytes &&
		(section->flags & SHF_ALLOC) && section->type != SHT_NOBITS;
}

/* The kept section that begins with SEGMENT, or 0. */
static uint32_t first_section(const struct layout *layout, const struct image_segment *segment)
{
	const struct image *image = layout->image;

	for (uint32_t i = 1; i < image->section_count; i++) {
		if (lies_in(&image->sections[i], segment) && layout->moved_to[i] != 0 &&
			image->sections[i].offset == segment->offset)
			return i;
	}
	return 0;
}

/* A segment follows its first section; sections that do not move along are cut off. One whose first
 * section was dropped has no contents any more. */
static void move_segment(const struct layout *layout, uint32_t index, uint8_t *header)
{
	const struct image *image = layout->image;
	const struct image_segment *segment = &image->segments[index];
	uint64_t end = segment->offset + segment->file_bytes;
	uint32_t first = first_section(layout, segment);
	uint64_t shift = image->sections[first].offset - layout->moved_to[first];

	if (first == 0) {
		PUT_WORD(image, header, Phdr, p_filesz, 0);
		return;
	}
	for (uint32_t i = 1; i < image->section_count; i++) {
		const struct image_section *section = &image->sections[i];

		if (lies_in(section, segment) && section->offset < end &&
			(layout->moved_to[i] == 0 ||
				section->offset - layout->moved_to[i] != shift))
			end = section->offset;
	}
	PUT_WORD(image, header, Phdr, p_offset, segment->offset - shift);
	PUT_WORD(image, header, Phdr, p_filesz, end - segment->offset);
}

static void move_segments(const struct layout *layout)
{
	const struct image *image = layout->image;
	uint8_t *header = layout->slim->head + SIZE(image, Ehdr);

	for (uint32_t i = 0; i < image->segment_count; i++, header += SIZE(image, Phdr)) {
		uint32_t type = image->segments[i].type;

		if (type == PT_PHDR)
			PUT_WORD(image, header, Phdr, p_offset, SIZE(image, Ehdr));
		else if (type != PT_LOAD)
			move_segment(layout, i, header);
	}
}

/* The type of a section stands at the same place in both forms. */
#define TYPE_OFFSET offsetof(Elf64_Shdr, sh_type)
_Static_assert(offsetof(Elf32_Shdr, sh_type) == TYPE_OFFSET, "one place for both forms");

static int read_section_table(struct layout *layout)
{
	const uint32_t no_bits = SHT_NOBITS;
	const struct image *image = layout->image;
	size_t entry_bytes = SIZE(image, Shdr);
	uint8_t *entry;
	int r;

	layout->slim->table = malloc(image->section_count * entry_bytes);
	if (!layout->slim->table)
		return -ENOMEM;
	r = image_read(image, table_offset(image, layout->slim->head, true), layout->slim->table,
		image->section_count * entry_bytes);
	if (r < 0)
		return r;
	for (uint32_t i = 1; i < image->section_count; i++) {
		entry = layout->slim->table + i * entry_bytes;
		if (layout->is_kept[i]) {
			PUT_WORD(image, entry, Shdr, sh_offset, layout->moved_to[i]);
		} else if (image->sections[i].type != SHT_NULL) {
			memcpy(entry + TYPE_OFFSET, &no_bits, sizeof(no_bits));
			PUT_WORD(image, entry, Shdr, sh_offset, 0);
		}
	}
	return 0;
}

static int lay_out(struct layout *layout)
{
	struct slim_elf *slim = layout->slim;
	const struct image *image = layout->image;
	size_t head_bytes;
	int r;

	choose(layout);
	if (!carries_symbols(layout))
		return -ENODATA;
	/* Head, table, and for each section padding and contents, and padding before the table. */
	slim->pieces = calloc(3 + 2 * (size_t)image->section_count, sizeof(*slim->pieces));
	if (!slim->pieces)
		return -ENOMEM;
	r = read_head(image, &slim->head, &head_bytes);
	if (r < 0)
		return r;
	add_piece(slim, (struct slim_piece){.memory = slim->head, .byte_count = head_bytes});
	r = place_sections(layout);
	if (r == 0)
		r = read_section_table(layout);
	if (r < 0)
		return r;
	move_segments(layout);
	PUT_WORD(image, slim->head, Ehdr, e_shoff, slim->byte_count);
	add_piece(slim,
		(struct slim_piece){.memory = slim->table,
			.byte_count = image->section_count * SIZE(image, Shdr)});
	return 0;
}

static int init_from_image(struct slim_elf *slim, const struct image *image)
{
	SCOPED_FREE uint64_t *moved_to = NULL;
	SCOPED_FREE bool *is_kept = NULL;
	struct section_names names;
	struct layout layout;
	int r;

	if (image->swapped)
		return -ENOTSUP;
	if (image->section_count == 0)
		return -ENODATA;
	moved_to = calloc(image->section_count, sizeof(*moved_to));
	is_kept = calloc(image->section_count, sizeof(*is_kept));
	if (!moved_to || !is_kept)
		return -ENOMEM;
	r = section_names_read(image, &names);
	if (r < 0)
		return r;
	layout = (struct layout){slim, image, &names, moved_to, is_kept};
	r = lay_out(&layout);
	section_names_done(&names);
	return r;
}

int slim_elf_init(struct slim_elf *slim, int fd)
{
	struct slim_elf made = {.fd = fd};
	struct image image;
	int r = image_open(fd, true, &image);

	if (r < 0)
		return r;
	r = init_from_image(&made, &image);
	image_done(&image);
	if (r < 0) {
		slim_elf_done(&made);
		return r;
	}
	*slim = made;
	return 0;
}

void slim_elf_done(struct slim_elf *slim)
{
	free(slim->head);
	free(slim->table);
	free(slim->pieces);
	*slim = (struct slim_elf){.fd = -1};
}

ssize_t slim_elf_read(struct slim_elf *slim, void *bytes, size_t byte_count)
{
	const struct slim_piece *piece;
	uint64_t left;
	ssize_t got;

	if (slim->piece == slim->piece_count || byte_count == 0)
		return 0;
	piece = &slim->pieces[slim->piece];
	left = piece->byte_count - slim->piece_offset;
	must(left > 0);
	if (byte_count > left)
		byte_count = (size_t)left;
	got = (ssize_t)byte_count;
	if (piece->is_padding)
		memset(bytes, 0, byte_count);
	else if (piece->memory)
		memcpy(bytes, piece->memory + slim->piece_offset, byte_count);
	else
		got = pread(slim->fd, bytes, byte_count,
			(off_t)(piece->source_offset + slim->piece_offset));
	if (got < 0)
		return -errno;
	if (got == 0)
		return -EBADMSG;
	slim->piece_offset += (uint64_t)got;
	if (slim->piece_offset == piece->byte_count) {
		slim->piece++;
		slim->piece_offset = 0;
	}
	return got;
}
