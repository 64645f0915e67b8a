/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/guard/label_guard.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/check.h"
#include "tests/support/labelled_profile.h"

#define NOW (UINT64_C(1700000000) * NS_PER_S)
#define DAY (UINT64_C(24) * 3600 * NS_PER_S)

static struct label_guard *make(uint32_t values_max, uint32_t series_max, uint32_t total_max)
{
	struct label_guard_limits limits = {values_max, series_max, total_max};
	struct label_guard *guard;

	CHECK_EQ(label_guard_new(&limits, &guard), 0);
	return guard;
}

/* What becomes of one label set. */
static const char *pass(
	struct label_guard *guard, const char *host, const char *labels, const char *wanted)
{
	static char text[256];
	struct profile *profile = labelled_profile_new(host, NOW);
	const char *what = "", *value;

	labelled_profile_add(profile, NULL, labels);
	labelled_profile_seal(profile);
	CHECK_EQ(label_guard_apply(guard, profile, NOW), 0);
	CHECK_EQ(profile_check(profile, &what), 0);
	CHECK_EQ(profile_sample_count(profile), 1);
	value = label_table_value(
		&profile->labels, &profile->strings, profile->threads.threads[0].labels, wanted);
	snprintf(text, sizeof(text), "%s", value ? value : "(none)");
	profile_free(profile);
	return text;
}

static uint64_t counter(struct label_guard *guard, enum label_guard_counter which)
{
	uint64_t counts[LABEL_GUARD_COUNTER_COUNT];

	label_guard_read(guard, counts);
	return counts[which];
}

static void tell(void *context, const struct label_guard_case *one)
{
	char *text = context;

	snprintf(text + strlen(text), 512 - strlen(text), "%s/%s/%d/%u/%llu;", one->service,
		one->label, (int)one->reason, one->limit, (unsigned long long)one->label_set_count);
}

static const char *cases(struct label_guard *guard)
{
	static char text[512];

	text[0] = '\0';
	label_guard_visit(guard, tell, text);
	return text;
}

static void values_above_the_cap_of_a_label_are_other(void)
{
	struct label_guard *guard = make(3, 100, 1000);
	char labels[64];

	for (int i = 0; i < 10; i++) {
		snprintf(labels, sizeof(labels), "service_name=app,req=%d", i);
		if (i < 3)
			CHECK_STR(pass(guard, "h", labels, "req"), labels + 21);
		else
			CHECK_STR(pass(guard, "h", labels, "req"), "[other]");
		CHECK_STR(pass(guard, "h", labels, "service_name"), "app");
	}
	/* Others are as they were, and so is what was there before. */
	CHECK_STR(pass(guard, "h", "service_name=app,req=1", "req"), "1");
	CHECK_STR(pass(guard, "h", "service_name=app,pod=p", "pod"), "p");
	CHECK_STR(pass(guard, "h", "service_name=other,req=77", "req"), "77");
	CHECK_EQ(counter(guard, LABEL_GUARD_COUNTER_FOLDED_VALUES), 14);
	CHECK_EQ(counter(guard, LABEL_GUARD_COUNTER_FOLDED_SERIES), 0);
	/* Three values, the one that has the others, two other services. */
	CHECK_EQ(counter(guard, LABEL_GUARD_COUNTER_SERIES), 6);
	CHECK_EQ(counter(guard, LABEL_GUARD_COUNTER_VALUES), 8);
	CHECK_STR(cases(guard), "app/req/0/3/14;");
	label_guard_free(guard);
}

static void series_above_the_cap_of_a_service_keep_its_name_alone(void)
{
	struct label_guard *guard = make(100, 4, 1000);
	char labels[64];

	for (int i = 0; i < 9; i++) {
		snprintf(labels, sizeof(labels), "service_name=app,a=%d,b=%d", i % 3, i / 3);
		CHECK_STR(pass(guard, "h", labels, "service_name"), "app");
		CHECK_STR(pass(guard, "h", labels, "b"), i < 4 ? (i < 3 ? "0" : "1") : "[other]");
	}
	/* Each host is a series of its own. */
	CHECK_STR(pass(guard, "g", "service_name=app,a=0,b=0", "a"), "[other]");
	CHECK_STR(pass(guard, "h", "service_name=app,a=0,b=0", "a"), "0");
	CHECK_STR(pass(guard, "h", "service_name=two,a=0,b=0", "a"), "0");
	CHECK_EQ(counter(guard, LABEL_GUARD_COUNTER_FOLDED_SERIES), 11);
	CHECK_STR(cases(guard), "app//1/4/11;");
	label_guard_free(guard);
}

static void series_above_the_cap_of_all_keep_their_service(void)
{
	struct label_guard *guard = make(100, 100, 5);
	char labels[64];

	for (int i = 0; i < 9; i++) {
		snprintf(labels, sizeof(labels), "service_name=s%d,a=x", i);
		CHECK_STR(pass(guard, "h", labels, "a"), i < 5 ? "x" : "[other]");
	}
	CHECK_EQ(counter(guard, LABEL_GUARD_COUNTER_FOLDED_TOTAL), 4);
	CHECK_STR(cases(guard), "//2/5/4;");
	CHECK_STR(pass(guard, "h", "service_name=s1,a=x", "a"), "x");
	label_guard_free(guard);
}

static void services_are_values_of_a_label_like_others(void)
{
	struct label_guard *guard = make(2, 100, 100);

	CHECK_STR(pass(guard, "h", "service_name=a", "service_name"), "a");
	CHECK_STR(pass(guard, "h", "service_name=b", "service_name"), "b");
	CHECK_STR(pass(guard, "h", "service_name=c", "service_name"), "[other]");
	CHECK_STR(pass(guard, "h", "process=p", "process"), "p");
	CHECK_STR(cases(guard), "/service_name/0/2/1;");
	label_guard_free(guard);
}

static void names_of_hosts_are_capped_like_other_values(void)
{
	static const char *const names[] = {"a", "b", "c", "a", "d"};
	struct label_guard *guard = make(2, 100, 100);

	for (size_t i = 0; i < 5; i++) {
		struct profile *profile = labelled_profile_new(names[i], NOW);

		labelled_profile_add(profile, NULL, "service_name=s");
		labelled_profile_seal(profile);
		CHECK_EQ(label_guard_apply(guard, profile, NOW), 0);
		CHECK_STR(string_table_text(&profile->strings, profile->head.host),
			i == 2 || i == 4 ? "[other]" : names[i]);
		CHECK_EQ(profile_sample_count(profile), 1);
		profile_free(profile);
	}
	CHECK_EQ(counter(guard, LABEL_GUARD_COUNTER_FOLDED_HOSTS), 2);
	CHECK_EQ(counter(guard, LABEL_GUARD_COUNTER_SERIES), 3);
	CHECK_STR(cases(guard), "/host/0/2/2;");
	label_guard_free(guard);
}

static void what_was_folded_sums_to_what_came(void)
{
	struct label_guard *guard = make(2, 100, 100);
	struct profile *profile = labelled_profile_new("h", NOW);
	char labels[64];
	int64_t value = 0;

	for (int i = 0; i < 500; i++) {
		snprintf(labels, sizeof(labels), "service_name=app,req=%d", i);
		labelled_profile_add(profile, NULL, labels);
	}
	labelled_profile_seal(profile);
	CHECK_EQ(label_guard_apply(guard, profile, NOW), 0);
	CHECK_EQ(profile_sample_count(profile), 500);
	for (uint32_t i = 0; i < profile->types[0].row_count; i++)
		value += profile->types[0].rows[i].value;
	CHECK_EQ(value, 500 * 10 * (int64_t)NS_PER_MS);
	/* The empty set, two as they were, one with the others. */
	CHECK_EQ(profile->labels.count, 4);
	profile_free(profile);
	label_guard_free(guard);
}

/* Two rows of one thread, as they become, whose values sum to more than fits. */
static void sums_that_do_not_fit_are_refused_and_nothing_changes(void)
{
	struct label_guard *guard = make(1, 100, 100);
	struct profile *profile = labelled_profile_new("h", NOW);

	for (int i = 0; i < 3; i++) {
		labelled_profile_add(profile, NULL,
			i == 0		 ? "service_name=a,r=0"
				: i == 1 ? "service_name=a,r=1"
					 : "service_name=a,r=2");
		profile->threads.threads[i].pid = 7;
		profile->threads.threads[i].tid = 7;
		profile->types[0].rows[i].value = INT64_MAX / 3 * 2;
	}
	/* A check would not let it pass. */
	CHECK_EQ(profile_seal(profile), 0);
	CHECK_EQ(label_guard_apply(guard, profile, NOW), -EFBIG);
	CHECK_EQ(profile->threads.count, 3);
	CHECK_EQ(profile->types[0].row_count, 3);
	profile_free(profile);
	label_guard_free(guard);
}

static void a_new_day_begins_anew(void)
{
	struct label_guard *guard = make(1, 100, 100);
	struct profile *profile = labelled_profile_new("h", NOW + DAY);

	CHECK_STR(pass(guard, "h", "service_name=a,r=1", "r"), "1");
	CHECK_STR(pass(guard, "h", "service_name=a,r=2", "r"), "[other]");
	labelled_profile_add(profile, NULL, "service_name=a,r=2");
	labelled_profile_seal(profile);
	CHECK_EQ(label_guard_apply(guard, profile, NOW + DAY), 0);
	CHECK_STR(label_table_value(&profile->labels, &profile->strings,
			  profile->threads.threads[0].labels, "r"),
		"2");
	CHECK_STR(cases(guard), "");
	CHECK_EQ(counter(guard, LABEL_GUARD_COUNTER_SERIES), 1);
	profile_free(profile);
	label_guard_free(guard);
	label_guard_free(NULL);
}

int main(void)
{
	RUN(values_above_the_cap_of_a_label_are_other);
	RUN(series_above_the_cap_of_a_service_keep_its_name_alone);
	RUN(series_above_the_cap_of_all_keep_their_service);
	RUN(services_are_values_of_a_label_like_others);
	RUN(names_of_hosts_are_capped_like_other_values);
	RUN(what_was_folded_sums_to_what_came);
	RUN(sums_that_do_not_fit_are_refused_and_nothing_changes);
	RUN(a_new_day_begins_anew);
	return 0;
}
