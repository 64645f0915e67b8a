/* SPDX-License-Identifier: Apache-2.0 */
/* debuginfod source: debug files and executables from debuginfod servers, through libdebuginfod.
 *
 * What it is   the symbol_source of the servers in --debuginfod-urls: one client a worker, files
 *              kept only until they were read. "Not found" is remembered by the symbolizer, not by
 *              the library, whose memory also holds what was merely given up.
 * Ownership    see symbol_source.h.
 * Threads      debuginfod_source_new sets environment variables, which the library reads: call it
 *              before the program has a second thread.
 * Errors       see symbol_source.h.
 */
#pragma once

#include "symbolizer-server/symbol/symbol_source.h"

/* URLS separated by spaces; FOLDER must exist and is the library's alone. */
int debuginfod_source_new(const char *urls, const char *folder, struct symbol_source **ret_source);
