/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/process/cgroup_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/hash.h"
#include "store/base/must.h"

#define BUCKET_COUNT 512u
#define UNIT_SUFFIX ".service"

int cgroup_table_init(struct cgroup_table *table, const char *root_folder)
{
	*table = (struct cgroup_table){.root_folder = root_folder};
	table->buckets = calloc(BUCKET_COUNT, sizeof(struct cgroup *));
	return table->buckets ? 0 : -ENOMEM;
}

void cgroup_table_done(struct cgroup_table *table)
{
	if (!table->buckets)
		return;
	for (uint32_t i = 0; i < BUCKET_COUNT; i++) {
		struct cgroup *next;

		for (struct cgroup *cgroup = table->buckets[i]; cgroup; cgroup = next) {
			next = cgroup->next_in_bucket;
			free(cgroup);
		}
	}
	free(table->buckets);
	table->buckets = NULL;
}

static struct cgroup **bucket_of(struct cgroup_table *table, const struct cgroup_place *place)
{
	uint64_t hash = hash_pair(hash_bytes(place->container, strlen(place->container)),
		hash_bytes(place->unit, strlen(place->unit)));

	return &table->buckets[hash % BUCKET_COUNT];
}

static bool is_place(const struct cgroup *cgroup, const struct cgroup_place *place)
{
	return strcmp(cgroup->place.container, place->container) == 0 &&
		strcmp(cgroup->place.pod, place->pod) == 0 &&
		strcmp(cgroup->place.unit, place->unit) == 0;
}

/* A unit inside a container is closer to the program than the container is. */
static void choose_service(struct cgroup *cgroup)
{
	size_t length = strlen(cgroup->place.unit);

	if (length > strlen(UNIT_SUFFIX))
		memcpy(cgroup->service, cgroup->place.unit, length - strlen(UNIT_SUFFIX));
	else
		memcpy(cgroup->service, cgroup->name.container, strlen(cgroup->name.container));
}

static struct cgroup *cgroup_new(const struct cgroup_table *table, const struct cgroup_place *place)
{
	struct cgroup *cgroup = calloc(1, sizeof(*cgroup));

	if (!cgroup)
		return NULL;
	_Static_assert(CGROUP_CONTAINER_MAX <= CONTAINER_NAME_MAX, "a container's name fits");
	_Static_assert(CONTAINER_NAME_MAX <= CGROUP_UNIT_MAX, "any name fits as service");
	cgroup->place = *place;
	if (place->container_is_name)
		memcpy(cgroup->name.container, place->container, sizeof(place->container));
	else if (place->container[0])
		container_name_read(table->root_folder, place->container, &cgroup->name);
	choose_service(cgroup);
	return cgroup;
}

int cgroup_get(
	struct cgroup_table *table, const struct cgroup_place *place, struct cgroup **ret_cgroup)
{
	struct cgroup **bucket = bucket_of(table, place);
	struct cgroup *cgroup = *bucket;

	if (!place->container[0] && !place->pod[0] && !place->unit[0]) {
		*ret_cgroup = NULL;
		return 0;
	}
	while (cgroup && !is_place(cgroup, place))
		cgroup = cgroup->next_in_bucket;
	if (!cgroup) {
		if (table->count >= CGROUP_COUNT_MAX)
			return -E2BIG;
		cgroup = cgroup_new(table, place);
		if (!cgroup)
			return -ENOMEM;
		cgroup->next_in_bucket = *bucket;
		*bucket = cgroup;
		table->count++;
	}
	cgroup->reference_count++;
	*ret_cgroup = cgroup;
	return 0;
}

struct cgroup *cgroup_share(struct cgroup *cgroup)
{
	if (cgroup)
		cgroup->reference_count++;
	return cgroup;
}

void cgroup_release(struct cgroup_table *table, struct cgroup *cgroup)
{
	struct cgroup **link;

	if (!cgroup)
		return;
	must(cgroup->reference_count > 0);
	if (--cgroup->reference_count > 0)
		return;
	link = bucket_of(table, &cgroup->place);
	while (*link != cgroup)
		link = &(*link)->next_in_bucket;
	*link = cgroup->next_in_bucket;
	free(cgroup);
	table->count--;
}
