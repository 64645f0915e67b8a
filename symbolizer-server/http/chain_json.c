/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/chain_json.h"

#include <stdlib.h>
#include <time.h>

#include "store/base/cleanup.h"
#include "store/base/must.h"
#include "symbolizer-server/http/counter_list.h"
#include "symbolizer-server/status/host_board.h"

/* A count that was on its way when it was read has arrived at the next reading; what is wrong stays
 * wrong. */
#define READ_COUNT_MAX 5
#define READ_PAUSE_NS 200000

void chain_read_host(const struct host_entry *host, struct chain_readings *ret_readings)
{
	const struct chain_stage *stages = chain_stages(&ret_readings->count);

	must(ret_readings->count <= CHAIN_STAGE_COUNT_MAX);
	for (uint32_t i = 0; i < ret_readings->count; i++) {
		struct chain_reading *reading = &ret_readings->stages[i];

		*reading = (struct chain_reading){.stage = &stages[i]};
		if (stages[i].place == CHAIN_HOST)
			*reading = chain_read(&stages[i], host_entry_find_counter,
				(void *)(uintptr_t)host, host->online_cpu_count);
	}
}

/* Whether all of the server's stages add up now. */
static bool read_server(
	const struct site *site, struct counter_list *list, struct chain_readings *readings)
{
	const struct chain_stage *stages = chain_stages(&readings->count);
	bool sound = true;

	counter_list_read(site, list);
	for (uint32_t i = 0; i < readings->count; i++) {
		struct chain_reading *reading = &readings->stages[i];

		if (stages[i].place != CHAIN_SERVER || (reading->known && !reading->unaccounted))
			continue;
		*reading = chain_read(&stages[i], counter_list_find, list, 0);
		sound &= reading->unaccounted == 0;
	}
	return sound;
}

void chain_read_all(const struct site *site, const struct host_snapshot *hosts,
	struct chain_readings *ret_readings)
{
	const struct timespec pause = {.tv_nsec = READ_PAUSE_NS};
	SCOPED_FREE struct counter_list *list = malloc(sizeof(*list));
	const struct chain_stage *stages = chain_stages(&ret_readings->count);
	struct chain_readings one;

	must(ret_readings->count <= CHAIN_STAGE_COUNT_MAX);
	for (uint32_t i = 0; i < ret_readings->count; i++)
		ret_readings->stages[i] = (struct chain_reading){.stage = &stages[i]};
	for (uint32_t i = 0; i < hosts->count; i++) {
		chain_read_host(&hosts->entries[i], &one);
		for (uint32_t j = 0; j < one.count; j++)
			chain_add(&ret_readings->stages[j], &one.stages[j]);
	}
	for (int i = 0; list && i < READ_COUNT_MAX; i++) {
		if (read_server(site, list, ret_readings))
			break;
		nanosleep(&pause, NULL);
	}
}

static void write_terms(struct json_writer *json, const struct chain_reading *reading,
	enum chain_role role, const char *key)
{
	json_begin_array(json_key(json, key));
	for (uint32_t i = 0; reading->stage->terms[i].counter; i++) {
		const struct chain_term *term = &reading->stage->terms[i];

		if (term->role != role)
			continue;
		json_begin_object(json);
		json_string(json_key(json, "counter"), term->counter);
		json_string(json_key(json, "reason"), term->words);
		json_unsigned(json_key(json, "value"), reading->values[i]);
		json_string(json_key(json, "remedy"), term->remedy ? term->remedy : "");
		json_end_object(json);
	}
	json_end_array(json);
}

static void write_stage(struct json_writer *json, const struct chain_reading *reading)
{
	json_begin_object(json);
	json_string(json_key(json, "stage"), reading->stage->name);
	json_string(
		json_key(json, "place"), reading->stage->place == CHAIN_HOST ? "host" : "server");
	json_string(json_key(json, "unit"), reading->stage->unit);
	json_string(json_key(json, "meaning"), reading->stage->meaning);
	json_unsigned(json_key(json, "in"), reading->sums[CHAIN_IN]);
	json_unsigned(json_key(json, "out"), reading->sums[CHAIN_OUT]);
	json_unsigned(json_key(json, "waiting"), reading->sums[CHAIN_WAITING]);
	json_unsigned(json_key(json, "set_aside"), reading->sums[CHAIN_ASIDE]);
	json_unsigned(json_key(json, "lost"), reading->sums[CHAIN_LOST]);
	json_unsigned(json_key(json, "unaccounted"), reading->unaccounted);
	write_terms(json, reading, CHAIN_ASIDE, "aside_reasons");
	write_terms(json, reading, CHAIN_LOST, "lost_reasons");
	write_terms(json, reading, CHAIN_NOTE, "notes");
	json_end_object(json);
}

void chain_write_json(struct json_writer *json, const struct chain_readings *readings, int place)
{
	json_begin_array(json_key(json, "chain"));
	for (uint32_t i = 0; i < readings->count; i++) {
		const struct chain_reading *reading = &readings->stages[i];

		if (reading->known && (place < 0 || (int)reading->stage->place == place))
			write_stage(json, reading);
	}
	json_end_array(json);
}
