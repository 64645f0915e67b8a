/* SPDX-License-Identifier: Apache-2.0 */
/* Build-ID: the name by which all programs know a binary.
 *
 * What it is   1 to 64 bytes and the kind of their origin, held by value. Kinds never meet: equal
 *              bytes of different kinds are different ids.
 * Ownership    no function here allocates; a struct build_id is copied freely.
 * Threads      no shared state.
 * Errors       0, or a negative errno; outputs are written on success only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* GNU ld writes 20 bytes, lld up to 32, --build-id=0x... any number; of a longer one (Go's text
 * ids) its reader keeps a hash. */
#define BUILD_ID_BYTES_MAX 64
/* Longest text: prefix, two characters a byte, NUL. */
#define BUILD_ID_TEXT_MAX (4 + 2 * BUILD_ID_BYTES_MAX + 1)

/* Values are stored and sent: never renumber. */
enum build_id_kind {
	BUILD_ID_NONE = 0,
	BUILD_ID_GNU = 1, /* NT_GNU_BUILD_ID */
	BUILD_ID_GO = 2, /* Go's own id */
	BUILD_ID_HTL = 3, /* hash of head, tail and length of the file */
};

struct build_id {
	uint8_t bytes[BUILD_ID_BYTES_MAX];
	uint8_t byte_count; /* 0 means unknown */
	uint8_t kind; /* enum build_id_kind */
};

/* -EINVAL: no bytes or an unknown kind.  -E2BIG: too long. */
int build_id_make(
	enum build_id_kind kind, const void *bytes, size_t byte_count, struct build_id *ret_id);
bool build_id_known(const struct build_id *id);
bool build_id_equal(const struct build_id *one, const struct build_id *other);
/* Any order that is the same everywhere. */
int build_id_compare(const struct build_id *one, const struct build_id *other);
/* For tables in memory only, as hash_key. */
uint64_t build_id_hash(const struct build_id *id);

/* Text for people and URLs: bare lower-case hexadecimal for GNU, `go-` or `htl-` before other
 * kinds; empty for an unknown id. RET_TEXT holds BUILD_ID_TEXT_MAX characters. */
void build_id_format(const struct build_id *id, char *ret_text);
/* The way back. -EINVAL: empty, odd length or not lower-case hexadecimal.  -E2BIG: too long. */
int build_id_parse(const char *text, size_t text_length, struct build_id *ret_id);
