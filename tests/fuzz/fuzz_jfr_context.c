/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes either are refused with a sentence, or are contexts whose labels lie within them. */
#include <errno.h>

#include "store/base/must.h"
#include "symbolizer-server/ingest/jfr_context.h"
#include "tests/fuzz/fuzz.h"

static void check_text(struct ingest_text text, const uint8_t *bytes, size_t byte_count)
{
	const char *first = (const char *)bytes;

	must(text.length == 0 ||
		(text.text >= first && text.text + text.length <= first + byte_count));
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	struct ingest_label labels[LABEL_COUNT_MAX];
	struct ingest_fault fault = {""};
	struct ingest_drops drops = {0};
	struct jfr_contexts contexts;
	int r = jfr_contexts_init(
		&contexts, (struct ingest_text){(const char *)bytes, byte_count}, &fault);

	must(r == 0 || r == -ENOMEM || fault.text[0] != '\0');
	for (uint32_t i = 0; r == 0 && i < contexts.contexts.count; i++) {
		uint32_t count =
			jfr_context_labels(&contexts, contexts.contexts.rows[i].id, &drops, labels);

		must(count <= LABEL_COUNT_MAX);
		for (uint32_t j = 0; j < count; j++) {
			check_text(labels[j].key, bytes, byte_count);
			check_text(labels[j].value, bytes, byte_count);
		}
	}
	if (r == 0)
		jfr_contexts_done(&contexts);
}
