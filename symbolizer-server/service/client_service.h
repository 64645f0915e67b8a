/* SPDX-License-Identifier: Apache-2.0 */
/* Client service: profiles that other systems' clients send by gRPC.
 *
 * What it is   two unary methods: OpenTelemetry's ProfilesService/Export and Pyroscope's
 *              push.v1.PusherService/Push. A call is answered once what could be read of it is
 *              durable.
 * Ownership    borrows the parts of the server.
 * Threads      those of the RPC server, and the store's for the answer.
 * Errors       as statuses of gRPC, with a sentence that says what to mend.
 */
#pragma once

#include "symbolizer-server/service/service_parts.h"

struct rpc_method client_service_export_method(struct service_parts *parts);
struct rpc_method client_service_push_method(struct service_parts *parts);
