/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/accept.h"

#include <stddef.h>

#include "tests/support/check.h"

static void gzip_is_sent_to_those_who_take_it(void)
{
	CHECK(accept_allows_gzip("gzip"));
	CHECK(accept_allows_gzip("deflate, gzip;q=0.5, br"));
	CHECK(accept_allows_gzip("br , GZIP ; q=1"));
	CHECK(accept_allows_gzip("*"));
	CHECK(accept_allows_gzip("identity;q=0.1, *;q=0.2"));
	CHECK(!accept_allows_gzip(NULL));
	CHECK(!accept_allows_gzip(""));
	CHECK(!accept_allows_gzip("identity"));
	CHECK(!accept_allows_gzip("gzip;q=0"));
	CHECK(!accept_allows_gzip("gzip; q=0.0, *"));
	CHECK(!accept_allows_gzip("*;q=0"));
	CHECK(!accept_allows_gzip("gzipped, deflate"));
	CHECK(!accept_allows_gzip(", ,;q=1,"));
}

static void a_form_is_sent_to_those_who_name_it(void)
{
	CHECK(accept_names_type("application/x-flame", "application/x-flame"));
	CHECK(accept_names_type("text/html, application/X-Flame;v=1;q=0.9", "application/x-flame"));
	CHECK(!accept_names_type("*/*", "application/x-flame"));
	CHECK(!accept_names_type("application/x-flame;q=0", "application/x-flame"));
	CHECK(!accept_names_type("application/x-flames", "application/x-flame"));
	CHECK(!accept_names_type(NULL, "application/x-flame"));
}

int main(void)
{
	RUN(gzip_is_sent_to_those_who_take_it);
	RUN(a_form_is_sent_to_those_who_name_it);
	return 0;
}
