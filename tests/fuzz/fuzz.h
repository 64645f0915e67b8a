/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz: what every fuzz target is.
 *
 * What it is   one function that takes any bytes; a broken property ends the program.
 * Ownership    the bytes are borrowed.
 * Threads      one.
 * Errors       must() of store/base.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Its name is libFuzzer's. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t byte_count);
