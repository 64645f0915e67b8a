/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/label_params.h"

#include "tests/support/check.h"

static bool read(const char *value, struct label_params *params)
{
	struct http_request request = {.params = {{"by", value}}, .param_count = 1};
	struct http_answer answer;
	bool good;

	http_answer_init(&answer);
	good = label_params_read(&request, "by", &answer, params);
	CHECK(good || answer.status == 400);
	http_answer_done(&answer);
	return good;
}

static void names_stand_between_commas(void)
{
	struct label_params params;

	CHECK(read("host,thread", &params));
	CHECK_EQ(params.names.count, 2);
	CHECK_STR(params.names.names[0], "host");
	CHECK_STR(params.names.names[1], "thread");
	CHECK(read("", &params));
	CHECK_EQ(params.names.count, 0);
}

static void too_many_or_empty_names_are_refused(void)
{
	struct label_params params;
	char longest[LABEL_PARAMS_BYTES_MAX + 1];

	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	CHECK(!read("a,b,c,d,e", &params));
	CHECK(!read("a,", &params));
	CHECK(!read("a,b,a", &params));
	CHECK(!read(longest, &params));
	CHECK(read(longest + 1, &params));
}

int main(void)
{
	RUN(names_stand_between_commas);
	RUN(too_many_or_empty_names_are_refused);
	return 0;
}
