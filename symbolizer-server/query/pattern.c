/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/pattern.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* Steps of one match: ordinary patterns take a few hundred, and 100,000 take about a millisecond.
 */
#define MATCH_STEPS_MAX 100000
/* Memory of one match, in KiB: back-tracking points of the steps above fit. */
#define MATCH_HEAP_KIB_MAX 8192
/* Nested parentheses: PCRE2 recurses for them while it compiles. */
#define PARENTHESES_MAX 100

struct pattern {
	pcre2_code *code;
	pcre2_match_context *limits;
};

static pcre2_code *compile(const char *text, size_t length, int *ret_error, size_t *ret_at)
{
	const uint32_t options = PCRE2_ANCHORED | PCRE2_ENDANCHORED | PCRE2_DOTALL | PCRE2_UTF |
		PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C;
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);
	pcre2_code *code;

	if (!context) {
		*ret_error = PCRE2_ERROR_NOMEMORY;
		return NULL;
	}
	pcre2_set_parens_nest_limit(context, PARENTHESES_MAX);
	code = pcre2_compile((PCRE2_SPTR)text, length, options, ret_error, ret_at, context);
	pcre2_compile_context_free(context);
	return code;
}

int pattern_new(const char *text, size_t length, struct pattern **ret_pattern, char *ret_error)
{
	struct pattern *pattern = calloc(1, sizeof(*pattern));
	int error = 0;
	size_t at = 0;

	if (!pattern)
		return -ENOMEM;
	pattern->limits = pcre2_match_context_create(NULL);
	if (pattern->limits) {
		pcre2_set_match_limit(pattern->limits, MATCH_STEPS_MAX);
		pcre2_set_depth_limit(pattern->limits, MATCH_STEPS_MAX);
		pcre2_set_heap_limit(pattern->limits, MATCH_HEAP_KIB_MAX);
		pattern->code = compile(text, length, &error, &at);
	}
	if (pattern->code) {
		*ret_pattern = pattern;
		return 0;
	}
	pattern_free(pattern);
	if (error == 0 || error == PCRE2_ERROR_NOMEMORY || error == PCRE2_ERROR_HEAP_FAILED)
		return -ENOMEM;

	char reason[PATTERN_ERROR_BYTES_MAX - 32] = "";

	pcre2_get_error_message(error, (PCRE2_UCHAR *)reason, sizeof(reason));
	snprintf(ret_error, PATTERN_ERROR_BYTES_MAX, "%s at its character %zu", reason, at + 1);
	return -EINVAL;
}

void pattern_free(struct pattern *pattern)
{
	if (!pattern)
		return;
	pcre2_code_free(pattern->code);
	pcre2_match_context_free(pattern->limits);
	free(pattern);
}

int pattern_matches(
	const struct pattern *pattern, const char *text, size_t length, bool *ret_matches)
{
	/* One pair: where the whole match lies; what stands in parentheses is of no interest. */
	pcre2_match_data *data = pcre2_match_data_create(1, NULL);
	int result;

	if (!data)
		return -ENOMEM;
	result = pcre2_match(pattern->code, (PCRE2_SPTR)text, length, 0, 0, data, pattern->limits);
	pcre2_match_data_free(data);
	if (result < 0 && result != PCRE2_ERROR_NOMATCH)
		return result == PCRE2_ERROR_NOMEMORY ? -ENOMEM : -E2BIG;
	*ret_matches = result >= 0;
	return 0;
}
