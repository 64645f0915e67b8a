/* SPDX-License-Identifier: Apache-2.0 */
#include "store/settings/setting_file.h"

#include <errno.h>
#include <stdio.h>

#include <libconfig.h>

#include "store/base/cleanup.h"
#include "store/base/fault.h"

/* A number as a text. */
#define NUMBER_BYTES_MAX 32

struct reading {
	const struct setting_table *table;
	const char *path;
	void *values;
	struct setting_fault *fault;
};

static int refuse_at(const struct reading *reading, unsigned line, const char *reason)
{
	return setting_refuse(reading->fault, "%.200s:%u: %.250s", reading->path, line, reason);
}

/* A value as the text that the command line would have; NULL if it has no such form. */
static const char *value_text(const config_setting_t *value, char number[NUMBER_BYTES_MAX])
{
	switch (config_setting_type(value)) {
	case CONFIG_TYPE_STRING:
		return config_setting_get_string(value);
	case CONFIG_TYPE_BOOL:
		return config_setting_get_bool(value) ? "true" : "false";
	case CONFIG_TYPE_INT:
	case CONFIG_TYPE_INT64:
		(void)snprintf(number, NUMBER_BYTES_MAX, "%lld", config_setting_get_int64(value));
		return number;
	default:
		return NULL;
	}
}

static int set_one(const struct reading *reading, const char *name, const config_setting_t *value)
{
	const struct setting *setting = setting_find(reading->table, name);
	unsigned line = config_setting_source_line(value);
	char number[NUMBER_BYTES_MAX], reason[160];
	const char *text = value_text(value, number);
	struct setting_fault fault;
	int r;

	if (!setting) {
		(void)snprintf(reason, sizeof(reason), "no setting is called %.100s", name);
		return refuse_at(reading, line, reason);
	}
	if (!text)
		return refuse_at(reading, line, "a value must be a text, a number, true or false");
	r = setting_set(setting, reading->values, text, &fault);
	if (r < 0)
		(void)refuse_at(reading, line, fault.text);
	return r;
}

static int set_all(const struct reading *reading, const config_setting_t *line)
{
	const char *name = config_setting_name(line);
	int type = config_setting_type(line), r = 0;

	if (type != CONFIG_TYPE_ARRAY && type != CONFIG_TYPE_LIST)
		return set_one(reading, name, line);
	for (int i = 0; r == 0 && i < config_setting_length(line); i++)
		r = set_one(reading, name, config_setting_get_elem(line, (unsigned)i));
	return r;
}

static int read_lines(const struct reading *reading, FILE *stream, config_t *file)
{
	const config_setting_t *root;
	int r = 0;

	if (config_read(file, stream) != CONFIG_TRUE)
		return refuse_at(
			reading, (unsigned)config_error_line(file), config_error_text(file));
	root = config_root_setting(file);
	for (int i = 0; r == 0 && i < config_setting_length(root); i++)
		r = set_all(reading, config_setting_get_elem(root, (unsigned)i));
	return r;
}

int setting_file_read(const struct setting_table *table, const char *path, void *values,
	struct setting_fault *ret_fault)
{
	const struct reading reading = {table, path, values, ret_fault};
	SCOPED_FILE FILE *stream = fopen(path, "re");
	config_t file;
	int r;

	if (!stream) {
		r = -errno;
		(void)setting_refuse(ret_fault, "can't read %.200s: %s", path, fault_text(r));
		return r;
	}
	config_init(&file);
	r = read_lines(&reading, stream, &file);
	config_destroy(&file);
	return r;
}
