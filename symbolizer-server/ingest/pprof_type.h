/* SPDX-License-Identifier: Apache-2.0 */
/* pprof types: what the columns of a profile are called.
 *
 * What it is   the rules by which clients of Pyroscope and its users know a profile type: its first
 *              part is derived once for all columns, from their names or what a client renames them
 *              to; the rest is what the profile says.
 * Ownership    borrows the tables.
 * Threads      any.
 * Errors       none: what is too long is cut.
 */
#pragma once

#include "symbolizer-server/ingest/pprof_read.h"
#include "symbolizer-server/ingest/pprof_table.h"

/* The five parts of column COLUMN. */
void pprof_type_write(const struct pprof_tables *tables, const struct pprof_options *options,
	uint32_t column, char ret_type[INGEST_TYPE_BYTES_MAX]);
/* What one sample of the column stands for; 0: it varies. */
int64_t pprof_type_period(const struct pprof_tables *tables, uint32_t column);
/* Whether the column counts samples. */
bool pprof_type_is_samples(const struct pprof_tables *tables, uint32_t column);
/* Whether values of TYPE are measured in what the period is. */
bool pprof_type_is_period(const struct pprof_tables *tables, const struct pprof_value_type *type);
