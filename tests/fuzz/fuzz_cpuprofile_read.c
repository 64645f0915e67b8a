/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes are refused with a sentence, or become a profile whose sum is the time from the first
 * sample to the last, or to the end. */
#include "symbolizer-server/ingest/cpuprofile_read.h"

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/recording_check.h"

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	struct ingest_fault fault = {""};
	struct cpuprofile *file = NULL;
	struct ingest_batch batch;
	struct json_view json;
	int r = json_view_check(
		(struct ingest_text){(const char *)bytes, byte_count}, &json, &fault);

	if (r == 0)
		r = cpuprofile_open(json, &file, &fault);
	if (r < 0) {
		must(r == -ENOMEM || r == -E2BIG || fault.text[0] != '\0');
		return;
	}
	must(ingest_batch_init(&batch, RECORDING_START_NS, RECORDING_START_NS + 1) == 0);
	r = cpuprofile_add(file, "wall:wall:nanoseconds:cpu:nanoseconds", &batch, &fault);
	/* What comes after the end, by the sender's clock, may add to it. */
	if (r == 0)
		must(recording_total(&batch) >= (double)cpuprofile_duration_ns(file));
	recording_check(&batch, r, &fault);
	cpuprofile_free(file);
}
