/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/body_format.h"

#include "symbolizer-server/ingest/cpuprofile_read.h"
#include "symbolizer-server/ingest/jfr_read.h"
#include "symbolizer-server/ingest/json_view.h"
#include "symbolizer-server/ingest/perf_script_read.h"
#include "symbolizer-server/ingest/speedscope_read.h"

/* So many bytes tell text from what is none. */
#define LOOK_BYTES_MAX 256u

/* A profile's first bytes are lengths and numbers, most of which are no characters of a text. */
static bool is_binary(struct ingest_text body)
{
	for (size_t i = 0; i < body.length && i < LOOK_BYTES_MAX; i++) {
		unsigned char byte = (unsigned char)body.text[i];

		if (byte < ' ' && byte != '\t' && byte != '\n' && byte != '\r')
			return true;
	}
	return false;
}

static enum body_format guess_json(struct ingest_text body)
{
	struct ingest_fault fault;
	struct json_view json;

	if (json_view_check(body, &json, &fault) < 0)
		return FORMAT_FOLDED;
	if (speedscope_is(json))
		return FORMAT_SPEEDSCOPE;
	return cpuprofile_is(json) ? FORMAT_CPUPROFILE : FORMAT_FOLDED;
}

enum body_format body_format_guess(struct ingest_text body)
{
	size_t at = 0;

	if (jfr_is(body))
		return FORMAT_JFR;
	if (is_binary(body))
		return FORMAT_PPROF;
	while (at < body.length && at < LOOK_BYTES_MAX && (unsigned char)body.text[at] <= ' ')
		at++;
	if (at < body.length && (body.text[at] == '{' || (unsigned char)body.text[at] == 0xef))
		return guess_json(body);
	return perf_script_is(body) ? FORMAT_PERF_SCRIPT : FORMAT_FOLDED;
}
