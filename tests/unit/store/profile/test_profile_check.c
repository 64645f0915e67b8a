/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "store/profile/profile.h"
#include "tests/support/check.h"
#include "tests/support/fake_profile.h"

static struct profile *sound_profile(void)
{
	struct fake_host host = fake_small_host("a");

	return fake_profile(&host, UINT64_C(1700000000) * NS_PER_S, 10 * NS_PER_S, 1);
}

/* Each spoils one thing. */
static void spoil_host(struct profile *profile)
{
	profile->head.host = profile->strings.count;
}

static void spoil_version(struct profile *profile)
{
	profile->head.collector_version = UINT32_MAX;
}

static void spoil_window(struct profile *profile)
{
	profile->head.window_end_ns = profile->head.window_start_ns - 1;
}

static void spoil_window_length(struct profile *profile)
{
	profile->head.window_start_ns = 0;
	profile->head.window_end_ns = PROFILE_WINDOW_NS_MAX + 1;
}

static void spoil_clock_before_window(struct profile *profile)
{
	profile->head.clocks.monotonic_ns = profile->head.window_start_ns - 1;
}

static void spoil_epoch_before_1970(struct profile *profile)
{
	profile->head.clocks.realtime_ns = 1;
}

static void spoil_epoch_far_ahead(struct profile *profile)
{
	profile->head.clocks.realtime_ns = UINT64_MAX;
}

static void spoil_counter(struct profile *profile)
{
	profile->counters[0].name = profile->strings.count;
}

static void spoil_feature(struct profile *profile)
{
	profile->features[0].remedy = profile->strings.count;
}

static void spoil_module(struct profile *profile)
{
	profile->modules.modules[1].name = profile->strings.count;
}

static void spoil_frame_module(struct profile *profile)
{
	profile->frames.frames[0].module = profile->modules.count;
}

static void spoil_frame_kind(struct profile *profile)
{
	profile->frames.frames[0].kind = FRAME_KIND_COUNT;
}

static void spoil_frame_flags(struct profile *profile)
{
	profile->frames.frames[0].flags = FRAME_FLAGS_ALL + 1;
}

static void spoil_frame_name(struct profile *profile)
{
	profile->frames.frames[0].flags = FRAME_NAMED;
	profile->frames.frames[0].address = profile->strings.count;
}

static void spoil_parent(struct profile *profile)
{
	profile->stacks.nodes[2].parent = 2;
}

static void spoil_node_frame(struct profile *profile)
{
	profile->stacks.nodes[2].frame = profile->frames.count;
}

static void spoil_label(struct profile *profile)
{
	profile->labels.labels[0].value = profile->strings.count;
}

static void spoil_thread_name(struct profile *profile)
{
	profile->threads.threads[0].name = profile->strings.count;
}

static void spoil_thread_labels(struct profile *profile)
{
	profile->threads.threads[0].labels = profile->labels.count;
}

static void spoil_type(struct profile *profile)
{
	profile->types[0].type = profile->strings.count;
}

static void spoil_seal(struct profile *profile)
{
	profile->types[0].sealed = false;
}

static void spoil_row_stack(struct profile *profile)
{
	profile->types[0].rows[3].stack = profile->stacks.count;
}

static void spoil_row_thread(struct profile *profile)
{
	profile->types[0].rows[3].thread = profile->threads.count;
}

static void spoil_row_count(struct profile *profile)
{
	profile->types[0].rows[3].count = 0;
}

static void spoil_sum(struct profile *profile)
{
	profile->types[0].rows[3].value = INT64_MAX;
}

static void spoil_slot(struct profile *profile)
{
	profile->types[0].slots[0] = 500; /* the first that starts behind a window of 10 s */
}

static void each_fault_is_found_and_named(void)
{
	static void (*const spoilers[])(struct profile *) = {spoil_host, spoil_version,
		spoil_window, spoil_window_length, spoil_clock_before_window,
		spoil_epoch_before_1970, spoil_epoch_far_ahead, spoil_counter, spoil_feature,
		spoil_module, spoil_frame_module, spoil_frame_kind, spoil_frame_flags,
		spoil_frame_name, spoil_parent, spoil_node_frame, spoil_label, spoil_thread_name,
		spoil_thread_labels, spoil_type, spoil_seal, spoil_row_stack, spoil_row_thread,
		spoil_row_count, spoil_sum, spoil_slot};

	for (size_t i = 0; i < sizeof(spoilers) / sizeof(spoilers[0]); i++) {
		struct profile *profile = sound_profile();
		const char *what = NULL;

		spoilers[i](profile);
		CHECK_EQ(profile_check(profile, &what), -EBADMSG);
		CHECK(what && what[0]);
		profile_free(profile);
	}
}

static void what_is_sound_passes(void)
{
	struct profile *profile = sound_profile(), *empty;
	const char *what = "untouched";

	CHECK_EQ(profile_check(profile, &what), 0);
	profile->types[0].slots[0] = 499;
	CHECK_EQ(profile_check(profile, &what), 0);
	CHECK_EQ(profile_new(&empty), 0);
	CHECK_EQ(profile_check(empty, &what), 0);
	CHECK_STR(what, "untouched");
	profile_free(empty);
	profile_free(profile);
}

int main(void)
{
	RUN(each_fault_is_found_and_named);
	RUN(what_is_sound_passes);
	return 0;
}
