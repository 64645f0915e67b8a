/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/fail_alloc.h"

#include <stddef.h>

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's --wrap gives these names. */
void *__real_malloc(size_t byte_count);
void *__real_calloc(size_t count, size_t byte_count);
void *__real_realloc(void *pointer, size_t byte_count);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t byte_count);
void *__wrap_calloc(size_t count, size_t byte_count);
void *__wrap_realloc(void *pointer, size_t byte_count);
char *__wrap_strdup(const char *text);
/* NOLINTEND(bugprone-reserved-identifier) */

static _Thread_local uint64_t left = UINT64_MAX;
static _Thread_local bool only_one;
static _Thread_local bool failed;

static void arm(uint64_t count, bool one)
{
	left = count;
	only_one = one;
	failed = false;
}

void fail_alloc_after(uint64_t count)
{
	arm(count, false);
}

void fail_alloc_once(uint64_t count)
{
	arm(count, true);
}

bool fail_alloc_never(void)
{
	left = UINT64_MAX;
	return failed;
}

static bool fails(void)
{
	if (left == UINT64_MAX)
		return false;
	if (left > 0) {
		left--;
		return false;
	}
	failed = true;
	if (only_one)
		left = UINT64_MAX;
	return true;
}

void *__wrap_malloc(size_t byte_count)
{
	return fails() ? NULL : __real_malloc(byte_count);
}

void *__wrap_calloc(size_t count, size_t byte_count)
{
	return fails() ? NULL : __real_calloc(count, byte_count);
}

void *__wrap_realloc(void *pointer, size_t byte_count)
{
	return fails() ? NULL : __real_realloc(pointer, byte_count);
}

char *__wrap_strdup(const char *text)
{
	return fails() ? NULL : __real_strdup(text);
}
