/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/segment_window.h"

#include <errno.h>

#include "tests/support/check.h"
#include "tests/support/fake_profile.h"
#include "tests/support/random.h"

#define HOUR UINT64_C(480000)
#define WINDOW_COUNT 200u

static struct life_name name(const char *text)
{
	return (struct life_name){text, strlen(text)};
}

static struct segment_window odd_window(struct random *random)
{
	static const char *const hosts[] = {"", "a", "b", "ab"};
	struct segment_window window = {.host = name(hosts[random_below(random, 4)]),
		.machine_id = name("machine"),
		.boot_id = name(hosts[random_below(random, 4)]),
		.kernel_release = name("6.1"),
		.collector_version = name("0.1.0"),
		.start_ns = HOUR * SEGMENT_HOUR_NS +
			random_next(random) % (SEGMENT_HOUR_NS / PROFILE_SLOT_NS) * PROFILE_SLOT_NS,
		.received_at_ns = random_next(random),
		.sent_at_ns = random_next(random),
		.monotonic_ns = random_next(random),
		.boottime_ns = random_next(random),
		.online_cpu_count = (uint32_t)random_next(random),
		.busy_ns = random_next(random),
		.idle_ns = random_next(random),
		.steal_ns = random_next(random),
		.sampled_ns = random_next(random),
		.sample_count = random_next(random)};

	window.until_ns = window.start_ns + random_next(random) % PROFILE_WINDOW_NS_MAX;
	return window;
}

static void check_equal_windows(
	const struct segment_window *one, const struct segment_window *other)
{
	CHECK_EQ(life_name_compare(one->host, other->host), 0);
	CHECK_EQ(life_name_compare(one->machine_id, other->machine_id), 0);
	CHECK_EQ(life_name_compare(one->boot_id, other->boot_id), 0);
	CHECK_EQ(life_name_compare(one->kernel_release, other->kernel_release), 0);
	CHECK_EQ(life_name_compare(one->collector_version, other->collector_version), 0);
	CHECK_EQ(one->start_ns, other->start_ns);
	CHECK_EQ(one->until_ns, other->until_ns);
	CHECK_EQ(one->received_at_ns, other->received_at_ns);
	CHECK_EQ(one->sent_at_ns, other->sent_at_ns);
	CHECK_EQ(one->monotonic_ns, other->monotonic_ns);
	CHECK_EQ(one->boottime_ns, other->boottime_ns);
	CHECK_EQ(one->online_cpu_count, other->online_cpu_count);
	CHECK_EQ(one->busy_ns, other->busy_ns);
	CHECK_EQ(one->idle_ns, other->idle_ns);
	CHECK_EQ(one->steal_ns, other->steal_ns);
	CHECK_EQ(one->sampled_ns, other->sampled_ns);
	CHECK_EQ(one->sample_count, other->sample_count);
}

static int again(
	const struct segment_windows *list, uint64_t hour, struct segment_windows *ret_list)
{
	struct bytes_writer writer;
	struct bytes_reader reader;
	int r;

	bytes_writer_init(&writer, 1 << 20);
	CHECK_EQ(segment_windows_write(&writer, list), 0);
	bytes_reader_init(&reader, writer.bytes, writer.byte_count);
	CHECK_EQ(segment_windows_init(ret_list), 0);
	r = segment_windows_read(&reader, hour, ret_list);
	bytes_writer_done(&writer);
	return r;
}

static void windows_come_back_sorted(void)
{
	struct segment_window windows[WINDOW_COUNT];
	uint32_t places[WINDOW_COUNT];
	struct segment_windows list, read;
	struct random random = {1};

	CHECK_EQ(segment_windows_init(&list), 0);
	for (uint32_t i = 0; i < WINDOW_COUNT; i++) {
		windows[i] = odd_window(&random);
		CHECK_EQ(segment_windows_add(&list, &windows[i]), 0);
	}
	CHECK_EQ(segment_windows_sort(&list, places), 0);
	CHECK_EQ(again(&list, HOUR, &read), 0);
	CHECK_EQ(read.count, WINDOW_COUNT);
	for (uint32_t i = 0; i < WINDOW_COUNT; i++)
		check_equal_windows(&read.windows[places[i]], &windows[i]);
	for (uint32_t i = 1; i < WINDOW_COUNT; i++)
		CHECK(life_name_compare(read.windows[i - 1].host, read.windows[i].host) <= 0);
	segment_windows_done(&read);
	/* Of another hour. */
	CHECK_EQ(again(&list, HOUR + 1, &read), -EBADMSG);
	segment_windows_done(&read);
	segment_windows_done(&list);
}

static void windows_out_of_order_or_too_long_are_refused(void)
{
	struct segment_windows list, read;
	struct random random = {2};
	struct segment_window window = odd_window(&random);

	CHECK_EQ(segment_windows_init(&list), 0);
	window.until_ns = window.start_ns + PROFILE_WINDOW_NS_MAX + 1;
	CHECK_EQ(segment_windows_add(&list, &window), 0);
	CHECK_EQ(again(&list, HOUR, &read), -EBADMSG);
	segment_windows_done(&read);
	list.windows[0].until_ns = window.start_ns + 20;
	window.until_ns = window.start_ns + 10;
	CHECK_EQ(segment_windows_add(&list, &window), 0);
	CHECK_EQ(again(&list, HOUR, &read), -EBADMSG);
	segment_windows_done(&read);
	segment_windows_done(&list);
}

static void a_window_tells_what_its_profile_does(void)
{
	struct fake_host host = fake_small_host("one");
	struct profile *profile =
		fake_profile(&host, HOUR * SEGMENT_HOUR_NS, 1500 * NS_PER_MS + 1, 1);
	struct segment_window window;

	profile->head.received_at_ns = 99;
	window = segment_window_of(profile);
	CHECK_STR(window.host.text, "one");
	CHECK_STR(window.kernel_release.text, "6.1.0-18-amd64");
	CHECK_EQ(window.start_ns, profile_window_epoch_ns(profile));
	CHECK_EQ(window.until_ns, profile_window_end_epoch_ns(profile));
	CHECK_EQ(window.received_at_ns, 99);
	CHECK_EQ(window.sent_at_ns, profile->head.clocks.realtime_ns);
	CHECK_EQ(window.sample_count, 60);
	CHECK_EQ(window.sampled_ns, 4 * 12345);
	CHECK_EQ(segment_window_slot_count(&window), profile_slot_count(profile));
	CHECK_EQ(segment_window_slots_end_ns(&window), window.start_ns + 76 * PROFILE_SLOT_NS);
	window.until_ns = window.start_ns;
	CHECK_EQ(segment_window_slot_count(&window), 1);
	/* Sums do not wrap. */
	profile->cpus[0].busy_ns = profile->cpus[1].busy_ns = UINT64_MAX;
	CHECK_EQ(segment_window_of(profile).busy_ns, INT64_MAX);
	profile_free(profile);
}

static void lives_come_back_by_window(void)
{
	struct life_sums sums = {.execs = 3};
	struct life_table lives, read;
	struct bytes_writer writer;
	struct bytes_reader reader;
	uint32_t place = 0;

	CHECK_EQ(life_table_init(&lives, LIFE_COUNT_MAX), 0);
	CHECK_EQ(life_table_add(&lives, name("cc1"), name("make"), &sums), 0);
	bytes_writer_init(&writer, 1000);
	segment_lives_write(&writer, 4, 0, &lives);
	segment_lives_write(&writer, 9, 5, &lives);
	bytes_reader_init(&reader, writer.bytes, writer.byte_count);
	for (uint32_t i = 0; i < 2; i++) {
		CHECK_EQ(life_table_init(&read, LIFE_COUNT_MAX), 0);
		CHECK_EQ(segment_lives_read(&reader, i * 5, 10, &place, &read), 0);
		CHECK_EQ(place, i == 0 ? 4 : 9);
		CHECK_EQ(read.rows[0].sums.execs, 3);
		life_table_done(&read);
	}
	/* A window that is not there. */
	bytes_reader_init(&reader, writer.bytes, writer.byte_count);
	CHECK_EQ(life_table_init(&read, LIFE_COUNT_MAX), 0);
	CHECK_EQ(segment_lives_read(&reader, 0, 4, &place, &read), -EBADMSG);
	life_table_done(&read);
	life_table_done(&lives);
	bytes_writer_done(&writer);
}

int main(void)
{
	RUN(windows_come_back_sorted);
	RUN(windows_out_of_order_or_too_long_are_refused);
	RUN(a_window_tells_what_its_profile_does);
	RUN(lives_come_back_by_window);
	return 0;
}
