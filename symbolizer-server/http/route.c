/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/route.h"

#include <stdio.h>
#include <string.h>

#include "symbolizer-server/http/route_asset.h"
#include "symbolizer-server/http/route_list.h"
#include "symbolizer-server/http/route_status.h"
#include "symbolizer-server/http/route_tree.h"

const struct http_route http_routes[] = {
	{"/api/v1/flame", route_flame, true, "a flame graph: columns for the page, or JSON"},
	{"/api/v1/top", route_top, true, "functions with their own and their whole value"},
	{"/api/v1/export", route_export, true, "stacks as text: format=folded"},
	{"/api/v1/hosts", route_hosts, true, "hosts in a range"},
	{"/api/v1/processes", route_processes, true, "processes in a range"},
	{"/api/v1/types", route_types, true, "profile types that have samples in a range"},
	{"/api/v1/labels", route_labels, true, "label names in a range; with name=, values"},
	{"/api/v1/status", route_status, true, "every counter and what it means"},
	{"/pyroscope/render", route_render, true, "a flame graph as Pyroscope answers it"},
	{"/metrics", route_metrics, true, "the counters for Prometheus"},
	{"/healthz", route_healthz, false, "200 as long as the program runs"},
	{"/readyz", route_readyz, false, "200 once queries can be answered"},
	{0},
};

static const char methods[] = "GET, HEAD, OPTIONS";

static const struct http_route *find_route(const char *path)
{
	for (const struct http_route *route = http_routes; route->path; route++) {
		if (strcmp(route->path, path) == 0)
			return route;
	}
	return NULL;
}

static void answer_unknown_path(const struct http_request *request, struct http_answer *answer)
{
	char paths[768] = "";
	size_t length = 0;

	for (const struct http_route *route = http_routes; route->path; route++) {
		int added = snprintf(paths + length, sizeof(paths) - length, ", %s", route->path);

		if (added < 0 || (size_t)added >= sizeof(paths) - length)
			break;
		length += (size_t)added;
	}
	http_answer_error(answer, 404, "nothing is at %.200s; there are /%s", request->path, paths);
}

static bool refuse(
	struct site *site, const struct http_request *request, struct http_answer *answer)
{
	switch (http_guard_judge(&site->guard, request)) {
	case HTTP_GUARD_PASS:
		return false;
	case HTTP_GUARD_NO_HOST:
		http_answer_error(answer, 400, "a request must have exactly one Host header");
		return true;
	case HTTP_GUARD_FOREIGN_HOST:
		http_count(site->counters, HTTP_COUNTER_FOREIGN_HOSTS, 1);
		http_answer_error(answer, 403,
			"this server does not answer to the name %.100s: use the address it "
			"listens "
			"on, or start it with --allowed-host NAME",
			request->host);
		return true;
	case HTTP_GUARD_FOREIGN_ORIGIN:
		http_count(site->counters, HTTP_COUNTER_FOREIGN_ORIGINS, 1);
		http_answer_error(answer, 403,
			"a page of %.100s may change nothing here: do it from the page of this "
			"server, or with a program that sends no Origin",
			request->origin);
		return true;
	}
	return false;
}

static void answer_options(struct http_answer *answer)
{
	http_answer_begin(answer, 204, "text/plain");
	memcpy(answer->allow, methods, sizeof(methods));
}

static void answer_wrong_method(const struct http_request *request, struct http_answer *answer)
{
	http_answer_error(
		answer, 405, "%.100s takes %s, not %.20s", request->path, methods, request->method);
	memcpy(answer->allow, methods, sizeof(methods));
}

http_handle_fn http_route_plan(
	void *context, const struct http_request *request, struct http_answer *answer)
{
	struct site *site = context;
	const struct http_route *route = find_route(request->path);
	bool reads = strcmp(request->method, "GET") == 0 || strcmp(request->method, "HEAD") == 0;

	if (refuse(site, request, answer))
		return NULL;
	if (!route && (!reads || !route_asset(site, request, answer))) {
		answer_unknown_path(request, answer);
		return NULL;
	}
	if (!route)
		return NULL;
	if (strcmp(request->method, "OPTIONS") == 0) {
		answer_options(answer);
		return NULL;
	}
	if (!reads) {
		answer_wrong_method(request, answer);
		return NULL;
	}
	if (route->takes_time)
		return route->handle;
	route->handle(site, request, answer);
	return NULL;
}
