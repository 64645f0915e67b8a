/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/catalog_write.h"

#include <errno.h>
#include <string.h>

/* Entries of a day that one transaction takes out. */
#define TRIM_COUNT_MAX 4096
#define TEXT_BYTES_MAX ((size_t)STRING_BYTES_MAX + 4)
#define SERIES_BYTES_MAX (8 + 8 * CATALOG_PAIR_COUNT_MAX)
#define PRESENCE_BYTES_MAX (4 + 8 * CATALOG_TYPE_COUNT_MAX)

/* In a text's count of uses: it stays, whoever else lets go of it. Types, of which there are few. */
#define USE_FOR_EVER (UINT32_C(1) << 31)

/* One entry of a note on its way in. */
struct mark {
	uint32_t day;
	uint32_t hour_mask;
	uint32_t type; /* number of a text */
	struct catalog_text type_text;
};

static int next_number(const struct catalog_tables *tables, uint32_t table, uint32_t *ret_next)
{
	struct lmdb_span key, value;
	struct lmdb_cursor *cursor;
	struct lmdb_txn *txn;
	uint32_t next = 1;
	int r = lmdb_read_begin(tables->env, &txn);

	if (r < 0)
		return r;
	r = lmdb_cursor_new(txn, table, &cursor);
	if (r == 0) {
		r = lmdb_cursor_last(cursor, &key, &value);
		if (r == 0 && key.byte_count != 4)
			r = -EUCLEAN;
		if (r == 0)
			next = catalog_key_number(key, 0) + 1;
		lmdb_cursor_free(cursor);
	}
	lmdb_read_end(txn);
	if (r == 0 || r == -ENOENT)
		*ret_next = next;
	return r == -ENOENT ? 0 : r;
}

int catalog_writer_init(struct catalog_writer *writer, const struct catalog_tables *tables)
{
	int r = next_number(tables, tables->text, &writer->next_text);

	writer->tables = tables;
	return r == 0 ? next_number(tables, tables->series, &writer->next_series) : r;
}

static int put(struct lmdb_txn *txn, uint32_t table, const struct catalog_key *key,
	const struct bytes_writer *value)
{
	int r = bytes_writer_fault(value);

	return r < 0 ? r
		     : lmdb_put(txn, table, catalog_key_span(key),
			       (struct lmdb_span){value->bytes, value->byte_count});
}

static int put_number(
	struct lmdb_txn *txn, uint32_t table, const struct catalog_key *key, uint32_t number)
{
	struct bytes_writer value;
	int r;

	bytes_writer_init(&value, sizeof(number));
	bytes_write_u32(&value, number);
	r = put(txn, table, key, &value);
	bytes_writer_done(&value);
	return r;
}

/* ---- Texts: each as often as it is used, whoever uses it ---- */

static int put_text(struct catalog_writer *writer, struct lmdb_txn *txn, uint32_t number,
	uint32_t use_count, struct catalog_text text)
{
	struct catalog_key key = catalog_key_of_number(number);
	struct bytes_writer value;
	int r;

	bytes_writer_init(&value, TEXT_BYTES_MAX);
	bytes_write_u32(&value, use_count);
	bytes_write_span(&value, text.bytes, text.byte_count);
	r = put(txn, writer->tables->text, &key, &value);
	bytes_writer_done(&value);
	return r;
}

static int get_use_count(
	struct catalog_writer *writer, struct lmdb_txn *txn, uint32_t number, uint32_t *ret_count)
{
	struct catalog_key key = catalog_key_of_number(number);
	struct lmdb_span value;
	int r = lmdb_get(txn, writer->tables->text, catalog_key_span(&key), &value);

	if (r == -ENOENT)
		return -EUCLEAN;
	return r == 0 ? catalog_number_read(value, ret_count) : r;
}

/* The number of TEXT, made if it has none, which is used once more, or for ever. */
static int use_text(struct catalog_writer *writer, struct lmdb_txn *txn, struct catalog_text text,
	bool for_ever, uint32_t *ret_number)
{
	struct catalog_key key = catalog_key_of_hash(text.bytes, text.byte_count);
	uint32_t use_count = 0, number = 0, wanted;
	int r = catalog_find_text(writer->tables, txn, text, &number);

	if (r == -ENOENT) {
		number = writer->next_text++;
		r = put_number(txn, writer->tables->text_number, &key, number);
	} else if (r == 0) {
		r = get_use_count(writer, txn, number, &use_count);
	}
	wanted = for_ever ? use_count | USE_FOR_EVER : use_count + 1;
	if (r == 0 && wanted != use_count)
		r = put_text(writer, txn, number, wanted, text);
	if (r == 0)
		*ret_number = number;
	return r;
}

static int drop_text(struct catalog_writer *writer, struct lmdb_txn *txn, uint32_t number)
{
	struct catalog_key key = catalog_key_of_number(number), hash_key;
	struct bytes_writer copy;
	struct catalog_text text = {"", 0};
	uint32_t use_count = 0;
	int r = get_use_count(writer, txn, number, &use_count);

	if (r == 0)
		r = catalog_get_text(writer->tables, txn, number, &text);
	if (r < 0)
		return r;
	if (use_count > 1) {
		/* Out of the map, into which it goes again. */
		bytes_writer_init(&copy, TEXT_BYTES_MAX);
		bytes_write_span(&copy, text.bytes, text.byte_count);
		r = bytes_writer_fault(&copy);
		if (r == 0)
			r = put_text(writer, txn, number, use_count - 1,
				(struct catalog_text){(const char *)copy.bytes, copy.byte_count});
		bytes_writer_done(&copy);
		return r;
	}
	hash_key = catalog_key_of_hash(text.bytes, text.byte_count);
	r = lmdb_delete(txn, writer->tables->text_number, catalog_key_span(&hash_key));
	return r == 0 ? lmdb_delete(txn, writer->tables->text, catalog_key_span(&key)) : r;
}

/* ---- Hours ---- */

/* Sets the mark's bit for its type. RET_CHANGED: it was not set. */
static int set_hour(struct catalog_presence *presence, const struct mark *mark, bool *ret_changed)
{
	uint32_t i = 0;

	while (i < presence->count && presence->types[i].type != mark->type)
		i++;
	if (i == CATALOG_TYPE_COUNT_MAX)
		return -E2BIG;
	if (i == presence->count)
		presence->types[presence->count++] = (struct catalog_hours){mark->type, 0};
	*ret_changed = (presence->types[i].mask & mark->hour_mask) != mark->hour_mask;
	presence->types[i].mask |= mark->hour_mask;
	return 0;
}

/* Marks the hour in the record under KEY, made if it is not there. TEXT, unless it is 0, stands
 * in front. */
static int mark_record(struct lmdb_txn *txn, uint32_t table, const struct catalog_key *key,
	uint32_t text, const struct mark *mark, bool *ret_changed)
{
	size_t skip = text ? sizeof(text) : 0;
	struct catalog_presence presence = {.count = 0};
	struct bytes_writer writer;
	struct lmdb_span value;
	int r = lmdb_get(txn, table, catalog_key_span(key), &value);

	if (r == 0)
		r = catalog_presence_read(value, skip, &presence);
	if (r == 0 || r == -ENOENT)
		r = set_hour(&presence, mark, ret_changed);
	if (r < 0 || !*ret_changed)
		return r;
	bytes_writer_init(&writer, PRESENCE_BYTES_MAX);
	if (text)
		bytes_write_u32(&writer, text);
	for (uint32_t i = 0; i < presence.count; i++) {
		bytes_write_u32(&writer, presence.types[i].type);
		bytes_write_u32(&writer, presence.types[i].mask);
	}
	r = put(txn, table, key, &writer);
	bytes_writer_done(&writer);
	return r;
}

/* ---- Series ---- */

static int put_series(struct catalog_writer *writer, struct lmdb_txn *txn, uint32_t number,
	const struct catalog_series *series)
{
	struct catalog_key key = catalog_key_of_number(number);
	struct bytes_writer value;
	int r;

	bytes_writer_init(&value, SERIES_BYTES_MAX);
	bytes_write_u32(&value, series->first_day);
	bytes_write_u32(&value, series->last_day);
	for (uint32_t i = 0; i < series->count; i++) {
		bytes_write_u32(&value, series->pairs[i].name);
		bytes_write_u32(&value, series->pairs[i].value);
	}
	r = put(txn, writer->tables->series, &key, &value);
	bytes_writer_done(&value);
	return r;
}

static struct catalog_key posting_key(const struct catalog_series_pair *pair, uint32_t number)
{
	const uint32_t numbers[] = {pair->name, pair->value, number};

	return catalog_key_of_numbers(numbers, 3);
}

static int make_series(struct catalog_writer *writer, struct lmdb_txn *txn,
	const struct catalog_set *set, const struct catalog_key *hash_key, uint32_t day,
	uint32_t *ret_number)
{
	struct catalog_series series = {.first_day = day, .last_day = day, .count = set->count};
	uint32_t number = writer->next_series++;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < set->count; i++) {
		struct catalog_series_pair *pair = &series.pairs[i];
		struct catalog_key key;

		r = use_text(writer, txn, set->pairs[i].name, false, &pair->name);
		if (r == 0)
			r = use_text(writer, txn, set->pairs[i].value, false, &pair->value);
		key = posting_key(pair, number);
		if (r == 0)
			r = lmdb_put(txn, writer->tables->posting, catalog_key_span(&key),
				(struct lmdb_span){"", 0});
	}
	if (r == 0)
		r = put_series(writer, txn, number, &series);
	if (r == 0)
		r = put_number(txn, writer->tables->series_number, hash_key, number);
	if (r == 0)
		*ret_number = number;
	return r;
}

/* The series of SET, known to be alive on DAY. */
static int find_series(struct catalog_writer *writer, struct lmdb_txn *txn,
	const struct catalog_set *set, const struct catalog_key *hash_key, uint32_t day,
	uint32_t *ret_number)
{
	struct catalog_series series;
	struct lmdb_span value;
	uint32_t number = 0;
	int r = lmdb_get(txn, writer->tables->series_number, catalog_key_span(hash_key), &value);

	if (r == -ENOENT)
		return make_series(writer, txn, set, hash_key, day, ret_number);
	if (r == 0)
		r = catalog_number_read(value, &number);
	if (r == 0)
		r = catalog_get_series(writer->tables, txn, number, &series);
	if (r == 0 && (day < series.first_day || day > series.last_day)) {
		if (day < series.first_day)
			series.first_day = day;
		if (day > series.last_day)
			series.last_day = day;
		r = put_series(writer, txn, number, &series);
	}
	if (r == 0)
		*ret_number = number;
	return r;
}

/* Every use of a name in the list of values keeps no text alive: the series of the day do. */
static int mark_value(struct catalog_writer *writer, struct lmdb_txn *txn, uint32_t name,
	uint32_t number, struct catalog_text text, const struct mark *mark)
{
	struct catalog_key key = catalog_key_of_value(mark->day, name, text, number);
	bool changed = false;

	return mark_record(txn, writer->tables->day_value, &key, number, mark, &changed);
}

/* A label's texts by the numbers that its series has of them, in the same order. */
static int mark_values(struct catalog_writer *writer, struct lmdb_txn *txn,
	const struct catalog_set *set, uint32_t number, const struct mark *mark)
{
	struct catalog_series series;
	uint32_t type_name = 0;
	int r = catalog_get_series(writer->tables, txn, number, &series);

	if (r == 0 && series.count != set->count)
		r = -EUCLEAN;
	for (uint32_t i = 0; r == 0 && i < set->count; i++)
		r = mark_value(writer, txn, series.pairs[i].name, series.pairs[i].value,
			set->pairs[i].value, mark);
	if (r == 0) {
		r = use_text(writer, txn,
			(struct catalog_text){CATALOG_TYPE_NAME, strlen(CATALOG_TYPE_NAME)}, true,
			&type_name);
	}
	if (r == 0)
		r = mark_value(writer, txn, type_name, mark->type, mark->type_text, mark);
	return r;
}

static int write_entry(struct catalog_writer *writer, struct lmdb_txn *txn,
	const struct catalog_note *note, const struct catalog_note_entry *entry)
{
	struct mark mark = {
		.day = entry->hour / CATALOG_DAY_HOURS,
		.hour_mask = 1u << entry->hour % CATALOG_DAY_HOURS,
		.type_text = {(const char *)note->bytes + entry->type_at, entry->type_bytes},
	};
	struct catalog_key key,
		hash_key = catalog_key_of_hash(note->bytes + entry->set_at, entry->set_bytes);
	struct catalog_set set;
	uint32_t numbers[2] = {mark.day, 0};
	bool changed = false;
	int r = catalog_set_read(note->bytes + entry->set_at, entry->set_bytes, &set);

	if (r == 0)
		r = use_text(writer, txn, mark.type_text, true, &mark.type);
	if (r == 0)
		r = find_series(writer, txn, &set, &hash_key, mark.day, &numbers[1]);
	if (r < 0)
		return r;
	key = catalog_key_of_numbers(numbers, 2);
	r = mark_record(txn, writer->tables->day_series, &key, 0, &mark, &changed);
	return r == 0 && changed ? mark_values(writer, txn, &set, numbers[1], &mark) : r;
}

int catalog_write_note(
	struct catalog_writer *writer, struct lmdb_txn *txn, const struct catalog_note *note)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < note->count; i++)
		r = write_entry(writer, txn, note, &note->entries[i]);
	return r;
}

/* ---- Old days ---- */

static int delete_series(struct catalog_writer *writer, struct lmdb_txn *txn, uint32_t number,
	const struct catalog_series *series)
{
	struct catalog_key key = catalog_key_of_number(number), hash_key;
	struct catalog_set set = {.count = series->count};
	struct bytes_writer bytes;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < series->count; i++) {
		r = catalog_get_text(
			writer->tables, txn, series->pairs[i].name, &set.pairs[i].name);
		if (r == 0)
			r = catalog_get_text(
				writer->tables, txn, series->pairs[i].value, &set.pairs[i].value);
	}
	if (r < 0)
		return r;
	bytes_writer_init(&bytes, (size_t)2 * CATALOG_PAIR_COUNT_MAX * TEXT_BYTES_MAX);
	catalog_set_write(&set, &bytes);
	r = bytes_writer_fault(&bytes);
	if (r == 0) {
		hash_key = catalog_key_of_hash(bytes.bytes, bytes.byte_count);
		r = lmdb_delete(txn, writer->tables->series_number, catalog_key_span(&hash_key));
	}
	bytes_writer_done(&bytes);
	for (uint32_t i = 0; r == 0 && i < series->count; i++) {
		struct catalog_key posting = posting_key(&series->pairs[i], number);

		r = lmdb_delete(txn, writer->tables->posting, catalog_key_span(&posting));
		if (r == 0)
			r = drop_text(writer, txn, series->pairs[i].name);
		if (r == 0)
			r = drop_text(writer, txn, series->pairs[i].value);
	}
	return r == 0 ? lmdb_delete(txn, writer->tables->series, catalog_key_span(&key)) : r;
}

/* The first entry of TABLE, if it is of a day before DAY; else -ENOENT. */
static int first_old(
	struct lmdb_txn *txn, uint32_t table, uint32_t day, struct catalog_key *ret_key)
{
	struct lmdb_span key, value;
	struct lmdb_cursor *cursor;
	int r = lmdb_cursor_new(txn, table, &cursor);

	if (r < 0)
		return r;
	r = lmdb_cursor_seek(cursor, (struct lmdb_span){NULL, 0}, &key, &value);
	if (r == 0 && (key.byte_count < 8 || key.byte_count > sizeof(ret_key->bytes)))
		r = -EUCLEAN;
	if (r == 0 && catalog_key_number(key, 0) >= day)
		r = -ENOENT;
	if (r == 0) {
		memcpy(ret_key->bytes, key.bytes, key.byte_count);
		ret_key->byte_count = key.byte_count;
	}
	lmdb_cursor_free(cursor);
	return r;
}

/* One series out of an old day; it goes altogether with its last day. */
static int trim_series(struct catalog_writer *writer, struct lmdb_txn *txn, uint32_t day)
{
	struct catalog_series series = {.count = 0};
	struct catalog_key key;
	uint32_t number;
	int r = first_old(txn, writer->tables->day_series, day, &key);

	if (r < 0)
		return r;
	number = catalog_key_number(catalog_key_span(&key), 1);
	r = lmdb_delete(txn, writer->tables->day_series, catalog_key_span(&key));
	if (r == 0)
		r = catalog_get_series(writer->tables, txn, number, &series);
	if (r < 0)
		return r;
	/* Its days go one by one, the oldest first. */
	if (series.last_day > catalog_key_number(catalog_key_span(&key), 0))
		return 0;
	return delete_series(writer, txn, number, &series);
}

static int trim_value(struct catalog_writer *writer, struct lmdb_txn *txn, uint32_t day)
{
	struct catalog_key key;
	int r = first_old(txn, writer->tables->day_value, day, &key);

	return r == 0 ? lmdb_delete(txn, writer->tables->day_value, catalog_key_span(&key)) : r;
}

int catalog_write_trim(
	struct catalog_writer *writer, struct lmdb_txn *txn, uint32_t day, uint32_t *ret_count)
{
	uint32_t count = 0;
	int r = 0;

	/* Values first: they borrow their texts from the series of their day. */
	while (r == 0 && count < TRIM_COUNT_MAX) {
		r = trim_value(writer, txn, day);
		if (r == -ENOENT)
			r = trim_series(writer, txn, day);
		if (r == 0)
			count++;
	}
	*ret_count = count;
	return r == -ENOENT ? 0 : r;
}
