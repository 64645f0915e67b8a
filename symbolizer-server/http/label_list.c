/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/label_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "store/disk/profile_store.h"
#include "store/disk/profile_store_labels.h"
#include "symbolizer-server/http/listing_query.h"

#define HOUR_NS (UINT64_C(3600) * NS_PER_S)
#define TYPE_LABEL "__profile_type__"
/* Names of labels are few; they are taken all, since the columns come between them. */
#define NAME_COUNT_MAX 4096

_Static_assert(SELECTOR_MATCHER_COUNT_MAX <= PROFILE_STORE_MATCHER_COUNT_MAX,
	"every matcher of a selector may be one of the catalogue's");

struct asking {
	const struct site *site;
	const struct http_request *request;
	struct query_params params; /* the caller's, of whole hours */
	const struct label_page *page;
	struct label_list *list;
};

void label_list_done(struct label_list *list)
{
	string_table_done(&list->texts);
}

uint32_t label_list_count(const struct label_list *list)
{
	return list->texts.count - 1;
}

const char *label_list_text(const struct label_list *list, uint32_t index)
{
	return string_table_text(&list->texts, index + 1);
}

size_t label_list_length(const struct label_list *list, uint32_t index)
{
	return string_table_length(&list->texts, index + 1);
}

static int put_text(void *context, const char *text, size_t length)
{
	struct label_list *list = context;
	uint32_t index;

	return string_table_add(&list->texts, text, length, &index);
}

static struct time_range whole_hours(struct time_range range)
{
	uint64_t rest = range.until_ns % HOUR_NS;

	if (range.from_ns >= range.until_ns)
		return range;
	range.from_ns -= range.from_ns % HOUR_NS;
	if (rest > 0 && range.until_ns <= UINT64_MAX - (HOUR_NS - rest))
		range.until_ns += HOUR_NS - rest;
	return range;
}

/* ---- From the catalogue ---- */

/* The catalogue's own name of a label; NULL: it has none of that name. */
static const char *catalog_name(const char *name)
{
	if (strcmp(name, "__service_name__") == 0)
		return "service_name";
	if (listing_query_needs_rows(name) ||
		(strncmp(name, "__", 2) == 0 && strcmp(name, TYPE_LABEL) != 0))
		return NULL;
	return name;
}

/* False: the catalogue has no answer to the selector. */
static bool to_matchers(
	const struct selector *selector, struct profile_store_label_matcher *matchers)
{
	for (uint32_t i = 0; i < selector->matcher_count; i++) {
		const struct selector_matcher *matcher = &selector->matchers[i];

		matchers[i] = (struct profile_store_label_matcher){
			catalog_name(matcher->name), matcher->value, matcher->value_length};
		/* What has no label has its empty value; what is no UTF-8 is shown as U+FFFD. */
		if (matcher->kind != MATCHER_EQUAL || !matchers[i].name ||
			strcmp(matchers[i].name, TYPE_LABEL) == 0 || matcher->value_length == 0 ||
			strstr(matcher->value, "\xef\xbf\xbd"))
			return false;
	}
	return true;
}

/* -EAGAIN: the catalogue does not tell. */
static int ask_catalog(struct asking *asking)
{
	const struct label_page *page = asking->page;
	struct profile_store_label_matcher matchers[SELECTOR_MATCHER_COUNT_MAX];
	struct profile_store_label_query query = {
		.from_ns = asking->params.range.from_ns,
		.until_ns = asking->params.range.until_ns,
		.type = asking->params.selector.type,
		.matchers = matchers,
		.matcher_count = asking->params.selector.matcher_count,
		.limit = page->name ? page->limit : NAME_COUNT_MAX,
	};
	const char *name = page->name ? catalog_name(page->name) : NULL;

	if (!to_matchers(&asking->params.selector, matchers) || (page->name && !name))
		return -EAGAIN;
	/* Series there have labels; which types they have is told of days, not of single ones. */
	if (query.matcher_count > 0 && name && strcmp(name, TYPE_LABEL) == 0)
		return -EAGAIN;
	if (!page->name)
		return profile_store_label_names(
			asking->site->store, &query, put_text, asking->list, &asking->list->more);
	query.prefix = page->prefix;
	query.prefix_length = page->prefix ? strlen(page->prefix) : 0;
	query.after = page->after;
	query.after_length = page->after ? strlen(page->after) : 0;
	return profile_store_label_values(
		asking->site->store, name, &query, put_text, asking->list, &asking->list->more);
}

/* ---- From the profiles ---- */

static int add_profile(struct listing *listing, const struct profile *profile, const void *context)
{
	const struct label_page *page = context;
	const char *const names[LISTING_TEXT_COUNT_MAX] = {page->name};

	if (!page->name)
		return listing_add_label_names(listing, profile);
	if (strcmp(page->name, TYPE_LABEL) == 0)
		return listing_add_types(listing, profile);
	return listing_add_labels(listing, profile, names);
}

static int ask_profiles(struct asking *asking)
{
	const struct listing_query query = {
		.site = asking->site,
		.request = asking->request,
		.params = &asking->params,
		.add = add_profile,
		.context = asking->page,
		.needs_rows = asking->page->name && listing_query_needs_rows(asking->page->name),
	};
	struct listing listing;
	int r = listing_query_run(&query, &listing);

	if (r < 0)
		return r;
	for (uint32_t i = 0; r == 0 && i < listing.count; i++)
		r = put_text(asking->list, listing_text(&listing, i, 0),
			string_table_length(&listing.strings, listing.rows[i].texts[0]));
	listing_done(&listing);
	return r;
}

/* ---- The page ---- */

static int compare_entries(const void *one, const void *other)
{
	const struct string_entry *a = one, *b = other;
	uint32_t shorter = a->length < b->length ? a->length : b->length;
	int order = memcmp(a->text, b->text, shorter);

	if (order != 0 || a->length == b->length)
		return order;
	return a->length < b->length ? -1 : 1;
}

static bool is_on_page(const struct label_page *page, const struct string_entry *entry)
{
	const struct string_entry after = {
		page->after, page->after ? (uint32_t)strlen(page->after) : 0};

	if (page->prefix && strncmp(entry->text, page->prefix, strlen(page->prefix)) != 0)
		return false;
	return !page->after || compare_entries(entry, &after) > 0;
}

/* Of all texts, those of the page. */
static int cut_page(const struct label_page *page, struct label_list *list)
{
	uint32_t count = label_list_count(list), given = 0;
	SCOPED_FREE struct string_entry *sorted = calloc((size_t)count + 1, sizeof(*sorted));
	struct label_list cut = {.more = false};
	int r = sorted ? string_table_init(&cut.texts) : -ENOMEM;

	if (r < 0)
		return r;
	memcpy(sorted, list->texts.entries + 1, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare_entries);
	for (uint32_t i = 0; r == 0 && i < count; i++) {
		if (!is_on_page(page, &sorted[i]))
			continue;
		cut.more = given++ == page->limit;
		if (cut.more)
			break;
		r = put_text(&cut, sorted[i].text, sorted[i].length);
	}
	if (r < 0) {
		label_list_done(&cut);
		return r;
	}
	label_list_done(list);
	*list = cut;
	return 0;
}

/* Whatever has a series has these, too. */
static int add_columns(struct label_list *list)
{
	static const char *const columns[] = {"cpu", "pid", "thread", "tid"};
	int r = 0;

	for (size_t i = 0;
		r == 0 && label_list_count(list) > 0 && i < sizeof(columns) / sizeof(columns[0]);
		i++)
		r = put_text(list, columns[i], strlen(columns[i]));
	return r;
}

int label_list_read(const struct site *site, const struct http_request *request,
	const struct query_params *params, const struct label_page *page,
	struct label_list *ret_list)
{
	struct label_list list = {.more = false};
	struct asking asking = {
		.site = site, .request = request, .params = *params, .page = page, .list = &list};
	int r = string_table_init(&list.texts), asked;

	if (r < 0)
		return r;
	asking.params.range = whole_hours(params->range);
	asked = ask_catalog(&asking);
	r = asked == -EAGAIN ? ask_profiles(&asking) : asked;
	if (r == 0 && !page->name)
		r = add_columns(&list);
	if (r == 0 && (!page->name || asked == -EAGAIN))
		r = cut_page(page, &list);
	if (r < 0) {
		label_list_done(&list);
		return r;
	}
	*ret_list = list;
	return 0;
}
