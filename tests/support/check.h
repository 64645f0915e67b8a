/* SPDX-License-Identifier: Apache-2.0 */
/* Checks: the whole test framework.
 *
 * What it is   macros that print what was expected and end the test program with exit status 1.
 *              They are expressions: a check nests no deeper than the line it stands on.
 * Ownership    nothing is kept.
 * Threads      any; a failed check ends the process.
 * Errors       a failed check prints file, line and both values.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct check_place {
	const char *file, *function, *what;
	int line;
};

#define CHECK_PLACE(text) ((struct check_place){__FILE__, __func__, (text), __LINE__})

#define CHECK(condition) ((condition) ? (void)0 : check_failed(CHECK_PLACE(#condition)))

#define CHECK_EQ(got, expected) \
	check_equal((long long)(got), (long long)(expected), CHECK_PLACE(#got))

#define CHECK_STR(got, expected) check_same_text((got), (expected), CHECK_PLACE(#got))

__attribute__((noreturn)) static inline void check_failed(struct check_place place)
{
	fprintf(stderr, "%s:%d: %s: expected %s\n", place.file, place.line, place.function,
		place.what);
	exit(1);
}

static inline void check_equal(long long got, long long expected, struct check_place place)
{
	if (got == expected)
		return;
	fprintf(stderr, "%s:%d: %s: %s is %lld, expected %lld\n", place.file, place.line,
		place.function, place.what, got, expected);
	exit(1);
}

static inline void check_same_text(const char *got, const char *expected, struct check_place place)
{
	if (got && strcmp(got, expected) == 0)
		return;
	fprintf(stderr, "%s:%d: %s: %s is \"%s\", expected \"%s\"\n", place.file, place.line,
		place.function, place.what, got ? got : "(null)", expected);
	exit(1);
}

/* Runs one test function and says that it passed. */
#define RUN(test)                         \
	do {                              \
		test();                   \
		printf("ok %s\n", #test); \
	} while (0)
