/* SPDX-License-Identifier: Apache-2.0 */
/* Command line: a table of settings as flags.
 *
 * What it is   `--name value` or `--name=value` for every row, and `--config`, `--help` and
 *              `--version` besides. A flag goes before the file, the file before the default.
 * Ownership    as in setting.h.
 * Threads      no shared state.
 * Errors       those of setting.h and of setting_file.h.
 */
#pragma once

#include <stdio.h>

#include "store/settings/setting.h"

enum command_line_action { COMMAND_LINE_RUN, COMMAND_LINE_HELP, COMMAND_LINE_VERSION };

/* Reads WORDS (those behind the program's name) and the file that they or the default name; the
 * default file need not be there. VALUES is the program's struct, zeroed; after an error it is to
 * be released, too. For any action but RUN only the defaults are set. */
int command_line_parse(const struct setting_table *table, int word_count, char *const *words,
	void *values, enum command_line_action *ret_action, struct setting_fault *ret_fault);
void command_line_print_help(const struct setting_table *table, FILE *out);
