/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/refusal.h"

#include <errno.h>

#include "tests/support/check.h"

static struct sampler_reason reason;

static void check_says(const char *words)
{
	if (!strstr(reason.text, words))
		fprintf(stderr, "\"%s\" does not say \"%s\"\n", reason.text, words);
	CHECK(strstr(reason.text, words) != NULL);
	CHECK(strchr(reason.text, '\n') == NULL);
	CHECK(strlen(reason.text) < sizeof(reason.text));
}

static void a_missing_privilege_is_named(void)
{
	CHECK_EQ(refusal_of_load(-EPERM, "libbpf: Error in bpf_create_map\n", &reason), -EPERM);
	check_says("run as root");
	check_says("CAP_BPF and CAP_PERFMON");
	check_says("Operation not permitted");
}

static void the_verifier_is_quoted(void)
{
	static const char log[] = "libbpf: prog 'on_cpu': BPF program load failed\n"
				  "libbpf: prog 'on_cpu': -- BEGIN PROG LOAD LOG --\n"
				  "Func#1 is safe\n"
				  "236: (79) r3 = *(u64 *)(r8 +0)\n"
				  "dereference of modified\tctx ptr R8 off=32 disallowed\n"
				  "processed 204 insns (limit 1000000)\n"
				  "-- END PROG LOAD LOG --\n";

	CHECK_EQ(refusal_of_load(-EACCES, log, &reason), -EACCES);
	check_says("verifier refused");
	check_says("| 236: (79) r3 = *(u64 *)(r8 +0) | dereference of modified ctx ptr");
	CHECK(strstr(reason.text, "Func#1") == NULL);
	CHECK(strstr(reason.text, "CAP_BPF") == NULL);
}

static void a_long_verdict_is_cut(void)
{
	static char log[4096];

	memset(log, 'v', sizeof(log) - 1);
	log[2000] = '\n';
	memcpy(log + 4000, "\nprocessed 1 insns\n", sizeof("\nprocessed 1 insns\n"));
	CHECK_EQ(refusal_of_load(-EINVAL, log, &reason), -EINVAL);
	check_says("| vvvv");
}

static void any_other_fault_of_loading_is_told_with_the_last_words(void)
{
	CHECK_EQ(refusal_of_load(-ENOMEM, "libbpf: first\nlibbpf: the last words\n", &reason),
		-ENOMEM);
	check_says("Cannot allocate memory");
	check_says("the last words");
	CHECK_EQ(refusal_of_load(-ENOMEM, "", &reason), -ENOMEM);
	check_says("Cannot allocate memory");
}

static void missing_type_information_is_named(void)
{
	CHECK_EQ(refusal_of_btf(-ENOENT, "/sys/kernel/btf/vmlinux", &reason), -ENOENT);
	check_says("no BTF (/sys/kernel/btf/vmlinux is missing)");
	check_says("CONFIG_DEBUG_INFO_BTF=y");
	CHECK_EQ(refusal_of_btf(-EACCES, "/x", &reason), -EACCES);
	check_says("cannot read BTF from /x: Permission denied");
}

static void a_refused_timer_tells_the_setting(void)
{
	CHECK_EQ(refusal_of_timer(-EACCES, 3, 4, &reason), -EACCES);
	check_says("CPU 3");
	check_says("kernel.perf_event_paranoid is 4");
	check_says("CAP_PERFMON");
	CHECK_EQ(refusal_of_timer(-EMFILE, 3, 4, &reason), -EMFILE);
	check_says("ulimit -n");
	CHECK_EQ(refusal_of_timer(-EIO, 3, 4, &reason), -EIO);
	check_says("sampling CPU 3 failed: Input/output error");
}

static void the_rest_is_told_plainly(void)
{
	CHECK_EQ(refusal_of(-EIO, "counting the CPUs", &reason), -EIO);
	check_says("counting the CPUs failed: Input/output error");
	CHECK_EQ(refusal_of_config(&reason, "%d Hz: must be from 1 to %d", 0, 10), -EINVAL);
	check_says("0 Hz: must be from 1 to 10");
}

static void a_long_reason_keeps_its_beginning_and_its_end(void)
{
	char text[60];

	refusal_shorten("short", text, sizeof(text));
	CHECK_STR(text, "short");
	refusal_shorten(
		"this kernel has no BTF (/sys is missing): use another", text, sizeof(text));
	CHECK_STR(text, "this kernel has no BTF (/sys is missing)");
	refusal_shorten("the verifier refused a program, as it does at times: | 236: (79) r3 = "
			"*(u64 *)(r8 +0) | dereference of modified ctx",
		text, sizeof(text));
	CHECK_STR(text, "the verifier refused a prog ... dereference of modified ctx");
	CHECK_EQ(strlen(text), sizeof(text) - 1);
}

static void two_reasons_stand_in_one_line(void)
{
	struct sampler_reason other;

	snprintf(reason.text, sizeof(reason.text), "first");
	snprintf(other.text, sizeof(other.text), "second");
	refusal_add(&other, &reason);
	CHECK_STR(reason.text, "first; and without BPF: second");
	memset(reason.text, 'a', sizeof(reason.text) - 1);
	memset(other.text, 'b', sizeof(other.text) - 1);
	other.text[sizeof(other.text) - 1] = '\0';
	refusal_add(&other, &reason);
	CHECK_EQ(strlen(reason.text), sizeof(reason.text) - 1);
	CHECK(strstr(reason.text, "a; and without BPF: b") != NULL);
}

int main(void)
{
	RUN(a_long_reason_keeps_its_beginning_and_its_end);
	RUN(two_reasons_stand_in_one_line);
	RUN(a_missing_privilege_is_named);
	RUN(the_verifier_is_quoted);
	RUN(a_long_verdict_is_cut);
	RUN(any_other_fault_of_loading_is_told_with_the_last_words);
	RUN(missing_type_information_is_named);
	RUN(a_refused_timer_tells_the_setting);
	RUN(the_rest_is_told_plainly);
	return 0;
}
