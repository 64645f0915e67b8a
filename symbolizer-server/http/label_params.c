/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/label_params.h"

#include <string.h>

static bool add(struct label_params *params, const char *name)
{
	struct label_names *names = &params->names;

	if (!*name || names->count == LABEL_GROUPS_NAME_COUNT_MAX)
		return false;
	for (uint32_t i = 0; i < names->count; i++) {
		if (strcmp(names->names[i], name) == 0)
			return false;
	}
	names->names[names->count++] = name;
	return true;
}

bool label_params_read(const struct http_request *request, const char *name,
	struct http_answer *answer, struct label_params *ret_params)
{
	const char *text = http_request_param(request, name);
	char *rest = ret_params->texts, *word;
	bool good = true;

	ret_params->names.count = 0;
	if (!text || !*text)
		return true;
	if (strlen(text) < sizeof(ret_params->texts))
		memcpy(ret_params->texts, text, strlen(text) + 1);
	else
		good = false;
	while (good && rest) {
		word = strsep(&rest, ",");
		good = add(ret_params, word);
	}
	if (!good) {
		http_answer_error(answer, 400,
			"%s: up to %d different names of labels, separated by commas, must stand "
			"here",
			name, LABEL_GROUPS_NAME_COUNT_MAX);
	}
	return good;
}
