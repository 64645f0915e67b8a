/* SPDX-License-Identifier: Apache-2.0 */
/* A real cairn-server over a folder that the test filled, asked byte by byte. */
#include "symbolizer-server/server.h"

#include <inttypes.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/disk/profile_store.h"
#include "tests/support/check.h"
#include "tests/support/raw_http.h"
#include "tests/support/sample_profile.h"
#include "tests/support/spawned.h"
#include "tests/support/work_dir.h"

#define CPU_TYPE "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
#define CPU "query=" CPU_TYPE
/* Ten windows of ten seconds, in the past. */
#define START (UINT64_C(1700000000) * NS_PER_S)
#define WINDOW_COUNT 10
#define WINDOW_NS (10 * NS_PER_S)
#define RANGE "&from=1700000000&until=1700000100"

static struct spawned server;
static char *address;

static void on_durable(void *context, int result)
{
	(void)context;
	CHECK_EQ(result, 0);
}

/* 60 ms in f, 30 in g below it, 10 in the kernel; each window, on host a or b. */
static struct profile *make_window(uint64_t number)
{
	struct profile *profile =
		sample_profile_new(number % 2 ? "b" : "a", START + number * WINDOW_NS, WINDOW_NS);

	for (uint32_t i = 0; i < 10; i++) {
		sample_profile_add(profile,
			&(struct sample_profile_sample){.stack = i < 6 ? "main;f"
					: i < 9
					? "main;f;libg.so@0x40"
					: "main;[kernel]@0x77;<img src=x onerror=alert(1)>\xff\n",
				.process = i < 5 ? "web" : "db\"quoted",
				.pid = i < 5 ? 11 : 12,
				.cpu = i % 2,
				.slot = i * 50});
	}
	sample_profile_seal(profile);
	return profile;
}

static void fill_store(const char *folder)
{
	struct profile_store_config config = {
		.dir = folder, .retain_ns = UINT64_MAX, .clock = clock_system()};
	struct profile_store_report report;
	struct profile_store *store;

	CHECK_EQ(profile_store_open(&config, &report, &store), 0);
	for (uint64_t i = 0; i < WINDOW_COUNT; i++) {
		struct batch_key key = {.instance = {7}, .sequence = i};
		struct profile *profile = make_window(i);

		CHECK_EQ(profile_store_append(store, &key, profile, on_durable, NULL), 0);
		profile_free(profile);
	}
	CHECK_EQ(profile_store_flush(store), 0);
	profile_store_close(store);
}

static const char *const *arguments(const char *data)
{
	static const char *words[SPAWNED_ARGUMENT_MAX];

	memcpy(words,
		((const char *[]){"--data", data, "--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0",
			"--retain-time", "forever", "--allowed-host", "prof.test", NULL}),
		11 * sizeof(char *));
	return words;
}

/* More than wait for a worker, less than may be connected. */
#define CROWD_COUNT 700

static struct raw_http get(const char *target)
{
	struct raw_http answer = raw_http_get(address, target, "");

	if (answer.status != 200)
		fprintf(stderr, "%s: %s\n", target, answer.bytes);
	CHECK_EQ(answer.status, 200);
	return answer;
}

static void says(const char *target, const char *const *words)
{
	struct raw_http answer = get(target);

	for (; *words; words++) {
		if (!strstr(answer.body, *words))
			fprintf(stderr, "%s: no %s in %s\n", target, *words, answer.body);
		CHECK(strstr(answer.body, *words));
	}
	raw_http_done(&answer);
}

#define SAYS(target, ...) says(target, (const char *const[]){__VA_ARGS__, NULL})

static void refuses(const char *request, int status, const char *what)
{
	struct raw_http answer = raw_http_send(address, request, strlen(request));

	if (answer.status != status || !strstr(answer.body, what))
		fprintf(stderr, "%s: %s\n", request, answer.bytes);
	CHECK_EQ(answer.status, status);
	CHECK(strstr(answer.body, what));
	raw_http_done(&answer);
}

static void every_route_answers(void)
{
	SAYS("/api/v1/flame?" CPU RANGE, "\"total\":1000000000", "\"sample_count\":100",
		"\"unit\":\"nanoseconds\"", "\"period\":10000000", "\"libg.so+0x40\"",
		"\"totals\":[1000000000,1000000000,900000000,", "\"partial_symbols\":true");
	SAYS("/api/v1/top?" CPU RANGE "&limit=1", "\"function_count\":5",
		"\"functions\":[{\"name\":\"f\",\"module\":\"\",\"kind\":\"native\","
		"\"self\":600000000,\"total\":900000000,\"inlined\":false,\"function\":\"f\","
		"\"raw\":\"f\","
		"\"file\":\"\",\"line\":0,\"build_id\":\"\"}]");
	SAYS("/api/v1/top?" CPU RANGE "&group=line&builds=apart&inlined=hide&function=g&module=",
		"\"function_count\":0,\"functions\":[]");
	/* libg.so has no names; the kernel's address lies in no module that has an id. */
	SAYS("/api/v1/symbols?" CPU RANGE "&limit=2", "\"total\":1000000000",
		"\"unnamed_total\":400000000", "\"unnamed_self\":300000000",
		"\"modules\":[{\"module\":\"libg.so\",\"build_id\":\"",
		"\"total\":300000000,\"self\":300000000,\"unnamed_total\":300000000",
		"\"unnamed_addresses\":1", "\"quality\":\"nothing\"",
		"\"command\":\"cairn symbols upload FILE\",\"upload\":true",
		"\"module\":\"[kernel]\"", "sysctl kernel.kptr_restrict=1");
	SAYS("/api/v1/export?format=folded&" CPU RANGE, "main;f 600000000\n",
		"main;f;libg.so+0x40 300000000\n",
		"main;[kernel]+0x77;<img src=x onerror=alert(1)>\xef\xbf\xbd\\x0a 100000000\n");
	SAYS("/pyroscope/render?" CPU "%7B%7D" RANGE "&format=json",
		"\"names\":[\"total\",\"main\",", "\"numTicks\":1000000000",
		"\"sampleRate\":1000000000", "\"units\":\"samples\"", "\"durationDelta\":15",
		"\"groups\":null");
	SAYS("/api/v1/status", "\"name\":\"records_appended\"", "\"name\":\"http_requests\"",
		"\"meaning\":", "\"hosts\":[");
	SAYS("/metrics", "# TYPE cairn_store_duplicates_total counter\n",
		"\n# HELP cairn_http_requests_total ", "cairn_build_info{version=");
	SAYS("/healthz", "ok");
	SAYS("/readyz", "ready");
}

static void queries_choose_and_ranges_cut(void)
{
	SAYS("/api/v1/top?" CPU "%7Bhost%3D%22a%22%2Cpid%3D%2211%22%7D" RANGE,
		"\"sample_count\":25", "\"total\":250000000");
	SAYS("/api/v1/top?" CPU "{thread=~%22db.*%22}" RANGE, "\"sample_count\":50");
	/* One slot: the first of the first window. */
	SAYS("/api/v1/top?" CPU "&from=1700000000000&until=1700000000020", "\"sample_count\":1,");
	SAYS("/api/v1/top?" CPU "&from=1700000000&until=1700000000", "\"sample_count\":0",
		"\"functions\":[]");
	SAYS("/api/v1/flame?" CPU "&from=1700000000&until=1700000000", "\"names\":[\"total\"]");
	SAYS("/api/v1/hosts?from=1700000000&until=1700000000", "{\"hosts\":[]}");
	SAYS("/api/v1/flame?" CPU RANGE "&max_nodes=3", "\"trimmed\":true", "small)\"");
}

/* One process against the other: all of f became a fifth of it, and g came up. */
#define SIDES                                                              \
	"&left_from=1700000000&left_until=1700000100&left_query=" CPU_TYPE \
	"{process=%22web%22}&right_from=1700000000&right_until=1700000100" \
	"&right_query=" CPU_TYPE "{process!=%22web%22}"

static void two_sides_are_compared(void)
{
	SAYS("/api/v1/diff?view=functions" SIDES,
		"\"left\":{\"total\":500000000,\"sample_count\":50,\"period\":10000000,"
		"\"from\":1700000000000000000,\"until\":1700000100000000000,"
		"\"core_ns\":200000000000,\"groups\":8,\"partial\":null}",
		"\"function_count\":5",
		"{\"name\":\"libg.so+0x40\",\"module\":\"libg.so\",\"kind\":\"unknown\","
		"\"left_self\":0,\"right_self\":300000000,\"self_p\":0.000000,\"left_total\":0,"
		"\"right_total\":300000000,\"left_share\":0.000000,\"right_share\":0.600000,",
		"\"left_share\":1.000000,\"right_share\":0.800000,", "\"changed\":true");
	SAYS("/api/v1/diff?" SIDES, "\"left_totals\":[500000000,500000000,500000000,0,0,0]",
		"\"right_totals\":[500000000,500000000,400000000,100000000,300000000,",
		"\"child_count\":[1,2,1,", "\"p\":[1.000000,1.000000,");
	SAYS("/api/v1/diff?max_nodes=2" SIDES, "\"trimmed\":true", "\"trimmed_nodes\":[[1,5]]");
	/* A side of which nothing is there. */
	SAYS("/api/v1/diff?" CPU "&left_from=1600000000&left_until=1600000001&right_from=1700000000"
	     "&right_until=1700000100",
		"\"left\":{\"total\":0,\"sample_count\":0,", "\"core_ns\":0,",
		"\"right\":{\"total\":1000000000,");
}

static void wrong_requests_say_what_to_mend(void)
{
	static const struct {
		const char *target;
		const char *what;
	} cases[] = {
		{"/api/v1/flame", "names no profile type"},
		{"/api/v1/flame?query=%7Bnonsense", "character 10"},
		{"/api/v1/top?" CPU "&from=never", "now-1h"},
		{"/api/v1/top?" CPU "&from=now&until=now-1h", "swap"},
		{"/api/v1/top?" CPU "&limit=0", "limit: a whole number"},
		{"/api/v1/flame?" CPU "&max_nodes=many", "max_nodes: a whole number"},
		{"/api/v1/export?" CPU, "format: folded, pprof"},
		{"/pyroscope/render?" CPU, "missing time range"},
		{"/pyroscope/render?" CPU "&from=now-1h&format=html", "format: json, dot"},
		{"/api/v1/hosts?query=a:b:c", "five parts"},
		{"/pyroscope/render?" CPU "&from=1700000000&until=1700000000", "empty time range"},
		{"/api/v1/diff?" CPU "&view=table", "`functions`"},
		{"/api/v1/diff?" CPU "&left_from=never", "left_from"},
		{"/api/v1/top?a&b&c&d&e&f&g&h&i&j&k&l&m&n&o&p&q&r&s&t&u&v&w&x&y&z&1&2&3&4&5&6&7",
			"more than 32"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct raw_http answer = raw_http_get(address, cases[i].target, "");

		if (answer.status != 400 || !strstr(answer.body, cases[i].what))
			fprintf(stderr, "%s: %s\n", cases[i].target, answer.bytes);
		CHECK_EQ(answer.status, 400);
		CHECK(strstr(answer.body, "\"code\":\"invalid_argument\""));
		CHECK(strstr(answer.body, cases[i].what));
		raw_http_done(&answer);
	}
}

static void unknown_paths_and_methods_are_told(void)
{
	refuses("GET /api/v1/source?build-id=ab01&path=/etc/passwd HTTP/1.1\r\nHost: localhost\r\n"
		"Connection: close\r\n\r\n",
		404, "--debuginfod-urls");
	refuses("GET /api/v1/source?path=/src/a.c HTTP/1.1\r\nHost: localhost\r\n"
		"Connection: close\r\n\r\n",
		400, "build-id and path");
	refuses("GET /api/v1/flame?" CPU "&group=lines HTTP/1.1\r\nHost: localhost\r\n"
		"Connection: close\r\n\r\n",
		400, "function, line or file");
	refuses("GET /nope HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 404,
		"/api/v1/flame");
	refuses("GET /%00 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 404, "%00");
	refuses("GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
		404, "not_found");
	refuses("POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 405,
		"GET, HEAD, OPTIONS");
	refuses("DELETE /index.html HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 405,
		"GET, HEAD, OPTIONS");
	refuses("POST /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 404,
		"nothing is at");
	refuses("POST /api/v1/top HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
		"Content-Length: 3\r\n\r\nabc",
		405, "GET, HEAD, OPTIONS");
	refuses("PUT / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
		"Content-Length: 0\r\n\r\n",
		405, "method_not_allowed");
	refuses("POST /api/v1/top HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
		"Content-Length: 99999999\r\n\r\n",
		413, "larger than");
}

static char metrics[1 << 18]; /* the last answer of /metrics */

static uint64_t last_metric(const char *name)
{
	char line[128];
	const char *found;

	snprintf(line, sizeof(line), "\n%s ", name);
	found = strstr(metrics, line);
	CHECK(found != NULL);
	return strtoull(found + strlen(line), NULL, 10);
}

/* A number of /metrics as it is now. */
static uint64_t metric(const char *name)
{
	struct raw_http answer = raw_http_get(address, "/metrics", "");

	/* Behind a crowd it has to wait its turn like everybody. */
	while (answer.status == 503) {
		raw_http_done(&answer);
		usleep(1000);
		answer = raw_http_get(address, "/metrics", "");
	}
	CHECK_EQ(answer.status, 200);
	CHECK(answer.body_byte_count < sizeof(metrics));
	memcpy(metrics, answer.body, answer.body_byte_count + 1);
	raw_http_done(&answer);
	return last_metric(name);
}

/* More queries at once than may wait, of clients that do not wait for an answer. */
static void crowd(void)
{
	static int connections[CROWD_COUNT];
	char request[256];
	int length = snprintf(request, sizeof(request),
		"GET /api/v1/top?" CPU RANGE " HTTP/1.1\r\nHost: %s\r\n\r\n", address);

	for (int i = 0; i < CROWD_COUNT; i++) {
		connections[i] = raw_http_connect(address);
		/* One that was turned away at the door is no fault. */
		(void)!send(connections[i], request, (size_t)length, MSG_NOSIGNAL);
	}
	for (int i = 0; i < CROWD_COUNT; i++)
		close(connections[i]);
}

static void queries_are_refused_and_given_up_and_all_are_accounted_for(void)
{
	for (int i = 0;
		metric("cairn_http_busy_total") == 0 || metric("cairn_http_cancelled_total") == 0;
		i++) {
		CHECK(i < 50);
		crowd();
	}
	/* Each question counts itself, so what is held against each other is of one answer. */
	while (metric("cairn_http_requests_open") > 1)
		usleep(10000);
	CHECK_EQ(last_metric("cairn_http_requests_open"), 1);
	CHECK_EQ(last_metric("cairn_http_queries_running"), 1);
	CHECK_EQ(last_metric("cairn_http_queries_total"),
		last_metric("cairn_http_queries_answered_total") +
			last_metric("cairn_http_cancelled_total") + 1);
	CHECK_EQ(last_metric("cairn_http_requests_total"),
		last_metric("cairn_http_answers_good_total") +
			last_metric("cairn_http_answers_refused_total") +
			last_metric("cairn_http_answers_failed_total") +
			last_metric("cairn_http_gone_total") + 1);
	/* Whoever left does not get its 503 either. */
	CHECK(last_metric("cairn_http_answers_failed_total") +
			last_metric("cairn_http_gone_total") >=
		last_metric("cairn_http_busy_total"));
	CHECK(last_metric("cairn_http_body_bytes_total") > 1000);
}

static void foreign_hosts_and_origins_are_refused(void)
{
	uint64_t hosts = metric("cairn_http_foreign_hosts_total");
	uint64_t origins = metric("cairn_http_foreign_origins_total");

	refuses("GET /healthz HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n", 403,
		"--allowed-host");
	refuses("GET / HTTP/1.1\r\nHost: 127.0.0.1.evil\r\nConnection: close\r\n\r\n", 403,
		"--allowed-host");
	refuses("POST /api/v1/top HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil\r\n"
		"Connection: close\r\nContent-Length: 0\r\n\r\n",
		403, "http://evil");
	refuses("GET /healthz HTTP/1.1\r\nHost: prof.test:9\r\nOrigin: http://evil\r\n"
		"Connection: close\r\n\r\n",
		200, "ok");
	CHECK_EQ(metric("cairn_http_foreign_hosts_total"), hosts + 2);
	CHECK_EQ(metric("cairn_http_foreign_origins_total"), origins + 1);
	CHECK(metric("cairn_http_answers_refused_total") >= 3);
	refuses("GET /healthz HTTP/1.0\r\n\r\n", 200, "ok");
	refuses("GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n", 400, "");
}

/* PUT of BODY with the headers MORE; gives the status. */
static int put(const char *target, const char *more, const char *body, size_t byte_count)
{
	SCOPED_FREE char *request = malloc(1024 + byte_count);
	struct raw_http answer;
	int length, status;

	CHECK(request);
	length = snprintf(request, 1024,
		"PUT %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\nContent-Length: %zu\r\n"
		"%s\r\n",
		target, address, byte_count, more);
	memcpy(request + length, body, byte_count);
	answer = raw_http_send(address, request, (size_t)length + byte_count);
	status = answer.status;
	raw_http_done(&answer);
	return status;
}

static void wait_for(const char *target, const char *word)
{
	for (int i = 0; i < 500; i++) {
		struct raw_http answer = get(target);
		bool found = strstr(answer.body, word) != NULL;

		raw_http_done(&answer);
		if (found)
			return;
		usleep(20000);
	}
	CHECK(!"what was awaited");
}

static void files_are_taken_by_put_and_handed_to_debuggers(void)
{
	SCOPED_FREE char *id = NULL, *target = NULL, *debuginfo = NULL, *part = NULL;
	SCOPED_FREE uint8_t *file = NULL;
	size_t byte_count;
	struct raw_http answer;

	work_write_text("p.c", "int main(void) { return 0; }\n");
	work_run("gcc -g -o full p.c && objcopy --only-keep-debug full debug");
	id = work_output("readelf -n full | sed -n 's/.*Build ID: //p'");
	CHECK(asprintf(&target, "/api/v1/symbols/%s", id) > 0);
	CHECK(asprintf(&debuginfo, "/buildid/%s/debuginfo", id) > 0);
	file = work_read("debug", &byte_count);
	CHECK(asprintf(&part, "Content-Range: bytes 100-%zu/%zu\r\n", byte_count - 1, byte_count) >
		0);
	says(target, (const char *const[]){"\"no names\"", "\"files\":[]", NULL});
	answer = raw_http_get(address, debuginfo, "");
	CHECK_EQ(answer.status, 404);
	raw_http_done(&answer);
	CHECK_EQ(put("/api/v1/symbols/XY", "", "a", 1), 400);
	CHECK_EQ(put("/api/v1/symbols/ab12?kind=what", "", "a", 1), 400);
	CHECK_EQ(put(target, "", "no ELF file", 11), 400);
	CHECK_EQ(put("/api/v1/symbols/ab12", "", (char *)file, byte_count), 400);
	CHECK_EQ(put(target, "Origin: http://elsewhere\r\n", (char *)file, byte_count), 403);
	CHECK_EQ(put(target, "Content-Range: bytes 5-1/9\r\n", (char *)file, byte_count), 400);
	CHECK_EQ(put(target, part, (char *)file + 100, byte_count - 100), 409);
	CHECK_EQ(put("/api/v1/flame", "", "a", 1), 405);
	CHECK_EQ(put(target, "", (char *)file, byte_count), 200);
	wait_for(target, "\"named_by\":\"DWARF\"");
	says(target, (const char *const[]){"\"files\":[\"debug\"]", NULL});
	answer = get(debuginfo);
	CHECK_EQ(answer.status, 200);
	CHECK_EQ(answer.body_byte_count, byte_count);
	CHECK(memcmp(answer.body, file, byte_count) == 0);
	raw_http_done(&answer);
	CHECK_EQ(work_try("test -z \"$(ls data/symbols/uploads)\""), 0);
}

static void head_is_get_without_its_body(void)
{
	static const char request[] =
		"HEAD /api/v1/top?" CPU RANGE " HTTP/1.1\r\nHost: localhost\r\n"
		"Connection: close\r\n\r\n";
	struct raw_http answer = raw_http_send(address, request, sizeof(request) - 1);
	SCOPED_FREE char *length = raw_http_header(&answer, "Content-Length");

	CHECK_EQ(answer.status, 200);
	CHECK(length && strtoul(length, NULL, 10) > 100);
	CHECK_EQ(answer.body_byte_count, 0);
	raw_http_done(&answer);
}

static void gzip_is_sent_to_those_who_take_it(void)
{
	struct raw_http plain = get("/api/v1/status");
	struct raw_http small =
		raw_http_get(address, "/api/v1/status", "Accept-Encoding: gzip\r\n");
	SCOPED_FREE char *encoding = raw_http_header(&small, "Content-Encoding");
	SCOPED_FREE char *none = raw_http_header(&plain, "Content-Encoding");
	SCOPED_FREE char *varies = raw_http_header(&plain, "Vary");

	CHECK(!none && varies);
	CHECK_STR(encoding, "gzip");
	CHECK(small.body_byte_count < plain.body_byte_count / 2);
	CHECK(memcmp(small.body, "\x1f\x8b", 2) == 0);
	raw_http_done(&plain);
	raw_http_done(&small);
}

static void columns_are_sent_to_those_who_name_them(void)
{
	struct raw_http answer = raw_http_get(address, "/api/v1/flame?" CPU RANGE,
		"Accept: application/x-flame, application/json;q=0.5\r\n");
	SCOPED_FREE char *type = raw_http_header(&answer, "Content-Type");

	CHECK_STR(type, "application/x-flame");
	CHECK(answer.body_byte_count > 72 && memcmp(answer.body, "CRNF", 4) == 0);
	raw_http_done(&answer);
}

static void the_page_is_kept_by_browsers(void)
{
	struct raw_http page = get("/"), again;
	SCOPED_FREE char *etag = raw_http_header(&page, "ETag");
	SCOPED_FREE char *policy = raw_http_header(&page, "Content-Security-Policy");
	SCOPED_FREE char *sniff = raw_http_header(&page, "X-Content-Type-Options");
	char header[128];

	CHECK(etag && strstr(policy, "default-src 'self'"));
	CHECK(strstr(policy, "object-src 'none'") && strstr(policy, "frame-ancestors 'self'"));
	CHECK_STR(sniff, "nosniff");
	snprintf(header, sizeof(header), "If-None-Match: %s\r\n", etag);
	again = raw_http_get(address, "/", header);
	CHECK_EQ(again.status, 304);
	CHECK_EQ(again.body_byte_count, 0);
	raw_http_done(&page);
	raw_http_done(&again);
}

static void one_connection_serves_several_requests(void)
{
	static const char requests[] =
		"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
		"GET /api/v1/hosts?from=1700000000&until=1700000100 HTTP/1.1\r\nHost: "
		"localhost\r\n\r\n"
		"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
	struct raw_http answer = raw_http_send(address, requests, sizeof(requests) - 1);

	CHECK(strstr(answer.bytes, "ok\n"));
	CHECK(strstr(answer.bytes, "\"host\":\"a\""));
	CHECK(strstr(answer.bytes, "ready\n"));
	raw_http_done(&answer);
}

static void clients_that_go_away_harm_nobody(void)
{
	static const char request[] =
		"GET /api/v1/flame?" CPU RANGE " HTTP/1.1\r\nHost: localhost\r\n\r\n";

	for (int i = 0; i < 100; i++) {
		int fd = raw_http_connect(address);

		CHECK(send(fd, request, i % 2 ? sizeof(request) - 1 : (size_t)i, MSG_NOSIGNAL) >=
			0);
		close(fd);
	}
	SAYS("/healthz", "ok");
}

static void the_command_line_reads_it(void)
{
	SCOPED_FREE char *url = NULL;
	struct spawned cairn;

	CHECK(asprintf(&url, "http://%s", address) > 0);
	spawned_start(&cairn, "cairn",
		(const char *const[]){"top", "--server", url, "--from", "1700000000", "--until",
			"1700000100", "--host", "a", NULL});
	CHECK_EQ(spawned_wait(&cairn), 0);
	CHECK(strstr(cairn.said, "500 ms in 50 samples, 5 of 5 functions"));
	CHECK(strstr(cairn.said, " 60.00%      300 ms  90.00%      450 ms  f\n"));
	CHECK(strstr(cairn.said, "alert(1)>\xef\xbf\xbd\\x0a"));
	spawned_done(&cairn);
	spawned_start(&cairn, "cairn",
		(const char *const[]){"query", "{host=\"a\"}", "--server", url, "--from",
			"1700000000..1700000100", "--root", "host", NULL});
	CHECK_EQ(spawned_wait(&cairn), 0);
	CHECK(strstr(cairn.said,
		"  total    self              function\n"
		"100.00%   0.00%      500 ms  total\n"
		"100.00%   0.00%      500 ms   host=a\n"
		"100.00%   0.00%      500 ms    main\n"
		" 90.00%  60.00%      450 ms     f\n"
		" 30.00%  30.00%      150 ms      libg.so+0x40\n"
		" 10.00%   0.00%    50.00 ms     [kernel]+0x77\n"));
	spawned_done(&cairn);
	spawned_start(&cairn, "cairn",
		(const char *const[]){"query", "{process=\"web\"}", "--server", url, "--from",
			"1700000000..1700000100", "--format", "folded", NULL});
	CHECK_EQ(spawned_wait(&cairn), 0);
	CHECK_STR(cairn.said, "main;f 500000000\n");
	spawned_done(&cairn);
	spawned_start(&cairn, "cairn",
		(const char *const[]){"export", "--server", url, "--from=1700000000",
			"--until=1700000100", "--process", "web", NULL});
	CHECK_EQ(spawned_wait(&cairn), 0);
	CHECK_STR(cairn.said, "main;f 500000000\n");
	spawned_done(&cairn);
	spawned_start(
		&cairn, "cairn", (const char *const[]){"status", "--all", "--server", url, NULL});
	CHECK_EQ(spawned_wait(&cairn), 0);
	CHECK(strstr(cairn.said, "records_appended: batches made durable"));
	spawned_done(&cairn);
	spawned_start(&cairn, "cairn",
		(const char *const[]){"diff", "--server", url, "--left", "1700000000..1700000050",
			"--right", "1700000050..1700000100", "--fail-if", "^f$>+5%", NULL});
	CHECK_EQ(spawned_wait(&cairn), 0);
	CHECK(strstr(cairn.said, "left        500 ms in 50 samples over 50 s, 10.00 ms a second"));
	CHECK(strstr(cairn.said, "  +0.00   90.00%   90.00%  same   f\n"));
	spawned_done(&cairn);
	spawned_start(&cairn, "cairn",
		(const char *const[]){"top", "--server", url, "--query", "{nonsense", NULL});
	CHECK_EQ(spawned_wait(&cairn), 1);
	CHECK(strstr(cairn.said, "cairn: query: selector, character 10"));
	spawned_done(&cairn);
	spawned_start(&cairn, "cairn", (const char *const[]){"symbols", "upload", NULL});
	CHECK_EQ(spawned_wait(&cairn), 2);
	CHECK_STR(cairn.said, "cairn: cairn symbols upload FILE|DIR...: say what to upload\n");
	spawned_done(&cairn);
}

static void ends_with(const char *const *words, int status, const char *what)
{
	struct spawned other;

	spawned_start(&other, "cairn-server", words);
	CHECK_EQ(spawned_wait(&other), status);
	if (!strstr(other.said, what))
		fprintf(stderr, "%s\n", other.said);
	CHECK(strstr(other.said, what));
	/* One line. */
	CHECK(strchr(other.said, '\n') == other.said + other.said_length - 1);
	spawned_done(&other);
}

static void what_prevents_a_start_is_one_line(void)
{
	work_write_text("file", "no folder");
	ends_with((const char *const[]){"--data", work_path("data"), "--http", "127.0.0.1:0",
			  "--grpc", "127.0.0.1:0", NULL},
		1, "another cairn-server uses it");
	ends_with((const char *const[]){"--data", work_path("other"), "--http", address, "--grpc",
			  "127.0.0.1:0", NULL},
		1, address);
	ends_with((const char *const[]){"--data", work_path("other"), "--http", "127.0.0.1:0",
			  "--grpc", address, NULL},
		1, address);
	ends_with((const char *const[]){"--data", work_path("file"), "--http", "127.0.0.1:0",
			  "--grpc", "127.0.0.1:0", NULL},
		1, "/file");
	ends_with((const char *const[]){"--data", work_path("no/such/parent"), "--http",
			  "127.0.0.1:0", "--grpc", "127.0.0.1:0", NULL},
		1, "/no/such/parent");
	ends_with((const char *const[]){"--no-such-flag", NULL}, 2, "--no-such-flag");
	ends_with((const char *const[]){"--http", "0.0.0.0:0", NULL}, 2, "--insecure");
	ends_with((const char *const[]){"--version", NULL}, 0, "cairn-server 0.");
}

#define FILE_COUNT 128
#define CONNECTION_COUNT (2 * FILE_COUNT)

/* A connection that could not be accepted once ended the listening. */
static void more_collectors_than_a_shell_allows_files_find_a_server(void)
{
	static const char hello[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0";
	struct rlimit whole, little;
	struct spawned crowded;
	int fds[CONNECTION_COUNT], fd;
	char *grpc, answer[9];

	CHECK_EQ(getrlimit(RLIMIT_NOFILE, &whole), 0);
	little = (struct rlimit){.rlim_cur = FILE_COUNT, .rlim_max = whole.rlim_max};
	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &little), 0);
	spawned_start(&crowded, "cairn-server", arguments(work_path("crowded")));
	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &whole), 0);
	grpc = spawned_wait_line(&crowded, "listening grpc ");
	for (int i = 0; i < CONNECTION_COUNT; i++)
		fds[i] = raw_http_connect(grpc);
	fd = raw_http_connect(grpc);
	CHECK_EQ(send(fd, hello, sizeof(hello), MSG_NOSIGNAL), sizeof(hello));
	CHECK_EQ(recv(fd, answer, sizeof(answer), MSG_WAITALL), sizeof(answer));
	close(fd);
	for (int i = 0; i < CONNECTION_COUNT; i++)
		close(fds[i]);
	CHECK_EQ(kill(crowded.pid, SIGTERM), 0);
	CHECK_EQ(spawned_wait(&crowded), 0);
	spawned_done(&crowded);
	free(grpc);
}

static void sigterm_ends_it_in_order(void)
{
	CHECK_EQ(kill(server.pid, SIGTERM), 0);
	CHECK_EQ(spawned_wait(&server), 0);
	spawned_done(&server);
	/* What it held is free again. */
	spawned_start(&server, "cairn-server", arguments(work_path("data")));
	free(address);
	address = spawned_wait_line(&server, "listening http ");
	SAYS("/api/v1/top?" CPU RANGE, "\"sample_count\":100");
}

int main(void)
{
	fill_store(work_path("data"));
	spawned_start(&server, "cairn-server", arguments(work_path("data")));
	address = spawned_wait_line(&server, "listening http ");
	RUN(every_route_answers);
	RUN(queries_choose_and_ranges_cut);
	RUN(two_sides_are_compared);
	RUN(wrong_requests_say_what_to_mend);
	RUN(unknown_paths_and_methods_are_told);
	RUN(queries_are_refused_and_given_up_and_all_are_accounted_for);
	RUN(foreign_hosts_and_origins_are_refused);
	RUN(files_are_taken_by_put_and_handed_to_debuggers);
	RUN(head_is_get_without_its_body);
	RUN(gzip_is_sent_to_those_who_take_it);
	RUN(columns_are_sent_to_those_who_name_them);
	RUN(the_page_is_kept_by_browsers);
	RUN(one_connection_serves_several_requests);
	RUN(clients_that_go_away_harm_nobody);
	RUN(the_command_line_reads_it);
	RUN(what_prevents_a_start_is_one_line);
	RUN(more_collectors_than_a_shell_allows_files_find_a_server);
	RUN(sigterm_ends_it_in_order);
	spawned_done(&server);
	free(address);
	return 0;
}
