/* SPDX-License-Identifier: Apache-2.0 */
/* Any text either is refused with a sentence, or prints to a text that parses to the same. */
#include <string.h>

#include "store/base/must.h"
#include "symbolizer-server/query/selector.h"
#include "tests/fuzz/fuzz.h"

/* Quoting makes four characters of one. */
#define PRINTED_BYTES_MAX (8 * SELECTOR_TEXT_BYTES_MAX)

static void same_text(const char *one, size_t one_length, const char *other, size_t other_length)
{
	must(one_length == other_length && memcmp(one, other, one_length) == 0);
}

static void same_selector(const struct selector *one, const struct selector *other)
{
	must(!one->type == !other->type);
	if (one->type)
		must(strcmp(one->type, other->type) == 0);
	must(one->matcher_count == other->matcher_count);
	for (uint32_t i = 0; i < one->matcher_count; i++) {
		const struct selector_matcher *a = &one->matchers[i], *b = &other->matchers[i];

		must(a->kind == b->kind);
		same_text(a->name, a->name_length, b->name, b->name_length);
		same_text(a->value, a->value_length, b->value, b->value_length);
	}
}

static void match_something(const struct selector *selector)
{
	for (uint32_t i = 0; i < selector->matcher_count; i++) {
		bool accepts = false;

		(void)selector_matcher_accepts(&selector->matchers[i], "web-1", 5, &accepts);
	}
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	char error[SELECTOR_ERROR_BYTES_MAX] = "";
	struct selector first, second;
	struct bytes_writer printed;

	if (selector_parse((const char *)bytes, byte_count, &first, error) < 0) {
		must(error[0] != '\0');
		return;
	}
	match_something(&first);
	bytes_writer_init(&printed, PRINTED_BYTES_MAX);
	selector_format(&first, &printed);
	must(bytes_writer_fault(&printed) == 0);
	if (printed.byte_count <= SELECTOR_TEXT_BYTES_MAX) {
		must(selector_parse(
			     (const char *)printed.bytes, printed.byte_count, &second, error) == 0);
		same_selector(&first, &second);
		selector_done(&second);
	}
	bytes_writer_done(&printed);
	selector_done(&first);
}
