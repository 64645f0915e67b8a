/* SPDX-License-Identifier: Apache-2.0 */
/* JFR metadata: what a chunk says its events and constants look like.
 *
 * What it is   the classes of a chunk, by id and by name, and their fields in the order in which
 *              they are written. Read from a tree of elements whose names and attributes are indices
 *              of a list of texts; settings, annotations and regions are passed over.
 * Ownership    owns its tables, borrows the chunk's bytes.
 * Threads      one owner.
 * Errors       those of ingest_fault.h.
 */
#pragma once

#include <string.h>

#include "store/base/arena.h"
#include "store/base/index_map.h"
#include "symbolizer-server/ingest/jfr_chunk.h"

/* OpenJDK 25 has 400 classes with 2,600 fields and 6,000 texts; programs add events of their own. */
#define JFR_CLASS_COUNT_MAX 65536u
#define JFR_FIELD_COUNT_MAX 1048576u
#define JFR_METADATA_TEXT_COUNT_MAX 1048576u
/* Elements within elements: root, metadata, class, field, annotation are five. */
#define JFR_ELEMENT_DEPTH_MAX 16u
#define JFR_CLASS_NONE UINT32_MAX

/* How a value is written. */
enum jfr_form {
	JFR_FORM_CLASS, /* its fields, one after the other */
	JFR_FORM_NUMBER,
	JFR_FORM_BYTE,
	JFR_FORM_FOUR_BYTES,
	JFR_FORM_EIGHT_BYTES,
	JFR_FORM_TEXT,
};

struct jfr_field {
	struct ingest_text name;
	uint64_t class_id;
	bool is_constant; /* the number of a constant stands for it */
	bool is_array;
};

struct jfr_class {
	uint64_t id;
	struct ingest_text name;
	enum jfr_form form;
	uint32_t field_first;
	uint32_t field_count;
};

struct jfr_metadata {
	const struct jfr_chunk *chunk; /* for messages */
	struct arena texts_utf8; /* texts that do not stand as UTF-8 */
	struct ingest_text *texts;
	uint32_t text_count;
	uint32_t text_capacity;
	struct jfr_class *classes;
	uint32_t class_count;
	uint32_t class_capacity;
	struct jfr_field *fields;
	uint32_t field_count;
	uint32_t field_capacity;
	struct index_map ids;
};

/* CHUNK outlives the result. On failure there is nothing to release. */
int jfr_metadata_init(
	struct jfr_metadata *metadata, const struct jfr_chunk *chunk, struct ingest_fault *fault);
void jfr_metadata_done(struct jfr_metadata *metadata);
/* The index of a class, or JFR_CLASS_NONE. */
uint32_t jfr_metadata_class(const struct jfr_metadata *metadata, uint64_t id);

static inline bool jfr_text_is(struct ingest_text text, const char *word)
{
	return text.length > 0 && strlen(word) == text.length &&
		memcmp(word, text.text, text.length) == 0;
}
