/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/route.h"

#include <stdio.h>
#include <string.h>

#include "symbolizer-server/http/route_asset.h"

static const struct route {
	const char *path;
	http_handle_fn handle;
	bool takes_time;
} routes[] = {
#define HTTP_ROUTE_ROW(path, handler, takes_time) {path, handler, takes_time},
	HTTP_ROUTES(HTTP_ROUTE_ROW)
#undef HTTP_ROUTE_ROW
};

#define ROUTE_COUNT (sizeof(routes) / sizeof(routes[0]))

static const char methods[] = "GET, HEAD, OPTIONS";

static const struct route *find_route(const char *path)
{
	for (size_t i = 0; i < ROUTE_COUNT; i++) {
		if (strcmp(routes[i].path, path) == 0)
			return &routes[i];
	}
	return NULL;
}

static void answer_unknown_path(const struct http_request *request, struct http_answer *answer)
{
	char paths[768] = "";
	size_t length = 0;

	for (size_t i = 0; i < ROUTE_COUNT; i++) {
		int added =
			snprintf(paths + length, sizeof(paths) - length, ", %s", routes[i].path);

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

/* Whether the page or a file of it is at this path. */
static bool is_of_page(const struct site *site, const struct http_request *request)
{
	struct http_answer unsent;
	bool found;

	http_answer_init(&unsent);
	found = route_asset(site, request, &unsent);
	http_answer_done(&unsent);
	return found;
}

http_handle_fn http_route_plan(
	void *context, const struct http_request *request, struct http_answer *answer)
{
	struct site *site = context;
	const struct route *route = find_route(request->path);
	bool reads = strcmp(request->method, "GET") == 0 || strcmp(request->method, "HEAD") == 0;

	if (refuse(site, request, answer))
		return NULL;
	if (!route && reads && route_asset(site, request, answer))
		return NULL;
	if (!route && (reads || !is_of_page(site, request))) {
		answer_unknown_path(request, answer);
		return NULL;
	}
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
