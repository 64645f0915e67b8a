/* SPDX-License-Identifier: Apache-2.0 */
/* Hello message: struct wire_hello <-> cairn.v1.Hello, for every stream that begins with one.
 *
 * What it is   the two conversions.
 * Ownership    a filled message borrows from the hello, a hello that was read from the message.
 * Threads      no shared state.
 * Errors       -EBADMSG: a field out of bounds.
 */
#pragma once

#include "cairn/v1/ingest.pb-c.h"
#include "proto/wire/ingest_wire.h"

void hello_message_fill(const struct wire_hello *hello, Cairn__V1__Hello *ret_message);
int hello_message_read(const Cairn__V1__Hello *message, struct wire_hello *ret_hello);
