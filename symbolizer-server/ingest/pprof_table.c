/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/pprof_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/hash.h"

struct counts {
	uint32_t strings, functions, mappings, locations;
};

/* What is read into. */
struct filling {
	struct pprof_tables *tables;
	struct counts at;
	struct ingest_fault *fault;
};

static int refuse(struct ingest_fault *fault, const char *what)
{
	return ingest_refuse(fault, -EBADMSG, "the body was read as pprof: %s", what);
}

/* ---- Ids ---- */

static bool id_equal(const void *context, uint32_t index, const void *key)
{
	const uint64_t *ids = context;

	return ids[index] == *(const uint64_t *)key;
}

static uint64_t hash_id(uint64_t id)
{
	return hash_key(&id, sizeof(id));
}

uint32_t pprof_ids_find(const struct pprof_ids *ids, uint64_t id)
{
	if (ids->dense)
		return id > 0 && id <= ids->count ? (uint32_t)(id - 1) : PPROF_NONE;
	return index_map_find(&ids->map, hash_id(id), id_equal, ids->ids, &id);
}

/* Of equal ids the first counts. */
static int index_ids(struct pprof_ids *ids)
{
	int r = 0;

	ids->dense = true;
	for (uint32_t i = 0; i < ids->count; i++)
		ids->dense &= ids->ids[i] == (uint64_t)i + 1;
	index_map_init(&ids->map, PPROF_ROW_COUNT_MAX);
	for (uint32_t i = 0; r == 0 && !ids->dense && i < ids->count; i++) {
		uint64_t hash = hash_id(ids->ids[i]);

		if (index_map_find(&ids->map, hash, id_equal, ids->ids, &ids->ids[i]) ==
			INDEX_MAP_NONE)
			r = index_map_add(&ids->map, hash, i);
	}
	return r;
}

static void ids_done(struct pprof_ids *ids)
{
	index_map_done(&ids->map);
	free(ids->ids);
}

/* ---- Counting ---- */

static bool count_field(struct counts *counts, uint32_t number)
{
	uint32_t *count;

	switch (number) {
	case PPROF_STRING:
		count = &counts->strings;
		break;
	case PPROF_FUNCTION:
		count = &counts->functions;
		break;
	case PPROF_MAPPING:
		count = &counts->mappings;
		break;
	case PPROF_LOCATION:
		count = &counts->locations;
		break;
	default:
		return true;
	}
	return ++*count <= PPROF_ROW_COUNT_MAX;
}

static int count_rows(struct ingest_text bytes, struct counts *counts, struct ingest_fault *fault)
{
	struct proto_message message;
	struct proto_field field;

	proto_message_init(&message, bytes.text, bytes.length);
	while (proto_next(&message, &field)) {
		if (!count_field(counts, field.number)) {
			return ingest_refuse(fault, -E2BIG,
				"the profile has more than %u rows in one table",
				PPROF_ROW_COUNT_MAX);
		}
	}
	return proto_fault(&message) < 0 ? refuse(fault, "it is no protobuf message, or cut off")
					 : 0;
}

static void *allocate(uint32_t count, size_t element_bytes)
{
	return calloc((size_t)count + 1, element_bytes);
}

static int allocate_tables(struct pprof_tables *tables, const struct counts *counts)
{
	tables->strings = allocate(counts->strings, sizeof(*tables->strings));
	tables->functions = allocate(counts->functions, sizeof(*tables->functions));
	tables->mappings = allocate(counts->mappings, sizeof(*tables->mappings));
	tables->locations = allocate(counts->locations, sizeof(*tables->locations));
	tables->function_ids.ids = allocate(counts->functions, sizeof(uint64_t));
	tables->mapping_ids.ids = allocate(counts->mappings, sizeof(uint64_t));
	tables->location_ids.ids = allocate(counts->locations, sizeof(uint64_t));
	tables->string_count = counts->strings;
	tables->function_ids.count = counts->functions;
	tables->mapping_ids.count = counts->mappings;
	tables->location_ids.count = counts->locations;
	if (!tables->strings || !tables->functions || !tables->mappings || !tables->locations ||
		!tables->function_ids.ids || !tables->mapping_ids.ids || !tables->location_ids.ids)
		return -ENOMEM;
	return 0;
}

/* ---- Rows ---- */

static uint32_t take_string(const struct filling *filling, const struct proto_field *field)
{
	struct pprof_tables *tables = filling->tables;

	if (field->value == 0 || field->value < tables->string_count)
		return (uint32_t)field->value;
	tables->broken_count++;
	return 0;
}

static int read_value_type(const struct filling *filling, const struct proto_field *from,
	struct pprof_value_type *ret_type)
{
	struct pprof_value_type type = {0};
	struct proto_message message;
	struct proto_field field;

	proto_message_init(&message, from->bytes, from->byte_count);
	while (proto_next(&message, &field)) {
		if (field.number == 1) {
			type.type = take_string(filling, &field);
		} else if (field.number == 2) {
			type.unit = take_string(filling, &field);
		}
	}
	if (proto_fault(&message) < 0)
		return refuse(filling->fault, "a sample type is damaged");
	*ret_type = type;
	return 0;
}

static int read_function(struct filling *filling, const struct proto_field *from)
{
	uint32_t row = filling->at.functions++;
	struct pprof_function *function = &filling->tables->functions[row];
	struct proto_message message;
	struct proto_field field;

	proto_message_init(&message, from->bytes, from->byte_count);
	while (proto_next(&message, &field)) {
		if (field.number == 1) {
			filling->tables->function_ids.ids[row] = field.value;
		} else if (field.number == 2) {
			function->name = take_string(filling, &field);
		} else if (field.number == 3) {
			function->system_name = take_string(filling, &field);
		} else if (field.number == 4) {
			function->file = take_string(filling, &field);
		}
	}
	return proto_fault(&message) == 0 ? 0 : refuse(filling->fault, "a function is damaged");
}

static int read_mapping(struct filling *filling, const struct proto_field *from)
{
	uint32_t row = filling->at.mappings++;
	struct pprof_mapping *mapping = &filling->tables->mappings[row];
	struct proto_message message;
	struct proto_field field;

	proto_message_init(&message, from->bytes, from->byte_count);
	while (proto_next(&message, &field)) {
		if (field.number == 1) {
			filling->tables->mapping_ids.ids[row] = field.value;
		} else if (field.number == 2) {
			mapping->start = field.value;
		} else if (field.number == 3) {
			mapping->limit = field.value;
		} else if (field.number == 4) {
			mapping->file_offset = field.value;
		} else if (field.number == 5) {
			mapping->file = take_string(filling, &field);
		} else if (field.number == 6) {
			mapping->build_id = take_string(filling, &field);
		}
	}
	return proto_fault(&message) == 0 ? 0 : refuse(filling->fault, "a mapping is damaged");
}

static int read_location(struct filling *filling, const struct proto_field *from)
{
	uint32_t row = filling->at.locations++;
	struct pprof_location *location = &filling->tables->locations[row];
	struct proto_message message;
	struct proto_field field;

	location->bytes = from->bytes;
	location->byte_count = (uint32_t)from->byte_count;
	if (from->byte_count > UINT32_MAX)
		return refuse(filling->fault, "a location is larger than 4 GiB");
	proto_message_init(&message, from->bytes, from->byte_count);
	while (proto_next(&message, &field)) {
		if (field.number == 1) {
			filling->tables->location_ids.ids[row] = field.value;
		} else if (field.number == 2) {
			location->mapping = field.value;
		} else if (field.number == 3) {
			location->address = field.value;
		} else if (field.number == 4) {
			location->has_lines = true;
		}
	}
	return proto_fault(&message) == 0 ? 0 : refuse(filling->fault, "a location is damaged");
}

static int read_sample_type(struct filling *filling, const struct proto_field *from)
{
	struct pprof_tables *tables = filling->tables;
	const uint32_t count_max = sizeof(tables->types) / sizeof(tables->types[0]);

	if (tables->type_count == count_max) {
		return ingest_refuse(filling->fault, -E2BIG,
			"the profile has more than %u sample types", count_max);
	}
	return read_value_type(filling, from, &tables->types[tables->type_count++]);
}

static int read_field(struct filling *filling, const struct proto_field *field)
{
	struct pprof_tables *tables = filling->tables;

	switch (field->number) {
	case PPROF_SAMPLE_TYPE:
		return read_sample_type(filling, field);
	case PPROF_MAPPING:
		return read_mapping(filling, field);
	case PPROF_LOCATION:
		return read_location(filling, field);
	case PPROF_FUNCTION:
		return read_function(filling, field);
	case PPROF_STRING:
		tables->strings[filling->at.strings++] =
			(struct ingest_text){(const char *)field->bytes, field->byte_count};
		return 0;
	case PPROF_PERIOD_TYPE:
		return read_value_type(filling, field, &tables->period_type);
	case PPROF_PERIOD:
		tables->period = (int64_t)field->value;
		return 0;
	case PPROF_TIME:
		tables->time_ns = (int64_t)field->value;
		return 0;
	case PPROF_DURATION:
		tables->duration_ns = (int64_t)field->value;
		return 0;
	default:
		return 0;
	}
}

static int fill_tables(
	struct pprof_tables *tables, struct ingest_text bytes, struct ingest_fault *fault)
{
	struct filling filling = {.tables = tables, .fault = fault};
	struct proto_message message;
	struct proto_field field;
	int r = 0;

	proto_message_init(&message, bytes.text, bytes.length);
	while (r == 0 && proto_next(&message, &field))
		r = read_field(&filling, &field);
	if (r == 0 && tables->string_count > 0 && tables->strings[0].length > 0)
		r = refuse(fault, "its first text is not the empty one");
	if (r == 0)
		r = index_ids(&tables->function_ids);
	if (r == 0)
		r = index_ids(&tables->mapping_ids);
	return r == 0 ? index_ids(&tables->location_ids) : r;
}

int pprof_tables_init(
	struct pprof_tables *tables, struct ingest_text bytes, struct ingest_fault *fault)
{
	struct counts counts = {0};
	int r;

	*tables = (struct pprof_tables){.strings = NULL};
	r = count_rows(bytes, &counts, fault);
	if (r == 0)
		r = allocate_tables(tables, &counts);
	if (r == 0)
		r = fill_tables(tables, bytes, fault);
	if (r < 0)
		pprof_tables_done(tables);
	return r;
}

void pprof_tables_done(struct pprof_tables *tables)
{
	free(tables->strings);
	free(tables->functions);
	free(tables->mappings);
	free(tables->locations);
	ids_done(&tables->function_ids);
	ids_done(&tables->mapping_ids);
	ids_done(&tables->location_ids);
	*tables = (struct pprof_tables){.strings = NULL};
}

struct ingest_text pprof_string(const struct pprof_tables *tables, uint32_t index)
{
	if (index >= tables->string_count || tables->strings[index].length == 0)
		return (struct ingest_text){"", 0};
	return tables->strings[index];
}
