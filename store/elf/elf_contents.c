/* SPDX-License-Identifier: Apache-2.0 */
#include "store/elf/elf_contents.h"

#include <elf.h>

static bool has_section(
	const struct image *image, const struct section_names *names, const char *name)
{
	uint32_t index = section_find(image, names, name);

	return index > 0 && image->sections[index].type != SHT_NOBITS &&
		image->sections[index].byte_count > 0;
}

static bool has_code(const struct image *image)
{
	for (uint32_t i = 1; i < image->section_count; i++) {
		const struct image_section *section = &image->sections[i];

		if (section->type == SHT_PROGBITS && (section->flags & SHF_EXECINSTR) &&
			section->byte_count > 0)
			return true;
	}
	for (uint32_t i = 0; image->section_count == 0 && i < image->segment_count; i++) {
		const struct image_segment *segment = &image->segments[i];

		if (segment->type == PT_LOAD && (segment->flags & PF_X) && segment->file_bytes > 0)
			return true;
	}
	return false;
}

struct contents contents_of(const struct image *image, const struct section_names *names)
{
	return (struct contents){
		.has_code = has_code(image),
		.has_table = has_section(image, names, ".symtab"),
		.has_dwarf = has_section(image, names, ".debug_info"),
		.is_package = has_section(image, names, ".debug_cu_index") ||
			has_section(image, names, ".debug_tu_index"),
	};
}
