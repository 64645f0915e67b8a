/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/process/locate.h"

#include <errno.h>

#include "store/base/clock.h"

/* A process whose code lies where nothing is known to be mapped is read again so often at most. */
#define REREAD_INTERVAL_NS (60 * NS_PER_S)

static void read_again(struct process_table *table, struct process *process, uint64_t now_ns)
{
	if (process->exited_at_ns != 0 ||
		(process->mappings_read_at_ns != 0 &&
			now_ns < process->mappings_read_at_ns + REREAD_INTERVAL_NS))
		return;
	process_table_read_mappings(table, process);
	tally_add(table->tally, TALLY_mappings_read_again, 1);
}

struct place locate(struct process_table *table, struct process *process, uint64_t ip,
	bool is_return, bool certain, uint64_t now_ns)
{
	uint64_t behind = is_return && ip > 0 ? 1 : 0;
	const struct mapping *mapping = mapping_set_find(process->mappings, ip - behind);
	struct place place = {PLACE_UNMAPPED, NULL, ip};
	struct binary_mapping shown;
	uint64_t offset;

	if (!mapping && certain) {
		read_again(table, process, now_ns);
		mapping = mapping_set_find(process->mappings, ip - behind);
	}
	if (!mapping)
		return place;
	place.kind = PLACE_ANONYMOUS;
	if (!mapping->binary)
		return place;
	shown = (struct binary_mapping){
		process->pid, process->parent_pid, mapping->start, mapping->end};
	binary_read(&table->binaries, mapping->binary, &shown, now_ns);
	if (mapping->binary->state == BINARY_NOT_ELF)
		return place;
	offset = ip - behind - mapping->start + mapping->offset;
	place.binary = mapping->binary;
	if (mapping->binary->state == BINARY_READ &&
		load_map_address(mapping->binary->segments, offset, &place.address) == 0) {
		place.kind = PLACE_BINARY;
		place.address += behind;
		return place;
	}
	place.kind = PLACE_UNREAD;
	place.address = offset + behind;
	return place;
}

/* Tries every process that maps a file of that build until one shows it. */
static int open_through_processes(struct process_table *table, const struct build_id *build_id,
	const struct binary **ret_binary)
{
	int r = -ENOENT;

	for (struct process *process = table->newest; process; process = process->older) {
		const struct mapping_set *set = process->mappings;

		for (uint32_t i = 0; set && i < set->count; i++) {
			const struct mapping *mapping = &set->mappings[i];
			struct binary_mapping shown = {
				process->pid, 0, mapping->start, mapping->end};

			if (!mapping->binary ||
				!build_id_equal(&mapping->binary->build_id, build_id))
				continue;
			r = binary_open(&table->binaries, mapping->binary, &shown);
			*ret_binary = mapping->binary;
			if (r >= 0)
				return r;
		}
	}
	return r;
}

/* No process has it mapped any more, but its path may still lead there. */
static int open_by_path(struct process_table *table, const struct build_id *build_id,
	const struct binary **ret_binary)
{
	const struct binary_mapping nowhere = {0, 0, 0, 0};
	struct binary *binary = NULL;
	int r = -ENOENT;

	while (r < 0 && (binary = binary_find(&table->binaries, build_id, binary)) != NULL) {
		r = binary_open(&table->binaries, binary, &nowhere);
		*ret_binary = binary;
	}
	return r;
}

int locate_file(struct process_table *table, const struct build_id *build_id, const char **ret_path)
{
	const struct binary *binary;
	int fd = open_through_processes(table, build_id, &binary);

	if (fd < 0)
		fd = open_by_path(table, build_id, &binary);
	if (fd >= 0)
		*ret_path = binary->path;
	return fd;
}
