/* SPDX-License-Identifier: Apache-2.0 */
/* pprof tables: strings, functions, mappings and locations of a profile, found by their ids.
 *
 * What it is   what the samples of a profile are joined with, gathered in two passes over the
 *              message, since any table may stand behind the samples. Spans point into the message.
 * Ownership    owns its arrays, borrows the message.
 * Threads      one owner.
 * Errors       those of ingest_fault.h.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/base/index_map.h"
#include "symbolizer-server/ingest/ingest_batch.h"
#include "symbolizer-server/ingest/proto_field.h"

/* Of each table; a profile of 32 MiB holds about a million of each. */
#define PPROF_ROW_COUNT_MAX (16u << 20)
#define PPROF_NONE UINT32_MAX

/* Numbers of fields of the message Profile. */
enum pprof_field {
	PPROF_SAMPLE_TYPE = 1,
	PPROF_SAMPLE = 2,
	PPROF_MAPPING = 3,
	PPROF_LOCATION = 4,
	PPROF_FUNCTION = 5,
	PPROF_STRING = 6,
	PPROF_TIME = 9,
	PPROF_DURATION = 10,
	PPROF_PERIOD_TYPE = 11,
	PPROF_PERIOD = 12,
};

struct pprof_value_type {
	uint32_t type; /* string index */
	uint32_t unit;
};

struct pprof_function {
	uint32_t name;
	uint32_t system_name;
	uint32_t file;
};

struct pprof_mapping {
	uint64_t start;
	uint64_t limit;
	uint64_t file_offset;
	uint32_t file;
	uint32_t build_id;
};

struct pprof_location {
	uint64_t mapping; /* id; 0: none */
	uint64_t address;
	const uint8_t *bytes; /* the message, for its lines */
	uint32_t byte_count;
	bool has_lines;
};

/* Ids of rows; most writers number them from 1 on without gaps. */
struct pprof_ids {
	uint64_t *ids;
	uint32_t count;
	bool dense;
	struct index_map map; /* of those that are not dense */
};

struct pprof_tables {
	struct ingest_text *strings;
	uint32_t string_count;
	struct pprof_ids function_ids, mapping_ids, location_ids;
	struct pprof_function *functions;
	struct pprof_mapping *mappings;
	struct pprof_location *locations;
	struct pprof_value_type types[32];
	uint32_t type_count;
	struct pprof_value_type period_type;
	int64_t period;
	int64_t time_ns;
	int64_t duration_ns;
	uint64_t broken_count; /* texts that are named and are not there: taken for empty */
};

int pprof_tables_init(
	struct pprof_tables *tables, struct ingest_text bytes, struct ingest_fault *fault);
void pprof_tables_done(struct pprof_tables *tables);

/* A row by its id, or PPROF_NONE. */
uint32_t pprof_ids_find(const struct pprof_ids *ids, uint64_t id);
/* The empty text where there is none of that index. */
struct ingest_text pprof_string(const struct pprof_tables *tables, uint32_t index);
