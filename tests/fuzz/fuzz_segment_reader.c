/* SPDX-License-Identifier: Apache-2.0 */
/* Any sections of a segment either are told of as problems, or whatever is asked of them adds up:
 * the same samples and values by stack, by thread, by series and window by window, and once more
 * after the segment was written anew.
 *
 * The input is the lengths (varints) of the parts below, then the parts as they are before
 * compression, one hour and one group of it: a fuzzer finds its way neither through zstd nor through
 * checksums. The list of sections and the index are written around them. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/base/must.h"
#include "store/disk/segment_group.h"
#include "store/disk/segment_writer.h"
#include "tests/fuzz/fuzz.h"

#define INPUT_BYTES_MAX ((size_t)64 << 10)
#define HOUR UINT64_C(480000)

/* In the order of the input. */
enum part {
	PART_WINDOWS,
	PART_LIVES,
	PART_KEYS,
	PART_HEAD, /* up to its list of sections */
	PART_DICTIONARY,
	PART_ROWS,
	PART_SLOTS,
	PART_SUMS,
	PART_NEXT_SUMS, /* of the hour behind */
	PART_SERIES,
	PART_NEXT_SERIES,
	PART_SERIES_HOURS,
	PART_COUNT
};

static const struct segment_section sections[PART_COUNT] = {
	[PART_DICTIONARY] = {.kind = SEGMENT_SECTION_DICTIONARY},
	[PART_ROWS] = {.kind = SEGMENT_SECTION_ROWS,
		.hour = HOUR,
		.hour_count = 1,
		.until_ns = (HOUR + 2) * SEGMENT_HOUR_NS},
	[PART_SLOTS] = {.kind = SEGMENT_SECTION_SLOTS, .hour = HOUR, .hour_count = 1},
	[PART_SUMS] = {.kind = SEGMENT_SECTION_SUMS, .hour = HOUR, .hour_count = 1},
	[PART_NEXT_SUMS] = {.kind = SEGMENT_SECTION_SUMS, .hour = HOUR + 1, .hour_count = 1},
	[PART_SERIES] = {.kind = SEGMENT_SECTION_SERIES, .hour = HOUR, .hour_count = 1},
	[PART_NEXT_SERIES] = {.kind = SEGMENT_SECTION_SERIES, .hour = HOUR + 1, .hour_count = 1},
	[PART_SERIES_HOURS] = {.kind = SEGMENT_SECTION_SERIES_HOURS, .hour = HOUR, .hour_count = 2},
};

struct parts {
	struct bytes_writer bytes[PART_COUNT];
	struct segment_ref refs[PART_COUNT];
};

static void split(const uint8_t *bytes, size_t byte_count, struct parts *parts)
{
	struct bytes_reader reader;
	uint64_t lengths[PART_COUNT];

	bytes_reader_init(&reader, bytes, byte_count);
	for (int i = 0; i < PART_COUNT; i++)
		lengths[i] = bytes_read_varint(&reader);
	for (int i = 0; i < PART_COUNT; i++) {
		size_t left = bytes_left(&reader);
		size_t length = lengths[i] < left ? lengths[i] : left;

		bytes_writer_init(&parts->bytes[i], INPUT_BYTES_MAX * 2);
		bytes_write_span(&parts->bytes[i], bytes_read_span(&reader, length), length);
	}
}

/* The head's list of sections: those that are there, but for sums and totals of nothing. */
static void list_sections(struct segment_output *output, struct parts *parts)
{
	struct bytes_writer *head = &parts->bytes[PART_HEAD];
	uint64_t hour = 0, count = 0;

	for (int i = PART_DICTIONARY; i < PART_COUNT; i++)
		count += parts->bytes[i].byte_count > 0;
	bytes_write_varint(head, count);
	for (int i = PART_DICTIONARY; i < PART_COUNT; i++) {
		const struct segment_section *section = &sections[i];

		if (parts->bytes[i].byte_count == 0)
			continue;
		must(segment_output_section(output, &parts->bytes[i], &parts->refs[i]) == 0);
		bytes_write_u8(head, section->kind);
		bytes_write_signed(head, (int64_t)(section->hour - hour));
		bytes_write_varint(head, section->hour_count);
		if (section->kind == SEGMENT_SECTION_ROWS)
			bytes_write_varint(head, section->until_ns);
		segment_ref_write(head, &parts->refs[i]);
		hour = section->hour;
	}
	must(segment_output_section(output, head, &parts->refs[PART_HEAD]) == 0);
}

/* The number of windows stands first in their section. */
static uint32_t count_windows(const struct parts *parts)
{
	struct bytes_reader reader;

	bytes_reader_init(
		&reader, parts->bytes[PART_WINDOWS].bytes, parts->bytes[PART_WINDOWS].byte_count);
	return bytes_read_varint32(&reader);
}

static void write_index(struct segment_output *output, const struct parts *parts)
{
	struct segment_hour hour = {.hour = HOUR,
		.from_ns = HOUR * SEGMENT_HOUR_NS,
		.until_ns = (HOUR + 2) * SEGMENT_HOUR_NS,
		.window_count = count_windows(parts),
		.windows = parts->refs[PART_WINDOWS]};
	struct segment_group_entry group = {
		.from_ns = hour.from_ns, .until_ns = hour.until_ns, .head = parts->refs[PART_HEAD]};
	struct segment_index index;
	struct bytes_writer bytes;
	struct segment_ref ref;

	if (parts->bytes[PART_LIVES].byte_count > 0)
		hour.lives = parts->refs[PART_LIVES];
	must(segment_index_init(&index) == 0);
	index.keys = parts->refs[PART_KEYS];
	must(segment_index_add_hour(&index, &hour) == 0);
	must(segment_index_add_group(&index, &group) == 0);
	bytes_writer_init(&bytes, INPUT_BYTES_MAX);
	segment_index_write(&bytes, &index);
	must(segment_output_section(output, &bytes, &ref) == 0);
	must(segment_output_end(output, &ref) == 0);
	bytes_writer_done(&bytes);
	segment_index_done(&index);
}

static struct segment_reader *make_segment(const uint8_t *bytes, size_t byte_count)
{
	int fd = memfd_create("segment", MFD_CLOEXEC);
	struct segment_output output;
	struct segment_reader *reader;
	struct parts parts = {0};

	must(fd >= 0);
	split(bytes, byte_count, &parts);
	must(segment_output_begin(&output, fd, 1) == 0);
	for (int i = PART_WINDOWS; i <= PART_KEYS; i++)
		must(segment_output_section(&output, &parts.bytes[i], &parts.refs[i]) == 0);
	list_sections(&output, &parts);
	write_index(&output, &parts);
	for (int i = 0; i < PART_COUNT; i++)
		bytes_writer_done(&parts.bytes[i]);
	must(segment_reader_open(fd, &reader) == 0);
	return reader;
}

struct total {
	uint64_t count;
	uint64_t value; /* wraps */
};

static void add_row(
	struct total *total, const struct profile *profile, const struct sample_row *row)
{
	must(row->stack < profile->stacks.count);
	must(row->thread < profile->threads.count);
	total->count += row->count;
	total->value += (uint64_t)row->value;
}

static int add_up(void *context, const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->type_count; i++) {
		for (uint32_t j = 0; j < profile->types[i].row_count; j++)
			add_row(context, profile, &profile->types[i].rows[j]);
	}
	return 0;
}

/* False: some of it is damaged. */
static bool ask(const struct segment_reader *reader, const struct segment_request *request,
	struct total *total)
{
	bool whole = true;

	*total = (struct total){0};
	for (uint32_t i = 0; i < segment_reader_summary(reader)->group_count; i++) {
		struct segment_visited visited = {0};
		struct segment_group *group;

		if (segment_group_open(reader, i, SEGMENT_STACKS, &group) < 0)
			return false;
		must(segment_group_visit(group, request, add_up, total, &visited) == 0);
		whole = whole && visited.damaged == 0;
		segment_group_close(group);
	}
	return whole;
}

/* Whatever is asked: it ends, and agrees if SOUND. */
static void ask_all(const struct segment_reader *reader, bool sound, struct total *ret_total)
{
	struct total first = {0}, total;

	for (int i = 0; i < 12; i++) {
		struct segment_request request = {.detail = (enum segment_detail)(i % 4),
			.until_ns = UINT64_MAX,
			.step_ns = i / 4 * 1800 * NS_PER_S + i / 8 * 7};

		if (!ask(reader, &request, &total))
			must(!sound);
		if (i == 0)
			first = total;
		if (sound)
			must(total.count == first.count && total.value == first.value);
	}
	*ret_total = first;
}

static void ignore(void *context, const char *what)
{
	(void)context;
	(void)what;
}

static void check_again(const struct segment_reader *reader, const struct total *total)
{
	struct segment_input input = {.segments = &reader, .segment_count = 1};
	struct segment_options options = {.number = 2};
	int fd = memfd_create("segment", MFD_CLOEXEC);
	struct segment_written written;
	struct segment_reader *again;
	struct total of_again;
	uint64_t problem_count = 1;

	must(fd >= 0);
	must(segment_write(fd, &input, &options, &written) == 0);
	must(segment_reader_open(fd, &again) == 0);
	must(segment_reader_verify(again, ignore, NULL, &problem_count) == 0);
	ask_all(again, problem_count == 0, &of_again);
	must(of_again.count == total->count && of_again.value == total->value);
	segment_reader_close(again);
}

static int add_window(void *context, const struct segment_window *window)
{
	*(uint64_t *)context += window->sample_count;
	return 0;
}

/* What an index says of counts is no part of the input: it is made right. */
static void mend_counts(struct segment_reader *reader)
{
	const struct segment_range all = {0, UINT64_MAX};
	struct segment_request request = {.detail = SEGMENT_DETAIL_ROWS, .until_ns = UINT64_MAX};
	uint64_t sample_count = 0, damaged;
	struct total total;

	must(segment_reader_windows(reader, all, NULL, add_window, &sample_count, &damaged) == 0);
	reader->summary.sample_count = reader->index.sample_count = sample_count;
	ask(reader, &request, &total);
	reader->index.groups[0].sample_count = total.count;
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	struct segment_reader *reader;
	uint64_t problem_count = 1;
	struct total total;

	if (byte_count > INPUT_BYTES_MAX)
		return;
	reader = make_segment(bytes, byte_count);
	mend_counts(reader);
	must(segment_reader_verify(reader, ignore, NULL, &problem_count) == 0);
	ask_all(reader, problem_count == 0, &total);
	if (problem_count == 0)
		check_again(reader, &total);
	segment_reader_close(reader);
}
