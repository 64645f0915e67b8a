/* SPDX-License-Identifier: Apache-2.0 */
#include "store/profile/label.h"

#include <errno.h>

#include "tests/support/check.h"

static struct string_table strings;
static struct label_table table;

static void begin(void)
{
	CHECK_EQ(string_table_init(&strings), 0);
	CHECK_EQ(label_table_init(&table), 0);
}

static void end(void)
{
	label_table_done(&table);
	string_table_done(&strings);
}

static struct label pair(const char *key, const char *value)
{
	struct label label;

	CHECK_EQ(string_table_add(&strings, key, strlen(key), &label.key), 0);
	CHECK_EQ(string_table_add(&strings, value, strlen(value), &label.value), 0);
	return label;
}

static uint32_t set_of(const struct label *labels, uint32_t count)
{
	uint32_t set;

	CHECK_EQ(label_table_add(&table, &strings, labels, count, &set), 0);
	return set;
}

static void order_does_not_matter_and_pairs_are_sorted_by_key(void)
{
	struct label forth[3], back[3];
	uint32_t set;

	begin();
	forth[0] = back[2] = pair("host", "a");
	forth[1] = back[1] = pair("process", "python3");
	forth[2] = back[0] = pair("container", "web");
	set = set_of(forth, 3);
	CHECK_EQ(set_of(back, 3), set);
	CHECK_EQ(table.sets[set].count, 3);
	CHECK_STR(
		string_table_text(&strings, table.labels[table.sets[set].first].key), "container");
	CHECK_STR(label_table_value(&table, &strings, set, "process"), "python3");
	CHECK(!label_table_value(&table, &strings, set, "proces"));
	end();
}

static void set_0_is_the_empty_set(void)
{
	struct label nothing;

	begin();
	nothing = pair("host", "");
	CHECK_EQ(set_of(NULL, 0), 0);
	CHECK_EQ(set_of(&nothing, 1), 0);
	CHECK(!label_table_value(&table, &strings, 0, "host"));
	end();
}

static void of_equal_keys_the_last_wins(void)
{
	struct label labels[4];
	uint32_t set;

	begin();
	labels[0] = pair("host", "a");
	labels[1] = pair("env", "x");
	labels[2] = pair("host", "b");
	labels[3] = pair("env", "");
	set = set_of(labels, 4);
	CHECK_EQ(table.sets[set].count, 1);
	CHECK_STR(label_table_value(&table, &strings, set, "host"), "b");
	end();
}

static void keys_that_share_a_beginning_are_told_apart(void)
{
	struct label labels[4];
	uint32_t set;

	begin();
	labels[0].value = labels[1].value = labels[2].value = pair("x", "v").value;
	CHECK_EQ(string_table_add(&strings, "a\0b", 3, &labels[0].key), 0);
	CHECK_EQ(string_table_add(&strings, "a", 1, &labels[1].key), 0);
	CHECK_EQ(string_table_add(&strings, "a\0a", 3, &labels[2].key), 0);
	labels[3] = labels[0];
	set = set_of(labels, 4);
	CHECK_EQ(table.sets[set].count, 3);
	CHECK_EQ(table.labels[table.sets[set].first].key, labels[1].key);
	CHECK_EQ(table.labels[table.sets[set].first + 1].key, labels[2].key);
	CHECK_EQ(table.labels[table.sets[set].first + 2].key, labels[0].key);
	end();
}

static void too_many_labels_are_refused(void)
{
	struct label labels[LABEL_COUNT_MAX + 1];
	char key[16];
	uint32_t set = 77;

	begin();
	for (int i = 0; i <= LABEL_COUNT_MAX; i++) {
		snprintf(key, sizeof(key), "key-%d", i);
		labels[i] = pair(key, "v");
	}
	CHECK_EQ(label_table_add(&table, &strings, labels, LABEL_COUNT_MAX + 1, &set), -E2BIG);
	CHECK_EQ(set, 77);
	CHECK_EQ(label_table_add(&table, &strings, labels, LABEL_COUNT_MAX, &set), 0);
	CHECK_EQ(table.sets[set].count, LABEL_COUNT_MAX);
	end();
}

static void many_sets_keep_their_numbers(void)
{
	char value[16];

	begin();
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 5000; i++) {
			struct label labels[2];

			snprintf(value, sizeof(value), "%d", i);
			labels[0] = pair("pod", value);
			labels[1] = pair("host", "a");
			CHECK_EQ(set_of(labels, 2), i + 1);
		}
	}
	end();
}

int main(void)
{
	RUN(order_does_not_matter_and_pairs_are_sorted_by_key);
	RUN(set_0_is_the_empty_set);
	RUN(of_equal_keys_the_last_wins);
	RUN(keys_that_share_a_beginning_are_told_apart);
	RUN(too_many_labels_are_refused);
	RUN(many_sets_keep_their_numbers);
	return 0;
}
