/* SPDX-License-Identifier: Apache-2.0 */
/* Connect: unary calls as the Connect protocol has them over plain HTTP.
 *
 * What it is   which of the two codecs a request speaks, its body unpacked, and answers and errors
 *              as such clients read them. Pyroscope's clients and Grafana call services this way.
 * Ownership    borrows requests.
 * Threads      any.
 * Errors       those of ingest_fault.h.
 */
#pragma once

#include <stdbool.h>

#include "symbolizer-server/http/http_message.h"
#include "symbolizer-server/ingest/ingest_batch.h"

enum connect_codec { CONNECT_PROTO, CONNECT_JSON, CONNECT_UNKNOWN };

enum connect_codec connect_codec_of(const struct http_request *request);
/* BODY without its compression; WRITER holds it if there was any. */
int connect_unpack(const struct http_request *request, struct ingest_text body,
	struct bytes_writer *writer, struct ingest_text *ret_body, struct ingest_fault *fault);
/* Begins an answer in the codec of the request; in JSON and in protobuf nothing is a message
 * without a field: the caller writes `{}` or nothing. */
struct bytes_writer *connect_answer_begin(
	const struct http_request *request, struct http_answer *answer);
/* ERROR as of struct upload_protocol. */
void connect_answer_error(int error, const char *fault, struct http_answer *answer);
