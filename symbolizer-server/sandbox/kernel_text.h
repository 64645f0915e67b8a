/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel text: functions of the kernel or of one of its modules, from a list of their starts.
 *
 * What it is   reads lines `hex-offset name`, offsets relative to _text (or to a module's .text),
 *              in any order. The list knows no ends: a function reaches to the next start, but no
 *              further than any function does, so that what lies behind a gap stays unnamed.
 * Ownership    lists and tables are the caller's.
 * Threads      no shared state.
 * Errors       -ENODATA: all offsets are zero (kernel.kptr_restrict); -EBADMSG: no such list;
 *              -ENOMEM; -E2BIG.
 */
#pragma once

#include <stddef.h>

#include "store/profile/string_table.h"
#include "symbolizer-server/sandbox/function_list.h"

/* The largest functions of Linux are its interpreters and verifiers, some 30 KiB. */
#define KERNEL_FUNCTION_BYTES_MAX (64u << 10)

/* A resolved list. Lines of another form (a module's name behind a tab, no name) are left out. */
int kernel_text_read(const char *text, size_t byte_count, struct string_table *strings,
	struct function_list *ret_list);
