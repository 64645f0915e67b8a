/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/time_index.h"

#include <errno.h>

#include "tests/support/check.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/fake_profile.h"

#define HOUR TIME_INDEX_BUCKET_NS

static struct time_index index_;

static void add(
	uint64_t start_ns, uint64_t length_ns, const char *host, const char *type, int owner)
{
	struct log_record record = {.start_ns = start_ns,
		.until_ns = start_ns + length_ns,
		.header_bytes = 88,
		.payload_bytes = 8,
		.host = {host, (uint32_t)strlen(host)}};

	if (type)
		record.types[record.type_count++] = (struct log_span){type, (uint32_t)strlen(type)};
	CHECK_EQ(time_index_add(&index_, &record, (void *)(uintptr_t)owner, (uint32_t)owner), 0);
}

/* The owners of what matches, joined; checks their order by time. */
static const char *found(
	uint64_t from_ns, uint64_t until_ns, uint64_t id_end, const char *host, const char *type)
{
	static char text[4096];
	struct time_selection selection = {from_ns, until_ns, id_end, false, false, 0, 0};
	uint64_t hour = time_index_first_hour(from_ns), last_ns = 0;
	struct time_entry *entries;
	size_t used = 0;
	uint32_t count;

	text[0] = '\0';
	if (!time_index_select(&index_, host, type, &selection))
		return text;
	do {
		CHECK_EQ(time_index_next(&index_, &selection, &hour, &entries, &count), 0);
		for (uint32_t i = 0; i < count; i++) {
			CHECK(entries[i].start_ns >= last_ns);
			CHECK_EQ(entries[i].offset, (uintptr_t)entries[i].owner);
			last_ns = entries[i].start_ns;
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%u",
				used ? " " : "", entries[i].offset);
		}
		free(entries);
	} while (count > 0);
	return text;
}

static const char *found_between(uint64_t from_ns, uint64_t until_ns)
{
	return found(from_ns, until_ns, UINT64_MAX, NULL, NULL);
}

static void entries_come_in_order_of_time(void)
{
	CHECK_EQ(time_index_init(&index_), 0);
	CHECK_STR(found_between(0, UINT64_MAX), "");
	add(5 * HOUR + 30, 10, "a", "cpu", 1);
	add(5 * HOUR + 10, 10, "a", "cpu", 2);
	add(2 * HOUR, 10, "a", "cpu", 3);
	add(5 * HOUR + 20, 10, "a", "cpu", 4);
	add(900 * HOUR, 10, "a", "cpu", 5);
	add(5 * HOUR + 10, 10, "b", "cpu", 6); /* as early as another: the first to come is first */
	CHECK_STR(found_between(0, UINT64_MAX), "3 2 6 4 1 5");
	CHECK_STR(found_between(5 * HOUR + 20, 5 * HOUR + 30), "4");
	CHECK_STR(found_between(5 * HOUR + 19, 5 * HOUR + 31), "2 6 4 1");
	CHECK_STR(found_between(6 * HOUR, 900 * HOUR), "");
	time_index_done(&index_);
}

static void a_long_window_is_found_from_the_hour_it_ends_in(void)
{
	CHECK_EQ(time_index_init(&index_), 0);
	add(HOUR - 1, PROFILE_WINDOW_NS_MAX, "a", "cpu", 1);
	add(0, 1, "a", "cpu", 2);
	CHECK_STR(found_between(2 * HOUR - 2, 2 * HOUR), "1");
	CHECK_STR(found_between(2 * HOUR - 1, 2 * HOUR), "");
	CHECK_STR(found_between(0, 1), "2");
	time_index_done(&index_);
}

static void a_selection_leaves_out_other_hosts_types_and_later_entries(void)
{
	CHECK_EQ(time_index_init(&index_), 0);
	add(10, 10, "a", "cpu", 1);
	add(20, 10, "b", "cpu", 2);
	add(30, 10, "a", "off", 3);
	add(40, 10, "a", NULL, 4);
	CHECK_STR(found(0, 100, UINT64_MAX, "a", NULL), "1 3 4");
	CHECK_STR(found(0, 100, UINT64_MAX, "a", "cpu"), "1");
	CHECK_STR(found(0, 100, UINT64_MAX, NULL, "cpu"), "1 2");
	CHECK_STR(found(0, 100, UINT64_MAX, "c", NULL), "");
	CHECK_STR(found(0, 100, UINT64_MAX, NULL, "a"), "");
	CHECK_STR(found(0, 100, 2, NULL, NULL), "1 2");
	CHECK_STR(found(0, 100, 0, NULL, NULL), "");
	time_index_done(&index_);
}

static bool owned_by_two(const void *context, const struct time_entry *entry)
{
	(void)context;
	return entry->offset % 3 == 2;
}

static void removed_entries_are_gone_and_their_hours_too(void)
{
	CHECK_EQ(time_index_init(&index_), 0);
	for (int i = 1; i <= 9; i++)
		add((uint64_t)(i / 3) * 10 * HOUR, 10, "a", "cpu", i);
	add(77 * HOUR, 10, "a", "cpu", 11);
	CHECK_EQ(index_.count, 5);
	time_index_remove(&index_, owned_by_two, NULL);
	CHECK_STR(found_between(0, UINT64_MAX), "1 3 4 6 7 9");
	CHECK_EQ(index_.count, 4);
	CHECK_EQ(index_.entry_count, 6);
	add(0, 10, "a", "cpu", 12);
	CHECK_STR(found_between(0, 10), "1 12");
	time_index_done(&index_);
}

/* Against a plain list. */
static void every_range_finds_what_overlaps_it(void)
{
	uint64_t starts[200], lengths[200], random = 8;

	CHECK_EQ(time_index_init(&index_), 0);
	for (int i = 0; i < 200; i++) {
		starts[i] = fake_random(&random) % (20 * HOUR);
		lengths[i] = 1 + fake_random(&random) % PROFILE_WINDOW_NS_MAX;
		add(starts[i], lengths[i], "a", "cpu", i);
	}
	for (int round = 0; round < 500; round++) {
		uint64_t from_ns = fake_random(&random) % (21 * HOUR);
		uint64_t until_ns = from_ns + fake_random(&random) % (2 * HOUR);
		const char *text = found_between(from_ns, until_ns);
		int expected = 0, got = *text != '\0';

		for (int i = 0; i < 200; i++)
			expected += starts[i] < until_ns && starts[i] + lengths[i] > from_ns;
		for (; *text; text++)
			got += *text == ' ';
		CHECK_EQ(got, expected);
	}
	time_index_done(&index_);
}

static void without_memory_nothing_is_added(void)
{
	struct log_record record = {.start_ns = 10,
		.until_ns = 20,
		.host = {"a", 1},
		.types = {{"cpu", 3}},
		.type_count = 1};
	uint64_t count = 0;
	int r;

	CHECK_EQ(time_index_init(&index_), 0);
	do {
		fail_alloc_after(count++);
		r = time_index_add(&index_, &record, NULL, 0);
		CHECK_EQ(r, fail_alloc_never() ? -ENOMEM : 0);
		CHECK_EQ(index_.entry_count, r == 0);
	} while (r < 0);
	CHECK(count > 2);
	CHECK_STR(found_between(0, UINT64_MAX), "0");
	time_index_done(&index_);
}

int main(void)
{
	RUN(entries_come_in_order_of_time);
	RUN(a_long_window_is_found_from_the_hour_it_ends_in);
	RUN(a_selection_leaves_out_other_hosts_types_and_later_entries);
	RUN(removed_entries_are_gone_and_their_hours_too);
	RUN(every_range_finds_what_overlaps_it);
	RUN(without_memory_nothing_is_added);
	return 0;
}
