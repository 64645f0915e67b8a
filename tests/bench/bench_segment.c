/* SPDX-License-Identifier: Apache-2.0 */
/* What segments of a busy host cost: bytes a sample, and time to write and to read.
 *
 *     bench_segment HOURS SAMPLES-A-WINDOW [WINDOWS]
 *
 * Windows of 10 s of one made-up host of 50 processes, of which WINDOWS (180) are made and then
 * repeated; each hour becomes a segment, all of these one more. Prints `name value` lines. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "store/disk/block_codec.h"
#include "store/disk/segment_group.h"
#include "store/disk/segment_writer.h"
#include "tests/support/check.h"
#include "tests/support/fake_profile.h"

#define WINDOW_NS (10 * NS_PER_S)
#define WINDOWS_OF_HOUR 360u
#define START_NS (UINT64_C(480000) * SEGMENT_HOUR_NS)
#define HOUR_COUNT_MAX 48u

struct window {
	uint8_t *bytes;
	size_t byte_count;
};

struct hour {
	const struct window *windows;
	uint32_t window_count;
	uint32_t number;
};

/* Of this process on its CPU: what others do on the machine is not measured. */
static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1000 + (double)now.tv_nsec / 1e6;
}

static void make_window(struct window *window, uint32_t sample_count, uint32_t number)
{
	struct fake_host host = {.name = "bench",
		.seed = 23,
		.process_count = 50,
		.thread_count = 4,
		.cpu_count = 8,
		.depth = 30,
		.sample_count = sample_count,
		.new_path_every = 100};
	struct profile *profile = fake_profile(&host, START_NS, WINDOW_NS, number);

	CHECK_EQ(block_encode(profile, &window->bytes, &window->byte_count), 0);
	profile_free(profile);
}

static int visit_hour(void *context, segment_block_fn visit, void *visit_context)
{
	const struct hour *hour = context;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < WINDOWS_OF_HOUR; i++) {
		uint32_t number = hour->number * WINDOWS_OF_HOUR + i;
		const struct window *window = &hour->windows[number % hour->window_count];
		struct batch_key key = {.instance = {1}, .sequence = number};
		struct profile *profile;

		CHECK_EQ(block_decode(window->bytes, window->byte_count, &profile), 0);
		profile->head.clocks.realtime_ns += number * WINDOW_NS;
		profile->head.received_at_ns = profile->head.clocks.realtime_ns;
		r = visit(visit_context, profile, &key);
		profile_free(profile);
	}
	return r;
}

static struct segment_reader *write_segment(
	const struct segment_input *input, struct segment_written *ret_written, double *ret_ms)
{
	struct segment_options options = {.number = 1};
	struct segment_reader *reader;
	double begun = now_ms();
	int fd = memfd_create("segment", MFD_CLOEXEC);

	CHECK(fd >= 0);
	CHECK_EQ(segment_write(fd, input, &options, ret_written), 0);
	*ret_ms = now_ms() - begun;
	CHECK_EQ(segment_reader_open(fd, &reader), 0);
	return reader;
}

static void print_written(const char *name, const struct segment_written *written, double ms)
{
	double samples = (double)written->sample_count;
	uint64_t rest = written->byte_count - written->slot_bytes;

	printf("%s_samples %" PRIu64 "\n", name, written->sample_count);
	printf("%s_rows %" PRIu64 "\n", name, written->row_count);
	printf("%s_stack_nodes %" PRIu64 "\n", name, written->stack_count);
	printf("%s_bytes_a_sample %.3f\n", name, (double)rest / samples);
	printf("%s_dictionary_bytes_a_sample %.3f\n", name,
		(double)written->dictionary_bytes / samples);
	printf("%s_row_bytes_a_sample %.3f\n", name, (double)written->row_bytes / samples);
	printf("%s_sum_bytes_a_sample %.3f\n", name, (double)written->sum_bytes / samples);
	printf("%s_window_bytes_a_sample %.3f\n", name, (double)written->window_bytes / samples);
	printf("%s_slot_bytes_a_sample %.3f\n", name, (double)written->slot_bytes / samples);
	printf("%s_passes %u\n", name, written->pass_count);
	printf("%s_write_ms %.1f\n", name, ms);
}

struct taken {
	uint64_t samples;
	uint64_t rows;
};

static int take(void *context, const struct profile *profile)
{
	struct taken *taken = context;

	for (uint32_t i = 0; i < profile->type_count; i++)
		taken->rows += profile->types[i].row_count;
	taken->samples += profile_sample_count(profile);
	return 0;
}

/* All groups, opened and asked. */
static void ask(const char *name, const struct segment_reader *reader,
	const struct segment_request *request)
{
	enum segment_depth depth =
		request->detail == SEGMENT_DETAIL_SERIES ? SEGMENT_LABELS : SEGMENT_STACKS;
	double begun = now_ms(), open_ms = 0;
	struct segment_visited visited;
	struct taken taken = {0};
	uint64_t decoded = 0;
	size_t bytes = 0;

	for (uint32_t i = 0; i < segment_reader_summary(reader)->group_count; i++) {
		double opening = now_ms();
		struct segment_group *group;

		CHECK_EQ(segment_group_open(reader, i, depth, &group), 0);
		open_ms += now_ms() - opening;
		bytes += segment_group_bytes(group);
		CHECK_EQ(segment_group_visit(group, request, take, &taken, &visited), 0);
		decoded += visited.row_count;
		segment_group_close(group);
	}
	printf("%s_samples %" PRIu64 "\n", name, taken.samples);
	printf("%s_rows %" PRIu64 "\n", name, taken.rows);
	printf("%s_rows_decoded %" PRIu64 "\n", name, decoded);
	printf("%s_open_ms %.1f\n", name, open_ms);
	printf("%s_visit_ms %.1f\n", name, now_ms() - begun - open_ms);
	printf("%s_group_bytes %zu\n", name, bytes);
}

static void ask_all(const struct segment_reader *reader, uint32_t hours)
{
	struct segment_request request = {.detail = SEGMENT_DETAIL_STACKS,
		.from_ns = START_NS,
		.until_ns = START_NS + hours * SEGMENT_HOUR_NS};

	ask("stacks", reader, &request);
	request.step_ns = SEGMENT_HOUR_NS;
	ask("stacks_by_hour", reader, &request);
	request.step_ns = 0;
	request.from_ns += 12345 * NS_PER_MS;
	request.until_ns -= 12345 * NS_PER_MS;
	ask("stacks_with_edges", reader, &request);
	request.detail = SEGMENT_DETAIL_SERIES;
	request.from_ns = START_NS;
	request.until_ns = START_NS + hours * SEGMENT_HOUR_NS;
	request.step_ns = 60 * NS_PER_S;
	ask("series_by_minute", reader, &request);
	request.until_ns = START_NS + SEGMENT_HOUR_NS;
	request.step_ns = 0;
	request.detail = SEGMENT_DETAIL_ROWS;
	ask("rows_of_hour", reader, &request);
	request.detail = SEGMENT_DETAIL_SLOTS;
	ask("slots_of_hour", reader, &request);
}

int main(int argc, char **argv)
{
	uint32_t hours = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
	uint32_t sample_count = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
	uint32_t window_count = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 180;
	const struct segment_reader *parts[HOUR_COUNT_MAX] = {NULL};
	struct segment_reader *readers[HOUR_COUNT_MAX], *whole;
	struct segment_written written;
	struct segment_input input;
	struct window *windows;
	struct rusage usage;
	double ms;

	if (hours == 0 || hours > HOUR_COUNT_MAX || sample_count == 0 || window_count == 0) {
		fprintf(stderr, "usage: bench_segment HOURS SAMPLES-A-WINDOW [WINDOWS]\n");
		return 2;
	}
	windows = calloc(window_count, sizeof(*windows));
	CHECK(windows);
	for (uint32_t i = 0; i < window_count; i++)
		make_window(&windows[i], sample_count, i);
	for (uint32_t i = 0; i < hours; i++) {
		struct hour hour = {.windows = windows, .window_count = window_count, .number = i};

		input = (struct segment_input){.blocks = visit_hour, .context = &hour};
		parts[i] = readers[i] = write_segment(&input, &written, &ms);
		if (i == 0)
			print_written("hour", &written, ms);
	}
	getrusage(RUSAGE_SELF, &usage);
	printf("hours_peak_kib %ld\n", usage.ru_maxrss);
	if (hours > 1) {
		input = (struct segment_input){.segments = parts, .segment_count = hours};
		whole = write_segment(&input, &written, &ms);
		print_written("all", &written, ms);
		getrusage(RUSAGE_SELF, &usage);
		printf("all_peak_kib %ld\n", usage.ru_maxrss);
		ask_all(whole, hours);
		segment_reader_close(whole);
	} else {
		ask_all(readers[0], 1);
	}
	for (uint32_t i = 0; i < hours; i++)
		segment_reader_close(readers[i]);
	for (uint32_t i = 0; i < window_count; i++)
		free(windows[i].bytes);
	free(windows);
	return 0;
}
