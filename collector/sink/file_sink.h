/* SPDX-License-Identifier: Apache-2.0 */
/* File sink: windows to a file, for one host without a server and for tests.
 *
 * What it is   a sink that appends each batch as the message that would go to the server: a varint
 *              with the number of its bytes, then a cairn.v1.PushRequest, as protobuf's own tools
 *              write and read streams of messages.
 * Ownership    owns its file.
 * Threads      as sink.h says; it has none of its own, send writes.
 * Errors       0, or a negative errno. After a failed write the file ends with the last whole
 *              message, and later windows are dropped and counted.
 */
#pragma once

#include <stdint.h>

#include "collector/sink/sink.h"

#define FILE_SINK_INSTANCE_BYTES 16

/* Makes PATH, or empties it. INSTANCE: random, new for each process. -EACCES, -ENOENT, ...: it
 * cannot be written. */
int file_sink_new(const char *path, const uint8_t *instance, struct sink **ret_sink);
