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

/* What the server holds besides connections: files of profiles and symbols, pipes to the sandbox,
 * downloads, the libraries' own; with a margin. */
#define FILE_BUDGET_OWN 192u
/* The least that it starts with. */
#define FILE_BUDGET_MIN 256u

struct file_budget {
	uint32_t http_connections;
	uint32_t grpc_connections;
	bool is_whole; /* as many of each as are ever taken */
};

int file_budget_divide(uint64_t file_count_max, struct file_budget *ret_budget);
