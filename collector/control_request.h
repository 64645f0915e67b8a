/* SPDX-License-Identifier: Apache-2.0 */
/* Control request: the little HTTP that the control sockets speak.
 *
 * What it is   judges a request's head, writes answers, reads addresses; pure.
 * Ownership    values only.
 * Threads      no shared state.
 * Errors       as each function says.
 */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>

#include "store/base/bytes.h"

/* Browsers send a kilobyte of headers, curl a hundred bytes. */
#define CONTROL_REQUEST_BYTES_MAX 8192

/* The HTTP status of the answer, or 0 while the head is not yet whole. On TCP the Host header must
 * name loopback: a page in a browser must not reach this by a name that it made point here. */
int control_judge_request(const char *request, size_t byte_count, bool is_tcp);

void control_write_answer(
	struct bytes_writer *answer, int status, const char *body, size_t body_bytes);
/* The answer to a request that is refused with STATUS. */
void control_write_refusal(struct bytes_writer *answer, int status);

/* Reads ADDR:PORT or [ADDR]:PORT into the one of the two that fits; both lie in one union.
 * -EINVAL: no such address.  -EPERM: not loopback. */
int control_parse_address(
	const char *text, struct sockaddr_in *ret_v4, struct sockaddr_in6 *ret_v6);
