/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/counter_list.h"

#include <string.h>

#include "store/disk/profile_store.h"
#include "store/log/log.h"
#include "symbolizer-server/ingest/ingest_desk.h"
#include "symbolizer-server/symbol/symbolizer.h"

/* X(text name, meaning, field of struct profile_store_stats). */
#define STORE_LEVELS(X)                                                                       \
	X("store_files", "logs and segments, now", file_count)                                \
	X("store_segments", "of these, segments, now", segment_count)                         \
	X("store_records", "batches kept, now", record_count)                                 \
	X("store_bytes", "bytes of all logs and segments, now", bytes)                        \
	X("store_segment_bytes", "of these, of segments, now", segment_bytes)                 \
	X("store_cache_bytes", "dictionaries of segments in memory, now", cache_bytes)        \
	X("store_catalog_bytes", "bytes of the catalogue of labels, now", catalog_bytes)      \
	X("store_pending", "batches that wait for the disk, now", pending_count)              \
	X("store_disk_bytes", "bytes of the file system of the data folder, now", disk_bytes) \
	X("store_disk_free_bytes", "of these, free for the server, now", disk_free_bytes)     \
	X("store_full", "1 if the disk is full and batches are refused, now", full)

struct part {
	const struct counter_list_visit *visit;
	const char *name;
};

static void give(void *context, const struct counted *counted)
{
	const struct part *part = context;

	part->visit->counter(part->visit->context, part->name, counted);
}

static void visit_store(const struct site *site, struct part *part)
{
	static const struct counted rows[PROFILE_STORE_COUNTER_COUNT] = {
#define STORE_ROW(name, meaning) {#name, meaning, 0},
		PROFILE_STORE_COUNTERS(STORE_ROW)
#undef STORE_ROW
	};
	struct profile_store_stats stats;

	profile_store_stats(site->store, &stats);
	counted_visit(rows, stats.counters, PROFILE_STORE_COUNTER_COUNT, give, part);
#define STORE_LEVEL_GIVE(name, meaning, field) \
	give(part, &(struct counted){name, meaning, stats.field});
	STORE_LEVELS(STORE_LEVEL_GIVE)
#undef STORE_LEVEL_GIVE
}

static void visit_symbols(const struct site *site, struct part *part)
{
	static const struct counted rows[] = {SYMBOL_COUNTERS(COUNTED_ROW)};
	uint64_t values[SYMBOL_COUNTER_COUNT];

	symbolizer_read_counters(site->symbolizer, values);
	counted_visit(rows, values, SYMBOL_COUNTER_COUNT, give, part);
}

static void visit_http(const struct site *site, struct part *part)
{
	static const struct counted rows[] = {HTTP_COUNTERS(COUNTED_ROW)};
	uint64_t values[HTTP_COUNTER_COUNT];

	for (enum http_counter i = 0; i < HTTP_COUNTER_COUNT; i++)
		values[i] = http_counted(site->counters, i);
	counted_visit(rows, values, HTTP_COUNTER_COUNT, give, part);
}

static void visit_log(struct part *part)
{
	struct log_counts counts;

	log_read_counts(&counts);
#define LOG_COUNTER_GIVE(name, meaning) \
	give(part, &(struct counted){"log_" #name, meaning, counts.name});
	LOG_COUNTERS(LOG_COUNTER_GIVE)
#undef LOG_COUNTER_GIVE
}

void counter_list_visit(const struct site *site, const struct counter_list_visit *visit)
{
	struct part part = {.visit = visit, .name = "ingest"};

	if (site->visit_ingest)
		site->visit_ingest(site->server, give, &part);
	part.name = "client";
	if (site->desk)
		ingest_desk_visit_counters(site->desk, give, &part);
	part.name = "store";
	visit_store(site, &part);
	part.name = "symbols";
	if (site->symbolizer)
		visit_symbols(site, &part);
	part.name = "http";
	if (site->visit_port)
		site->visit_port(site->server, give, &part);
	visit_http(site, &part);
	part.name = "log";
	visit_log(&part);
}

static void keep(void *context, const char *part, const struct counted *counted)
{
	struct counter_list *list = context;

	(void)part;
	if (list->count < COUNTER_LIST_COUNT_MAX)
		list->counters[list->count++] = *counted;
}

void counter_list_read(const struct site *site, struct counter_list *ret_list)
{
	struct counter_list_visit visit = {.counter = keep, .context = ret_list};

	ret_list->count = 0;
	counter_list_visit(site, &visit);
}

bool counter_list_find(void *context, const char *name, uint64_t *ret_value)
{
	const struct counter_list *list = context;

	for (uint32_t i = 0; i < list->count; i++) {
		if (strcmp(list->counters[i].name, name) == 0) {
			*ret_value = list->counters[i].value;
			return true;
		}
	}
	return false;
}
