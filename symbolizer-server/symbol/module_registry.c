/* SPDX-License-Identifier: Apache-2.0 */
/* Two machines a module, which only module_registry_plan lets begin:
 *
 *   files       NONE -> DUE -> RUNNING -> LATER -> (when its time has come) DUE ...
 *   upload      NONE -> WANTED -> OFFERED -> RECEIVING -> INDEXING -> LATER -> (likewise) WANTED
 * ...
 *                          ^---------|-----------'
 *
 * Files of this machine come first, then debuginfod, since neither costs a host anything; an upload
 * is wanted once they have nothing better to say. A file that gave few names stops nobody.
 */
#include "symbolizer-server/symbol/module_registry.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/must.h"
#include "store/profile/grow.h"
#include "symbolizer-server/sandbox/name_text.h"

void module_registry_init(struct module_registry *registry, bool has_debuginfod)
{
	*registry = (struct module_registry){.has_debuginfod = has_debuginfod};
	index_map_init(&registry->map, MODULE_REGISTRY_COUNT_MAX);
}

void module_registry_done(struct module_registry *registry)
{
	for (uint32_t i = 0; i < registry->count; i++) {
		free(registry->modules[i]->link_name);
		free(registry->modules[i]);
	}
	free(registry->modules);
	index_map_done(&registry->map);
	*registry = (struct module_registry){0};
}

static bool equal(const void *context, uint32_t index, const void *key)
{
	const struct module_registry *registry = context;

	return build_id_equal(&registry->modules[index]->id, key);
}

struct module_record *module_registry_find(
	const struct module_registry *registry, const struct build_id *id)
{
	uint32_t index = index_map_find(&registry->map, build_id_hash(id), equal, registry, id);

	return index == INDEX_MAP_NONE ? NULL : registry->modules[index];
}

/* Text from outside into a field: cut between characters, mended. */
static void copy_text(char *to, size_t to_bytes, const char *text)
{
	size_t length = strnlen(text, 4 * to_bytes);

	length = name_text_cut(text, length, to_bytes - 1);
	memcpy(to, text, length);
	to[length] = '\0';
	name_text_mend(to, length);
}

static struct module_origin *find_origin(
	struct module_record *module, const struct symbol_origin *origin)
{
	for (uint32_t i = 0; i < module->origin_count; i++)
		if (memcmp(&module->origins[i].origin, origin, sizeof(*origin)) == 0)
			return &module->origins[i];
	return NULL;
}

static bool same_origin(const struct symbol_origin *one, const struct symbol_origin *other)
{
	return memcmp(one, other, sizeof(*one)) == 0;
}

/* Keeps the origins that named the module last. */
static void add_origin(struct module_record *module, const struct symbol_origin *origin)
{
	struct module_origin *place;

	if (find_origin(module, origin))
		return;
	if (module->origin_count < MODULE_ORIGINS_MAX) {
		place = &module->origins[module->origin_count++];
	} else {
		place = &module->origins[module->origin_next];
		module->origin_next = (uint8_t)((module->origin_next + 1) % MODULE_ORIGINS_MAX);
	}
	*place = (struct module_origin){.origin = *origin};
}

static int add_module(struct module_registry *registry, const struct build_id *id, const char *name,
	enum symbol_what what, struct module_record **ret_module)
{
	struct module_record *module;
	int r = grow_array(&registry->modules, &registry->capacity, registry->count,
		MODULE_REGISTRY_COUNT_MAX);

	if (r < 0)
		return r;
	module = calloc(1, sizeof(*module));
	if (!module)
		return -ENOMEM;
	r = index_map_add(&registry->map, build_id_hash(id), registry->count);
	if (r < 0) {
		free(module);
		return r;
	}
	module->id = *id;
	module->what = (uint8_t)what;
	copy_text(module->name, sizeof(module->name), name);
	registry->modules[registry->count++] = module;
	*ret_module = module;
	return 0;
}

int module_registry_note(struct module_registry *registry, const struct symbol_origin *origin,
	const struct build_id *id, const char *name, enum symbol_what what,
	struct module_record **ret_module)
{
	struct module_record *module = module_registry_find(registry, id);
	int r = module ? 0 : add_module(registry, id, name, what, &module);

	if (r < 0)
		return r;
	/* Whoever gave a file by hand did not say that it is a kernel's. */
	if (origin && what == SYMBOL_WHAT_KERNEL_SYMBOLS)
		module->what = SYMBOL_WHAT_KERNEL_SYMBOLS;
	if (origin)
		add_origin(module, origin);
	*ret_module = module;
	return 0;
}

static bool counts_as_wanted(enum upload_state state)
{
	return state == UPLOAD_WANTED || state == UPLOAD_OFFERED;
}

static void set_upload(
	struct module_registry *registry, struct module_record *module, enum upload_state state)
{
	bool before = counts_as_wanted((enum upload_state)module->upload_state);
	bool after = counts_as_wanted(state);

	if (before && !after)
		registry->wanted_count--;
	if (!before && after)
		registry->wanted_count++;
	if (module->upload_state == UPLOAD_OFFERED && state != UPLOAD_OFFERED)
		registry->offered_count--;
	if (module->upload_state != UPLOAD_OFFERED && state == UPLOAD_OFFERED)
		registry->offered_count++;
	module->upload_state = (uint8_t)state;
}

static void set_fetch(
	struct module_registry *registry, struct module_record *module, enum fetch_state state)
{
	if (module->fetch_state == FETCH_DUE && state != FETCH_DUE)
		registry->due_count--;
	if (module->fetch_state != FETCH_DUE && state == FETCH_DUE)
		registry->due_count++;
	module->fetch_state = (uint8_t)state;
}

void module_registry_set_index(struct module_registry *registry, struct module_record *module,
	enum symbol_quality quality, uint32_t function_count, bool stale)
{
	if (module->quality == SYMBOL_QUALITY_NONE && quality != SYMBOL_QUALITY_NONE)
		registry->named_count++;
	if (module->quality != SYMBOL_QUALITY_NONE && quality == SYMBOL_QUALITY_NONE)
		registry->named_count--;
	module->quality = (uint8_t)quality;
	module->function_count = function_count;
	module->stale = stale;
}

void module_registry_forget(struct module_registry *registry, struct module_record *module)
{
	module_registry_set_index(registry, module, SYMBOL_QUALITY_NONE, 0, false);
	if (module->fetch_state == FETCH_LATER) {
		set_fetch(registry, module, FETCH_NONE);
		module->fetch_at_ns = 0;
	}
	if (module->upload_state == UPLOAD_LATER)
		set_upload(registry, module, UPLOAD_NONE);
	module->local_at_ns = 0;
}

void module_registry_reread(struct module_registry *registry, struct module_record *module)
{
	(void)registry;
	module->stale = true;
	module->kept = true;
	module->local_at_ns = 0;
}

void module_registry_set_link(struct module_record *module, const char *name, uint32_t crc)
{
	free(module->link_name);
	module->link_name = *name ? strdup(name) : NULL;
	module->link_crc = crc;
	module->local_at_ns = 0;
}

static bool is_best(const struct module_record *module)
{
	return !module->stale && module->quality >= SYMBOL_QUALITY_DWARF;
}

/* Whether no upload of a collector can be better: of a kernel it has nothing but the list. */
static bool is_best_upload(const struct module_record *module)
{
	enum symbol_quality best = module->what == SYMBOL_WHAT_KERNEL_SYMBOLS
		? SYMBOL_QUALITY_KERNEL
		: SYMBOL_QUALITY_DWARF;

	return !module->stale && module->quality >= best;
}

/* debuginfod knows GNU ids only. */
static bool can_fetch(const struct module_registry *registry, const struct module_record *module)
{
	return registry->has_debuginfod && module->id.kind == BUILD_ID_GNU;
}

/* What is kept is read at once; what people lay into folders has GNU ids, or is named by a link. */
static bool can_look(const struct module_registry *registry, const struct module_record *module)
{
	return module->kept ||
		(registry->has_folders && (module->id.kind == BUILD_ID_GNU || module->link_name));
}

bool module_registry_local_due(
	const struct module_registry *registry, const struct module_record *module, uint64_t now_ns)
{
	return can_look(registry, module) && now_ns >= module->local_at_ns;
}

void module_registry_local_done(struct module_record *module, uint64_t now_ns)
{
	module->kept = false;
	module->local_at_ns = now_ns + RETRY_LOCAL_NS;
}

bool module_registry_fetch_due(
	const struct module_registry *registry, const struct module_record *module, uint64_t now_ns)
{
	return can_fetch(registry, module) && now_ns >= module->fetch_at_ns;
}

/* What a host runs is mostly stripped: once all functions have names it has nothing to add. */
static bool upload_could_help(const struct module_record *module)
{
	return module->stale || module->quality < SYMBOL_QUALITY_TABLE;
}

static bool everyone_refused(const struct module_record *module)
{
	for (uint32_t i = 0; i < module->origin_count; i++)
		if (!module->origins[i].refused)
			return false;
	return module->origin_count > 0;
}

/* After the wait; or at once if all had refused and another collector has it now. */
static void try_upload_again(
	struct module_registry *registry, struct module_record *module, uint64_t now_ns)
{
	if (now_ns >= module->upload_at_ns) {
		for (uint32_t i = 0; i < module->origin_count; i++)
			module->origins[i].refused = false;
		set_upload(registry, module, UPLOAD_NONE);
	} else if (module->refused_by_all && !everyone_refused(module)) {
		set_upload(registry, module, UPLOAD_NONE);
	}
}

enum module_plan module_registry_plan(
	struct module_registry *registry, struct module_record *module, uint64_t now_ns)
{
	enum module_plan changed = MODULE_PLAN_NOTHING;

	if (is_best(module)) {
		if (module->upload_state == UPLOAD_WANTED)
			set_upload(registry, module, UPLOAD_NONE);
		return MODULE_PLAN_NOTHING;
	}
	if ((module->fetch_state == FETCH_NONE || module->fetch_state == FETCH_LATER) &&
		(module_registry_local_due(registry, module, now_ns) ||
			module_registry_fetch_due(registry, module, now_ns))) {
		set_fetch(registry, module, FETCH_DUE);
		changed |= MODULE_PLAN_FETCH;
	}
	/* The answer may make an upload unnecessary. A kernel's list is small, its image is not: names
	 * come at once, and better ones later. */
	if (module->what != SYMBOL_WHAT_KERNEL_SYMBOLS &&
		(module->fetch_state == FETCH_DUE || module->fetch_state == FETCH_RUNNING))
		return changed;
	if (module->upload_state == UPLOAD_LATER)
		try_upload_again(registry, module, now_ns);
	if (module->upload_state == UPLOAD_NONE && upload_could_help(module)) {
		set_upload(registry, module, UPLOAD_WANTED);
		changed |= MODULE_PLAN_WANT;
	}
	return changed;
}

/* ---- Files of this machine, and debuginfod ---- */

struct module_record *module_registry_take_fetch(struct module_registry *registry)
{
	for (uint32_t i = 0; registry->due_count > 0 && i < registry->count; i++) {
		struct module_record *module =
			registry->modules[registry->fetch_cursor++ % registry->count];

		if (module->fetch_state != FETCH_DUE)
			continue;
		set_fetch(registry, module, is_best(module) ? FETCH_NONE : FETCH_RUNNING);
		if (module->fetch_state == FETCH_RUNNING)
			return module;
	}
	return NULL;
}

void module_registry_fetch_over(struct module_registry *registry, struct module_record *module)
{
	set_fetch(registry, module, FETCH_LATER);
}

void module_registry_fetch_later(struct module_registry *registry, struct module_record *module,
	uint64_t at_ns, const char *note)
{
	set_fetch(registry, module, FETCH_LATER);
	module->fetch_at_ns = at_ns;
	copy_text(module->fetch_note, sizeof(module->fetch_note), note);
}

uint64_t module_retry_ns(uint64_t first_ns, uint64_t max_ns, unsigned try_count)
{
	uint64_t wait_ns = first_ns;

	for (unsigned i = 0; i < try_count && wait_ns < max_ns; i++)
		wait_ns *= 2;
	return wait_ns < max_ns ? wait_ns : max_ns;
}

/* ---- Uploads ---- */

static uint32_t count_offers(
	const struct module_registry *registry, const struct symbol_origin *origin)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < registry->count; i++) {
		const struct module_record *module = registry->modules[i];

		if (module->upload_state == UPLOAD_OFFERED &&
			same_origin(&module->offered_to, origin))
			count++;
	}
	return count;
}

struct module_record *module_registry_take_want(
	struct module_registry *registry, const struct symbol_origin *origin, uint64_t now_ns)
{
	if (registry->wanted_count == 0 || count_offers(registry, origin) >= OFFERS_PER_ORIGIN_MAX)
		return NULL;
	for (uint32_t i = 0; i < registry->count; i++) {
		struct module_record *module = registry->modules[i];
		struct module_origin *found;

		if (module->upload_state != UPLOAD_WANTED)
			continue;
		found = find_origin(module, origin);
		if (!found || found->refused)
			continue;
		set_upload(registry, module, UPLOAD_OFFERED);
		module->offered_to = *origin;
		module->offered_until_ns = now_ns + OFFER_TIMEOUT_NS;
		return module;
	}
	return NULL;
}

void module_registry_keep_offers(
	struct module_registry *registry, const struct symbol_origin *origin, uint64_t now_ns)
{
	for (uint32_t i = 0; i < registry->count; i++) {
		struct module_record *module = registry->modules[i];

		if (module->upload_state == UPLOAD_OFFERED &&
			same_origin(&module->offered_to, origin))
			module->offered_until_ns = now_ns + OFFER_TIMEOUT_NS;
	}
}

bool module_registry_refuse(struct module_registry *registry, const struct symbol_origin *origin,
	const struct build_id *id, const char *reason, uint64_t now_ns)
{
	struct module_record *module = module_registry_find(registry, id);
	struct module_origin *found;

	if (!module || module->upload_state != UPLOAD_OFFERED ||
		!same_origin(&module->offered_to, origin))
		return false;
	found = find_origin(module, origin);
	if (found)
		found->refused = true;
	copy_text(module->upload_note, sizeof(module->upload_note), reason);
	set_upload(registry, module, UPLOAD_WANTED);
	if (everyone_refused(module)) {
		set_upload(registry, module, UPLOAD_LATER);
		module->upload_at_ns = now_ns + RETRY_REFUSED_NS;
		module->refused_by_all = true;
	}
	return true;
}

void module_registry_drop_origin(
	struct module_registry *registry, const struct symbol_origin *origin)
{
	for (uint32_t i = 0; i < registry->count; i++) {
		struct module_record *module = registry->modules[i];

		if (module->upload_state == UPLOAD_OFFERED &&
			same_origin(&module->offered_to, origin)) {
			set_upload(registry, module, UPLOAD_WANTED);
			registry->offers_withdrawn++;
		}
	}
}

uint32_t module_registry_expire_offers(struct module_registry *registry, uint64_t now_ns)
{
	uint32_t count = 0;

	for (uint32_t i = 0; registry->wanted_count > 0 && i < registry->count; i++) {
		struct module_record *module = registry->modules[i];

		if (module->upload_state != UPLOAD_OFFERED || now_ns < module->offered_until_ns)
			continue;
		copy_text(module->upload_note, sizeof(module->upload_note),
			"a collector let the time pass");
		set_upload(registry, module, UPLOAD_WANTED);
		count++;
	}
	return count;
}

int module_registry_begin_upload(struct module_registry *registry, struct module_record *module,
	const struct symbol_origin *origin, uint64_t now_ns)
{
	enum upload_state state = (enum upload_state)module->upload_state;

	if (state == UPLOAD_RECEIVING || state == UPLOAD_INDEXING)
		return -EBUSY;
	if (is_best_upload(module))
		return -EEXIST;
	if (origin && state == UPLOAD_OFFERED && !same_origin(&module->offered_to, origin))
		return -ENOENT;
	if (origin && state != UPLOAD_OFFERED &&
		(state != UPLOAD_WANTED || !find_origin(module, origin)))
		return -ENOENT;
	registry->offers_met += state == UPLOAD_OFFERED;
	set_upload(registry, module, UPLOAD_RECEIVING);
	if (origin) {
		module->offered_to = *origin;
		module_registry_keep_offers(registry, origin, now_ns);
	}
	return 0;
}

void module_registry_break_upload(
	struct module_registry *registry, struct module_record *module, uint64_t now_ns)
{
	must(module->upload_state == UPLOAD_RECEIVING);
	copy_text(module->upload_note, sizeof(module->upload_note), "an upload broke off");
	if (++module->upload_tries < UPLOAD_TRIES_MAX) {
		set_upload(registry, module, UPLOAD_NONE);
		return;
	}
	module->upload_tries = 0;
	set_upload(registry, module, UPLOAD_LATER);
	module->upload_at_ns = now_ns + RETRY_BROKEN_NS;
	module->refused_by_all = false;
}

void module_registry_finish_upload(struct module_registry *registry, struct module_record *module)
{
	must(module->upload_state == UPLOAD_RECEIVING);
	module->upload_tries = 0;
	set_upload(registry, module, UPLOAD_INDEXING);
}

void module_registry_upload_later(struct module_registry *registry, struct module_record *module,
	uint64_t at_ns, const char *note)
{
	set_upload(registry, module, UPLOAD_LATER);
	module->upload_at_ns = at_ns;
	module->refused_by_all = false;
	copy_text(module->upload_note, sizeof(module->upload_note), note);
}

bool module_upload_runs(const struct module_record *module)
{
	return module->upload_state == UPLOAD_RECEIVING || module->upload_state == UPLOAD_INDEXING;
}

/* ---- Status ---- */

bool module_pending(const struct module_record *module)
{
	return module->fetch_state == FETCH_DUE || module->fetch_state == FETCH_RUNNING ||
		(module->upload_state != UPLOAD_NONE && module->upload_state != UPLOAD_LATER) ||
		module->hand_count > 0;
}

static const char *fetch_text(const struct module_record *module)
{
	switch ((enum fetch_state)module->fetch_state) {
	case FETCH_NONE:
		return "";
	case FETCH_DUE:
		return "files and servers will be asked";
	case FETCH_RUNNING:
		return "files and servers are being asked";
	case FETCH_LATER:
		return module->fetch_note;
	}
	return "";
}

static const char *upload_text(const struct module_record *module)
{
	if (module->hand_count > 0)
		return "a file given by hand is being read";
	switch ((enum upload_state)module->upload_state) {
	case UPLOAD_NONE:
		return "";
	case UPLOAD_WANTED:
		return "an upload is wanted from a collector";
	case UPLOAD_OFFERED:
		return "a collector was asked to upload it";
	case UPLOAD_RECEIVING:
		return "it is being uploaded";
	case UPLOAD_INDEXING:
		return "its upload is being read";
	case UPLOAD_LATER:
		return module->upload_note;
	}
	return "";
}

void module_describe(const struct module_record *module, struct symbol_module_state *ret_state)
{
	struct symbol_module_state state = {
		.id = module->id,
		.what = (enum symbol_what)module->what,
		.quality = (enum symbol_quality)module->quality,
		.pending = module_pending(module),
		.function_count = module->function_count,
	};
	const char *fetch = fetch_text(module), *upload = upload_text(module);
	int length;

	memcpy(state.name, module->name, sizeof(state.name));
	if (module->quality != SYMBOL_QUALITY_NONE) {
		length = snprintf(state.text, sizeof(state.text), "named by %s, %u functions",
			symbol_quality_text(state.quality), module->function_count);
	} else {
		length = snprintf(state.text, sizeof(state.text), "no names");
	}
	/* Of what is as good as an upload can be, only what sources may still have is told. */
	if (is_best_upload(module) && module->hand_count == 0)
		upload = "";
	if (!is_best(module)) {
		snprintf(state.text + length, sizeof(state.text) - (size_t)length, "%s%s%s%s",
			*fetch || *upload ? "; " : "", fetch, *fetch && *upload ? "; " : "",
			upload);
	}
	*ret_state = state;
}
