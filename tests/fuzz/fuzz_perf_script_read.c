/* SPDX-License-Identifier: Apache-2.0 */
/* Any text is refused with a sentence, or becomes a profile: each head of a sample is one sample of
 * it, or weighs nothing. */
#include "symbolizer-server/ingest/perf_script_read.h"

#include <string.h>

#include "symbolizer-server/ingest/perf_script_line.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/recording_check.h"

/* Samples that the text has, by their heads. */
static uint64_t count_heads(struct ingest_text text)
{
	uint64_t count = 0;

	while (text.length > 0) {
		const char *end = memchr(text.text, '\n', text.length);
		struct ingest_text line = {
			text.text, end ? (size_t)(end - text.text) : text.length};
		size_t passed = end ? line.length + 1 : line.length;
		struct perf_script_head head;

		if (line.length > 0 && line.text[0] != '\t' && line.text[0] != '#' &&
			perf_script_head_read(line, &head) &&
			!(head.event.length >= 12 &&
				memcmp(head.event.text, "PERF_RECORD_", 12) == 0))
			count++;
		text.text += passed;
		text.length -= passed;
	}
	return count;
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	const struct ingest_text text = {(const char *)bytes, byte_count};
	struct ingest_fault fault = {""};
	struct ingest_batch batch;
	uint64_t samples = 0;
	int r;

	must(ingest_batch_init(&batch, RECORDING_START_NS, RECORDING_START_NS + 1) == 0);
	(void)perf_script_is(text);
	(void)perf_script_duration_ns(text);
	r = perf_script_read(&batch, byte_count & 1 ? 100 : 0, text, &fault);
	for (uint32_t i = 0; i < batch.profile->type_count; i++) {
		for (uint32_t j = 0; j < batch.profile->types[i].row_count; j++)
			samples += batch.profile->types[i].rows[j].count;
	}
	if (r == 0)
		must(samples + batch.drops.empty == count_heads(text));
	recording_check(&batch, r, &fault);
}
