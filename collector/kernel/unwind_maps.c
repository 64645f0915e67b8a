/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/unwind_maps.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "collector/kernel/probes.h"
#include "collector/unwind/unwinder.h"
#include "store/base/cleanup.h"

static int map_memory(int fd, size_t byte_count, void *ret_memory)
{
	void *memory = mmap(NULL, byte_count, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (memory == MAP_FAILED)
		return -errno;
	*(void **)ret_memory = memory;
	return 0;
}

int unwind_maps_init(struct unwind_maps *maps, const struct probes *probes)
{
	int r;

	*maps = (struct unwind_maps){
		.shards_fd = probes_map_fd(probes, PROBES_UNWIND_SHARDS),
		.processes_fd = probes_map_fd(probes, PROBES_UNWIND_PROCESSES),
	};
	r = map_memory(probes_map_fd(probes, PROBES_UNWIND_RULES),
		UNWIND_RULES_MAX * sizeof(struct unwind_rule), &maps->rules);
	if (r == 0)
		r = map_memory(probes_map_fd(probes, PROBES_UNWIND_TABLES),
			UNWIND_TABLES_MAX * sizeof(struct unwind_table), &maps->tables);
	if (r < 0)
		unwind_maps_done(maps);
	return r;
}

void unwind_maps_done(struct unwind_maps *maps)
{
	for (uint32_t i = 0; i < maps->shard_count; i++) {
		if (maps->shards[i])
			munmap(maps->shards[i], UNWIND_SHARD_BYTES);
		close(maps->shard_fds[i]);
	}
	if (maps->rules)
		munmap(maps->rules, UNWIND_RULES_MAX * sizeof(*maps->rules));
	if (maps->tables)
		munmap(maps->tables, UNWIND_TABLES_MAX * sizeof(*maps->tables));
	*maps = (struct unwind_maps){0};
}

static void *make_shard(void *context, uint32_t number)
{
	struct unwind_maps *maps = context;
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE);
	SCOPED_FD int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "unwind_shard", sizeof(uint32_t),
		UNWIND_SHARD_BYTES, 1, &options);
	void *memory = NULL;

	if (fd < 0 || number != maps->shard_count || number >= UNWIND_SHARDS_MAX)
		return NULL;
	if (map_memory(fd, UNWIND_SHARD_BYTES, &memory) < 0)
		return NULL;
	if (bpf_map_update_elem(maps->shards_fd, &number, &fd, BPF_ANY) < 0) {
		munmap(memory, UNWIND_SHARD_BYTES);
		return NULL;
	}
	maps->shards[number] = memory;
	maps->shard_fds[number] = TAKE_FD(fd);
	maps->shard_count++;
	return memory;
}

static void hide_shard(void *context, uint32_t number)
{
	struct unwind_maps *maps = context;

	munmap(maps->shards[number], UNWIND_SHARD_BYTES);
	maps->shards[number] = NULL;
}

static void *show_shard(void *context, uint32_t number)
{
	struct unwind_maps *maps = context;
	void *memory = NULL;

	if (map_memory(maps->shard_fds[number], UNWIND_SHARD_BYTES, &memory) < 0)
		return NULL;
	maps->shards[number] = memory;
	return memory;
}

static int tell_process(void *context, uint32_t pid, const struct unwind_process *process)
{
	const struct unwind_maps *maps = context;

	return bpf_map_update_elem(maps->processes_fd, &pid, process, BPF_ANY);
}

static void forget_process(void *context, uint32_t pid)
{
	const struct unwind_maps *maps = context;

	bpf_map_delete_elem(maps->processes_fd, &pid);
}

void unwind_maps_lend(struct unwind_maps *maps, struct unwind_memory *ret_memory)
{
	*ret_memory = (struct unwind_memory){
		.rules = maps->rules,
		.tables = maps->tables,
		.make_shard = make_shard,
		.hide_shard = hide_shard,
		.show_shard = show_shard,
		.tell_process = tell_process,
		.forget_process = forget_process,
		.context = maps,
	};
}
