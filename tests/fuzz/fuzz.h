/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz: what every fuzz target is.
 *
 * What it is   one function that takes any bytes; a broken property ends the program.
 * Ownership    the bytes are borrowed, and lie in memory of exactly their number, so that a read
 *              past their end is seen.
 * Threads      one.
 * Errors       must() of store/base.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Each target defines it. */
void fuzz_one(const uint8_t *bytes, size_t byte_count);

/* What libFuzzer and the replay call; its name is libFuzzer's. An input that starts with `hex` and
 * a newline is hexadecimal text of the bytes meant, blanks between them: so binary inputs can be
 * kept as text. Any other input stands for itself. */
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t input_count);
