/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "bpf/lib/maps.bpf.h"

struct map_walks walks SEC(".maps");
struct map_counters counters SEC(".maps");
struct map_rings rings SEC(".maps");
struct map_unwind_shards unwind_shards SEC(".maps");
struct map_unwind_rules unwind_rules SEC(".maps");
struct map_unwind_tables unwind_tables SEC(".maps");
struct map_unwind_processes unwind_processes SEC(".maps");
struct map_unwind_memos unwind_memos SEC(".maps");

/* Sane by itself, so that the object loads as it is; user space sets what it measured. */
const volatile struct setting setting = {
	.cpus_per_ring = 1,
	.ring_wake_bytes = 1,
	.kernel_frame_count_max = KERNEL_FRAMES_MAX,
};

uint64_t woken_for_stack_at_ns;

char licence[] SEC("license") = "Dual BSD/GPL";
