/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel_side.h"

#include <errno.h>
#include <string.h>

#include "collector/kernel/refusal.h"
#include "collector/privilege.h"
#include "store/base/clock.h"
#include "store/log/log.h"

static bool is_forbidden(const struct kernel_side *side)
{
	/* A verifier says the same when it refuses a program. */
	return (side->refusal_error == -EPERM || side->refusal_error == -EACCES) &&
		!strstr(side->refusal, "verifier");
}

static const char *remedy(const struct kernel_side *side, const char *lacking)
{
	if (side->refusal_error == 0)
		return "set --sampler to auto";
	if (is_forbidden(side)) {
		return lacking[0]
			? PRIVILEGE_REMEDY("CAP_BPF")
			: "look at what forbids BPF: a security module, lockdown, a filter of "
			  "system calls";
	}
	if (side->refusal_error == -ENOENT)
		return "use a kernel that was built with CONFIG_DEBUG_INFO_BTF";
	return "report it";
}

/* Not a fault: everything is sampled, at a higher price. */
static void note_copies(const struct kernel_side *side, struct features *features)
{
	const char *lacking =
		is_forbidden(side) ? privilege_lacking_to_sample(side->capabilities) : "";
	uint64_t hz = NS_PER_S / side->period_ns;
	char reason[FEATURE_REASON_BYTES_MAX + 1];

	log_info("stacks are walked in user space: %s", side->refusal);
	refusal_shorten(side->refusal, reason, sizeof(reason));
	features_switch_off(features, FEATURE_kernel_walks, remedy(side, lacking), "%s%s%s",
		lacking, lacking[0] ? " missing: " : "", reason);
	if (hz < side->hz) {
		features_switch_off(features, FEATURE_full_rate, "raise --stack-budget",
			"%llu Hz in place of %llu: copies of stacks may take %llu bytes a second",
			(unsigned long long)hz, (unsigned long long)side->hz,
			(unsigned long long)side->stack_bytes_per_s);
	}
}

void kernel_side_note(const struct kernel_side *side, struct features *features)
{
	const struct abilities *abilities = side->abilities;

	if (!abilities) {
		note_copies(side, features);
		return;
	}
	if (!abilities->saved_registers)
		features_switch_off(features, FEATURE_saved_registers, "run Linux 5.15 or newer",
			"this kernel's BPF has no bpf_task_pt_regs");
	if (!abilities->memory_cgroups) {
		features_switch_off(features, FEATURE_memory_cgroups,
			"use a kernel that was built with CONFIG_MEMCG",
			"this kernel has no memory controller");
	}
}
