/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/config.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/disk/profile_store.h"
#include "store/log/log.h"
#include "symbolizer-server/config_file.h"
#include "symbolizer-server/query/time_range.h"

/* All texts of one config: paths, names and lists of URLs. */
#define TEXTS_BYTES_MAX (256u << 10)

enum kind {
	KIND_TEXT,
	KIND_SWITCH,
	KIND_LIST,
	KIND_TIME, /* ns; `forever` is UINT64_MAX */
	KIND_SIZE, /* bytes; `unlimited` is UINT64_MAX */
	KIND_LEVEL,
	KIND_ACTION, /* on the command line only */
};

struct setting {
	const char *name; /* of the flag, and in the file */
	const char *value; /* for the help; NULL: takes none */
	enum kind kind;
	size_t offset;
	const char *help;
};

#define AT(field) offsetof(struct config, field)

static const struct setting settings[] = {
	{"data", "DIR", KIND_TEXT, AT(data),
		"where profiles and symbols are kept (/var/lib/cairn)"},
	{"http", "ADDR:PORT", KIND_TEXT, AT(http_text),
		"the page and the API; port 0 takes a free one (127.0.0.1:4040)"},
	{"grpc", "ADDR:PORT", KIND_TEXT, AT(grpc_text),
		"where collectors send to; port 0 takes a free one (127.0.0.1:4041)"},
	{"debuginfod-urls", "\"URL...\"", KIND_TEXT, AT(debuginfod_urls),
		"debuginfod servers to ask for debug files ($DEBUGINFOD_URLS, else none)"},
	{"insecure", NULL, KIND_SWITCH, AT(insecure),
		"allow --http and --grpc addresses that other machines reach: there is no "
		"password and no encryption"},
	{"insecure-uploads", NULL, KIND_SWITCH, AT(insecure_uploads),
		"take executables and kernel symbols from other machines, too"},
	{"allowed-host", "NAME", KIND_LIST, AT(allowed_hosts),
		"a name under which browsers may reach the server; may be given several times"},
	{"web-dir", "DIR", KIND_TEXT, AT(web_dir),
		"serve the page's files from here, for whoever works on them"},
	{"retain-time", "TIME", KIND_TIME, AT(retain_ns),
		"delete profiles older than this: 36h, 90d, forever (90d)"},
	{"retain-bytes", "SIZE", KIND_SIZE, AT(retain_bytes),
		"delete the oldest profiles beyond this: 500M, 20G, unlimited (20G)"},
	{"symbol-bytes", "SIZE", KIND_SIZE, AT(symbol_bytes),
		"keep at most this much of symbol indexes"},
	{"log-level", "LEVEL", KIND_LEVEL, AT(log_level), "error, warning, info or debug (info)"},
	{"config", "FILE", KIND_ACTION, AT(file),
		"settings as lines `name = value;` (" CONFIG_FILE_DEFAULT ", if it is there)"},
	{"help", NULL, KIND_ACTION, AT(help), "this text"},
	{"version", NULL, KIND_ACTION, AT(version), "the version"},
};

#define SETTING_COUNT (sizeof(settings) / sizeof(settings[0]))

/* What the settings are read into, and where the first fault is told. */
struct reading {
	struct config *config;
	char *error;
};

static int refuse(struct reading *reading, const char *name, const char *value, const char *right)
{
	snprintf(reading->error, CONFIG_ERROR_BYTES_MAX, "%s %.200s: %s", name, value, right);
	return -EINVAL;
}

static const struct setting *find_setting(const char *name, size_t length)
{
	for (size_t i = 0; i < SETTING_COUNT; i++) {
		if (strlen(settings[i].name) == length &&
			memcmp(settings[i].name, name, length) == 0)
			return &settings[i];
	}
	return NULL;
}

static int keep_text(struct reading *reading, const char *value, const char **ret_text)
{
	const char *copy = arena_copy_text(&reading->config->texts, value, strlen(value));

	if (!copy)
		return -ENOMEM;
	*ret_text = copy;
	return 0;
}

static int set_switch(
	struct reading *reading, const struct setting *setting, const char *value, bool *ret_on)
{
	if (strcmp(value, "true") != 0 && strcmp(value, "false") != 0)
		return refuse(reading, setting->name, value, "true or false must stand here");
	*ret_on = strcmp(value, "true") == 0;
	return 0;
}

static int add_host(struct reading *reading, const char *value)
{
	struct config *config = reading->config;

	if (config->allowed_host_count == CONFIG_ALLOWED_HOST_COUNT_MAX)
		return refuse(reading, "allowed-host", value, "more names than can be kept");
	if (!*value || strpbrk(value, " /"))
		return refuse(
			reading, "allowed-host", value, "a host name without port must stand here");
	return keep_text(reading, value, &config->allowed_hosts[config->allowed_host_count++]);
}

static int set_time(
	struct reading *reading, const struct setting *setting, const char *value, uint64_t *ret_ns)
{
	const char *what;

	if (strcmp(value, "forever") == 0) {
		*ret_ns = UINT64_MAX;
		return 0;
	}
	if (time_parse_length(value, strlen(value), ret_ns, &what) < 0 || *ret_ns == 0)
		return refuse(reading, setting->name, value,
			"a length of time must stand here, as 36h or 90d, or forever");
	return 0;
}

static int set_size(struct reading *reading, const struct setting *setting, const char *value,
	uint64_t *ret_bytes)
{
	static const char units[] = "KMGT";
	size_t digits = strspn(value, "0123456789");
	const char *unit =
		value[digits] ? strchr(units, toupper((unsigned char)value[digits])) : NULL;
	uint64_t bytes = strtoull(value, NULL, 10);
	unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;

	if (strcmp(value, "unlimited") == 0) {
		*ret_bytes = UINT64_MAX;
		return 0;
	}
	if (digits == 0 || digits > 15 || bytes == 0 || bytes > UINT64_MAX >> shift ||
		(value[digits] && !unit) || (unit && value[digits + 1]))
		return refuse(reading, setting->name, value,
			"a number of bytes must stand here, as 500M or 20G, or unlimited");
	*ret_bytes = bytes << shift;
	return 0;
}

static int set_level(struct reading *reading, const char *value)
{
	static const char *const levels[] = {
		[LOG_LEVEL_ERROR] = "error",
		[LOG_LEVEL_WARNING] = "warning",
		[LOG_LEVEL_INFO] = "info",
		[LOG_LEVEL_DEBUG] = "debug",
	};

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		if (strcmp(value, levels[i]) == 0) {
			reading->config->log_level = (int)i;
			return 0;
		}
	}
	return refuse(reading, "log-level", value, "error, warning, info or debug must stand here");
}

static int set(struct reading *reading, const struct setting *setting, const char *value)
{
	char *field = (char *)reading->config + setting->offset;

	switch (setting->kind) {
	case KIND_SWITCH:
		return set_switch(reading, setting, value, (bool *)field);
	case KIND_LIST:
		return add_host(reading, value);
	case KIND_TIME:
		return set_time(reading, setting, value, (uint64_t *)(void *)field);
	case KIND_SIZE:
		return set_size(reading, setting, value, (uint64_t *)(void *)field);
	case KIND_LEVEL:
		return set_level(reading, value);
	case KIND_TEXT:
	case KIND_ACTION:
		break;
	}
	if (!setting->value) {
		*(bool *)field = true;
		return 0;
	}
	if (!*value)
		return refuse(reading, setting->name, "\"\"", "may not be empty");
	return keep_text(reading, value, (const char **)(void *)field);
}

static int set_from_file(void *context, const char *name, const char *value)
{
	struct reading *reading = context;
	const struct setting *setting = find_setting(name, strlen(name));

	if (!setting || setting->kind == KIND_ACTION) {
		snprintf(
			reading->error, CONFIG_ERROR_BYTES_MAX, "there is no setting %.100s", name);
		return -EINVAL;
	}
	return set(reading, setting, value);
}

/* Reads the flag at WORDS, and its value from behind `=` or from the next word. */
static int read_flag(struct reading *reading, bool actions, char **words, int *ret_taken)
{
	const char *word = words[0];
	bool dashes = strncmp(word, "--", 2) == 0;
	size_t length = strcspn(word, "=");
	const struct setting *setting = dashes ? find_setting(word + 2, length - 2) : NULL;
	const char *value = word[length] ? word + length + 1 : NULL;

	*ret_taken = 1;
	if (!setting) {
		snprintf(reading->error, CONFIG_ERROR_BYTES_MAX,
			"there is no flag %.200s; --help names those that there are", word);
		return -EINVAL;
	}
	if (setting->value && !value) {
		value = words[1];
		*ret_taken = 2;
	}
	if (setting->value && !value) {
		snprintf(reading->error, CONFIG_ERROR_BYTES_MAX, "--%s wants %s behind it",
			setting->name, setting->value);
		return -EINVAL;
	}
	if (actions != (setting->kind == KIND_ACTION))
		return 0;
	return set(reading, setting, value ? value : "true");
}

/* One round over the command line, for actions or for all else. */
static int read_flags(struct reading *reading, bool actions, int argc, char **argv)
{
	int r = 0, taken;

	for (int i = 1; r == 0 && i < argc; i += taken)
		r = read_flag(reading, actions, argv + i, &taken);
	return r;
}

static int read_file(struct reading *reading)
{
	const char *path = reading->config->file ? reading->config->file : CONFIG_FILE_DEFAULT;
	int r = config_file_read(
		path, set_from_file, reading, reading->error, CONFIG_ERROR_BYTES_MAX);

	if (r != -ENOENT)
		return r;
	return reading->config->file ? refuse(reading, "--config", path, "no such file") : 0;
}

static int check_address(
	struct reading *reading, const char *name, const char *text, struct listen_address *address)
{
	if (listen_address_parse(text, address) < 0)
		return refuse(reading, name, text,
			"ADDR:PORT with a numeric address must stand here, as 127.0.0.1:4040 or "
			"[::1]:0");
	if (!reading->config->insecure && !listen_address_is_loopback(address))
		return refuse(reading, name, text,
			"other machines can reach this address, without password or encryption; "
			"add --insecure if that is meant");
	return 0;
}

static void set_defaults(struct config *config)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	*config = (struct config){
		.data = "/var/lib/cairn",
		.http_text = "127.0.0.1:4040",
		.grpc_text = "127.0.0.1:4041",
		.debuginfod_urls = urls ? urls : "",
		.retain_ns = PROFILE_STORE_RETAIN_NS_DEFAULT,
		.retain_bytes = PROFILE_STORE_RETAIN_BYTES_DEFAULT,
		.log_level = LOG_LEVEL_INFO,
	};
	arena_init(&config->texts, TEXTS_BYTES_MAX);
}

int config_parse(int argc, char **argv, struct config *ret_config, char *ret_error)
{
	struct config config;
	struct reading reading = {.config = &config, .error = ret_error};
	int r;

	set_defaults(&config);
	/* First which file, then the file, then what goes before it. */
	r = read_flags(&reading, true, argc, argv);
	if (r == 0 && !config.help && !config.version) {
		r = read_file(&reading);
		if (r == 0)
			r = read_flags(&reading, false, argc, argv);
		if (r == 0)
			r = check_address(&reading, "--http", config.http_text, &config.http);
		if (r == 0)
			r = check_address(&reading, "--grpc", config.grpc_text, &config.grpc);
	}
	if (r < 0) {
		config_done(&config);
		return r;
	}
	*ret_config = config;
	return 0;
}

void config_done(struct config *config)
{
	arena_done(&config->texts);
	*config = (struct config){0};
}

void config_print_help(FILE *out)
{
	fputs("cairn-server [FLAG...]: takes profiles from collectors, keeps them, gives them "
	      "names "
	      "and shows them\n\n",
		out);
	for (size_t i = 0; i < SETTING_COUNT; i++) {
		char word[64];

		snprintf(word, sizeof(word), "--%s%s%s", settings[i].name,
			settings[i].value ? " " : "", settings[i].value ? settings[i].value : "");
		fprintf(out, "  %-28s %s\n", word, settings[i].help);
	}
	fputs("\nEvery flag but the last three is also a line `name = value;` of the settings "
	      "file.\nExit status: 0 ended by SIGTERM or SIGINT with everything flushed, 1 failed "
	      "while running, 2 wrong usage.\n",
		out);
}
