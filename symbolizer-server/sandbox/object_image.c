/* SPDX-License-Identifier: Apache-2.0 */
/* Where sections are laid:
 *
 *   0           debug sections, whose "addresses" are offsets
 *   TEXT_START  .text, with code before and behind it in the order of the file
 *   FAR_START   data, and code that is gone once the module is loaded: never asked for
 *
 * Neither lies near 0, which debug information of old also uses for "nothing".
 */
#include "symbolizer-server/sandbox/object_image.h"

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "store/base/cleanup.h"
#include "symbolizer-server/sandbox/object_relocation.h"

#define TEXT_START (UINT64_C(1) << 32)
#define FAR_START (UINT64_C(1) << 40)
/* All code, and then all data, of one module; a kernel has 2 GiB for all of them. */
#define LAID_BYTES_MAX (UINT64_C(1) << 31)
#define ALIGNMENT_MAX (UINT64_C(1) << 21)
/* Of what is copied to be changed: the largest modules have some 200 MiB. */
#define COPIED_BYTES_MAX (UINT64_C(1) << 30)
#define RELOCATION_BYTES_MAX ((size_t)1 << 30)

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static bool is_code(const struct image_section *section)
{
	return (section->flags & SHF_ALLOC) && (section->flags & SHF_EXECINSTR);
}

/* ---- Addresses ---- */

static int place(uint64_t *at, const struct image_section *section, uint64_t *ret_offset)
{
	uint64_t alignment = section->alignment ? section->alignment : 1;

	if (alignment > ALIGNMENT_MAX || (alignment & (alignment - 1)) != 0)
		return -EBADMSG;
	*ret_offset = (*at + alignment - 1) / alignment * alignment;
	if (section->byte_count > LAID_BYTES_MAX ||
		*ret_offset > LAID_BYTES_MAX - section->byte_count)
		return -EBADMSG;
	*at = *ret_offset + section->byte_count;
	return 0;
}

static int lay_out(struct image *image, const struct section_names *names, uint32_t text)
{
	uint64_t code_at = 0, far_at = 0, offset = 0;
	uint64_t text_offset;
	int r = 0;

	for (uint32_t i = 1; r == 0 && i < image->section_count; i++) {
		struct image_section *section = &image->sections[i];

		section->address = 0;
		if (!(section->flags & SHF_ALLOC))
			continue;
		if ((section->flags & SHF_EXECINSTR) &&
			!begins(section_name(image, names, i), ".init")) {
			r = place(&code_at, section, &section->address);
			continue;
		}
		section->flags &= ~(uint64_t)SHF_EXECINSTR;
		r = place(&far_at, section, &offset);
		section->address = FAR_START + offset;
	}
	if (r < 0)
		return r;
	text_offset = image->sections[text].address;
	for (uint32_t i = 1; i < image->section_count; i++) {
		struct image_section *section = &image->sections[i];

		if (is_code(section))
			section->address += TEXT_START - text_offset;
	}
	return 0;
}

/* ---- Contents ---- */

/* A damaged section is none; the others may do. */
static bool survivable(int error)
{
	return error == -ENOENT || error == -EBADMSG || error == -ENOTSUP;
}

/* What the readers look into; the rest is not there. */
static bool is_needed(const struct image *image, const struct section_names *names, uint32_t index)
{
	const struct image_section *section = &image->sections[index];
	const char *name = section_name(image, names, index);

	/* By that name a section would be taken for one that is packed. */
	if ((section->flags & SHF_ALLOC) || begins(name, ".zdebug_"))
		return false;
	return section->type == SHT_SYMTAB || section->type == SHT_STRTAB ||
		(section->type == SHT_PROGBITS &&
			(begins(name, ".debug_") || strcmp(name, ".gnu_debugaltlink") == 0));
}

/* Turns the sections of OBJECT into those of its memory, of which this gives the size. */
static int plan_copies(const struct image *file, const struct section_names *names,
	struct image *image, uint64_t *ret_byte_count)
{
	uint64_t at = 0, byte_count;
	int r;

	for (uint32_t i = 1; i < file->section_count; i++) {
		struct image_section *section = &image->sections[i];

		if (!is_needed(file, names, i)) {
			section->type = section->flags & SHF_ALLOC ? SHT_NOBITS : SHT_NULL;
			continue;
		}
		r = section_byte_count(file, names, i, &byte_count);
		if (survivable(r)) {
			section->type = SHT_NULL;
			continue;
		}
		if (r < 0)
			return r;
		if (byte_count > COPIED_BYTES_MAX - at)
			return -EFBIG;
		section->offset = at;
		section->byte_count = byte_count;
		section->flags &= ~(uint64_t)SHF_COMPRESSED;
		/* Addresses within are read where they stand. */
		at = (at + byte_count + 15) / 16 * 16;
	}
	*ret_byte_count = at;
	return 0;
}

static int copy_contents(
	const struct image *file, const struct section_names *names, struct object_image *object)
{
	int r = 0;

	for (uint32_t i = 1; r == 0 && i < file->section_count; i++) {
		struct image_section *section = &object->image.sections[i];

		if (section->type == SHT_NOBITS || section->type == SHT_NULL)
			continue;
		r = section_read_into(
			file, names, i, object->memory + section->offset, section->byte_count);
		if (survivable(r)) {
			section->type = SHT_NULL;
			r = 0;
		}
	}
	return r;
}

/* ---- Symbols and relocations ---- */

static uint32_t find_symbols(const struct image *image)
{
	for (uint32_t i = 1; i < image->section_count; i++)
		if (image->sections[i].type == SHT_SYMTAB)
			return i;
	return 0;
}

/* A symbol says how far behind the beginning of its section it stands. */
static struct object_symbols place_symbols(struct object_image *object, uint32_t index)
{
	const struct image *image = &object->image;
	const struct image_section *section = &image->sections[index];
	uint8_t *entries = object->memory + section->offset;
	size_t count = index > 0 ? section->byte_count / sizeof(Elf64_Sym) : 0;

	for (size_t i = 0; i < count; i++) {
		Elf64_Sym symbol;

		memcpy(&symbol, entries + i * sizeof(symbol), sizeof(symbol));
		if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= image->section_count)
			continue;
		symbol.st_value += image->sections[symbol.st_shndx].address;
		memcpy(entries + i * sizeof(symbol), &symbol, sizeof(symbol));
	}
	return (struct object_symbols){entries, count};
}

static int relocate(const struct image *file, const struct section_names *names, uint32_t index,
	const struct object_symbols *symbols, struct object_image *object)
{
	const struct image_section *target = &object->image.sections[file->sections[index].info];
	SCOPED_FREE uint8_t *entries = NULL;
	size_t byte_count;
	int r;

	if (file->sections[index].type != SHT_RELA)
		return -ENOTSUP;
	r = section_read(file, names, index, RELOCATION_BYTES_MAX, &entries, &byte_count);
	if (r < 0)
		return r;
	return object_relocate(file->machine, symbols, entries, byte_count / sizeof(Elf64_Rela),
		object->memory + target->offset, target->byte_count);
}

static int relocate_all(
	const struct image *file, const struct section_names *names, struct object_image *object)
{
	uint32_t table = find_symbols(&object->image);
	struct object_symbols symbols = place_symbols(object, table);
	int r = 0;

	for (uint32_t i = 1; r == 0 && i < file->section_count; i++) {
		const struct image_section *section = &file->sections[i];
		struct image_section *target;

		if ((section->type != SHT_RELA && section->type != SHT_REL) ||
			section->info >= file->section_count)
			continue;
		target = &object->image.sections[section->info];
		if (target->type != SHT_PROGBITS)
			continue;
		r = section->link == table && table > 0 ? relocate(file, names, i, &symbols, object)
							: -EBADMSG;
		if (survivable(r)) {
			target->type = SHT_NULL;
			r = 0;
		}
	}
	return r;
}

/* ---- Opening ---- */

static int copy_head(const struct image *file, struct image *ret_image)
{
	*ret_image = *file;
	ret_image->segments = NULL;
	ret_image->segment_count = 0;
	ret_image->sections = calloc(file->section_count, sizeof(*ret_image->sections));
	if (!ret_image->sections)
		return -ENOMEM;
	memcpy(ret_image->sections, file->sections,
		file->section_count * sizeof(*ret_image->sections));
	ret_image->fd = -1;
	return 0;
}

static int fill(
	const struct image *file, const struct section_names *names, struct object_image *object)
{
	uint64_t byte_count = 0;
	int r = plan_copies(file, names, &object->image, &byte_count);

	if (r < 0)
		return r;
	object->memory_bytes = byte_count ? byte_count : 1;
	object->memory = mmap(NULL, object->memory_bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (object->memory == MAP_FAILED) {
		object->memory = NULL;
		return -ENOMEM;
	}
	object->image.memory = object->memory;
	object->image.byte_count = object->memory_bytes;
	r = copy_contents(file, names, object);
	return r == 0 ? relocate_all(file, names, object) : r;
}

int object_image_open(const struct image *file, const struct section_names *names,
	struct object_image *ret_object)
{
	struct object_image object = {.start = TEXT_START};
	uint32_t text = section_find(file, names, ".text");
	int r;

	if (!file->is_64 || file->swapped || BYTE_ORDER != LITTLE_ENDIAN ||
		!object_machine_known(file->machine))
		return -ENOTSUP;
	if (text == 0 || !is_code(&file->sections[text]))
		return -ENOENT;
	r = copy_head(file, &object.image);
	if (r == 0)
		r = lay_out(&object.image, names, text);
	if (r == 0)
		r = fill(file, names, &object);
	if (r < 0) {
		object_image_done(&object);
		return r;
	}
	*ret_object = object;
	return 0;
}

void object_image_done(struct object_image *object)
{
	if (object->memory)
		munmap(object->memory, object->memory_bytes);
	image_done(&object->image);
	*object = (struct object_image){.start = 0};
}
