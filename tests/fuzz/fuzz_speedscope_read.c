/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes are refused with a sentence, or become a profile with all of their weights: of a file of
 * samples in nanoseconds alone, the sum is that of the weights. */
#include "symbolizer-server/ingest/speedscope_read.h"

#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/recording_check.h"

/* The sum of all weights; false where other rules hold: another unit, a sum that doubles do not tell
 * exactly, what weighs nothing or less. */
static bool sum_weights(const struct speedscope *file, double *ret_sum)
{
	struct json_walk profiles, weights;
	struct json_view profile, weight;
	double sum = 0, value;

	json_view_walk(&profiles, file->profiles);
	while (json_view_next(&profiles, NULL, &profile)) {
		double part = 0;

		if (!json_view_is(json_view_member(profile, "unit"), "nanoseconds") ||
			!json_view_is(json_view_member(profile, "type"), "sampled"))
			return false;
		json_view_walk(&weights, json_view_member(profile, "weights"));
		while (json_view_next(&weights, NULL, &weight)) {
			if (!json_view_number(weight, &value) || value < 0)
				return false;
			part += value;
		}
		/* Each profile is rounded once. */
		sum += part;
	}
	*ret_sum = sum;
	return sum < 1e12;
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	const struct speedscope_options options = {.app = {"fuzz", 4}, .rate = 100};
	struct ingest_fault fault = {""};
	struct ingest_batch batch;
	struct speedscope file;
	struct json_view json;
	double sum;
	int r = json_view_check(
		(struct ingest_text){(const char *)bytes, byte_count}, &json, &fault);

	if (r == 0)
		r = speedscope_open(json, &file, &fault);
	if (r < 0) {
		must(fault.text[0] != '\0');
		return;
	}
	must(speedscope_duration_ns(&file) < UINT64_MAX / 2);
	must(ingest_batch_init(&batch, RECORDING_START_NS, RECORDING_START_NS + 1) == 0);
	r = speedscope_add(&file, &options, &batch, &fault);
	if (r == 0 && sum_weights(&file, &sum)) {
		double off = recording_total(&batch) - sum;
		double allowed = 1 + (double)json_view_count(file.profiles);

		must(off < allowed && off > -allowed);
	}
	recording_check(&batch, r, &fault);
}
