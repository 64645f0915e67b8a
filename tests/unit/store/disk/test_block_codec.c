/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/block_codec.h"

#include <errno.h>
#include <limits.h>

#include "tests/support/check.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/fake_profile.h"

#define START_NS (UINT64_C(1700000000) * NS_PER_S)
#define WINDOW_NS (10 * NS_PER_S)

struct block {
	uint8_t *bytes;
	size_t byte_count;
};

static struct block encode(const struct profile *profile)
{
	struct block block;

	CHECK_EQ(block_encode(profile, &block.bytes, &block.byte_count), 0);
	return block;
}

static void check_round_trip(const struct profile *profile)
{
	struct block first = encode(profile), second;
	char *before = fake_profile_text(profile), *after;
	struct profile *decoded;

	CHECK_EQ(block_decode(first.bytes, first.byte_count, &decoded), 0);
	after = fake_profile_text(decoded);
	CHECK_STR(after, before);
	CHECK_EQ(profile_sample_count(decoded), profile_sample_count(profile));
	second = encode(decoded);
	CHECK_EQ(second.byte_count, first.byte_count);
	CHECK(memcmp(second.bytes, first.bytes, first.byte_count) == 0);
	free(before);
	free(after);
	free(first.bytes);
	free(second.bytes);
	profile_free(decoded);
}

static void what_is_encoded_decodes_to_the_same_and_encodes_to_the_same_bytes(void)
{
	for (uint64_t number = 0; number < 50; number++) {
		struct fake_host host = fake_small_host("db-1");
		struct profile *profile;

		host.seed = number;
		host.depth = 1 + (uint32_t)number;
		host.sample_count = (uint32_t)(number * number);
		profile = fake_profile(&host, START_NS, WINDOW_NS - number, number);
		check_round_trip(profile);
		profile_free(profile);
	}
}

static void an_empty_profile_is_kept(void)
{
	struct profile *profile;

	CHECK_EQ(profile_new(&profile), 0);
	check_round_trip(profile);
	profile_free(profile);
}

static struct sample_table *add_type(
	struct profile *profile, const char *type, int64_t period, bool has_slots)
{
	struct sample_table *table;

	CHECK_EQ(profile_add_type(profile, type, period, has_slots, &table), 0);
	return table;
}

/* Values, counts and texts at the ends of what their types hold. */
static struct profile *extreme_profile(void)
{
	struct fake_host host = fake_small_host("edge");
	struct profile *profile;
	struct sample_table *table;
	uint32_t name, label_set, thread, node;
	struct frame named = {.kind = FRAME_MARKER, .flags = FRAME_NAMED};
	struct frame far = {.kind = FRAME_UNKNOWN, .address = UINT64_MAX};
	struct thread last = {UINT32_MAX, 0, 0, 0};
	struct profile_cpu cpu = {UINT32_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};

	host.sample_count = 0;
	profile = fake_profile(&host, START_NS, 7, 1);
	profile->types[0].sealed = false;
	CHECK_EQ(string_table_add(&profile->strings, "a\0b", 3, &name), 0);
	named.address = name;
	CHECK_EQ(label_table_add(&profile->labels, &profile->strings,
			 &(struct label){name, profile->head.host}, 1, &label_set),
		0);
	last.labels = label_set;
	CHECK_EQ(thread_table_add(&profile->threads, &last, &thread), 0);
	CHECK_EQ(frame_table_add(&profile->frames, &far, &name), 0);
	CHECK_EQ(stack_table_add(&profile->stacks, STACK_EMPTY, name, &node), 0);
	CHECK_EQ(frame_table_add(&profile->frames, &named, &name), 0);
	CHECK_EQ(stack_table_add(&profile->stacks, node, name, &node), 0);
	CHECK_EQ(profile_add_cpu(profile, &cpu), 0);

	table = add_type(profile, "memory:alloc:bytes::", INT64_MIN, false);
	CHECK_EQ(sample_table_add_row(table,
			 &(struct sample_row){
				 node, thread, SAMPLE_CPU_UNKNOWN, UINT32_MAX, INT64_MAX, 0},
			 NULL),
		0);
	CHECK_EQ(sample_table_add_row(table,
			 &(struct sample_row){0, thread, UINT32_MAX - 1, 0, INT64_MIN, 0}, NULL),
		0);
	add_type(profile, "never:seen:count::", INT64_MAX, true);
	CHECK_EQ(profile_seal(profile), 0);
	return profile;
}

static void extreme_values_are_kept(void)
{
	struct profile *profile = extreme_profile();

	check_round_trip(profile);
	profile_free(profile);
}

static void slots_may_be_dropped_from_a_block(void)
{
	struct fake_host host = fake_small_host("db-1");
	struct profile *profile = fake_profile(&host, START_NS, WINDOW_NS, 1), *decoded;
	struct block block = encode(profile);
	/* version, count, then id and length of each section: small ones have one or two bytes. */
	uint8_t *head = block.bytes;
	size_t at = 2;

	CHECK_EQ(head[1], 3);
	for (int i = 0; i < 2; i++) {
		at++;
		while (head[at++] & 0x80)
			;
	}
	CHECK_EQ(head[at], 3);
	head[at] = 200; /* an id that this version does not know is passed over */
	CHECK_EQ(block_decode(block.bytes, block.byte_count, &decoded), 0);
	CHECK(!decoded->types[0].has_slots);
	CHECK_EQ(decoded->types[0].row_count, profile->types[0].row_count);
	CHECK_EQ(profile_sample_count(decoded), profile_sample_count(profile));
	profile_free(decoded);
	profile_free(profile);
	free(block.bytes);
}

static void a_dictionary_is_read_without_the_rest(void)
{
	struct fake_host host = fake_small_host("db-1");
	struct profile *profile = fake_profile(&host, START_NS, WINDOW_NS, 1), *decoded = NULL;
	struct block block = encode(profile);

	/* The last section, of the rows or behind them, is not looked at. */
	block.bytes[block.byte_count - 1] ^= 1;
	CHECK_EQ(block_decode_dictionary(block.bytes, block.byte_count, &decoded), 0);
	CHECK_EQ(decoded->type_count, 0);
	CHECK_EQ(decoded->stacks.count, profile->stacks.count);
	CHECK_EQ(decoded->threads.count, profile->threads.count);
	CHECK_EQ(decoded->cpu_count, profile->cpu_count);
	CHECK(profile_window_epoch_ns(decoded) == START_NS);
	profile_free(decoded);
	decoded = NULL;
	CHECK_EQ(block_decode_dictionary(block.bytes, block.byte_count - 1, &decoded), -EBADMSG);
	CHECK(!decoded);
	profile_free(profile);
	free(block.bytes);
}

static void a_later_version_is_told_apart_from_damage(void)
{
	struct fake_host host = fake_small_host("db-1");
	struct profile *profile = fake_profile(&host, START_NS, WINDOW_NS, 1), *decoded = NULL;
	struct block block = encode(profile);

	block.bytes[0] = 2;
	CHECK_EQ(block_decode(block.bytes, block.byte_count, &decoded), -ENOTSUP);
	block.bytes[0] = 0;
	CHECK_EQ(block_decode(block.bytes, block.byte_count, &decoded), -EBADMSG);
	CHECK(!decoded);
	profile_free(profile);
	free(block.bytes);
}

static void every_shortened_block_is_refused(void)
{
	struct fake_host host = fake_small_host("db-1");
	struct profile *profile = fake_profile(&host, START_NS, WINDOW_NS, 1), *decoded;
	struct block block = encode(profile);

	for (size_t length = 0; length < block.byte_count; length++) {
		uint8_t *copy = malloc(length ? length : 1);

		CHECK(copy);
		memcpy(copy, block.bytes, length);
		CHECK(block_decode(copy, length, &decoded) < 0);
		free(copy);
	}
	profile_free(profile);
	free(block.bytes);
}

/* Whatever a bit flip makes of a block, it is refused or decodes to something that holds together:
 * profile_check has passed, and it encodes again. */
static void flipped_bits_never_do_harm(void)
{
	struct fake_host host = fake_small_host("db-1");
	struct profile *profile, *decoded;
	struct block block, again;
	uint64_t random = 5;

	host.sample_count = 12;
	profile = fake_profile(&host, START_NS, WINDOW_NS, 1);
	block = encode(profile);
	for (int i = 0; i < 20000; i++) {
		size_t bit = fake_random(&random) % (block.byte_count * 8);

		block.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		if (block_decode(block.bytes, block.byte_count, &decoded) == 0) {
			again = encode(decoded);
			free(again.bytes);
			profile_free(decoded);
		}
		block.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	profile_free(profile);
	free(block.bytes);
}

/* Fails the N-th allocation, for every N there is. */
static void running_out_of_memory_is_an_error_and_leaves_nothing(void)
{
	struct fake_host host = fake_small_host("db-1");
	struct profile *profile = fake_profile(&host, START_NS, WINDOW_NS, 1), *decoded = NULL;
	struct block block = encode(profile), again = {0};
	uint64_t count = 0;
	int r;

	do {
		fail_alloc_after(count++);
		r = block_encode(profile, &again.bytes, &again.byte_count);
		CHECK_EQ(r, fail_alloc_never() ? -ENOMEM : 0);
		CHECK(r == 0 || !again.bytes);
	} while (r < 0);
	CHECK(count > 10);
	CHECK_EQ(again.byte_count, block.byte_count);
	count = 0;
	do {
		fail_alloc_after(count++);
		r = block_decode(block.bytes, block.byte_count, &decoded);
		CHECK_EQ(r, fail_alloc_never() ? -ENOMEM : 0);
		CHECK(r == 0 || !decoded);
	} while (r < 0);
	CHECK(count > 20);
	profile_free(decoded);
	profile_free(profile);
	free(block.bytes);
	free(again.bytes);
}

int main(void)
{
	RUN(what_is_encoded_decodes_to_the_same_and_encodes_to_the_same_bytes);
	RUN(an_empty_profile_is_kept);
	RUN(extreme_values_are_kept);
	RUN(slots_may_be_dropped_from_a_block);
	RUN(a_dictionary_is_read_without_the_rest);
	RUN(a_later_version_is_told_apart_from_damage);
	RUN(every_shortened_block_is_refused);
	RUN(flipped_bits_never_do_harm);
	RUN(running_out_of_memory_is_an_error_and_leaves_nothing);
	return 0;
}
