/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/rpc/rpc_operation.h"

#include <errno.h>
#include <grpc/byte_buffer.h>
#include <grpc/byte_buffer_reader.h>
#include <grpc/support/log.h>
#include <grpc/support/time.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "store/base/must.h"

static void say_nothing(gpr_log_func_args *args)
{
	(void)args;
}

void rpc_library_open(void)
{
	if (!getenv("GRPC_VERBOSITY"))
		gpr_set_log_function(say_nothing);
	grpc_init();
}

void rpc_library_close(void)
{
	grpc_shutdown_blocking();
}

void rpc_signals_block(sigset_t *ret_before)
{
	sigset_t all;

	sigfillset(&all);
	must(pthread_sigmask(SIG_SETMASK, &all, ret_before) == 0);
}

void rpc_signals_restore(const sigset_t *before)
{
	must(pthread_sigmask(SIG_SETMASK, before, NULL) == 0);
}

/* What was written before an operation was handed over is seen by the thread that takes it from the
 * queue. gRPC sees to that with atomics of its own, which a tool that looks for races can't know in
 * a library that was built without it; this counter says the same where it can be seen. */
static atomic_uint hand_overs;

void rpc_operation_hand_over(void)
{
	atomic_fetch_add_explicit(&hand_overs, 1, memory_order_release);
}

static void take_back(void)
{
	(void)atomic_load_explicit(&hand_overs, memory_order_acquire);
}

static void *run(void *queue)
{
	for (;;) {
		grpc_event event = grpc_completion_queue_next(
			queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
		struct rpc_operation *operation = event.tag;

		if (event.type == GRPC_QUEUE_SHUTDOWN)
			return NULL;
		if (event.type == GRPC_OP_COMPLETE) {
			take_back();
			operation->done(operation->owner, event.success != 0);
		}
	}
}

int rpc_operation_thread(grpc_completion_queue *queue, pthread_t *ret_thread)
{
	sigset_t before;
	int r;

	rpc_signals_block(&before);
	r = pthread_create(ret_thread, NULL, run, queue);
	rpc_signals_restore(&before);
	return -r;
}

void rpc_operation_start(struct rpc_operation *operation, grpc_call *call, const grpc_op *op)
{
	rpc_operation_hand_over();
	must(grpc_call_start_batch(call, op, op ? 1 : 0, operation, NULL) == GRPC_CALL_OK);
}

void rpc_metadata_done(grpc_metadata_array *metadata)
{
	grpc_metadata_array_destroy(metadata);
	*metadata = (grpc_metadata_array){0};
}

grpc_arg rpc_integer_arg(const char *key, int value)
{
	union {
		const char *given;
		char *field;
	} cast = {.given = key};
	grpc_arg arg = {.type = GRPC_ARG_INTEGER, .key = cast.field};

	arg.value.integer = value;
	return arg;
}

bool rpc_buffer_read(grpc_byte_buffer *buffer, grpc_slice *ret_slice)
{
	grpc_byte_buffer_reader reader;

	if (!grpc_byte_buffer_reader_init(&reader, buffer))
		return false;
	*ret_slice = grpc_byte_buffer_reader_readall(&reader);
	grpc_byte_buffer_reader_destroy(&reader);
	return true;
}

struct rpc_outgoing *rpc_outgoing_new(const void *bytes, size_t byte_count)
{
	struct rpc_outgoing *outgoing = calloc(1, sizeof(*outgoing));
	grpc_slice slice;

	if (!outgoing)
		return NULL;
	slice = grpc_slice_from_copied_buffer(bytes, byte_count);
	outgoing->buffer = grpc_raw_byte_buffer_create(&slice, 1);
	outgoing->byte_count = byte_count;
	grpc_slice_unref(slice);
	return outgoing;
}

void rpc_outgoing_free(struct rpc_outgoing *outgoing)
{
	grpc_byte_buffer_destroy(outgoing->buffer);
	free(outgoing);
}

int rpc_outbox_push(struct rpc_outbox *outbox, struct rpc_outgoing *outgoing)
{
	if (outgoing->byte_count > outbox->bytes_max - outbox->byte_count)
		return -ENOBUFS;
	if (outbox->last)
		outbox->last->next = outgoing;
	else
		outbox->first = outgoing;
	outbox->last = outgoing;
	outbox->byte_count += outgoing->byte_count;
	return 0;
}

struct rpc_outgoing *rpc_outbox_pop(struct rpc_outbox *outbox)
{
	struct rpc_outgoing *outgoing = outbox->first;

	must(outgoing);
	outbox->first = outgoing->next;
	if (!outbox->first)
		outbox->last = NULL;
	outbox->byte_count -= outgoing->byte_count;
	return outgoing;
}

void rpc_outbox_clear(struct rpc_outbox *outbox)
{
	while (outbox->first)
		rpc_outgoing_free(rpc_outbox_pop(outbox));
}
