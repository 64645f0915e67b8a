/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/block_lives.h"

#include <errno.h>
#include <stdbool.h>

static void write_name(struct bytes_writer *writer, struct life_name name)
{
	bytes_write_varint(writer, name.length);
	bytes_write_span(writer, name.text, name.length);
}

void block_lives_write(struct bytes_writer *writer, const struct life_table *lives)
{
	bytes_write_varint(writer, lives->count);
	for (uint32_t i = 0; i < lives->count; i++) {
		write_name(writer, life_table_command(lives, i));
		write_name(writer, life_table_parent(lives, i));
#define WRITE_SUM(name) bytes_write_varint(writer, lives->rows[i].sums.name);
		LIFE_SUMS(WRITE_SUM)
#undef WRITE_SUM
	}
}

static struct life_name read_name(struct bytes_reader *reader)
{
	uint32_t length = bytes_read_varint32(reader);
	const char *text = (const char *)bytes_read_span(reader, length);

	return (struct life_name){text ? text : "", text ? length : 0};
}

/* Rows rise, so that none comes twice. */
static bool is_above(
	const struct life_table *lives, struct life_name command, struct life_name parent)
{
	int r;

	if (lives->count == 0)
		return true;
	r = life_name_compare(life_table_command(lives, lives->count - 1), command);
	if (r == 0)
		r = life_name_compare(life_table_parent(lives, lives->count - 1), parent);
	return r < 0;
}

static int read_row(struct bytes_reader *reader, struct life_table *lives)
{
	struct life_name command = read_name(reader), parent = read_name(reader);
	struct life_sums sums;
	int r;

#define READ_SUM(name) sums.name = bytes_read_varint(reader);
	LIFE_SUMS(READ_SUM)
#undef READ_SUM
	if (bytes_reader_fault(reader) < 0 || !is_above(lives, command, parent))
		return -EBADMSG;
	r = life_table_add(lives, command, parent, &sums);
	return r == -EOVERFLOW ? -EBADMSG : r;
}

int block_lives_read(struct bytes_reader *reader, struct life_table *lives)
{
	uint32_t count = bytes_read_varint32(reader);
	int r = 0;

	if (bytes_reader_fault(reader) < 0 || count == 0)
		return -EBADMSG;
	if (count > LIFE_COUNT_MAX)
		return -E2BIG;
	for (uint32_t i = 0; r == 0 && i < count; i++)
		r = read_row(reader, lives);
	return r;
}
