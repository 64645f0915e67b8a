/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/debuginfod_servers.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "store/base/must.h"
#include "symbolizer-server/symbol/debuginfod_client.h"

struct server {
	char *url; /* as given */
	char *shown;
	uint32_t failures; /* in a row */
	uint64_t failing_since_ns; /* epoch */
	uint64_t rests_until_ns; /* monotonic; 0: it does not rest */
	int error;
	uint64_t counts[DEBUGINFOD_SERVER_COUNTER_COUNT];
};

struct debuginfod_servers {
	pthread_mutex_t lock; /* of all but the URLs and their number, which stay */
	struct clock clock;
	struct server servers[DEBUGINFOD_SERVERS_MAX];
	uint32_t count;
};

static int add_server(struct debuginfod_servers *servers, const char *url)
{
	struct server *server = &servers->servers[servers->count];
	int r;

	if (servers->count == DEBUGINFOD_SERVERS_MAX)
		return -E2BIG;
	r = debuginfod_url_shown(url, &server->shown);
	if (r < 0)
		return r;
	server->url = strdup(url);
	servers->count++;
	return server->url ? 0 : -ENOMEM;
}

static int add_servers(struct debuginfod_servers *servers, const char *urls)
{
	SCOPED_FREE char *text = strdup(urls);
	char *rest = text, *url;
	int r = text ? 0 : -ENOMEM;

	while (r == 0 && (url = strsep(&rest, " \t\n")) != NULL)
		if (*url)
			r = add_server(servers, url);
	return r;
}

int debuginfod_servers_new(
	const char *urls, struct clock clock, struct debuginfod_servers **ret_servers)
{
	struct debuginfod_servers *servers = calloc(1, sizeof(*servers));
	int r;

	if (!servers)
		return -ENOMEM;
	pthread_mutex_init(&servers->lock, NULL);
	servers->clock = clock;
	r = add_servers(servers, urls);
	if (r < 0) {
		debuginfod_servers_free(servers);
		return r;
	}
	*ret_servers = servers;
	return 0;
}

void debuginfod_servers_free(struct debuginfod_servers *servers)
{
	if (!servers)
		return;
	for (uint32_t i = 0; i < servers->count; i++) {
		free(servers->servers[i].url);
		free(servers->servers[i].shown);
	}
	pthread_mutex_destroy(&servers->lock);
	free(servers);
}

uint32_t debuginfod_servers_count(const struct debuginfod_servers *servers)
{
	return servers->count;
}

const char *debuginfod_servers_url(const struct debuginfod_servers *servers, uint32_t index)
{
	must(index < servers->count);
	return servers->servers[index].url;
}

/* With LOCK from here on. */
static struct server *lock_server(struct debuginfod_servers *servers, uint32_t index)
{
	must(index < servers->count);
	pthread_mutex_lock(&servers->lock);
	return &servers->servers[index];
}

bool debuginfod_servers_begin(struct debuginfod_servers *servers, uint32_t index)
{
	uint64_t now_ns = clock_read(&servers->clock).monotonic_ns;
	struct server *server = lock_server(servers, index);
	bool may = now_ns >= server->rests_until_ns;

	if (may && server->rests_until_ns > 0)
		server->rests_until_ns = now_ns + DEBUGINFOD_TRY_NS;
	server->counts[DEBUGINFOD_SERVER_ASKED] += may;
	server->counts[DEBUGINFOD_SERVER_OPEN] += may;
	server->counts[DEBUGINFOD_SERVER_SPARED] += !may;
	pthread_mutex_unlock(&servers->lock);
	return may;
}

static enum debuginfod_change note_answer(struct server *server)
{
	bool rested = server->rests_until_ns > 0;

	server->failures = 0;
	server->failing_since_ns = server->rests_until_ns = 0;
	return rested ? DEBUGINFOD_ANSWERS_AGAIN : DEBUGINFOD_NO_CHANGE;
}

static uint64_t rest_ns(uint32_t failures, uint32_t wait_seconds)
{
	uint64_t wait_ns = (uint64_t)wait_seconds * NS_PER_S, ns = 0;

	if (failures >= DEBUGINFOD_FAILURES_MAX)
		ns = DEBUGINFOD_REST_NS;
	for (uint32_t i = DEBUGINFOD_FAILURES_MAX; i < failures && ns < DEBUGINFOD_REST_NS_MAX; i++)
		ns *= 2;
	if (ns > DEBUGINFOD_REST_NS_MAX)
		ns = DEBUGINFOD_REST_NS_MAX;
	return wait_ns > ns ? wait_ns : ns;
}

static enum debuginfod_change note_failure(
	struct server *server, struct clock_reading now, uint32_t wait_seconds)
{
	bool rested = server->rests_until_ns > 0;
	uint64_t ns;

	if (server->failures < UINT32_MAX)
		server->failures++;
	if (server->failing_since_ns == 0)
		server->failing_since_ns = now.realtime_ns;
	ns = rest_ns(server->failures, wait_seconds);
	if (ns > 0)
		server->rests_until_ns = now.monotonic_ns + ns;
	return ns > 0 && !rested ? DEBUGINFOD_NOW_RESTS : DEBUGINFOD_NO_CHANGE;
}

static enum debuginfod_server_counter counter_of(int error)
{
	if (error == 0)
		return DEBUGINFOD_SERVER_HITS;
	if (error == -ENOENT)
		return DEBUGINFOD_SERVER_MISSES;
	return debuginfod_error_is_theirs(error) ? DEBUGINFOD_SERVER_FAILURES
						 : DEBUGINFOD_SERVER_STOPPED;
}

/* Also what is no file, or too large a one, was said by a server that answers. */
static bool is_answer(int error)
{
	return error == 0 || error == -ENOENT || error == -EBADMSG || error == -EFBIG;
}

enum debuginfod_change debuginfod_servers_end(struct debuginfod_servers *servers, uint32_t index,
	int error, uint64_t byte_count, uint32_t wait_seconds)
{
	enum debuginfod_change change = DEBUGINFOD_NO_CHANGE;
	struct clock_reading now = clock_read(&servers->clock);
	struct server *server = lock_server(servers, index);

	server->counts[DEBUGINFOD_SERVER_OPEN]--;
	server->counts[counter_of(error)]++;
	server->counts[DEBUGINFOD_SERVER_BYTES] += byte_count;
	if (is_answer(error))
		change = note_answer(server);
	else if (debuginfod_error_is_theirs(error))
		change = note_failure(server, now, wait_seconds);
	if (debuginfod_error_is_theirs(error))
		server->error = error;
	pthread_mutex_unlock(&servers->lock);
	return change;
}

void debuginfod_servers_note_known(struct debuginfod_servers *servers, uint32_t index)
{
	struct server *server = lock_server(servers, index);

	server->counts[DEBUGINFOD_SERVER_KNOWN]++;
	pthread_mutex_unlock(&servers->lock);
}

uint64_t debuginfod_servers_rests_until_ns(struct debuginfod_servers *servers, uint32_t index)
{
	const struct server *server = lock_server(servers, index);
	uint64_t until_ns = server->rests_until_ns;

	pthread_mutex_unlock(&servers->lock);
	return until_ns;
}

void debuginfod_servers_read(struct debuginfod_servers *servers, uint32_t index,
	struct debuginfod_server_state *ret_state)
{
	struct clock_reading now = clock_read(&servers->clock);
	const struct server *server = lock_server(servers, index);

	*ret_state = (struct debuginfod_server_state){
		.url = server->shown,
		.failing_since_ns = server->failing_since_ns,
		.error = server->error,
	};
	if (server->rests_until_ns > now.monotonic_ns)
		ret_state->next_try_ns =
			now.realtime_ns + server->rests_until_ns - now.monotonic_ns;
	memcpy(ret_state->counts, server->counts, sizeof(ret_state->counts));
	pthread_mutex_unlock(&servers->lock);
}

struct counter_text {
	const char *name;
	const char *meaning;
};

#define COUNTER_TEXT(name, text, meaning) [DEBUGINFOD_SERVER_##name] = {text, meaning},
static const struct counter_text counter_texts[] = {DEBUGINFOD_SERVER_COUNTERS(COUNTER_TEXT)};
#undef COUNTER_TEXT

const char *debuginfod_counter_name(enum debuginfod_server_counter counter)
{
	return counter_texts[counter].name;
}

const char *debuginfod_counter_meaning(enum debuginfod_server_counter counter)
{
	return counter_texts[counter].meaning;
}
