/* SPDX-License-Identifier: Apache-2.0 */
/* Settings: everything that can be set about the collector, in one table.
 *
 * What it is   a row a setting (store/settings/setting.h): flag, line of the settings file, default,
 *              range and help are made of it. What the command line says wins over the file.
 * Ownership    settings own their texts, until settings_done.
 * Threads      read-only after settings_parse: any.
 * Errors       -EINVAL, -ENOMEM, errors of reading the file; the fault says in one line what to
 *              mend.
 */
#pragma once

#include <stdint.h>

#include "bpf/abi/unwind_table.h"
#include "collector/upload/upload_desk.h"
#include "store/log/log.h"
#include "store/settings/command_line.h"

enum jit_names { JIT_NAMES_NEVER, JIT_NAMES_PERF_MAP };

struct settings {
	char *server;
	char *host_name;
	char *control_socket;
	char *control; /* ADDR:PORT, or NULL */
	uint64_t hz;
	uint64_t sampler; /* enum sampler_way */
	uint64_t stack_bytes_per_s;
	uint64_t window_seconds;
	uint64_t upload; /* enum upload_mode */
	uint64_t upload_mbps;
	uint64_t upload_bytes_max;
	struct setting_list upload_deny;
	uint64_t unwind_bytes_max;
	uint64_t jit_names; /* enum jit_names */
	uint64_t log_level; /* enum log_level */
};

extern const struct setting_table settings_table;

/* Reads the words behind the program's name, and the settings file. */
int settings_parse(int word_count, char *const *words, struct settings *ret_settings,
	enum command_line_action *ret_action, struct setting_fault *ret_fault);
void settings_done(struct settings *settings);
