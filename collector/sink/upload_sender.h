/* SPDX-License-Identifier: Apache-2.0 */
/* Upload sender: the thread that sends uploads and refusals, one after the other.
 *
 * What it is   the part of rpc_sink behind uploads.h. What waits belongs to the connection on which
 *              it was asked for: with another one, the server asks again.
 * Ownership    owns its thread and its queue; holds the client it was given.
 * Threads      any thread may call; done callbacks come from the sender's thread, or from the
 *              caller of upload_sender_free.
 * Errors       0, or a negative errno.
 */
#pragma once

#include <stdint.h>

#include "collector/sink/sink_counts.h"
#include "collector/sink/uploads.h"
#include "proto/rpc/rpc_client.h"
#include "proto/wire/ingest_wire.h"
#include "store/base/clock.h"

struct upload_sender;

struct upload_sender_options {
	uint8_t instance[WIRE_INSTANCE_BYTES];
	uint64_t bytes_per_second; /* 0: no limit */
	struct clock clock;
	struct sink_counts *counts; /* borrowed */
};

int upload_sender_new(
	const struct upload_sender_options *options, struct upload_sender **ret_sender);
/* Accepts NULL. */
void upload_sender_free(struct upload_sender *sender);
/* From now on by CLIENT (NULL: there is none). What waited for another one is given up. */
void upload_sender_connect(struct upload_sender *sender, struct rpc_client *client);
/* -ENOBUFS: too many wait. */
int upload_sender_push(struct upload_sender *sender, const struct upload *upload);
int upload_sender_refuse(
	struct upload_sender *sender, const struct build_id *id, uint32_t what, const char *reason);
