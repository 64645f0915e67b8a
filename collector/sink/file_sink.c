/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/sink/file_sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/sink/sink_counts.h"
#include "proto/wire/ingest_wire.h"
#include "proto/wire/profile_wire.h"
#include "store/base/bytes.h"
#include "store/base/cleanup.h"
#include "store/base/whole_io.h"

/* A message stays below what a gRPC peer takes; its length before it is a few bytes. */
#define RECORD_BYTES_MAX ((size_t)5 << 20)

struct file_sink {
	struct sink sink;
	struct sink_counts counts;
	int fd;
	uint8_t instance[FILE_SINK_INSTANCE_BYTES];
	uint64_t next_sequence;
	off_t end; /* of the last whole message */
	int fault; /* the write that failed */
};

static int append(struct file_sink *sink, const uint8_t *message, size_t byte_count)
{
	struct bytes_writer writer;
	int r;

	bytes_writer_init(&writer, RECORD_BYTES_MAX);
	bytes_write_varint(&writer, byte_count);
	bytes_write_span(&writer, message, byte_count);
	r = bytes_writer_fault(&writer);
	if (r == 0)
		r = whole_write(sink->fd, writer.bytes, writer.byte_count);
	if (r == 0)
		sink->end += (off_t)writer.byte_count;
	else if (ftruncate(sink->fd, sink->end) < 0)
		r = -errno;
	bytes_writer_done(&writer);
	return r;
}

static int write_body(struct file_sink *sink, const struct profile_wire_body *body)
{
	struct wire_batch batch = {
		.sequence = sink->next_sequence,
		.encoding = WIRE_ENCODING_ZSTD,
		.raw_byte_count = body->raw_byte_count,
		.body = body->bytes,
		.body_byte_count = body->byte_count,
	};
	SCOPED_FREE uint8_t *bytes = NULL;
	size_t byte_count;
	int r;

	memcpy(batch.instance, sink->instance, sizeof(batch.instance));
	r = wire_batch_encode(&batch, &bytes, &byte_count);
	if (r == 0)
		r = append(sink, bytes, byte_count);
	if (r < 0)
		return r;
	sink->next_sequence++;
	sink_count(&sink->counts, SINK_COUNTER_BATCHES_SENT, 1);
	sink_count(&sink->counts, SINK_COUNTER_BYTES_SENT, byte_count);
	sink_count(&sink->counts, SINK_COUNTER_BATCHES_ACKNOWLEDGED, 1);
	sink_count(&sink->counts, SINK_COUNTER_SAMPLES_ACKNOWLEDGED, body->sample_count);
	return 0;
}

/* What does not get into the file is counted as dropped. */
static void write_bodies(struct file_sink *sink, const struct profile_wire_bodies *bodies)
{
	sink_count(&sink->counts, SINK_COUNTER_BATCHES_ENCODED, bodies->count);
	sink_count(&sink->counts, SINK_COUNTER_DROPPED_UNENCODED, bodies->dropped_sample_count);
	for (uint32_t i = 0; i < bodies->count; i++) {
		sink_count(&sink->counts, SINK_COUNTER_SAMPLES_ENCODED,
			bodies->bodies[i].sample_count);
		if (sink->fault == 0)
			sink->fault = write_body(sink, &bodies->bodies[i]);
		if (sink->fault < 0)
			sink_count(&sink->counts, SINK_COUNTER_DROPPED_REFUSED,
				bodies->bodies[i].sample_count);
	}
}

static int file_sink_send(struct sink *base, struct profile *profile)
{
	struct file_sink *sink = (struct file_sink *)base;
	uint64_t samples = profile_sample_count(profile);
	struct profile_wire_bodies bodies;
	int r = profile_wire_encode(profile, &profile_wire_limits_default, &bodies);

	sink_count(&sink->counts, SINK_COUNTER_WINDOWS_RECEIVED, 1);
	sink_count(&sink->counts, SINK_COUNTER_SAMPLES_RECEIVED, samples);
	profile_free(profile);
	if (r < 0) {
		sink_count(&sink->counts, SINK_COUNTER_DROPPED_UNENCODED, samples);
		return r;
	}
	write_bodies(sink, &bodies);
	profile_wire_bodies_done(&bodies);
	return sink->fault;
}

static int file_sink_flush(struct sink *base, uint64_t timeout_ns)
{
	struct file_sink *sink = (struct file_sink *)base;

	(void)timeout_ns;
	if (sink->fault < 0)
		return sink->fault;
	/* A pipe or a terminal has nothing to sync. */
	return fdatasync(sink->fd) < 0 && errno != EINVAL && errno != EROFS ? -errno : 0;
}

static void file_sink_read_counters(struct sink *base, uint64_t *ret_values)
{
	sink_counts_read(&((struct file_sink *)base)->counts, ret_values);
}

static void file_sink_free(struct sink *base)
{
	struct file_sink *sink = (struct file_sink *)base;

	close(sink->fd);
	free(sink);
}

static const struct sink_operations operations = {
	.send = file_sink_send,
	.flush = file_sink_flush,
	.read_counters = file_sink_read_counters,
	.free = file_sink_free,
};

int file_sink_new(const char *path, const uint8_t *instance, struct sink **ret_sink)
{
	SCOPED_FREE struct file_sink *sink = calloc(1, sizeof(*sink));
	struct file_sink *made;

	if (!sink)
		return -ENOMEM;
	sink->sink.operations = &operations;
	memcpy(sink->instance, instance, sizeof(sink->instance));
	/* Profiles name processes and files: they are for their owner. */
	sink->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (sink->fd < 0)
		return -errno;
	made = TAKE(sink);
	*ret_sink = &made->sink;
	return 0;
}
