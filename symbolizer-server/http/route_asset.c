/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/route_asset.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "symbolizer-server/http/accept.h"
#include "web/assets.h"

/* The page is a hundred kilobytes; what is larger is something else. */
#define FILE_BYTES_MAX (8u << 20)

/* `If-None-Match: ETAG, ...`, each perhaps marked as weak by a proxy that compressed it. */
static bool is_known(const char *if_none_match, const char *etag)
{
	return if_none_match && (strstr(if_none_match, etag) || strcmp(if_none_match, "*") == 0);
}

static void answer_asset(const struct web_asset *asset, const struct http_request *request,
	struct http_answer *answer)
{
	bool gzip = accept_allows_gzip(request->accept_encoding) && asset->gzip_bytes;
	bool known = is_known(request->if_none_match, asset->etag);

	http_answer_begin(answer, known ? 304 : 200, asset->content_type);
	answer->etag = asset->etag;
	/* `no-cache` means: keep it, but ask before it is used again. */
	answer->cache_control =
		asset->immutable ? "public, max-age=31536000, immutable" : "no-cache";
	answer->varies = true;
	if (known)
		return;
	answer->gzipped = gzip;
	answer->fixed_body = gzip ? asset->gzip_bytes : asset->raw_bytes;
	answer->fixed_byte_count = gzip ? asset->gzip_byte_count : asset->raw_byte_count;
}

static const char *content_type_of(const char *path)
{
	static const struct {
		const char *end;
		const char *type;
	} types[] = {
		{".html", "text/html; charset=utf-8"},
		{".js", "text/javascript; charset=utf-8"},
		{".css", "text/css; charset=utf-8"},
		{".svg", "image/svg+xml"},
		{".json", "application/json"},
	};
	size_t length = strlen(path);

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		size_t end_length = strlen(types[i].end);

		if (length > end_length && strcmp(path + length - end_length, types[i].end) == 0)
			return types[i].type;
	}
	return NULL;
}

/* Only plain names below the folder: no part of PATH begins with a dot. */
static int open_file(const char *folder, const char *path)
{
	char full[4096];
	int length;

	if (strstr(path, "/."))
		return -1;
	length = snprintf(full, sizeof(full), "%s%s", folder, path);
	if (length < 0 || (size_t)length >= sizeof(full))
		return -1;
	return open(full, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

static bool answer_file(const char *folder, const char *path, struct http_answer *answer)
{
	const char *type = content_type_of(path);
	SCOPED_FD int fd = type ? open_file(folder, path) : -1;
	struct bytes_writer *body;
	struct stat about;
	char chunk[16384];
	ssize_t got;

	if (fd < 0 || fstat(fd, &about) < 0 || !S_ISREG(about.st_mode) ||
		about.st_size > FILE_BYTES_MAX)
		return false;
	body = http_answer_begin(answer, 200, type);
	while ((got = read(fd, chunk, sizeof(chunk))) > 0)
		bytes_write_span(body, chunk, (size_t)got);
	return got == 0;
}

bool route_asset(
	const struct site *site, const struct http_request *request, struct http_answer *answer)
{
	const char *path = strcmp(request->path, "/") == 0 ? "/index.html" : request->path;
	const struct web_asset *asset;

	if (site->web_dir)
		return answer_file(site->web_dir, path, answer);
	asset = web_asset_find(path);
	if (!asset)
		return false;
	answer_asset(asset, request, answer);
	return true;
}
