/* SPDX-License-Identifier: Apache-2.0 */
/* Tiny ELF: small ELF files, right or wrong on purpose, for tests.
 *
 * What it is   a growing 64- or 32-bit image with segments and sections, laid out at the end.
 * Ownership    tiny_elf_finish gives a malloc'ed image; the builder is a value.
 * Threads      one owner.
 * Errors       more parts than fit end the program: it is the test's own fault.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TINY_SEGMENT_MAX 16
#define TINY_SECTION_MAX 32
#define TINY_BYTES_MAX (1u << 20)

struct tiny_section {
	char name[32];
	uint32_t type;
	uint64_t flags;
	uint64_t address;
	uint64_t alignment;
	uint64_t entry_bytes;
	uint32_t link;
	uint32_t info;
	size_t offset;
	size_t byte_count;
};

struct tiny_segment {
	uint32_t type;
	uint32_t flags;
	uint64_t offset;
	uint64_t address;
	uint64_t file_bytes;
	uint64_t memory_bytes;
	uint64_t alignment;
};

struct tiny_elf {
	bool is_32;
	bool big_endian;
	uint16_t type; /* ET_DYN by default */
	struct tiny_segment segments[TINY_SEGMENT_MAX];
	uint32_t segment_count;
	struct tiny_section sections[TINY_SECTION_MAX];
	uint32_t section_count; /* without section 0 and the table of names */
	uint8_t *bytes; /* contents; the first 4096 bytes are kept for the headers */
	size_t byte_count;
};

void tiny_elf_init(struct tiny_elf *elf);
/* A segment whose place in the file is given freely. */
void tiny_elf_segment(struct tiny_elf *elf, const struct tiny_segment *segment);
/* Appends contents as section NAME and gives its index. */
uint32_t tiny_elf_section(struct tiny_elf *elf, const char *name, uint32_t type, uint64_t flags,
	uint64_t address, const void *bytes, size_t byte_count);
/* The section that tiny_elf_section gave, to change what is said about it. */
struct tiny_section *tiny_elf_section_at(struct tiny_elf *elf, uint32_t index);
/* Appends one note to BYTES (room for it is the caller's care) and gives the new length. */
size_t tiny_note(uint8_t *bytes, size_t byte_count, unsigned alignment, const char *name,
	size_t name_bytes, uint32_t type, const void *body, size_t body_bytes);
/* The whole file; frees the builder's memory. */
uint8_t *tiny_elf_finish(struct tiny_elf *elf, size_t *ret_byte_count);

struct tiny_symbol {
	const char *name;
	uint64_t value;
	uint64_t size;
	uint8_t info; /* ELF64_ST_INFO(binding, type) */
	uint16_t section;
};

/* Adds a table (`.symtab` + `.strtab` or `.dynsym` + `.dynstr`) to a 64-bit little-endian file. */
void tiny_elf_symbols(
	struct tiny_elf *elf, bool dynamic, const struct tiny_symbol *symbols, size_t symbol_count);
