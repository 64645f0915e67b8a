/* SPDX-License-Identifier: Apache-2.0 */
/* Cgroup table: the places that processes belong to, each once.
 *
 * What it is   container, pod and unit of processes, and the name by which people know the place:
 *              the unit's, or the container's as its runtime has configured it.
 * Ownership    the table owns the places; each process holds a reference.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: the table is full.
 */
#pragma once

#include <stdint.h>

#include "collector/process/cgroup.h"
#include "collector/process/container_name.h"

/* Containers and services of one host; Kubernetes runs some hundred pods on one. */
#define CGROUP_COUNT_MAX 8192

struct cgroup {
	struct cgroup *next_in_bucket;
	uint32_t reference_count;
	struct cgroup_place place;
	struct container_name name; /* empty texts where not known */
	char service[CGROUP_UNIT_MAX + 1]; /* configured name of unit or container, or empty */
};

struct cgroup_table {
	struct cgroup **buckets;
	const char *root_folder; /* below which runtimes keep their files; "" for / */
	uint32_t count;
};

/* ROOT_FOLDER must outlive the table. */
int cgroup_table_init(struct cgroup_table *table, const char *root_folder);
void cgroup_table_done(struct cgroup_table *table);

/* The entry of PLACE with a reference for the caller; NULL for a place that says nothing. */
int cgroup_get(
	struct cgroup_table *table, const struct cgroup_place *place, struct cgroup **ret_cgroup);
/* Accepts NULL, and gives it back. */
struct cgroup *cgroup_share(struct cgroup *cgroup);
/* Accepts NULL. */
void cgroup_release(struct cgroup_table *table, struct cgroup *cgroup);
