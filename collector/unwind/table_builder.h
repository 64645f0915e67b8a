/* SPDX-License-Identifier: Apache-2.0 */
/* Table builder: from call frame information to a tree of nodes that a walk can search.
 *
 * What it is   lists the functions of a section, brings them into the order of their addresses and
 *              writes their rows into leaves, then index nodes above these. A row says from which
 *              byte of code on which rule holds; code between functions gets a row of its own
 *              (UNWIND_RULE_GAP) if there is more of it than a linker's padding.
 * Ownership    nodes are taken from the pool; table_free gives them back.
 * Threads      the pool's owner.
 * Errors       -ENOENT: no function of the section lies in the code given. -ENOSPC, -ENOMEM: as in
 *              node_pool.h. -E2BIG: 4 GiB of code or more. -EBADMSG: the section's chain of entries
 *              breaks before its first function. Nothing is kept then.
 */
#pragma once

#include <stdint.h>

#include "collector/unwind/go_table.h"
#include "collector/unwind/node_pool.h"
#include "collector/unwind/rule_set.h"

/* Between functions there are at most 15 bytes of padding on x86-64, and nothing runs in them. */
#define TABLE_PADDING_MAX 15
/* What stands at a program's entry calls the first function and does not return. Where it has no
 * call frame information (the dynamic loader's), so many bytes from the entry on are taken for it:
 * there a thread begins. */
#define TABLE_ENTRY_BYTES 96

struct table_source {
	/* No bytes: there is none. Of what speaks of the same code, the first here counts. */
	struct eh_frame section; /* .eh_frame */
	struct eh_frame debug_section; /* .debug_frame */
	struct go_table go;
	/* Addresses of code, [code_from, code_until): bytes are counted from code_from. */
	uint64_t code_from;
	uint64_t code_until;
	uint64_t entry; /* where a process begins; 0: nowhere */
};

struct table_counts {
	uint64_t function_count;
	uint64_t broken_count; /* functions, whole or in part, that make no sense */
	uint64_t outside_count; /* functions that lie outside of the code given */
	uint64_t row_count;
	uint32_t node_count;
};

/* RET_TABLE gets everything but its time of use. */
int table_build(const struct table_source *source, struct node_pool *pool, struct rule_set *rules,
	struct unwind_table *ret_table, struct table_counts *ret_counts);
void table_free(struct node_pool *pool, const struct unwind_table *table);
/* The rule for BYTE of code: what a walk would find. UNWIND_RULE_GAP if there is none. */
uint16_t table_find(const struct node_pool *pool, const struct unwind_table *table, uint64_t byte);
