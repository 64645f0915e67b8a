/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/settings_file.h"

#include <errno.h>
#include <libconfig.h>
#include <stdio.h>
#include <string.h>

#include "store/base/fault.h"

/* What went wrong, with the place where it did. */
static int fail_at(
	struct settings_fault *fault, const char *path, unsigned line, const char *reason)
{
	char text[sizeof(fault->text)];

	snprintf(text, sizeof(text), "%.200s:%u: %.250s", path, line, reason);
	memcpy(fault->text, text, sizeof(text));
	return -EINVAL;
}

/* A value as the text that the command line would have; NULL if it has no such form. */
static const char *text_of(const config_setting_t *setting, char *room, size_t room_bytes)
{
	switch (config_setting_type(setting)) {
	case CONFIG_TYPE_STRING:
		return config_setting_get_string(setting);
	case CONFIG_TYPE_INT:
		snprintf(room, room_bytes, "%d", config_setting_get_int(setting));
		return room;
	case CONFIG_TYPE_INT64:
		snprintf(room, room_bytes, "%lld", config_setting_get_int64(setting));
		return room;
	default:
		return NULL;
	}
}

static int set_one(struct settings *settings, const char *path, const char *name,
	const config_setting_t *value, struct settings_fault *fault)
{
	unsigned line = config_setting_source_line(value);
	char room[32];
	const char *text = text_of(value, room, sizeof(room));
	struct settings_fault inner;
	int r;

	if (!text)
		return fail_at(fault, path, line, "a value must be a text or a number");
	r = settings_set(settings, name, text, &inner);
	if (r == 0)
		return 0;
	fail_at(fault, path, line, inner.text);
	return r == -ENOMEM ? r : -EINVAL;
}

static int set_from(struct settings *settings, const char *path, const config_setting_t *setting,
	struct settings_fault *fault)
{
	const char *name = config_setting_name(setting);

	if (!config_setting_is_array(setting) && !config_setting_is_list(setting))
		return set_one(settings, path, name, setting, fault);
	for (int i = 0; i < config_setting_length(setting); i++) {
		int r = set_one(
			settings, path, name, config_setting_get_elem(setting, (unsigned)i), fault);

		if (r < 0)
			return r;
	}
	return 0;
}

static int read_all(
	struct settings *settings, config_t *config, const char *path, struct settings_fault *fault)
{
	const config_setting_t *root = config_root_setting(config);

	for (int i = 0; i < config_setting_length(root); i++) {
		int r = set_from(settings, path, config_setting_get_elem(root, (unsigned)i), fault);

		if (r < 0)
			return r;
	}
	return 0;
}

int settings_file_read(struct settings *settings, const char *path, struct settings_fault *fault)
{
	FILE *file = fopen(path, "re");
	config_t config;
	int r;

	if (!file) {
		r = -errno;
		snprintf(fault->text, sizeof(fault->text), "can't read %.200s: %s", path,
			fault_text(r));
		return r;
	}
	config_init(&config);
	if (config_read(&config, file) != CONFIG_TRUE)
		r = fail_at(fault, path, (unsigned)config_error_line(&config),
			config_error_text(&config));
	else
		r = read_all(settings, &config, path, fault);
	config_destroy(&config);
	(void)fclose(file);
	return r;
}
