/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/catalog_tables.h"

#include <errno.h>
#include <string.h>

#include "store/base/hash.h"
#include "store/base/must.h"

#define TABLE_COUNT 7
#define HOURS_BYTES 8
#define PAIR_BYTES 8
#define SERIES_HEAD_BYTES 8
#define TEXT_HEAD_BYTES 4

int catalog_tables_open(struct catalog_tables *tables, const char *folder)
{
	const struct lmdb_options options = {
		.folder = folder,
		.map_bytes = CATALOG_MAP_BYTES,
		.table_max = TABLE_COUNT,
		.reader_max = CATALOG_READERS_MAX,
		/* Whoever does not close it in order finds no mark: it is made anew then. */
		.lazy = true,
	};
	struct {
		const char *name;
		uint32_t *table;
	} names[TABLE_COUNT] = {
		{"text", &tables->text},
		{"text_number", &tables->text_number},
		{"series", &tables->series},
		{"series_number", &tables->series_number},
		{"posting", &tables->posting},
		{"day_series", &tables->day_series},
		{"day_value", &tables->day_value},
	};
	int r = lmdb_env_new(&options, &tables->env);

	for (size_t i = 0; r == 0 && i < TABLE_COUNT; i++)
		r = lmdb_table_open(tables->env, names[i].name, names[i].table);
	if (r < 0)
		catalog_tables_close(tables);
	return r;
}

void catalog_tables_close(struct catalog_tables *tables)
{
	lmdb_env_free(tables->env);
	tables->env = NULL;
}

static void put_number(struct catalog_key *key, uint32_t number)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		key->bytes[key->byte_count++] = (uint8_t)(number >> shift);
}

struct catalog_key catalog_key_of_number(uint32_t number)
{
	return catalog_key_of_numbers(&number, 1);
}

struct catalog_key catalog_key_of_hash(const void *bytes, size_t byte_count)
{
	struct hash128 hash = hash128_bytes(bytes, byte_count);
	struct catalog_key key = {.byte_count = 0};

	put_number(&key, (uint32_t)(hash.high >> 32));
	put_number(&key, (uint32_t)hash.high);
	put_number(&key, (uint32_t)(hash.low >> 32));
	put_number(&key, (uint32_t)hash.low);
	return key;
}

struct catalog_key catalog_key_of_numbers(const uint32_t *numbers, uint32_t count)
{
	struct catalog_key key = {.byte_count = 0};

	for (uint32_t i = 0; i < count; i++)
		put_number(&key, numbers[i]);
	return key;
}

struct catalog_key catalog_key_of_value(
	uint32_t day, uint32_t name, struct catalog_text value, uint32_t number)
{
	const uint32_t numbers[] = {day, name};
	struct catalog_key key = catalog_key_of_numbers(numbers, 2);
	size_t byte_count =
		value.byte_count < CATALOG_KEY_TEXT_MAX ? value.byte_count : CATALOG_KEY_TEXT_MAX;

	if (byte_count > 0)
		memcpy(key.bytes + key.byte_count, value.bytes, byte_count);
	key.byte_count += byte_count;
	if (value.byte_count >= CATALOG_KEY_TEXT_MAX)
		put_number(&key, number);
	return key;
}

struct lmdb_span catalog_key_span(const struct catalog_key *key)
{
	return (struct lmdb_span){key->bytes, key->byte_count};
}

uint32_t catalog_key_number(struct lmdb_span key, uint32_t index)
{
	const uint8_t *bytes = (const uint8_t *)key.bytes + (size_t)index * 4;

	must(key.byte_count >= ((size_t)index + 1) * 4);
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
		bytes[3];
}

int catalog_number_read(struct lmdb_span value, uint32_t *ret_number)
{
	struct bytes_reader reader;
	uint32_t number;

	bytes_reader_init(&reader, value.bytes, value.byte_count);
	number = bytes_read_u32(&reader);
	if (bytes_reader_fault(&reader) < 0)
		return -EUCLEAN;
	*ret_number = number;
	return 0;
}

int catalog_presence_read(struct lmdb_span value, size_t skip, struct catalog_presence *ret_hours)
{
	struct bytes_reader reader;
	size_t count;

	if (value.byte_count < skip || (value.byte_count - skip) % HOURS_BYTES != 0)
		return -EUCLEAN;
	count = (value.byte_count - skip) / HOURS_BYTES;
	if (count > CATALOG_TYPE_COUNT_MAX)
		return -EUCLEAN;
	bytes_reader_init(&reader, (const uint8_t *)value.bytes + skip, value.byte_count - skip);
	for (size_t i = 0; i < count; i++) {
		ret_hours->types[i].type = bytes_read_u32(&reader);
		ret_hours->types[i].mask = bytes_read_u32(&reader);
	}
	ret_hours->count = (uint32_t)count;
	return 0;
}

bool catalog_presence_has(const struct catalog_presence *presence, uint32_t type, uint32_t mask)
{
	for (uint32_t i = 0; i < presence->count; i++) {
		if ((type == 0 || presence->types[i].type == type) &&
			(presence->types[i].mask & mask) != 0)
			return true;
	}
	return false;
}

int catalog_series_read(struct lmdb_span value, struct catalog_series *ret_series)
{
	struct bytes_reader reader;
	size_t count;

	if (value.byte_count < SERIES_HEAD_BYTES ||
		(value.byte_count - SERIES_HEAD_BYTES) % PAIR_BYTES != 0)
		return -EUCLEAN;
	count = (value.byte_count - SERIES_HEAD_BYTES) / PAIR_BYTES;
	if (count > CATALOG_PAIR_COUNT_MAX)
		return -EUCLEAN;
	bytes_reader_init(&reader, value.bytes, value.byte_count);
	ret_series->first_day = bytes_read_u32(&reader);
	ret_series->last_day = bytes_read_u32(&reader);
	for (size_t i = 0; i < count; i++) {
		ret_series->pairs[i].name = bytes_read_u32(&reader);
		ret_series->pairs[i].value = bytes_read_u32(&reader);
	}
	ret_series->count = (uint32_t)count;
	return 0;
}

int catalog_find_text(const struct catalog_tables *tables, struct lmdb_txn *txn,
	struct catalog_text text, uint32_t *ret_number)
{
	struct catalog_key key = catalog_key_of_hash(text.bytes, text.byte_count);
	struct lmdb_span value;
	int r = lmdb_get(txn, tables->text_number, catalog_key_span(&key), &value);

	return r == 0 ? catalog_number_read(value, ret_number) : r;
}

int catalog_get_text(const struct catalog_tables *tables, struct lmdb_txn *txn, uint32_t number,
	struct catalog_text *ret_text)
{
	struct catalog_key key = catalog_key_of_number(number);
	struct lmdb_span value;
	int r = lmdb_get(txn, tables->text, catalog_key_span(&key), &value);

	if (r == -ENOENT || (r == 0 && value.byte_count < TEXT_HEAD_BYTES))
		return -EUCLEAN;
	if (r == 0)
		*ret_text = (struct catalog_text){(const char *)value.bytes + TEXT_HEAD_BYTES,
			value.byte_count - TEXT_HEAD_BYTES};
	return r;
}

int catalog_get_series(const struct catalog_tables *tables, struct lmdb_txn *txn, uint32_t number,
	struct catalog_series *ret_series)
{
	struct catalog_key key = catalog_key_of_number(number);
	struct lmdb_span value;
	int r = lmdb_get(txn, tables->series, catalog_key_span(&key), &value);

	if (r == -ENOENT)
		return -EUCLEAN;
	return r == 0 ? catalog_series_read(value, ret_series) : r;
}
