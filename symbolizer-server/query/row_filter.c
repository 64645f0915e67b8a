/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/row_filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/utf8.h"
#include "symbolizer-server/query/row_label.h"

/* A value grows threefold at most when each of its bytes becomes U+FFFD. */
#define VALUE_BYTES_MAX ((size_t)3 * STRING_BYTES_MAX)

/* What is known of a label set. */
enum { SET_UNSEEN, SET_ACCEPTED, SET_REFUSED };

_Static_assert(sizeof(bool) == 1, "reserve() counts bytes");

void row_filter_init(
	struct row_filter *filter, const struct selector *selector, struct time_range range)
{
	*filter = (struct row_filter){.selector = selector, .range = range};
	bytes_writer_init(&filter->text, VALUE_BYTES_MAX);
	for (uint32_t i = 0; i < selector->matcher_count; i++) {
		enum row_label_scope scope = row_label_scope(selector->matchers[i].name);

		filter->by_thread |= scope == ROW_LABEL_THREAD;
		filter->by_number |= row_label_needs_rows(selector->matchers[i].name);
		filter->by_cpu |= scope == ROW_LABEL_CPU;
	}
}

void row_filter_done(struct row_filter *filter)
{
	free(filter->threads_accepted);
	free(filter->sets);
	bytes_writer_done(&filter->text);
	*filter = (struct row_filter){0};
}

/* Matches the text that people are shown: bytes that are no text become U+FFFD first. */
static int accepts(struct row_filter *filter, const struct selector_matcher *matcher,
	struct row_label_value value, bool *ret_accepts)
{
	int r;

	bytes_writer_reset(&filter->text);
	utf8_write(&filter->text, value.text, value.length);
	r = bytes_writer_fault(&filter->text);
	if (r < 0)
		return r;
	return selector_matcher_accepts(matcher,
		filter->text.bytes ? (const char *)filter->text.bytes : "", filter->text.byte_count,
		ret_accepts);
}

int row_filter_accepts_host(
	struct row_filter *filter, const char *host, size_t length, bool *ret_accepts)
{
	*ret_accepts = true;
	for (uint32_t i = 0; *ret_accepts && i < filter->selector->matcher_count; i++) {
		const struct selector_matcher *matcher = &filter->selector->matchers[i];
		int r;

		if (strcmp(matcher->name, "host") != 0)
			continue;
		r = accepts(filter, matcher, (struct row_label_value){host, length}, ret_accepts);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Holds those matchers against a thread that look at its numbers and name, or all others. */
static int match_thread(struct row_filter *filter, uint32_t thread, bool numbers, bool *ret_accepts)
{
	char number[ROW_LABEL_NUMBER_BYTES];

	*ret_accepts = true;
	for (uint32_t i = 0; *ret_accepts && i < filter->selector->matcher_count; i++) {
		const struct selector_matcher *matcher = &filter->selector->matchers[i];
		int r;

		if (row_label_scope(matcher->name) != ROW_LABEL_THREAD ||
			row_label_needs_rows(matcher->name) != numbers)
			continue;
		r = accepts(filter, matcher,
			row_label_of_thread(filter->profile, thread, matcher->name, number),
			ret_accepts);
		if (r < 0)
			return r;
	}
	return 0;
}

static int accept_thread(struct row_filter *filter, uint32_t thread, bool *ret_accepts)
{
	uint8_t *set = &filter->sets[filter->profile->threads.threads[thread].labels];
	int r;

	if (*set == SET_UNSEEN) {
		r = match_thread(filter, thread, false, ret_accepts);
		if (r < 0)
			return r;
		*set = *ret_accepts ? SET_ACCEPTED : SET_REFUSED;
	}
	*ret_accepts = *set == SET_ACCEPTED;
	if (!*ret_accepts || !filter->by_number)
		return 0;
	return match_thread(filter, thread, true, ret_accepts);
}

static int accept_cpu(struct row_filter *filter, uint32_t cpu, bool *ret_accepts)
{
	char number[ROW_LABEL_NUMBER_BYTES];

	*ret_accepts = true;
	for (uint32_t i = 0; *ret_accepts && i < filter->selector->matcher_count; i++) {
		const struct selector_matcher *matcher = &filter->selector->matchers[i];
		int r;

		if (row_label_scope(matcher->name) != ROW_LABEL_CPU)
			continue;
		r = accepts(filter, matcher, row_label_of_cpu(cpu, number), ret_accepts);
		if (r < 0)
			return r;
	}
	return 0;
}

static int reserve(void **array, uint32_t *capacity, uint32_t count)
{
	void *grown;

	if (count <= *capacity)
		return 0;
	grown = realloc(*array, count);
	if (!grown)
		return -ENOMEM;
	*array = grown;
	*capacity = count;
	return 0;
}

/* Room for what is known of each thread and of each label set, which is nothing yet. */
static int prepare(struct row_filter *filter, const struct profile *profile)
{
	/* Where the host stands in the head, a label set alone does not decide. */
	uint64_t dictionary = profile->head.host == 0 ? profile->dictionary : 0;
	void *threads = filter->threads_accepted, *sets = filter->sets;
	int r = reserve(&threads, &filter->thread_capacity, profile->threads.count);

	filter->threads_accepted = threads;
	if (r == 0)
		r = reserve(&sets, &filter->set_capacity, profile->labels.count);
	filter->sets = sets;
	if (r < 0 || (dictionary != 0 && dictionary == filter->dictionary))
		return r;
	if (profile->labels.count > 0)
		memset(filter->sets, SET_UNSEEN, profile->labels.count);
	filter->dictionary = dictionary;
	return 0;
}

int row_filter_open(struct row_filter *filter, const struct profile *profile)
{
	int r = 0;

	filter->profile = profile;
	sample_range_init(
		&filter->sample_range, profile, filter->range.from_ns, filter->range.until_ns);
	if (!filter->by_thread)
		return 0;
	r = prepare(filter, profile);
	for (uint32_t i = 0; r == 0 && i < profile->threads.count; i++)
		r = accept_thread(filter, i, &filter->threads_accepted[i]);
	return r;
}

int row_filter_takes_type(
	struct row_filter *filter, const struct sample_table *table, bool *ret_takes)
{
	const char *type = string_table_text(&filter->profile->strings, table->type);

	*ret_takes = !filter->selector->type || strcmp(type, filter->selector->type) == 0;
	for (uint32_t i = 0; *ret_takes && i < filter->selector->matcher_count; i++) {
		const struct selector_matcher *matcher = &filter->selector->matchers[i];
		int r;

		if (row_label_scope(matcher->name) != ROW_LABEL_TYPE)
			continue;
		r = accepts(filter, matcher, row_label_of_type(type, matcher->name), ret_takes);
		if (r < 0)
			return r;
	}
	return 0;
}

int row_filter_accepts(struct row_filter *filter, const struct sample_row *row, bool *ret_accepts)
{
	*ret_accepts = !filter->by_thread || filter->threads_accepted[row->thread];
	if (!*ret_accepts || !filter->by_cpu)
		return 0;
	return accept_cpu(filter, row->cpu, ret_accepts);
}

int row_filter_part(struct row_filter *filter, const struct sample_table *table,
	const struct sample_row *row, struct sample_part *ret_part)
{
	bool accepted;
	int r = row_filter_accepts(filter, row, &accepted);

	if (r < 0)
		return r;
	*ret_part = accepted ? sample_range_part(&filter->sample_range, table, row)
			     : (struct sample_part){0};
	return 0;
}
