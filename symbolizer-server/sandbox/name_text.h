/* SPDX-License-Identifier: Apache-2.0 */
/* Name text: foreign bytes made into text that every later stage can show.
 *
 * What it is   the one rule for names: valid UTF-8 without control characters.
 * Ownership    the caller's buffer.
 * Threads      no shared state.
 * Errors       none: what breaks the rule becomes `?`, byte by byte, so the length stays.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

bool name_text_clean(const char *text, size_t byte_count);
void name_text_mend(char *text, size_t byte_count);
/* The longest part of at most BYTES_MAX bytes that does not end within a character of a clean
 * text. */
size_t name_text_cut(const char *text, size_t byte_count, size_t bytes_max);
