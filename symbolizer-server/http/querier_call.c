/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/querier_call.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define NS_PER_MILLISECOND UINT64_C(1000000)

/* 0 for what is before 1970, and the end of time for what does not fit. */
static uint64_t ns_of(int64_t ms)
{
	if (ms <= 0)
		return 0;
	return (uint64_t)ms < UINT64_MAX / NS_PER_MILLISECOND ? (uint64_t)ms * NS_PER_MILLISECOND
							      : UINT64_MAX;
}

static int parse_selector(
	const struct querier_call *call, const char *text, struct selector *ret_selector)
{
	char error[SELECTOR_ERROR_BYTES_MAX];
	int r = selector_parse(text, strlen(text), ret_selector, error);

	return r == -EINVAL ? ingest_refuse(call->fault, r, "%s", error) : r;
}

static int set_type(const struct querier_call *call, const char *type, struct selector *selector)
{
	char *copy;

	if (!selector_is_type(type, strlen(type))) {
		return ingest_refuse(call->fault, -EINVAL,
			"profileTypeID: a type of five parts must stand here, "
			"as " PROFILE_TYPE_ON_CPU ", not '%.100s'",
			type);
	}
	copy = arena_copy_text(&selector->texts, type, strlen(type));
	if (!copy)
		return -ENOMEM;
	selector->type = copy;
	return 0;
}

int querier_params(const struct querier_call *call, const struct querier_request *asked,
	struct query_params *ret_params)
{
	int r;

	if (asked->start_ms == 0 || asked->end_ms == 0)
		return ingest_refuse(
			call->fault, -EINVAL, "missing time range in the query: start, end");
	if (asked->start_ms > asked->end_ms)
		return ingest_refuse(call->fault, -EINVAL, "start is after end");
	*ret_params =
		(struct query_params){.range = {ns_of(asked->start_ms), ns_of(asked->end_ms)}};
	r = parse_selector(call, asked->selector, &ret_params->selector);
	if (r < 0)
		return r;
	r = set_type(call, asked->type, &ret_params->selector);
	if (r < 0)
		query_params_done(ret_params);
	return r;
}

struct time_range querier_list_range(
	const struct querier_call *call, const struct querier_request *asked)
{
	struct time_range range = {ns_of(asked->start_ms), ns_of(asked->end_ms)};

	if (asked->start_ms == 0 && asked->end_ms == 0)
		range.until_ns = clock_read(&call->site->clock).realtime_ns;
	if (range.from_ns > range.until_ns)
		range.from_ns = range.until_ns;
	return range;
}

/* `{a="b"}` and `{c="d"}` as `{a="b",c="d"}`. */
static int join(const struct querier_call *call, const char *matchers, struct bytes_writer *text)
{
	struct selector selector;
	int r = parse_selector(call, matchers, &selector);
	struct bytes_writer one;

	if (r < 0)
		return r;
	bytes_writer_init(&one, SELECTOR_TEXT_BYTES_MAX);
	selector_format(&selector, &one);
	/* Without the braces that it has. */
	if (one.byte_count > 2) {
		bytes_write_span(text, one.bytes + 1, one.byte_count - 2);
		bytes_write_u8(text, ',');
	}
	r = bytes_writer_fault(&one);
	bytes_writer_done(&one);
	selector_done(&selector);
	return r;
}

int querier_matchers(const struct querier_call *call, struct selector *ret_selector)
{
	const struct querier_texts *matchers = &call->asked->matchers;
	struct bytes_writer text;
	int r = 0;

	bytes_writer_init(&text, SELECTOR_TEXT_BYTES_MAX);
	bytes_write_u8(&text, '{');
	for (uint32_t i = 0; r == 0 && i < matchers->count; i++)
		r = join(call, matchers->texts[i], &text);
	bytes_write_span(&text, "}", 2);
	if (r == 0)
		r = bytes_writer_fault(&text);
	if (r == -EFBIG)
		r = ingest_refuse(call->fault, -E2BIG, "matchers: together longer than %u bytes",
			SELECTOR_TEXT_BYTES_MAX);
	if (r == 0)
		r = parse_selector(call, (const char *)text.bytes, ret_selector);
	bytes_writer_done(&text);
	return r;
}
