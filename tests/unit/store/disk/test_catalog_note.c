/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/catalog_note.h"

#include <string.h>

#include "store/disk/catalog_set.h"
#include "tests/support/check.h"
#include "tests/support/labelled_profile.h"

#define START_NS (UINT64_C(470000) * CATALOG_HOUR_NS)
#define OFF_CPU "off_cpu:off_cpu:nanoseconds::"

static struct catalog_known known;

static struct catalog_note *note_of(struct profile *profile)
{
	struct catalog_note *note = NULL;

	labelled_profile_seal(profile);
	CHECK_EQ(catalog_note_new(&known, profile, &note), 0);
	profile_free(profile);
	return note;
}

static void an_entry_is_a_series_of_a_type_in_an_hour(void)
{
	struct profile *profile = labelled_profile_new("h", START_NS);
	struct catalog_note *note;
	struct catalog_set set;

	labelled_profile_add(profile, NULL, "service_name=a");
	labelled_profile_add(profile, NULL, "service_name=a");
	labelled_profile_add(profile, OFF_CPU, "service_name=a");
	note = note_of(profile);
	CHECK(note);
	CHECK_EQ(note->count, 2);
	for (uint32_t i = 0; i < note->count; i++) {
		const struct catalog_note_entry *entry = &note->entries[i];
		const char *type = i == 0 ? PROFILE_TYPE_ON_CPU : OFF_CPU;

		CHECK_EQ(entry->hour, 470000);
		CHECK_EQ(entry->type_bytes, strlen(type));
		CHECK(memcmp(note->bytes + entry->type_at, type, entry->type_bytes) == 0);
		CHECK_EQ(catalog_set_read(note->bytes + entry->set_at, entry->set_bytes, &set), 0);
		CHECK_EQ(set.count, 2);
		CHECK(memcmp(set.pairs[0].name.bytes, "host", 4) == 0);
		CHECK(memcmp(set.pairs[0].value.bytes, "h", 1) == 0);
	}
	CHECK(catalog_note_size(note) > note->byte_count);
	catalog_note_free(note);
}

static void a_window_over_the_hour_is_of_both(void)
{
	struct profile *profile =
		labelled_profile_new("h", START_NS + CATALOG_HOUR_NS - 5 * NS_PER_S);
	struct catalog_note *note;

	labelled_profile_add(profile, NULL, "a=1");
	note = note_of(profile);
	CHECK_EQ(note->count, 2);
	CHECK_EQ(note->entries[0].hour, 470000);
	CHECK_EQ(note->entries[1].hour, 470001);
	catalog_note_free(note);

	profile = labelled_profile_new("h", START_NS + CATALOG_HOUR_NS - 10 * NS_PER_S);
	labelled_profile_add(profile, NULL, "a=1");
	note = note_of(profile);
	CHECK_EQ(note->count, 1);
	catalog_note_free(note);
}

static void what_is_known_is_left_out(void)
{
	struct profile *profile = labelled_profile_new("known", START_NS);
	struct catalog_note *note;

	labelled_profile_add(profile, NULL, "a=1");
	labelled_profile_add(profile, NULL, "a=2");
	note = note_of(profile);
	CHECK_EQ(note->count, 2);
	catalog_known_add(&known, note->entries[0].fingerprint);
	catalog_note_free(note);

	profile = labelled_profile_new("known", START_NS);
	labelled_profile_add(profile, NULL, "a=1");
	CHECK(!note_of(profile));
	profile = labelled_profile_new("known", START_NS);
	labelled_profile_add(profile, NULL, "a=1");
	labelled_profile_add(profile, NULL, "a=2");
	note = note_of(profile);
	CHECK_EQ(note->count, 1);
	catalog_note_free(note);
}

static void a_window_without_samples_has_no_note(void)
{
	CHECK(!note_of(labelled_profile_new("h", START_NS)));
	catalog_note_free(NULL);
}

/* Pieces of what was compacted have no host of their own; a label of a client is less than a head. */
static void the_host_is_the_heads_or_else_the_labels(void)
{
	struct profile *profile = labelled_profile_new("head", START_NS);
	struct catalog_note *note;
	struct catalog_set set;

	labelled_profile_add(profile, NULL, "host=label");
	note = note_of(profile);
	CHECK_EQ(catalog_set_read(
			 note->bytes + note->entries[0].set_at, note->entries[0].set_bytes, &set),
		0);
	CHECK_EQ(set.count, 1);
	CHECK(memcmp(set.pairs[0].value.bytes, "head", 4) == 0);
	catalog_note_free(note);

	profile = labelled_profile_new("", START_NS);
	labelled_profile_add(profile, NULL, "host=label");
	note = note_of(profile);
	CHECK_EQ(catalog_set_read(
			 note->bytes + note->entries[0].set_at, note->entries[0].set_bytes, &set),
		0);
	CHECK_EQ(set.count, 1);
	CHECK(memcmp(set.pairs[0].value.bytes, "label", 5) == 0);
	catalog_note_free(note);
}

int main(void)
{
	CHECK_EQ(catalog_known_init(&known), 0);
	RUN(an_entry_is_a_series_of_a_type_in_an_hour);
	RUN(a_window_over_the_hour_is_of_both);
	RUN(what_is_known_is_left_out);
	RUN(a_window_without_samples_has_no_note);
	RUN(the_host_is_the_heads_or_else_the_labels);
	catalog_known_done(&known);
	return 0;
}
