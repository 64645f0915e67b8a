/* SPDX-License-Identifier: Apache-2.0 */
/* JFR contexts: the labels that a Java agent sends beside a recording.
 *
 * What it is   a protobuf of contexts, each a few pairs of numbers, and of the texts that these stand
 *              for: `contexts = 1 {id: Context{labels = 1 {key text: value text}}}`, `strings = 2
 *              {id: text}`. An event tells the number of its context.
 * Ownership    owns its tables, borrows the bytes.
 * Threads      one owner.
 * Errors       those of ingest_fault.h.
 */
#pragma once

#include "store/base/index_map.h"
#include "symbolizer-server/ingest/ingest_batch.h"
#include "symbolizer-server/ingest/proto_field.h"

/* Of contexts and of texts; an agent sends one of a scope that was entered, some hundreds a minute. */
#define JFR_CONTEXT_COUNT_MAX (1u << 20)

struct jfr_context_row {
	uint64_t id;
	const uint8_t *bytes; /* the message of a context, or a text */
	size_t byte_count;
};

struct jfr_context_table {
	struct jfr_context_row *rows;
	uint32_t count;
	uint32_t capacity;
	struct index_map ids;
};

struct jfr_contexts {
	struct jfr_context_table contexts;
	struct jfr_context_table texts;
};

/* Empty BYTES are no contexts. On failure there is nothing to release. */
int jfr_contexts_init(
	struct jfr_contexts *contexts, struct ingest_text bytes, struct ingest_fault *fault);
void jfr_contexts_done(struct jfr_contexts *contexts);
/* The labels of a context: how many were written to RET_LABELS. Labels whose texts are not there are
 * counted as broken, those that find no room as dropped. */
uint32_t jfr_context_labels(const struct jfr_contexts *contexts, uint64_t id,
	struct ingest_drops *drops, struct ingest_label ret_labels[LABEL_COUNT_MAX]);
