/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernel/unwound.h"

#include "collector/kernel/unwind_maps.h"
#include "tests/support/check.h"

static void init(
	struct unwound *unwound, const struct unwind_memory *memory, uint32_t shard_count_max)
{
	struct process_table_config process_config = {.tally = &unwound->tally};
	struct unwinder_config config = {
		.memory = *memory,
		.processes = &unwound->processes,
		.tally = &unwound->tally,
		.shard_count_max = shard_count_max,
	};

	*unwound = (struct unwound){.tally = {{0}}};
	CHECK_EQ(process_table_init(&unwound->processes, &process_config), 0);
	CHECK_EQ(unwinder_init(&unwound->unwinder, &config), 0);
}

void unwound_init(struct unwound *unwound, struct sampler *sampler, uint32_t shard_count_max)
{
	struct unwind_memory memory;

	sampler_lend_memory(sampler, &memory);
	init(unwound, &memory, shard_count_max);
}

void unwound_init_maps(struct unwound *unwound, struct unwind_maps *maps, uint32_t shard_count_max)
{
	struct unwind_memory memory;

	unwind_maps_lend(maps, &memory);
	init(unwound, &memory, shard_count_max);
}

void unwound_done(struct unwound *unwound)
{
	process_table_done(&unwound->processes);
	unwinder_done(&unwound->unwinder);
}

const struct event_sample *unwound_complete(
	struct unwound *unwound, const struct event_sample *sample)
{
	struct process_sighting sighting = {
		.pid = sample->pid,
		.started_at_ns = sample->process_started_at_ns,
		.cgroup_id = sample->cgroup_id,
		.taken_at_ns = sample->taken_at_ns,
	};
	struct process *process = NULL;

	if (!(sample->flags & EVENT_KERNEL_THREAD))
		process = process_table_see(&unwound->processes, &sighting);
	return unwinder_complete(&unwound->unwinder, sample, process, sample->taken_at_ns);
}
