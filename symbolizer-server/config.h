/* SPDX-License-Identifier: Apache-2.0 */
/* Config: every setting of cairn-server, from one table.
 *
 * What it is   the table reads flags and the settings file, checks values, and prints the help. A
 *              flag goes before the file, the file before the default.
 * Ownership    the config owns its texts, until config_done.
 * Threads      read by all once it is made.
 * Errors       -EINVAL: wrong usage, with a line that names what is wrong and what would be right.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "store/base/arena.h"
#include "symbolizer-server/listen_address.h"

#define CONFIG_ERROR_BYTES_MAX 512
/* Names under which people reach one server. */
#define CONFIG_ALLOWED_HOST_COUNT_MAX 64
/* Read if it is there and no other is named. */
#define CONFIG_FILE_DEFAULT "/etc/cairn/server.conf"

struct config {
	struct arena texts;
	const char *data;
	const char *http_text; /* as it was given */
	const char *grpc_text;
	struct listen_address http;
	struct listen_address grpc;
	const char *debuginfod_urls;
	bool insecure;
	bool insecure_uploads;
	const char *allowed_hosts[CONFIG_ALLOWED_HOST_COUNT_MAX];
	size_t allowed_host_count;
	const char *web_dir; /* NULL: the page inside of the program */
	uint64_t retain_ns;
	uint64_t retain_bytes;
	uint64_t symbol_bytes;
	int log_level; /* enum log_level */
	const char *file; /* --config */
	bool help;
	bool version;
};

/* On -EINVAL, RET_ERROR (CONFIG_ERROR_BYTES_MAX characters) is the line. -ENOMEM. */
int config_parse(int argc, char **argv, struct config *ret_config, char *ret_error);
void config_done(struct config *config);
void config_print_help(FILE *out);
