/* SPDX-License-Identifier: Apache-2.0 */
/* Ingest report: what an upload became, for a person who imports a file.
 *
 * What it is   JSON: the range, each profile type with its samples and value, and what was not kept
 *              as it came.
 * Ownership    borrows everything.
 * Threads      any.
 * Errors       those of the writer.
 */
#pragma once

#include "store/base/bytes.h"
#include "symbolizer-server/ingest/profile_list.h"

/* Of a report; types and drops are few. */
#define INGEST_REPORT_BYTES_MAX ((size_t)1 << 20)

void ingest_report_write(struct bytes_writer *writer, const struct profile_list *profiles,
	const struct ingest_drops *drops);
