/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/wire/ingest_wire.h"

#include "cairn/v1/ingest.pb-c.h"
#include "proto/wire/hello_message.h"
#include "proto/wire/message.h"

bool wire_version_fits(uint32_t version)
{
	return version + UINT64_C(1) >= WIRE_VERSION && version <= WIRE_VERSION + 1;
}

int wire_hello_encode(const struct wire_hello *hello, uint8_t **ret_bytes, size_t *ret_byte_count)
{
	Cairn__V1__PushRequest message = CAIRN__V1__PUSH_REQUEST__INIT;
	Cairn__V1__Hello fields;

	hello_message_fill(hello, &fields);
	message.kind_case = CAIRN__V1__PUSH_REQUEST__KIND_HELLO;
	message.hello = &fields;
	return message_pack(&message, ret_bytes, ret_byte_count);
}

int wire_batch_encode(const struct wire_batch *batch, uint8_t **ret_bytes, size_t *ret_byte_count)
{
	Cairn__V1__PushRequest message = CAIRN__V1__PUSH_REQUEST__INIT;
	Cairn__V1__Batch fields = CAIRN__V1__BATCH__INIT;

	fields.instance = message_bytes(batch->instance, WIRE_INSTANCE_BYTES);
	fields.sequence = batch->sequence;
	fields.encoding = (Cairn__V1__BodyEncoding)batch->encoding;
	fields.raw_bytes = batch->raw_byte_count;
	fields.body = message_bytes(batch->body, batch->body_byte_count);
	message.kind_case = CAIRN__V1__PUSH_REQUEST__KIND_BATCH;
	message.batch = &fields;
	return message_pack(&message, ret_bytes, ret_byte_count);
}

static int read_batch(const Cairn__V1__Batch *fields, struct wire_push *push)
{
	push->kind = WIRE_PUSH_BATCH;
	push->batch = (struct wire_batch){
		.sequence = fields->sequence,
		.encoding = (uint32_t)fields->encoding,
		.raw_byte_count = fields->raw_bytes,
		.body = fields->body.data,
		.body_byte_count = fields->body.len,
	};
	return message_read_instance(&fields->instance, push->batch.instance);
}

int wire_push_decode(
	const void *bytes, size_t byte_count, struct arena *arena, struct wire_push *ret_push)
{
	struct wire_push push = {.kind = WIRE_PUSH_UNKNOWN};
	Cairn__V1__PushRequest *message;
	int r = message_unpack(
		&cairn__v1__push_request__descriptor, bytes, byte_count, arena, &message);

	if (r < 0)
		return r;
	if (message->kind_case == CAIRN__V1__PUSH_REQUEST__KIND_HELLO) {
		push.kind = WIRE_PUSH_HELLO;
		r = hello_message_read(message->hello, &push.hello);
	} else if (message->kind_case == CAIRN__V1__PUSH_REQUEST__KIND_BATCH) {
		r = read_batch(message->batch, &push);
	}
	if (r < 0)
		return r;
	*ret_push = push;
	return 0;
}

int wire_welcome_encode(
	const struct wire_welcome *welcome, uint8_t **ret_bytes, size_t *ret_byte_count)
{
	Cairn__V1__PushReply message = CAIRN__V1__PUSH_REPLY__INIT;
	Cairn__V1__Welcome fields;

	cairn__v1__welcome__init(&fields);
	fields.version = welcome->version;
	fields.features = welcome->features;
	fields.program = message_text(welcome->program);
	fields.unacknowledged_max = welcome->unacknowledged_max;
	message.kind_case = CAIRN__V1__PUSH_REPLY__KIND_WELCOME;
	message.welcome = &fields;
	return message_pack(&message, ret_bytes, ret_byte_count);
}

int wire_ack_encode(const struct wire_ack *ack, uint8_t **ret_bytes, size_t *ret_byte_count)
{
	Cairn__V1__PushReply message = CAIRN__V1__PUSH_REPLY__INIT;
	Cairn__V1__Ack fields;

	cairn__v1__ack__init(&fields);
	fields.sequence = ack->sequence;
	fields.result = (Cairn__V1__AckResult)ack->result;
	fields.text = message_text(ack->text);
	fields.retry_after_ns = ack->retry_after_ns;
	message.kind_case = CAIRN__V1__PUSH_REPLY__KIND_ACK;
	message.ack = &fields;
	return message_pack(&message, ret_bytes, ret_byte_count);
}

static int read_welcome(const Cairn__V1__Welcome *fields, struct wire_push_reply *reply)
{
	reply->kind = WIRE_REPLY_WELCOME;
	reply->welcome = (struct wire_welcome){
		.version = fields->version,
		.features = fields->features,
		.program = fields->program,
		.unacknowledged_max = fields->unacknowledged_max,
	};
	return message_check_text(fields->program);
}

static int read_ack(const Cairn__V1__Ack *fields, struct wire_push_reply *reply)
{
	/* A result that is not known here must not make a batch disappear. */
	enum wire_ack_result result = WIRE_ACK_RETRY;

	if (fields->result >= CAIRN__V1__ACK_RESULT__ACK_RESULT_STORED &&
		fields->result <= CAIRN__V1__ACK_RESULT__ACK_RESULT_RETRY)
		result = (enum wire_ack_result)fields->result;
	reply->kind = WIRE_REPLY_ACK;
	reply->ack = (struct wire_ack){
		.sequence = fields->sequence,
		.result = result,
		.retry_after_ns = fields->retry_after_ns,
		.text = fields->text,
	};
	return message_check_text(fields->text);
}

int wire_push_reply_decode(const void *bytes, size_t byte_count, struct arena *arena,
	struct wire_push_reply *ret_reply)
{
	struct wire_push_reply reply = {.kind = WIRE_REPLY_UNKNOWN};
	Cairn__V1__PushReply *message;
	int r = message_unpack(
		&cairn__v1__push_reply__descriptor, bytes, byte_count, arena, &message);

	if (r < 0)
		return r;
	if (message->kind_case == CAIRN__V1__PUSH_REPLY__KIND_WELCOME)
		r = read_welcome(message->welcome, &reply);
	else if (message->kind_case == CAIRN__V1__PUSH_REPLY__KIND_ACK)
		r = read_ack(message->ack, &reply);
	if (r < 0)
		return r;
	*ret_reply = reply;
	return 0;
}
