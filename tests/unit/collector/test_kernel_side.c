/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel_side.h"

#include <errno.h>

#include "store/base/clock.h"
#include "tests/support/check.h"

#define ALL UINT64_MAX
#define CAP_BPF_BIT (UINT64_C(1) << 39)
#define CAP_SYS_ADMIN_BIT (UINT64_C(1) << 21)

static struct features features;

static void note(const char *refusal, int error, uint64_t capabilities)
{
	struct kernel_side side = {
		.refusal = refusal,
		.refusal_error = error,
		.capabilities = capabilities,
		.hz = 99,
		.period_ns = NS_PER_S / 99,
		.stack_bytes_per_s = 1 << 20,
	};

	features = (struct features){0};
	kernel_side_note(&side, &features);
	CHECK(features_is_on(&features, FEATURE_full_rate));
}

static void check_walks(const char *reason, const char *remedy)
{
	CHECK_STR(features.faults[FEATURE_kernel_walks].reason, reason);
	CHECK_STR(features.faults[FEATURE_kernel_walks].remedy, remedy);
}

static void a_refusal_says_why_and_what_to_do(void)
{
	note("the kernel refused (Operation not permitted): run as root", -EPERM,
		ALL & ~(CAP_BPF_BIT | CAP_SYS_ADMIN_BIT));
	check_walks("CAP_BPF missing: the kernel refused (Operation not permitted)",
		"run it as root with all capabilities, or with CAP_BPF");
	note("the kernel refused (Operation not permitted): run as root", -EPERM, ALL);
	check_walks("the kernel refused (Operation not permitted)",
		"look at what forbids BPF: a security module, lockdown, a filter of system calls");
	note("this kernel has no BTF (/sys is missing): use another", -ENOENT, ALL);
	check_walks("this kernel has no BTF (/sys is missing)",
		"use a kernel that was built with CONFIG_DEBUG_INFO_BTF");
	/* Whatever else is missing. */
	note("the kernel's verifier refused a program (Permission denied); | R8", -EACCES, 0);
	check_walks(
		"the kernel's verifier refused a program (Permission denied); | R8", "report it");
	note("--sampler is perf", 0, 0);
	check_walks("--sampler is perf", "set --sampler to auto");
}

static void a_rate_that_was_lowered_is_told(void)
{
	struct kernel_side side = {
		.refusal = "--sampler is perf",
		.hz = 97,
		.period_ns = NS_PER_S / 30,
		.stack_bytes_per_s = 1 << 20,
	};

	features = (struct features){0};
	kernel_side_note(&side, &features);
	CHECK_STR(features.faults[FEATURE_full_rate].reason,
		"30 Hz in place of 97: copies of stacks may take 1048576 bytes a second");
}

static void programs_in_the_kernel_may_lack_something(void)
{
	struct abilities abilities = {.saved_registers = true, .memory_cgroups = true};
	struct kernel_side side = {.abilities = &abilities, .refusal = ""};

	features = (struct features){0};
	kernel_side_note(&side, &features);
	for (int i = 0; i < FEATURE_COUNT; i++)
		CHECK(features_is_on(&features, (enum feature)i));
	abilities = (struct abilities){.saved_registers = false};
	kernel_side_note(&side, &features);
	CHECK(!features_is_on(&features, FEATURE_saved_registers));
	CHECK(!features_is_on(&features, FEATURE_memory_cgroups));
	CHECK(features_is_on(&features, FEATURE_kernel_walks));
}

int main(void)
{
	RUN(a_refusal_says_why_and_what_to_do);
	RUN(a_rate_that_was_lowered_is_told);
	RUN(programs_in_the_kernel_may_lack_something);
	return 0;
}
