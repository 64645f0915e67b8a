/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/catalog_set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int catalog_text_compare(struct catalog_text one, struct catalog_text other)
{
	size_t shorter = one.byte_count < other.byte_count ? one.byte_count : other.byte_count;
	int order = shorter > 0 ? memcmp(one.bytes, other.bytes, shorter) : 0;

	if (order != 0 || one.byte_count == other.byte_count)
		return order;
	return one.byte_count < other.byte_count ? -1 : 1;
}

static int compare_pairs(const void *one, const void *other)
{
	const struct catalog_pair *a = one, *b = other;

	return catalog_text_compare(a->name, b->name);
}

static void write_text(struct bytes_writer *writer, struct catalog_text text)
{
	bytes_write_varint(writer, text.byte_count);
	bytes_write_span(writer, text.bytes, text.byte_count);
}

void catalog_set_write(struct catalog_set *set, struct bytes_writer *writer)
{
	qsort(set->pairs, set->count, sizeof(set->pairs[0]), compare_pairs);
	bytes_write_varint(writer, set->count);
	for (uint32_t i = 0; i < set->count; i++) {
		write_text(writer, set->pairs[i].name);
		write_text(writer, set->pairs[i].value);
	}
}

static struct catalog_text read_text(struct bytes_reader *reader)
{
	uint32_t byte_count = bytes_read_varint32(reader);
	const uint8_t *bytes = bytes_read_span(reader, byte_count);

	return (struct catalog_text){(const char *)bytes, bytes ? byte_count : 0};
}

int catalog_set_read(const void *bytes, size_t byte_count, struct catalog_set *ret_set)
{
	struct bytes_reader reader;
	uint32_t count;

	bytes_reader_init(&reader, bytes, byte_count);
	count = bytes_read_varint32(&reader);
	if (count > CATALOG_PAIR_COUNT_MAX)
		return -EUCLEAN;
	ret_set->count = count;
	for (uint32_t i = 0; i < count; i++) {
		ret_set->pairs[i].name = read_text(&reader);
		ret_set->pairs[i].value = read_text(&reader);
	}
	return bytes_reader_fault(&reader) < 0 || bytes_left(&reader) > 0 ? -EUCLEAN : 0;
}
