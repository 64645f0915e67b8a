/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/control_request.h"
#include "collector/kernel/sampler.h"
#include "collector/settings_file.h"
#include "store/profile/profile.h"

/* A domain name's; the server refuses longer texts than four times that. */
#define HOST_NAME_BYTES_MAX 255

enum kind { TEXT, ADDRESS, LOOPBACK, NUMBER, BYTES, CHOICE, LIST };

struct row {
	const char *name;
	const char *argument; /* as the help shows it */
	enum kind kind;
	size_t offset; /* in struct settings */
	const char *initial; /* NULL: none */
	uint64_t min;
	uint64_t max; /* of a text: its length; 0: any */
	const char *const *choices; /* closed by NULL; a choice's value is its index */
	const char *help;
};

static const char *const upload_choices[] = {"never", "stripped", "full", NULL};
static const char *const level_choices[] = {"error", "warning", "info", "debug", NULL};

/* One place for name, range, default and words of each setting. */
static const struct row rows[] = {
	{"server", "HOST:PORT", ADDRESS, offsetof(struct settings, server), "127.0.0.1:4041", 0, 0,
		NULL, "where windows are sent"},
	{"hz", "N", NUMBER, offsetof(struct settings, hz), "19", 1, SAMPLER_HZ_MAX, NULL,
		"samples a second and CPU"},
	{"window", "SECONDS", NUMBER, offsetof(struct settings, window_seconds), "10", 1,
		PROFILE_WINDOW_NS_MAX / NS_PER_S, NULL, "what is sent at a time"},
	{"host-name", "NAME", TEXT, offsetof(struct settings, host_name), NULL, 0,
		HOST_NAME_BYTES_MAX, NULL, "the label `host` (default: the host's name)"},
	{"control-socket", "PATH", TEXT, offsetof(struct settings, control_socket),
		"/run/cairn/control.sock", 0, 0, NULL, "unix socket that tells the status"},
	{"control", "ADDR:PORT", LOOPBACK, offsetof(struct settings, control), NULL, 0, 0, NULL,
		"the same on TCP; loopback only (default: off)"},
	{"upload", "WHAT", CHOICE, offsetof(struct settings, upload), "stripped", 0, 0,
		upload_choices, "executables that the server asks for: never, stripped, full"},
	{"upload-mbps", "N", NUMBER, offsetof(struct settings, upload_mbps), "10", 0, 1000000, NULL,
		"megabits a second for uploads; 0: no limit; none to a server on loopback"},
	{"upload-max", "BYTES", BYTES, offsetof(struct settings, upload_bytes_max), "2G", 0,
		INT64_MAX, NULL, "largest upload; K, M or G may follow the number"},
	{"upload-deny", "GLOB", LIST, offsetof(struct settings, upload_deny), NULL, 0, 0, NULL,
		"paths that never leave the host; may be given more than once"},
	{"log-level", "LEVEL", CHOICE, offsetof(struct settings, log_level), "info", 0, 0,
		level_choices, "error, warning, info or debug"},
};

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

static int refuse(
	struct settings_fault *fault, const char *before, const char *what, const char *after)
{
	snprintf(fault->text, sizeof(fault->text), "%s%.100s%s", before, what, after);
	return -EINVAL;
}

static const struct row *find_row(const char *name)
{
	for (size_t i = 0; i < ROW_COUNT; i++) {
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	}
	return NULL;
}

static void *member(struct settings *settings, const struct row *row)
{
	return (char *)settings + row->offset;
}

static int set_text(char **text, const char *value)
{
	char *copy = strdup(value);

	if (!copy)
		return -ENOMEM;
	free(*text);
	*text = copy;
	return 0;
}

static int add_to_list(struct settings_list *list, const char *value)
{
	char **items = realloc(list->items, (list->count + 1) * sizeof(*items));

	if (!items)
		return -ENOMEM;
	list->items = items;
	items[list->count] = strdup(value);
	if (!items[list->count])
		return -ENOMEM;
	list->count++;
	return 0;
}

/* A number in decimal, with K, M or G behind it where UNITS are allowed. */
static bool read_number(const char *value, bool units, uint64_t *ret_number)
{
	static const struct {
		const char *suffix;
		unsigned shift;
	} sizes[] = {{"", 0}, {"K", 10}, {"M", 20}, {"G", 30}};
	unsigned long long number;
	char *end;

	if (value[0] < '0' || value[0] > '9')
		return false;
	errno = 0;
	number = strtoull(value, &end, 10);
	for (size_t i = 0; errno == 0 && i < (units ? sizeof(sizes) / sizeof(sizes[0]) : 1); i++) {
		if (strcmp(end, sizes[i].suffix) == 0 && number <= UINT64_MAX >> sizes[i].shift) {
			*ret_number = (uint64_t)number << sizes[i].shift;
			return true;
		}
	}
	return false;
}

static int set_number(
	const struct row *row, uint64_t *number, const char *value, struct settings_fault *fault)
{
	uint64_t read;

	if (!read_number(value, row->kind == BYTES, &read) || read < row->min || read > row->max) {
		snprintf(fault->text, sizeof(fault->text),
			"--%s takes a number from %llu to %llu, not \"%.100s\"", row->name,
			(unsigned long long)row->min, (unsigned long long)row->max, value);
		return -EINVAL;
	}
	*number = read;
	return 0;
}

static int set_choice(
	const struct row *row, uint64_t *choice, const char *value, struct settings_fault *fault)
{
	size_t length;

	for (uint64_t i = 0; row->choices[i]; i++) {
		if (strcmp(row->choices[i], value) == 0) {
			*choice = i;
			return 0;
		}
	}
	length = (size_t)snprintf(fault->text, sizeof(fault->text), "--%s takes", row->name);
	for (uint64_t i = 0; row->choices[i]; i++)
		length += (size_t)snprintf(fault->text + length, sizeof(fault->text) - length,
			"%s %s", i == 0 ? "" : ",", row->choices[i]);
	snprintf(fault->text + length, sizeof(fault->text) - length, "; not \"%.100s\"", value);
	return -EINVAL;
}

/* HOST:PORT or [ADDR]:PORT with a port that can be connected to. */
static bool is_address(const char *value)
{
	const char *colon = strrchr(value, ':');
	uint64_t port;

	if (!colon || colon == value || !read_number(colon + 1, false, &port) || port == 0 ||
		port > UINT16_MAX)
		return false;
	return memchr(value, ':', (size_t)(colon - value)) == NULL ||
		(value[0] == '[' && colon[-1] == ']');
}

static bool is_loopback(const char *value)
{
	union {
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} place;

	return control_parse_address(value, &place.v4, &place.v6) == 0;
}

static int set_row(struct settings *settings, const struct row *row, const char *value,
	struct settings_fault *fault)
{
	struct settings_list *list = member(settings, row);
	int r = 0;

	if (value[0] == '\0')
		return refuse(fault, "--", row->name, " needs a value");
	switch (row->kind) {
	case ADDRESS:
		if (!is_address(value))
			return refuse(fault, "--server takes a HOST:PORT, not ", value, "");
		r = set_text(member(settings, row), value);
		break;
	case LOOPBACK:
		if (!is_loopback(value))
			return refuse(
				fault, "--control takes an ADDR:PORT on loopback, not ", value, "");
		r = set_text(member(settings, row), value);
		break;
	case TEXT:
		if (row->max > 0 && strlen(value) > row->max)
			return refuse(fault, "--", row->name, " is too long");
		r = set_text(member(settings, row), value);
		break;
	case NUMBER:
	case BYTES:
		r = set_number(row, member(settings, row), value, fault);
		break;
	case CHOICE:
		r = set_choice(row, member(settings, row), value, fault);
		break;
	case LIST:
		if (list->count >= SETTINGS_LIST_MAX)
			return refuse(fault, "--", row->name, " is given too often");
		r = add_to_list(list, value);
		break;
	}
	if (r == -ENOMEM)
		snprintf(fault->text, sizeof(fault->text), "out of memory");
	return r;
}

int settings_set(struct settings *settings, const char *name, const char *value,
	struct settings_fault *fault)
{
	const struct row *row = find_row(name);

	if (!row) {
		refuse(fault, "no setting is called ", name, "");
		return -ENOENT;
	}
	return set_row(settings, row, value, fault);
}

static int set_initial(struct settings *settings, struct settings_fault *fault)
{
	for (size_t i = 0; i < ROW_COUNT; i++) {
		int r = rows[i].initial ? set_row(settings, &rows[i], rows[i].initial, fault) : 0;

		if (r < 0)
			return r;
	}
	return 0;
}

/* --- the command line --------------------------------------------------------------------------
 */

struct flag {
	char name[64];
	const char *value;
};

/* --name value, or --name=value. */
static int next_flag(int count, char *const *arguments, int *at, struct flag *ret_flag,
	struct settings_fault *fault)
{
	const char *argument = arguments[*at];
	const char *equals = strchr(argument, '=');
	size_t length = equals ? (size_t)(equals - argument) : strlen(argument);

	if (strncmp(argument, "--", 2) != 0 || length - 2 >= sizeof(ret_flag->name) || length < 3)
		return refuse(fault, "unknown argument ", argument, "; --help tells what there is");
	memcpy(ret_flag->name, argument + 2, length - 2);
	ret_flag->name[length - 2] = '\0';
	ret_flag->value = equals ? equals + 1 : NULL;
	++*at;
	if (strcmp(ret_flag->name, "help") == 0 || strcmp(ret_flag->name, "version") == 0)
		return equals ? refuse(fault, "--", ret_flag->name, " takes no value") : 0;
	if (!find_row(ret_flag->name) && strcmp(ret_flag->name, "config") != 0)
		return refuse(
			fault, "unknown flag --", ret_flag->name, "; --help tells what there is");
	if (!equals) {
		if (*at == count)
			return refuse(fault, "--", ret_flag->name, " needs a value");
		ret_flag->value = arguments[(*at)++];
	}
	return 0;
}

/* Finds what decides before anything is set: the file, and whether to run at all. */
static int look_ahead(int count, char *const *arguments, const char **ret_file,
	enum settings_action *ret_action, struct settings_fault *fault)
{
	struct flag flag;

	*ret_file = NULL;
	*ret_action = SETTINGS_RUN;
	for (int at = 0; at < count;) {
		int r = next_flag(count, arguments, &at, &flag, fault);

		if (r < 0)
			return r;
		if (strcmp(flag.name, "config") == 0)
			*ret_file = flag.value;
		else if (strcmp(flag.name, "help") == 0)
			*ret_action = SETTINGS_HELP;
		else if (strcmp(flag.name, "version") == 0)
			*ret_action = SETTINGS_VERSION;
	}
	return 0;
}

static int set_from_arguments(
	struct settings *settings, int count, char *const *arguments, struct settings_fault *fault)
{
	struct flag flag;

	for (int at = 0; at < count;) {
		int r = next_flag(count, arguments, &at, &flag, fault);

		if (r == 0 && find_row(flag.name))
			r = settings_set(settings, flag.name, flag.value, fault);
		if (r < 0)
			return r;
	}
	return 0;
}

static int set_host_name(struct settings *settings, struct settings_fault *fault)
{
	char name[256] = {0};

	if (settings->host_name)
		return 0;
	if (gethostname(name, sizeof(name) - 1) < 0 || name[0] == '\0')
		return refuse(fault, "the host has no name: give one with ", "--host-name", "");
	return settings_set(settings, "host-name", name, fault);
}

int settings_parse(int argument_count, char *const *arguments, struct settings *ret_settings,
	enum settings_action *ret_action, struct settings_fault *fault)
{
	struct settings settings = {0};
	const char *file;
	int r = look_ahead(argument_count, arguments, &file, ret_action, fault);

	if (r < 0)
		return r;
	r = set_initial(&settings, fault);
	if (r == 0 && *ret_action == SETTINGS_RUN) {
		r = settings_file_read(&settings, file ? file : SETTINGS_FILE_DEFAULT, fault);
		if (r == -ENOENT && !file)
			r = 0;
	}
	if (r == 0)
		r = set_from_arguments(&settings, argument_count, arguments, fault);
	if (r == 0)
		r = set_host_name(&settings, fault);
	if (r < 0) {
		settings_done(&settings);
		return r;
	}
	*ret_settings = settings;
	return 0;
}

void settings_done(struct settings *settings)
{
	for (size_t i = 0; i < ROW_COUNT; i++) {
		struct settings_list *list = member(settings, &rows[i]);

		if (rows[i].kind == TEXT || rows[i].kind == ADDRESS || rows[i].kind == LOOPBACK)
			free(*(char **)member(settings, &rows[i]));
		if (rows[i].kind != LIST)
			continue;
		for (size_t k = 0; k < list->count; k++)
			free(list->items[k]);
		free(list->items);
	}
	*settings = (struct settings){0};
}

void settings_print_help(void)
{
	printf("Usage: cairn-collector [FLAG...]\n\n"
	       "Samples what every CPU of this host is doing and sends it to a Cairn server.\n\n");
	for (size_t i = 0; i < ROW_COUNT; i++) {
		char flag[64];

		snprintf(flag, sizeof(flag), "--%s %s", rows[i].name, rows[i].argument);
		printf("  %-26s %s", flag, rows[i].help);
		if (rows[i].initial)
			printf(" (%s)", rows[i].initial);
		printf("\n");
	}
	printf("  %-26s settings file (%s if there); each key is a flag without --\n",
		"--config PATH", SETTINGS_FILE_DEFAULT);
	printf("  %-26s print this\n  %-26s print the version\n\n", "--help", "--version");
	printf("Exit status: 0 done, 1 failed while running, 2 wrong usage.\n");
}
