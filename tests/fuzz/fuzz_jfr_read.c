/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes either are refused with a sentence, or become a profile that passes its check and has as
 * many samples of each kind as the recording has events of it, less those that are counted as left
 * out. */
#include <errno.h>
#include <string.h>

#include "store/base/must.h"
#include "symbolizer-server/ingest/jfr_kind.h"
#include "symbolizer-server/ingest/jfr_read.h"
#include "symbolizer-server/ingest/profile_list.h"
#include "tests/fuzz/fuzz.h"

#define START_NS UINT64_C(1796061870000000000)

/* Events of each kind, counted without the reader: by type alone. */
static void count_events(const struct jfr_chunk *chunk, uint64_t counts[JFR_KIND_COUNT])
{
	struct jfr_metadata metadata;
	struct bytes_reader events;
	struct ingest_fault fault;
	struct jfr_event event;

	must(jfr_metadata_init(&metadata, chunk, &fault) == 0);
	for (uint32_t kind = 0; kind < JFR_KIND_COUNT; kind++) {
		uint32_t at = 0;

		while (at < metadata.class_count &&
			!jfr_text_is(metadata.classes[at].name, jfr_kind_shapes[kind].class_name))
			at++;
		jfr_events_init(&events, chunk);
		while (at < metadata.class_count && jfr_event_next(&events, &event) == 1)
			counts[kind] += event.type == metadata.classes[at].id;
	}
	jfr_metadata_done(&metadata);
}

static uint64_t samples_of(const struct profile *profile, const char *type)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < profile->type_count; i++) {
		const struct sample_table *table = &profile->types[i];

		if (strcmp(string_table_text(&profile->strings, table->type), type) != 0)
			continue;
		for (uint32_t row = 0; row < table->row_count; row++)
			count += table->rows[row].count;
	}
	return count;
}

static void check_counts(const struct jfr *jfr, const struct ingest_batch *batch,
	const uint64_t counts[JFR_KIND_COUNT])
{
	const struct jfr_kind_type *cpu = &jfr_kinds[JFR_KIND_EXECUTION].types[0];
	uint64_t samples = samples_of(batch->profile, cpu->type);

	for (uint32_t kind = 0; kind < JFR_KIND_COUNT; kind++) {
		const struct jfr_kind_type *type = &jfr_kinds[kind].types[0];

		if (type->measure == JFR_MEASURE_ONE)
			must(samples_of(batch->profile, type->type) == counts[kind]);
	}
	if (jfr->settings.samples_are_wall)
		must(samples + batch->drops.sleeping <= counts[JFR_KIND_EXECUTION]);
	else if (jfr->chunk.number == 1)
		must(samples + batch->drops.sleeping == counts[JFR_KIND_EXECUTION]);
}

static void check_profiles(struct ingest_batch *batch)
{
	struct profile_list list = {.profiles = NULL};
	int r = profile_list_take(&list, batch);

	must(r == 0 || r == -EOVERFLOW);
	for (uint32_t i = 0; i < list.count; i++) {
		const char *what;

		must(profile_check(list.profiles[i], &what) == 0);
	}
	profile_list_done(&list);
}

static int read_chunks(struct jfr *jfr, struct ingest_batch *batch, struct ingest_fault *fault,
	uint64_t counts[JFR_KIND_COUNT])
{
	int r = 0, found = 0;

	while (r == 0 && (found = jfr_next(jfr, fault)) == 1) {
		r = jfr_add(jfr, batch, fault);
		if (r == 0)
			count_events(&jfr->chunk, counts);
	}
	return r < 0 ? r : found;
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	uint64_t counts[JFR_KIND_COUNT] = {0}, start_ns, until_ns;
	struct jfr_contexts contexts;
	struct jfr_options options = {.contexts = &contexts, .now_ns = START_NS};
	struct ingest_fault fault = {""};
	struct ingest_batch batch;
	struct jfr jfr;
	int r;

	must(jfr_contexts_init(&contexts, (struct ingest_text){"", 0}, &fault) == 0);
	must(ingest_batch_init(&batch, START_NS, START_NS + 1) == 0);
	r = jfr_init(&jfr, &options, (struct ingest_text){(const char *)bytes, byte_count}, &fault);
	if (r == 0)
		r = read_chunks(&jfr, &batch, &fault, counts);
	must(r == 0 || r == -ENOMEM || r == -EOVERFLOW || fault.text[0] != '\0');
	jfr_window(&jfr, &start_ns, &until_ns);
	must(start_ns <= until_ns);
	if (r == 0) {
		check_counts(&jfr, &batch, counts);
		check_profiles(&batch);
	}
	ingest_batch_done(&batch);
	jfr_contexts_done(&contexts);
}
