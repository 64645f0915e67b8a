/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8: where a byte string is text, and where it is not.
 *
 * What it is   thread names, file names and symbols may hold any byte; what we send as text may
 *              not.
 * Ownership    spans are borrowed.
 * Threads      any.
 * Errors       none: what is not UTF-8 is told apart, and written as U+FFFD.
 */
#pragma once

#include <stddef.h>

#include "store/base/bytes.h"

/* The bytes of the character at TEXT (1 to 4), or 0 if none of LENGTH bytes there begin one.
 * Surrogates, overlong forms and what lies above U+10FFFF are no characters. */
size_t utf8_character(const char *text, size_t length);

/* Writes TEXT with U+FFFD in place of each byte that belongs to no character. */
void utf8_write(struct bytes_writer *writer, const char *text, size_t length);
