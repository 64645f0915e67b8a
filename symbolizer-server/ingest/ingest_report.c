/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/ingest_report.h"

#include <string.h>

#include "store/base/json_writer.h"

/* The sums of one type over all profiles, in the order in which the types come. */
struct type_sum {
	const char *type;
	uint64_t samples;
	uint64_t value; /* of values that are not negative, which 63 bits hold in each profile */
};

struct sums {
	struct type_sum types[PROFILE_TYPE_COUNT_MAX];
	uint32_t count;
	uint64_t from_ns, until_ns;
};

static struct type_sum *sum_of(struct sums *sums, const char *type)
{
	for (uint32_t i = 0; i < sums->count; i++) {
		if (strcmp(sums->types[i].type, type) == 0)
			return &sums->types[i];
	}
	/* The profiles of one upload are parts of one, or tell of one program. */
	if (sums->count == PROFILE_TYPE_COUNT_MAX)
		return &sums->types[sums->count - 1];
	sums->types[sums->count] = (struct type_sum){.type = type};
	return &sums->types[sums->count++];
}

static void add_profile(struct sums *sums, const struct profile *profile)
{
	uint64_t from_ns = profile_window_epoch_ns(profile);
	uint64_t until_ns = profile_window_end_epoch_ns(profile);

	if (sums->from_ns == 0 || from_ns < sums->from_ns)
		sums->from_ns = from_ns;
	if (until_ns > sums->until_ns)
		sums->until_ns = until_ns;
	for (uint32_t i = 0; i < profile->type_count; i++) {
		const struct sample_table *table = &profile->types[i];
		struct type_sum *sum;

		if (table->row_count == 0)
			continue;
		sum = sum_of(sums, string_table_text(&profile->strings, table->type));
		for (uint32_t j = 0; j < table->row_count; j++) {
			sum->samples += table->rows[j].count;
			sum->value += (uint64_t)table->rows[j].value;
		}
	}
}

static void write_drops(struct json_writer *json, const struct ingest_drops *drops)
{
	json_begin_object(json);
#define WRITE_DROP(name, meaning) \
	if (drops->name > 0)      \
		json_unsigned(json_key(json, #name), drops->name);
	INGEST_DROPS(WRITE_DROP)
#undef WRITE_DROP
	json_end_object(json);
}

void ingest_report_write(struct bytes_writer *writer, const struct profile_list *profiles,
	const struct ingest_drops *drops)
{
	struct sums sums = {.count = 0};
	struct json_writer json;

	for (uint32_t i = 0; i < profiles->count; i++)
		add_profile(&sums, profiles->profiles[i]);
	json_writer_init(&json, writer);
	json_begin_object(&json);
	json_unsigned(json_key(&json, "from"), sums.from_ns);
	json_unsigned(json_key(&json, "until"), sums.until_ns);
	json_begin_array(json_key(&json, "types"));
	for (uint32_t i = 0; i < sums.count; i++) {
		json_begin_object(&json);
		json_string(json_key(&json, "type"), sums.types[i].type);
		json_unsigned(json_key(&json, "samples"), sums.types[i].samples);
		json_unsigned(json_key(&json, "value"), sums.types[i].value);
		json_end_object(&json);
	}
	json_end_array(&json);
	write_drops(json_key(&json, "drops"), drops);
	json_end_object(&json);
}
