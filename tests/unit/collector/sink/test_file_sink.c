/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/sink/file_sink.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "proto/wire/ingest_wire.h"
#include "proto/wire/profile_wire.h"
#include "store/base/bytes.h"
#include "tests/support/check.h"
#include "tests/support/profile_text.h"
#include "tests/support/random_profile.h"
#include "tests/support/work_dir.h"

#define WINDOW_COUNT 20

static const uint8_t instance[FILE_SINK_INSTANCE_BYTES] = {1, 2, 3};

/* Stands in front of libc's own. */
static int sync_count, sync_error;

int fdatasync(int fd)
{
	CHECK(lseek(fd, 0, SEEK_CUR) > 0); /* behind what was written */
	sync_count++;
	errno = sync_error;
	return sync_error ? -1 : 0;
}

static uint64_t counter(struct sink *sink, enum sink_counter which)
{
	uint64_t values[SINK_COUNTER_COUNT];

	sink_read_counters(sink, values);
	return values[which];
}

/* Reads one message; gives its window. */
static struct profile *read_window(struct bytes_reader *reader, uint64_t sequence)
{
	size_t byte_count = bytes_read_varint(reader);
	const uint8_t *bytes = bytes_read_span(reader, byte_count);
	struct profile *profile;
	struct wire_push push;
	struct arena arena;
	const char *what;

	CHECK(bytes);
	arena_init(&arena, 8 << 20);
	CHECK_EQ(wire_push_decode(bytes, byte_count, &arena, &push), 0);
	CHECK_EQ(push.kind, WIRE_PUSH_BATCH);
	CHECK_EQ(push.batch.sequence, sequence);
	CHECK(memcmp(push.batch.instance, instance, sizeof(instance)) == 0);
	CHECK_EQ(profile_wire_decode(push.batch.body, push.batch.body_byte_count,
			 push.batch.raw_byte_count, &profile_wire_limits_default, &profile, &what),
		0);
	arena_done(&arena);
	return profile;
}

static char *text_of(const struct profile *profile)
{
	return profile_text(&profile, 1);
}

static void windows_read_back_from_the_file(void)
{
	struct bytes_reader reader;
	struct sink *sink;
	size_t byte_count;
	uint8_t *file;

	CHECK_EQ(file_sink_new(work_path("windows"), instance, &sink), 0);
	for (uint64_t i = 0; i < WINDOW_COUNT; i++)
		CHECK_EQ(sink_send(sink, random_profile(i)), 0);
	CHECK_EQ(sink_flush(sink, 0), 0);
	CHECK_EQ(counter(sink, SINK_COUNTER_WINDOWS_RECEIVED), WINDOW_COUNT);
	CHECK_EQ(counter(sink, SINK_COUNTER_SAMPLES_ACKNOWLEDGED),
		counter(sink, SINK_COUNTER_SAMPLES_RECEIVED));
	sink_free(sink);
	file = work_read("windows", &byte_count);
	bytes_reader_init(&reader, file, byte_count);
	for (uint64_t i = 0; i < WINDOW_COUNT; i++) {
		struct profile *sent = random_profile(i), *got = read_window(&reader, i);
		char *one = text_of(sent), *other = text_of(got);

		CHECK_STR(other, one);
		free(one);
		free(other);
		profile_free(sent);
		profile_free(got);
	}
	CHECK_EQ(bytes_left(&reader), 0);
	free(file);
}

static void a_flush_makes_durable_what_was_sent(void)
{
	struct sink *sink;

	CHECK_EQ(file_sink_new(work_path("durable"), instance, &sink), 0);
	CHECK_EQ(sink_send(sink, random_profile(0)), 0);
	sync_count = 0;
	CHECK_EQ(sink_flush(sink, 0), 0);
	CHECK_EQ(sync_count, 1);
	sync_error = EIO;
	CHECK_EQ(sink_flush(sink, 0), -EIO);
	sync_error = EINVAL; /* a pipe */
	CHECK_EQ(sink_flush(sink, 0), 0);
	sync_error = 0;
	sink_free(sink);
}

/* A limit on the size of files stands for a full disk. */
static void a_failed_write_leaves_whole_messages_only(void)
{
	struct rlimit limit, before;
	struct bytes_reader reader;
	struct sink *sink;
	size_t byte_count;
	uint64_t sent = 0;
	uint8_t *file;
	int r = 0;

	signal(SIGXFSZ, SIG_IGN);
	CHECK_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
	CHECK_EQ(file_sink_new(work_path("full"), instance, &sink), 0);
	limit = before;
	limit.rlim_cur = 5000;
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
	while (r == 0)
		r = sink_send(sink, random_profile(sent++));
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
	CHECK_EQ(r, -EFBIG);
	CHECK_EQ(sink_send(sink, random_profile(0)), -EFBIG);
	CHECK_EQ(sink_flush(sink, 0), -EFBIG);
	CHECK_EQ(counter(sink, SINK_COUNTER_SAMPLES_RECEIVED),
		counter(sink, SINK_COUNTER_SAMPLES_ACKNOWLEDGED) +
			counter(sink, SINK_COUNTER_DROPPED_REFUSED));
	sink_free(sink);
	file = work_read("full", &byte_count);
	bytes_reader_init(&reader, file, byte_count);
	for (uint64_t i = 0; i + 1 < sent; i++)
		profile_free(read_window(&reader, i));
	CHECK_EQ(bytes_left(&reader), 0);
	free(file);
}

static void a_file_that_cannot_be_made_says_why(void)
{
	struct sink *sink = NULL;

	CHECK_EQ(file_sink_new(work_path("nowhere/file"), instance, &sink), -ENOENT);
	CHECK(!sink);
}

int main(void)
{
	RUN(windows_read_back_from_the_file);
	RUN(a_flush_makes_durable_what_was_sent);
	RUN(a_failed_write_leaves_whole_messages_only);
	RUN(a_file_that_cannot_be_made_says_why);
	return 0;
}
