/* SPDX-License-Identifier: Apache-2.0 */
/* Source text: the text of source files, had from where their build's debug files come from.
 *
 * What it is   a bounded memory of texts, and of questions that had no answer, in front of whoever
 *              can be asked. A path is what a compiler wrote into a debug file: it names a file of
 *              the machine that built the program, never one of this machine.
 * Ownership    owns what it remembers; a text that was given belongs to the caller.
 * Threads      any. A question waits for its answer with no lock held; at most
 *              SOURCE_QUESTIONS_MAX are under way.
 * Errors       -ENOENT: nobody has it; -EINVAL: no such path can be asked for; -EBUSY: too many
 *              questions are under way; -EFBIG: longer than SOURCE_BYTES_MAX; -ETIMEDOUT and
 *              others: it could not be asked; -ENOMEM.
 */
#pragma once

#include <stddef.h>

#include "store/base/clock.h"
#include "store/profile/build_id.h"

/* The longest files that people wrote are some 200 KiB, those that programs wrote a few MiB. */
#define SOURCE_BYTES_MAX ((size_t)4 << 20)
#define SOURCE_PATH_BYTES_MAX 4096
/* Each takes a worker of the HTTP server for some seconds at worst. */
#define SOURCE_QUESTIONS_MAX 2
/* Remembered at a time. */
#define SOURCE_TEXTS_MAX 64
#define SOURCE_TEXTS_BYTES_MAX ((size_t)16 << 20)
/* A person who looks again has perhaps mended it. */
#define SOURCE_RETRY_NS (UINT64_C(60) * NS_PER_S)

struct source_texts;

/* Who has the texts. The result is malloc'ed. */
typedef int (*source_fetch_fn)(void *context, const struct build_id *id, const char *path,
	char **ret_text, size_t *ret_byte_count);

int source_texts_new(
	source_fetch_fn fetch, void *context, struct clock clock, struct source_texts **ret_texts);
/* Accepts NULL. */
void source_texts_free(struct source_texts *texts);
/* The text of the file at PATH of the build ID; the result is malloc'ed. */
int source_texts_get(struct source_texts *texts, const struct build_id *id, const char *path,
	char **ret_text, size_t *ret_byte_count);
