/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/service/grpc_service.h"

#include <errno.h>
#include <stdlib.h>

#include "proto/rpc/rpc_server.h"
#include "symbolizer-server/guard/label_guard.h"
#include "symbolizer-server/service/client_service.h"
#include "symbolizer-server/service/ingest_service.h"
#include "symbolizer-server/service/service_counter.h"
#include "symbolizer-server/service/service_parts.h"
#include "symbolizer-server/service/symbols_service.h"

#define METHOD_COUNT 5
/* What OpenTelemetry's profilers send at most; a collector's batches are far below. */
#define MESSAGE_BYTES_MAX ((size_t)32 << 20)

#define CONNECTION_ROW(name, meaning) {"grpc_" #name, meaning, 0},

struct grpc_service {
	struct service_counts counts;
	struct service_parts parts;
	struct rpc_method methods[METHOD_COUNT];
	struct rpc_server *rpc;
};

int grpc_service_new(const struct grpc_service_options *options, struct grpc_service **ret_service)
{
	struct grpc_service *service = calloc(1, sizeof(*service));
	struct rpc_server_options rpc = {
		.address = options->address,
		.message_bytes_max = MESSAGE_BYTES_MAX,
		.connection_count_max = options->connection_count_max,
	};
	int r;

	if (!service)
		return -ENOMEM;
	service->parts = (struct service_parts){
		.store = options->store,
		.symbolizer = options->symbolizer,
		.hosts = options->hosts,
		.desk = options->desk,
		.guard = options->guard,
		.clock = options->clock,
		.insecure_uploads = options->insecure_uploads,
		.counts = &service->counts,
	};
	service->methods[0] = ingest_service_method(&service->parts);
	service->methods[1] = symbols_service_want_method(&service->parts);
	service->methods[2] = symbols_service_upload_method(&service->parts);
	/* What collectors and the server say to each other is for the address that was chosen for it. */
	for (int i = 0; i < 3; i++)
		service->methods[i].own_port_only = true;
	service->methods[3] = client_service_export_method(&service->parts);
	service->methods[4] = client_service_push_method(&service->parts);
	rpc.method_count = options->desk ? METHOD_COUNT : METHOD_COUNT - 2;
	rpc.methods = service->methods;
	r = rpc_server_new(&rpc, &service->rpc);
	if (r < 0) {
		free(service);
		return r;
	}
	*ret_service = service;
	return 0;
}

uint16_t grpc_service_port(const struct grpc_service *service)
{
	return rpc_server_port(service->rpc);
}

int grpc_service_adopt(struct grpc_service *service, int fd, const struct peer *peer)
{
	return rpc_server_adopt(service->rpc, fd, peer);
}

int grpc_service_stop(struct grpc_service *service, uint64_t timeout_ns)
{
	return rpc_server_stop(service->rpc, timeout_ns);
}

void grpc_service_free(struct grpc_service *service)
{
	if (!service)
		return;
	rpc_server_free(service->rpc);
	free(service);
}

static void visit_connections(struct grpc_service *service, counted_fn visit, void *context)
{
	static const struct counted rows[] = {ACCEPTOR_COUNTERS(CONNECTION_ROW)};
	uint64_t counts[ACCEPTOR_COUNTER_COUNT];

	rpc_server_read_connections(service->rpc, counts);
	counted_visit(rows, counts, ACCEPTOR_COUNTER_COUNT, visit, context);
}

static void visit_guard(struct grpc_service *service, counted_fn visit, void *context)
{
	static const struct counted rows[] = {LABEL_GUARD_COUNTERS(COUNTED_ROW)};
	uint64_t counts[LABEL_GUARD_COUNTER_COUNT];

	if (!service->parts.guard)
		return;
	label_guard_read(service->parts.guard, counts);
	counted_visit(rows, counts, LABEL_GUARD_COUNTER_COUNT, visit, context);
}

static void visit_rpc(struct grpc_service *service, counted_fn visit, void *context)
{
	struct rpc_server_counts counts;

	rpc_server_read_counts(service->rpc, &counts);
#define RPC_COUNTER_VISIT(name, meaning) \
	visit(context, &(struct counted){"grpc_" #name, meaning, counts.name});
	RPC_SERVER_COUNTERS(RPC_COUNTER_VISIT)
#undef RPC_COUNTER_VISIT
}

void grpc_service_visit_counters(struct grpc_service *service, counted_fn visit, void *context)
{
	static const struct counted rows[] = {SERVICE_COUNTERS(COUNTED_ROW)};
	uint64_t values[SERVICE_COUNTER_COUNT];

	visit_connections(service, visit, context);
	visit_rpc(service, visit, context);
	for (enum service_counter i = 0; i < SERVICE_COUNTER_COUNT; i++)
		values[i] = atomic_load(&service->counts.values[i]);
	counted_visit(rows, values, SERVICE_COUNTER_COUNT, visit, context);
	visit_guard(service, visit, context);
}
