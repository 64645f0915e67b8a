/* SPDX-License-Identifier: Apache-2.0 */
/*  Elf header | section headers | section names | .debug_abbrev | .debug_info | ...
 *
 * Every part starts at a multiple of 16, so that libdw reads numbers in place.
 */
#include "symbolizer-server/sandbox/dwarf_image.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PART_ALIGNMENT 16

static const char *const wanted[] = {
	".debug_info",
	".debug_abbrev",
	".debug_str",
	".debug_line_str",
	".debug_str_offsets",
	".debug_addr",
	".debug_ranges",
	".debug_rnglists",
};
#define WANTED_COUNT (sizeof(wanted) / sizeof(wanted[0]))
/* Section 0, the wanted ones, the names. */
#define HEADER_COUNT (WANTED_COUNT + 2)
#define NAME_BYTES_MAX 256

struct part {
	uint32_t source; /* section of the foreign file; 0: absent */
	size_t offset;
	uint64_t byte_count;
};

/* Numbers in the byte order of the foreign file. */
struct put {
	const struct image *image;
	uint8_t *to;
};

static void put_number(struct put *put, uint64_t value, size_t byte_count)
{
	uint8_t bytes[8];

	/* Written through the reader's own swap: it is its own inverse. */
	if (byte_count == 2) {
		uint16_t number = (uint16_t)value;

		number = image_u16(put->image, &number);
		memcpy(bytes, &number, sizeof(number));
	} else if (byte_count == 4) {
		uint32_t number = (uint32_t)value;

		number = image_u32(put->image, &number);
		memcpy(bytes, &number, sizeof(number));
	} else {
		value = image_u64(put->image, &value);
		memcpy(bytes, &value, sizeof(value));
	}
	memcpy(put->to, bytes, byte_count);
	put->to += byte_count;
}

static void put_word(struct put *put, uint64_t value)
{
	put_number(put, value, put->image->is_64 ? 8 : 4);
}

static size_t header_bytes(const struct image *image)
{
	return image->is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
}

static size_t entry_bytes(const struct image *image)
{
	return image->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
}

static size_t aligned(size_t offset)
{
	return (offset + PART_ALIGNMENT - 1) / PART_ALIGNMENT * PART_ALIGNMENT;
}

static void put_header(struct put *put)
{
	const struct image *image = put->image;
	const uint16_t probe = 1;
	bool little = image_u16(image, &probe) == (uint16_t)1
		? __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
		: __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__;
	const uint8_t identity[EI_NIDENT] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
		image->is_64 ? ELFCLASS64 : ELFCLASS32, little ? ELFDATA2LSB : ELFDATA2MSB,
		EV_CURRENT};

	memcpy(put->to, identity, sizeof(identity));
	put->to += sizeof(identity);
	put_number(put, ET_EXEC, 2);
	put_number(put, image->machine, 2);
	put_number(put, EV_CURRENT, 4);
	put_word(put, 0);
	put_word(put, 0);
	put_word(put, aligned(header_bytes(image)));
	put_number(put, 0, 4);
	put_number(put, header_bytes(image), 2);
	put_number(put, 0, 2);
	put_number(put, 0, 2);
	put_number(put, entry_bytes(image), 2);
	put_number(put, HEADER_COUNT, 2);
	put_number(put, HEADER_COUNT - 1, 2);
}

static void put_section(
	struct put *put, uint32_t name, uint32_t type, size_t offset, uint64_t byte_count)
{
	put_number(put, name, 4);
	put_number(put, type, 4);
	put_word(put, 0);
	put_word(put, 0);
	put_word(put, offset);
	put_word(put, byte_count);
	put_number(put, 0, 4);
	put_number(put, 0, 4);
	put_word(put, 1);
	put_word(put, 0);
}

/* Finds the wanted sections and gives each its place; *RET_BYTE_COUNT is the length of the whole.
 */
static int lay_out(const struct image *image, const struct section_names *names, size_t bytes_max,
	struct part parts[HEADER_COUNT], size_t *ret_byte_count)
{
	size_t at = aligned(aligned(header_bytes(image)) + HEADER_COUNT * entry_bytes(image));

	parts[HEADER_COUNT - 1] = (struct part){.offset = at, .byte_count = NAME_BYTES_MAX};
	at = aligned(at + NAME_BYTES_MAX);
	for (size_t i = 0; i < WANTED_COUNT; i++) {
		struct part *part = &parts[i + 1];
		int r;

		part->source = section_find(image, names, wanted[i]);
		if (part->source == 0)
			continue;
		r = section_byte_count(image, names, part->source, &part->byte_count);
		if (r == -ENOENT) {
			part->source = 0;
			continue;
		}
		if (r < 0)
			return r;
		if (part->byte_count > bytes_max || at > bytes_max - part->byte_count)
			return -EFBIG;
		part->offset = at;
		at = aligned(at + part->byte_count);
	}
	*ret_byte_count = at;
	return parts[1].source && parts[2].source ? 0 : -ENOENT;
}

static void put_tables(
	const struct image *image, const struct part parts[HEADER_COUNT], uint8_t *bytes)
{
	struct put put = {.image = image, .to = bytes};
	char *texts = (char *)bytes + parts[HEADER_COUNT - 1].offset;
	size_t text = 1;

	put_header(&put);
	put.to = bytes + aligned(header_bytes(image));
	put_section(&put, 0, SHT_NULL, 0, 0);
	for (size_t i = 0; i < WANTED_COUNT; i++) {
		const struct part *part = &parts[i + 1];
		size_t length = strlen(wanted[i]) + 1;

		memcpy(texts + text, wanted[i], length);
		put_section(&put, part->source ? (uint32_t)text : 0,
			part->source ? SHT_PROGBITS : SHT_NULL, part->offset, part->byte_count);
		text += length;
	}
	put_section(&put, 0, SHT_STRTAB, parts[HEADER_COUNT - 1].offset, NAME_BYTES_MAX);
}

int dwarf_image_make(const struct image *image, const struct section_names *names, size_t bytes_max,
	struct dwarf_image *ret_dwarf)
{
	struct part parts[HEADER_COUNT] = {0};
	struct dwarf_image dwarf = {0};
	int r = lay_out(image, names, bytes_max, parts, &dwarf.byte_count);

	if (r < 0)
		return r;
	dwarf.bytes = calloc(1, dwarf.byte_count);
	if (!dwarf.bytes)
		return -ENOMEM;
	put_tables(image, parts, dwarf.bytes);
	for (size_t i = 1; r == 0 && i <= WANTED_COUNT; i++) {
		if (parts[i].source)
			r = section_read_into(image, names, parts[i].source,
				dwarf.bytes + parts[i].offset, parts[i].byte_count);
	}
	if (r < 0) {
		dwarf_image_done(&dwarf);
		return r;
	}
	*ret_dwarf = dwarf;
	return 0;
}

void dwarf_image_done(struct dwarf_image *dwarf)
{
	free(dwarf->bytes);
	*dwarf = (struct dwarf_image){0};
}
