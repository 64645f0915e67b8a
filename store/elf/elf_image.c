/* SPDX-License-Identifier: Apache-2.0 */
#include "store/elf/elf_image.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/base/whole_io.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OWN_BYTE_ORDER ELFDATA2LSB
#else
#define OWN_BYTE_ORDER ELFDATA2MSB
#endif

/* Where a table stands, from the ELF header. */
struct table {
	uint64_t offset;
	uint32_t count;
	uint32_t entry_bytes;
};

uint16_t image_u16(const struct image *image, const void *bytes)
{
	uint16_t value;

	memcpy(&value, bytes, sizeof(value));
	return image->swapped ? __builtin_bswap16(value) : value;
}

uint32_t image_u32(const struct image *image, const void *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return image->swapped ? __builtin_bswap32(value) : value;
}

uint64_t image_u64(const struct image *image, const void *bytes)
{
	uint64_t value;

	memcpy(&value, bytes, sizeof(value));
	return image->swapped ? __builtin_bswap64(value) : value;
}

int image_read(const struct image *image, uint64_t offset, void *ret_bytes, size_t byte_count)
{
	if (offset > image->byte_count || byte_count > image->byte_count - offset)
		return -EBADMSG;
	if (image->memory) {
		memcpy(ret_bytes, image->memory + offset, byte_count);
		return 0;
	}
	return whole_read_at(image->fd, offset, ret_bytes, byte_count);
}

/* Reads the member MEMBER of the 32- or 64-bit form of a struct; each form has its own width. */
#define WORD(image, bytes, type, member)                                               \
	((image)->is_64 ? image_u64((image), (bytes) + offsetof(Elf64_##type, member)) \
			: image_u32((image), (bytes) + offsetof(Elf32_##type, member)))
#define HALF(image, bytes, type, member)                                 \
	image_u16((image),                                               \
		(bytes) +                                                \
			((image)->is_64 ? offsetof(Elf64_##type, member) \
					: offsetof(Elf32_##type, member)))
#define LONG(image, bytes, type, member)                                 \
	image_u32((image),                                               \
		(bytes) +                                                \
			((image)->is_64 ? offsetof(Elf64_##type, member) \
					: offsetof(Elf32_##type, member)))

static struct image_section decode_section(const struct image *image, const uint8_t *bytes)
{
	return (struct image_section){
		.name = LONG(image, bytes, Shdr, sh_name),
		.type = LONG(image, bytes, Shdr, sh_type),
		.flags = WORD(image, bytes, Shdr, sh_flags),
		.address = WORD(image, bytes, Shdr, sh_addr),
		.offset = WORD(image, bytes, Shdr, sh_offset),
		.byte_count = WORD(image, bytes, Shdr, sh_size),
		.entry_bytes = WORD(image, bytes, Shdr, sh_entsize),
		.alignment = WORD(image, bytes, Shdr, sh_addralign),
		.link = LONG(image, bytes, Shdr, sh_link),
		.info = LONG(image, bytes, Shdr, sh_info),
	};
}

static struct image_segment decode_segment(const struct image *image, const uint8_t *bytes)
{
	return (struct image_segment){
		.type = LONG(image, bytes, Phdr, p_type),
		.flags = LONG(image, bytes, Phdr, p_flags),
		.offset = WORD(image, bytes, Phdr, p_offset),
		.address = WORD(image, bytes, Phdr, p_vaddr),
		.file_bytes = WORD(image, bytes, Phdr, p_filesz),
		.memory_bytes = WORD(image, bytes, Phdr, p_memsz),
		.alignment = WORD(image, bytes, Phdr, p_align),
	};
}

static uint32_t section_header_bytes(const struct image *image)
{
	return image->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
}

/* Counts that do not fit 16 bits stand in section 0: "extended numbering". */
static int extend_counts(const struct image *image, struct table *segments, struct table *sections,
	uint32_t *name_index)
{
	uint8_t bytes[sizeof(Elf64_Shdr)];
	struct image_section first;
	int r;

	if (segments->count != PN_XNUM && *name_index != SHN_XINDEX &&
		(sections->count != 0 || sections->offset == 0))
		return 0;
	if (sections->offset == 0 || sections->entry_bytes != section_header_bytes(image))
		return -EBADMSG;
	r = image_read(image, sections->offset, bytes, sections->entry_bytes);
	if (r < 0)
		return r;
	first = decode_section(image, bytes);
	if (segments->count == PN_XNUM)
		segments->count = first.info;
	if (*name_index == SHN_XINDEX)
		*name_index = first.link;
	if (sections->count == 0) {
		if (first.byte_count > IMAGE_SECTION_COUNT_MAX)
			return -E2BIG;
		sections->count = (uint32_t)first.byte_count;
	}
	return 0;
}

static int read_table(const struct image *image, const struct table *table, uint8_t **ret_bytes)
{
	size_t byte_count = (size_t)table->count * table->entry_bytes;
	SCOPED_FREE uint8_t *bytes = malloc(byte_count ? byte_count : 1);
	int r;

	if (!bytes)
		return -ENOMEM;
	r = image_read(image, table->offset, bytes, byte_count);
	if (r < 0)
		return r;
	*ret_bytes = TAKE(bytes);
	return 0;
}

static int read_segments(struct image *image, const struct table *table)
{
	SCOPED_FREE uint8_t *bytes = NULL;
	int r;

	if (table->count == 0)
		return 0;
	if (table->count > IMAGE_SEGMENT_COUNT_MAX)
		return -E2BIG;
	if (table->entry_bytes != (image->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)))
		return -EBADMSG;
	r = read_table(image, table, &bytes);
	if (r < 0)
		return r;
	image->segments = calloc(table->count, sizeof(*image->segments));
	if (!image->segments)
		return -ENOMEM;
	for (uint32_t i = 0; i < table->count; i++)
		image->segments[i] = decode_segment(image, bytes + (size_t)i * table->entry_bytes);
	image->segment_count = table->count;
	return 0;
}

static int read_sections(struct image *image, const struct table *table, uint32_t name_index)
{
	SCOPED_FREE uint8_t *bytes = NULL;
	int r;

	if (table->count == 0)
		return 0;
	if (table->count > IMAGE_SECTION_COUNT_MAX)
		return -E2BIG;
	if (table->entry_bytes != section_header_bytes(image))
		return -EBADMSG;
	r = read_table(image, table, &bytes);
	if (r < 0)
		return r;
	image->sections = calloc(table->count, sizeof(*image->sections));
	if (!image->sections)
		return -ENOMEM;
	for (uint32_t i = 0; i < table->count; i++)
		image->sections[i] = decode_section(image, bytes + (size_t)i * table->entry_bytes);
	image->section_count = table->count;
	image->name_section = name_index < table->count ? name_index : 0;
	return 0;
}

static int read_tables(struct image *image, const uint8_t *header, bool with_sections)
{
	struct table segments = {
		.offset = WORD(image, header, Ehdr, e_phoff),
		.count = HALF(image, header, Ehdr, e_phnum),
		.entry_bytes = HALF(image, header, Ehdr, e_phentsize),
	};
	struct table sections = {
		.offset = WORD(image, header, Ehdr, e_shoff),
		.count = HALF(image, header, Ehdr, e_shnum),
		.entry_bytes = HALF(image, header, Ehdr, e_shentsize),
	};
	uint32_t name_index = HALF(image, header, Ehdr, e_shstrndx);
	int r, fault = extend_counts(image, &segments, &sections, &name_index);

	image->entry = WORD(image, header, Ehdr, e_entry);
	if (fault < 0 && segments.count == PN_XNUM)
		return fault;
	r = read_segments(image, &segments);
	if (r < 0 || !with_sections)
		return r;
	r = fault < 0 ? fault : read_sections(image, &sections, name_index);
	/* What a process maps is told by the segments alone. */
	image->sections_missing = r == -EBADMSG && image->segment_count > 0;
	return image->sections_missing ? 0 : r;
}

static int find_length(struct image *image)
{
	struct stat stat;

	if (fstat(image->fd, &stat) < 0)
		return -errno;
	if (!S_ISREG(stat.st_mode))
		return -EBADMSG;
	image->byte_count = (uint64_t)stat.st_size;
	return 0;
}

static int read_header(struct image *image, uint8_t header[sizeof(Elf64_Ehdr)])
{
	int r = image_read(image, 0, header, sizeof(Elf32_Ehdr));

	if (r < 0)
		return r;
	if (memcmp(header, ELFMAG, SELFMAG) != 0 || header[EI_VERSION] != EV_CURRENT)
		return -EBADMSG;
	if (header[EI_CLASS] != ELFCLASS32 && header[EI_CLASS] != ELFCLASS64)
		return -EBADMSG;
	if (header[EI_DATA] != ELFDATA2LSB && header[EI_DATA] != ELFDATA2MSB)
		return -EBADMSG;
	image->is_64 = header[EI_CLASS] == ELFCLASS64;
	image->swapped = header[EI_DATA] != OWN_BYTE_ORDER;
	return image->is_64 ? image_read(image, 0, header, sizeof(Elf64_Ehdr)) : 0;
}

static int open_any(struct image image, bool with_sections, struct image *ret_image)
{
	uint8_t header[sizeof(Elf64_Ehdr)];
	int r = read_header(&image, header);

	if (r < 0)
		return r;
	image.type = HALF(&image, header, Ehdr, e_type);
	image.machine = HALF(&image, header, Ehdr, e_machine);
	r = read_tables(&image, header, with_sections);
	if (r < 0) {
		image_done(&image);
		return r;
	}
	*ret_image = image;
	return 0;
}

int image_open(int fd, bool with_sections, struct image *ret_image)
{
	struct image image = {.fd = fd};
	int r = find_length(&image);

	return r < 0 ? r : open_any(image, with_sections, ret_image);
}

int image_open_memory(
	const uint8_t *bytes, size_t byte_count, bool with_sections, struct image *ret_image)
{
	struct image image = {.fd = -1, .memory = bytes, .byte_count = byte_count};

	return open_any(image, with_sections, ret_image);
}

void image_done(struct image *image)
{
	free(image->segments);
	free(image->sections);
	*image = (struct image){.fd = -1};
}
