/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/process/container_name.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/base/cleanup.h"

/* Docker's and the runtimes' files have some 10 KB; podman's lists all containers of a host. */
#define FILE_BYTES_MAX (1u << 20)
#define ID_LENGTH 64
#define KEY_BYTES_MAX 64

struct json {
	const char *at;
	const char *end;
};

/* An escape that stands for one printable character; others, \u included, are refused. */
static int unescaped(char c)
{
	return c == '"' || c == '\\' || c == '/' ? c : -1;
}

/* Reads the string whose opening quote stands at the cursor. False: unclosed. RET_FITS: the text
 * fits and holds only plain characters. */
static bool read_string(struct json *json, char *ret_text, size_t text_bytes, bool *ret_fits)
{
	size_t length = 0;
	bool fits = true;

	for (json->at++; json->at < json->end; json->at++) {
		int c = (unsigned char)*json->at;

		if (c == '"') {
			json->at++;
			ret_text[length] = '\0';
			*ret_fits = fits;
			return true;
		}
		if (c == '\\') {
			if (++json->at == json->end)
				return false;
			c = unescaped(*json->at);
		}
		if (c < ' ' || length + 1 >= text_bytes)
			fits = false;
		else
			ret_text[length++] = (char)c;
	}
	return false;
}

static void skip_blanks(struct json *json)
{
	while (json->at < json->end && strchr(" \t\r\n", *json->at) && *json->at != '\0')
		json->at++;
}

static bool skip_char(struct json *json, char c)
{
	skip_blanks(json);
	if (json->at == json->end || *json->at != c)
		return false;
	json->at++;
	skip_blanks(json);
	return true;
}

bool container_name_find(const char *json, size_t length, const char *key, unsigned depth,
	char *ret_value, size_t value_bytes)
{
	struct json cursor = {json, json + length};
	unsigned objects = 0;
	char text[KEY_BYTES_MAX];
	bool fits;

	while (cursor.at < cursor.end) {
		if (*cursor.at == '{')
			objects++;
		else if (*cursor.at == '}' && objects > 0)
			objects--;
		if (*cursor.at != '"') {
			cursor.at++;
			continue;
		}
		if (!read_string(&cursor, text, sizeof(text), &fits))
			return false;
		if (!fits || strcmp(text, key) != 0 || (depth != 0 && objects != depth) ||
			!skip_char(&cursor, ':'))
			continue;
		if (cursor.at < cursor.end && *cursor.at == '"')
			return read_string(&cursor, ret_value, value_bytes, &fits) && fits;
	}
	return false;
}

static char *read_file(const char *root_folder, const char *path, size_t *ret_length)
{
	char whole[PATH_MAX];
	SCOPED_FREE char *text = NULL;
	SCOPED_FD int fd = -1;
	size_t length = 0;
	ssize_t got;

	if (snprintf(whole, sizeof(whole), "%s%s", root_folder, path) >= (int)sizeof(whole))
		return NULL;
	fd = open(whole, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return NULL;
	text = malloc(FILE_BYTES_MAX);
	if (!text)
		return NULL;
	while (length < FILE_BYTES_MAX &&
		(got = read(fd, text + length, FILE_BYTES_MAX - length)) > 0)
		length += (size_t)got;
	*ret_length = length;
	return TAKE(text);
}

/* A runtime that keeps one file for each container, and what stands in it. */
struct runtime {
	const char *folder;
	const char *file; /* below folder/id */
	const char *container_key;
	unsigned container_depth;
	const char *pod_key; /* NULL: knows no pods */
	const char *namespace_key;
};

static const struct runtime runtimes[] = {
	{"/var/lib/docker/containers", "config.v2.json", "Name", 1, NULL, NULL},
	{"/run/containerd/io.containerd.runtime.v2.task/k8s.io", "config.json",
		"io.kubernetes.cri.container-name", 0, "io.kubernetes.cri.sandbox-name",
		"io.kubernetes.cri.sandbox-namespace"},
	{"/run/containers/storage/overlay-containers", "userdata/config.json",
		"io.kubernetes.container.name", 0, "io.kubernetes.pod.name",
		"io.kubernetes.pod.namespace"},
};

static bool ask_runtime(const struct runtime *runtime, const char *root_folder, const char *id,
	struct container_name *name)
{
	SCOPED_FREE char *text = NULL;
	char path[256];
	size_t length;

	snprintf(path, sizeof(path), "%s/%s/%s", runtime->folder, id, runtime->file);
	text = read_file(root_folder, path, &length);
	if (!text ||
		!container_name_find(text, length, runtime->container_key, runtime->container_depth,
			name->container, sizeof(name->container)))
		return false;
	if (runtime->pod_key) {
		container_name_find(
			text, length, runtime->pod_key, 0, name->pod, sizeof(name->pod));
		container_name_find(text, length, runtime->namespace_key, 0, name->namespace_name,
			sizeof(name->namespace_name));
	}
	return true;
}

/* podman lists {"id":"...","names":["..."],...} of all containers in one file. */
static void ask_podman(const char *root_folder, const char *id, struct container_name *name)
{
	SCOPED_FREE char *text = NULL;
	struct json cursor;
	const char *found;
	size_t length;
	bool fits;

	text = read_file(root_folder,
		"/var/lib/containers/storage/overlay-containers/containers.json", &length);
	found = text ? memmem(text, length, id, ID_LENGTH) : NULL;
	if (!found)
		return;
	cursor = (struct json){found, text + length};
	found = memmem(cursor.at, (size_t)(cursor.end - cursor.at), "\"names\"", 7);
	if (!found)
		return;
	cursor.at = found + 7;
	if (!skip_char(&cursor, ':') || !skip_char(&cursor, '[') || cursor.at == cursor.end ||
		*cursor.at != '"')
		return;
	if (!read_string(&cursor, name->container, sizeof(name->container), &fits) || !fits)
		name->container[0] = '\0';
}

/* Only an id forms a path: a name could be one itself. */
static bool is_id(const char *id)
{
	return strlen(id) == ID_LENGTH && strspn(id, "0123456789abcdef") == ID_LENGTH;
}

void container_name_read(const char *root_folder, const char *id, struct container_name *ret_name)
{
	struct container_name name = {{0}, {0}, {0}};
	bool found = !is_id(id);

	for (size_t i = 0; !found && i < sizeof(runtimes) / sizeof(runtimes[0]); i++)
		found = ask_runtime(&runtimes[i], root_folder, id, &name);
	if (!found)
		ask_podman(root_folder, id, &name);
	/* Docker writes a name as a path of one component. */
	if (name.container[0] == '/')
		memmove(name.container, name.container + 1, strlen(name.container));
	*ret_name = name;
}
