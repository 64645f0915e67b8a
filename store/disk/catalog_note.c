/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/catalog_note.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "store/base/hash.h"
#include "store/disk/catalog_set.h"
#include "store/profile/grow.h"

_Static_assert(PROFILE_TYPE_COUNT_MAX <= 64, "types of a label set are bits of a word");

/* A profile with more label sets than this differs in every one of its threads. */
#define ENTRY_COUNT_MAX (LABEL_SET_COUNT_MAX * 8)
/* All label sets and types of a profile, written out. */
#define NOTE_BYTES_MAX ((size_t)1 << 30)

struct making {
	const struct catalog_known *known;
	const struct profile *profile;
	uint64_t *types_of_set; /* bit i: it has samples of type i */
	uint64_t type_hashes[PROFILE_TYPE_COUNT_MAX];
	uint32_t type_at[PROFILE_TYPE_COUNT_MAX]; /* in the note's bytes; UINT32_MAX: not there */
	uint32_t first_hour, last_hour;
	struct bytes_writer writer;
	struct catalog_note *note;
};

static struct catalog_text text_of(const struct profile *profile, uint32_t string)
{
	return (struct catalog_text){string_table_text(&profile->strings, string),
		string_table_length(&profile->strings, string)};
}

static void find_types(struct making *making)
{
	const struct profile *profile = making->profile;

	for (uint32_t i = 0; i < profile->type_count; i++) {
		const struct sample_table *table = &profile->types[i];
		struct catalog_text type = text_of(profile, table->type);

		making->type_hashes[i] = hash_bytes(type.bytes, type.byte_count);
		making->type_at[i] = UINT32_MAX;
		for (uint32_t j = 0; j < table->row_count; j++) {
			const struct sample_row *row = &table->rows[j];

			if (row->count > 0 || row->value != 0)
				making->types_of_set[profile->threads.threads[row->thread]
							     .labels] |= UINT64_C(1) << i;
		}
	}
}

/* What the profile says of its host goes before what a client wrote into its labels. */
static void collect_pairs(const struct profile *profile, uint32_t index, struct catalog_set *set)
{
	const struct label_set *labels = &profile->labels.sets[index];
	bool has_host = profile->head.host != 0;

	set->count = 0;
	if (has_host)
		set->pairs[set->count++] = (struct catalog_pair){
			{"host", strlen("host")}, text_of(profile, profile->head.host)};
	for (uint32_t i = labels->first; i < labels->first + labels->count; i++) {
		const struct label *label = &profile->labels.labels[i];
		struct catalog_pair pair = {
			text_of(profile, label->key), text_of(profile, label->value)};

		if (has_host && catalog_text_compare(pair.name, set->pairs[0].name) == 0)
			continue;
		if (set->count < CATALOG_PAIR_COUNT_MAX)
			set->pairs[set->count++] = pair;
	}
}

static uint64_t fingerprint_of(uint64_t set_hash, uint64_t type_hash, uint32_t hour)
{
	const uint64_t words[3] = {set_hash, type_hash, hour};

	return hash_bytes(words, sizeof(words));
}

static int add_entry(struct making *making, const struct catalog_note_entry *entry)
{
	struct catalog_note *note = making->note;
	int r = grow_array(&note->entries, &note->capacity, note->count, ENTRY_COUNT_MAX);

	if (r < 0)
		return r;
	note->entries[note->count++] = *entry;
	return 0;
}

static uint32_t place_type(struct making *making, uint32_t type, uint32_t *ret_bytes)
{
	struct catalog_text text = text_of(making->profile, making->profile->types[type].type);

	if (making->type_at[type] == UINT32_MAX) {
		making->type_at[type] = (uint32_t)making->writer.byte_count;
		bytes_write_span(&making->writer, text.bytes, text.byte_count);
	}
	*ret_bytes = (uint32_t)text.byte_count;
	return making->type_at[type];
}

/* Of the set whose bytes end the buffer; they go again if nothing of it is new. */
static int add_set(struct making *making, uint32_t set, uint32_t set_at)
{
	uint32_t set_bytes = (uint32_t)making->writer.byte_count - set_at;
	uint64_t set_hash = hash_bytes(making->writer.bytes + set_at, set_bytes);
	uint32_t count_before = making->note->count;
	int r = 0;

	for (uint32_t type = 0; r == 0 && type < making->profile->type_count; type++) {
		if (!(making->types_of_set[set] >> type & 1))
			continue;
		for (uint32_t hour = making->first_hour; r == 0 && hour <= making->last_hour;
			hour++) {
			struct catalog_note_entry entry = {
				.fingerprint =
					fingerprint_of(set_hash, making->type_hashes[type], hour),
				.hour = hour,
				.set_at = set_at,
				.set_bytes = set_bytes,
			};

			if (catalog_known_has(making->known, entry.fingerprint))
				continue;
			entry.type_at = place_type(making, type, &entry.type_bytes);
			r = add_entry(making, &entry);
		}
	}
	if (making->note->count == count_before)
		making->writer.byte_count = set_at;
	return r;
}

static int add_sets(struct making *making)
{
	SCOPED_FREE struct catalog_set *pairs = malloc(sizeof(*pairs));
	int r = pairs ? 0 : -ENOMEM;

	for (uint32_t i = 0; r == 0 && i < making->profile->labels.count; i++) {
		uint32_t set_at = (uint32_t)making->writer.byte_count;

		if (making->types_of_set[i] == 0)
			continue;
		collect_pairs(making->profile, i, pairs);
		catalog_set_write(pairs, &making->writer);
		r = bytes_writer_fault(&making->writer);
		if (r == 0)
			r = add_set(making, i, set_at);
	}
	return r == 0 ? bytes_writer_fault(&making->writer) : r;
}

static uint32_t hour_of(uint64_t time_ns)
{
	return (uint32_t)(time_ns / CATALOG_HOUR_NS);
}

int catalog_note_new(const struct catalog_known *known, const struct profile *profile,
	struct catalog_note **ret_note)
{
	SCOPED_FREE uint64_t *types_of_set =
		calloc((size_t)profile->labels.count + 1, sizeof(*types_of_set));
	struct making making = {
		.known = known,
		.profile = profile,
		.types_of_set = types_of_set,
		.first_hour = hour_of(profile_window_epoch_ns(profile)),
		.last_hour = hour_of(profile_window_end_epoch_ns(profile) - 1),
		.note = calloc(1, sizeof(*making.note)),
	};
	int r = -ENOMEM;

	bytes_writer_init(&making.writer, NOTE_BYTES_MAX);
	if (types_of_set && making.note) {
		find_types(&making);
		r = add_sets(&making);
	}
	if (r == 0 && making.note->count > 0) {
		making.note->bytes = bytes_writer_take(&making.writer, &making.note->byte_count);
		*ret_note = TAKE(making.note);
	} else if (r == 0) {
		*ret_note = NULL;
	}
	bytes_writer_done(&making.writer);
	catalog_note_free(making.note);
	return r;
}

void catalog_note_free(struct catalog_note *note)
{
	if (!note)
		return;
	free(note->entries);
	free(note->bytes);
	free(note);
}

size_t catalog_note_size(const struct catalog_note *note)
{
	return sizeof(*note) + note->capacity * sizeof(*note->entries) + note->byte_count;
}
