/* SPDX-License-Identifier: Apache-2.0 */
/* Folder source: debug files and programs that people laid into folders of this machine.
 *
 * What it is   the symbol_source of the folders in --symbols-folder, looked through in their order.
 *              In each, for a GNU build-ID xxyyyy: `.build-id/xx/yyyy.debug` (the program:
 *              `.build-id/xx/yyyy`), as Debian and Fedora have it; then files called as the module
 *              is, `NAME.debug`, `NAME`, `NAME.dwp`; then the debug file that the program names
 *              (.gnu_debuglink), beside it and in `.debug/`; for the kernel and its modules what
 *              kernel_tree.h finds. A name from outside is taken only if it
 *              is one component that is no dots. Whether a file is the right one shows by the id
 *              inside, which its reader compares in the sandbox; a file that is named by a link
 *              counts by its CRC as well. If the first is not, the question skips it.
 * Ownership    see symbol_source.h.
 * Threads      any, several at a time.
 * Errors       see symbol_source.h.
 */
#pragma once

#include <stddef.h>

#include "symbolizer-server/symbol/kernel_tree.h"
#include "symbolizer-server/symbol/symbol_source.h"

#define SYMBOL_FOLDERS_MAX 16

/* FOLDERS are copied; they need not exist yet. -E2BIG: too many; -ENOMEM. */
int folder_source_new(const char *const *folders, size_t folder_count, kernel_identify_fn identify,
	void *context, struct symbol_source **ret_source);
