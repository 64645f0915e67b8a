/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/tiny_elf.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"

#define HEADER_ROOM 4096

void tiny_elf_init(struct tiny_elf *elf)
{
	*elf = (struct tiny_elf){.type = ET_DYN, .byte_count = HEADER_ROOM};
	elf->bytes = calloc(1, TINY_BYTES_MAX);
	CHECK(elf->bytes);
}

void tiny_elf_segment(struct tiny_elf *elf, const struct tiny_segment *segment)
{
	CHECK(elf->segment_count < TINY_SEGMENT_MAX);
	elf->segments[elf->segment_count++] = *segment;
}

static size_t append(struct tiny_elf *elf, const void *bytes, size_t byte_count)
{
	size_t at = (elf->byte_count + 15) / 16 * 16;

	CHECK(at + byte_count <= TINY_BYTES_MAX);
	if (byte_count)
		memcpy(elf->bytes + at, bytes, byte_count);
	elf->byte_count = at + byte_count;
	return at;
}

/* NOLINTNEXTLINE(readability-function-size): a line of a fixture tells a whole section. */
uint32_t tiny_elf_section(struct tiny_elf *elf, const char *name, uint32_t type, uint64_t flags,
	uint64_t address, const void *bytes, size_t byte_count)
{
	struct tiny_section *section = &elf->sections[elf->section_count];

	CHECK(elf->section_count < TINY_SECTION_MAX);
	snprintf(section->name, sizeof(section->name), "%s", name);
	section->type = type;
	section->flags = flags;
	section->address = address;
	section->alignment = 1;
	section->byte_count = byte_count;
	section->offset = append(elf, bytes, bytes ? byte_count : 0);
	return ++elf->section_count;
}

struct tiny_section *tiny_elf_section_at(struct tiny_elf *elf, uint32_t index)
{
	CHECK(index >= 1 && index <= elf->section_count);
	return &elf->sections[index - 1];
}

static size_t padded(size_t byte_count, unsigned alignment)
{
	return (byte_count + alignment - 1) / alignment * alignment;
}

/* NOLINTNEXTLINE(readability-function-size): a line of a fixture tells a whole note. */
size_t tiny_note(uint8_t *bytes, size_t byte_count, unsigned alignment, const char *name,
	size_t name_bytes, uint32_t type, const void *body, size_t body_bytes)
{
	uint32_t head[3] = {(uint32_t)name_bytes, (uint32_t)body_bytes, type};
	size_t at = byte_count;
	size_t body_at;

	memcpy(bytes + at, head, sizeof(head));
	at += sizeof(head);
	memcpy(bytes + at, name, name_bytes);
	body_at = padded(at + name_bytes, alignment);
	memset(bytes + at + name_bytes, 0, body_at - at - name_bytes);
	memcpy(bytes + body_at, body, body_bytes);
	at = padded(body_at + body_bytes, alignment);
	memset(bytes + body_at + body_bytes, 0, at - body_at - body_bytes);
	return at;
}

/* Writes the numbers of a header in sequence, in the file's class and byte order. */
struct put {
	const struct tiny_elf *elf;
	uint8_t *to;
};

static void put_number(struct put *put, uint64_t value, int byte_count)
{
	for (int i = 0; i < byte_count; i++) {
		int shift = put->elf->big_endian ? 8 * (byte_count - 1 - i) : 8 * i;

		*put->to++ = (uint8_t)(value >> shift);
	}
}

static void put_word(struct put *put, uint64_t value)
{
	put_number(put, value, put->elf->is_32 ? 4 : 8);
}

static void put_segment(struct put *put, const struct tiny_segment *segment)
{
	bool is_32 = put->elf->is_32;

	put_number(put, segment->type, 4);
	if (!is_32)
		put_number(put, segment->flags, 4);
	put_word(put, segment->offset);
	put_word(put, segment->address);
	put_word(put, segment->address);
	put_word(put, segment->file_bytes);
	put_word(put, segment->memory_bytes);
	if (is_32)
		put_number(put, segment->flags, 4);
	put_word(put, segment->alignment);
}

static void put_section(struct put *put, uint32_t name, const struct tiny_section *section)
{
	put_number(put, name, 4);
	put_number(put, section->type, 4);
	put_word(put, section->flags);
	put_word(put, section->address);
	put_word(put, section->offset);
	put_word(put, section->byte_count);
	put_number(put, section->link, 4);
	put_number(put, section->info, 4);
	put_word(put, section->alignment);
	put_word(put, section->entry_bytes);
}

static void put_header(struct put *put, size_t section_offset)
{
	const struct tiny_elf *elf = put->elf;
	const uint8_t identity[EI_NIDENT] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
		elf->is_32 ? ELFCLASS32 : ELFCLASS64, elf->big_endian ? ELFDATA2MSB : ELFDATA2LSB,
		EV_CURRENT};

	memcpy(put->to, identity, sizeof(identity));
	put->to += sizeof(identity);
	put_number(put, elf->type, 2);
	put_number(put, elf->is_32 ? EM_386 : EM_X86_64, 2);
	put_number(put, EV_CURRENT, 4);
	put_word(put, 0);
	put_word(put, elf->segment_count ? (elf->is_32 ? 52 : 64) : 0);
	put_word(put, section_offset);
	put_number(put, 0, 4);
	put_number(put, elf->is_32 ? 52 : 64, 2);
	put_number(put, elf->is_32 ? 32 : 56, 2);
	put_number(put, elf->segment_count, 2);
	put_number(put, elf->is_32 ? 40 : 64, 2);
	put_number(put, elf->section_count + 2, 2);
	put_number(put, elf->section_count + 1, 2);
}

uint8_t *tiny_elf_finish(struct tiny_elf *elf, size_t *ret_byte_count)
{
	static const struct tiny_section nothing;
	char names[TINY_SECTION_MAX * 32 + 32] = "";
	uint32_t name_at[TINY_SECTION_MAX + 1];
	struct tiny_section name_table = {.type = SHT_STRTAB, .alignment = 1};
	size_t length = 1, section_offset;
	struct put put = {.elf = elf, .to = elf->bytes};

	for (uint32_t i = 0; i < elf->section_count; i++) {
		name_at[i] = (uint32_t)length;
		length += (size_t)sprintf(names + length, "%s", elf->sections[i].name) + 1;
	}
	name_at[elf->section_count] = (uint32_t)length;
	length += (size_t)sprintf(names + length, ".shstrtab") + 1;
	name_table.offset = append(elf, names, length);
	name_table.byte_count = length;
	section_offset = append(elf, NULL, 0);
	elf->byte_count = section_offset + (elf->section_count + 2) * 64;
	CHECK(elf->byte_count <= TINY_BYTES_MAX);

	put_header(&put, section_offset);
	for (uint32_t i = 0; i < elf->segment_count; i++)
		put_segment(&put, &elf->segments[i]);
	put.to = elf->bytes + section_offset;
	put_section(&put, 0, &nothing);
	for (uint32_t i = 0; i < elf->section_count; i++)
		put_section(&put, name_at[i], &elf->sections[i]);
	put_section(&put, name_at[elf->section_count], &name_table);
	*ret_byte_count = elf->byte_count;
	return elf->bytes;
}

void tiny_elf_symbols(
	struct tiny_elf *elf, bool dynamic, const struct tiny_symbol *symbols, size_t symbol_count)
{
	Elf64_Sym table[64] = {0};
	char names[64 * 64] = "";
	size_t length = 1;
	uint32_t index;

	CHECK(symbol_count < 64);
	for (size_t i = 0; i < symbol_count; i++) {
		CHECK(length + strlen(symbols[i].name) + 1 < sizeof(names));
		table[i + 1] = (Elf64_Sym){
			.st_name = (uint32_t)length,
			.st_info = symbols[i].info,
			.st_shndx = symbols[i].section,
			.st_value = symbols[i].value,
			.st_size = symbols[i].size,
		};
		length += (size_t)sprintf(names + length, "%s", symbols[i].name) + 1;
	}
	index = tiny_elf_section(elf, dynamic ? ".dynsym" : ".symtab",
		dynamic ? SHT_DYNSYM : SHT_SYMTAB, 0, 0, table,
		(symbol_count + 1) * sizeof(table[0]));
	tiny_elf_section_at(elf, index)->entry_bytes = sizeof(table[0]);
	tiny_elf_section_at(elf, index)->link = index + 1;
	tiny_elf_section_at(elf, index)->info = 1;
	tiny_elf_section(elf, dynamic ? ".dynstr" : ".strtab", SHT_STRTAB, 0, 0, names, length);
}
