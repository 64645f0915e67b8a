/* SPDX-License-Identifier: Apache-2.0 */
/* Any entries on any section: what is written lies where an entry says and is as long as it says, and
 * the same bytes come out of one run over all entries as of a run for each. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "store/base/must.h"
#include "symbolizer-server/sandbox/object_relocation.h"
#include "tests/fuzz/fuzz.h"

#define SECTION_BYTES 64
#define SYMBOL_COUNT 4

/* Bytes of SECTION that no entry up to now may have changed keep their value. */
static void check_untouched(const uint8_t *section, const Elf64_Rela *entry, const uint8_t *before)
{
	for (size_t i = 0; i < SECTION_BYTES; i++)
		if (i < entry->r_offset || i - entry->r_offset >= 8)
			must(section[i] == before[i]);
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	static const Elf64_Sym symbols[SYMBOL_COUNT] = {{.st_value = 0}, {.st_value = 0x100000000},
		{.st_value = UINT64_MAX}, {.st_value = 0x10000000000}};
	const struct object_symbols table = {(const uint8_t *)symbols, SYMBOL_COUNT};
	uint16_t machine = byte_count > 0 && (bytes[0] & 1) ? EM_AARCH64 : EM_X86_64;
	size_t count = byte_count > 0 ? (byte_count - 1) / sizeof(Elf64_Rela) : 0;
	SCOPED_FREE uint8_t *at_once = calloc(1, SECTION_BYTES), *each = calloc(1, SECTION_BYTES);
	int whole, r = 0;

	must(at_once && each);
	whole = object_relocate(
		machine, &table, count > 0 ? bytes + 1 : bytes, count, at_once, SECTION_BYTES);
	for (size_t i = 0; r == 0 && i < count; i++) {
		uint8_t before[SECTION_BYTES];
		Elf64_Rela entry;

		memcpy(&entry, bytes + 1 + i * sizeof(entry), sizeof(entry));
		memcpy(before, each, sizeof(before));
		r = object_relocate(
			machine, &table, bytes + 1 + i * sizeof(entry), 1, each, SECTION_BYTES);
		check_untouched(each, &entry, before);
		if (r < 0)
			must(memcmp(each, before, sizeof(before)) == 0);
	}
	must(r == whole);
	must(memcmp(at_once, each, SECTION_BYTES) == 0);
}
