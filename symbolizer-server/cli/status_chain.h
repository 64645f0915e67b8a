/* SPDX-License-Identifier: Apache-2.0 */
/* Status chain: the table of stages.
 *
 * What it is   a row a stage: what came in, went out, waits and is lost, with the reasons that are
 *              not zero; below it, what to do about each loss that no warning has told.
 * Ownership    borrows the answer of the server.
 * Threads      one.
 * Errors       none.
 */
#pragma once

#include "symbolizer-server/cli/status_page.h"

/* CHAIN: a list of stages; WARNINGS: what was told already. HOST_COUNT: how many hosts the stages
 * of collectors stand for. */
void status_chain_print(const struct status_page *page, const struct cJSON *chain,
	const struct cJSON *warnings, int host_count);

/* `1,234,567`; from ten thousand million on, `12.3 G`. */
#define COUNT_BYTES_MAX 16
void status_chain_count(double value, char ret_text[COUNT_BYTES_MAX]);
