/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/wire/symbols_wire.h"

#include <errno.h>

#include "tests/support/check.h"
#include "tests/support/random.h"

static struct arena arena;

static struct build_id some_id(void)
{
	struct build_id id;

	CHECK_EQ(build_id_make(BUILD_ID_GO, "twenty bytes of some", 20, &id), 0);
	return id;
}

static void a_want_request_reads_back(void)
{
	struct wire_hello hello = {.version = 1, .program = "p", .host = "h"}, again;
	uint8_t *bytes;
	size_t byte_count;

	CHECK_EQ(wire_want_request_encode(&hello, &bytes, &byte_count), 0);
	CHECK_EQ(wire_want_request_decode(bytes, byte_count, &arena, &again), 0);
	free(bytes);
	CHECK_STR(again.host, "h");
	CHECK_EQ(wire_want_request_decode("", 0, &arena, &again), -EBADMSG);
}

static void a_want_reads_back(void)
{
	struct wire_want want = {.id = some_id(),
		.what = WIRE_WHAT_KERNEL_SYMBOLS,
		.name = "lib\xff.so",
		.offset = 7};
	struct wire_want again;
	uint8_t *bytes;
	size_t byte_count;

	CHECK_EQ(wire_want_encode(&want, &bytes, &byte_count), 0);
	CHECK_EQ(wire_want_decode(bytes, byte_count, &arena, &again), 0);
	free(bytes);
	CHECK(build_id_equal(&again.id, &want.id));
	CHECK_EQ(again.what, WIRE_WHAT_KERNEL_SYMBOLS);
	CHECK_STR(again.name, "lib\xff.so");
	CHECK_EQ(again.offset, 7);
	CHECK_EQ(wire_want_decode("", 0, &arena, &again), -ENOMSG);
}

static void uploads_read_back(void)
{
	struct wire_upload_header header = {.instance = {1},
		.id = some_id(),
		.what = WIRE_WHAT_EXECUTABLE,
		.encoding = WIRE_UPLOAD_ZSTD,
		.byte_count = UINT64_MAX,
		.reduced = true,
		.offset = UINT64_MAX - 1};
	struct wire_upload_chunk chunk = {(const uint8_t *)"bytes", 5};
	struct wire_upload_refusal refusal = {
		.instance = {2}, .id = some_id(), .what = WIRE_WHAT_EXECUTABLE, .reason = "denied"};
	struct wire_upload upload;
	uint8_t *bytes;
	size_t byte_count;

	CHECK_EQ(wire_upload_header_encode(&header, &bytes, &byte_count), 0);
	CHECK_EQ(wire_upload_decode(bytes, byte_count, &arena, &upload), 0);
	free(bytes);
	CHECK_EQ(upload.kind, WIRE_UPLOAD_HEADER);
	CHECK(build_id_equal(&upload.header.id, &header.id));
	CHECK(upload.header.byte_count == UINT64_MAX && upload.header.reduced);
	CHECK_EQ(upload.header.encoding, WIRE_UPLOAD_ZSTD);
	CHECK_EQ(upload.header.offset, UINT64_MAX - 1);
	CHECK_EQ(upload.header.instance[0], 1);
	CHECK_EQ(wire_upload_chunk_encode(&chunk, &bytes, &byte_count), 0);
	CHECK_EQ(wire_upload_decode(bytes, byte_count, &arena, &upload), 0);
	free(bytes);
	CHECK_EQ(upload.kind, WIRE_UPLOAD_CHUNK);
	CHECK_EQ(upload.chunk.byte_count, 5);
	CHECK(memcmp(upload.chunk.bytes, "bytes", 5) == 0);
	CHECK_EQ(wire_upload_refusal_encode(&refusal, &bytes, &byte_count), 0);
	CHECK_EQ(wire_upload_decode(bytes, byte_count, &arena, &upload), 0);
	free(bytes);
	CHECK_EQ(upload.kind, WIRE_UPLOAD_REFUSAL);
	CHECK_STR(upload.refusal.reason, "denied");
	CHECK_EQ(upload.refusal.instance[0], 2);
	CHECK_EQ(wire_upload_end_encode(99, &bytes, &byte_count), 0);
	CHECK_EQ(wire_upload_decode(bytes, byte_count, &arena, &upload), 0);
	free(bytes);
	CHECK_EQ(upload.kind, WIRE_UPLOAD_END);
	CHECK_EQ(upload.end_byte_count, 99);
}

static void a_reply_reads_back(void)
{
	uint64_t taken = 0;
	uint8_t *bytes;
	size_t byte_count;

	CHECK_EQ(wire_upload_reply_encode(77, &bytes, &byte_count), 0);
	CHECK_EQ(wire_upload_reply_decode(bytes, byte_count, &arena, &taken), 0);
	free(bytes);
	CHECK_EQ(taken, 77);
}

static void an_upload_without_a_build_id_is_refused(void)
{
	/* UploadRequest{header{instance 16 bytes}} and the same with a BuildId of kind 9. */
	static const uint8_t no_id[] = {
		0x0a, 18, 0x0a, 16, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
	static const uint8_t odd_kind[] = {0x0a, 25, 0x0a, 16, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
		12, 13, 14, 15, 16, 0x12, 5, 0x08, 9, 0x12, 1, 1};
	struct wire_upload upload;

	CHECK_EQ(wire_upload_decode(no_id, sizeof(no_id), &arena, &upload), -EBADMSG);
	CHECK_EQ(wire_upload_decode(odd_kind, sizeof(odd_kind), &arena, &upload), -EBADMSG);
}

static void any_bytes_are_survived(void)
{
	struct random random = {6};

	for (int i = 0; i < 20000; i++) {
		struct wire_upload upload;
		struct wire_want want;
		struct wire_hello hello;
		uint64_t taken;
		uint8_t bytes[64];
		size_t byte_count = random_below(&random, sizeof(bytes));

		for (size_t j = 0; j < byte_count; j++)
			bytes[j] = (uint8_t)random_skewed(&random, 256);
		(void)wire_upload_decode(bytes, byte_count, &arena, &upload);
		(void)wire_want_decode(bytes, byte_count, &arena, &want);
		(void)wire_want_request_decode(bytes, byte_count, &arena, &hello);
		(void)wire_upload_reply_decode(bytes, byte_count, &arena, &taken);
		arena_reset(&arena);
	}
}

int main(void)
{
	arena_init(&arena, 1 << 20);
	RUN(a_want_request_reads_back);
	RUN(a_want_reads_back);
	RUN(uploads_read_back);
	RUN(a_reply_reads_back);
	RUN(an_upload_without_a_build_id_is_refused);
	RUN(any_bytes_are_survived);
	arena_done(&arena);
	return 0;
}
