/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/privilege.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/check.h"

#define ALL UINT64_MAX
#define NOBODY 65534

static const enum feature tried[] = {
	FEATURE_other_processes,
	FEATURE_other_roots,
	FEATURE_mapped_files,
	FEATURE_private_files,
};

#define TRIED_COUNT (sizeof(tried) / sizeof(tried[0]))

static uint64_t without(enum privilege_capability capability)
{
	/* Without those that hold others, too. */
	return ALL & ~(UINT64_C(1) << 21) & ~(UINT64_C(1) << 1) & ~(UINT64_C(1) << capability);
}

static void the_effective_set_is_read(void)
{
	uint64_t effective = 7;

	CHECK_EQ(privilege_parse("Name:\ta\nCapPrm:\tff\nCapEff:\t000001ffffffffff\n", &effective),
		0);
	CHECK(effective == 0x1ffffffffff);
	CHECK_EQ(privilege_parse("Name:\tCapEff:\n", &effective), -EBADMSG);
	CHECK_EQ(privilege_parse("a\nCapEff:\tx\n", &effective), -EBADMSG);
	CHECK(effective == 0x1ffffffffff);
	CHECK_EQ(privilege_read(&effective), 0);
}

static void wider_ones_hold_others(void)
{
	CHECK(privilege_has(UINT64_C(1) << 21, PRIVILEGE_CHECKPOINT_RESTORE));
	CHECK(privilege_has(UINT64_C(1) << 21, PRIVILEGE_BPF));
	CHECK(!privilege_has(UINT64_C(1) << 21, PRIVILEGE_SYS_PTRACE));
	CHECK(privilege_has(UINT64_C(1) << 1, PRIVILEGE_DAC_READ_SEARCH));
	CHECK(!privilege_has(0, PRIVILEGE_DAC_READ_SEARCH));
}

static void what_sampling_lacks_is_named(void)
{
	CHECK_STR(privilege_lacking_to_sample(ALL), "");
	CHECK_STR(privilege_lacking_to_sample(without(PRIVILEGE_BPF)), "CAP_BPF");
	CHECK_STR(privilege_lacking_to_sample(without(PRIVILEGE_PERFMON)), "CAP_PERFMON");
	CHECK_STR(privilege_lacking_to_sample(0), "CAP_BPF, CAP_PERFMON");
}

/* Runs TEST in a process of no privilege. */
static void run_without_privilege(void (*test)(void))
{
	int status;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0) {
		if (geteuid() == 0)
			CHECK_EQ(setresuid(NOBODY, NOBODY, NOBODY), 0);
		/* Its own entries of /proc are still its own. */
		CHECK_EQ(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0), 0);
		test();
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void try_without(void)
{
	static const char *const names[TRIED_COUNT] = {"CAP_SYS_PTRACE is missing (/proc/PID/maps",
		"CAP_SYS_PTRACE is missing (/proc/PID/root", "CAP_CHECKPOINT_RESTORE is missing",
		"CAP_DAC_READ_SEARCH is missing"};
	struct features features = {0};

	privilege_try_all(0, "/proc", &features);
	for (size_t i = 0; i < TRIED_COUNT; i++) {
		const struct feature_fault *fault = &features.faults[tried[i]];

		CHECK(strncmp(fault->reason, names[i], strlen(names[i])) == 0);
		CHECK(strstr(fault->remedy, "with CAP_"));
	}
	CHECK(features_is_on(&features, FEATURE_kernel_symbols));
}

static void what_fails_without_privilege_names_its_capability(void)
{
	run_without_privilege(try_without);
}

static void try_with_useless_ones(void)
{
	struct features features = {0};

	privilege_try_all(ALL, "/proc", &features);
	for (size_t i = 0; i < TRIED_COUNT; i++) {
		CHECK(strstr(features.faults[tried[i]].reason, "is there, but of no use"));
		CHECK(strstr(features.faults[tried[i]].remedy, "a user namespace"));
	}
}

static void what_fails_in_spite_of_its_capability_says_so(void)
{
	run_without_privilege(try_with_useless_ones);
}

/* A capability that is said to be missing does not matter where the trial goes well. */
static void what_works_is_on_whatever_the_set_says(void)
{
	struct features features = {0};
	uint64_t effective;

	CHECK_EQ(privilege_read(&effective), 0);
	privilege_try_all(0, "/proc", &features);
	for (size_t i = 0; i < TRIED_COUNT; i++)
		CHECK(features_is_on(&features, tried[i]) ==
			privilege_has(effective, PRIVILEGE_SYS_PTRACE));
}

static void a_proc_without_processes_is_no_crash(void)
{
	struct features features = {0};

	privilege_try_all(ALL, "/proc/sys", &features);
	for (size_t i = 0; i < TRIED_COUNT; i++)
		CHECK(!features_is_on(&features, tried[i]));
}

int main(void)
{
	RUN(the_effective_set_is_read);
	RUN(wider_ones_hold_others);
	RUN(what_sampling_lacks_is_named);
	RUN(what_fails_without_privilege_names_its_capability);
	RUN(what_fails_in_spite_of_its_capability_says_so);
	RUN(what_works_is_on_whatever_the_set_says);
	RUN(a_proc_without_processes_is_no_crash);
	return 0;
}
