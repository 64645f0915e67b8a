/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/store_blocks.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/disk/block_codec.h"
#include "store/disk/log_reader.h"

static int entry_compare(const void *left, const void *right)
{
	const struct time_entry *one = left, *other = right;
	const struct store_file *file = one->owner, *other_file = other->owner;

	if (file->number != other_file->number)
		return file->number < other_file->number ? -1 : 1;
	return (one->offset > other->offset) - (one->offset < other->offset);
}

static bool is_among(
	struct store_file *const *files, uint32_t file_count, const struct store_file *file)
{
	uint32_t low = 0, high = file_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (files[middle]->number < file->number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < file_count && files[low] == file;
}

static void take_entries(struct store_blocks *blocks, const struct time_bucket *bucket,
	struct store_file *const *files, uint32_t file_count, uint64_t count_max)
{
	for (uint32_t i = 0; i < bucket->count && blocks->entry_count < count_max; i++) {
		if (is_among(files, file_count, bucket->entries[i].owner))
			blocks->entries[blocks->entry_count++] = bucket->entries[i];
	}
}

int store_blocks_list(struct store_blocks *blocks, struct profile_store *store,
	struct store_file *const *files, uint32_t file_count)
{
	uint64_t count = 0;

	*blocks = (struct store_blocks){.store = store};
	for (uint32_t i = 0; i < file_count; i++) {
		if (files[i]->kind == STORE_LOG)
			count += files[i]->record_count;
	}
	if (count == 0)
		return 0;
	blocks->entries = malloc(count * sizeof(*blocks->entries));
	if (!blocks->entries)
		return -ENOMEM;
	for (uint32_t i = 0; i < store->index.count; i++)
		take_entries(blocks, &store->index.buckets[i], files, file_count, count);
	if (blocks->entry_count > 1)
		qsort(blocks->entries, blocks->entry_count, sizeof(*blocks->entries),
			entry_compare);
	return 0;
}

void store_blocks_done(struct store_blocks *blocks)
{
	free(blocks->entries);
	*blocks = (struct store_blocks){0};
}

/* The log that is read, as long as its records last. */
struct source {
	const struct store_file *file;
	int fd;
};

static int open_source(
	const struct profile_store *store, const struct store_file *file, struct source *source)
{
	if (source->file == file)
		return 0;
	if (source->fd >= 0)
		close(source->fd);
	*source = (struct source){.fd = -1};
	source->file = file;
	return store_dir_open_file(&store->dir, STORE_LOG, file->number, false, &source->fd);
}

static int read_block(int fd, const struct time_entry *entry, struct profile **ret_profile,
	struct batch_key *ret_key)
{
	SCOPED_FREE uint8_t *bytes = NULL;
	struct log_record record;
	int r = log_reader_read(fd, entry->offset, entry->byte_count, &bytes, &record);

	if (r == 0)
		r = block_decode(bytes + record.header_bytes, record.payload_bytes, ret_profile);
	if (r != 0)
		return r;
	(*ret_profile)->head.received_at_ns = record.received_at_ns;
	*ret_key = record.key;
	return 0;
}

static int give_entry(struct store_blocks *blocks, const struct time_entry *entry,
	struct source *source, segment_block_fn visit, void *visit_context)
{
	const struct store_file *file = entry->owner;
	struct profile *profile = NULL;
	struct batch_key key;
	int r = open_source(blocks->store, file, source);

	if (r == 0)
		r = read_block(source->fd, entry, &profile, &key);
	if (r < 0) {
		if (!store_error_is_ours(r))
			blocks->bad_number = file->number;
		return r;
	}
	r = visit(visit_context, profile, &key);
	profile_free(profile);
	return r;
}

int store_blocks_give(void *context, segment_block_fn visit, void *visit_context)
{
	struct store_blocks *blocks = context;
	struct source source = {.fd = -1};
	int r = 0;

	for (uint64_t i = 0; r == 0 && i < blocks->entry_count; i++) {
		r = store_is_closing(blocks->store) ? -ESHUTDOWN : 0;
		if (r == 0)
			r = give_entry(blocks, &blocks->entries[i], &source, visit, visit_context);
	}
	if (source.fd >= 0)
		close(source.fd);
	return r;
}
