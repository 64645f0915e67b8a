/* SPDX-License-Identifier: Apache-2.0 */
/* Any file taken for an object file: its code is laid behind .text or before it, never over itself,
 * and what can be read of it lies in its memory. */
#include <elf.h>
#include <stdlib.h>

#include "store/base/cleanup.h"
#include "store/base/must.h"
#include "symbolizer-server/sandbox/object_image.h"
#include "tests/fuzz/fuzz.h"

/* Where files come from that inflate to more than this machine has. */
#define FILE_BYTES_MAX ((size_t)64 << 10)

static void check_section(
	const struct object_image *object, const struct section_names *names, uint32_t index)
{
	const struct image_section *section = &object->image.sections[index];
	SCOPED_FREE uint8_t *contents = NULL;
	size_t byte_count;

	if (section->type == SHT_NOBITS || section->type == SHT_NULL)
		return;
	must(section->offset <= object->memory_bytes);
	must(section->byte_count <= object->memory_bytes - section->offset);
	must(section_read(&object->image, names, index, SIZE_MAX, &contents, &byte_count) == 0);
	must(byte_count == section->byte_count);
}

static bool is_code(const struct image_section *section)
{
	return (section->flags & SHF_ALLOC) && (section->flags & SHF_EXECINSTR);
}

static void check_order(const struct image *image)
{
	uint64_t end = 0;

	for (uint32_t i = 1; i < image->section_count; i++) {
		const struct image_section *section = &image->sections[i];

		if (!is_code(section))
			continue;
		must(section->address >= end && section->address > 0);
		end = section->address + section->byte_count;
		must(end >= section->address);
	}
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	struct section_names names = {0};
	struct object_image object;
	struct image image;

	if (byte_count > FILE_BYTES_MAX || image_open_memory(bytes, byte_count, true, &image) < 0)
		return;
	if (section_names_read(&image, &names) == 0 &&
		object_image_open(&image, &names, &object) == 0) {
		uint32_t text = section_find(&image, &names, ".text");

		must(text > 0 && object.image.sections[text].address == object.start);
		check_order(&object.image);
		for (uint32_t i = 1; i < object.image.section_count; i++)
			check_section(&object, &names, i);
		object_image_done(&object);
	}
	section_names_done(&names);
	image_done(&image);
}
