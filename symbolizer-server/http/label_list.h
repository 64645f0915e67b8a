/* SPDX-License-Identifier: Apache-2.0 */
/* Label list: one page of names or values, in the order of their bytes.
 *
 * What it is   asked of the store's catalogue where the query has equality matchers on labels of
 *              series alone, else of the profiles; either way of the whole hours that the range
 *              touches, so that who answers cannot be told from the answer.
 * Ownership    owns its texts.
 * Threads      one owner.
 * Errors       those of the store and of query/; -ECANCELED: nobody waits any more.
 */
#pragma once

#include "store/profile/string_table.h"
#include "symbolizer-server/http/http_message.h"
#include "symbolizer-server/http/query_params.h"
#include "symbolizer-server/http/site.h"

#define LABEL_LIST_LIMIT_DEFAULT 1000
#define LABEL_LIST_LIMIT_MAX 100000

struct label_page {
	const char *name; /* the values of this label; NULL: names of labels */
	const char *prefix; /* NULL: any */
	const char *after; /* NULL: from the first on */
	uint32_t limit;
};

struct label_list {
	struct string_table texts; /* from 1 on */
	bool more;
};

int label_list_read(const struct site *site, const struct http_request *request,
	const struct query_params *params, const struct label_page *page,
	struct label_list *ret_list);
void label_list_done(struct label_list *list);
uint32_t label_list_count(const struct label_list *list);
const char *label_list_text(const struct label_list *list, uint32_t index);
size_t label_list_length(const struct label_list *list, uint32_t index);
