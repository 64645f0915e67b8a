/* SPDX-License-Identifier: Apache-2.0 */
/* Settings: everything that can be set about the server, in one table.
 *
 * What it is   a row a setting (store/settings/setting.h): flag, line of the settings file, default,
 *              range and help are made of it. A flag goes before the file, the file before the
 *              default.
 * Ownership    settings own their texts, until settings_done.
 * Threads      read by all once they are made.
 * Errors       -EINVAL, -ENOMEM, errors of reading the file; the fault says in one line what is
 *              wrong and what would be right.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/settings/command_line.h"
#include "symbolizer-server/listen_address.h"

struct settings {
	char *data;
	char *http_text; /* as it was given */
	char *grpc_text;
	struct listen_address http;
	struct listen_address grpc;
	char *debuginfod_urls; /* NULL: none */
	struct setting_list symbol_folders;
	bool insecure;
	bool insecure_uploads;
	struct setting_list allowed_hosts;
	char *web_dir; /* NULL: the page inside of the program */
	uint64_t clock_start_ns; /* 0: the kernel's time of day */
	uint64_t retain_ns;
	uint64_t retain_bytes;
	uint64_t hot_ns;
	struct setting_list watches;
	uint64_t query_ns;
	uint64_t query_bytes;
	uint64_t query_memo_bytes;
	uint64_t ingest_bytes;
	uint64_t label_values_max; /* of a label of a service, in a day */
	uint64_t service_series_max;
	uint64_t series_max; /* of all services */
	uint64_t symbol_bytes; /* 0: the symbolizer's own default */
	uint64_t symbol_file_bytes; /* likewise; so is the next one */
	uint64_t upload_bytes;
	uint64_t log_level; /* enum log_level */
};

extern const struct setting_table settings_table;

/* Reads the words behind the program's name, and the settings file. */
int settings_parse(int word_count, char *const *words, struct settings *ret_settings,
	enum command_line_action *ret_action, struct setting_fault *ret_fault);
void settings_done(struct settings *settings);
