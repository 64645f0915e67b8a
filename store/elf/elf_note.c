/* SPDX-License-Identifier: Apache-2.0 */
#include "store/elf/elf_note.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/base/sha256.h"
#include "store/base/whole_io.h"

/* Notes of one segment or section: linkers put the build-ID among the first few hundred bytes; the
 * rest (probes of systemtap, package data) is not worth reading. */
#define NOTE_SPAN_BYTES_MAX (256u << 10)
/* What the content hash reads at either end. */
#define HASHED_BYTES 4096
#define HTL_BYTES 16
#define GO_NOTE_BUILD_ID 4

static bool all_zero(const uint8_t *bytes, size_t byte_count)
{
	for (size_t i = 0; i < byte_count; i++)
		if (bytes[i])
			return false;
	return true;
}

/* The bytes of a usable GNU id: an empty, zero or over-long one names nothing. */
static int gnu_id(const uint8_t *bytes, size_t byte_count, struct build_id *ret_id)
{
	if (all_zero(bytes, byte_count) || byte_count > BUILD_ID_BYTES_MAX)
		return -ENOENT;
	return build_id_make(BUILD_ID_GNU, bytes, byte_count, ret_id);
}

/* Go's id is a text, mostly of 83 characters: as it stands if it fits, else its SHA-256. */
static int go_id(const uint8_t *bytes, size_t byte_count, struct build_id *ret_id)
{
	static const char placeholder[] = "redacted";
	uint8_t digest[SHA256_BYTES];
	struct sha256 hash;

	while (byte_count > 0 && bytes[byte_count - 1] == '\0')
		byte_count--;
	if (byte_count == 0)
		return -ENOENT;
	/* Written by build systems instead of an id: not two programs have it in common for real.
	 */
	if (byte_count == strlen(placeholder) && memcmp(bytes, placeholder, byte_count) == 0)
		return -ENOENT;
	if (byte_count <= BUILD_ID_BYTES_MAX)
		return build_id_make(BUILD_ID_GO, bytes, byte_count, ret_id);
	sha256_init(&hash);
	sha256_add(&hash, bytes, byte_count);
	sha256_finish(&hash, digest);
	return build_id_make(BUILD_ID_GO, digest, sizeof(digest), ret_id);
}

/* The start of what follows BYTE_COUNT bytes, by the alignment of the span; UINT64_MAX cannot
 * happen since lengths are 32 bits. */
static uint64_t aligned(uint64_t byte_count, unsigned alignment)
{
	return (byte_count + alignment - 1) / alignment * alignment;
}

/* Walks the notes of a span for the id of KIND. Names and lengths are only taken as far as the span
 * reaches; a note that does not fit ends the walk. */
static int scan(const struct image *image, const uint8_t *bytes, size_t byte_count,
	unsigned alignment, enum build_id_kind kind, struct build_id *ret_id)
{
	uint64_t at = 0;

	while (at + sizeof(Elf64_Nhdr) <= byte_count) {
		uint64_t name_bytes = image_u32(image, bytes + at);
		uint64_t body_bytes = image_u32(image, bytes + at + 4);
		uint32_t type = image_u32(image, bytes + at + 8);
		uint64_t name = at + sizeof(Elf64_Nhdr);
		uint64_t body = aligned(name + name_bytes, alignment);
		int r = -ENOENT;

		if (body > byte_count || body_bytes > byte_count - body)
			return -ENOENT;
		if (kind == BUILD_ID_GNU && type == NT_GNU_BUILD_ID && name_bytes == 4 &&
			memcmp(bytes + name, "GNU", 4) == 0)
			r = gnu_id(bytes + body, body_bytes, ret_id);
		else if (kind == BUILD_ID_GO && type == GO_NOTE_BUILD_ID && name_bytes == 4 &&
			memcmp(bytes + name, "Go\0", 4) == 0)
			r = go_id(bytes + body, body_bytes, ret_id);
		if (r == 0)
			return 0;
		at = aligned(body + body_bytes, alignment);
	}
	return -ENOENT;
}

/* Notes of 4-byte alignment are the rule even in 64-bit files; 8 is taken where it is declared, and
 * the other one tried after it since linkers have declared either for both. */
static int scan_span(const struct image *image, uint64_t offset, uint64_t byte_count,
	uint64_t alignment, enum build_id_kind kind, struct build_id *ret_id)
{
	unsigned first = alignment == 8 ? 8 : 4;
	SCOPED_FREE uint8_t *bytes = NULL;
	int r;

	if (offset > image->byte_count)
		return -ENOENT;
	if (byte_count > image->byte_count - offset)
		byte_count = image->byte_count - offset;
	if (byte_count > NOTE_SPAN_BYTES_MAX)
		byte_count = NOTE_SPAN_BYTES_MAX;
	bytes = malloc(byte_count ? byte_count : 1);
	if (!bytes)
		return -ENOMEM;
	r = image_read(image, offset, bytes, byte_count);
	if (r < 0)
		return r == -EBADMSG ? -ENOENT : r;
	r = scan(image, bytes, byte_count, first, kind, ret_id);
	return r == -ENOENT ? scan(image, bytes, byte_count, 12 - first, kind, ret_id) : r;
}

int note_find(const struct image *image, enum build_id_kind kind, struct build_id *ret_id)
{
	int r = -ENOENT;

	for (uint32_t i = 0; i < image->segment_count && r == -ENOENT; i++) {
		const struct image_segment *segment = &image->segments[i];

		if (segment->type == PT_NOTE)
			r = scan_span(image, segment->offset, segment->file_bytes,
				segment->alignment, kind, ret_id);
	}
	for (uint32_t i = 1; i < image->section_count && r == -ENOENT; i++) {
		const struct image_section *section = &image->sections[i];

		if (section->type == SHT_NOTE)
			r = scan_span(image, section->offset, section->byte_count,
				section->alignment, kind, ret_id);
	}
	return r;
}

int note_content_hash(int fd, struct build_id *ret_id)
{
	uint8_t bytes[HASHED_BYTES], digest[SHA256_BYTES], length[8];
	struct sha256 hash;
	struct stat stat;
	uint64_t byte_count;
	size_t part;
	int r;

	if (fstat(fd, &stat) < 0)
		return -errno;
	byte_count = (uint64_t)stat.st_size;
	if (!S_ISREG(stat.st_mode) || byte_count == 0)
		return -EBADMSG;
	part = byte_count < HASHED_BYTES ? (size_t)byte_count : HASHED_BYTES;
	sha256_init(&hash);
	r = whole_read_at(fd, 0, bytes, part);
	if (r < 0)
		return r;
	sha256_add(&hash, bytes, part);
	r = whole_read_at(fd, byte_count - part, bytes, part);
	if (r < 0)
		return r;
	sha256_add(&hash, bytes, part);
	for (int i = 0; i < 8; i++)
		length[i] = (uint8_t)(byte_count >> (56 - 8 * i));
	sha256_add(&hash, length, sizeof(length));
	sha256_finish(&hash, digest);
	return build_id_make(BUILD_ID_HTL, digest, HTL_BYTES, ret_id);
}

int note_build_id_of_image(const struct image *image, struct build_id *ret_id)
{
	int r = note_find(image, BUILD_ID_GNU, ret_id);

	if (r == -ENOENT)
		r = note_find(image, BUILD_ID_GO, ret_id);
	if (r == -ENOENT)
		r = note_content_hash(image->fd, ret_id);
	return r;
}

int note_build_id(int fd, struct build_id *ret_id)
{
	struct image image;
	int r = image_open(fd, true, &image);

	/* More sections than we read: the notes are in the segments anyhow. */
	if (r == -E2BIG)
		r = image_open(fd, false, &image);
	if (r < 0)
		return r;
	r = note_build_id_of_image(&image, ret_id);
	image_done(&image);
	return r;
}

int note_find_in_span(
	const void *bytes, size_t byte_count, unsigned alignment, struct build_id *ret_id)
{
	static const struct image own_order = {.fd = -1};

	if (alignment != 4 && alignment != 8)
		return -EINVAL;
	return scan(&own_order, bytes, byte_count, alignment, BUILD_ID_GNU, ret_id);
}
