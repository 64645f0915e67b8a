/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/segment_mapping.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int reserve(struct segment_map *map, uint32_t count)
{
	if (count <= map->capacity)
		return 0;
	free(map->entries);
	map->capacity = 0;
	map->entries = calloc(count, sizeof(*map->entries));
	if (!map->entries)
		return -ENOMEM;
	map->capacity = count;
	return 0;
}

static void forget(struct segment_map *map)
{
	if (map->entries)
		memset(map->entries, 0, map->capacity * sizeof(*map->entries));
}

int segment_mapping_begin(struct segment_mapping *mapping, const struct profile *from,
	struct profile *labels, struct profile *stacks)
{
	struct {
		struct segment_map *map;
		uint32_t count;
	} maps[] = {
		{&mapping->label_texts, from->strings.count},
		{&mapping->stack_texts, from->strings.count},
		{&mapping->modules, from->modules.count},
		{&mapping->frames, from->frames.count},
		{&mapping->nodes, from->stacks.count},
		{&mapping->sets, from->labels.count},
		{&mapping->threads, from->threads.count},
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(maps) / sizeof(maps[0]); i++) {
		r = reserve(maps[i].map, maps[i].count);
		/* Stamps begin anew; 0 is that of fresh entries. */
		if (mapping->stamp == UINT32_MAX)
			forget(maps[i].map);
	}
	mapping->stamp = mapping->stamp == UINT32_MAX ? 1 : mapping->stamp + 1;
	mapping->from = from;
	mapping->labels = labels;
	mapping->stacks = stacks;
	if (r == 0 && mapping->path_capacity < from->stacks.count) {
		free(mapping->path);
		mapping->path = malloc(from->stacks.count * sizeof(*mapping->path));
		mapping->path_capacity = mapping->path ? from->stacks.count : 0;
		r = mapping->path ? 0 : -ENOMEM;
	}
	return r;
}

void segment_mapping_done(struct segment_mapping *mapping)
{
	free(mapping->label_texts.entries);
	free(mapping->stack_texts.entries);
	free(mapping->modules.entries);
	free(mapping->frames.entries);
	free(mapping->nodes.entries);
	free(mapping->sets.entries);
	free(mapping->threads.entries);
	free(mapping->path);
	*mapping = (struct segment_mapping){0};
}

bool segment_map_get(const struct segment_map *map, uint32_t stamp, uint32_t i, uint32_t *ret_to)
{
	uint64_t entry = map->entries[i];

	if (entry >> 32 != stamp)
		return false;
	*ret_to = (uint32_t)entry;
	return true;
}

void segment_map_set(struct segment_map *map, uint32_t stamp, uint32_t i, uint32_t to)
{
	map->entries[i] = (uint64_t)stamp << 32 | to;
}

static int map_text(const struct segment_mapping *mapping, struct segment_map *map,
	struct profile *to, uint32_t text, uint32_t *ret_text)
{
	const struct string_table *strings = &mapping->from->strings;
	uint32_t place;
	int r;

	if (segment_map_get(map, mapping->stamp, text, ret_text))
		return 0;
	r = string_table_add(&to->strings, string_table_text(strings, text),
		string_table_length(strings, text), &place);
	if (r < 0)
		return r;
	segment_map_set(map, mapping->stamp, text, place);
	*ret_text = place;
	return 0;
}

int segment_mapping_label_text(struct segment_mapping *mapping, uint32_t text, uint32_t *ret_text)
{
	return map_text(mapping, &mapping->label_texts, mapping->labels, text, ret_text);
}

int segment_mapping_text(struct segment_mapping *mapping, uint32_t text, uint32_t *ret_text)
{
	return map_text(mapping, &mapping->stack_texts, mapping->stacks, text, ret_text);
}

static int map_module(struct segment_mapping *mapping, uint32_t module, uint32_t *ret_module)
{
	struct module copy = mapping->from->modules.modules[module];
	uint32_t place;
	int r;

	if (segment_map_get(&mapping->modules, mapping->stamp, module, ret_module))
		return 0;
	r = segment_mapping_text(mapping, copy.name, &copy.name);
	if (r == 0)
		r = module_table_add(&mapping->stacks->modules, &copy, &place);
	if (r < 0)
		return r;
	segment_map_set(&mapping->modules, mapping->stamp, module, place);
	*ret_module = place;
	return 0;
}

static int map_frame(struct segment_mapping *mapping, uint32_t frame, uint32_t *ret_frame)
{
	struct frame copy = mapping->from->frames.frames[frame];
	uint32_t place;
	int r;

	if (segment_map_get(&mapping->frames, mapping->stamp, frame, ret_frame))
		return 0;
	r = map_module(mapping, copy.module, &copy.module);
	if (r == 0 && (copy.flags & FRAME_NAMED)) {
		uint32_t name = 0;

		r = segment_mapping_text(mapping, (uint32_t)copy.address, &name);
		copy.address = name;
	}
	if (r == 0)
		r = frame_table_add(&mapping->stacks->frames, &copy, &place);
	if (r < 0)
		return r;
	segment_map_set(&mapping->frames, mapping->stamp, frame, place);
	*ret_frame = place;
	return 0;
}

int segment_mapping_stack(struct segment_mapping *mapping, uint32_t node, uint32_t *ret_node)
{
	const struct stack_node *nodes = mapping->from->stacks.nodes;
	uint32_t depth = 0, to = STACK_EMPTY;

	/* Up to the first forebear that is known, then down again. */
	while (node != STACK_EMPTY &&
		!segment_map_get(&mapping->nodes, mapping->stamp, node, &to)) {
		mapping->path[depth++] = node;
		node = nodes[node].parent;
	}
	while (depth > 0) {
		uint32_t frame = 0;
		int r;

		node = mapping->path[--depth];
		r = map_frame(mapping, nodes[node].frame, &frame);
		if (r == 0)
			r = stack_table_add(&mapping->stacks->stacks, to, frame, &to);
		if (r < 0)
			return r;
		segment_map_set(&mapping->nodes, mapping->stamp, node, to);
	}
	*ret_node = to;
	return 0;
}

static bool is_host(const struct string_table *strings, uint32_t key)
{
	return string_table_length(strings, key) == 4 &&
		memcmp(string_table_text(strings, key), "host", 4) == 0;
}

/* Copies the labels but `host`, whose place the profile's own takes. */
static int map_labels(struct segment_mapping *mapping, const struct label_set *set,
	struct label *ret_labels, uint32_t *ret_count)
{
	const struct profile *from = mapping->from;
	uint32_t host = from->head.host, room = LABEL_COUNT_MAX - (host != 0), count = 0;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < set->count && count < room; i++) {
		const struct label *label = &from->labels.labels[set->first + i];

		if (host != 0 && is_host(&from->strings, label->key))
			continue;
		r = segment_mapping_label_text(mapping, label->key, &ret_labels[count].key);
		if (r == 0)
			r = segment_mapping_label_text(
				mapping, label->value, &ret_labels[count].value);
		count++;
	}
	if (r == 0 && host != 0) {
		r = profile_add_text(mapping->labels, "host", &ret_labels[count].key);
		if (r == 0)
			r = segment_mapping_label_text(mapping, host, &ret_labels[count].value);
		count++;
	}
	*ret_count = count;
	return r;
}

int segment_mapping_set(struct segment_mapping *mapping, uint32_t set, uint32_t *ret_set)
{
	struct label labels[LABEL_COUNT_MAX];
	uint32_t count = 0, place = 0;
	int r;

	if (segment_map_get(&mapping->sets, mapping->stamp, set, ret_set))
		return 0;
	r = map_labels(mapping, &mapping->from->labels.sets[set], labels, &count);
	if (r == 0)
		r = label_table_add(
			&mapping->labels->labels, &mapping->labels->strings, labels, count, &place);
	if (r < 0)
		return r;
	segment_map_set(&mapping->sets, mapping->stamp, set, place);
	*ret_set = place;
	return 0;
}

struct life_name segment_service_of(const struct profile *profile, uint32_t set)
{
	const struct label_set *labels = &profile->labels.sets[set];

	for (uint32_t i = labels->first; i < labels->first + labels->count; i++) {
		const struct label *label = &profile->labels.labels[i];

		if (strcmp(string_table_text(&profile->strings, label->key), "service_name") == 0) {
			return (struct life_name){
				string_table_text(&profile->strings, label->value),
				string_table_length(&profile->strings, label->value)};
		}
	}
	return (struct life_name){"", 0};
}
