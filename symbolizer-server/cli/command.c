/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/cli/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "store/base/cleanup.h"
#include "symbolizer-server/cli/fetch.h"
#include "symbolizer-server/cli/output.h"
#include "symbolizer-server/cli/query_text.h"

int command_fail(const char *message)
{
	fputs("cairn: ", stderr);
	output_text(stderr, message);
	fputc('\n', stderr);
	return 1;
}

int command_finish(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	/* A reader that has seen enough, such as head, is no failure. */
	return errno == EPIPE ? 0 : command_fail("standard output could not be written");
}

/* Fetches PATH; NULL: it failed, and that was said. */
static char *fetch(const struct options *options, const char *path, int with_query,
	const struct fetch_param *more, size_t *ret_byte_count)
{
	char error[FETCH_ERROR_BYTES_MAX] = "out of memory";
	SCOPED_FREE char *query = NULL;
	struct fetch_request request = {.server = options->server, .path = path};
	char *body;

	if (with_query) {
		if (query_text_make(options->query, options->host, options->process, &query) < 0) {
			command_fail(error);
			return NULL;
		}
		request.params[0] = (struct fetch_param){"query", query};
		request.params[1] = (struct fetch_param){"from", options->from};
		request.params[2] = (struct fetch_param){"until", options->until};
		request.params[3] = *more;
	}
	if (fetch_get(&request, &body, ret_byte_count, error) < 0) {
		command_fail(error);
		return NULL;
	}
	return body;
}

struct cJSON *command_fetch_json(
	const struct options *options, const char *path, int with_query, int *ret_status)
{
	struct fetch_param limit = {"limit", options->limit};
	size_t byte_count;
	SCOPED_FREE char *body = fetch(options, path, with_query, &limit, &byte_count);
	struct cJSON *json;

	*ret_status = 1;
	if (!body)
		return NULL;
	if (options->json) {
		(void)fwrite(body, 1, byte_count, stdout);
		fputc('\n', stdout);
		*ret_status = command_finish();
		return NULL;
	}
	json = cJSON_ParseWithLength(body, byte_count);
	if (!json)
		command_fail("the answer is no JSON: is something else at this address?");
	return json;
}

int command_export(const struct options *options)
{
	struct fetch_param format = {"format", options->format};
	size_t byte_count;
	SCOPED_FREE char *body = fetch(options, "/api/v1/export", 1, &format, &byte_count);

	if (!body)
		return 1;
	(void)fwrite(body, 1, byte_count, stdout);
	return command_finish();
}

const char *command_text(const struct cJSON *object, const char *name)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));

	return text ? text : "";
}

double command_number(const struct cJSON *object, const char *name)
{
	const struct cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

	return cJSON_IsNumber(item) ? item->valuedouble : 0;
}
