/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/config_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <libconfig.h>

#include "store/base/cleanup.h"

/* A number as a text. */
#define NUMBER_BYTES_MAX 32

static const char *value_text(const config_setting_t *setting, char number[NUMBER_BYTES_MAX])
{
	switch (config_setting_type(setting)) {
	case CONFIG_TYPE_STRING:
		return config_setting_get_string(setting);
	case CONFIG_TYPE_BOOL:
		return config_setting_get_bool(setting) ? "true" : "false";
	case CONFIG_TYPE_INT:
	case CONFIG_TYPE_INT64:
		snprintf(number, NUMBER_BYTES_MAX, "%lld", config_setting_get_int64(setting));
		return number;
	default:
		return NULL;
	}
}

static int set_value(
	const config_setting_t *setting, const char *name, config_file_fn set, void *context)
{
	char number[NUMBER_BYTES_MAX];
	const char *text = value_text(setting, number);

	return text ? set(context, name, text) : -EINVAL;
}

static int set_values(const config_setting_t *setting, config_file_fn set, void *context)
{
	const char *name = config_setting_name(setting);
	int type = config_setting_type(setting), r = 0;

	if (type != CONFIG_TYPE_ARRAY && type != CONFIG_TYPE_LIST)
		return set_value(setting, name, set, context);
	for (int i = 0; r == 0 && i < config_setting_length(setting); i++)
		r = set_value(config_setting_get_elem(setting, (unsigned)i), name, set, context);
	return r;
}

static int read_settings(
	const config_t *file, config_file_fn set, void *context, unsigned *ret_line)
{
	config_setting_t *root = config_root_setting(file);
	int r = 0;

	for (int i = 0; r == 0 && i < config_setting_length(root); i++) {
		const config_setting_t *setting = config_setting_get_elem(root, (unsigned)i);

		*ret_line = config_setting_source_line(setting);
		r = set_values(setting, set, context);
	}
	return r;
}

int config_file_read(
	const char *path, config_file_fn set, void *context, char *ret_error, size_t error_bytes)
{
	SCOPED_FILE FILE *stream = fopen(path, "re");
	unsigned line = 0;
	config_t file;
	int r;

	if (!stream && errno == ENOENT)
		return -ENOENT;
	if (!stream) {
		snprintf(
			ret_error, error_bytes, "%.200s cannot be read: %s", path, strerror(errno));
		return -EINVAL;
	}
	config_init(&file);
	ret_error[0] = '\0';
	if (config_read(&file, stream) != CONFIG_TRUE) {
		snprintf(ret_error, error_bytes, "%.200s, line %d: %s", path,
			config_error_line(&file), config_error_text(&file));
		config_destroy(&file);
		return -EINVAL;
	}
	r = read_settings(&file, set, context, &line);
	config_destroy(&file);
	if (r < 0) {
		char reason[256];

		snprintf(reason, sizeof(reason), "%.255s",
			ret_error[0] ? ret_error
				     : "a text, a number, true, false or a list of them");
		snprintf(ret_error, error_bytes, "%.200s, line %u: %s", path, line, reason);
	}
	return r;
}
