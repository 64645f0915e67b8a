/* SPDX-License-Identifier: Apache-2.0 */
/* Command: what each word behind `cairn` does.
 *
 * What it is   fetches from the server and prints for a person.
 * Ownership    nothing is kept.
 * Threads      one.
 * Errors       exit status 1, or 2 of wrong usage, with one line on standard error that says what
 *              to do.
 */
#pragma once

#include <stddef.h>

#include "symbolizer-server/cli/fetch.h"
#include "symbolizer-server/cli/options.h"

#define COMMAND_MISUSED 2

struct cJSON;

/* Each prints to standard output and gives the exit status. */
int command_top(const struct options *options);
int command_diff(const struct options *options);
/* What `cairn top --execs` does. */
int command_execs(const struct options *options);
/* The tree of a query, in text. */
int command_query_tree(const struct options *options);
int command_export(const struct options *options);
int command_import(const struct options *options);
int command_symbols(const struct options *options);
int command_status(const struct options *options);
/* What `cairn symbols` does, told by the word behind it. */
int command_symbols_any(const struct options *options);
int command_symbols_upload(const struct options *options);
/* Asks no server: looks at a data folder. 1: there is damage. */
int command_fsck(const struct options *options);

/* Prints `cairn: MESSAGE` on standard error; gives 1. */
int command_fail(const char *message);
/* The same of words that mean nothing; gives COMMAND_MISUSED. */
int command_misuse(const char *message);
/* Fetches PATH of the server as JSON, with the query of the options if WITH_QUERY. NULL: it failed
 * and that was said, or --json was given and the answer was printed: *RET_STATUS is the exit
 * status. Free by cJSON_Delete. */
struct cJSON *command_fetch_json(
	const struct options *options, const char *path, int with_query, int *ret_status);
/* The same with parameters of the caller's. */
struct cJSON *command_fetch_json_of(const struct options *options, const char *path,
	const struct fetch_param params[FETCH_PARAM_COUNT_MAX], int *ret_status);
/* The query that the options mean, as a selector; NULL: no memory, which was said. */
char *command_query(const struct options *options);
/* Of a line: without a terminal, and with --full, whoever reads on gets whole names. */
size_t command_line_columns(const struct options *options);
/* Members of an object; something plain if they are not there. */
const char *command_text(const struct cJSON *object, const char *name);
double command_number(const struct cJSON *object, const char *name);
/* Says, on standard error, if ANSWER, or one side of it, does not hold all of its range. */
void command_note_partial(const struct cJSON *answer);
/* Ends the output: 0, or 1 if not everything could be written. */
int command_finish(void);
