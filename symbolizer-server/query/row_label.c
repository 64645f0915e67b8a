/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/row_label.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The label of a profile type -> which of its five parts; -1 is the whole. */
static const struct type_label {
	const char *name;
	int part;
} type_labels[] = {
	{"__profile_type__", -1},
	{"__name__", 0},
	{"__type__", 1},
	{"__unit__", 2},
	{"__period_type__", 3},
	{"__period_unit__", 4},
};

static const struct type_label *find_type_label(const char *name)
{
	for (size_t i = 0; i < sizeof(type_labels) / sizeof(type_labels[0]); i++) {
		if (strcmp(name, type_labels[i].name) == 0)
			return &type_labels[i];
	}
	return NULL;
}

enum row_label_scope row_label_scope(const char *name)
{
	if (strcmp(name, "cpu") == 0)
		return ROW_LABEL_CPU;
	return find_type_label(name) ? ROW_LABEL_TYPE : ROW_LABEL_THREAD;
}

bool row_label_needs_rows(const char *name)
{
	static const char *const names[] = {"pid", "tid", "thread", "cpu"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

struct row_label_value row_label_of_type(const char *type, const char *name)
{
	const struct type_label *label = find_type_label(name);
	size_t length;

	if (!label)
		return (struct row_label_value){"", 0};
	if (label->part < 0)
		return (struct row_label_value){type, strlen(type)};
	for (int i = 0; i < label->part; i++) {
		type = strchr(type, ':');
		if (!type)
			return (struct row_label_value){"", 0};
		type++;
	}
	length = strcspn(type, ":");
	return (struct row_label_value){type, length};
}

static struct row_label_value number_value(uint32_t value, char number[ROW_LABEL_NUMBER_BYTES])
{
	int length = snprintf(number, ROW_LABEL_NUMBER_BYTES, "%" PRIu32, value);

	return (struct row_label_value){number, (size_t)length};
}

static struct row_label_value string_value(const struct profile *profile, uint32_t string)
{
	return (struct row_label_value){string_table_text(&profile->strings, string),
		string_table_length(&profile->strings, string)};
}

/* The label of the thread's series, if it has one of that name. */
static bool find_series_label(const struct profile *profile, uint32_t set, const char *name,
	struct row_label_value *ret_value)
{
	const struct label_set *labels = &profile->labels.sets[set];

	for (uint32_t i = labels->first; i < labels->first + labels->count; i++) {
		const struct label *label = &profile->labels.labels[i];

		if (strcmp(string_table_text(&profile->strings, label->key), name) != 0)
			continue;
		*ret_value = string_value(profile, label->value);
		return true;
	}
	return false;
}

struct row_label_value row_label_of_thread(const struct profile *profile, uint32_t thread,
	const char *name, char number[ROW_LABEL_NUMBER_BYTES])
{
	const struct thread *row = &profile->threads.threads[thread];
	struct row_label_value value = {"", 0};

	/* What the batch says of its host goes before what a client wrote into its labels. */
	if (strcmp(name, "host") == 0 && profile->head.host != 0)
		return string_value(profile, profile->head.host);
	if (strcmp(name, "__service_name__") == 0)
		name = "service_name";
	if (find_series_label(profile, row->labels, name, &value))
		return value;
	if (strcmp(name, "pid") == 0 && row->pid > 0)
		return number_value(row->pid, number);
	if (strcmp(name, "tid") == 0 && row->tid > 0)
		return number_value(row->tid, number);
	if (strcmp(name, "thread") == 0)
		return string_value(profile, row->name);
	return value;
}

struct row_label_value row_label_of_cpu(uint32_t cpu, char number[ROW_LABEL_NUMBER_BYTES])
{
	if (cpu == SAMPLE_CPU_UNKNOWN)
		return (struct row_label_value){"", 0};
	return number_value(cpu, number);
}
