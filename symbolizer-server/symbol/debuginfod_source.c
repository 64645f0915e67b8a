/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/debuginfod_source.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/base/bytes.h"
#include "store/base/cleanup.h"
#include "store/base/hash.h"
#include "store/base/nameless_file.h"
#include "symbolizer-server/symbol/debuginfod_ask.h"

/* A server that accepts and says nothing costs that long. */
#define SILENCE_SECONDS_MAX 10
/* For one file, however large. */
#define WHOLE_TIME_MS UINT64_C(600000)
/* What the servers send is read once more before anything depends on it. */
#define FILE_BYTES_MAX (UINT64_C(4) << 30)
/* The address of a server and what it is asked for, to be hashed. */
#define KEY_BYTES_MAX ((size_t)64 << 10)
#define PATH_BYTES_MAX 192

struct debuginfod_source {
	struct symbol_source source;
	struct debuginfod_source_options options;
	struct debuginfod_client *clients[SYMBOL_WORKERS_MAX]; /* made by its worker */
	atomic_bool stopping;
};

static struct debuginfod_source *of_source(struct symbol_source *source)
{
	return (struct debuginfod_source *)source;
}

/* ---- What a server does not have ---- */

/* A server and a question to it, as the misses of the cache know them. Unknown without memory. */
static struct build_id key_of(const struct debuginfod_source *source, uint32_t server,
	const struct symbol_question *question)
{
	const char *url = debuginfod_servers_url(source->options.servers, server);
	struct build_id key = {.byte_count = 0};
	struct bytes_writer writer;
	struct hash128 hash;

	bytes_writer_init(&writer, KEY_BYTES_MAX);
	bytes_write_span(&writer, url, strlen(url) + 1);
	bytes_write_u8(&writer, (uint8_t)question->file);
	bytes_write_u8(&writer, question->id.kind);
	bytes_write_span(&writer, question->id.bytes, question->id.byte_count);
	if (bytes_writer_fault(&writer) == 0) {
		hash = hash128_bytes(writer.bytes, writer.byte_count);
		if (build_id_make(BUILD_ID_HTL, &hash, sizeof(hash), &key) < 0)
			key = (struct build_id){.byte_count = 0};
	}
	bytes_writer_done(&writer);
	return key;
}

static bool is_known_to_lack(const struct debuginfod_source *source, uint32_t server,
	const struct symbol_question *question)
{
	struct build_id key = key_of(source, server, question);
	uint64_t until_ns;
	uint32_t reason;

	return build_id_known(&key) &&
		symbol_misses_find(
			source->options.misses, SYMBOL_MISS_SERVER, &key, &reason, &until_ns) == 0;
}

static void note_lack(const struct debuginfod_source *source, uint32_t server,
	const struct symbol_question *question)
{
	struct build_id key = key_of(source, server, question);
	uint64_t now_ns = clock_read(&source->options.clock).realtime_ns;

	/* What finds no room is asked for again. */
	if (build_id_known(&key))
		symbol_misses_note(source->options.misses, SYMBOL_MISS_SERVER, &key, 0,
			now_ns + question->hold_ns);
}

/* ---- Asking ---- */

static void write_path(const struct symbol_question *question, char ret_path[PATH_BYTES_MAX])
{
	char id[BUILD_ID_TEXT_MAX];

	build_id_format(&question->id, id);
	snprintf(ret_path, PATH_BYTES_MAX, "/buildid/%s/%s", id,
		question->file == SYMBOL_FILE_DEBUGINFO ? "debuginfo" : "executable");
}

struct asking {
	struct debuginfod_source *source;
	const struct symbol_question *question;
	struct debuginfod_client *client;
	struct debuginfod_request request;
};

static int ask_server(const struct asking *asking, uint32_t server, uint64_t *ret_byte_count)
{
	struct debuginfod_servers *servers = asking->source->options.servers;
	int r;

	if (is_known_to_lack(asking->source, server, asking->question)) {
		debuginfod_servers_note_known(servers, server);
		return -ENOENT;
	}
	r = debuginfod_ask(servers, server, asking->client, asking->request, false, ret_byte_count);
	if (r == -ENOENT || r == -EBADMSG || r == -EFBIG)
		note_lack(asking->source, server, asking->question);
	return r;
}

/* One after the other, until there is a file or we are at an end ourselves. */
static int ask_servers(const struct asking *asking, struct symbol_fetched *fetched)
{
	uint32_t count = debuginfod_servers_count(asking->source->options.servers);
	int worst = -ENOENT;

	for (uint32_t i = asking->question->skip; i < count; i++) {
		int r = ask_server(asking, i, &fetched->byte_count);

		if (r == 0) {
			fetched->next = i + 1;
			return 0;
		}
		if (r != -EAGAIN && r != -ENOENT && !debuginfod_error_is_theirs(r))
			return r;
		worst = debuginfod_worse(worst, r);
	}
	return worst;
}

static int fetch(struct symbol_source *base, unsigned worker,
	const struct symbol_question *question, struct symbol_fetched *ret_fetched)
{
	struct debuginfod_source *source = of_source(base);
	SCOPED_FD int fd = nameless_file_open(source->options.folder_fd);
	struct symbol_fetched fetched = {.fd = -1};
	char path[PATH_BYTES_MAX];
	int r = fd < 0 ? fd : 0;

	if (atomic_load(&source->stopping))
		return -ECANCELED;
	if (r == 0 && !source->clients[worker])
		r = debuginfod_client_new(&source->clients[worker]);
	if (r < 0)
		return r;
	/* The file that came from there was another one. */
	if (question->skip > 0)
		note_lack(source, question->skip - 1, question);
	write_path(question, path);
	r = ask_servers(
		&(struct asking){
			.source = source,
			.question = question,
			.client = source->clients[worker],
			.request = {.path = path,
				.to_fd = fd,
				.bytes_max = FILE_BYTES_MAX,
				.silence_seconds = SILENCE_SECONDS_MAX,
				.time_ms_max = WHOLE_TIME_MS,
				.elf = true,
				.stop = &source->stopping},
		},
		&fetched);
	if (r < 0)
		return r;
	fetched.fd = TAKE_FD(fd);
	*ret_fetched = fetched;
	return 0;
}

static uint64_t rests_until_ns(struct symbol_source *base, const struct symbol_question *question)
{
	struct debuginfod_source *source = of_source(base);
	struct debuginfod_servers *servers = source->options.servers;
	uint64_t now_ns = clock_read(&source->options.clock).monotonic_ns, first_ns = UINT64_MAX;

	for (uint32_t i = question->skip; i < debuginfod_servers_count(servers); i++) {
		uint64_t until_ns = debuginfod_servers_rests_until_ns(servers, i);

		if (is_known_to_lack(source, i, question))
			continue;
		if (until_ns <= now_ns)
			return 0;
		if (until_ns < first_ns)
			first_ns = until_ns;
	}
	/* Nobody is left to be asked: the answer is there at once. */
	return first_ns == UINT64_MAX ? 0 : first_ns;
}

static void release(struct symbol_source *base, struct symbol_fetched *fetched)
{
	(void)base;
	close(fetched->fd);
	*fetched = (struct symbol_fetched){.fd = -1};
}

static void stop(struct symbol_source *base)
{
	atomic_store(&of_source(base)->stopping, true);
}

static void source_free(struct symbol_source *base)
{
	struct debuginfod_source *source = of_source(base);

	for (unsigned i = 0; i < SYMBOL_WORKERS_MAX; i++)
		debuginfod_client_free(source->clients[i]);
	free(source);
}

int debuginfod_source_new(
	const struct debuginfod_source_options *options, struct symbol_source **ret_source)
{
	struct debuginfod_source *source = calloc(1, sizeof(*source));

	if (!source)
		return -ENOMEM;
	source->options = *options;
	source->source = (struct symbol_source){
		.name = "debuginfod",
		.fetch = fetch,
		.release = release,
		.rests_until_ns = rests_until_ns,
		.stop = stop,
		.free = source_free,
	};
	*ret_source = &source->source;
	return 0;
}
