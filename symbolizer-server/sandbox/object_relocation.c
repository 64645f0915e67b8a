/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/object_relocation.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

/* Of AArch64's two numbers for "none", the one that <elf.h> does not name. */
#define AARCH64_NONE_OTHER 256

struct kind {
	uint16_t machine;
	uint16_t type;
	uint8_t byte_count; /* 0: nothing is written */
	bool relative;
};

static const struct kind kinds[] = {
	{EM_X86_64, R_X86_64_64, 8, false},
	{EM_X86_64, R_X86_64_32, 4, false},
	{EM_X86_64, R_X86_64_32S, 4, false},
	{EM_X86_64, R_X86_64_PC32, 4, true},
	{EM_X86_64, R_X86_64_PC64, 8, true},
	{EM_X86_64, R_X86_64_16, 2, false},
	{EM_X86_64, R_X86_64_PC16, 2, true},
	{EM_X86_64, R_X86_64_8, 1, false},
	{EM_X86_64, R_X86_64_PC8, 1, true},
	{EM_X86_64, R_X86_64_DTPOFF32, 4, false},
	{EM_X86_64, R_X86_64_DTPOFF64, 8, false},
	{EM_X86_64, R_X86_64_NONE, 0, false},
	{EM_AARCH64, R_AARCH64_ABS64, 8, false},
	{EM_AARCH64, R_AARCH64_ABS32, 4, false},
	{EM_AARCH64, R_AARCH64_ABS16, 2, false},
	{EM_AARCH64, R_AARCH64_PREL64, 8, true},
	{EM_AARCH64, R_AARCH64_PREL32, 4, true},
	{EM_AARCH64, R_AARCH64_PREL16, 2, true},
	{EM_AARCH64, R_AARCH64_TLS_DTPREL, 8, false},
	{EM_AARCH64, R_AARCH64_NONE, 0, false},
	{EM_AARCH64, AARCH64_NONE_OTHER, 0, false},
};

bool object_machine_known(uint16_t machine)
{
	return machine == EM_X86_64 || machine == EM_AARCH64;
}

static const struct kind *find_kind(uint16_t machine, uint32_t type)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].machine == machine && kinds[i].type == type)
			return &kinds[i];
	return NULL;
}

static int relocate_one(const struct kind *kind, const struct object_symbols *symbols,
	const Elf64_Rela *entry, uint8_t *bytes, size_t byte_count)
{
	uint64_t index = ELF64_R_SYM(entry->r_info), value;
	Elf64_Sym symbol;

	if (kind->byte_count == 0)
		return 0;
	if (index >= symbols->entry_count || entry->r_offset > byte_count ||
		kind->byte_count > byte_count - entry->r_offset)
		return -EBADMSG;
	memcpy(&symbol, symbols->entries + index * sizeof(symbol), sizeof(symbol));
	value = symbol.st_value + (uint64_t)entry->r_addend;
	if (kind->relative)
		value -= entry->r_offset;
	/* Little-endian as the file is: the lowest bytes come first. */
	for (uint8_t i = 0; i < kind->byte_count; i++)
		bytes[entry->r_offset + i] = (uint8_t)(value >> 8 * i);
	return 0;
}

int object_relocate(uint16_t machine, const struct object_symbols *symbols, const uint8_t *entries,
	size_t entry_count, uint8_t *bytes, size_t byte_count)
{
	const struct kind *kind = NULL;

	for (size_t i = 0; i < entry_count; i++) {
		Elf64_Rela entry;
		uint32_t type;
		int r;

		memcpy(&entry, entries + i * sizeof(entry), sizeof(entry));
		type = (uint32_t)ELF64_R_TYPE(entry.r_info);
		/* There are runs of one kind. */
		if (!kind || kind->type != type)
			kind = find_kind(machine, type);
		if (!kind)
			return -ENOTSUP;
		r = relocate_one(kind, symbols, &entry, bytes, byte_count);
		if (r < 0)
			return r;
	}
	return 0;
}
