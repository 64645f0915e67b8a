/* SPDX-License-Identifier: Apache-2.0 */
/* debuginfod JSON: the servers that are asked for files, and how each of them does.
 *
 * What it is   a part of the status page's answer. Credentials of an address are never in it.
 * Ownership    writer and servers are the caller's.
 * Threads      any.
 * Errors       the writer's.
 */
#pragma once

#include "store/base/json_writer.h"

struct debuginfod_servers;

/* An array, an element a server in their order. SERVERS may be NULL: none is set. */
void debuginfod_json_write(struct json_writer *json, struct debuginfod_servers *servers);
