/* SPDX-License-Identifier: Apache-2.0 */
/* Selector: which rows a query means.
 *
 * What it is   text as Pyroscope and Prometheus write it, `TYPE{label="value",other=~"re.*"}`, as
 *              a profile type and a list of matchers that must all accept.
 * Ownership    the selector owns its texts and patterns, until selector_done.
 * Threads      reading is free for all once parsed.
 * Errors       -EINVAL with a sentence that says what to mend; -ENOMEM.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/base/arena.h"
#include "store/base/bytes.h"

/* People write lines, programs a list of a few hundred values. */
#define SELECTOR_TEXT_BYTES_MAX (16u << 10)
#define SELECTOR_MATCHER_COUNT_MAX 64
#define SELECTOR_ERROR_BYTES_MAX 240

struct pattern;

enum matcher_kind { MATCHER_EQUAL, MATCHER_NOT_EQUAL, MATCHER_REGEX, MATCHER_NOT_REGEX };

struct selector_matcher {
	const char *name; /* NUL-terminated */
	size_t name_length;
	const char *value; /* NUL-terminated, may hold NULs */
	size_t value_length;
	enum matcher_kind kind;
	struct pattern *pattern; /* of the two regex kinds */
};

struct selector {
	struct arena texts;
	const char *type; /* a profile type of five parts, or NULL: any */
	struct selector_matcher matchers[SELECTOR_MATCHER_COUNT_MAX];
	uint32_t matcher_count;
};

/* Reads LENGTH characters of TEXT; an empty text means every row. The type may stand in front of
 * the braces or inside, as `__name__="TYPE"` or `__profile_type__="TYPE"`. On -EINVAL, RET_ERROR
 * (SELECTOR_ERROR_BYTES_MAX characters) is the sentence. */
int selector_parse(const char *text, size_t length, struct selector *ret_selector, char *ret_error);
void selector_done(struct selector *selector);

/* Adds a matcher: label NAME must be VALUE. -E2BIG: there are too many.  -ENOMEM. */
int selector_add_equal(struct selector *selector, const char *name, const char *value);

/* Writes the selector so that parsing the text gives an equal one. */
void selector_format(const struct selector *selector, struct bytes_writer *writer);

/* Whether the matcher accepts a label with this value; an absent label has the empty value.
 * -ENOMEM; -E2BIG: the regular expression took too many steps. */
int selector_matcher_accepts(const struct selector_matcher *matcher, const char *value,
	size_t length, bool *ret_accepts);

/* Whether TEXT is a profile type: five parts joined by `:`, the first three not empty. */
bool selector_is_type(const char *text, size_t length);
