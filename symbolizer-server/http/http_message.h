/* SPDX-License-Identifier: Apache-2.0 */
/* HTTP message: what a handler is asked and what it answers, free of any HTTP library.
 *
 * What it is   a request with decoded parameters, and an answer that the handler fills.
 * Ownership    a request's texts are borrowed and live until the answer was sent; an answer owns
 *              its body unless that is fixed.
 * Threads      one owner.
 * Errors       answers carry them: a status, a code and a sentence that says what to mend.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/base/bytes.h"

/* Parameters of one request; people's tools send a dozen at most. */
#define HTTP_PARAM_COUNT_MAX 32
/* No client reads it: it says in logs and counters that the client went away. */
#define HTTP_STATUS_CLIENT_GONE 499
/* An answer is built in memory. A tree of a million nodes is 30 MB as JSON, and what is larger is
 * too large for whoever asked. */
#define HTTP_BODY_BYTES_MAX ((size_t)256 << 20)

struct http_param {
	const char *name;
	const char *value; /* decoded; never holds a NUL */
};

struct http_request {
	const char *method;
	const char *path; /* decoded, begins with '/' */
	struct http_param params[HTTP_PARAM_COUNT_MAX];
	uint32_t param_count;
	bool too_many_params;
	bool http_1_0;
	uint32_t host_count; /* `Host` headers */
	const char *host; /* NULL: header not there; so are the next ones */
	const char *origin;
	const char *accept;
	const char *accept_encoding;
	const char *if_none_match;
	const char *content_range;
	const char *content_type;
	const char *content_encoding;
	uint64_t content_length; /* UINT64_MAX: not said */
	bool from_this_machine; /* the other end has a loopback address */
	const char *local_address; /* where the request arrived: address without port */
	/* Whether nobody waits for the answer any more. */
	bool (*is_gone)(const struct http_request *request);
};

/* The first parameter of that name, or NULL. */
const char *http_request_param(const struct http_request *request, const char *name);
bool http_request_is_gone(const struct http_request *request);

struct http_answer {
	int status;
	const char *content_type; /* static */
	struct bytes_writer body;
	const void *fixed_body; /* static, in place of body; NULL: body it is */
	size_t fixed_byte_count;
	bool has_file; /* a file in place of both: */
	int file_fd; /* owned */
	uint64_t file_byte_count;
	bool gzipped; /* the body is */
	bool varies; /* other headers might have got another body */
	const char *etag; /* static; NULL: none */
	const char *cache_control; /* static; NULL: nobody keeps the answer */
	char allow[64]; /* methods; empty: not said */
	uint32_t retry_after_seconds; /* 0: not said */
	char partial
		[128]; /* what of the body is there, where it cannot say so itself; empty: all */
};

void http_answer_init(struct http_answer *answer);
void http_answer_done(struct http_answer *answer);
/* Begins a body of the given type, dropping what was there. */
struct bytes_writer *http_answer_begin(
	struct http_answer *answer, int status, const char *content_type);
/* Begins an answer that is the first BYTE_COUNT bytes of FD, which is the answer's from now on. */
void http_answer_file(
	struct http_answer *answer, const char *content_type, int fd, uint64_t byte_count);
/* Answers `{"code","message"}`. */
void http_answer_error(struct http_answer *answer, int status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The same with a code that a protocol of others has for it. */
void http_answer_code(
	struct http_answer *answer, int status, const char *code, const char *message);
/* The word for STATUS in such an answer: `invalid_argument`, `not_found`, ... */
const char *http_error_code(int status);

/* For an answer that takes longer than a worker should wait: once it is filled, done sends it. */
struct http_later {
	void (*done)(void *exchange); /* any thread, once */
	void *exchange;
};

/* What takes the body of a request. Each is called in a worker, one after the other. */
struct http_receiver {
	/* Before the first byte. NULL: refused, the answer says why. */
	void *(*open)(
		void *context, const struct http_request *request, struct http_answer *answer);
	/* False: refused, the answer says why; what follows is thrown away. */
	bool (*write)(
		void *upload, const void *bytes, size_t byte_count, struct http_answer *answer);
	/* The body is whole: fills the answer. False: it is filled later, perhaps already was, and
	 * LATER->done called; a copy of LATER stays good until then. Only close follows. */
	bool (*finish)(void *upload, const struct http_later *later, struct http_answer *answer);
	/* Always last, on any thread, also when the client went away; it must not wait. */
	void (*close)(void *upload);
};

/* Turns a body that did not fit, or for which there was no memory, into the error it is. */
void http_answer_check(struct http_answer *answer);
