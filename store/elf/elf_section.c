/* SPDX-License-Identifier: Apache-2.0 */
#include "store/elf/elf_section.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/base/compress.h"
#include "store/base/deflate.h"
#include "store/base/whole_io.h"

/* ELFCOMPRESS_ZSTD, which the headers of older C libraries lack. */
#define COMPRESSION_ZSTD 2
/* `ZLIB` and the inflated size in big-endian order stand before the data of a `.zdebug_` section.
 */
#define OLD_HEADER_BYTES 12
/* Names of all sections together; a program has some hundreds of bytes of them. */
#define NAME_TABLE_BYTES_MAX (4u << 20)

int section_names_read(const struct image *image, struct section_names *ret_names)
{
	struct section_names names = {0};
	size_t byte_count = 0;
	uint8_t *bytes = NULL;
	int r;

	if (image->name_section == 0)
		return -ENOENT;
	r = section_read(
		image, &names, image->name_section, NAME_TABLE_BYTES_MAX, &bytes, &byte_count);
	if (r < 0)
		return r;
	/* A table that does not end in NUL would let its last name run on. */
	if (byte_count == 0 || bytes[byte_count - 1] != '\0') {
		free(bytes);
		return -EBADMSG;
	}
	*ret_names = (struct section_names){.text = (char *)bytes, .byte_count = byte_count};
	return 0;
}

void section_names_done(struct section_names *names)
{
	free(names->text);
	*names = (struct section_names){0};
}

const char *section_name(
	const struct image *image, const struct section_names *names, uint32_t index)
{
	uint32_t name;

	if (index >= image->section_count)
		return "";
	name = image->sections[index].name;
	return name < names->byte_count ? names->text + name : "";
}

uint32_t section_find(
	const struct image *image, const struct section_names *names, const char *name)
{
	bool debug = strncmp(name, ".debug_", 7) == 0;

	for (uint32_t i = 1; i < image->section_count; i++) {
		const char *found = section_name(image, names, i);

		if (strcmp(found, name) == 0)
			return i;
		if (debug && strncmp(found, ".zdebug_", 8) == 0 && strcmp(found + 8, name + 7) == 0)
			return i;
	}
	return 0;
}

/* zlib packs at most 1032 to 1 and zstd a block of 128 KiB into four bytes: a size beyond that is a
 * lie that would cost memory to find out. */
static bool plausible(uint64_t inflated, uint64_t byte_count)
{
	return inflated / 65536 <= byte_count;
}

/* How the contents of a section are packed. */
struct packing {
	uint32_t way; /* ELFCOMPRESS_*, 0: not packed */
	uint32_t header_bytes; /* before the packed data */
	uint64_t byte_count; /* once inflated */
};

static int read_new_header(
	const struct image *image, const struct image_section *section, struct packing *ret_packing)
{
	size_t header_bytes = image->is_64 ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
	uint8_t bytes[sizeof(Elf64_Chdr)];
	int r;

	if (section->byte_count < header_bytes)
		return -EBADMSG;
	r = image_read(image, section->offset, bytes, header_bytes);
	if (r < 0)
		return r;
	ret_packing->way = image_u32(image, bytes);
	ret_packing->header_bytes = (uint32_t)header_bytes;
	ret_packing->byte_count = image->is_64
		? image_u64(image, bytes + offsetof(Elf64_Chdr, ch_size))
		: image_u32(image, bytes + offsetof(Elf32_Chdr, ch_size));
	return 0;
}

static int read_old_header(
	const struct image *image, const struct image_section *section, struct packing *ret_packing)
{
	uint8_t bytes[OLD_HEADER_BYTES];
	uint64_t byte_count = 0;
	int r;

	if (section->byte_count < sizeof(bytes))
		return -EBADMSG;
	r = image_read(image, section->offset, bytes, sizeof(bytes));
	if (r < 0)
		return r;
	if (memcmp(bytes, "ZLIB", 4) != 0)
		return -EBADMSG;
	for (size_t i = 4; i < sizeof(bytes); i++)
		byte_count = byte_count << 8 | bytes[i];
	*ret_packing = (struct packing){.way = ELFCOMPRESS_ZLIB,
		.header_bytes = OLD_HEADER_BYTES,
		.byte_count = byte_count};
	return 0;
}

static int read_packing(const struct image *image, const struct section_names *names,
	uint32_t index, struct packing *ret_packing)
{
	const struct image_section *section;
	struct packing packing = {0};
	int r = 0;

	if (index == 0 || index >= image->section_count)
		return -ENOENT;
	section = &image->sections[index];
	if (section->type == SHT_NOBITS || section->type == SHT_NULL)
		return -ENOENT;
	if (section->offset > image->byte_count ||
		section->byte_count > image->byte_count - section->offset)
		return -EBADMSG;
	if (section->flags & SHF_COMPRESSED)
		r = read_new_header(image, section, &packing);
	else if (strncmp(section_name(image, names, index), ".zdebug_", 8) == 0)
		r = read_old_header(image, section, &packing);
	else
		packing.byte_count = section->byte_count;
	if (r < 0)
		return r;
	if (packing.way && !plausible(packing.byte_count, section->byte_count))
		return -EBADMSG;
	*ret_packing = packing;
	return 0;
}

int section_byte_count(const struct image *image, const struct section_names *names, uint32_t index,
	uint64_t *ret_byte_count)
{
	struct packing packing;
	int r = read_packing(image, names, index, &packing);

	if (r < 0)
		return r;
	*ret_byte_count = packing.byte_count;
	return 0;
}

static int unpack(const struct image *image, const struct image_section *section,
	const struct packing *packing, uint8_t *to)
{
	size_t byte_count = section->byte_count - packing->header_bytes;
	SCOPED_FREE uint8_t *bytes = malloc(byte_count ? byte_count : 1);
	int r;

	if (!bytes)
		return -ENOMEM;
	r = image_read(image, section->offset + packing->header_bytes, bytes, byte_count);
	if (r < 0)
		return r;
	if (packing->way == ELFCOMPRESS_ZLIB) {
		return packing->byte_count
			? inflate_exactly(bytes, byte_count, to, packing->byte_count)
			: 0;
	}
	if (packing->way == COMPRESSION_ZSTD)
		return decompress_exactly(bytes, byte_count, to, packing->byte_count);
	return -ENOTSUP;
}

int section_read_into(const struct image *image, const struct section_names *names, uint32_t index,
	uint8_t *ret_to, size_t to_byte_count)
{
	struct packing packing;
	int r = read_packing(image, names, index, &packing);

	if (r < 0)
		return r;
	if (packing.byte_count != to_byte_count)
		return -EBADMSG;
	if (packing.way == 0)
		return image_read(image, image->sections[index].offset, ret_to, to_byte_count);
	return unpack(image, &image->sections[index], &packing, ret_to);
}

int section_read(const struct image *image, const struct section_names *names, uint32_t index,
	size_t bytes_max, uint8_t **ret_bytes, size_t *ret_byte_count)
{
	SCOPED_FREE uint8_t *bytes = NULL;
	uint64_t byte_count;
	int r = section_byte_count(image, names, index, &byte_count);

	if (r < 0)
		return r;
	if (byte_count > bytes_max)
		return -EFBIG;
	bytes = malloc(byte_count ? byte_count : 1);
	if (!bytes)
		return -ENOMEM;
	r = section_read_into(image, names, index, bytes, byte_count);
	if (r < 0)
		return r;
	*ret_bytes = TAKE(bytes);
	*ret_byte_count = byte_count;
	return 0;
}

bool section_is_packed(const struct image *image, const struct section_names *names, uint32_t index)
{
	struct packing packing;

	return read_packing(image, names, index, &packing) == 0 && packing.way != 0;
}

static int write_unpacked(
	const struct packing *packing, const uint8_t *bytes, size_t byte_count, int to_fd)
{
	bytes += packing->header_bytes;
	byte_count -= packing->header_bytes;
	if (packing->way == 0)
		return whole_write(to_fd, bytes, byte_count);
	if (packing->way == ELFCOMPRESS_ZLIB)
		return inflate_write(bytes, byte_count, to_fd, packing->byte_count);
	if (packing->way == COMPRESSION_ZSTD)
		return decompress_write(bytes, byte_count, to_fd, packing->byte_count);
	return -ENOTSUP;
}

int section_write(
	const struct image *image, const struct section_names *names, uint32_t index, int to_fd)
{
	const struct image_section *section;
	struct packing packing;
	uint64_t lead;
	uint8_t *bytes;
	int r = read_packing(image, names, index, &packing);

	if (r < 0)
		return r;
	section = &image->sections[index];
	if (section->byte_count == 0)
		return 0;
	if (image->fd < 0)
		return write_unpacked(
			&packing, image->memory + section->offset, section->byte_count, to_fd);
	lead = section->offset % (uint64_t)sysconf(_SC_PAGESIZE);
	bytes = mmap(NULL, section->byte_count + lead, PROT_READ, MAP_PRIVATE, image->fd,
		(off_t)(section->offset - lead));
	if (bytes == MAP_FAILED)
		return errno == ENOMEM ? -ENOMEM : -EIO;
	r = write_unpacked(&packing, bytes + lead, section->byte_count, to_fd);
	munmap(bytes, section->byte_count + lead);
	return r;
}
