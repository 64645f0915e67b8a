/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/accept.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct item {
	const char *name;
	size_t length;
	bool refused; /* weight zero */
};

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " \t");
}

/* Whether one of the parameters in [AT, END) is `q=0`. */
static bool is_refused(const char *at, const char *end)
{
	while (at < end) {
		at = skip_blanks(at + 1);
		if (end - at >= 2 && strncasecmp(at, "q=", 2) == 0)
			return strtod(at + 2, NULL) <= 0;
		at += strcspn(at, ";,");
	}
	return false;
}

/* Reads the item at *AT and moves it to the next. False: no more. */
static bool next_item(const char **at, struct item *ret_item)
{
	const char *name = *at + strspn(*at, ", \t"), *end;

	if (!*name)
		return false;
	end = name + strcspn(name, ",");
	ret_item->name = name;
	ret_item->length = strcspn(name, ",; \t");
	ret_item->refused = is_refused(name + strcspn(name, ";,"), end);
	*at = end;
	return true;
}

static bool is_named(const struct item *item, const char *name)
{
	return item->length == strlen(name) && strncasecmp(item->name, name, item->length) == 0;
}

bool accept_allows_gzip(const char *header)
{
	bool any = false;
	struct item item;

	while (header && next_item(&header, &item)) {
		if (is_named(&item, "gzip") || is_named(&item, "x-gzip"))
			return !item.refused;
		if (is_named(&item, "*"))
			any = !item.refused;
	}
	return any;
}

bool accept_names_type(const char *header, const char *wanted)
{
	struct item item;

	while (header && next_item(&header, &item)) {
		if (is_named(&item, wanted))
			return !item.refused;
	}
	return false;
}
