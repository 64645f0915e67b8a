/* SPDX-License-Identifier: Apache-2.0 */
/* Uploads: what the server asks for, and how it is sent.
 *
 * What it is   wants go from the server to a callback; uploads and refusals go the other way, one
 *              after the other, at a limited rate, beside the batches. Which file stands for a
 *              build-ID, and whether it may leave the host, is decided by the callback's owner.
 * Ownership    values; an upload's CONTEXT belongs to its maker until its done callback.
 * Threads      named at each callback.
 * Errors       0, or a negative errno.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "store/profile/build_id.h"

struct rpc_sink;

/* Wants are names that the server read from our own batches; longer ones are cut. */
#define UPLOAD_NAME_BYTES_MAX 256
/* Uploads that wait for their turn. A waiting one holds a descriptor or so, and the server asks
 * again for what was dropped. */
#define UPLOAD_COUNT_MAX 1024

enum upload_what {
	UPLOAD_EXECUTABLE = 1, /* an ELF file, whole or reduced */
	UPLOAD_KERNEL_SYMBOLS = 2, /* text: lines `hex-offset name`, offsets from _text or .text */
};

struct upload_want {
	struct build_id id;
	uint32_t what; /* enum upload_what, or a number from a newer server: refuse that */
	char name[UPLOAD_NAME_BYTES_MAX];
	uint64_t offset; /* what the server has of an upload of it that broke */
};

/* The server lacks this module, which batches of this collector named. Comes once a connection for
 * each; answered by rpc_sink_upload or rpc_sink_refuse_want, now or later. Called on the
 * connection's thread: it returns soon and waits for nothing. */
typedef void (*upload_want_fn)(void *context, const struct upload_want *want);

/* The next bytes of the upload: how many (at most BYTE_COUNT), 0 at the end, or a negative errno,
 * which breaks the upload off. Called on the upload thread; it may read files. */
typedef ssize_t (*upload_read_fn)(void *context, void *bytes, size_t byte_count);
/* The upload is over, CONTEXT is the owner's again. RESULT 0: the server has it. -EEXIST, -ENOENT:
 * the server does not want it (any more).  -EACCES: it takes no uploads.  Else it broke; the server
 * asks again. Called on the upload thread, or by the caller of rpc_sink_free. */
typedef void (*upload_done_fn)(void *context, int result);

struct upload {
	struct build_id id;
	enum upload_what what;
	bool zstd; /* READ gives a zstd frame of what was asked for */
	bool reduced; /* contents of code and data were left out */
	uint64_t byte_count; /* of the whole; 0 if not known */
	uint64_t offset; /* where READ begins to give them, for an upload that broke */
	upload_read_fn read;
	upload_done_fn done;
	void *context;
};

/* Puts a copy of UPLOAD in the queue. -ENOBUFS: UPLOAD_COUNT_MAX wait already; done is not called.
 * Any thread. */
int rpc_sink_upload(struct rpc_sink *sink, const struct upload *upload);
/* Tells the server that this one will not come and why: "denied by --upload-deny", "file is gone".
 * -ENOBUFS as above. Any thread. */
int rpc_sink_refuse_want(
	struct rpc_sink *sink, const struct build_id *id, uint32_t what, const char *reason);
