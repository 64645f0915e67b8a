/* SPDX-License-Identifier: Apache-2.0 */
/* Symbols service: cairn.v1.Symbols, Want and Upload.
 *
 * What it is   hands the symbolizer's wants to the collectors whose turn it is, and their files and
 *              refusals to the symbolizer. Takes them from loopback only unless told otherwise.
 * Ownership    borrows its parts.
 * Threads      those of the RPC server; the symbolizer's for waking a stream.
 * Errors       none leave it: a client's fault ends its stream, with a reason.
 */
#pragma once

#include "proto/rpc/rpc_server.h"
#include "symbolizer-server/service/service_parts.h"

/* PARTS, with a symbolizer, lives as long as the RPC server that gets the methods. */
struct rpc_method symbols_service_want_method(struct service_parts *parts);
struct rpc_method symbols_service_upload_method(struct service_parts *parts);
