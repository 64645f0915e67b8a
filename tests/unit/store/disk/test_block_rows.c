/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/block_rows.h"

#include <errno.h>

#include "tests/support/check.h"

/* A profile with one text, which may name a type, and no rows yet. */
static struct profile *empty_profile(void)
{
	struct profile *profile;
	uint32_t index;

	CHECK_EQ(profile_new(&profile), 0);
	CHECK_EQ(profile_add_text(profile, "a:b:c::", &index), 0);
	CHECK_EQ(index, 1);
	return profile;
}

static void write_numbers(struct bytes_writer *writer, const char *text)
{
	char *end;

	bytes_writer_init(writer, 1 << 20);
	for (; *text; text = *end == ' ' ? end + 1 : end)
		bytes_write_varint(writer, strtoull(text, &end, 0));
}

/* Reads rows and slots, both varints as text; SLOTS may be NULL. */
static int read_rows(const char *rows, const char *slots, struct profile *profile)
{
	struct bytes_writer row_writer, slot_writer;
	struct bytes_reader row_reader, slot_reader;
	int r;

	write_numbers(&row_writer, rows);
	write_numbers(&slot_writer, slots ? slots : "");
	bytes_reader_init(&row_reader, row_writer.bytes, row_writer.byte_count);
	bytes_reader_init(&slot_reader, slot_writer.bytes, slot_writer.byte_count);
	r = block_rows_read(&row_reader, slots ? &slot_reader : NULL, profile);
	if (r == 0) {
		CHECK_EQ(bytes_left(&row_reader), 0);
		CHECK_EQ(bytes_left(&slot_reader), 0);
	}
	bytes_writer_done(&row_writer);
	bytes_writer_done(&slot_writer);
	return r;
}

static int read_and_free(const char *rows, const char *slots)
{
	struct profile *profile = empty_profile();
	int r = read_rows(rows, slots, profile);

	profile_free(profile);
	return r;
}

/* One type: text 1, period 10 (20 zig-zag), slots, two rows: stacks 3 and 3, threads 0 and 1,
 * CPUs unknown and 4, counts 2 and 1, values 20 and 10 - 3. */
#define TWO_ROWS "1 1 20 1 2 3 0 0 1 0 5 2 1 0 5"

static void what_is_well_formed_is_read(void)
{
	struct profile *profile = empty_profile();
	const struct sample_table *table = &profile->types[0];

	CHECK_EQ(read_rows(TWO_ROWS, "7 2 5", profile), 0);
	CHECK_EQ(profile->type_count, 1);
	CHECK(table->sealed && table->has_slots);
	CHECK_EQ(table->period, 10);
	CHECK_EQ(table->row_count, 2);
	CHECK_EQ(table->rows[0].stack, 3);
	CHECK_EQ(table->rows[1].stack, 3);
	CHECK_EQ(table->rows[0].cpu, SAMPLE_CPU_UNKNOWN);
	CHECK_EQ(table->rows[1].cpu, 4);
	CHECK_EQ(table->rows[0].value, 20);
	CHECK_EQ(table->rows[1].value, 7);
	CHECK_EQ(sample_table_slots(table, &table->rows[0])[1], 9);
	CHECK_EQ(sample_table_slots(table, &table->rows[1])[0], 5);
	profile_free(profile);
	CHECK_EQ(read_and_free("0", NULL), 0);
}

static void without_slots_rows_are_kept(void)
{
	struct profile *profile = empty_profile();

	CHECK_EQ(read_rows(TWO_ROWS, NULL, profile), 0);
	CHECK(!profile->types[0].has_slots);
	CHECK_EQ(profile_sample_count(profile), 3);
	profile_free(profile);
}

static void rows_that_do_not_rise_are_refused(void)
{
	CHECK_EQ(read_and_free("1 1 0 0 2 3 0 1 1 0 0 1 1 0 0", ""), -EBADMSG);
	CHECK_EQ(read_and_free("1 1 0 0 2 3 0 1 0 0 0 1 1 0 0", ""), -EBADMSG);
	/* An unknown CPU comes last. */
	CHECK_EQ(read_and_free("1 1 0 0 2 3 0 1 1 0 5 1 1 0 0", ""), -EBADMSG);
	CHECK_EQ(read_and_free("1 1 0 0 2 3 0 1 1 5 0 1 1 0 0", ""), 0);
}

static void a_type_that_is_unknown_or_there_twice_is_refused(void)
{
	CHECK_EQ(read_and_free("1 2 0 0 0", ""), -EBADMSG);
	CHECK_EQ(read_and_free("2 1 0 0 0 1 0 0 0", ""), -EBADMSG);
	CHECK_EQ(read_and_free("2 1 0 0 0 1 2 0 0", ""), -EBADMSG);
	CHECK_EQ(read_and_free("1 1 0 2 0", ""), -EBADMSG);
	CHECK_EQ(read_and_free("65", ""), -EBADMSG);
}

static void too_few_or_too_wide_numbers_are_refused(void)
{
	CHECK_EQ(read_and_free("1 1 0 0 1000000", ""), -EBADMSG);
	CHECK_EQ(read_and_free("1 1 0 0 2 0xffffffff 1 0 0 0 0 1 1 0 0", ""), -EBADMSG);
	CHECK_EQ(read_and_free(TWO_ROWS, "7 2"), -EBADMSG);
	CHECK_EQ(read_and_free(TWO_ROWS, "0xffffffff 1 5"), -EBADMSG);
	CHECK_EQ(read_and_free("1 1 0 1 1 3 0 0 0xffffffff 0", "1"), -E2BIG);
	CHECK_EQ(read_and_free("1 1 0 1 1 3 0 0 60000000 0", "1"), -EBADMSG);
}

int main(void)
{
	RUN(what_is_well_formed_is_read);
	RUN(without_slots_rows_are_kept);
	RUN(rows_that_do_not_rise_are_refused);
	RUN(a_type_that_is_unknown_or_there_twice_is_refused);
	RUN(too_few_or_too_wide_numbers_are_refused);
	return 0;
}
