/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Started from the bottom to the top, stopped the other way round:
 *
 *   file limit      before anything is opened
 *   HTTP socket     a port in use, gRPC's too, is found before anything else is touched
 *   data folder
 *   sandbox         opens this program's own file
 *   symbolizer      locks its folder, may move a damaged cache aside
 *   store           locks the data folder, takes up what a crash left
 *   host board
 *   guard           in front of the store, against labels with ever new values
 *   ingest desk     for uploads of other systems' clients
 *   HTTP            answers from here on, `/readyz` not yet
 *   gRPC            collectors may come
 */
#include "symbolizer-server/server.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/rpc/rpc_server.h"
#include "store/base/cleanup.h"
#include "store/base/fault.h"
#include "store/disk/profile_store.h"
#include "store/log/log.h"
#include "symbolizer-server/file_budget.h"
#include "symbolizer-server/guard/label_guard.h"
#include "symbolizer-server/http/http_server.h"
#include "symbolizer-server/http/memo.h"
#include "symbolizer-server/http/profile_query.h"
#include "symbolizer-server/http/query_board.h"
#include "symbolizer-server/http/route.h"
#include "symbolizer-server/http/site.h"
#include "symbolizer-server/http/watch_list.h"
#include "symbolizer-server/ingest/ingest_desk.h"
#include "symbolizer-server/sandbox/sandbox.h"
#include "symbolizer-server/service/grpc_service.h"
#include "symbolizer-server/status/host_board.h"
#include "symbolizer-server/symbol/debuginfod_servers.h"
#include "symbolizer-server/symbol/source_fetch.h"
#include "symbolizer-server/symbol/source_text.h"
#include "symbolizer-server/symbol/symbolizer.h"

#define PATH_BYTES_MAX 4096
/* Whoever can read the folder sees everybody's profiles. */
#define DATA_MODE 0700
/* The hosts that were there a moment ago are on the board at once, not only with their next batch;
 * looking for them may not hold up the start. */
#define BOARD_PAST_NS (120 * NS_PER_S)
#define BOARD_FILL_NS_MAX (500 * NS_PER_MS)

/* A batch that was begun is answered within a group commit; more patience helps nobody. */
#define GRPC_STOP_NS (5 * NS_PER_S)

struct server {
	const struct settings *settings;
	int http_fd;
	struct listen_address http_bound;
	struct file_budget files;
	struct sandbox sandbox;
	bool has_sandbox;
	struct symbolizer *symbolizer;
	struct source_texts *sources; /* NULL: no debuginfod server is set */
	struct profile_store *store;
	struct host_board *hosts;
	struct memo *trees;
	struct query_board *queries;
	struct ingest_desk *desk;
	struct label_guard *guard;
	struct watch_list *watches; /* NULL: none */
	struct http_counters http_counters;
	struct site site;
	_Atomic(struct http_server *) http; /* status may ask before it is there */
	_Atomic(struct grpc_service *) grpc; /* likewise */
	struct listen_address grpc_bound;
};

static int refuse_grpc(const struct settings *settings, int error)
{
	return log_error(error, "--grpc %s: cannot listen there; choose another address or port",
		settings->grpc_text);
}

/* Before anything is opened: what is wrong with a rule is found at once. */
static int read_watches(struct server *server)
{
	const struct setting_list *rules = &server->settings->watches;
	char error[WATCH_RULE_ERROR_BYTES_MAX];
	int r;

	if (rules->count == 0)
		return 0;
	r = watch_list_new(
		(const char *const *)rules->items, rules->count, error, &server->watches);
	return r < 0 ? log_error(r, "--watch: %s", error) : 0;
}

static int open_http_socket(struct server *server)
{
	const struct settings *settings = server->settings;
	int r = listen_address_open(&settings->http, &server->http_fd, &server->http_bound);

	if (r < 0) {
		return log_error(r,
			"--http %s: cannot listen there; choose another address or port",
			settings->http_text);
	}
	return 0;
}

/* gRPC opens its port itself, and last; whether it can is found out before anything is touched. */
static int try_grpc_port(struct server *server)
{
	const struct settings *settings = server->settings;
	struct listen_address bound;
	int fd, r = listen_address_open(&settings->grpc, &fd, &bound);

	if (r < 0)
		return refuse_grpc(settings, r);
	close(fd);
	return 0;
}

static int make_data_folder(struct server *server)
{
	const char *data = server->settings->data;

	if (mkdir(data, DATA_MODE) == 0 || errno == EEXIST)
		return 0;
	return log_error(-errno,
		"--data %s: the folder cannot be made; make it, or choose another one", data);
}

static int refuse_data(const struct server *server, int error, const char *problem)
{
	const char *advice = "choose another one, or look at its owner and mode";

	if (error == -EBUSY)
		advice = "another cairn-server uses it: stop that one, or choose another folder";
	if (error == -ENOTSUP)
		advice = "a newer version wrote it: use that version, or choose another folder";
	if (error == -ENOSPC)
		advice = "make room on its disk";
	return log_error(error, "--data %s cannot be used%s%s; %s", server->settings->data,
		*problem ? ": " : "", problem, advice);
}

static int start_symbols(struct server *server)
{
	const struct settings *settings = server->settings;
	char folder[PATH_BYTES_MAX];
	struct symbolizer_options options = {
		.folder = folder,
		.folders = (const char *const *)settings->symbol_folders.items,
		.folder_count = settings->symbol_folders.count,
		.debuginfod_urls = settings->debuginfod_urls,
		.sandbox = &server->sandbox,
		.clock = clock_system(),
		.cache_bytes_max = settings->symbol_bytes,
		.file_bytes_max = settings->symbol_file_bytes,
		.upload_bytes_max = settings->upload_bytes,
	};
	int length = snprintf(folder, sizeof(folder), "%s/symbols", settings->data);
	int r;

	if (length < 0 || (size_t)length >= sizeof(folder))
		return refuse_data(server, -ENAMETOOLONG, "");
	r = sandbox_init(&server->sandbox);
	if (r < 0) {
		return log_error(r,
			"this program cannot open its own file, which it runs again to "
			"parse symbols; start it by its full path");
	}
	server->has_sandbox = true;
	r = symbolizer_new(&options, &server->symbolizer);
	if (r == -EDESTADDRREQ) {
		/* They may hold credentials: not for the log. */
		return log_error(-EINVAL,
			"--debuginfod-urls: give at most %d addresses of HTTP servers, with blanks "
			"between them",
			DEBUGINFOD_SERVERS_MAX);
	}
	if (r < 0)
		return refuse_data(server, r, "");
	if (!symbolizer_servers(server->symbolizer))
		return 0;
	r = source_texts_new(source_fetch, symbolizer_servers(server->symbolizer), clock_system(),
		&server->sources);
	return r < 0 ? log_error(r, "preparing for source texts") : 0;
}

static void report_store(const struct profile_store_report *report)
{
	if (report->torn_tail_count > 0) {
		log_warning(0,
			"ignoring %" PRIu64 " bytes at the ends of %" PRIu64
			" files that a crash left unfinished: nothing of it was acknowledged",
			report->torn_tail_bytes, report->torn_tail_count);
	}
	if (report->damaged_count > 0) {
		log_warning(0,
			"ignoring %" PRIu64 " damaged stretches of files, %" PRIu64
			" bytes: the disk lost or changed what was written",
			report->damaged_count, report->damaged_bytes);
	}
}

static int start_store(struct server *server)
{
	struct profile_store_config config = {
		.dir = server->settings->data,
		.retain_ns = server->settings->retain_ns,
		.retain_bytes = server->settings->retain_bytes,
		.hot_ns = server->settings->hot_ns,
		.clock = clock_system(),
		.catalog = true,
	};
	struct profile_store_report report = {0};
	int r = profile_store_open(&config, &report, &server->store);

	if (r < 0)
		return refuse_data(server, r, report.problem);
	report_store(&report);
	return 0;
}

struct board_fill {
	struct host_board *hosts;
	uint64_t until_ns; /* monotonic */
};

static int fill_board(void *context, const struct profile *profile)
{
	struct board_fill *fill = context;

	if (clock_monotonic_ns() > fill->until_ns)
		return -ETIMEDOUT;
	return host_board_note(fill->hosts, profile, profile->head.received_at_ns);
}

static int start_board(struct server *server)
{
	struct board_fill fill = {.until_ns = clock_monotonic_ns() + BOARD_FILL_NS_MAX};
	uint64_t now_ns = clock_realtime_ns();
	int r = host_board_new(&server->hosts);

	if (r < 0)
		return log_error(r, "starting");
	fill.hosts = server->hosts;
	r = profile_store_visit(
		server->store, now_ns - BOARD_PAST_NS, UINT64_MAX, NULL, fill_board, &fill);
	if (r < 0 && r != -ETIMEDOUT)
		log_warning(r, "ignoring that the newest profiles could not be read for status");
	host_board_begin(server->hosts);
	return 0;
}

static int start_desk(struct server *server)
{
	int r = ingest_desk_new(server->store, server->symbolizer, server->guard, &server->desk);

	if (r < 0)
		return log_error(r, "preparing for uploads");
	ingest_desk_set_held_max(server->desk, server->settings->ingest_bytes);
	return 0;
}

static int start_guard(struct server *server)
{
	const struct settings *settings = server->settings;
	const struct label_guard_limits limits = {
		.values_max = (uint32_t)settings->label_values_max,
		.series_max = (uint32_t)settings->service_series_max,
		.total_max = (uint32_t)settings->series_max,
	};
	int r = label_guard_new(&limits, &server->guard);

	return r < 0 ? log_error(r, "starting") : 0;
}

static void visit_ingest(void *context, counted_fn visit, void *visit_context)
{
	struct server *server = context;
	struct grpc_service *grpc = server->grpc;

	if (grpc)
		grpc_service_visit_counters(grpc, visit, visit_context);
}

#define CONNECTION_ROW(name, meaning) {"http_" #name, meaning, 0},

static void visit_port(void *context, counted_fn visit, void *visit_context)
{
	static const struct counted rows[] = {ACCEPTOR_COUNTERS(CONNECTION_ROW)};
	struct server *server = context;
	struct http_server *http = server->http;
	uint64_t counts[ACCEPTOR_COUNTER_COUNT];

	if (!http)
		return;
	http_server_read_connections(http, counts);
	counted_visit(rows, counts, ACCEPTOR_COUNTER_COUNT, visit, visit_context);
}

/* Clients of other systems send by gRPC to the port that they know. */
static int pass_to_grpc(void *context, int fd, const struct peer *peer)
{
	struct server *server = context;
	struct grpc_service *grpc = server->grpc;

	if (grpc)
		return grpc_service_adopt(grpc, fd, peer);
	close(fd);
	return -EPROTO;
}

static int start_http(struct server *server)
{
	const struct settings *settings = server->settings;
	struct http_server_options options = {
		.listen_fd = server->http_fd,
		.plan = http_route_plan,
		.receive = http_route_receive,
		.context = &server->site,
		.counters = &server->http_counters,
		.connection_count_max = server->files.http_connections,
		.other_words = RPC_PREFACE,
		.pass = pass_to_grpc,
		.pass_context = server,
	};
	struct http_server *http;
	int r;

	r = memo_new(settings->query_memo_bytes, profile_tree_free, &server->trees);
	if (r == 0)
		r = query_board_new(&server->queries);
	if (r < 0)
		return log_error(r, "starting");
	server->site = (struct site){
		.trees = server->trees,
		.queries = server->queries,
		.watches = server->watches,
		.query_ns_max = settings->query_ns,
		.query_bytes_max = settings->query_bytes,
		.store = server->store,
		.symbolizer = server->symbolizer,
		.sources = server->sources,
		.hosts = server->hosts,
		.desk = server->desk,
		.label_guard = server->guard,
		.clock = clock_system(),
		.guard = {(const char *const *)settings->allowed_hosts.items,
			settings->allowed_hosts.count},
		.insecure_uploads = settings->insecure_uploads,
		.web_dir = settings->web_dir,
		.started_at_ns = clock_realtime_ns(),
		.counters = &server->http_counters,
		.visit_ingest = visit_ingest,
		.visit_port = visit_port,
		.server = server,
	};
	server->http_fd = -1;
	r = http_server_new(&options, &http);
	if (r < 0)
		return log_error(r, "starting the HTTP server");
	server->http = http;
	return 0;
}

static void set_port(struct listen_address *address, uint16_t port)
{
	if (address->address.ss_family == AF_INET6)
		((struct sockaddr_in6 *)&address->address)->sin6_port = htons(port);
	else
		((struct sockaddr_in *)&address->address)->sin_port = htons(port);
}

static int start_grpc(struct server *server)
{
	const struct settings *settings = server->settings;
	char text[LISTEN_ADDRESS_TEXT_MAX];
	struct grpc_service_options options = {
		.address = text,
		.store = server->store,
		.symbolizer = server->symbolizer,
		.hosts = server->hosts,
		.guard = server->guard,
		.desk = server->desk,
		.clock = clock_system(),
		.insecure_uploads = settings->insecure_uploads,
		.connection_count_max = server->files.grpc_connections,
	};
	struct grpc_service *grpc;
	int r;

	listen_address_format(&settings->grpc, text);
	r = grpc_service_new(&options, &grpc);
	if (r < 0)
		return refuse_grpc(settings, r);
	server->grpc_bound = settings->grpc;
	set_port(&server->grpc_bound, grpc_service_port(grpc));
	server->grpc = grpc;
	return 0;
}

/* A shell allows 1024 open files: as many as may be are asked for, and divided. */
static int divide_files(struct server *server)
{
	struct rlimit limit;
	int r;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return log_error(-errno, "asking for the limit of open files");
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
	r = file_budget_divide(limit.rlim_max, &server->files);
	if (r < 0) {
		return log_error(r,
			"only %llu files may be open, it takes %u at least; raise the limit "
			"(ulimit -Hn, LimitNOFILE=)",
			(unsigned long long)limit.rlim_max, FILE_BUDGET_MIN);
	}
	if (!server->files.is_whole) {
		log_warning(0,
			"only %llu files may be open: that is enough for %u collectors and %u "
			"connections of HTTP; raise the limit (ulimit -Hn, LimitNOFILE=)",
			(unsigned long long)limit.rlim_max, server->files.grpc_connections,
			server->files.http_connections);
	}
	return 0;
}

static int start_parts(struct server *server)
{
	static int (*const starts[])(struct server *) = {read_watches, divide_files,
		open_http_socket, try_grpc_port, make_data_folder, start_symbols, start_store,
		start_board, start_guard, start_desk, start_http, start_grpc};
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(starts) / sizeof(starts[0]); i++)
		r = starts[i](server);
	return r;
}

static void announce(const struct server *server)
{
	char text[LISTEN_ADDRESS_TEXT_MAX];

	/* Not log lines: programs read them, at any log level. */
	listen_address_format(&server->http_bound, text);
	fprintf(stderr, "listening http %s\n", text);
	listen_address_format(&server->grpc_bound, text);
	fprintf(stderr, "listening grpc %s\n", text);
}

int server_start(const struct settings *settings, struct server **ret_server)
{
	struct server *server = calloc(1, sizeof(*server));
	int r;

	if (!server)
		return log_error(-ENOMEM, "starting");
	server->settings = settings;
	server->http_fd = -1;
	r = start_parts(server);
	if (r < 0) {
		(void)server_stop(server);
		return r;
	}
	atomic_store(&server->site.ready, true);
	announce(server);
	*ret_server = server;
	return 0;
}

int server_stop(struct server *server)
{
	int r = 0;

	atomic_store(&server->site.ready, false);
	if (server->grpc && grpc_service_stop(server->grpc, GRPC_STOP_NS) < 0) {
		log_warning(0,
			"some collectors did not let go and were cut off; they keep what "
			"was not answered");
	}
	http_server_free(server->http);
	memo_free(server->trees);
	query_board_free(server->queries);
	watch_list_free(server->watches);
	if (server->store)
		r = profile_store_flush(server->store);
	if (r < 0)
		log_error(r, "what came last could not be made durable; its senders keep it");
	profile_store_close(server->store);
	grpc_service_free(server->grpc);
	source_texts_free(server->sources);
	symbolizer_free(server->symbolizer);
	label_guard_free(server->guard);
	host_board_free(server->hosts);
	ingest_desk_free(server->desk);
	if (server->has_sandbox)
		sandbox_done(&server->sandbox);
	if (server->http_fd >= 0)
		close(server->http_fd);
	free(server);
	return r;
}
