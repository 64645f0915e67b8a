/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/segment_sums.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/must.h"
#include "store/disk/block_dictionary.h"
#include "store/disk/segment_column.h"
#include "store/profile/grow.h"

int segment_sums_init(struct segment_sums *sums, uint32_t type_count)
{
	*sums = (struct segment_sums){0};
	sums->types = calloc(type_count ? type_count : 1, sizeof(*sums->types));
	if (!sums->types)
		return -ENOMEM;
	sums->type_count = type_count;
	return 0;
}

void segment_sums_done(struct segment_sums *sums)
{
	for (uint32_t i = 0; sums->types && i < sums->type_count; i++)
		free(sums->types[i].sums);
	free(sums->types);
	*sums = (struct segment_sums){0};
}

/* False: one sum of both would not fit. */
static bool join(struct segment_sum *to, const struct segment_sum *sum)
{
	uint64_t count;
	int64_t value;

	if (to->first != sum->first || to->second != sum->second)
		return false;
	if (__builtin_add_overflow(to->count, sum->count, &count) ||
		__builtin_add_overflow(to->value, sum->value, &value))
		return false;
	to->count = count;
	to->value = value;
	return true;
}

int segment_sums_add(struct segment_sums *sums, uint32_t type, const struct segment_sum *sum)
{
	struct segment_sum_list *list;
	int r;

	must(type < sums->type_count);
	list = &sums->types[type];
	if (list->count > 0 && join(&list->sums[list->count - 1], sum))
		return 0;
	r = grow_array(&list->sums, &list->capacity, list->count, SEGMENT_SUM_COUNT_MAX);
	if (r < 0)
		return r;
	list->sums[list->count++] = *sum;
	return 0;
}

int segment_sums_add_all(struct segment_sums *sums, const struct segment_sums *other)
{
	for (uint32_t i = 0; i < other->type_count; i++) {
		for (uint32_t j = 0; j < other->types[i].count; j++) {
			int r = segment_sums_add(sums, i, &other->types[i].sums[j]);

			if (r < 0)
				return r;
		}
	}
	return 0;
}

/* Down to the value, so that the order tells nothing of how sums came together. */
static int sum_compare(const void *left, const void *right)
{
	const struct segment_sum *one = left, *other = right;

	if (one->first != other->first)
		return one->first < other->first ? -1 : 1;
	if (one->second != other->second)
		return one->second < other->second ? -1 : 1;
	if (one->count != other->count)
		return one->count < other->count ? -1 : 1;
	return (one->value > other->value) - (one->value < other->value);
}

static void seal_list(struct segment_sum_list *list)
{
	uint32_t kept = 0;
	bool sorted = true;

	for (uint32_t i = 1; sorted && i < list->count; i++)
		sorted = sum_compare(&list->sums[i - 1], &list->sums[i]) <= 0;
	if (!sorted)
		qsort(list->sums, list->count, sizeof(*list->sums), sum_compare);
	for (uint32_t i = 0; i < list->count; i++) {
		if (kept == 0 || !join(&list->sums[kept - 1], &list->sums[i]))
			list->sums[kept++] = list->sums[i];
	}
	list->count = kept;
}

void segment_sums_seal(struct segment_sums *sums)
{
	for (uint32_t i = 0; i < sums->type_count; i++)
		seal_list(&sums->types[i]);
}

bool segment_sums_is_empty(const struct segment_sums *sums)
{
	for (uint32_t i = 0; i < sums->type_count; i++) {
		if (sums->types[i].count > 0)
			return false;
	}
	return true;
}

static void write_list(
	struct bytes_writer *writer, const struct segment_sum_list *list, int64_t period)
{
	const struct segment_sum *sums = list->sums;

	for (uint32_t i = 0; i < list->count; i++)
		bytes_write_varint(writer, sums[i].first - (i ? sums[i - 1].first : 0));
	for (uint32_t i = 0; i < list->count; i++) {
		bool same = i > 0 && sums[i - 1].first == sums[i].first;

		bytes_write_varint(writer, sums[i].second - (same ? sums[i - 1].second : 0));
	}
	for (uint32_t i = 0; i < list->count; i++)
		bytes_write_varint(writer, sums[i].count);
	for (uint32_t i = 0; i < list->count; i++) {
		uint64_t regular = sums[i].count * (uint64_t)period;

		bytes_write_signed(writer, (int64_t)((uint64_t)sums[i].value - regular));
	}
}

void segment_sums_write(struct bytes_writer *writer, const struct segment_sums *sums,
	const struct segment_type *types)
{
	uint32_t used = 0;

	for (uint32_t i = 0; i < sums->type_count; i++)
		used += sums->types[i].count > 0;
	bytes_write_varint(writer, used);
	for (uint32_t i = 0; i < sums->type_count; i++) {
		if (sums->types[i].count == 0)
			continue;
		bytes_write_varint(writer, i);
		bytes_write_varint(writer, sums->types[i].count);
		write_list(writer, &sums->types[i], types[i].period);
	}
}

static void read_list(struct bytes_reader *reader, struct segment_sum_list *list, int64_t period,
	uint32_t first_end, uint32_t second_end)
{
	struct segment_sum *sums = list->sums;
	uint32_t count = list->count, beyond = 0;
	uint64_t first = 0, second = 0;

	for (uint32_t i = 0; i < count; i++) {
		first += segment_column_u32(reader);
		beyond |= first >= first_end;
		sums[i].first = (uint32_t)first;
	}
	for (uint32_t i = 0; i < count; i++) {
		bool same = i > 0 && sums[i - 1].first == sums[i].first;

		second = (same ? second : 0) + segment_column_u32(reader);
		beyond |= second >= second_end;
		sums[i].second = (uint32_t)second;
	}
	for (uint32_t i = 0; i < count; i++)
		sums[i].count = segment_column_u64(reader);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t regular = sums[i].count * (uint64_t)period;

		sums[i].value = (int64_t)((uint64_t)segment_column_signed(reader) + regular);
	}
	if (beyond)
		bytes_reader_refuse(reader);
}

int segment_sums_read(struct bytes_reader *reader, const struct segment_type *types,
	uint32_t first_end, uint32_t second_end, struct segment_sums *sums)
{
	uint32_t used = block_read_count(reader, SEGMENT_TYPE_COUNT_MAX);

	for (uint32_t i = 0; i < used; i++) {
		uint32_t type = segment_column_u32(reader);
		uint32_t count = block_read_count(reader, SEGMENT_SUM_COUNT_MAX);
		struct segment_sum_list *list;

		if (type >= sums->type_count || count == 0 || sums->types[type].sums)
			bytes_reader_refuse(reader);
		if (bytes_reader_fault(reader) < 0)
			return bytes_reader_fault(reader);
		list = &sums->types[type];
		list->sums = malloc((size_t)count * sizeof(*list->sums) + 1);
		if (!list->sums)
			return -ENOMEM;
		list->count = list->capacity = count;
		read_list(reader, list, types[type].period, first_end, second_end);
	}
	return bytes_left(reader) == 0 ? bytes_reader_fault(reader) : -EBADMSG;
}
