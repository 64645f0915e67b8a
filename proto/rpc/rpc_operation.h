/* SPDX-License-Identifier: Apache-2.0 */
/* RPC operation: what client and server share of gRPC's C core.
 *
 * What it is   the library's start and end, the tag of every batch of operations (a function and
 *              its owner), the thread that takes them from a completion queue, and the messages
 *              that wait for their turn. Inside this folder only.
 * Ownership    operations are members of their owner, which lives until they are done.
 * Threads      one thread runs one queue; DONE is called by that thread.
 * Errors       0, or a negative errno. OK is false if an operation came to nothing.
 */
#pragma once

#include <grpc/grpc.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

struct rpc_operation {
	void (*done)(void *owner, bool ok);
	void *owner;
};

/* Each open is followed by one close. gRPC writes nothing to standard error in between, unless the
 * environment asks for it (GRPC_VERBOSITY): what went wrong is said by our own callers. */
void rpc_library_open(void);
void rpc_library_close(void);

/* Threads that are made between these two get no signals: those are for the program's own. */
void rpc_signals_block(sigset_t *ret_before);
void rpc_signals_restore(const sigset_t *before);
/* A thread that runs QUEUE until it has been shut down and is empty. */
int rpc_operation_thread(grpc_completion_queue *queue, pthread_t *ret_thread);
/* Right before an operation, or a connection, becomes gRPC's by any other way than
 * rpc_operation_start. */
void rpc_operation_hand_over(void);
/* Starts an operation of CALL; without OP, OPERATION is done at once, on the thread of its queue.
 * Only a bug can make gRPC refuse. */
void rpc_operation_start(struct rpc_operation *operation, grpc_call *call, const grpc_op *op);

/* Gives back what gRPC, on any thread, has put there: tests/support/tsan.supp names this function. */
void rpc_metadata_done(grpc_metadata_array *metadata);

grpc_arg rpc_integer_arg(const char *key, int value);

/* All bytes of a received message in one piece; the caller unrefs the slice. False: no readable
 * buffer. */
bool rpc_buffer_read(grpc_byte_buffer *buffer, grpc_slice *ret_slice);

struct rpc_outgoing {
	struct rpc_outgoing *next;
	grpc_byte_buffer *buffer;
	size_t byte_count;
};

/* Messages of one call: gRPC takes them one by one. */
struct rpc_outbox {
	struct rpc_outgoing *first, *last;
	size_t byte_count;
	size_t bytes_max;
};

/* A copy of the bytes. NULL: no memory. */
struct rpc_outgoing *rpc_outgoing_new(const void *bytes, size_t byte_count);
void rpc_outgoing_free(struct rpc_outgoing *outgoing);
/* -ENOBUFS: too many bytes wait. */
int rpc_outbox_push(struct rpc_outbox *outbox, struct rpc_outgoing *outgoing);
/* There is one. */
struct rpc_outgoing *rpc_outbox_pop(struct rpc_outbox *outbox);
void rpc_outbox_clear(struct rpc_outbox *outbox);
