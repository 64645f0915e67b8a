/* SPDX-License-Identifier: Apache-2.0 */
/* debuginfod ask: one question to one server, if that may be asked now.
 *
 * What it is   the client and the board of servers put together: what becomes of a question is
 *              noted, and logged where a server stops to answer or begins again.
 * Ownership    everything is the caller's.
 * Threads      a client: one thread at a time.
 * Errors       those of debuginfod_client.h; -EAGAIN: the server rests.
 */
#pragma once

#include "symbolizer-server/symbol/debuginfod_client.h"
#include "symbolizer-server/symbol/debuginfod_servers.h"

/* The URL of REQUEST is that of server INDEX; its file is emptied first. HURRIED: time is short for
 * reasons of ours, so that it running out says nothing of the server. */
int debuginfod_ask(struct debuginfod_servers *servers, uint32_t index,
	struct debuginfod_client *client, struct debuginfod_request request, bool hurried,
	uint64_t *ret_byte_count);

/* Of answers of several servers, none of which has a file, the one that counts for all. */
int debuginfod_worse(int error, int other);
