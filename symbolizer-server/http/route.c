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

static const struct intake_route {
	const char *path;
	const char *method;
	const struct http_receiver *receiver;
	bool is_file; /* of symbols: to be parsed, and large */
} intakes[] = {
#define HTTP_INTAKE_ROW(path, method, receiver, is_file) {path, method, &(receiver), is_file},
	HTTP_INTAKES(HTTP_INTAKE_ROW)
#undef HTTP_INTAKE_ROW
};

#define INTAKE_COUNT (sizeof(intakes) / sizeof(intakes[0]))

static bool fits(const char *pattern, const char *path)
{
	size_t length = strlen(pattern);

	if (pattern[length - 1] == '/')
		return strncmp(pattern, path, length) == 0;
	return strcmp(pattern, path) == 0;
}

static const struct intake_route *find_intake(const char *path)
{
	/* Clients append their path to a base that may end in a slash. */
	while (path[0] == '/' && path[1] == '/')
		path++;
	for (size_t i = 0; i < INTAKE_COUNT; i++) {
		if (fits(intakes[i].path, path))
			return &intakes[i];
	}
	return NULL;
}

static const struct route *find_route(const char *path)
{
	for (size_t i = 0; i < ROUTE_COUNT; i++) {
		if (fits(routes[i].path, path))
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

/* What PATH, which is there, takes. */
static void write_methods(const char *path, char *ret_methods, size_t byte_count)
{
	const struct intake_route *intake = find_intake(path);

	snprintf(ret_methods, byte_count, "%s%s%sOPTIONS",
		find_route(path) || !intake ? "GET, HEAD, " : "", intake ? intake->method : "",
		intake ? ", " : "");
}

static void answer_options(const struct http_request *request, struct http_answer *answer)
{
	http_answer_begin(answer, 204, "text/plain");
	write_methods(request->path, answer->allow, sizeof(answer->allow));
}

static void answer_wrong_method(const struct http_request *request, struct http_answer *answer)
{
	char methods[sizeof(answer->allow)];

	write_methods(request->path, methods, sizeof(methods));
	http_answer_error(
		answer, 405, "%.100s takes %s, not %.20s", request->path, methods, request->method);
	snprintf(answer->allow, sizeof(answer->allow), "%s", methods);
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
	const struct intake_route *intake = find_intake(request->path);
	struct site *site = context;

	if (!intake || strcmp(request->method, intake->method) != 0)
		return false;
	if (refuse(site, request, answer))
		return true;
	if (intake->is_file && !site->insecure_uploads && !request->from_this_machine) {
		http_answer_error(answer, 403,
			"this server takes files from its own host only (--insecure-uploads allows "
			"others)");
		return true;
	}
	*ret_receiver = intake->receiver;
	return false;
}

http_handle_fn http_route_plan(
	void *context, const struct http_request *request, struct http_answer *answer)
{
	struct site *site = context;
	const struct route *route = find_route(request->path);
	bool there = route || find_intake(request->path);
	bool reads = strcmp(request->method, "GET") == 0 || strcmp(request->method, "HEAD") == 0;

	if (refuse(site, request, answer))
		return NULL;
	if (!there && reads && route_asset(site, request, answer))
		return NULL;
	if (!there && (reads || !is_of_page(site, request))) {
		answer_unknown_path(request, answer);
		return NULL;
	}
	if (strcmp(request->method, "OPTIONS") == 0) {
		answer_options(request, answer);
		return NULL;
	}
	if (!reads || !route) {
		answer_wrong_method(request, answer);
		return NULL;
	}
	if (route->takes_time)
		return route->handle;
	route->handle(site, request, answer);
	return NULL;
}
