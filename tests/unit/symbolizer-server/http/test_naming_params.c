/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/naming_params.h"

#include <string.h>

#include "tests/support/check.h"

static bool read_params(const struct http_param *params, uint32_t count, struct http_answer *answer,
	struct naming_options *ret_options)
{
	struct http_request request = {.method = "GET", .path = "/", .param_count = count};

	memcpy(request.params, params, count * sizeof(*params));
	http_answer_init(answer);
	return naming_params_read(&request, answer, ret_options);
}

static void without_parameters_whole_functions_are_counted(void)
{
	struct naming_options options = {.by_build = true};
	struct http_answer answer;

	CHECK(read_params((struct http_param[]){{"group", ""}}, 1, &answer, &options));
	CHECK_EQ(options.group, NAMING_BY_FUNCTION);
	CHECK(!options.hides_inlined && !options.by_build);
	http_answer_done(&answer);
}

static void each_word_is_read(void)
{
	struct naming_options options;
	struct http_answer answer;

	CHECK(read_params(
		(struct http_param[]){{"group", "line"}, {"inlined", "hide"}, {"builds", "apart"}},
		3, &answer, &options));
	CHECK_EQ(options.group, NAMING_BY_LINE);
	CHECK(options.hides_inlined && options.by_build);
	http_answer_done(&answer);
	CHECK(read_params(
		(struct http_param[]){{"group", "file"}, {"inlined", "show"}, {"builds", "joined"}},
		3, &answer, &options));
	CHECK_EQ(options.group, NAMING_BY_FILE);
	CHECK(!options.hides_inlined && !options.by_build);
	http_answer_done(&answer);
}

static void other_words_are_refused(void)
{
	struct naming_options options = {.hides_inlined = true};
	struct http_answer answer;

	CHECK(!read_params((struct http_param[]){{"group", "address"}}, 1, &answer, &options));
	CHECK_EQ(answer.status, 400);
	CHECK(memmem(answer.body.bytes, answer.body.byte_count, "function, line or file", 22));
	CHECK(options.hides_inlined);
	http_answer_done(&answer);
}

int main(void)
{
	RUN(without_parameters_whole_functions_are_counted);
	RUN(each_word_is_read);
	RUN(other_words_are_refused);
	return 0;
}
