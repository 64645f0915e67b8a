/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   all blocks       what windows, keys and groups there are, and how many rows each group has
 *   hour by hour     windows and lives are written: from here on it is known where each window went
 *   share by share   all blocks again: rows of the share's groups come together; then group by group
 *                    these are joined with those of other segments, and written
 *   index
 */
#include "store/disk/segment_writer.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/cleanup.h"
#include "store/disk/segment_layout.h"
#include "store/profile/grow.h"

/* What a group takes while it is built, beside its rows. */
#define GROUP_BYTES ((uint64_t)64 << 10)
/* A row, its part of the dictionary, and room to sort. */
#define ROW_BYTES ((uint64_t)64)

struct writing {
	const struct segment_input *input;
	const struct segment_options *options;
	struct segment_output output;
	struct segment_index index;
	struct segment_gathering gathering;
	struct batch_seen seen;
	struct string_table services; /* text 0 is the service without name */
	uint64_t *weights; /* of services: bytes that their rows of blocks take */
	uint32_t weight_capacity;
	uint32_t *order; /* services by their bytes */
	struct segment_build **builds; /* of services; NULL: not of this share */
	struct segment_group_target target;
	struct segment_mapping mapping;
	struct segment_written *written;
	uint32_t next_block;
};

/* A weight for each service, 0 at first. */
static int grow_weights(struct writing *writing)
{
	uint32_t before = writing->weight_capacity;
	int r = grow_array(
		&writing->weights, &writing->weight_capacity, before, SEGMENT_GROUP_COUNT_MAX);

	for (uint32_t i = before; r == 0 && i < writing->weight_capacity; i++)
		writing->weights[i] = 0;
	return r;
}

static int add_service(struct writing *writing, struct life_name service, uint64_t weight)
{
	uint32_t place = 0;
	int r = string_table_add(&writing->services, service.text, service.length, &place);

	while (r == 0 && writing->weight_capacity <= place)
		r = grow_weights(writing);
	if (r == 0)
		writing->weights[place] += weight;
	return r;
}

static int weigh(struct writing *writing, const struct profile *profile)
{
	int r = 0;

	for (uint32_t i = 0; i < profile->type_count; i++) {
		const struct sample_table *table = &profile->types[i];

		for (uint32_t j = 0; r == 0 && j < table->row_count; j++) {
			const struct sample_row *row = &table->rows[j];
			uint64_t slots = table->has_slots ? row->count : 0;

			r = add_service(writing,
				segment_service_of(
					profile, profile->threads.threads[row->thread].labels),
				ROW_BYTES + slots * sizeof(uint32_t));
		}
	}
	return r;
}

static int scan_block(void *context, const struct profile *profile, const struct batch_key *key)
{
	struct writing *writing = context;
	int r = segment_gathering_add(&writing->gathering, profile);

	if (r == 0 && key)
		r = batch_seen_add(&writing->seen, key, profile->head.received_at_ns);
	if (r == 0)
		r = weigh(writing, profile);
	writing->written->block_count++;
	writing->written->sample_count += profile_sample_count(profile);
	return r;
}

static int scan_segment(struct writing *writing, uint32_t segment)
{
	const struct segment_reader *reader = writing->input->segments[segment];
	int r = segment_reader_keys(reader, &writing->seen);

	for (uint32_t i = 0; r == 0 && i < reader->index.group_count; i++)
		r = add_service(writing, segment_index_service(&reader->index, i), 0);
	if (r == -EBADMSG)
		writing->written->bad_segment = segment;
	writing->written->sample_count += reader->summary.sample_count;
	return r;
}

static int scan(struct writing *writing)
{
	const struct segment_input *input = writing->input;
	int r = add_service(writing, (struct life_name){"", 0}, 0);

	if (r == 0 && input->blocks)
		r = input->blocks(input->context, scan_block, writing);
	for (uint32_t i = 0; r == 0 && i < input->segment_count; i++)
		r = scan_segment(writing, i);
	writing->written->pass_count = input->blocks ? 1 : 0;
	return r;
}

/* Rows of a block that belong to the share at hand. */
struct share_row {
	uint32_t service;
	uint32_t table;
	uint32_t row;
};

static int share_row_compare(const void *left, const void *right)
{
	const struct share_row *one = left, *other = right;

	if (one->service != other->service)
		return one->service < other->service ? -1 : 1;
	if (one->table != other->table)
		return one->table < other->table ? -1 : 1;
	return (one->row > other->row) - (one->row < other->row);
}

/* Which of its services each label set belongs to. */
static int services_of(
	const struct writing *writing, const struct profile *profile, uint32_t **ret_services)
{
	uint32_t *services = calloc(profile->labels.count, sizeof(*services));

	if (!services)
		return -ENOMEM;
	for (uint32_t i = 0; i < profile->labels.count; i++) {
		struct life_name service = segment_service_of(profile, i);

		/* Of sets without rows nobody has heard. */
		services[i] = string_table_find(&writing->services, service.text, service.length);
	}
	*ret_services = services;
	return 0;
}

static int rows_of_share(const struct writing *writing, const struct profile *profile,
	struct share_row **ret_rows, uint32_t *ret_count)
{
	SCOPED_FREE uint32_t *services = NULL;
	SCOPED_FREE struct share_row *rows = NULL;
	uint32_t capacity = 0, count = 0;
	int r = services_of(writing, profile, &services);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < profile->type_count; i++)
		capacity += profile->types[i].row_count;
	rows = malloc(((size_t)capacity + 1) * sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < profile->type_count; i++) {
		const struct sample_table *table = &profile->types[i];

		for (uint32_t j = 0; j < table->row_count; j++) {
			uint32_t thread = table->rows[j].thread;
			uint32_t service = services[profile->threads.threads[thread].labels];

			if (service != INDEX_MAP_NONE && writing->builds[service])
				rows[count++] = (struct share_row){service, i, j};
		}
	}
	qsort(rows, count, sizeof(*rows), share_row_compare);
	*ret_rows = TAKE(rows);
	*ret_count = count;
	return 0;
}

static int take_rows(struct writing *writing, const struct profile *profile,
	const struct share_row *rows, uint32_t count, struct segment_block_rows *block)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < count; i++) {
		const struct sample_table *table = &profile->types[rows[i].table];
		struct segment_build *build = writing->builds[rows[i].service];

		if (i == 0 || rows[i].service != rows[i - 1].service)
			r = segment_mapping_begin(
				block->mapping, profile, build->head.labels, build->stacks);
		if (r == 0)
			r = segment_build_add(build, block, table, &table->rows[rows[i].row]);
	}
	return r;
}

static int take_block(void *context, const struct profile *profile, const struct batch_key *key)
{
	struct writing *writing = context;
	struct segment_block_rows block = {.mapping = &writing->mapping};
	SCOPED_FREE struct share_row *rows = NULL;
	const struct segment_hour_spans *spans;
	const struct segment_block_place *place;
	uint32_t count = 0;
	int r;

	(void)key;
	if (writing->next_block >= writing->gathering.block_count)
		return -ESTALE;
	place = &writing->gathering.blocks[writing->next_block++];
	block.hour = writing->gathering.hours[place->hour].hour;
	block.window = writing->gathering.hours[place->hour].places[place->window];
	spans = segment_layout_find(&writing->gathering.layout, block.hour);
	if (spans->spans[block.window].start_ns != profile_window_epoch_ns(profile))
		return -ESTALE;
	block.keeps_slots = spans->spans[block.window].keeps_slots;
	r = rows_of_share(writing, profile, &rows, &count);
	return r == 0 ? take_rows(writing, profile, rows, count, &block) : r;
}

static int add_sources(struct writing *writing, struct segment_build *build, uint32_t service)
{
	const char *text = string_table_text(&writing->services, service);
	size_t length = string_table_length(&writing->services, service);
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < writing->input->segment_count; i++) {
		const struct segment_reader *reader = writing->input->segments[i];
		uint32_t group = segment_reader_find_group(reader, text, length);

		if (group == UINT32_MAX)
			continue;
		r = segment_build_add_source(build, reader, group, i);
		if (r == -EBADMSG)
			writing->written->bad_segment = i;
	}
	return r;
}

static int write_group(struct writing *writing, uint32_t service)
{
	struct segment_group_entry entry = {0};
	struct segment_build *build = writing->builds[service];
	int r = add_sources(writing, build, service);

	if (r == 0)
		r = segment_group_write(&writing->target, build, &entry);
	if (r < 0 || entry.head.byte_count == 0)
		return r;
	r = string_table_add(&writing->index.texts, string_table_text(&writing->services, service),
		string_table_length(&writing->services, service), &entry.service);
	return r == 0 ? segment_index_add_group(&writing->index, &entry) : r;
}

static void free_build(struct writing *writing, uint32_t service)
{
	if (!writing->builds[service])
		return;
	segment_build_done(writing->builds[service]);
	free(writing->builds[service]);
	writing->builds[service] = NULL;
}

static int begin_share(struct writing *writing, uint32_t from, uint32_t until)
{
	int r = 0;

	for (uint32_t i = from; r == 0 && i < until; i++) {
		struct segment_build *build = calloc(1, sizeof(*build));

		writing->builds[writing->order[i]] = build;
		r = build ? segment_build_init(build) : -ENOMEM;
	}
	return r;
}

/* Services from place FROM of the order up to UNTIL, of which some have rows in blocks, or one. */
static int write_share(struct writing *writing, uint32_t from, uint32_t until, uint64_t weight)
{
	const struct segment_input *input = writing->input;
	int r = begin_share(writing, from, until);

	if (r == 0 && weight > 0 && input->blocks) {
		writing->next_block = 0;
		writing->written->pass_count++;
		r = input->blocks(input->context, take_block, writing);
		if (r == 0 && writing->next_block != writing->gathering.block_count)
			r = -ESTALE;
	}
	for (uint32_t i = from; i < until; i++) {
		if (r == 0)
			r = write_group(writing, writing->order[i]);
		free_build(writing, writing->order[i]);
	}
	return r;
}

static int write_shares(struct writing *writing)
{
	uint64_t memory = writing->options->memory_bytes ? writing->options->memory_bytes
							 : SEGMENT_MEMORY_BYTES_DEFAULT;
	uint32_t count = writing->services.count, from = 0;
	int r = 0;

	while (r == 0 && from < count) {
		uint64_t weight = writing->weights[writing->order[from]], bytes = weight;
		uint32_t until = from + 1;

		while (until < count) {
			uint64_t next = writing->weights[writing->order[until]];

			/* Without blocks nothing is won by more than one at a time. */
			if (!writing->input->blocks || bytes + GROUP_BYTES + next > memory)
				break;
			bytes += GROUP_BYTES + next;
			weight += next;
			until++;
		}
		r = write_share(writing, from, until, weight);
		from = until;
	}
	return r;
}

static int service_compare(const void *left, const void *right, void *context)
{
	const struct string_table *services = context;
	uint32_t one = *(const uint32_t *)left, other = *(const uint32_t *)right;

	return life_name_compare((struct life_name){string_table_text(services, one),
					 string_table_length(services, one)},
		(struct life_name){
			string_table_text(services, other), string_table_length(services, other)});
}

static int order_services(struct writing *writing)
{
	uint32_t count = writing->services.count;

	writing->order = malloc(count * sizeof(*writing->order));
	writing->builds = calloc(count, sizeof(*writing->builds));
	if (!writing->order || !writing->builds)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		writing->order[i] = i;
	qsort_r(writing->order, count, sizeof(*writing->order), service_compare,
		&writing->services);
	return 0;
}

static int number_compare(const void *left, const void *right)
{
	uint64_t one = *(const uint64_t *)left, other = *(const uint64_t *)right;

	return (one > other) - (one < other);
}

/* Numbers rise, each once. */
static int keep_replaced(struct writing *writing)
{
	const struct segment_options *options = writing->options;
	struct segment_index *index = &writing->index;
	uint32_t kept = 0;

	index->replaced = calloc(options->replaced_count + 1, sizeof(*index->replaced));
	if (!index->replaced)
		return -ENOMEM;
	for (uint32_t i = 0; i < options->replaced_count; i++)
		index->replaced[i] = options->replaced[i];
	qsort(index->replaced, options->replaced_count, sizeof(*index->replaced), number_compare);
	for (uint32_t i = 0; i < options->replaced_count; i++) {
		if (kept == 0 || index->replaced[kept - 1] != index->replaced[i])
			index->replaced[kept++] = index->replaced[i];
	}
	index->replaced_count = kept;
	return 0;
}

static int write_keys(struct writing *writing)
{
	struct bytes_writer bytes;
	int r;

	bytes_writer_init(&bytes, SEGMENT_SECTION_BYTES_MAX);
	segment_keys_write(&bytes, &writing->seen);
	r = segment_output_section(&writing->output, &bytes, &writing->index.keys);
	bytes_writer_done(&bytes);
	writing->written->window_bytes += writing->index.keys.byte_count;
	return r;
}

static int write_index(struct writing *writing)
{
	struct segment_ref ref = {0};
	struct bytes_writer bytes;
	int r;

	writing->index.slot_bytes = writing->written->slot_bytes;
	writing->index.slots_until_ns = writing->target.slots_until_ns;
	bytes_writer_init(&bytes, SEGMENT_SECTION_BYTES_MAX);
	segment_index_write(&bytes, &writing->index);
	r = segment_output_section(&writing->output, &bytes, &ref);
	bytes_writer_done(&bytes);
	if (r == 0)
		r = segment_output_end(&writing->output, &ref);
	writing->written->window_bytes += ref.byte_count;
	writing->written->byte_count = writing->output.offset;
	return r;
}

static int write_all(struct writing *writing)
{
	int r = scan(writing);

	if (r == 0)
		r = order_services(writing);
	if (r == 0)
		r = keep_replaced(writing);
	if (r == 0)
		r = segment_gathering_write(&writing->gathering, writing->input, writing->options,
			&writing->output, &writing->index, writing->written);
	if (r == 0)
		r = write_keys(writing);
	if (r == 0)
		r = write_shares(writing);
	return r == 0 ? write_index(writing) : r;
}

static void writing_done(struct writing *writing)
{
	for (uint32_t i = 0; writing->builds && i < writing->services.count; i++)
		free_build(writing, i);
	segment_index_done(&writing->index);
	segment_gathering_done(&writing->gathering);
	segment_mapping_done(&writing->mapping);
	batch_seen_done(&writing->seen);
	string_table_done(&writing->services);
	free(writing->weights);
	free(writing->order);
	free(writing->builds);
}

int segment_write(int fd, const struct segment_input *input, const struct segment_options *options,
	struct segment_written *ret_written)
{
	struct segment_written written = {.bad_segment = UINT32_MAX};
	struct writing writing = {.input = input, .options = options, .written = &written};
	int r;

	writing.target = (struct segment_group_target){.output = &writing.output,
		.layout = &writing.gathering.layout,
		.written = &written};
	batch_seen_init(&writing.seen);
	r = segment_index_init(&writing.index);
	if (r == 0)
		r = string_table_init(&writing.services);
	if (r == 0)
		r = segment_output_begin(&writing.output, fd, options->number);
	if (r == 0)
		r = write_all(&writing);
	writing_done(&writing);
	*ret_written = written;
	return r;
}
