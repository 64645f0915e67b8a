/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/labelled_profile.h"

#include <string.h>

#include "tests/support/check.h"
#include "tests/support/sample_profile.h"

#define PERIOD_NS (10 * (int64_t)NS_PER_MS)

struct profile *labelled_profile_new(const char *host, uint64_t start_ns)
{
	return sample_profile_new(host, start_ns, 10 * NS_PER_S);
}

static void add_text(struct profile *profile, const char *text, size_t length, uint32_t *ret_index)
{
	CHECK_EQ(string_table_add(&profile->strings, text, length, ret_index), 0);
}

static uint32_t add_labels(struct profile *profile, const char *text)
{
	struct label labels[LABEL_COUNT_MAX];
	uint32_t count = 0, set;

	while (*text) {
		const char *equal = strchr(text, '=');
		size_t length;

		CHECK(equal && count < LABEL_COUNT_MAX);
		length = strcspn(equal + 1, ",");
		add_text(profile, text, (size_t)(equal - text), &labels[count].key);
		add_text(profile, equal + 1, length, &labels[count].value);
		count++;
		text = equal + 1 + length;
		text += *text == ',';
	}
	CHECK_EQ(label_table_add(&profile->labels, &profile->strings, labels, count, &set), 0);
	return set;
}

void labelled_profile_add(struct profile *profile, const char *type, const char *labels)
{
	struct thread thread = {.pid = 100 + profile->threads.count, .tid = 100};
	struct sample_table *table;
	uint32_t index;

	thread.tid = thread.pid;
	thread.labels = add_labels(profile, labels);
	CHECK_EQ(thread_table_add(&profile->threads, &thread, &index), 0);
	CHECK_EQ(profile_add_type(
			 profile, type ? type : PROFILE_TYPE_ON_CPU, PERIOD_NS, true, &table),
		0);
	CHECK_EQ(sample_table_add(table, 0, index, 0, PERIOD_NS, 0), 0);
}

void labelled_profile_seal(struct profile *profile)
{
	const char *what = "";

	CHECK_EQ(profile_seal(profile), 0);
	CHECK_EQ(profile_check(profile, &what), 0);
}
