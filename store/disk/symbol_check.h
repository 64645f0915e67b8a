/* SPDX-License-Identifier: Apache-2.0 */
/* Symbol check: is the file of the symbol cache whole?
 *
 * What it is   a walk over every record, and a try to take each out again that is then given up,
 *              for a cache that was not closed in order. LMDB has no page
 *              checksums, and a damaged map may kill the process that reads it.
 * Ownership    nothing is kept.
 * Threads      run it in a process that may die, before the cache is opened.
 * Errors       -EUCLEAN: damaged; and those of lmdb_env.h.
 */
#pragma once

int symbol_check(const char *folder);
