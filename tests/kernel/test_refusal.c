/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that refuses is understood, and the reason says what to do. */
#include "collector/kernel/sampler.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/kernel/privilege.h"
#include "tests/support/check.h"

#define NOBODY 65534

static struct sampler_reason reason;

/* Opens a sampler that can't be opened; its error. */
static int refused(const struct sampler_config *config)
{
	struct sampler *sampler = NULL;
	int r = sampler_open(config, &reason, &sampler);

	CHECK(r < 0);
	CHECK(sampler == NULL);
	CHECK(strchr(reason.text, '\n') == NULL);
	printf("%s\n", reason.text);
	return r;
}

static void without_privilege_it_says_which(void)
{
	struct sampler_config config = {.way = SAMPLER_BPF, .hz = 19};
	int status;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0) {
		CHECK_EQ(setgid(NOBODY), 0);
		CHECK_EQ(setuid(NOBODY), 0);
		CHECK_EQ(refused(&config), -EPERM);
		CHECK(strstr(reason.text, "run as root, or with CAP_BPF and CAP_PERFMON") != NULL);
		exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void without_type_information_it_says_so(void)
{
	struct sampler_config config = {
		.way = SAMPLER_BPF, .hz = 19, .btf_path = "/there/is/no/btf"};

	CHECK_EQ(refused(&config), -ENOENT);
	CHECK(strstr(reason.text, "no BTF (/there/is/no/btf is missing)") != NULL);
}

static void a_rate_out_of_range_is_refused(void)
{
	struct sampler_config none = {.way = SAMPLER_BPF, .hz = 0};
	struct sampler_config too_high = {.way = SAMPLER_BPF, .hz = SAMPLER_HZ_MAX + 1};

	CHECK_EQ(refused(&none), -EINVAL);
	CHECK_EQ(refused(&too_high), -EINVAL);
	CHECK(strstr(reason.text, "10001 Hz: must be from 1 to 10000") != NULL);
}

static void a_ring_of_odd_size_is_refused(void)
{
	struct sampler_config config = {.way = SAMPLER_BPF, .hz = 19, .ring_bytes = 100000};

	CHECK_EQ(refused(&config), -EINVAL);
	CHECK(strstr(reason.text, "power of two") != NULL);
}

static void a_missing_list_of_cpus_is_told(void)
{
	struct sampler_config config = {
		.way = SAMPLER_BPF, .hz = 19, .cpu_folder = "/there/are/no/cpus"};

	CHECK_EQ(refused(&config), -ENOENT);
	CHECK(strstr(reason.text, "list of online CPUs") != NULL);
}

/* Where BPF is refused, perf events alone do; where these are, too, both reasons are told. */
static void without_bpf_there_are_perf_events(void)
{
	struct sampler_config config = {.hz = 19, .btf_path = "/there/is/no/btf"};
	struct sampler *sampler = NULL;
	int error;

	CHECK_EQ(sampler_open(&config, &reason, &sampler), 0);
	CHECK(!sampler_walks_in_kernel(sampler));
	CHECK(sampler_abilities(sampler) == NULL);
	CHECK(strstr(sampler_refusal(sampler, &error), "no BTF (/there/is/no/btf") != NULL);
	CHECK_EQ(error, -ENOENT);
	sampler_free(sampler);
	config.btf_path = NULL;
	CHECK_EQ(sampler_open(&config, &reason, &sampler), 0);
	CHECK(sampler_walks_in_kernel(sampler));
	CHECK_STR(sampler_refusal(sampler, &error), "");
	sampler_free(sampler);
}

static void a_rate_that_copies_too_much_is_lowered(void)
{
	struct sampler_config config = {
		.way = SAMPLER_PERF, .hz = 997, .stack_bytes_per_s = 2 << 20};
	struct sampler *sampler = NULL;
	uint32_t cpus = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);

	CHECK_EQ(sampler_open(&config, &reason, &sampler), 0);
	CHECK(sampler_period_ns(sampler) >= UINT64_C(16384) * cpus * 1000000000 / (2 << 20));
	sampler_free(sampler);
}

static void without_any_right_both_reasons_are_told(void)
{
	struct sampler_config config = {.hz = 19};
	int status;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0) {
		CHECK_EQ(setgid(NOBODY), 0);
		CHECK_EQ(setuid(NOBODY), 0);
		CHECK_EQ(refused(&config), -EPERM);
		CHECK(strstr(reason.text, "refused to load BPF programs") != NULL);
		CHECK(strstr(reason.text, "; and without BPF: the kernel refused to sample CPU") !=
			NULL);
		exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
	privilege_need_sampling();
	RUN(without_privilege_it_says_which);
	RUN(without_any_right_both_reasons_are_told);
	RUN(without_type_information_it_says_so);
	RUN(without_bpf_there_are_perf_events);
	RUN(a_rate_that_copies_too_much_is_lowered);
	RUN(a_rate_out_of_range_is_refused);
	RUN(a_ring_of_odd_size_is_refused);
	RUN(a_missing_list_of_cpus_is_told);
	return 0;
}
