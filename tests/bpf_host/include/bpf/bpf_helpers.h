/* SPDX-License-Identifier: Apache-2.0 */
/* BPF helpers, as plain C: found instead of libbpf's when the BPF sources are built for tests.
 *
 * What it is   the helpers that our sources call, answered by tests/bpf_host/host.c, and the words
 *              that mean something to clang and the loader only.
 * Ownership    nothing is kept.
 * Threads      one.
 * Errors       as the kernel's: negative errno.
 */
#pragma once

#include <stdint.h>

/* The C library has one of its own. */
#undef __always_inline

/* NOLINTBEGIN(bugprone-reserved-identifier,bugprone-macro-parentheses): libbpf's names and forms */
#define SEC(name)
#define __always_inline inline __attribute__((always_inline))
#define __noinline __attribute__((noinline))

#define __uint(name, value) int(*name)[value]
#define __type(name, value) __typeof__(value) *name
#define __array(name, value) __typeof__(value) *name[]
/* NOLINTEND(bugprone-reserved-identifier,bugprone-macro-parentheses) */

struct pt_regs;
struct task_struct;

void *bpf_map_lookup_elem(void *map, const void *key);
long bpf_map_update_elem(void *map, const void *key, const void *value, uint64_t flags);
long bpf_map_delete_elem(void *map, const void *key);
uint64_t bpf_ktime_get_ns(void);
uint64_t bpf_get_current_pid_tgid(void);
uint64_t bpf_get_current_task(void);
struct task_struct *bpf_get_current_task_btf(void);
uint64_t bpf_get_current_cgroup_id(void);
uint32_t bpf_get_smp_processor_id(void);
long bpf_get_current_comm(void *buffer, uint32_t byte_count);
long bpf_task_pt_regs(struct task_struct *task);
long bpf_get_stack(void *context, void *buffer, uint32_t byte_count, uint64_t flags);
long bpf_probe_read_user(void *buffer, uint32_t byte_count, const void *address);
long bpf_probe_read_kernel(void *buffer, uint32_t byte_count, const void *address);
long bpf_probe_read_kernel_str(void *buffer, uint32_t byte_count, const void *address);
uint64_t bpf_ringbuf_query(void *ring, uint64_t flags);
long bpf_ringbuf_output(void *ring, void *record, uint64_t byte_count, uint64_t flags);
