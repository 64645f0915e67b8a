/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/module_registry.h"

#include <errno.h>

#include "tests/support/check.h"

static struct build_id id_of(uint32_t n)
{
	struct build_id id;

	CHECK_EQ(build_id_make(BUILD_ID_GNU, &n, sizeof(n), &id), 0);
	return id;
}

static struct symbol_origin origin_of(uint32_t n)
{
	struct symbol_origin origin = {{0}};

	memcpy(origin.instance, &n, sizeof(n));
	return origin;
}

static struct module_record *note(struct module_registry *registry, uint32_t n, uint32_t origin)
{
	struct build_id id = id_of(n);
	struct symbol_origin from = origin_of(origin);
	struct module_record *module;

	CHECK_EQ(module_registry_note(registry, &from, &id, "m", SYMBOL_WHAT_EXECUTABLE, &module),
		0);
	return module;
}

static struct module_record *take(struct module_registry *registry, uint32_t origin, uint64_t now)
{
	struct symbol_origin from = origin_of(origin);

	return module_registry_take_want(registry, &from, now);
}

static bool refuse(struct module_registry *registry, uint32_t n, uint32_t origin, uint64_t now)
{
	struct symbol_origin from = origin_of(origin);
	struct build_id id = id_of(n);

	return module_registry_refuse(registry, &from, &id, "no", now);
}

static void without_debuginfod_an_upload_is_wanted_at_once(void)
{
	struct module_registry registry;
	struct module_record *module;

	module_registry_init(&registry, false);
	module = note(&registry, 1, 1);
	CHECK_EQ(module_registry_plan(&registry, module, 0), MODULE_PLAN_WANT);
	CHECK_EQ(module_registry_plan(&registry, module, 0), MODULE_PLAN_NOTHING);
	CHECK_EQ(registry.wanted_count, 1);
	module_registry_done(&registry);
}

static void debuginfod_is_asked_first_and_not_again_before_its_time(void)
{
	struct module_registry registry;
	struct module_record *module;

	module_registry_init(&registry, true);
	module = note(&registry, 1, 1);
	CHECK_EQ(module_registry_plan(&registry, module, 0), MODULE_PLAN_FETCH);
	CHECK_EQ(registry.due_count, 1);
	CHECK(module_registry_take_fetch(&registry) == module);
	CHECK(!module_registry_take_fetch(&registry));
	/* Nothing else happens while the question is out. */
	CHECK_EQ(module_registry_plan(&registry, module, 0), MODULE_PLAN_NOTHING);
	module_registry_fetch_later(&registry, module, 100, "not found");
	CHECK_EQ(module_registry_plan(&registry, module, 0), MODULE_PLAN_WANT);
	CHECK_EQ(module_registry_plan(&registry, module, 99), MODULE_PLAN_NOTHING);
	CHECK_EQ(module_registry_plan(&registry, module, 100), MODULE_PLAN_FETCH);
	module_registry_done(&registry);
}

static void other_kinds_of_ids_go_to_collectors_only(void)
{
	struct module_registry registry;
	struct module_record *module;
	struct build_id id;

	module_registry_init(&registry, true);
	CHECK_EQ(build_id_make(BUILD_ID_HTL, "0123456789abcdef", 16, &id), 0);
	CHECK_EQ(module_registry_note(&registry, NULL, &id, "x", SYMBOL_WHAT_EXECUTABLE, &module),
		0);
	CHECK_EQ(module_registry_plan(&registry, module, 0), MODULE_PLAN_WANT);
	module_registry_done(&registry);
}

static void a_kernel_is_named_by_its_list_at_once_and_its_image_is_looked_for(void)
{
	struct symbol_origin origin = {{1}};
	struct module_registry registry;
	struct module_record *module;
	struct symbol_module_state state;
	struct build_id id = id_of(1);

	module_registry_init(&registry, true);
	/* A file was given by hand before any host named it. */
	CHECK_EQ(
		module_registry_note(&registry, NULL, &id, "", SYMBOL_WHAT_EXECUTABLE, &module), 0);
	CHECK_EQ(module_registry_note(
			 &registry, &origin, &id, "[kernel]", SYMBOL_WHAT_KERNEL_SYMBOLS, &module),
		0);
	CHECK_EQ(module->what, SYMBOL_WHAT_KERNEL_SYMBOLS);
	CHECK_EQ(module_registry_plan(&registry, module, 0), MODULE_PLAN_FETCH | MODULE_PLAN_WANT);
	CHECK(module_registry_take_fetch(&registry) == module);
	CHECK_EQ(module_registry_begin_upload(&registry, module, &origin, 0), 0);
	module_registry_finish_upload(&registry, module);
	module_registry_set_index(&registry, module, SYMBOL_QUALITY_KERNEL, 9, false);
	module_registry_upload_later(&registry, module, 100, "it was read");
	module_registry_fetch_later(&registry, module, 50, "debuginfod does not have it");
	module_describe(module, &state);
	CHECK_STR(state.text, "named by kallsyms, 9 functions; debuginfod does not have it");
	CHECK_EQ(module_registry_begin_upload(&registry, module, NULL, 0), -EEXIST);
	/* The list comes once, the image is looked for again. */
	CHECK_EQ(module_registry_plan(&registry, module, 49), MODULE_PLAN_NOTHING);
	CHECK_EQ(module_registry_plan(&registry, module, 200), MODULE_PLAN_FETCH);
	CHECK(module_registry_take_fetch(&registry) == module);
	module_registry_set_index(&registry, module, SYMBOL_QUALITY_DWARF, 9, false);
	module_registry_fetch_later(&registry, module, 300, "");
	CHECK_EQ(module_registry_plan(&registry, module, 400), MODULE_PLAN_NOTHING);
	module_describe(module, &state);
	CHECK_STR(state.text, "named by DWARF, 9 functions");
	module_registry_done(&registry);
}

static void the_best_names_end_all_wishes(void)
{
	struct module_registry registry;
	struct module_record *module;

	module_registry_init(&registry, true);
	module = note(&registry, 1, 1);
	module_registry_set_index(&registry, module, SYMBOL_QUALITY_DWARF, 5, false);
	CHECK_EQ(module_registry_plan(&registry, module, 0), MODULE_PLAN_NOTHING);
	CHECK_EQ(registry.named_count, 1);
	/* Made by another version of the parser: as good as none, but it is shown meanwhile. */
	module_registry_set_index(&registry, module, SYMBOL_QUALITY_DWARF, 5, true);
	CHECK_EQ(module_registry_plan(&registry, module, 0), MODULE_PLAN_FETCH);
	CHECK_EQ(registry.named_count, 1);
	/* The best came while it was due. */
	module_registry_set_index(&registry, module, SYMBOL_QUALITY_DWARF, 5, false);
	CHECK(!module_registry_take_fetch(&registry));
	CHECK_EQ(registry.due_count, 0);
	module_registry_done(&registry);
}

static void whole_symbol_tables_want_debuginfod_but_no_upload(void)
{
	struct module_registry registry;
	struct module_record *module;

	module_registry_init(&registry, true);
	module = note(&registry, 1, 1);
	module_registry_set_index(&registry, module, SYMBOL_QUALITY_TABLE, 5, false);
	CHECK_EQ(module_registry_plan(&registry, module, 0), MODULE_PLAN_FETCH);
	CHECK(module_registry_take_fetch(&registry));
	module_registry_fetch_later(&registry, module, 100, "not found");
	CHECK_EQ(module_registry_plan(&registry, module, 0), MODULE_PLAN_NOTHING);
	module_registry_done(&registry);
}

static void a_request_goes_from_one_collector_to_the_next(void)
{
	struct module_registry registry;
	struct module_record *module;

	module_registry_init(&registry, false);
	module = note(&registry, 1, 1);
	note(&registry, 1, 2);
	module_registry_plan(&registry, module, 0);
	CHECK(!take(&registry, 3, 0));
	CHECK(take(&registry, 1, 0) == module);
	CHECK(!take(&registry, 2, 0));
	CHECK(!refuse(&registry, 1, 2, 0));
	CHECK(refuse(&registry, 1, 1, 0));
	CHECK(!take(&registry, 1, 0));
	CHECK(take(&registry, 2, 0) == module);
	CHECK(refuse(&registry, 1, 2, 0));
	CHECK_EQ(registry.wanted_count, 0);
	CHECK_EQ(module->upload_state, UPLOAD_LATER);
	CHECK_STR(module->upload_note, "no");
	/* All refused: until the time is over, or somebody else has it. */
	CHECK_EQ(module_registry_plan(&registry, module, 1), MODULE_PLAN_NOTHING);
	note(&registry, 1, 3);
	CHECK_EQ(module_registry_plan(&registry, module, 1), MODULE_PLAN_WANT);
	CHECK(!take(&registry, 1, 1));
	CHECK(take(&registry, 3, 1) == module);
	CHECK(refuse(&registry, 1, 3, 1));
	CHECK_EQ(module_registry_plan(&registry, module, RETRY_REFUSED_NS), MODULE_PLAN_NOTHING);
	CHECK_EQ(module_registry_plan(&registry, module, RETRY_REFUSED_NS + 1), MODULE_PLAN_WANT);
	CHECK(take(&registry, 1, RETRY_REFUSED_NS + 1) == module);
	module_registry_done(&registry);
}

static void a_collector_holds_a_few_requests_at_a_time(void)
{
	struct module_registry registry;
	struct symbol_origin origin = origin_of(1);

	module_registry_init(&registry, false);
	for (uint32_t n = 0; n < 10; n++)
		module_registry_plan(&registry, note(&registry, n, 1), 0);
	for (int i = 0; i < OFFERS_PER_ORIGIN_MAX; i++)
		CHECK(take(&registry, 1, 0));
	CHECK(!take(&registry, 1, 0));
	/* It works on one of them: there is room for another, and the rest wait longer. */
	CHECK_EQ(module_registry_begin_upload(&registry, registry.modules[0], &origin, 50), 0);
	CHECK(take(&registry, 1, 50));
	CHECK_EQ(module_registry_expire_offers(&registry, OFFER_TIMEOUT_NS + 49), 0);
	CHECK_EQ(module_registry_expire_offers(&registry, OFFER_TIMEOUT_NS + 50), 4);
	CHECK_EQ(registry.wanted_count, 9);
	module_registry_done(&registry);
}

static void an_origin_that_left_gives_its_requests_back(void)
{
	struct module_registry registry;
	struct symbol_origin origin = origin_of(1);
	struct module_record *module;

	module_registry_init(&registry, false);
	module = note(&registry, 1, 1);
	note(&registry, 1, 2);
	module_registry_plan(&registry, module, 0);
	CHECK(take(&registry, 1, 0));
	module_registry_drop_origin(&registry, &origin);
	CHECK(take(&registry, 2, 0) == module);
	module_registry_done(&registry);
}

static void uploads_begin_only_where_they_are_wanted(void)
{
	struct module_registry registry;
	struct symbol_origin first = origin_of(1), second = origin_of(2);
	struct module_record *module;

	module_registry_init(&registry, false);
	module = note(&registry, 1, 1);
	CHECK_EQ(module_registry_begin_upload(&registry, module, &first, 0), -ENOENT);
	module_registry_plan(&registry, module, 0);
	CHECK_EQ(module_registry_begin_upload(&registry, module, &second, 0), -ENOENT);
	CHECK(take(&registry, 1, 0));
	CHECK_EQ(module_registry_begin_upload(&registry, module, &second, 0), -ENOENT);
	CHECK_EQ(module_registry_begin_upload(&registry, module, &first, 0), 0);
	CHECK_EQ(module_registry_begin_upload(&registry, module, NULL, 0), -EBUSY);
	module_registry_finish_upload(&registry, module);
	CHECK_EQ(module_registry_begin_upload(&registry, module, NULL, 0), -EBUSY);
	module_registry_set_index(&registry, module, SYMBOL_QUALITY_DWARF, 1, false);
	module_registry_upload_later(&registry, module, 10, "read");
	CHECK_EQ(module_registry_begin_upload(&registry, module, NULL, 0), -EEXIST);
	module_registry_done(&registry);
}

static void uploads_that_break_off_are_tried_again_a_few_times(void)
{
	struct module_registry registry;
	struct symbol_origin origin = origin_of(1);
	struct module_record *module;

	module_registry_init(&registry, false);
	module = note(&registry, 1, 1);
	for (int i = 0; i < UPLOAD_TRIES_MAX; i++) {
		CHECK_EQ(module_registry_plan(&registry, module, 0), MODULE_PLAN_WANT);
		CHECK(take(&registry, 1, 0));
		CHECK_EQ(module_registry_begin_upload(&registry, module, &origin, 0), 0);
		module_registry_break_upload(&registry, module, 0);
	}
	CHECK_EQ(module_registry_plan(&registry, module, 0), MODULE_PLAN_NOTHING);
	CHECK_EQ(module_registry_plan(&registry, module, RETRY_BROKEN_NS), MODULE_PLAN_WANT);
	module_registry_done(&registry);
}

static void many_origins_are_remembered_by_the_last_ones(void)
{
	struct module_registry registry;
	struct module_record *module = NULL;

	module_registry_init(&registry, false);
	for (uint32_t n = 0; n < 20; n++)
		module = note(&registry, 1, n);
	CHECK_EQ(module->origin_count, MODULE_ORIGINS_MAX);
	module_registry_plan(&registry, module, 0);
	CHECK(!take(&registry, 0, 0));
	CHECK(take(&registry, 19, 0) == module);
	module_registry_done(&registry);
}

static void waits_double_up_to_their_limit(void)
{
	CHECK_EQ(module_retry_ns(10, 100, 0), 10);
	CHECK_EQ(module_retry_ns(10, 100, 1), 20);
	CHECK_EQ(module_retry_ns(10, 100, 3), 80);
	CHECK_EQ(module_retry_ns(10, 100, 4), 100);
	CHECK_EQ(module_retry_ns(10, 100, 4000000000u), 100);
	CHECK_EQ(module_retry_ns(200, 100, 0), 100);
}

static void foreign_text_is_mended_and_cut(void)
{
	struct module_registry registry;
	struct symbol_module_state state;
	struct module_record *module;
	struct build_id id = id_of(1);
	char name[300];

	memset(name, 'n', sizeof(name));
	name[1] = '\n';
	name[sizeof(name) - 1] = '\0';
	module_registry_init(&registry, false);
	CHECK_EQ(module_registry_note(&registry, NULL, &id, name, SYMBOL_WHAT_EXECUTABLE, &module),
		0);
	module_describe(module, &state);
	CHECK_EQ(strlen(state.name), SYMBOL_MODULE_NAME_MAX - 1);
	CHECK(strncmp(state.name, "n?n", 3) == 0);
	CHECK_STR(state.text, "no names");
	module_registry_upload_later(&registry, module, 1, name);
	module_describe(module, &state);
	CHECK_EQ(strlen(module->upload_note), MODULE_NOTE_TEXT_MAX - 1);
	module_registry_done(&registry);
}

static void a_lost_index_is_looked_for_as_if_it_were_new(void)
{
	struct module_registry registry;
	struct module_record *module;

	module_registry_init(&registry, true);
	module = note(&registry, 1, 1);
	module_registry_plan(&registry, module, 0);
	CHECK(module_registry_take_fetch(&registry));
	module_registry_set_index(&registry, module, SYMBOL_QUALITY_DWARF, 1, false);
	module_registry_fetch_later(&registry, module, 1000, "had it");
	module_registry_forget(&registry, module);
	CHECK_EQ(registry.named_count, 0);
	CHECK_EQ(module_registry_plan(&registry, module, 1), MODULE_PLAN_FETCH);
	module_registry_done(&registry);
}

int main(void)
{
	RUN(without_debuginfod_an_upload_is_wanted_at_once);
	RUN(debuginfod_is_asked_first_and_not_again_before_its_time);
	RUN(other_kinds_of_ids_go_to_collectors_only);
	RUN(a_kernel_is_named_by_its_list_at_once_and_its_image_is_looked_for);
	RUN(the_best_names_end_all_wishes);
	RUN(whole_symbol_tables_want_debuginfod_but_no_upload);
	RUN(a_request_goes_from_one_collector_to_the_next);
	RUN(a_collector_holds_a_few_requests_at_a_time);
	RUN(an_origin_that_left_gives_its_requests_back);
	RUN(uploads_begin_only_where_they_are_wanted);
	RUN(uploads_that_break_off_are_tried_again_a_few_times);
	RUN(many_origins_are_remembered_by_the_last_ones);
	RUN(waits_double_up_to_their_limit);
	RUN(foreign_text_is_mended_and_cut);
	RUN(a_lost_index_is_looked_for_as_if_it_were_new);
	return 0;
}
