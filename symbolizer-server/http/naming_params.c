/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/naming_params.h"

#include <stddef.h>
#include <string.h>

#define WORD_COUNT_MAX 3

struct choice {
	const char *param;
	const char *words[WORD_COUNT_MAX]; /* the first one holds if there is no such parameter */
	const char *list; /* of the words, for people */
};

/* The place of the word that was given. */
static bool read_choice(const struct http_request *request, const struct choice *choice,
	struct http_answer *answer, int *ret_word)
{
	const char *text = http_request_param(request, choice->param);

	*ret_word = 0;
	if (!text || !*text)
		return true;
	for (int i = 0; i < WORD_COUNT_MAX && choice->words[i]; i++) {
		if (strcmp(text, choice->words[i]) == 0) {
			*ret_word = i;
			return true;
		}
	}
	http_answer_error(answer, 400, "%s: %s must stand here, not %.100s", choice->param,
		choice->list, text);
	return false;
}

bool naming_params_read(const struct http_request *request, struct http_answer *answer,
	struct naming_options *ret_options)
{
	/* In the order of enum naming_group. */
	static const struct choice group = {
		"group", {"function", "line", "file"}, "function, line or file"};
	static const struct choice inlined = {"inlined", {"show", "hide"}, "show or hide"};
	static const struct choice builds = {"builds", {"joined", "apart"}, "joined or apart"};
	int group_word, inlined_word, builds_word;

	if (!read_choice(request, &group, answer, &group_word) ||
		!read_choice(request, &inlined, answer, &inlined_word) ||
		!read_choice(request, &builds, answer, &builds_word))
		return false;
	*ret_options = (struct naming_options){.group = (enum naming_group)group_word,
		.hides_inlined = inlined_word == 1,
		.by_build = builds_word == 1};
	return true;
}
