/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Maps: the type of every map, and the load-time constants.
 *
 * What it is   declarations; maps.bpf.c defines them all. Only kinds of map that a perf_event
 *              program may use on every kernel from 5.10 on: no hash that grows.
 * Ownership    the object.
 * Threads      walks and counters are per CPU; rings lock for themselves.
 * Errors       look-ups can give NULL to the verifier's eye; each user says what that counts as.
 */
#pragma once

#include "bpf/abi/counter.h"
#include "bpf/abi/setting.h"
#include "bpf/lib/walk.bpf.h"

struct map_walks {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct walk);
};

struct map_counters {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct counter_values);
};

/* Only a pattern: user space makes the rings, in the size that it needs, and puts them in. */
struct map_ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
};

struct map_rings {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, RINGS_MAX);
	__type(key, uint32_t);
	__array(values, struct map_ring);
};

extern struct map_walks walks SEC(".maps");
extern struct map_counters counters SEC(".maps");
extern struct map_rings rings SEC(".maps");

extern const volatile struct setting setting;
