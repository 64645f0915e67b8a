/* SPDX-License-Identifier: Apache-2.0 */
/* Profile: everything one host said about one window of time.
 *
 * What it is   dense tables joined by indices: strings, modules, frames, stacks, label sets,
 *              threads, and one sample table for each profile type; and a head that tells where,
 *              when and how much was seen. Both programs, the wire and the store share it:
 *              collector window -> batch -> block.
 * Ownership    the profile owns its tables.
 * Threads      one owner.
 * Errors       0, or a negative errno: -ENOMEM; -E2BIG: a table is full.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/base/clock.h"
#include "store/profile/frame_table.h"
#include "store/profile/label.h"
#include "store/profile/life_table.h"
#include "store/profile/module_table.h"
#include "store/profile/sample_table.h"
#include "store/profile/stack_table.h"
#include "store/profile/string_table.h"
#include "store/profile/thread_table.h"

/* The resolution at which the time of a sample is kept. */
#define PROFILE_SLOT_NS (UINT64_C(20) * NS_PER_MS)
/* Profile types of one window. */
#define PROFILE_TYPE_COUNT_MAX 64
#define PROFILE_CPU_COUNT_MAX 65536
#define PROFILE_COUNTER_COUNT_MAX 1024
#define PROFILE_FEATURE_COUNT_MAX 256
/* A window longer than this is refused: slots of an hour still fit the columns. */
#define PROFILE_WINDOW_NS_MAX (UINT64_C(3600) * NS_PER_S)

#define PROFILE_TYPE_ON_CPU "process_cpu:cpu:nanoseconds:cpu:nanoseconds"

/* One CPU in the window: where its time went, and how much of it the samples stand for. */
struct profile_cpu {
	uint32_t cpu;
	uint64_t busy_ns;
	uint64_t idle_ns;
	uint64_t steal_ns;
	uint64_t sampled_ns; /* samples x period, lost ones left out */
};

/* What a stage of the collector received, passed on or dropped, since it started. */
struct profile_counter {
	uint32_t name; /* string index */
	uint64_t value;
};

/* What the collector can do, or why it can't. Texts are string indices. */
struct profile_feature {
	uint32_t name;
	uint32_t state; /* 0: on */
	uint32_t reason; /* why it is off; empty where it is on */
	uint32_t remedy; /* what to do about it */
};

/* X(name): what a head says in words. The host is the series' label `host`; the others are
 * attributes only, never part of a key. A new one is a line here; the compiler names the places
 * that must say where it comes from (struct window_config, message Head of profile.proto) and where
 * it is kept (store/disk/block_dictionary.c). */
#define PROFILE_HEAD_TEXTS(X) \
	X(host)               \
	X(machine_id)         \
	X(boot_id)            \
	X(kernel_release)     \
	X(collector_version)

struct profile_head {
	/* String indices; 0 (the empty text) where nothing is known. */
#define PROFILE_HEAD_TEXT(name) uint32_t name;
	PROFILE_HEAD_TEXTS(PROFILE_HEAD_TEXT)
#undef PROFILE_HEAD_TEXT
	struct clock_reading clocks; /* read together when the window was closed */
	uint64_t window_start_ns; /* CLOCK_MONOTONIC */
	uint64_t window_end_ns; /* CLOCK_MONOTONIC */
	uint32_t online_cpu_count;
	uint64_t received_at_ns; /* epoch; set by the server, 0 before */
};

struct profile {
	struct profile_head head;
	/* 0, or a number that no other dictionary of this process ever had: profiles of one number have
	 * the same strings, modules, frames, stacks and label sets, so that what was found out about
	 * them need not be found out again. */
	uint64_t dictionary;
	struct string_table strings;
	struct module_table modules;
	struct frame_table frames;
	struct stack_table stacks;
	struct label_table labels;
	struct thread_table threads;
	struct life_table lives; /* of processes in the window; sealed: sorted */
	struct sample_table types[PROFILE_TYPE_COUNT_MAX];
	uint32_t type_count;
	struct profile_cpu *cpus;
	uint32_t cpu_count;
	uint32_t cpu_capacity;
	struct profile_counter *counters;
	uint32_t counter_count;
	uint32_t counter_capacity;
	struct profile_feature *features; /* of the host now: blocks of the store don't keep them */
	uint32_t feature_count;
	uint32_t feature_capacity;
};

int profile_new(struct profile **ret_profile);
void profile_free(struct profile *profile);

/* A C string or a span, interned; see string_table_add. */
int profile_add_text(struct profile *profile, const char *text, uint32_t *ret_index);
/* The sample table of TYPE (a five-part profile type), made on first use. A second use must agree
 * on PERIOD and HAS_SLOTS: -EINVAL otherwise. The pointer stays valid as long as the profile. */
int profile_add_type(struct profile *profile, const char *type, int64_t period, bool has_slots,
	struct sample_table **ret_table);
int profile_add_cpu(struct profile *profile, const struct profile_cpu *cpu);
int profile_add_counter(struct profile *profile, const char *name, uint64_t value);
int profile_add_feature(struct profile *profile, const char *name, uint32_t state,
	const char *reason, const char *remedy);
/* Seals every sample table, sorts the lives. */
int profile_seal(struct profile *profile);
/* Sum of the sample counts of all types. */
uint64_t profile_sample_count(const struct profile *profile);

/* Checks every index of a sealed profile that came from outside, so that later code need not:
 * strings, modules, frames, parents before children, label sets, threads, slots inside the window,
 * window and clocks sane. -EBADMSG and RET_WHAT (static text) name what is wrong. */
int profile_check(const struct profile *profile, const char **ret_what);

/* The epoch time of the window's start, on the grid of slots, by the clocks of its head. */
uint64_t profile_window_epoch_ns(const struct profile *profile);
/* Slots that start in the window: every slot of its samples is below this; at least 1. */
uint32_t profile_slot_count(const struct profile *profile);
/* The epoch time of the window's end. */
uint64_t profile_window_end_epoch_ns(const struct profile *profile);
