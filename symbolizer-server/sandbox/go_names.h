/* SPDX-License-Identifier: Apache-2.0 */
/* Go names: functions in the table that the Go runtime itself reads, which no strip takes away.
 *
 * What it is   .gopclntab in its four layouts: Go 1.2, 1.16, 1.18 and 1.20.
 * Ownership    the list is the caller's.
 * Threads      no shared state.
 * Errors       -ENOENT: no such table; -EBADMSG: damaged; -ENOTSUP: a layout that is not known;
 *              -ENOMEM; -E2BIG.
 */
#pragma once

#include "store/elf/elf_image.h"
#include "store/elf/elf_section.h"
#include "store/profile/string_table.h"
#include "symbolizer-server/sandbox/elf_symbols.h"
#include "symbolizer-server/sandbox/function_list.h"

/* A resolved list of functions that lie in CODE. */
int go_names_read(const struct image *image, const struct section_names *names,
	const struct code_ranges *code, struct string_table *strings,
	struct function_list *ret_list);
