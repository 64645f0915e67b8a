/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/fail_alloc.h"

#include <stddef.h>

void *__real_malloc(size_t byte_count);
void *__real_calloc(size_t count, size_t byte_count);
void *__real_realloc(void *pointer, size_t byte_count);
void *__wrap_malloc(size_t byte_count);
void *__wrap_calloc(size_t count, size_t byte_count);
void *__wrap_realloc(void *pointer, size_t byte_count);

static uint64_t left = UINT64_MAX;
static bool failed;

void fail_alloc_after(uint64_t count)
{
	left = count;
	failed = false;
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
