/* SPDX-License-Identifier: Apache-2.0 */
/* Base64: bytes that came in a text.
 *
 * What it is   the way back from RFC 4648's two alphabets, padded or not, as protobuf's JSON has it.
 * Ownership    the result goes to the caller's writer.
 * Threads      any.
 * Errors       -EBADMSG: not base64; those of the writer.
 */
#pragma once

#include "store/base/bytes.h"

int base64_read(struct bytes_writer *writer, const char *text, size_t length);
