/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/memory_limit.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/abi/unwind_table.h"
#include "collector/jit/jit_maps.h"
#include "collector/sample/hold.h"
#include "collector/sink/rpc_sink.h"
#include "store/base/cleanup.h"
#include "store/log/log.h"

#define LINE_BYTES_MAX (2 * PATH_MAX)
/* Levels of cgroups above each other; the kernel allows more, nobody nests them. */
#define LEVELS_MAX 64
/* What does not grow: 4 MiB of our own, as much of fixed maps and other memory of the kernel, and the
 * pages of code in use. */
#define FIXED_BYTES (UINT64_C(16) << 20)
/* From here on everything has what it has without a limit, windows in the making included. */
#define ROOMY_BYTES (UINT64_C(128) << 20)
#define QUEUE_BYTES_MIN (UINT64_C(512) << 10)
#define HOLD_BYTES_MIN (UINT64_C(512) << 10)
#define RING_BYTES_MIN (UINT64_C(256) << 10)

/* --- where it stands ---------------------------------------------------------------------------
 */

struct group {
	bool is_v2;
	char path[PATH_MAX]; /* below the root of its hierarchy, as /proc/self/cgroup tells it */
};

/* True if LIST, of words between commas, has WORD. */
static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0'))
			return true;
	}
	return false;
}

/* A line `ID:CONTROLLERS:PATH`. True: it names the group that limits memory, in a hierarchy of v1,
 * or of v2, which has no list. */
static bool read_group(char *line, struct group *ret_group)
{
	char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;
	bool is_v2;

	if (!path || strlen(path + 1) >= sizeof(ret_group->path))
		return false;
	*path++ = '\0';
	path[strcspn(path, "\n")] = '\0';
	is_v2 = list[1] == '\0';
	if (!is_v2 && !has_word(list + 1, "memory"))
		return false;
	ret_group->is_v2 = is_v2;
	memcpy(ret_group->path, path, strlen(path) + 1);
	return true;
}

/* A line of mountinfo, `ID PARENT DEV ROOT PLACE OPTIONS ... - TYPE SOURCE SUPER`. Blanks in names
 * are escaped there; such a place is not found. */
static bool is_mount_of(const struct group *group, char *line, char **ret_root, char **ret_place)
{
	char *dash = strstr(line, " - "), *save, *words[5] = {NULL}, *type, *super;

	if (!dash)
		return false;
	*dash = '\0';
	type = strtok_r(dash + 3, " \n", &save);
	super = strtok_r(NULL, " \n", &save);
	super = super ? strtok_r(NULL, " \n", &save) : NULL;
	if (!type || !super || strcmp(type, group->is_v2 ? "cgroup2" : "cgroup") != 0 ||
		(!group->is_v2 && !has_word(super, "memory")))
		return false;
	words[0] = strtok_r(line, " ", &save);
	for (int i = 1; i < 5 && words[i - 1]; i++)
		words[i] = strtok_r(NULL, " ", &save);
	*ret_root = words[3];
	*ret_place = words[4];
	return words[4] != NULL;
}

/* --- limits ------------------------------------------------------------------------------------
 */

static uint64_t read_limit(const char *folder, const char *name)
{
	char path[LINE_BYTES_MAX + 64], text[64], *end;
	SCOPED_FILE FILE *file = NULL;
	uint64_t limit;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "re");
	/* `max`, and a number that no machine has, are none. */
	if (!file || !fgets(text, sizeof(text), file))
		return MEMORY_UNLIMITED;
	limit = strtoull(text, &end, 10);
	return end == text || limit >= INT64_MAX / 2 ? MEMORY_UNLIMITED : limit;
}

static uint64_t least(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

/* Of the group at PLACE + PATH and all above it, up to PLACE. */
static uint64_t read_upwards(bool is_v2, char *folder, size_t place_length)
{
	uint64_t limit = MEMORY_UNLIMITED;

	for (int level = 0; level < LEVELS_MAX; level++) {
		char *slash;

		if (is_v2) {
			limit = least(limit, read_limit(folder, "memory.max"));
			limit = least(limit, read_limit(folder, "memory.high"));
		} else {
			limit = least(limit, read_limit(folder, "memory.limit_in_bytes"));
		}
		slash = strrchr(folder, '/');
		if (!slash || (size_t)(slash - folder) < place_length)
			break;
		*slash = '\0';
	}
	return limit;
}

static uint64_t limit_of(
	const struct group *group, const char *root_folder, const char *root, const char *place)
{
	char folder[LINE_BYTES_MAX];
	size_t root_length = strcmp(root, "/") == 0 ? 0 : strlen(root);
	const char *path = group->path;

	/* Where a part of the hierarchy is mounted, as in containers, paths begin with that part. */
	path = strncmp(path, root, root_length) == 0 ? path + root_length : "";
	if (strcmp(path, "/") == 0)
		path = "";
	if (snprintf(folder, sizeof(folder), "%s%s%s", root_folder, place, path) >=
		(int)sizeof(folder))
		return MEMORY_UNLIMITED;
	return read_upwards(group->is_v2, folder, strlen(root_folder) + strlen(place));
}

static uint64_t find_limit(
	const struct group *group, const char *proc_folder, const char *root_folder)
{
	char path[PATH_MAX], line[LINE_BYTES_MAX];
	SCOPED_FILE FILE *file = NULL;
	uint64_t limit = MEMORY_UNLIMITED;

	snprintf(path, sizeof(path), "%s/self/mountinfo", proc_folder);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		char *root, *place;

		if (is_mount_of(group, line, &root, &place))
			limit = least(limit, limit_of(group, root_folder, root, place));
	}
	return limit;
}

uint64_t memory_limit_read(const char *proc_folder, const char *root_folder)
{
	char path[PATH_MAX], line[LINE_BYTES_MAX];
	SCOPED_FILE FILE *file = NULL;
	uint64_t limit = MEMORY_UNLIMITED;
	struct group group;

	proc_folder = proc_folder ? proc_folder : "/proc";
	snprintf(path, sizeof(path), "%s/self/cgroup", proc_folder);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (read_group(line, &group))
			limit = least(limit,
				find_limit(&group, proc_folder, root_folder ? root_folder : ""));
	}
	return limit;
}

/* --- shares ------------------------------------------------------------------------------------
 */

/* PARTS of 20 of what is left beside what is fixed, between MIN and USUAL. */
static uint64_t share(uint64_t spare, unsigned parts, uint64_t min, uint64_t usual)
{
	uint64_t bytes = spare / 20 * parts;

	if (bytes < min)
		bytes = min;
	return least(bytes, usual);
}

/* What is not given out here, a quarter, is for windows and tables in the making. */
struct memory_plan memory_plan_make(uint64_t limit, const struct memory_plan *usual)
{
	struct memory_plan plan = *usual;
	uint64_t spare = limit > FIXED_BYTES ? limit - FIXED_BYTES : 0;

	plan.limit = limit;
	if (limit >= ROOMY_BYTES) {
		plan.limit = MEMORY_UNLIMITED;
		return plan;
	}
	plan.unwind_bytes_max = share(spare, 6, UNWIND_SHARD_BYTES, usual->unwind_bytes_max);
	plan.queue_bytes_max = share(spare, 4, QUEUE_BYTES_MIN, usual->queue_bytes_max);
	plan.hold_bytes_max = share(spare, 2, HOLD_BYTES_MIN, usual->hold_bytes_max);
	plan.jit_bytes_max = share(spare, 1, JIT_BYTES_MIN, usual->jit_bytes_max);
	plan.ring_bytes_max = share(spare, 2, RING_BYTES_MIN, usual->ring_bytes_max);
	return plan;
}

struct memory_plan memory_plan_own(uint64_t unwind_bytes_max)
{
	const struct memory_plan usual = {
		.limit = MEMORY_UNLIMITED,
		.unwind_bytes_max = unwind_bytes_max,
		.queue_bytes_max = RPC_SINK_BYTES_MAX,
		.hold_bytes_max = HOLD_BYTES_MAX,
		.jit_bytes_max = JIT_BYTES_USUAL,
		.ring_bytes_max = UINT64_MAX,
	};
	struct memory_plan plan = memory_plan_make(memory_limit_read(NULL, NULL), &usual);

	if (plan.limit == MEMORY_UNLIMITED)
		return plan;
	log_info("a memory limit of %llu KiB: up to %llu KiB for unwind tables, %llu for batches "
		 "that wait",
		(unsigned long long)plan.limit >> 10,
		(unsigned long long)plan.unwind_bytes_max >> 10,
		(unsigned long long)plan.queue_bytes_max >> 10);
	if (plan.limit < MEMORY_LIMIT_LEAST) {
		log_warning(0,
			"a memory limit of less than %llu MiB: the kernel may end the collector",
			(unsigned long long)MEMORY_LIMIT_LEAST >> 20);
	}
	return plan;
}
