/* SPDX-License-Identifier: Apache-2.0 */
#include "store/settings/setting.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int setting_refuse(struct setting_fault *ret_fault, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(ret_fault->text, sizeof(ret_fault->text), format, arguments);
	va_end(arguments);
	return -EINVAL;
}

const struct setting *setting_find(const struct setting_table *table, const char *name)
{
	for (size_t i = 0; i < table->count; i++) {
		if (strcmp(table->rows[i].name, name) == 0)
			return &table->rows[i];
	}
	return NULL;
}

/* The digits at the start of VALUE, and what follows them. */
static bool read_digits(const char *value, uint64_t *ret_number, const char **ret_rest)
{
	unsigned long long number;
	char *rest;

	if (!isdigit((unsigned char)value[0]))
		return false;
	errno = 0;
	number = strtoull(value, &rest, 10);
	if (errno != 0)
		return false;
	*ret_number = number;
	*ret_rest = rest;
	return true;
}

bool setting_read_number(const char *value, uint64_t *ret_number)
{
	const char *rest;
	uint64_t number;

	if (!read_digits(value, &number, &rest) || *rest)
		return false;
	*ret_number = number;
	return true;
}

bool setting_read_size(const char *value, uint64_t *ret_bytes)
{
	static const char units[] = "KMGTkmgt";
	const char *rest, *unit = NULL;
	unsigned shift = 0;
	uint64_t number;

	if (!read_digits(value, &number, &rest))
		return false;
	if (*rest) {
		unit = strchr(units, *rest);
		if (!unit || rest[1])
			return false;
		shift = 10 * (unsigned)((unit - units) % 4 + 1);
	}
	if (number > UINT64_MAX >> shift)
		return false;
	*ret_bytes = number << shift;
	return true;
}

static void *value_of(void *values, const struct setting *setting)
{
	return (char *)values + setting->offset;
}

static int check_text(
	const struct setting *setting, const char *value, struct setting_fault *ret_fault)
{
	if (setting->max > 0 && strlen(value) > setting->max)
		return setting_refuse(ret_fault, "--%s is too long", setting->name);
	if (setting->accepts && !setting->accepts(value))
		return setting_refuse(ret_fault, "--%s takes %s, not \"%.100s\"", setting->name,
			setting->wants, value);
	return 0;
}

static int set_text(const struct setting *setting, char **text, const char *value,
	struct setting_fault *ret_fault)
{
	int r = check_text(setting, value, ret_fault);
	char *copy;

	if (r < 0)
		return r;
	copy = strdup(value);
	if (!copy)
		return -ENOMEM;
	free(*text);
	*text = copy;
	return 0;
}

static int add_to_list(const struct setting *setting, struct setting_list *list, const char *value,
	struct setting_fault *ret_fault)
{
	int r = check_text(setting, value, ret_fault);
	char **items;

	if (r < 0)
		return r;
	if (list->count >= SETTING_LIST_COUNT_MAX)
		return setting_refuse(ret_fault, "--%s is given too often", setting->name);
	items = realloc(list->items, (list->count + 1) * sizeof(*items));
	if (!items)
		return -ENOMEM;
	list->items = items;
	items[list->count] = strdup(value);
	if (!items[list->count])
		return -ENOMEM;
	list->count++;
	return 0;
}

static int set_switch(const struct setting *setting, bool *is_on, const char *value,
	struct setting_fault *ret_fault)
{
	bool on = strcmp(value, "true") == 0;

	if (!on && strcmp(value, "false") != 0)
		return setting_refuse(ret_fault, "--%s takes true or false, not \"%.100s\"",
			setting->name, value);
	*is_on = on;
	return 0;
}

static int set_number(const struct setting *setting, uint64_t *number, const char *value,
	struct setting_fault *ret_fault)
{
	uint64_t read = 0;
	bool is_one =
		setting->read ? setting->read(value, &read) : setting_read_number(value, &read);

	if (is_one && read >= setting->min && read <= setting->max) {
		*number = read;
		return 0;
	}
	if (setting->wants)
		return setting_refuse(ret_fault, "--%s takes %s, not \"%.100s\"", setting->name,
			setting->wants, value);
	return setting_refuse(ret_fault, "--%s takes a number from %llu to %llu, not \"%.100s\"",
		setting->name, (unsigned long long)setting->min, (unsigned long long)setting->max,
		value);
}

static int set_choice(const struct setting *setting, uint64_t *choice, const char *value,
	struct setting_fault *ret_fault)
{
	char words[256] = "";
	size_t length = 0;

	for (uint64_t i = 0; setting->choices[i]; i++) {
		if (strcmp(setting->choices[i], value) == 0) {
			*choice = i;
			return 0;
		}
		if (length < sizeof(words))
			length += (size_t)snprintf(words + length, sizeof(words) - length, "%s%s",
				i == 0 ? "" : ", ", setting->choices[i]);
	}
	return setting_refuse(
		ret_fault, "--%s takes %s; not \"%.100s\"", setting->name, words, value);
}

static int set_value(const struct setting *setting, void *field, const char *value,
	struct setting_fault *ret_fault)
{
	switch (setting->kind) {
	case SETTING_TEXT:
		return set_text(setting, field, value, ret_fault);
	case SETTING_LIST:
		return add_to_list(setting, field, value, ret_fault);
	case SETTING_SWITCH:
		return set_switch(setting, field, value, ret_fault);
	case SETTING_NUMBER:
		return set_number(setting, field, value, ret_fault);
	case SETTING_CHOICE:
		return set_choice(setting, field, value, ret_fault);
	}
	return -EINVAL;
}

int setting_set(const struct setting *setting, void *values, const char *value,
	struct setting_fault *ret_fault)
{
	int r;

	if (value[0] == '\0')
		return setting_refuse(ret_fault, "--%s needs a value", setting->name);
	r = set_value(setting, value_of(values, setting), value, ret_fault);
	if (r == -ENOMEM)
		(void)setting_refuse(ret_fault, "out of memory");
	return r;
}

int setting_table_set_initial(
	const struct setting_table *table, void *values, struct setting_fault *ret_fault)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < table->count; i++) {
		if (table->rows[i].initial)
			r = setting_set(&table->rows[i], values, table->rows[i].initial, ret_fault);
	}
	return r;
}

static void free_text(char **text)
{
	free(*text);
	*text = NULL;
}

static void free_list(struct setting_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i]);
	free(list->items);
	*list = (struct setting_list){0};
}

void setting_table_done(const struct setting_table *table, void *values)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct setting *setting = &table->rows[i];

		if (setting->kind == SETTING_TEXT)
			free_text(value_of(values, setting));
		else if (setting->kind == SETTING_LIST)
			free_list(value_of(values, setting));
	}
}
