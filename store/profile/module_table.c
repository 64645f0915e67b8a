/* SPDX-License-Identifier: Apache-2.0 */
#include "store/profile/module_table.h"

#include <stdbool.h>
#include <stdlib.h>

#include "store/base/hash.h"
#include "store/profile/grow.h"

int module_table_init(struct module_table *table)
{
	struct module none = {0};
	uint32_t index;
	int r;

	*table = (struct module_table){0};
	index_map_init(&table->map, MODULE_COUNT_MAX);
	r = module_table_add(table, &none, &index);
	if (r < 0)
		module_table_done(table);
	return r;
}

void module_table_done(struct module_table *table)
{
	index_map_done(&table->map);
	free(table->modules);
	*table = (struct module_table){0};
}

static bool module_equal(const void *context, uint32_t index, const void *key)
{
	const struct module *one = (const struct module *)context + index;
	const struct module *other = key;

	return one->name == other->name && build_id_equal(&one->build_id, &other->build_id);
}

int module_table_add(struct module_table *table, const struct module *module, uint32_t *ret_index)
{
	uint64_t hash = hash_pair(build_id_hash(&module->build_id), module->name);
	uint32_t index = index_map_find(&table->map, hash, module_equal, table->modules, module);
	int r;

	if (index != INDEX_MAP_NONE) {
		*ret_index = index;
		return 0;
	}
	r = grow_array(&table->modules, &table->capacity, table->count, MODULE_COUNT_MAX);
	if (r < 0)
		return r;
	r = index_map_add(&table->map, hash, table->count);
	if (r < 0)
		return r;
	table->modules[table->count] = *module;
	*ret_index = table->count++;
	return 0;
}
