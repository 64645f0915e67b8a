/* SPDX-License-Identifier: Apache-2.0 */
/* A program that is hard to unwind, built in several ways and sampled as it runs: our stacks against
 * libdwfl's. */
#include "store/base/clock.h"
#include "tests/kernel/compared.h"
#include "tests/kernel/privilege.h"
#include "tests/support/check.h"

#define HZ 997
#define DURATION_NS (NS_PER_S / 2)
#define WARM_UP_NS (NS_PER_S / 4)
#define SAMPLES_MIN 300
/* In a thousand stacks. What is left: a leaf whose callers hang on what stands below its stack
 * pointer, where libdwfl has no memory to read (docs/unwinding.md). */
#define AGREE_MIN 995
#define WHOLE_PERCENT_MIN 97

static void stacks_of_agree_with_libdwfl(char *program)
{
	static struct comparison comparison;
	char *const argv[] = {program, NULL};
	const struct comparison_config config = {
		.argv = argv,
		.hz = HZ,
		.duration_ns = DURATION_NS,
		.stacks_min = SAMPLES_MIN,
		.warm_up_ns = WARM_UP_NS,
	};
	uint64_t total, agree;

	compare_command(&config, &comparison);
	total = comparison_total(&comparison);
	agree = comparison.counts[COMPARISON_EQUAL] + comparison.counts[COMPARISON_OURS_LONGER];
	comparison_print_kinds(&comparison, 8);
	printf("%s: %llu stacks, %llu equal, %llu ours longer, %llu whole without user space\n",
		program, (unsigned long long)total,
		(unsigned long long)comparison.counts[COMPARISON_EQUAL],
		(unsigned long long)comparison.counts[COMPARISON_OURS_LONGER],
		(unsigned long long)comparison.kernel_whole);
	CHECK(total >= SAMPLES_MIN);
	CHECK(agree * 1000 >= total * AGREE_MIN);
	CHECK(comparison.whole * 100 >= total * WHOLE_PERCENT_MIN);
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: %s PROGRAM...\n", argv[0]);
		return 2;
	}
	privilege_need_sampling();
	for (int i = 1; i < argc; i++)
		stacks_of_agree_with_libdwfl(argv[i]);
	return 0;
}
