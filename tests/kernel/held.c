/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernel/held.h"

#include <dirent.h>
#include <errno.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "store/base/cleanup.h"
#include "tests/support/check.h"

static const char *const keys[] = {
	[HELD_PROGRAM] = "prog_id:",
	[HELD_MAP] = "map_id:",
	[HELD_LINK] = "link_id:",
};

/* A link's descriptor tells the id of its program as well. */
static void add_ids_of_descriptor(const char *path, enum held_kind kind, struct held_ids *ids)
{
	SCOPED_FILE FILE *file = fopen(path, "re");
	char line[256];

	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, keys[kind], strlen(keys[kind])) != 0)
			continue;
		CHECK(ids->count < HELD_IDS_MAX);
		ids->ids[ids->count++] = (uint32_t)strtoul(line + strlen(keys[kind]), NULL, 10);
		return;
	}
}

struct held_ids held_ids_of(pid_t pid, enum held_kind kind)
{
	struct held_ids ids = {.count = 0};
	char folder[64], path[512];
	struct dirent *entry;
	DIR *descriptors;

	snprintf(folder, sizeof(folder), "/proc/%d/fdinfo", (int)pid);
	descriptors = opendir(folder);
	CHECK(descriptors != NULL);
	while ((entry = readdir(descriptors)) != NULL) {
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		add_ids_of_descriptor(path, kind, &ids);
	}
	closedir(descriptors);
	return ids;
}

static int open_by_id(uint32_t id, enum held_kind kind)
{
	switch (kind) {
	case HELD_PROGRAM:
		return bpf_prog_get_fd_by_id(id);
	case HELD_MAP:
		return bpf_map_get_fd_by_id(id);
	case HELD_LINK:
	default:
		return bpf_link_get_fd_by_id(id);
	}
}

bool held_is_alive(uint32_t id, enum held_kind kind)
{
	SCOPED_FD int fd = open_by_id(id, kind);

	CHECK(fd >= 0 || fd == -ENOENT);
	return fd >= 0;
}

int held_measure_run_time(void)
{
	int fd = bpf_enable_stats(BPF_STATS_RUN_TIME);

	CHECK(fd >= 0);
	return fd;
}

struct held_run_time held_run_time_of_fd(int program_fd)
{
	struct bpf_prog_info info = {0};
	__u32 info_bytes = sizeof(info);

	CHECK_EQ(bpf_obj_get_info_by_fd(program_fd, &info, &info_bytes), 0);
	return (struct held_run_time){info.run_cnt, info.run_time_ns};
}

struct held_run_time held_run_time_of(uint32_t program_id)
{
	SCOPED_FD int fd = bpf_prog_get_fd_by_id(program_id);

	CHECK(fd >= 0);
	return held_run_time_of_fd(fd);
}
