/* SPDX-License-Identifier: Apache-2.0 */
/* Intake: the body of a request on its way from the connection to whoever takes it.
 *
 * What it is   gathers what the connection gives into pieces that are worth waking a worker for, and
 *              calls the receiver for each, in order. After a refusal the rest is thrown away.
 * Ownership    owns its buffer and the receiver's upload.
 * Threads      one at a time: the event thread fills, a worker steps while the connection sleeps.
 * Errors       the answer says them.
 */
#pragma once

#include <stdbool.h>

#include "symbolizer-server/http/http_message.h"

/* A worker is woken for so much; each connection that sends has such a buffer. */
#define INTAKE_PIECE_BYTES (256u << 10)

struct intake {
	const struct http_receiver *receiver; /* NULL: nobody takes a body */
	void *upload; /* between open and close */
	bool ended; /* the body is whole */
	bool over; /* the answer is there, or will be: */
	bool waiting; /* it comes later; the upload stays open until intake_done */
	struct bytes_writer piece;
};

void intake_init(struct intake *intake, const struct http_receiver *receiver);
/* Closes what is open. Accepts a zeroed one. */
void intake_done(struct intake *intake);
/* Takes from the connection; true: a worker is to step before there is more. */
bool intake_fill(struct intake *intake, const void *bytes, size_t byte_count);
/* Where an intake steps. */
struct intake_place {
	void *context; /* of the receiver */
	const struct http_request *request;
	struct http_later later;
};

/* Hands on what was gathered, and ends the upload if the body has ended. */
void intake_step(
	struct intake *intake, const struct intake_place *place, struct http_answer *answer);
