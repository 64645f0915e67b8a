/* SPDX-License-Identifier: Apache-2.0 */
/* Route: which path is answered by what.
 *
 * What it is   one list of paths, from which the table and the declarations of the handlers are
 *              made; the guard in front of it; and the answers to paths and methods that are not in
 *              it. Handlers stand in route_tree.c (flame graphs, tables, exports),
 *              route_comparison.c (two sides), route_series.c (values over time), route_listing.c
 *              (what exists in a range), route_symbols.c (what has no name), route_source.c (source
 *              text), route_module.c (files of symbols) and route_status.c (how the server and its
 *              hosts are).
 * Ownership    everything is static.
 * Threads      any.
 * Errors       answered: 403, 404, 405.
 */
#pragma once

#include <stdbool.h>

#include "symbolizer-server/http/http_server.h"
#include "symbolizer-server/http/site.h"

/* X(path, handler, whether it takes time: reads profiles, and is answered by a worker). A path that
 * ends in a slash stands for all below it. Every route takes GET, HEAD and OPTIONS. docs/api.md
 * has the parameters and the answer of each. */
#define HTTP_ROUTES(X)                                                   \
	X("/api/v1/flame", route_flame, true)                            \
	X("/api/v1/top", route_top, true)                                \
	X("/api/v1/diff", route_diff, true)                              \
	X("/api/v1/series", route_series, true)                          \
	X("/api/v1/heatmap", route_heatmap, true)                        \
	X("/api/v1/progress", route_progress, false)                     \
	X("/api/v1/execs", route_execs, true)                            \
	X("/api/v1/export", route_export, true)                          \
	X("/api/v1/hosts", route_hosts, true)                            \
	X("/api/v1/processes", route_processes, true)                    \
	X("/api/v1/types", route_types, true)                            \
	X("/api/v1/labels", route_labels, true)                          \
	X("/api/v1/status", route_status, true)                          \
	X("/api/v1/symbols", route_symbols, true)                        \
	X("/api/v1/source", route_source, true)                          \
	X("/api/v1/symbols/", route_module, true)                        \
	X("/buildid/", route_buildid, true)                              \
	X("/pyroscope/render", route_render, true)                       \
	X("/pyroscope/render-diff", route_render_diff, true)             \
	X("/pyroscope/labels", route_pyroscope_labels, true)             \
	X("/pyroscope/label-values", route_pyroscope_label_values, true) \
	X("/metrics", route_metrics, true)                               \
	X("/api/v1/status/buildinfo", route_buildinfo, false)            \
	X("/healthz", route_healthz, false)                              \
	X("/ready", route_readyz, false)                                 \
	X("/readyz", route_readyz, false)

/* X(path, method, receiver, whether only this machine may send it unless --insecure-uploads): paths
 * that take a body. Some of them are also read: those stand in the list above, too. */
#define HTTP_INTAKES(X)                                                                           \
	X("/api/v1/symbols/", "PUT", route_module_receiver, true)                                 \
	X("/ingest", "POST", route_ingest_receiver, false)                                        \
	X("/pyroscope/ingest", "POST", route_ingest_receiver, false)                              \
	X("/push.v1.PusherService/Push", "POST", route_push_receiver, false)                      \
	X("/v1development/profiles", "POST", route_otlp_receiver, false)                          \
	X("/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export", "POST", \
		route_otlp_receiver, false)                                                       \
	X("/querier.v1.QuerierService/", "POST", route_querier_receiver, false)                   \
	X("/settings.v1.SettingsService/", "POST", route_querier_receiver, false)

/* Each is a http_handle_fn whose context is a struct site. */
#define HTTP_ROUTE_HANDLER(path, handler, takes_time) \
	void handler(void *site, const struct http_request *request, struct http_answer *answer);
HTTP_ROUTES(HTTP_ROUTE_HANDLER)
#undef HTTP_ROUTE_HANDLER

#define HTTP_INTAKE_RECEIVER(path, method, receiver, is_file) \
	extern const struct http_receiver receiver;
HTTP_INTAKES(HTTP_INTAKE_RECEIVER)
#undef HTTP_INTAKE_RECEIVER

/* A http_receive_fn whose context is a struct site. */
bool http_route_receive(void *context, const struct http_request *request,
	struct http_answer *answer, const struct http_receiver **ret_receiver);
/* A http_plan_fn whose context is a struct site. */
http_handle_fn http_route_plan(
	void *context, const struct http_request *request, struct http_answer *answer);
