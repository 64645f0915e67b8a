/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/block_dictionary.h"

#include <errno.h>

#include "tests/support/check.h"

/* A dictionary as a foreign writer might make it: each part is empty unless a test says otherwise.
 */
struct parts {
	const char *strings, *modules, *frames, *stacks, *labels, *threads, *cpus, *counters;
};

/* Writes varints given as text: numbers with blanks between, `'x` for the byte x. */
static void write_numbers(struct bytes_writer *writer, const char *text)
{
	while (*text) {
		char *end;

		if (*text == ' ') {
			text++;
		} else if (*text == '\'') {
			bytes_write_u8(writer, (uint8_t)text[1]);
			text += 2;
		} else {
			bytes_write_varint(writer, strtoull(text, &end, 0));
			text = end;
		}
	}
}

static void write_head(struct bytes_writer *writer)
{
	write_numbers(writer, "0 0 0 0 0");
	for (int i = 0; i < 5; i++)
		bytes_write_u64(writer, 1000);
	write_numbers(writer, "2");
}

static int read_parts(const struct parts *parts, struct profile **ret_profile)
{
	const char *const texts[] = {parts->strings, parts->modules, parts->frames, parts->stacks,
		parts->labels, parts->threads, parts->cpus, parts->counters};
	struct bytes_writer writer;
	struct bytes_reader reader;
	struct profile *profile;
	int r;

	bytes_writer_init(&writer, 1 << 20);
	write_head(&writer);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		/* With module 0 alone, frames have a count for one module. */
		const char *empty = i == 2 ? "0 0" : "0";

		write_numbers(&writer, texts[i] ? texts[i] : empty);
	}
	CHECK_EQ(bytes_writer_fault(&writer), 0);
	bytes_reader_init(&reader, writer.bytes, writer.byte_count);
	CHECK_EQ(profile_new(&profile), 0);
	r = block_dictionary_read(&reader, profile);
	if (r == 0)
		CHECK_EQ(bytes_left(&reader), 0);
	bytes_writer_done(&writer);
	if (r == 0 && ret_profile)
		*ret_profile = profile;
	else
		profile_free(profile);
	return r;
}

static void what_is_well_formed_is_read(void)
{
	struct parts parts = {
		.strings = "3 1 1 2 'a'b'c'd",
		.modules = "2 1 1 2 'x'y 2 0 0",
		.frames = "3 1 2 0 1 2 2 0 1 0 7 4 0x1000",
		/* Node 1 below the empty stack with frame 1, node 2 below it with frame 0; then up
		 * two levels: a sibling of node 1, one frame further. */
		.stacks = "3 0 0 2 2 1 0",
		.labels = "1 2 1 2 3 1",
		.threads = "1 100 4 2 1",
		.cpus = "1 3 10 20 30 40",
		.counters = "1 2 99",
	};
	struct profile *profile = NULL;

	CHECK_EQ(read_parts(&parts, &profile), 0);
	CHECK_EQ(profile->strings.count, 4);
	CHECK_STR(string_table_text(&profile->strings, 3), "cd");
	CHECK_EQ(profile->modules.count, 3);
	CHECK_EQ(profile->modules.modules[1].build_id.byte_count, 2);
	CHECK(!build_id_known(&profile->modules.modules[2].build_id));
	CHECK_EQ(profile->frames.count, 3);
	CHECK_EQ(profile->frames.frames[1].module, 1);
	CHECK_EQ(profile->frames.frames[2].address, 0x1004);
	CHECK_EQ(profile->stacks.count, 4);
	CHECK_EQ(profile->stacks.nodes[2].parent, 1);
	CHECK_EQ(profile->stacks.nodes[3].parent, STACK_EMPTY);
	CHECK_EQ(profile->stacks.nodes[1].frame, 1);
	CHECK_EQ(profile->stacks.nodes[2].frame, 0);
	CHECK_EQ(profile->stacks.nodes[3].frame, 2);
	CHECK_EQ(profile->labels.count, 2);
	CHECK_EQ(profile->threads.threads[0].tid, 102);
	CHECK_EQ(profile->cpus[0].sampled_ns, 40);
	CHECK_EQ(profile->counters[0].value, 99);
	CHECK_EQ(profile->head.online_cpu_count, 2);
	profile_free(profile);
	CHECK_EQ(read_parts(&(struct parts){0}, NULL), 0);
}

static void what_names_a_thing_twice_is_refused(void)
{
	CHECK_EQ(read_parts(&(struct parts){.strings = "2 1 1 'a'a"}, NULL), -EBADMSG);
	CHECK_EQ(read_parts(&(struct parts){.strings = "1 0"}, NULL), -EBADMSG);
	CHECK_EQ(read_parts(&(struct parts){.modules = "2 0 1 1 'x 0 1 1 'x"}, NULL), -EBADMSG);
	CHECK_EQ(read_parts(&(struct parts){.modules = "1 0 0 0"}, NULL), -EBADMSG);
	CHECK_EQ(read_parts(&(struct parts){.frames = "2 2 0 0 0 0 5 0"}, NULL), -EBADMSG);
	CHECK_EQ(read_parts(&(struct parts){.frames = "2 2 0 1 0 0 5 0"}, NULL), 0);
	CHECK_EQ(read_parts(&(struct parts){.labels = "1 0"}, NULL), -EBADMSG);
	CHECK_EQ(read_parts(&(struct parts){.threads = "2 1 0 0 0 1 0 0 0"}, NULL), -EBADMSG);
}

static int read_stacks_of_one_frame(const char *stacks)
{
	return read_parts(&(struct parts){.frames = "1 1 0 0 5", .stacks = stacks}, NULL);
}

static void what_points_nowhere_is_refused(void)
{
	/* A frame beyond the last, before the first, of a sibling likewise; more levels up than
	 * there are. */
	CHECK_EQ(read_stacks_of_one_frame("1 0 0"), 0);
	CHECK_EQ(read_stacks_of_one_frame("1 0 2"), -EBADMSG);
	CHECK_EQ(read_stacks_of_one_frame("1 0 1"), -EBADMSG);
	CHECK_EQ(read_stacks_of_one_frame("2 0 1 0 0"), -EBADMSG);
	CHECK_EQ(read_stacks_of_one_frame("2 0 0 0 0"), 0);
	CHECK_EQ(read_stacks_of_one_frame("1 1 0"), -EBADMSG);
	CHECK_EQ(read_stacks_of_one_frame("2 0 2 0 0"), -EBADMSG);
	CHECK_EQ(read_parts(&(struct parts){.labels = "1 1 1 0"}, NULL), -EBADMSG);
	CHECK_EQ(read_parts(&(struct parts){.labels = "1 1 0 1"}, NULL), -EBADMSG);
	/* Frames of fewer or more modules than there are. */
	CHECK_EQ(read_parts(&(struct parts){.frames = "1 0 0 0 5"}, NULL), -EBADMSG);
	CHECK_EQ(read_parts(&(struct parts){.frames = "1 2 0 0 5"}, NULL), -EBADMSG);
}

static void what_does_not_fit_its_field_is_refused(void)
{
	CHECK_EQ(read_parts(&(struct parts){.threads = "1 0x100000000 0 0 0"}, NULL), -EBADMSG);
	CHECK_EQ(read_parts(&(struct parts){.threads = "1 0 1 0 0"}, NULL), -EBADMSG); /* -1 */
	CHECK_EQ(read_parts(&(struct parts){.threads = "1 0xffffffff 2 0 0"}, NULL), -EBADMSG);
	CHECK_EQ(read_parts(&(struct parts){.modules = "1 0 4 1 'x"}, NULL), -EBADMSG);
	CHECK_EQ(read_parts(&(struct parts){.modules = "1 0 0 1 'x"}, NULL), -EBADMSG);
	CHECK_EQ(read_parts(&(struct parts){.modules = "1 0 1 0"}, NULL), -EBADMSG);
	CHECK_EQ(read_parts(&(struct parts){.modules = "1 0 1 65 'x"}, NULL), -EBADMSG);
	CHECK_EQ(read_parts(&(struct parts){.strings = "1 0x100000000 'x"}, NULL), -EBADMSG);
}

/* No memory is asked for what cannot be there. */
static void counts_beyond_the_bytes_that_follow_are_refused(void)
{
	CHECK_EQ(read_parts(&(struct parts){.strings = "1000000"}, NULL), -EBADMSG);
	CHECK_EQ(read_parts(&(struct parts){.modules = "200000"}, NULL), -EBADMSG);
	CHECK_EQ(read_parts(&(struct parts){.frames = "8000000 8000000"}, NULL), -EBADMSG);
	CHECK_EQ(read_parts(&(struct parts){.stacks = "16000000"}, NULL), -EBADMSG);
	CHECK_EQ(read_parts(&(struct parts){.labels = "1000000"}, NULL), -EBADMSG);
	CHECK_EQ(read_parts(&(struct parts){.threads = "4000000"}, NULL), -EBADMSG);
	CHECK_EQ(read_parts(&(struct parts){.cpus = "65536"}, NULL), -EBADMSG);
	CHECK_EQ(read_parts(&(struct parts){.counters = "1024"}, NULL), -EBADMSG);
	CHECK_EQ(read_parts(&(struct parts){.counters = "0xffffffffffffffff"}, NULL), -EBADMSG);
}

int main(void)
{
	RUN(what_is_well_formed_is_read);
	RUN(what_names_a_thing_twice_is_refused);
	RUN(what_points_nowhere_is_refused);
	RUN(what_does_not_fit_its_field_is_refused);
	RUN(counts_beyond_the_bytes_that_follow_are_refused);
	return 0;
}
