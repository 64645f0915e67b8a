/* SPDX-License-Identifier: Apache-2.0 */
/* Probes: the BPF object, loaded.
 *
 * What it is   the only file that knows the skeleton: opens it, sets its constants, loads it.
 * Ownership    probes_load makes it, probes_done ends it; what is handed out is borrowed.
 * Threads      one owner.
 * Errors       negative errno, and one line that says what to do.
 */
#pragma once

#include <stdint.h>

#include "collector/kernel/ring_layout.h"
#include "collector/kernel/sampler.h"

struct bpf_program;
struct cairn_skeleton;

struct probes {
	struct cairn_skeleton *skeleton;
};

/* BTF_PATH of NULL is the kernel's own. Errors as the kernel gave them. */
int probes_load(struct probes *probes, const struct ring_layout *layout, const char *btf_path,
	struct sampler_reason *reason);
void probes_done(struct probes *probes);

struct bpf_program *probes_on_cpu(const struct probes *probes);
int probes_counters_fd(const struct probes *probes);
int probes_rings_fd(const struct probes *probes);

enum probes_map {
	PROBES_UNWIND_SHARDS,
	PROBES_UNWIND_RULES,
	PROBES_UNWIND_TABLES,
	PROBES_UNWIND_PROCESSES,
};

int probes_map_fd(const struct probes *probes, enum probes_map map);
