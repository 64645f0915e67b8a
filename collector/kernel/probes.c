/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/probes.h"

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "bpf/abi/setting.h"
#include "collector/kernel/kernel_setting.h"
#include "collector/kernel/library_log.h"
#include "collector/kernel/refusal.h"

/* Generated from bpf/; needs struct setting. */
#include <cairn.skel.h>

#define BTF_PATH_USUAL "/sys/kernel/btf/vmlinux"

static uint32_t kernel_frame_count_max(void)
{
	int limit = kernel_setting_read("perf_event_max_stack", KERNEL_FRAMES_MAX);

	return limit > 0 && limit < KERNEL_FRAMES_MAX ? (uint32_t)limit : KERNEL_FRAMES_MAX;
}

static int set_constants(struct cairn_skeleton *skeleton, const struct ring_layout *layout)
{
	skeleton->rodata->setting = (struct setting){
		.cpus_per_ring = layout->cpus_per_ring,
		.ring_wake_bytes = layout->wake_bytes,
		.kernel_frame_count_max = kernel_frame_count_max(),
	};
	return bpf_map__set_max_entries(skeleton->maps.rings, layout->ring_count);
}

int probes_load(struct probes *probes, const struct ring_layout *layout, const char *btf_path,
	struct sampler_reason *reason)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .btf_custom_path = btf_path);
	const char *path = btf_path ? btf_path : BTF_PATH_USUAL;
	struct cairn_skeleton *skeleton;
	int r;

	library_log_start();
	if (access(path, R_OK) != 0)
		return refusal_of_btf(-errno, path, reason);
	skeleton = cairn_skeleton__open_opts(&options);
	if (!skeleton)
		return refusal_of_load(-errno, library_log_text(), reason);
	r = set_constants(skeleton, layout);
	if (r == 0)
		r = cairn_skeleton__load(skeleton);
	if (r < 0) {
		cairn_skeleton__destroy(skeleton);
		return refusal_of_load(r, library_log_text(), reason);
	}
	probes->skeleton = skeleton;
	return 0;
}

void probes_done(struct probes *probes)
{
	cairn_skeleton__destroy(probes->skeleton);
	probes->skeleton = NULL;
}

struct bpf_program *probes_on_cpu(const struct probes *probes)
{
	return probes->skeleton->progs.on_cpu;
}

int probes_counters_fd(const struct probes *probes)
{
	return bpf_map__fd(probes->skeleton->maps.counters);
}

int probes_rings_fd(const struct probes *probes)
{
	return bpf_map__fd(probes->skeleton->maps.rings);
}

int probes_map_fd(const struct probes *probes, enum probes_map map)
{
	const struct bpf_map *const maps[] = {
		[PROBES_UNWIND_SHARDS] = probes->skeleton->maps.unwind_shards,
		[PROBES_UNWIND_RULES] = probes->skeleton->maps.unwind_rules,
		[PROBES_UNWIND_TABLES] = probes->skeleton->maps.unwind_tables,
		[PROBES_UNWIND_PROCESSES] = probes->skeleton->maps.unwind_processes,
	};

	return bpf_map__fd(maps[map]);
}
