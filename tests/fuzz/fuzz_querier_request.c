/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes, read as the request of any method in either codec, are refused with a sentence, or
 * become texts that end and lists within their limits. */
#include <errno.h>
#include <string.h>

#include "store/base/must.h"
#include "symbolizer-server/querier/querier_request.h"
#include "tests/fuzz/fuzz.h"

static void check(const struct querier_request *asked)
{
	must(asked->matchers.count <= QUERIER_TEXT_COUNT_MAX);
	must(asked->names.count <= QUERIER_TEXT_COUNT_MAX);
	must(strlen(asked->type) + strlen(asked->selector) + strlen(asked->name) <=
		3 * QUERIER_REQUEST_BYTES_MAX);
	for (uint32_t i = 0; i < asked->call_site.count; i++)
		must(asked->call_site.texts[i] != NULL);
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	const struct ingest_text text = {(const char *)bytes, byte_count};

	for (int i = 0; i < 2 * QUERIER_METHOD_COUNT; i++) {
		struct querier_request asked;
		struct ingest_fault fault = {""};
		int r = querier_request_init(&asked, (enum querier_method)(i / 2),
			i % 2 == 0 ? REPLY_PROTO : REPLY_JSON, text, &fault);

		must(r == 0 || r == -ENOMEM || fault.text[0] != '\0');
		if (r == 0) {
			check(&asked);
			querier_request_done(&asked);
		}
	}
}
