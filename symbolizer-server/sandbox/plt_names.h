/* SPDX-License-Identifier: Apache-2.0 */
/* PLT names: the stubs through which a file calls what others export, `memcpy@plt`.
 *
 * What it is   entries of .plt, .plt.sec and .plt.got, named by the symbol of the slot that each
 *              jumps through (x86-64), or by their order, which is that of the relocations, where
 *              their code was left out or is another machine's.
 * Ownership    the list is the caller's.
 * Threads      no shared state.
 * Errors       -ENOENT: no such table; -EBADMSG: damaged; -ENOMEM; -E2BIG.
 */
#pragma once

#include "store/elf/elf_image.h"
#include "store/elf/elf_section.h"
#include "store/profile/string_table.h"
#include "symbolizer-server/sandbox/function_list.h"

/* A resolved list. */
int plt_names_read(const struct image *image, const struct section_names *names,
	struct string_table *strings, struct function_list *ret_list);
