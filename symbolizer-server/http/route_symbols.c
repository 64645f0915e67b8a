/* SPDX-License-Identifier: Apache-2.0 */
/* The modules of a range by what of them has no name, why, and what can be done. */
#include "symbolizer-server/http/route.h"

#include <string.h>

#include "store/base/json_writer.h"
#include "store/profile/profile.h"
#include "symbolizer-server/http/partial_json.h"
#include "symbolizer-server/http/profile_query.h"
#include "symbolizer-server/http/symbol_remedy.h"
#include "symbolizer-server/symbol/symbolizer.h"

#define ROW_COUNT_DEFAULT 500
#define ROW_COUNT_MAX (1u << 18)

static void write_sums(struct json_writer *json, const struct coverage_sums *sums)
{
	json_signed(json_key(json, "total"), sums->total);
	json_signed(json_key(json, "self"), sums->self);
	json_signed(json_key(json, "unnamed_total"), sums->unnamed_total);
	json_signed(json_key(json, "unnamed_self"), sums->unnamed_self);
}

static void write_module(struct json_writer *json, const struct site *site,
	const struct coverage_module *module, const char *name)
{
	struct symbol_module_state state = {.quality = SYMBOL_QUALITY_NONE};
	char id[BUILD_ID_TEXT_MAX] = "";
	bool has_id = build_id_known(&module->build_id);
	bool known = has_id && site->symbolizer &&
		symbolizer_module_state(site->symbolizer, &module->build_id, &state) == 0;
	struct symbol_remedy remedy = symbol_remedy_for(module, name, known ? &state : NULL);

	if (has_id)
		build_id_format(&module->build_id, id);
	json_begin_object(json);
	json_string(json_key(json, "module"), name);
	json_string(json_key(json, "build_id"), id);
	write_sums(json, &module->sums);
	json_unsigned(json_key(json, "addresses"), module->address_count);
	json_unsigned(json_key(json, "unnamed_addresses"), module->unnamed_count);
	json_string(json_key(json, "quality"), symbol_quality_text(state.quality));
	json_unsigned(json_key(json, "function_count"), state.function_count);
	json_boolean(json_key(json, "pending"), state.pending);
	json_string(json_key(json, "state"), state.text);
	json_string(json_key(json, "remedy"), remedy.text);
	json_string(json_key(json, "command"), remedy.command);
	json_boolean(json_key(json, "upload"), remedy.upload);
	json_end_object(json);
}

static void write_answer(struct json_writer *json, const struct site *site,
	const struct profile_tree *tree, uint32_t row_count)
{
	const struct coverage *coverage = &tree->coverage;
	const struct string_table *strings = &tree->functions.strings;

	json_begin_object(json);
	json_string(json_key(json, "unit"), flame_unit_text(tree->about.unit));
	write_sums(json, &coverage->all);
	json_unsigned(json_key(json, "sample_count"), tree->about.sample_count);
	json_unsigned(json_key(json, "from"), tree->about.range.from_ns);
	json_unsigned(json_key(json, "until"), tree->about.range.until_ns);
	partial_json(json, &tree->about.partial);
	json_unsigned(json_key(json, "module_count"), coverage->count);
	json_begin_array(json_key(json, "modules"));
	for (uint32_t i = 0; i < coverage->count && i < row_count; i++)
		write_module(json, site, &coverage->modules[i],
			string_table_text(strings, coverage->modules[i].name));
	json_end_array(json);
	json_end_object(json);
}

void route_symbols(void *context, const struct http_request *request, struct http_answer *answer)
{
	static const uint32_t bounds[2] = {1, ROW_COUNT_MAX};
	static const struct profile_tree_options options = {.wants_coverage = true};
	const struct site *site = context;
	struct query_params params;
	struct profile_tree *tree;
	struct query_run run;
	struct json_writer json;
	uint32_t row_count;
	int r;

	if (!query_params_number(request, "limit", bounds, ROW_COUNT_DEFAULT, answer, &row_count) ||
		!query_params_read(
			request, clock_read(&site->clock).realtime_ns, true, answer, &params))
		return;
	query_run_begin(&run, site, request);
	r = profile_tree_take(&run, &params, &options, &tree);
	query_params_done(&params);
	if (r < 0) {
		query_run_end(&run);
		profile_query_answer_error(answer, r);
		return;
	}
	json_writer_init(&json, http_answer_begin(answer, 200, "application/json"));
	write_answer(&json, site, tree, row_count);
	profile_tree_give_back(&run, tree);
	query_run_end(&run);
}
