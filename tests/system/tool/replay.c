/* SPDX-License-Identifier: Apache-2.0 */
/* Lays what was recorded in a few moments over a long time: a program that goes on as it was.
 *
 *     replay SOURCE TARGET FROM UNTIL SEED
 *
 * The windows of the data folder SOURCE, drawn one after the other by chance, each as often as that
 * comes, fill [FROM, UNTIL) (epoch seconds) of the new data folder TARGET. What windows differ by, they
 * go on differing by. Prints how many were there to be drawn from, and how many were laid. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/disk/block_codec.h"
#include "store/disk/profile_store.h"
#include "tests/support/check.h"
#include "tests/support/random.h"

#define WINDOWS_MAX 4096

struct recorded {
	struct profile *windows[WINDOWS_MAX];
	uint32_t count;
};

static int keep(void *context, const struct profile *profile)
{
	struct recorded *recorded = context;
	uint8_t *bytes;
	size_t byte_count;

	if (recorded->count == WINDOWS_MAX)
		return -E2BIG;
	CHECK_EQ(block_encode(profile, &bytes, &byte_count), 0);
	CHECK_EQ(block_decode(bytes, byte_count, &recorded->windows[recorded->count++]), 0);
	free(bytes);
	return 0;
}

static uint64_t length_of(const struct profile *window)
{
	return window->head.window_end_ns - window->head.window_start_ns;
}

static void read_source(const char *folder, struct recorded *recorded)
{
	const struct profile_store_config config = {
		.dir = folder, .clock = clock_system(), .read_only = true};
	struct profile_store_report report;
	struct profile_store *store;
	uint32_t kept = 0;

	CHECK_EQ(profile_store_open(&config, &report, &store), 0);
	CHECK_EQ(profile_store_visit(store, 0, UINT64_MAX, NULL, keep, recorded), 0);
	profile_store_close(store);
	CHECK(recorded->count > 2);
	/* The first and the last one may be shorter than the others. */
	for (uint32_t i = 0; i < recorded->count; i++) {
		if (i == 0 || i + 1 == recorded->count)
			profile_free(recorded->windows[i]);
		else
			recorded->windows[kept++] = recorded->windows[i];
	}
	recorded->count = kept;
}

static void done(void *context, int result)
{
	(void)context;
	CHECK_EQ(result, 0);
}

/* Lets WINDOW begin at the epoch time START_NS. */
static void move(struct profile *window, uint64_t start_ns)
{
	uint64_t now_ns = profile_window_epoch_ns(window);

	window->head.clocks.realtime_ns += start_ns - now_ns;
}

static uint64_t lay(const struct recorded *recorded, const char *folder, uint64_t from_ns,
	uint64_t until_ns, struct random random)
{
	const struct profile_store_config config = {.dir = folder, .clock = clock_system()};
	struct batch_key key = {.instance = {1}};
	struct profile_store_report report;
	struct profile_store *store;

	CHECK_EQ(profile_store_open(&config, &report, &store), 0);
	while (from_ns < until_ns) {
		struct profile *window = recorded->windows[random_below(&random, recorded->count)];

		move(window, from_ns);
		while (profile_store_append(store, &key, window, done, NULL) < 0)
			profile_store_flush(store);
		key.sequence++;
		/* To the next slot: windows of the kernel's time end anywhere. */
		from_ns += (length_of(window) + PROFILE_SLOT_NS - 1) / PROFILE_SLOT_NS *
			PROFILE_SLOT_NS;
	}
	CHECK_EQ(profile_store_flush(store), 0);
	profile_store_close(store);
	return key.sequence;
}

int main(int argc, char **argv)
{
	static struct recorded recorded;
	uint64_t laid;

	if (argc != 6) {
		fprintf(stderr, "usage: replay SOURCE TARGET FROM UNTIL SEED\n");
		return 2;
	}
	read_source(argv[1], &recorded);
	laid = lay(&recorded, argv[2], strtoull(argv[3], NULL, 10) * NS_PER_S,
		strtoull(argv[4], NULL, 10) * NS_PER_S,
		(struct random){strtoull(argv[5], NULL, 10)});
	printf("%u windows recorded, %llu laid\n", recorded.count, (unsigned long long)laid);
	for (uint32_t i = 0; i < recorded.count; i++)
		profile_free(recorded.windows[i]);
	return 0;
}
