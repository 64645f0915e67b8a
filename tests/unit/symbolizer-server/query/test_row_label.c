/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/row_label.h"

#include "tests/support/check.h"
#include "tests/support/sample_profile.h"

static void equals(struct row_label_value value, const char *expected)
{
	CHECK_EQ(value.length, strlen(expected));
	CHECK(memcmp(value.text, expected, value.length) == 0);
}

static void parts_of_the_type_are_labels(void)
{
	equals(row_label_of_type("a:b:c:d:e", "__profile_type__"), "a:b:c:d:e");
	equals(row_label_of_type("a:b:c:d:e", "__name__"), "a");
	equals(row_label_of_type("a:b:c:d:e", "__type__"), "b");
	equals(row_label_of_type("a:b:c:d:e", "__unit__"), "c");
	equals(row_label_of_type("a:b:c::", "__period_type__"), "");
	equals(row_label_of_type("a:b:c:d:e", "__period_unit__"), "e");
	equals(row_label_of_type("a", "__unit__"), "");
}

static void threads_have_labels_of_three_sorts(void)
{
	struct profile *profile = sample_profile_new("web-1", 0, NS_PER_S);
	char number[ROW_LABEL_NUMBER_BYTES];

	sample_profile_add(profile,
		&(struct sample_profile_sample){.stack = "main",
			.process = "nginx",
			.thread = "worker",
			.pid = 7,
			.tid = 9});
	equals(row_label_of_thread(profile, 0, "process", number), "nginx");
	equals(row_label_of_thread(profile, 0, "__service_name__", number), "nginx");
	equals(row_label_of_thread(profile, 0, "host", number), "web-1");
	equals(row_label_of_thread(profile, 0, "pid", number), "7");
	equals(row_label_of_thread(profile, 0, "tid", number), "9");
	equals(row_label_of_thread(profile, 0, "thread", number), "worker");
	equals(row_label_of_thread(profile, 0, "nothing", number), "");
	equals(row_label_of_cpu(4294967294u, number), "4294967294");
	equals(row_label_of_cpu(SAMPLE_CPU_UNKNOWN, number), "");
	profile_free(profile);
}

static void scopes_follow_the_name(void)
{
	CHECK_EQ(row_label_scope("cpu"), ROW_LABEL_CPU);
	CHECK_EQ(row_label_scope("__name__"), ROW_LABEL_TYPE);
	CHECK_EQ(row_label_scope("host"), ROW_LABEL_THREAD);
	CHECK_EQ(row_label_scope("__other__"), ROW_LABEL_THREAD);
}

int main(void)
{
	RUN(parts_of_the_type_are_labels);
	RUN(threads_have_labels_of_three_sorts);
	RUN(scopes_follow_the_name);
	return 0;
}
