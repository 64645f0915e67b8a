/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/counter_list.h"

#include <string.h>

#include "store/disk/profile_store.h"
#include "symbolizer-server/status/counter_level.h"
#include "symbolizer-server/symbol/symbolizer.h"

struct part {
	const struct counter_list_visit *visit;
	const char *name;
};

static void give(void *context, const struct site_counter *counter)
{
	const struct part *part = context;

	part->visit->counter(part->visit->context, part->name, counter);
}

static void visit_store(const struct site *site, struct part *part)
{
	struct profile_store_stats stats;
	struct site_counter gauges[] = {
		{"store_files", "log files there are now", 0, true},
		{"store_records", "batches kept now", 0, true},
		{"store_bytes", "bytes of all log files now", 0, true},
		{"store_pending", "batches that wait for the disk now", 0, true},
		{"store_disk_bytes", "bytes of the file system of the data folder, now", 0, true},
		{"store_disk_free_bytes", "of these, free for the server, now", 0, true},
		{"store_full", "1 while the disk is full and batches are refused", 0, true},
	};

	profile_store_stats(site->store, &stats);
	for (enum profile_store_counter i = 0; i < PROFILE_STORE_COUNTER_COUNT; i++)
		give(part,
			&(struct site_counter){.name = profile_store_counter_name(i),
				.meaning = profile_store_counter_meaning(i),
				.value = stats.counters[i]});
	gauges[0].value = stats.file_count;
	gauges[1].value = stats.record_count;
	gauges[2].value = stats.bytes;
	gauges[3].value = stats.pending_count;
	gauges[4].value = stats.disk_bytes;
	gauges[5].value = stats.disk_free_bytes;
	gauges[6].value = stats.full;
	for (size_t i = 0; i < sizeof(gauges) / sizeof(gauges[0]); i++)
		give(part, &gauges[i]);
}

static void visit_symbols(const struct site *site, struct part *part)
{
	uint64_t values[SYMBOL_COUNTER_COUNT];

	symbolizer_read_counters(site->symbolizer, values);
	for (enum symbol_counter i = 0; i < SYMBOL_COUNTER_COUNT; i++) {
		const char *meaning = symbol_counter_meaning(i);

		give(part,
			&(struct site_counter){.name = symbol_counter_name(i),
				.meaning = meaning,
				.value = values[i],
				.is_gauge = counter_is_level(meaning)});
	}
}

static void visit_http(const struct site *site, struct part *part)
{
	static const struct {
		const char *name;
		const char *meaning;
	} texts[HTTP_COUNTER_COUNT] = {
#define HTTP_COUNTER_TEXT(name, text, meaning) {text, meaning},
		HTTP_COUNTERS(HTTP_COUNTER_TEXT)
#undef HTTP_COUNTER_TEXT
	};

	for (enum http_counter i = 0; i < HTTP_COUNTER_COUNT; i++)
		give(part,
			&(struct site_counter){.name = texts[i].name,
				.meaning = texts[i].meaning,
				.value = http_counted(site->counters, i),
				.is_gauge = counter_is_level(texts[i].meaning)});
}

void counter_list_visit(const struct site *site, const struct counter_list_visit *visit)
{
	struct part part = {.visit = visit, .name = "ingest"};

	if (site->visit_ingest)
		site->visit_ingest(site->server, give, &part);
	part.name = "store";
	visit_store(site, &part);
	part.name = "symbols";
	if (site->symbolizer)
		visit_symbols(site, &part);
	part.name = "http";
	visit_http(site, &part);
}

static void keep(void *context, const char *part, const struct site_counter *counter)
{
	struct counter_list *list = context;

	(void)part;
	if (list->count < COUNTER_LIST_COUNT_MAX)
		list->counters[list->count++] = *counter;
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
