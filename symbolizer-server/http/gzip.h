/* SPDX-License-Identifier: Apache-2.0 */
/* Gzip: answers made smaller on their way.
 *
 * What it is   one-shot gzip at zlib's fastest level: 200 kB of JSON take about a millisecond.
 * Ownership    the result goes into the caller's writer.
 * Threads      any.
 * Errors       -ENOMEM; -EFBIG: the writer's limit.
 */
#pragma once

#include <stddef.h>

#include "store/base/bytes.h"

int gzip_write(struct bytes_writer *writer, const void *bytes, size_t byte_count);
