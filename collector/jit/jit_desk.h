/* SPDX-License-Identifier: Apache-2.0 */
/* JIT desk: names of generated code, asked for and answered without waiting for files.
 *
 * What it is   a thread of its own that owns the JIT maps. Batches go in, and come out answered, in
 *              order.
 * Ownership    a batch that was taken in is the desk's until it is given out.
 * Threads      one asks and takes; jit_desk_free ends the thread, unless a file holds it up.
 * Errors       -ENOBUFS: too much waits already; -ETIMEDOUT: no answer yet; -ENOMEM, -EAGAIN.
 */
#pragma once

#include "collector/jit/jit_maps.h"

struct jit_desk;

/* PROC_FOLDER: NULL: /proc. The configuration's root is the desk's own. */
int jit_desk_new(
	const struct jit_maps_config *config, const char *proc_folder, struct jit_desk **ret_desk);
void jit_desk_free(struct jit_desk *desk);
/* Takes BATCH on success only. */
int jit_desk_ask(struct jit_desk *desk, struct jit_batch *batch);
/* An answered batch, which is the caller's. Waits at most TIMEOUT_NS. */
int jit_desk_take(struct jit_desk *desk, uint64_t timeout_ns, struct jit_batch **ret_batch);
