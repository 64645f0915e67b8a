/* SPDX-License-Identifier: Apache-2.0 */
/* Output: texts and numbers as a person reads them in a terminal.
 *
 * What it is   names come from anywhere, so whatever a terminal would obey is made visible; amounts
 *              get the unit in which they are short.
 * Ownership    the caller's buffers.
 * Threads      one.
 * Errors       none; whether everything was written shows when standard output is closed.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define AMOUNT_BYTES_MAX 32

/* Prints TEXT with \xHH in place of control characters. */
void output_text(FILE *out, const char *text);
/* The same for the first LENGTH bytes. */
void output_bytes(FILE *out, const char *text, size_t length);
/* How many columns these take; each character counts as one. */
size_t output_columns(const char *text, size_t length);
/* The columns of the terminal that standard output is; 0 if it is none or does not tell. */
size_t output_terminal_columns(void);
/* `12.3 s`, `4.5 MiB`, `1234`; UNIT is `nanoseconds`, `bytes` or anything else. */
void output_amount(double value, const char *unit, char ret_text[AMOUNT_BYTES_MAX]);
/* How long before NOW_NS a time was: `3 s ago`, `2 h ago`. */
void output_age(uint64_t then_ns, uint64_t now_ns, char ret_text[AMOUNT_BYTES_MAX]);
