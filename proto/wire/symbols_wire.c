/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/wire/symbols_wire.h"

#include <errno.h>
#include <string.h>

#include "cairn/v1/symbols.pb-c.h"
#include "proto/wire/hello_message.h"
#include "proto/wire/message.h"

static void fill_build_id(const struct build_id *id, Cairn__V1__BuildId *message)
{
	cairn__v1__build_id__init(message);
	message->kind = id->kind;
	message->id = message_bytes(id->bytes, id->byte_count);
}

static int read_build_id(const Cairn__V1__BuildId *message, struct build_id *ret_id)
{
	return message ? message_read_build_id(message->kind, &message->id, ret_id) : -EBADMSG;
}

int wire_want_request_encode(
	const struct wire_hello *hello, uint8_t **ret_bytes, size_t *ret_byte_count)
{
	Cairn__V1__WantRequest message = CAIRN__V1__WANT_REQUEST__INIT;
	Cairn__V1__Hello fields;

	hello_message_fill(hello, &fields);
	message.hello = &fields;
	return message_pack(&message, ret_bytes, ret_byte_count);
}

int wire_want_request_decode(
	const void *bytes, size_t byte_count, struct arena *arena, struct wire_hello *ret_hello)
{
	Cairn__V1__WantRequest *message;
	int r = message_unpack(
		&cairn__v1__want_request__descriptor, bytes, byte_count, arena, &message);

	if (r < 0)
		return r;
	return message->hello ? hello_message_read(message->hello, ret_hello) : -EBADMSG;
}

int wire_want_encode(const struct wire_want *want, uint8_t **ret_bytes, size_t *ret_byte_count)
{
	Cairn__V1__WantReply message = CAIRN__V1__WANT_REPLY__INIT;
	Cairn__V1__Want fields = CAIRN__V1__WANT__INIT;
	Cairn__V1__BuildId id;

	fill_build_id(&want->id, &id);
	fields.build_id = &id;
	fields.what = (Cairn__V1__What)want->what;
	fields.name = message_bytes(want->name, strlen(want->name));
	fields.offset = want->offset;
	message.kind_case = CAIRN__V1__WANT_REPLY__KIND_WANT;
	message.want = &fields;
	return message_pack(&message, ret_bytes, ret_byte_count);
}

int wire_want_decode(
	const void *bytes, size_t byte_count, struct arena *arena, struct wire_want *ret_want)
{
	struct wire_want want = {0};
	Cairn__V1__WantReply *message;
	int r = message_unpack(
		&cairn__v1__want_reply__descriptor, bytes, byte_count, arena, &message);

	if (r < 0)
		return r;
	if (message->kind_case != CAIRN__V1__WANT_REPLY__KIND_WANT)
		return -ENOMSG;
	want.what = (uint32_t)message->want->what;
	want.offset = message->want->offset;
	r = read_build_id(message->want->build_id, &want.id);
	if (r == 0)
		r = message_read_name(&message->want->name, arena, &want.name);
	if (r < 0)
		return r;
	*ret_want = want;
	return 0;
}

int wire_upload_header_encode(
	const struct wire_upload_header *header, uint8_t **ret_bytes, size_t *ret_byte_count)
{
	Cairn__V1__UploadRequest message = CAIRN__V1__UPLOAD_REQUEST__INIT;
	Cairn__V1__UploadHeader fields = CAIRN__V1__UPLOAD_HEADER__INIT;
	Cairn__V1__BuildId id;

	fill_build_id(&header->id, &id);
	fields.instance = message_bytes(header->instance, WIRE_INSTANCE_BYTES);
	fields.build_id = &id;
	fields.what = (Cairn__V1__What)header->what;
	fields.encoding = (Cairn__V1__UploadEncoding)header->encoding;
	fields.byte_count = header->byte_count;
	fields.reduced = header->reduced;
	fields.offset = header->offset;
	message.kind_case = CAIRN__V1__UPLOAD_REQUEST__KIND_HEADER;
	message.header = &fields;
	return message_pack(&message, ret_bytes, ret_byte_count);
}

int wire_upload_chunk_encode(
	const struct wire_upload_chunk *chunk, uint8_t **ret_bytes, size_t *ret_byte_count)
{
	Cairn__V1__UploadRequest message = CAIRN__V1__UPLOAD_REQUEST__INIT;

	message.kind_case = CAIRN__V1__UPLOAD_REQUEST__KIND_CHUNK;
	message.chunk = message_bytes(chunk->bytes, chunk->byte_count);
	return message_pack(&message, ret_bytes, ret_byte_count);
}

int wire_upload_refusal_encode(
	const struct wire_upload_refusal *refusal, uint8_t **ret_bytes, size_t *ret_byte_count)
{
	Cairn__V1__UploadRequest message = CAIRN__V1__UPLOAD_REQUEST__INIT;
	Cairn__V1__UploadRefusal fields = CAIRN__V1__UPLOAD_REFUSAL__INIT;
	Cairn__V1__BuildId id;

	fill_build_id(&refusal->id, &id);
	fields.instance = message_bytes(refusal->instance, WIRE_INSTANCE_BYTES);
	fields.build_id = &id;
	fields.what = (Cairn__V1__What)refusal->what;
	fields.reason = message_bytes(refusal->reason, strlen(refusal->reason));
	message.kind_case = CAIRN__V1__UPLOAD_REQUEST__KIND_REFUSAL;
	message.refusal = &fields;
	return message_pack(&message, ret_bytes, ret_byte_count);
}

int wire_upload_end_encode(uint64_t byte_count, uint8_t **ret_bytes, size_t *ret_byte_count)
{
	Cairn__V1__UploadRequest message = CAIRN__V1__UPLOAD_REQUEST__INIT;
	Cairn__V1__UploadEnd fields = CAIRN__V1__UPLOAD_END__INIT;

	fields.byte_count = byte_count;
	message.kind_case = CAIRN__V1__UPLOAD_REQUEST__KIND_END;
	message.end = &fields;
	return message_pack(&message, ret_bytes, ret_byte_count);
}

static int read_header(const Cairn__V1__UploadHeader *fields, struct wire_upload *upload)
{
	int r;

	upload->kind = WIRE_UPLOAD_HEADER;
	upload->header = (struct wire_upload_header){
		.what = (uint32_t)fields->what,
		.encoding = (uint32_t)fields->encoding,
		.byte_count = fields->byte_count,
		.reduced = fields->reduced,
		.offset = fields->offset,
	};
	r = read_build_id(fields->build_id, &upload->header.id);
	if (r == 0)
		r = message_read_instance(&fields->instance, upload->header.instance);
	return r;
}

static int read_refusal(
	const Cairn__V1__UploadRefusal *fields, struct arena *arena, struct wire_upload *upload)
{
	int r;

	upload->kind = WIRE_UPLOAD_REFUSAL;
	upload->refusal = (struct wire_upload_refusal){.what = (uint32_t)fields->what};
	r = read_build_id(fields->build_id, &upload->refusal.id);
	if (r == 0)
		r = message_read_instance(&fields->instance, upload->refusal.instance);
	if (r == 0)
		r = message_read_name(&fields->reason, arena, &upload->refusal.reason);
	return r;
}

int wire_upload_decode(
	const void *bytes, size_t byte_count, struct arena *arena, struct wire_upload *ret_upload)
{
	struct wire_upload upload = {.kind = WIRE_UPLOAD_UNKNOWN};
	Cairn__V1__UploadRequest *message;
	int r = message_unpack(
		&cairn__v1__upload_request__descriptor, bytes, byte_count, arena, &message);

	if (r < 0)
		return r;
	if (message->kind_case == CAIRN__V1__UPLOAD_REQUEST__KIND_HEADER) {
		r = read_header(message->header, &upload);
	} else if (message->kind_case == CAIRN__V1__UPLOAD_REQUEST__KIND_REFUSAL) {
		r = read_refusal(message->refusal, arena, &upload);
	} else if (message->kind_case == CAIRN__V1__UPLOAD_REQUEST__KIND_END) {
		upload.kind = WIRE_UPLOAD_END;
		upload.end_byte_count = message->end->byte_count;
	} else if (message->kind_case == CAIRN__V1__UPLOAD_REQUEST__KIND_CHUNK) {
		upload.kind = WIRE_UPLOAD_CHUNK;
		upload.chunk = (struct wire_upload_chunk){message->chunk.data, message->chunk.len};
	}
	if (r < 0)
		return r;
	*ret_upload = upload;
	return 0;
}

int wire_upload_reply_encode(uint64_t taken_bytes, uint8_t **ret_bytes, size_t *ret_byte_count)
{
	Cairn__V1__UploadReply message = CAIRN__V1__UPLOAD_REPLY__INIT;

	message.taken_bytes = taken_bytes;
	return message_pack(&message, ret_bytes, ret_byte_count);
}

int wire_upload_reply_decode(
	const void *bytes, size_t byte_count, struct arena *arena, uint64_t *ret_taken_bytes)
{
	Cairn__V1__UploadReply *message;
	int r = message_unpack(
		&cairn__v1__upload_reply__descriptor, bytes, byte_count, arena, &message);

	if (r == 0)
		*ret_taken_bytes = message->taken_bytes;
	return r;
}
