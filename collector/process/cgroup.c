/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/process/cgroup.h"

#include <string.h>

#define ID_LENGTH 64
#define UUID_LENGTH 36
/* A static pod's UID is a hash. */
#define STATIC_POD_LENGTH 32
/* BuildKit's ids: base36 of 16 random bytes. */
#define BUILDKIT_ID_LENGTH 25
#define ECS_TASK_LENGTH 32

struct piece {
	const char *text;
	size_t length;
};

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

static bool is_name_char(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		c == '-' || c == '_' || c == '.';
}

static bool all_of(struct piece piece, bool (*fits)(char))
{
	for (size_t i = 0; i < piece.length; i++) {
		if (!fits(piece.text[i]))
			return false;
	}
	return piece.length > 0;
}

static bool equals(struct piece piece, const char *text)
{
	return piece.length == strlen(text) && memcmp(piece.text, text, piece.length) == 0;
}

static bool skip_prefix(struct piece *piece, const char *prefix)
{
	size_t length = strlen(prefix);

	if (piece->length <= length || memcmp(piece->text, prefix, length) != 0)
		return false;
	piece->text += length;
	piece->length -= length;
	return true;
}

static bool skip_suffix(struct piece *piece, const char *suffix)
{
	size_t length = strlen(suffix);

	if (piece->length <= length ||
		memcmp(piece->text + piece->length - length, suffix, length) != 0)
		return false;
	piece->length -= length;
	return true;
}

static bool holds(struct piece piece, const char *word)
{
	return memmem(piece.text, piece.length, word, strlen(word)) != NULL;
}

/* A text that is too long for its kind is none of it. */
static bool keep(struct piece piece, char *ret_text, size_t text_max)
{
	if (piece.length > text_max)
		return false;
	memcpy(ret_text, piece.text, piece.length);
	ret_text[piece.length] = '\0';
	return true;
}

/* <runtime>-<id>.scope, <unit>:<runtime>:<id>, or the id alone. */
static bool find_id(struct piece piece, struct piece *ret_id)
{
	struct piece id = piece;

	skip_suffix(&id, ".scope");
	if (id.length < ID_LENGTH)
		return false;
	id.text += id.length - ID_LENGTH;
	id.length = ID_LENGTH;
	if (!all_of(id, is_hex))
		return false;
	if (id.text != piece.text && id.text[-1] != '-' && id.text[-1] != ':')
		return false;
	/* The monitor of a container lives beside it, not in it. */
	if (holds(piece, "conmon"))
		return false;
	*ret_id = id;
	return true;
}

/* <task>-<number> of ECS on Fargate. */
static bool is_ecs_container(struct piece piece)
{
	struct piece task = {piece.text, ECS_TASK_LENGTH};

	if (piece.length <= ECS_TASK_LENGTH + 1 || piece.text[ECS_TASK_LENGTH] != '-' ||
		!all_of(task, is_hex))
		return false;
	for (size_t i = ECS_TASK_LENGTH + 1; i < piece.length; i++) {
		if (piece.text[i] < '0' || piece.text[i] > '9')
			return false;
	}
	return true;
}

/* Ids of other shapes than find_id's. */
static bool find_odd_id(struct piece before, struct piece piece, struct piece *ret_id)
{
	if (!is_ecs_container(piece) && !equals(before, "garden") &&
		(!equals(before, "buildkit") || piece.length != BUILDKIT_ID_LENGTH))
		return false;
	*ret_id = piece;
	return all_of(piece, is_name_char);
}

/* Containers that people gave a name, told by the component before them or by a prefix. */
static bool find_named(struct piece before, struct piece piece, struct piece *ret_name)
{
	struct piece name = piece;
	bool found = equals(before, "lxc") || equals(before, "lxc.payload") ||
		skip_prefix(&name, "lxc.payload.");

	if (!found && skip_prefix(&name, "systemd-nspawn@"))
		found = skip_suffix(&name, ".service");
	else if (!found && skip_prefix(&name, "machine-"))
		found = skip_suffix(&name, ".scope");
	if (!found || !all_of(name, is_name_char))
		return false;
	*ret_name = name;
	return true;
}

static void find_container(struct piece before, struct piece piece, struct cgroup_place *place)
{
	struct piece container;
	bool named = find_named(before, piece, &container);

	if (!named && !find_id(piece, &container) && !find_odd_id(before, piece, &container))
		return;
	if (!keep(container, place->container, CGROUP_CONTAINER_MAX))
		return;
	place->container_is_name = named;
	/* What stood above it is the container's manager, not what runs inside. */
	place->unit[0] = '\0';
}

/* pod<uid>, or kubepods-<class>-pod<uid with underscores>.slice. */
static bool find_pod_uid(struct piece piece, struct piece *ret_uid)
{
	struct piece pod = piece;
	const char *colon = memchr(pod.text, ':', pod.length);
	const char *mark;

	/* containerd without systemd joins slice, runtime and container by colons. */
	if (colon)
		pod.length = (size_t)(colon - pod.text);
	if (!skip_suffix(&pod, ".slice")) {
		*ret_uid = pod;
		return skip_prefix(ret_uid, "pod");
	}
	mark = skip_prefix(&pod, "kubepods") ? memmem(pod.text, pod.length, "-pod", 4) : NULL;
	if (!mark)
		return false;
	mark += strlen("-pod");
	*ret_uid = (struct piece){mark, (size_t)(pod.text + pod.length - mark)};
	return true;
}

static bool is_uid_char(char c)
{
	return is_hex(c) || c == '-' || c == '_';
}

static void find_pod(struct piece piece, struct cgroup_place *place)
{
	struct piece uid;

	if (!find_pod_uid(piece, &uid) ||
		(uid.length != UUID_LENGTH && uid.length != STATIC_POD_LENGTH) ||
		!all_of(uid, is_uid_char) || !keep(uid, place->pod, CGROUP_POD_MAX))
		return;
	for (char *c = place->pod; *c; c++) {
		if (*c == '_')
			*c = '-';
	}
}

static int hex_value(char c)
{
	return c <= '9' ? c - '0' : c - 'a' + 10;
}

/* systemd writes characters that a unit name may not hold as \xNN. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		bool escaped =
			from[0] == '\\' && from[1] == 'x' && is_hex(from[2]) && is_hex(from[3]);
		unsigned char value = escaped
			? (unsigned char)(hex_value(from[2]) << 4 | hex_value(from[3]))
			: (unsigned char)*from;

		/* An escaped control character or slash stays as it is written. */
		if (escaped && value >= ' ' && value != 0x7f && value != '/') {
			*to = (char)value;
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
}

static void find_unit(struct piece piece, struct cgroup_place *place)
{
	struct piece name = piece;

	if (!skip_suffix(&name, ".service"))
		return;
	/* The manager of a user's session stands for all that the user runs, so it says nothing. */
	if (skip_prefix(&name, "user@") || holds(piece, "conmon"))
		return;
	for (size_t i = 0; i < name.length; i++) {
		if ((unsigned char)name.text[i] < ' ' || name.text[i] == 0x7f)
			return;
	}
	if (keep(piece, place->unit, CGROUP_UNIT_MAX))
		unescape(place->unit);
}

static void parse_path(struct piece path, struct cgroup_place *ret_place)
{
	struct piece before = {path.text, 0};

	*ret_place = (struct cgroup_place){0};
	while (path.length > 0) {
		const char *slash = memchr(path.text, '/', path.length);
		struct piece piece = {path.text, slash ? (size_t)(slash - path.text) : path.length};

		path.text += piece.length + (slash ? 1 : 0);
		path.length -= piece.length + (slash ? 1 : 0);
		if (piece.length == 0)
			continue;
		find_pod(piece, ret_place);
		find_unit(piece, ret_place);
		find_container(before, piece, ret_place);
		before = piece;
	}
}

static int worth(const struct cgroup_place *place)
{
	return (place->container[0] ? 4 : 0) + (place->pod[0] ? 2 : 0) + (place->unit[0] ? 1 : 0);
}

/* id:controllers:path. Answers false if LINE is not of that shape. */
static bool split_line(struct piece line, struct piece *ret_controllers, struct piece *ret_path)
{
	const char *end = line.text + line.length;
	const char *first = memchr(line.text, ':', line.length);
	const char *second = first ? memchr(first + 1, ':', (size_t)(end - first - 1)) : NULL;

	if (!second)
		return false;
	*ret_controllers = (struct piece){first + 1, (size_t)(second - first - 1)};
	*ret_path = (struct piece){second + 1, (size_t)(end - second - 1)};
	return true;
}

static struct piece next_line(struct piece *text)
{
	const char *line_end = memchr(text->text, '\n', text->length);
	struct piece line = {text->text, line_end ? (size_t)(line_end - text->text) : text->length};

	text->text += line.length + (line_end ? 1 : 0);
	text->length -= line.length + (line_end ? 1 : 0);
	return line;
}

void cgroup_parse(const char *text, size_t length, struct cgroup_place *ret_place)
{
	struct piece rest = {text, length};
	struct piece controllers, path;
	struct cgroup_place place, best = {0};

	while (rest.length > 0) {
		if (!split_line(next_line(&rest), &controllers, &path))
			continue;
		parse_path(path, &place);
		if (worth(&place) > worth(&best))
			best = place;
	}
	*ret_place = best;
}
