/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/counters.h"

#include <errno.h>
#include <stdlib.h>

#include <bpf/bpf.h>

#include "store/base/must.h"

int counters_init(struct counters *counters, int map_fd, uint32_t cpu_count)
{
	must(cpu_count > 0);
	*counters = (struct counters){
		.map_fd = map_fd,
		.cpu_count = cpu_count,
		.fresh = calloc(cpu_count, sizeof(*counters->fresh)),
		.copy = calloc(cpu_count, sizeof(*counters->copy)),
	};
	if (counters->fresh && counters->copy)
		return 0;
	counters_done(counters);
	return -ENOMEM;
}

void counters_done(struct counters *counters)
{
	free(counters->fresh);
	free(counters->copy);
	counters->fresh = NULL;
	counters->copy = NULL;
}

int counters_refresh(struct counters *counters)
{
	struct counter_values *old = counters->copy;
	uint32_t key = 0;
	int r = bpf_map_lookup_elem(counters->map_fd, &key, counters->fresh);

	if (r < 0)
		return r;
	counters->copy = counters->fresh;
	counters->fresh = old;
	return 0;
}

uint64_t counters_of_cpu(const struct counters *counters, enum counter counter, uint32_t cpu)
{
	must(cpu < counters->cpu_count);
	return counters->copy[cpu].values[counter];
}

uint64_t counters_sum(const struct counters *counters, enum counter counter)
{
	uint64_t sum = 0;

	for (uint32_t cpu = 0; cpu < counters->cpu_count; cpu++)
		sum += counters->copy[cpu].values[counter];
	return sum;
}
