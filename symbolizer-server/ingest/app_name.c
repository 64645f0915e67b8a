/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/app_name.h"

#include <errno.h>
#include <string.h>

static struct ingest_text trim(const char *text, size_t length)
{
	while (length > 0 && text[0] == ' ') {
		text++;
		length--;
	}
	while (length > 0 && text[length - 1] == ' ')
		length--;
	return (struct ingest_text){text, length};
}

static bool is_app_byte(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
		(byte >= '0' && byte <= '9') || (byte != '\0' && strchr("_.-/", byte));
}

static int check_app(struct ingest_text app, struct ingest_fault *fault)
{
	if (app.length == 0) {
		return ingest_refuse(fault, -EINVAL,
			"name: the name of the service must stand in front of the labels, as in "
			"name=web.cpu{region=eu}");
	}
	for (size_t i = 0; i < app.length; i++) {
		if (!is_app_byte(app.text[i])) {
			return ingest_refuse(fault, -EINVAL,
				"name: %.*s holds '%c'; letters, digits and _ . - / may stand in a "
				"name",
				(int)(app.length < 100 ? app.length : 100), app.text, app.text[i]);
		}
	}
	return 0;
}

/* One `key=value` of LENGTH bytes. */
static int add_label(
	struct app_name *name, const char *text, size_t length, struct ingest_fault *fault)
{
	const char *equals = memchr(text, '=', length);
	struct ingest_label label;
	size_t key_length = equals ? (size_t)(equals - text) : length;

	label.key = trim(text, key_length);
	label.value =
		equals ? trim(equals + 1, length - key_length - 1) : (struct ingest_text){"", 0};
	if (label.key.length == 0 && !equals)
		return 0; /* a comma too many */
	if (label.key.length == 0) {
		return ingest_refuse(fault, -EINVAL, "name: a label without a name stands at %.*s",
			(int)(length < 80 ? length : 80), text);
	}
	if (name->label_count == APP_NAME_LABEL_COUNT_MAX) {
		name->dropped_count++;
		return 0;
	}
	name->labels[name->label_count++] = label;
	return 0;
}

int app_name_parse(const char *text, struct app_name *ret_name, struct ingest_fault *fault)
{
	const char *brace = strchr(text, '{');
	const char *at = brace ? brace + 1 : text + strlen(text);
	const char *end = brace ? at + strcspn(at, "}") : at;
	const struct ingest_text *renamed;
	int r = 0;

	*ret_name =
		(struct app_name){.app = trim(text, brace ? (size_t)(brace - text) : strlen(text))};
	while (r == 0 && at < end) {
		size_t length = strcspn(at, ",}");

		r = add_label(ret_name, at, length, fault);
		at += length < (size_t)(end - at) ? length + 1 : length;
	}
	if (r < 0)
		return r;
	renamed = app_name_label(ret_name, "__name__");
	if (renamed)
		ret_name->app = *renamed;
	return check_app(ret_name->app, fault);
}

const struct ingest_text *app_name_label(const struct app_name *name, const char *key)
{
	for (uint32_t i = name->label_count; i > 0; i--) {
		const struct ingest_label *label = &name->labels[i - 1];

		if (label->key.length == strlen(key) &&
			memcmp(label->key.text, key, label->key.length) == 0)
			return &label->value;
	}
	return NULL;
}
