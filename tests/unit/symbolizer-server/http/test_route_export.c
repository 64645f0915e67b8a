/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/route_export.h"

#include "tests/support/querier_fixture.h"

#define SHOP "query=" QUERIER_TYPE "{service_name=\"shop\"}&from=1700000000&until=1700000060"

static void says(http_handle_fn handle, const char *params, int status, const char *words)
{
	char *body = site_fixture_ask(&querier_site, handle, params, status);

	if (!strstr(body, words))
		fprintf(stderr, "%s: %s\n", params, body);
	CHECK(strstr(body, words));
	free(body);
}

static void every_format_has_its_first_words(void)
{
	says(route_export, SHOP "&format=folded", 200, "main;f 60000000\nmain;f;g 40000000\n");
	says(route_export, SHOP "&format=folded&root=host", 200, "host=a;main;f 60000000\n");
	says(route_export, SHOP "&format=speedscope", 200, "\"weights\":[60000000,40000000]");
	says(route_export, SHOP "&format=svg", 200, "<svg xmlns=");
	says(route_export, SHOP "&format=dot", 200, "digraph");
	says(route_export, SHOP "&format=pprof", 200, "\x1f\x8b");
	says(route_export, SHOP "&format=otlp", 200, "\x0a");
	says(route_export, SHOP "&format=folded&max_nodes=2", 200, "small) 100000000\n");
	says(route_export, SHOP "&format=html", 400,
		"format: folded, pprof, speedscope, otlp, svg or dot must stand here");
	says(route_export, "format=pprof", 400, "query names no profile type");
}

static void render_has_formats_beside_json(void)
{
	says(route_render, SHOP "&format=collapsed", 200, "main;f 60000000\nmain;f;g 40000000\n");
	says(route_render, SHOP "&format=dot&max-nodes=2", 200, "2 of 3 functions");
	says(route_render, SHOP "&format=pprof", 200, "\x1f\x8b");
	says(route_render, SHOP "&format=svg", 400,
		"format: json, dot, collapsed or pprof must stand here");
	says(route_render, "query=" QUERIER_TYPE "{}&from=1&until=2&format=dot", 200, "");
}

static void two_sides_are_rendered_as_one(void)
{
	says(route_render_diff,
		"leftQuery=" QUERIER_TYPE "{service_name=\"shop\"}&leftFrom=1700000000"
		"&leftUntil=1700000060&rightQuery=" QUERIER_TYPE "{service_name=\"bank\"}"
		"&rightFrom=1700000000&rightUntil=1700000060&max-nodes=100",
		200,
		"[60000000,40000000,40000000,20000000,0,0,4]],\"numTicks\":130000000,"
		"\"maxSelf\":60000000},\"metadata\":{\"format\":\"double\",");
	says(route_render_diff, "leftQuery=" QUERIER_TYPE "&rightQuery=a:b:c:d:e", 400,
		"both must name the same profile type");
}

int main(void)
{
	work_dir();
	querier_fixture_init();
	RUN(every_format_has_its_first_words);
	RUN(render_has_formats_beside_json);
	RUN(two_sides_are_rendered_as_one);
	querier_fixture_done();
	return 0;
}
