/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/sample/series_label.h"

#include <string.h>

/* People and tools abbreviate container ids to so many digits. */
#define CONTAINER_ID_SHOWN 12

struct text {
	const char *bytes;
	size_t length;
};

static struct text whole(const char *text)
{
	return (struct text){text, strlen(text)};
}

static struct text process_value(const struct series *series)
{
	return whole(series->process);
}

static struct text service_value(const struct series *series)
{
	return whole(series->place && series->place->service[0] ? series->place->service
								: series->process);
}

static struct text container_value(const struct series *series)
{
	struct text text = whole(series->place ? series->place->place.container : "");

	if (series->place && !series->place->place.container_is_name &&
		text.length > CONTAINER_ID_SHOWN)
		text.length = CONTAINER_ID_SHOWN;
	return text;
}

static struct text pod_value(const struct series *series)
{
	if (!series->place)
		return whole("");
	return whole(
		series->place->name.pod[0] ? series->place->name.pod : series->place->place.pod);
}

static struct text namespace_value(const struct series *series)
{
	return whole(series->place ? series->place->name.namespace_name : "");
}

static struct text unit_value(const struct series *series)
{
	return whole(series->place ? series->place->place.unit : "");
}

/* docs/privacy.md names each: they leave the host. */
static const struct row {
	const char *key;
	struct text (*value)(const struct series *series);
} rows[] = {
	{"process", process_value},
	{"service_name", service_value},
	{"container", container_value},
	{"pod", pod_value},
	{"namespace", namespace_value},
	{"unit", unit_value},
};

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

int series_label_add(struct profile *profile, const struct series *series, uint32_t *ret_label_set)
{
	struct label labels[ROW_COUNT];
	uint32_t count = 0;

	for (size_t i = 0; i < ROW_COUNT; i++) {
		struct text value = rows[i].value(series);
		int r;

		if (value.length == 0)
			continue;
		r = profile_add_text(profile, rows[i].key, &labels[count].key);
		if (r == 0)
			r = string_table_add(
				&profile->strings, value.bytes, value.length, &labels[count].value);
		if (r < 0)
			return r;
		count++;
	}
	return label_table_add(&profile->labels, &profile->strings, labels, count, ret_label_set);
}
