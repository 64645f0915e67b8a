/* SPDX-License-Identifier: Apache-2.0 */
/* Settings: everything that can be set about the collector, in one table.
 *
 * What it is   the table parses command line and file, checks ranges, and prints the help; each key
 *              of the file is also a flag. What the command line says wins over the file.
 * Ownership    settings own their texts.
 * Threads      read-only after settings_parse: any.
 * Errors       -EINVAL, -ENOMEM, errors of reading the file; the fault says in one line what to
 * mend.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/upload/upload_desk.h"
#include "store/log/log.h"

#define SETTINGS_FILE_DEFAULT "/etc/cairn/collector.conf"
/* Patterns of paths that may be denied. */
#define SETTINGS_LIST_MAX 256

struct settings_list {
	char **items;
	size_t count;
};

struct settings {
	char *server;
	char *host_name;
	char *control_socket;
	char *control; /* ADDR:PORT, or NULL */
	uint64_t hz;
	uint64_t window_seconds;
	uint64_t upload; /* enum upload_mode */
	uint64_t upload_mbps;
	uint64_t upload_bytes_max;
	struct settings_list upload_deny;
	uint64_t log_level; /* enum log_level */
};

struct settings_fault {
	char text[512]; /* one line */
};

enum settings_action { SETTINGS_RUN, SETTINGS_HELP, SETTINGS_VERSION };

/* Reads the arguments behind the program's name, and the file that they or the default name: the
 * default file need not be there. */
int settings_parse(int argument_count, char *const *arguments, struct settings *ret_settings,
	enum settings_action *ret_action, struct settings_fault *fault);
void settings_done(struct settings *settings);

/* Sets NAME, as the command line or a file does. -ENOENT: no such setting. */
int settings_set(struct settings *settings, const char *name, const char *value,
	struct settings_fault *fault);
/* The help text. */
void settings_print_help(void);
