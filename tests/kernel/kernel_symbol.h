/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel symbol: what the running kernel calls an address.
 *
 * What it is   /proc/kallsyms, read at the first question, sorted by address.
 * Ownership    kept until the process ends.
 * Threads      one.
 * Errors       an unreadable file fails the test.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Whether any symbol that covers ADDRESS begins with PREFIX. */
bool kernel_symbol_starts_with(uint64_t address, const char *prefix);
