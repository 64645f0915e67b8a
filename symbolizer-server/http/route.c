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
static const char upload_methods[] = "GET, HEAD, PUT, OPTIONS";

static bool takes_upload(const struct route *route)
{
	return route && route->handle == route_module;
}

static bool fits(const struct route *route, const char *path)
{
	size_t length = strlen(route->path);

	if (route->path[length - 1] == '/')
		return strncmp(route->path, path, length) == 0;
	return strcmp(route->path, path) == 0;
}

static const struct route *find_route(const char *path)
{
	for (size_t i = 0; i < ROUTE_COUNT; i++) {
		if (fits(&routes[i], path))
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

static void allow(struct http_answer *answer, const struct route *route)
{
	snprintf(answer->allow, sizeof(answer->allow), "%s",
		takes_upload(route) ? upload_methods : methods);
}

static void answer_options(const struct route *route, struct http_answer *answer)
{
	http_answer_begin(answer, 204, "text/plain");
	allow(answer, route);
}

static void answer_wrong_method(
	const struct route *route, const struct http_request *request, struct http_answer *answer)
{
	http_answer_error(answer, 405, "%.100s takes %s, not %.20s", request->path,
		takes_upload(route) ? upload_methods : methods, request->method);
	allow(answer, route);
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

bool http_route_receive(void *context, const struct http_request *request,
	struct http_answer *answer, const struct http_receiver **ret_receiver)
{
	struct site *site = context;

	if (strcmp(request->method, "PUT") != 0 || !takes_upload(find_route(request->path)))
		return false;
	if (refuse(site, request, answer))
		return true;
	if (!site->insecure_uploads && !request->from_this_machine) {
		http_answer_error(answer, 403,
			"this server takes files from its own host only (--insecure-uploads allows "
			"others)");
		return true;
	}
	*ret_receiver = &route_module_receiver;
	return false;
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
		answer_options(route, answer);
		return NULL;
	}
	if (!reads) {
		answer_wrong_method(route, request, answer);
		return NULL;
	}
	if (route->takes_time)
		return route->handle;
	route->handle(site, request, answer);
	return NULL;
}
