/* SPDX-License-Identifier: Apache-2.0 */
/* Assertions that stay on in every build.
 *
 * What it is   must(condition) states what only a bug can break; a broken one ends the program at
 *              once.
 * Ownership    nothing is kept.
 * Threads      any.
 * Errors       prints the broken condition and aborts. Never used on bytes from a file, the net,
 *              the kernel or a user: those are checked and refused.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#define must(condition)                                                                         \
	do {                                                                                    \
		if (__builtin_expect(!(condition), 0)) {                                        \
			fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition); \
			abort();                                                                \
		}                                                                               \
	} while (0)
