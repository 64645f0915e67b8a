/* SPDX-License-Identifier: Apache-2.0 */
/* Upload desk: decides what of this host the server gets when it asks.
 *
 * What it is   takes wants from the connection, finds the file or the symbols that they mean, and
 *              hands them to the sink or refuses, by the rules of the settings. Each want ends as
 *              one line in the log. Small files go before large ones; most wait here without a
 *              descriptor.
 * Ownership    borrows process table, kernel symbols and sink; must outlive the sink.
 * Threads      upload_desk_want: any; all else: the agent's thread.
 * Errors       negative errno.
 */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/process/kernel_symbols.h"
#include "collector/process/process_table.h"
#include "collector/sink/uploads.h"
#include "collector/tally.h"

enum upload_mode { UPLOAD_MODE_NEVER, UPLOAD_MODE_STRIPPED, UPLOAD_MODE_FULL };

struct upload_rules {
	enum upload_mode mode;
	uint64_t bytes_max; /* of one upload */
	char *const *deny; /* patterns of paths, as fnmatch(3) reads them */
	size_t deny_count;
};

struct upload_desk;

struct upload_desk_config {
	struct upload_rules rules; /* borrowed */
	struct process_table *processes;
	struct kernel_symbols *kernel;
	struct tally *tally;
};

int upload_desk_new(const struct upload_desk_config *config, struct upload_desk **ret_desk);
/* To be called after the sink is gone. */
void upload_desk_free(struct upload_desk *desk);

/* Matches upload_want_fn; CONTEXT is the desk. */
void upload_desk_want(void *context, const struct upload_want *want);
/* Readable when there is something to serve; for epoll. Borrowed. */
int upload_desk_poll_fd(const struct upload_desk *desk);
/* Answers what waits, as far as it may be under way at a time. */
void upload_desk_serve(struct upload_desk *desk, struct rpc_sink *sink);
