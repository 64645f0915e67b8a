/* SPDX-License-Identifier: Apache-2.0 */
/* Chain JSON: the stages of the chain, read and written.
 *
 * What it is   the server's own stages are read until they add up, or it is clear that they do not:
 *              counters are read one after the other while others count.
 * Ownership    the caller's.
 * Threads      any.
 * Errors       those of the writer, sticky in it.
 */
#pragma once

#include "store/base/json_writer.h"
#include "symbolizer-server/http/site.h"
#include "symbolizer-server/status/chain.h"

struct host_entry;
struct host_snapshot;

#define CHAIN_STAGE_COUNT_MAX 32

/* Readings in the order of chain_stages; those of other places are not known. */
struct chain_readings {
	struct chain_reading stages[CHAIN_STAGE_COUNT_MAX];
	uint32_t count;
};

/* The stages of one host. */
void chain_read_host(const struct host_entry *host, struct chain_readings *ret_readings);
/* The sum over all hosts, and the server's. */
void chain_read_all(const struct site *site, const struct host_snapshot *hosts,
	struct chain_readings *ret_readings);

/* Writes `"chain": [...]` with the stages of PLACE, or of both if that is negative. */
void chain_write_json(struct json_writer *json, const struct chain_readings *readings, int place);
