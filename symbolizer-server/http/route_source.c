/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a source file, from a debuginfod server. */
#include "symbolizer-server/http/route.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "store/base/fault.h"
#include "symbolizer-server/symbol/source_text.h"
#include "symbolizer-server/symbol/symbolizer.h"

static void answer_error(struct http_answer *answer, int error, const char *path)
{
	switch (error) {
	case -EINVAL:
		http_answer_error(answer, 400,
			"path %.200s: only a whole path from the root can be asked for", path);
		break;
	case -ENOENT:
		http_answer_error(
			answer, 404, "no debuginfod server has %.200s of this build", path);
		break;
	case -EFBIG:
		http_answer_error(
			answer, 422, "%.200s is longer than %zu bytes", path, SOURCE_BYTES_MAX);
		break;
	case -EBUSY:
		http_answer_error(answer, 503,
			"other source files are being asked for: try again in a moment");
		break;
	case -ENOMEM:
		http_answer_error(answer, 503, "out of memory; try again later");
		break;
	default:
		http_answer_error(answer, 502, "the debuginfod servers could not be asked: %s",
			fault_text(error));
	}
}

void route_source(void *context, const struct http_request *request, struct http_answer *answer)
{
	const struct site *site = context;
	const char *id_text = http_request_param(request, "build-id");
	const char *path = http_request_param(request, "path");
	SCOPED_FREE char *text = NULL;
	struct symbol_module_state state;
	struct build_id id;
	size_t byte_count;
	int r;

	if (!id_text || build_id_parse(id_text, strlen(id_text), &id) < 0 || !path) {
		http_answer_error(answer, 400,
			"build-id and path: the build-ID in hexadecimal and the path of a source "
			"file must be given");
		return;
	}
	if (!site->sources) {
		http_answer_error(answer, 404,
			"no debuginfod server is set, so there is no source text: start the server "
			"with --debuginfod-urls");
		return;
	}
	/* Nobody makes this server ask around for what no host of it runs. */
	if (symbolizer_module_state(site->symbolizer, &id, &state) < 0) {
		http_answer_error(answer, 404, "no profile has named a binary of this build-ID");
		return;
	}
	r = source_texts_get(site->sources, &id, path, &text, &byte_count);
	if (r < 0) {
		answer_error(answer, r, path);
		return;
	}
	bytes_write_span(
		http_answer_begin(answer, 200, "text/plain; charset=utf-8"), text, byte_count);
}
