/* SPDX-License-Identifier: Apache-2.0 */
/* Signal handlers that return through code without call frame information, and assembler with frame
 * pointers that is met before and after it has its frame. libdwfl gets neither right, so that the
 * program's own calls are the truth. */
#include "store/base/clock.h"
#include "tests/kernel/compared.h"
#include "tests/kernel/privilege.h"
#include "tests/support/check.h"

#define HZ 1999
#define DURATION_NS NS_PER_S
#define WARM_UP_NS (NS_PER_S / 4)
#define SAMPLES_MIN 500
/* In a thousand. Without call frame information, a stack that is met between `leave` and what it loops to
 * can't be told from others; nothing here is, but the start and the kernel's way into a handler. */
#define RIGHT_MIN 995

/* Where tests/kernel/CMakeLists.txt has each function put. */
enum place { PLACE_main = 0x20, PLACE_spin, PLACE_call, PLACE_restore, PLACE_handle, PLACE_other };

struct seen {
	uint64_t checked, right, in_handler, in_call;
};

static enum place place_of(uint64_t address)
{
	uint64_t place = address >> 24;

	return place >= PLACE_main && place < PLACE_other ? (enum place)place : PLACE_other;
}

/* The calls from I on lead to main. */
static bool leads_to_main(const struct event_sample *sample, uint32_t i)
{
	static const enum place chain[] = {PLACE_call, PLACE_spin, PLACE_main};
	const uint64_t *ips = sample->ips + sample->kernel_frame_count;
	uint32_t at = 0;

	while (at < 3 && i < sample->user_frame_count && place_of(ips[i]) != chain[at])
		at++;
	for (; at < 3; at++, i++)
		if (i >= sample->user_frame_count || place_of(ips[i]) != chain[at])
			return false;
	return sample->user_stop == STOP_complete;
}

static void check(void *context, const struct event_sample *sample)
{
	const uint64_t *ips = sample->ips + sample->kernel_frame_count;
	struct seen *seen = context;
	enum place leaf;
	bool right;

	if (sample->user_frame_count == 0)
		return;
	leaf = place_of(ips[0]);
	if (leaf != PLACE_handle && leaf != PLACE_call && leaf != PLACE_spin)
		return;
	if (leaf == PLACE_handle) {
		right = sample->user_frame_count > 2 && place_of(ips[1]) == PLACE_restore &&
			leads_to_main(sample, 2);
	} else {
		right = leads_to_main(sample, 0);
	}
	seen->checked++;
	seen->in_handler += leaf == PLACE_handle;
	seen->in_call += leaf == PLACE_call;
	seen->right += right;
	if (!right && seen->checked - seen->right < 5) {
		for (uint32_t i = 0; i < sample->user_frame_count; i++)
			fprintf(stderr, " %lx", ips[i]);
		fprintf(stderr, " (stop %d)\n", sample->user_stop);
	}
}

static char *program;

static void handlers_and_prologues_lead_to_their_callers(void)
{
	static struct comparison comparison;
	char *const argv[] = {program, NULL};
	struct seen seen = {0};
	const struct comparison_config config = {
		.argv = argv,
		.hz = HZ,
		.duration_ns = DURATION_NS,
		.stacks_min = SAMPLES_MIN * 2,
		.warm_up_ns = WARM_UP_NS,
		.on_sample = check,
		.context = &seen,
	};

	compare_command(&config, &comparison);
	printf("%lu stacks, %lu right; %lu in a handler, %lu in a short function\n", seen.checked,
		seen.right, seen.in_handler, seen.in_call);
	CHECK(seen.checked >= SAMPLES_MIN && seen.in_handler > 0 && seen.in_call > 0);
	CHECK(seen.right * 1000 >= seen.checked * RIGHT_MIN);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: %s PROGRAM\n", argv[0]);
		return 2;
	}
	program = argv[1];
	privilege_need_sampling();
	RUN(handlers_and_prologues_lead_to_their_callers);
	return 0;
}
