/* SPDX-License-Identifier: Apache-2.0 */
/* The record, little-endian:
 *    0 u8[4] "CFAC" | 4 u8 id kind | 5 u8 id bytes | 6 u8 flags | 7 u8 zero | 8 u32 CRC of the link
 *   12 u8[64] id | 76 u8[256] name of the link, padded by NULs | zeros up to FILE_FACTS_BYTES */
#include "symbolizer-server/sandbox/file_facts.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "store/base/bytes.h"
#include "store/base/cleanup.h"
#include "store/base/must.h"
#include "store/elf/elf_note.h"

#define LINK_BYTES_MAX (FILE_LINK_NAME_BYTES_MAX + 8)
#define LINK_CRC_BYTES 4

enum flag {
	HAS_CODE = 1,
	HAS_TABLE = 2,
	HAS_DWARF = 4,
	IS_PACKAGE = 8,
	IS_OBJECT = 16,
	IS_PACKED = 32,
	FLAGS = 63
};

static const char magic[4] = "CFAC";

bool file_name_is_plain(const char *name)
{
	if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return false;
	for (; *name; name++)
		if (*name == '/' || (unsigned char)*name < ' ' || *name == 0x7f)
			return false;
	return true;
}

/* The name, NUL, padding to four bytes, and the CRC of the file that is meant. */
static int read_link(
	const struct image *image, const struct section_names *names, struct file_facts *facts)
{
	SCOPED_FREE uint8_t *bytes = NULL;
	size_t byte_count, length, at;
	int r = section_read(image, names, section_find(image, names, ".gnu_debuglink"),
		LINK_BYTES_MAX, &bytes, &byte_count);

	if (r < 0)
		return r;
	length = strnlen((const char *)bytes, byte_count);
	at = (length + 1 + 3) / 4 * 4;
	if (length >= FILE_LINK_NAME_BYTES_MAX || at + LINK_CRC_BYTES > byte_count ||
		!file_name_is_plain((const char *)bytes))
		return -EBADMSG;
	memcpy(facts->link_name, bytes, length);
	facts->link_crc = image_u32(image, bytes + at);
	return 0;
}

/* What lies in memory is part of a file, of which no hash is known. */
static int find_id(const struct image *image, struct build_id *ret_id)
{
	int r;

	if (image->fd >= 0)
		return note_build_id_of_image(image, ret_id);
	r = note_find(image, BUILD_ID_GNU, ret_id);
	return r == -ENOENT ? note_find(image, BUILD_ID_GO, ret_id) : r;
}

int file_facts_read(
	const struct image *image, const struct section_names *names, struct file_facts *ret_facts)
{
	struct file_facts facts = {
		.contents = contents_of(image, names),
		.is_object = image->type == ET_REL,
	};
	int r = find_id(image, &facts.id);

	if (r < 0 && r != -ENOENT && r != -EBADMSG)
		return r;
	r = read_link(image, names, &facts);
	if (r == -ENOMEM || r == -EIO)
		return r;
	*ret_facts = facts;
	return 0;
}

void file_facts_encode(const struct file_facts *facts, uint8_t ret_bytes[FILE_FACTS_BYTES])
{
	struct bytes_writer writer;
	static const uint8_t zeros[FILE_FACTS_BYTES];

	memset(ret_bytes, 0, FILE_FACTS_BYTES);
	bytes_writer_init(&writer, FILE_FACTS_BYTES);
	bytes_write_span(&writer, magic, sizeof(magic));
	bytes_write_u8(&writer, facts->id.kind);
	bytes_write_u8(&writer, facts->id.byte_count);
	bytes_write_u8(&writer,
		(uint8_t)((facts->contents.has_code ? HAS_CODE : 0) |
			(facts->contents.has_table ? HAS_TABLE : 0) |
			(facts->contents.has_dwarf ? HAS_DWARF : 0) |
			(facts->contents.is_package ? IS_PACKAGE : 0) |
			(facts->is_object ? IS_OBJECT : 0) | (facts->is_packed ? IS_PACKED : 0)));
	bytes_write_u8(&writer, 0);
	bytes_write_u32(&writer, facts->link_crc);
	bytes_write_span(&writer, facts->id.bytes, sizeof(facts->id.bytes));
	bytes_write_span(&writer, facts->link_name, sizeof(facts->link_name));
	bytes_write_span(&writer, zeros, FILE_FACTS_BYTES - writer.byte_count);
	/* Without memory, a record of zeros, which its reader refuses. */
	if (bytes_writer_fault(&writer) == 0)
		memcpy(ret_bytes, writer.bytes, FILE_FACTS_BYTES);
	bytes_writer_done(&writer);
}

static int check_link(const uint8_t *name)
{
	size_t length = strnlen((const char *)name, FILE_LINK_NAME_BYTES_MAX);

	if (length == FILE_LINK_NAME_BYTES_MAX)
		return -EBADMSG;
	return length == 0 || file_name_is_plain((const char *)name) ? 0 : -EBADMSG;
}

int file_facts_decode(const void *bytes, size_t byte_count, struct file_facts *ret_facts)
{
	struct bytes_reader reader;
	struct file_facts facts = {.is_object = false};
	const uint8_t *text, *id;
	uint8_t kind, id_bytes, flags;
	int r = 0;

	if (byte_count != FILE_FACTS_BYTES || memcmp(bytes, magic, sizeof(magic)) != 0)
		return -EBADMSG;
	bytes_reader_init(&reader, bytes, byte_count);
	bytes_read_u32(&reader);
	kind = bytes_read_u8(&reader);
	id_bytes = bytes_read_u8(&reader);
	flags = bytes_read_u8(&reader);
	bytes_read_u8(&reader);
	facts.link_crc = bytes_read_u32(&reader);
	id = bytes_read_span(&reader, BUILD_ID_BYTES_MAX);
	text = bytes_read_span(&reader, FILE_LINK_NAME_BYTES_MAX);
	must(id && text);
	if (flags & ~FLAGS)
		return -EBADMSG;
	if (kind != BUILD_ID_NONE || id_bytes > 0)
		r = build_id_make((enum build_id_kind)kind, id, id_bytes, &facts.id);
	if (r < 0 || check_link(text) < 0)
		return -EBADMSG;
	memcpy(facts.link_name, text, strlen((const char *)text));
	facts.contents.has_code = flags & HAS_CODE;
	facts.contents.has_table = flags & HAS_TABLE;
	facts.contents.has_dwarf = flags & HAS_DWARF;
	facts.contents.is_package = flags & IS_PACKAGE;
	facts.is_object = flags & IS_OBJECT;
	facts.is_packed = flags & IS_PACKED;
	*ret_facts = facts;
	return 0;
}
