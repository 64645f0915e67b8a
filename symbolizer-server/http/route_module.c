/* SPDX-License-Identifier: Apache-2.0 */
/* Files of symbols by build-ID: given by PUT, told of by GET, handed to debuggers. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/fault.h"
#include "store/base/json_writer.h"
#include "symbolizer-server/http/content_range.h"
#include "symbolizer-server/http/route.h"
#include "symbolizer-server/http/site.h"
#include "symbolizer-server/symbol/symbolizer.h"

#define MODULE_PATH "/api/v1/symbols/"
#define BUILDID_PATH "/buildid/"

/* ---- What is known of one module ---- */

/* False: the path holds no id, and the answer says so. */
static bool read_id(
	const struct http_request *request, struct build_id *ret_id, struct http_answer *answer)
{
	const char *text = request->path + strlen(MODULE_PATH);

	if (build_id_parse(text, strlen(text), ret_id) == 0)
		return true;
	http_answer_error(answer, 400,
		"%.140s is no build-ID: lower-case hexadecimal must stand behind %s, with go- or "
		"htl- before ids that are not GNU's",
		text, MODULE_PATH);
	return false;
}

/* False: KIND is a word that is not known, and the answer says so. */
static bool read_kind(
	const struct http_request *request, bool *ret_package, struct http_answer *answer)
{
	const char *kind = http_request_param(request, "kind");

	*ret_package = kind && strcmp(kind, "dwp") == 0;
	if (!kind || *ret_package || strcmp(kind, "elf") == 0)
		return true;
	http_answer_error(answer, 400,
		"kind %.40s: elf (a program or its debug file) or dwp must stand here", kind);
	return false;
}

static void write_kept(void *context, const char *kind)
{
	json_string(context, kind);
}

static void write_state(struct http_answer *answer, const struct site *site,
	const struct symbol_module_state *state, uint64_t offset)
{
	struct json_writer json;
	char id[BUILD_ID_TEXT_MAX];

	build_id_format(&state->id, id);
	json_writer_init(&json, http_answer_begin(answer, 200, "application/json"));
	json_begin_object(&json);
	json_string(json_key(&json, "build_id"), id);
	json_string(json_key(&json, "name"), state->name);
	json_string(json_key(&json, "named_by"),
		state->quality == SYMBOL_QUALITY_NONE ? "" : symbol_quality_text(state->quality));
	json_unsigned(json_key(&json, "functions"), state->function_count);
	json_boolean(json_key(&json, "pending"), state->pending);
	json_string(json_key(&json, "text"), state->text);
	json_begin_array(json_key(&json, "files"));
	symbolizer_visit_kept(site->symbolizer, &state->id, write_kept, &json);
	json_end_array(&json);
	json_unsigned(json_key(&json, "offset"), offset);
	json_end_object(&json);
	bytes_write_u8(&answer->body, '\n');
}

void route_module(void *context, const struct http_request *request, struct http_answer *answer)
{
	const struct site *site = context;
	struct symbol_module_state state = {.quality = SYMBOL_QUALITY_NONE};
	struct build_id id;
	bool package;

	if (!read_id(request, &id, answer) || !read_kind(request, &package, answer))
		return;
	if (symbolizer_module_state(site->symbolizer, &id, &state) < 0) {
		state.id = id;
		memcpy(state.text, "no names", sizeof("no names"));
	}
	write_state(answer, site, &state, symbolizer_hand_offset(site->symbolizer, &id, package));
}

/* ---- Taking one in ---- */

struct taking {
	struct site *site;
	struct symbol_hand *hand;
	struct build_id id;
	bool package;
};

static void refuse_begin(struct http_answer *answer, int error, uint64_t offset)
{
	struct json_writer json;

	switch (error) {
	case -ERANGE:
		json_writer_init(&json, http_answer_begin(answer, 409, "application/json"));
		json_begin_object(&json);
		json_string(json_key(&json, "code"), http_error_code(409));
		json_string(json_key(&json, "message"),
			"the part does not begin where the former one ended; go on at offset, or "
			"send the file from its beginning");
		json_unsigned(json_key(&json, "offset"), offset);
		json_end_object(&json);
		return;
	case -EBUSY:
		http_answer_error(answer, 409, "this file is being sent by another connection");
		return;
	case -EFBIG:
		http_answer_error(answer, 413,
			"the file is larger than this server takes; see its flag --upload-bytes");
		return;
	case -EAGAIN:
		http_answer_error(answer, 503, "too many files are under way; try again later");
		return;
	case -ENOSPC:
		http_answer_error(answer, 503, "no room for uploads now; try again later");
		return;
	default:
		http_answer_error(answer, 500, "the file cannot be taken: %s", fault_text(error));
	}
}

static bool read_range(const struct http_request *request, struct symbol_hand_request *hand,
	struct http_answer *answer)
{
	struct content_range range;

	if (!request->content_range) {
		hand->byte_count =
			request->content_length == UINT64_MAX ? 0 : request->content_length;
		return true;
	}
	if (content_range_parse(request->content_range, &range) < 0 ||
		(request->content_length != UINT64_MAX &&
			request->content_length != range.end - range.first)) {
		http_answer_error(answer, 400,
			"Content-Range %.80s: bytes FIRST-LAST/LENGTH of the file must stand here, "
			"and be what is sent",
			request->content_range);
		return false;
	}
	hand->offset = range.first;
	hand->byte_count = range.byte_count;
	return true;
}

static void *taking_open(
	void *context, const struct http_request *request, struct http_answer *answer)
{
	struct taking *taking = calloc(1, sizeof(*taking));
	struct symbol_hand_request hand = {.offset = 0};
	uint64_t offset;
	int r;

	if (!taking) {
		http_answer_error(answer, 503, "out of memory; try again later");
		return NULL;
	}
	taking->site = context;
	hand.name = http_request_param(request, "name");
	if (!read_id(request, &hand.id, answer) || !read_kind(request, &hand.package, answer) ||
		!read_range(request, &hand, answer)) {
		free(taking);
		return NULL;
	}
	r = symbolizer_hand_begin(taking->site->symbolizer, &hand, &offset, &taking->hand);
	if (r < 0) {
		refuse_begin(answer, r, offset);
		free(taking);
		return NULL;
	}
	taking->id = hand.id;
	taking->package = hand.package;
	return taking;
}

static bool taking_write(
	void *upload, const void *bytes, size_t byte_count, struct http_answer *answer)
{
	struct taking *taking = upload;
	int r = symbolizer_hand_append(taking->hand, bytes, byte_count);

	if (r < 0)
		refuse_begin(answer, r, 0);
	return r == 0;
}

static void write_taken(
	struct http_answer *answer, const struct taking *taking, int status, uint64_t offset)
{
	struct json_writer json;
	char id[BUILD_ID_TEXT_MAX];

	build_id_format(&taking->id, id);
	json_writer_init(&json, http_answer_begin(answer, status, "application/json"));
	json_begin_object(&json);
	json_string(json_key(&json, "build_id"), id);
	json_boolean(json_key(&json, "whole"), status == 200);
	if (status != 200)
		json_unsigned(json_key(&json, "offset"), offset);
	json_end_object(&json);
	bytes_write_u8(&answer->body, '\n');
}

static bool taking_finish(void *upload, const struct http_later *later, struct http_answer *answer)
{
	struct taking *taking = upload;
	enum sandbox_fault fault;
	int r = symbolizer_hand_finish(taking->hand, &fault);

	(void)later;
	taking->hand = NULL;
	if (r == 0) {
		write_taken(answer, taking, 200, 0);
	} else if (r == -EINPROGRESS) {
		write_taken(answer, taking, 202,
			symbolizer_hand_offset(
				taking->site->symbolizer, &taking->id, taking->package));
	} else if (r == -EBADMSG && taking->package && fault == SANDBOX_FAULT_NO_NAMES) {
		http_answer_error(answer, 400, "the file is not used: it is no .dwp");
	} else if (r == -EBADMSG) {
		http_answer_error(
			answer, 400, "the file is not used: %s", sandbox_fault_text(fault));
	} else {
		refuse_begin(answer, r, 0);
	}
	return true;
}

static void taking_close(void *upload)
{
	struct taking *taking = upload;

	symbolizer_hand_close(taking->hand);
	free(taking);
}

const struct http_receiver route_module_receiver = {
	.open = taking_open,
	.write = taking_write,
	.finish = taking_finish,
	.close = taking_close,
};

/* ---- Handing one out, as a debuginfod server does ---- */

/* `/buildid/HEX/WORD`. */
static bool read_question(const char *path, struct build_id *ret_id, enum symbol_file *ret_file)
{
	const char *hex = path + strlen(BUILDID_PATH);
	const char *slash = strchr(hex, '/');

	if (!slash || build_id_parse(hex, (size_t)(slash - hex), ret_id) < 0)
		return false;
	if (strcmp(slash + 1, "debuginfo") == 0)
		*ret_file = SYMBOL_FILE_DEBUGINFO;
	else if (strcmp(slash + 1, "executable") == 0)
		*ret_file = SYMBOL_FILE_EXECUTABLE;
	else
		return false;
	return true;
}

void route_buildid(void *context, const struct http_request *request, struct http_answer *answer)
{
	const struct site *site = context;
	enum symbol_file file;
	struct build_id id;
	uint64_t byte_count;
	int fd, r;

	if (!read_question(request->path, &id, &file)) {
		http_answer_error(answer, 404,
			"%.200s is not there: /buildid/HEX/debuginfo and /buildid/HEX/executable "
			"are",
			request->path);
		return;
	}
	r = symbolizer_open_file(site->symbolizer, &id, file, &fd, &byte_count);
	if (r < 0) {
		http_answer_error(answer, r == -ENOENT ? 404 : 500,
			r == -ENOENT ? "no such file was uploaded"
				     : "the file cannot be read; the server's log says more");
		return;
	}
	http_answer_file(answer, "application/octet-stream", fd, byte_count);
}
