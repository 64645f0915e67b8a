/* SPDX-License-Identifier: Apache-2.0 */
/* `cairn symbols upload`: programs and debug files of a build, for a server that saw or will see them
 * run. The server is asked first, so that a pipeline may name the same folder each time. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "store/base/cleanup.h"
#include "symbolizer-server/cli/build_file.h"
#include "symbolizer-server/cli/command.h"
#include "symbolizer-server/cli/fetch.h"
#include "symbolizer-server/cli/output.h"

/* More files than any build leaves behind. */
#define PATH_COUNT_MAX (1u << 20)
/* Times that a broken connection is taken up again where it ended. */
#define TRIES_MAX 4

/* Paths that are still to be looked at. */
struct walk {
	struct path {
		char *text;
		bool is_named; /* by the caller, not found in a folder */
	} * paths;
	size_t count;
	size_t capacity;
};

struct tally {
	size_t sent;
	size_t spared;
	size_t failed;
	size_t passed_over; /* found in a folder, of no use to the server */
};

/* Takes over TEXT. */
static int walk_add(struct walk *walk, char *text, bool is_named)
{
	if (!text || walk->count >= PATH_COUNT_MAX) {
		free(text);
		return text ? -E2BIG : -ENOMEM;
	}
	if (walk->count == walk->capacity) {
		size_t capacity = walk->capacity ? 2 * walk->capacity : 64;
		struct path *paths = realloc(walk->paths, capacity * sizeof(*paths));

		if (!paths) {
			free(text);
			return -ENOMEM;
		}
		walk->paths = paths;
		walk->capacity = capacity;
	}
	walk->paths[walk->count++] = (struct path){text, is_named};
	return 0;
}

static void walk_done(struct walk *walk)
{
	for (size_t i = 0; i < walk->count; i++)
		free(walk->paths[i].text);
	free(walk->paths);
}

static int walk_folder(struct walk *walk, const char *folder)
{
	DIR *entries = opendir(folder);
	const struct dirent *entry;
	int r = 0;

	if (!entries)
		return -errno;
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread */
	while (r == 0 && (entry = readdir(entries)) != NULL) {
		char *path;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (asprintf(&path, "%s/%s", folder, entry->d_name) < 0)
			path = NULL;
		r = walk_add(walk, path, false);
	}
	closedir(entries);
	return r;
}

static void print_line(const char *what, const struct build_file *file, const char *path)
{
	char id[BUILD_ID_TEXT_MAX], amount[AMOUNT_BYTES_MAX];

	build_id_format(&file->id, id);
	output_amount((double)file->byte_count, "bytes", amount);
	printf("%-13s %10s  %-18s  %s  ", what, amount, build_file_text(file), id);
	output_text(stdout, path);
	putchar('\n');
}

static void print_failure(struct tally *tally, const char *path, const char *reason)
{
	tally->failed++;
	fputs("cairn: ", stderr);
	output_text(stderr, path);
	fputs(": ", stderr);
	output_text(stderr, reason);
	fputc('\n', stderr);
}

static void set_request(const struct options *options, const struct build_file *file,
	const char *name, char *path, struct fetch_request *ret_request)
{
	char id[BUILD_ID_TEXT_MAX];

	build_id_format(&file->id, id);
	snprintf(path, BUILD_ID_TEXT_MAX + 32, "/api/v1/symbols/%s", id);
	*ret_request = (struct fetch_request){.server = options->server, .path = path};
	ret_request->params[0] =
		(struct fetch_param){"kind", file->contents.is_package ? "dwp" : NULL};
	ret_request->params[1] = (struct fetch_param){"name", name};
}

/* What the server has of it: whether that is enough, and where a former upload ended. */
static int ask(const struct fetch_request *request, const struct build_file *file,
	bool *ret_covered, uint64_t *ret_offset, char *ret_error)
{
	size_t byte_count;
	SCOPED_FREE char *body = NULL;
	const struct cJSON *kept, *offset;
	struct cJSON *json;
	int r = fetch_get(request, &body, &byte_count, ret_error);

	if (r < 0)
		return r;
	json = cJSON_ParseWithLength(body, byte_count);
	*ret_covered = false;
	cJSON_ArrayForEach(
		kept, cJSON_GetObjectItemCaseSensitive(json, "files")) if (cJSON_IsString(kept) &&
		build_file_is_covered(file, kept->valuestring)) *ret_covered = true;
	offset = cJSON_GetObjectItemCaseSensitive(json, "offset");
	*ret_offset = cJSON_IsNumber(offset) && offset->valuedouble > 0 &&
			offset->valuedouble < (double)file->byte_count
		? (uint64_t)offset->valuedouble
		: 0;
	cJSON_Delete(json);
	return 0;
}

/* Sends the file, and goes on where the connection broke. */
static int send_file(const struct fetch_request *request, const struct build_file *file, int fd,
	bool *ret_covered, char *ret_error)
{
	int r = -EPIPE;

	for (int i = 0; r == -EPIPE && i < TRIES_MAX; i++) {
		struct fetch_file body = {.fd = fd, .byte_count = file->byte_count};

		r = ask(request, file, ret_covered, &body.offset, ret_error);
		if (r == 0 && !*ret_covered)
			r = fetch_put(request, &body, ret_error);
	}
	return r;
}

static void upload_one(const struct options *options, const struct path *path, struct tally *tally)
{
	char error[FETCH_ERROR_BYTES_MAX] = "out of memory";
	char url[BUILD_ID_TEXT_MAX + 32];
	const char *slash = strrchr(path->text, '/');
	struct fetch_request request;
	struct build_file file;
	SCOPED_FD int fd = -1;
	bool covered = false;
	int r = build_file_open(path->text, &file, &fd);

	if (!path->is_named && (r == -ENOEXEC || r == -ENOMSG || r == -ENODATA)) {
		tally->passed_over++;
		return;
	}
	if (r < 0) {
		print_failure(tally, path->text, build_file_error(r));
		return;
	}
	set_request(options, &file, slash ? slash + 1 : path->text, url, &request);
	r = send_file(&request, &file, fd, &covered, error);
	if (r < 0) {
		print_failure(tally, path->text, error);
		return;
	}
	print_line(covered ? "there already" : "uploaded", &file, path->text);
	if (covered)
		tally->spared++;
	else
		tally->sent++;
}

/* Links that are found in a folder are not followed: what they lead to is found by itself, or lies
 * outside. */
static void visit(
	const struct options *options, struct walk *walk, struct path path, struct tally *tally)
{
	struct stat stat_buffer;
	int r = path.is_named ? stat(path.text, &stat_buffer) : lstat(path.text, &stat_buffer);

	if (r < 0) {
		print_failure(tally, path.text, build_file_error(-errno));
	} else if (S_ISDIR(stat_buffer.st_mode)) {
		r = walk_folder(walk, path.text);
		if (r < 0)
			print_failure(tally, path.text, build_file_error(r));
	} else if (S_ISREG(stat_buffer.st_mode)) {
		upload_one(options, &path, tally);
	} else if (path.is_named) {
		print_failure(tally, path.text, "neither a file nor a folder");
	}
}

int command_symbols_upload(const struct options *options)
{
	struct walk walk = {.count = 0};
	struct tally tally = {.sent = 0};
	int r = 0;

	if (options->operand_count < 2)
		return command_misuse("cairn symbols upload FILE|DIR...: say what to upload");
	for (int i = options->operand_count - 1; r == 0 && i >= 1; i--)
		r = walk_add(&walk, strdup(options->operands[i]), true);
	if (r < 0) {
		walk_done(&walk);
		return command_fail("out of memory");
	}
	while (walk.count > 0) {
		struct path path = walk.paths[--walk.count];

		visit(options, &walk, path, &tally);
		free(path.text);
	}
	walk_done(&walk);
	printf("%zu uploaded, %zu there already, %zu failed, %zu others passed over\n", tally.sent,
		tally.spared, tally.failed, tally.passed_over);
	r = command_finish();
	return tally.failed > 0 ? 1 : r;
}

int command_symbols_any(const struct options *options)
{
	if (options->operand_count > 0 && strcmp(options->operands[0], "upload") == 0)
		return command_symbols_upload(options);
	if (options->operand_count > 0)
		return command_misuse("cairn symbols lists modules, cairn symbols upload "
				      "FILE|DIR... gives their files");
	return command_symbols(options);
}
