/* SPDX-License-Identifier: Apache-2.0 */
/* File budget: how many connections each port may have, so that descriptors never run out.
 *
 * What it is   the limit of open files, divided.
 * Ownership    values only.
 * Threads      any.
 * Errors       -EMFILE: too few for anything.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What the server holds besides connections: a descriptor for each segment of profiles, of which
 * there is one a day and some dozens (two hundred with a retention of 90 days), files of symbols,
 * pipes to the sandbox, downloads, the libraries' own; with a margin. */
#define FILE_BUDGET_OWN 448u
/* The least that it starts with. */
#define FILE_BUDGET_MIN 512u

struct file_budget {
	uint32_t http_connections;
	uint32_t grpc_connections;
	bool is_whole; /* as many of each as are ever taken */
};

int file_budget_divide(uint64_t file_count_max, struct file_budget *ret_budget);
