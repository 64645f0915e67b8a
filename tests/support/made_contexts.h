/* SPDX-License-Identifier: Apache-2.0 */
/* Made contexts: the labels part of a Java agent's upload, by hand.
 *
 * What it is   context 9 has endpoint=/heavy and vehicle=car, context 10 nothing; context 11 names a
 *              text that is not there.
 * Ownership    the text is the caller's.
 * Threads      one.
 * Errors       a failed check ends the program.
 */
#pragma once

#include "tests/support/proto_text.h"

static inline void made_contexts_text(struct proto_text *text, uint64_t id, const char *words)
{
	struct proto_text entry = {.length = 0};

	proto_number(&entry, 1, id);
	proto_string(&entry, 2, words);
	proto_inner(text, 2, &entry);
}

/* A context with one label after the other, ended by key 0. */
static inline void made_contexts_context(
	struct proto_text *text, uint64_t id, const uint64_t (*labels)[2])
{
	struct proto_text entry = {.length = 0}, context = {.length = 0};

	for (; (*labels)[0] != 0; labels++)
		PROTO_ROW(&context, 1, {1, (*labels)[0]}, {2, (*labels)[1]});
	proto_number(&entry, 1, id);
	proto_inner(&entry, 2, &context);
	proto_inner(text, 1, &entry);
}

static inline void made_contexts(struct proto_text *text)
{
	text->length = 0;
	made_contexts_context(text, 9, (const uint64_t[][2]){{1, 2}, {4, 5}, {0, 0}});
	made_contexts_context(text, 10, (const uint64_t[][2]){{0, 0}});
	made_contexts_context(text, 11, (const uint64_t[][2]){{1, 77}, {4, 5}, {0, 0}});
	made_contexts_text(text, 1, "endpoint");
	made_contexts_text(text, 2, "/heavy");
	made_contexts_text(text, 4, "vehicle");
	made_contexts_text(text, 5, "car");
}
