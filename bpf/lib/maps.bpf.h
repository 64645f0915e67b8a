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

/* A pattern, too: user space makes shards as it needs them. */
struct map_unwind_shard {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(uint32_t));
	__uint(value_size, UNWIND_SHARD_BYTES);
};

struct map_unwind_shards {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, UNWIND_SHARDS_MAX);
	__type(key, uint32_t);
	__array(values, struct map_unwind_shard);
};

struct map_unwind_rules {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, UNWIND_RULES_MAX);
	__type(key, uint32_t);
	__type(value, struct unwind_rule);
};

struct map_unwind_tables {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, UNWIND_TABLES_MAX);
	__type(key, uint32_t);
	__type(value, struct unwind_table);
};

struct map_unwind_processes {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, UNWIND_PROCESSES_MAX);
	__type(key, uint32_t);
	__type(value, struct unwind_process);
};

struct map_unwind_memos {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, MEMOS_MAX);
	__type(key, uint32_t);
	__type(value, struct memo);
};

extern struct map_walks walks SEC(".maps");
extern struct map_counters counters SEC(".maps");
extern struct map_rings rings SEC(".maps");
extern struct map_unwind_shards unwind_shards SEC(".maps");
extern struct map_unwind_rules unwind_rules SEC(".maps");
extern struct map_unwind_tables unwind_tables SEC(".maps");
extern struct map_unwind_processes unwind_processes SEC(".maps");
extern struct map_unwind_memos unwind_memos SEC(".maps");

extern const volatile struct setting setting;
/* When a sample that brings its stack woke user space last; CLOCK_MONOTONIC. */
extern uint64_t woken_for_stack_at_ns;
