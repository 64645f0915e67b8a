/* SPDX-License-Identifier: Apache-2.0 */
/* Checks: the whole test framework.
 *
 * What it is   macros that print what was expected and end the test program with exit status 1.
 * Ownership    nothing is kept.
 * Threads      any; a failed check ends the process.
 * Errors       a failed check prints file, line and both values.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                          \
	do {                                                                                      \
		if (!(condition)) {                                                               \
			fprintf(stderr, "%s:%d: %s: expected %s\n", __FILE__, __LINE__, __func__, \
				#condition);                                                      \
			exit(1);                                                                  \
		}                                                                                 \
	} while (0)

#define CHECK_EQ(got, expected)                                                             \
	do {                                                                                \
		long long got_ = (long long)(got), expected_ = (long long)(expected);       \
		if (got_ != expected_) {                                                    \
			fprintf(stderr, "%s:%d: %s: %s is %lld, expected %lld\n", __FILE__, \
				__LINE__, __func__, #got, got_, expected_);                 \
			exit(1);                                                            \
		}                                                                           \
	} while (0)

#define CHECK_STR(got, expected)                                                                \
	do {                                                                                    \
		const char *got_ = (got), *expected_ = (expected);                              \
		if (!got_ || strcmp(got_, expected_) != 0) {                                    \
			fprintf(stderr, "%s:%d: %s: %s is \"%s\", expected \"%s\"\n", __FILE__, \
				__LINE__, __func__, #got, got_ ? got_ : "(null)", expected_);   \
			exit(1);                                                                \
		}                                                                               \
	} while (0)

/* Runs one test function and says that it passed. */
#define RUN(test)                         \
	do {                              \
		test();                   \
		printf("ok %s\n", #test); \
	} while (0)
