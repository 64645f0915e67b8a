/* SPDX-License-Identifier: Apache-2.0 */
/* debuginfod source: debug files and executables from debuginfod servers.
 *
 * What it is   the symbol_source of the servers in --debuginfod-urls, which are asked one after the
 *              other in their order until one has the file. What a server does not have it is not
 *              asked for again while that holds, whatever the others do. A file has no name here and
 *              is gone once it was released.
 * Ownership    see symbol_source.h; servers, folder and misses are the caller's and outlive it.
 * Threads      see symbol_source.h.
 * Errors       see symbol_source.h.
 */
#pragma once

#include "store/base/clock.h"
#include "store/disk/symbol_misses.h"
#include "symbolizer-server/symbol/debuginfod_servers.h"
#include "symbolizer-server/symbol/symbol_source.h"

struct debuginfod_source_options {
	struct debuginfod_servers *servers;
	int folder_fd; /* where files without a name are made */
	struct symbol_misses *misses;
	struct clock clock;
};

int debuginfod_source_new(
	const struct debuginfod_source_options *options, struct symbol_source **ret_source);
