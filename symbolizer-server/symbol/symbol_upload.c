/* SPDX-License-Identifier: Apache-2.0 */
/* What goes on with collectors: requests handed out, uploads taken in, and the thread that reads
 * them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "store/base/fault.h"
#include "store/log/log.h"
#include "symbolizer-server/symbol/symbolizer_state.h"

/* Requests that wait at a collector are kept up this often while it uploads something else. */
#define KEEP_ALIVE_NS (UINT64_C(5) * NS_PER_S)
/* A fault of this machine (disk full, no memory) may be over soon. */
#define RETRY_ERROR_NS (UINT64_C(600) * NS_PER_S)

/* ---- Subscribers ---- */

int symbolizer_subscribe(struct symbolizer *symbolizer, const struct symbol_origin *origin,
	symbol_wake_fn wake, void *context, struct symbol_subscriber **ret_subscriber)
{
	struct symbol_subscriber *subscriber = calloc(1, sizeof(*subscriber));

	if (!subscriber)
		return -ENOMEM;
	*subscriber = (struct symbol_subscriber){
		.symbolizer = symbolizer, .origin = *origin, .wake = wake, .context = context};
	pthread_mutex_lock(&symbolizer->lock);
	for (struct symbol_subscriber *other = symbolizer->subscribers; other; other = other->next)
		if (memcmp(&other->origin, origin, sizeof(*origin)) == 0)
			other->replaced = true;
	subscriber->next = symbolizer->subscribers;
	symbolizer->subscribers = subscriber;
	/* A collector that connects anew has forgotten what it was asked for. */
	module_registry_drop_origin(&symbolizer->registry, origin);
	pthread_mutex_unlock(&symbolizer->lock);
	*ret_subscriber = subscriber;
	return 0;
}

void symbolizer_wake_all(struct symbolizer *symbolizer)
{
	for (struct symbol_subscriber *each = symbolizer->subscribers; each; each = each->next)
		each->wake_due = !each->replaced;
}

void symbolizer_unsubscribe(struct symbol_subscriber *subscriber)
{
	struct symbolizer *symbolizer;
	struct symbol_subscriber **link;

	if (!subscriber)
		return;
	symbolizer = subscriber->symbolizer;
	/* Whoever wakes holds this lock: after it was taken, nobody is about to call us. */
	pthread_mutex_lock(&symbolizer->wake_lock);
	pthread_mutex_lock(&symbolizer->lock);
	for (link = &symbolizer->subscribers; *link != subscriber;)
		link = &(*link)->next;
	*link = subscriber->next;
	if (!subscriber->replaced) {
		module_registry_drop_origin(&symbolizer->registry, &subscriber->origin);
		symbolizer_wake_all(symbolizer);
	}
	pthread_mutex_unlock(&symbolizer->lock);
	pthread_mutex_unlock(&symbolizer->wake_lock);
	free(subscriber);
	symbolizer_tell(symbolizer);
}

void symbolizer_tell(struct symbolizer *symbolizer)
{
	struct symbol_subscriber *due;

	pthread_mutex_lock(&symbolizer->wake_lock);
	do {
		symbol_wake_fn wake = NULL;
		void *context = NULL;

		pthread_mutex_lock(&symbolizer->lock);
		for (due = symbolizer->subscribers; due && !due->wake_due;)
			due = due->next;
		if (due) {
			due->wake_due = false;
			wake = due->wake;
			context = due->context;
		}
		pthread_mutex_unlock(&symbolizer->lock);
		if (wake)
			wake(context);
	} while (due);
	pthread_mutex_unlock(&symbolizer->wake_lock);
}

bool symbolizer_plan(struct symbolizer *symbolizer, struct module_record *module)
{
	enum module_plan plan =
		module_registry_plan(&symbolizer->registry, module, symbol_now_ns(symbolizer));

	if (plan & MODULE_PLAN_FETCH)
		pthread_cond_broadcast(&symbolizer->changed);
	if (plan & MODULE_PLAN_WANT)
		symbolizer_wake_all(symbolizer);
	return plan & MODULE_PLAN_WANT;
}

int symbolizer_take_want(struct symbol_subscriber *subscriber, struct symbol_want *ret_want)
{
	struct symbolizer *symbolizer = subscriber->symbolizer;
	const struct module_record *module = NULL;

	pthread_mutex_lock(&symbolizer->lock);
	if (!subscriber->replaced)
		module = module_registry_take_want(
			&symbolizer->registry, &subscriber->origin, symbol_now_ns(symbolizer));
	if (module) {
		*ret_want = (struct symbol_want){
			.id = module->id, .what = (enum symbol_what)module->what};
		memcpy(ret_want->name, module->name, sizeof(ret_want->name));
	}
	pthread_mutex_unlock(&symbolizer->lock);
	if (!module)
		return -ENOENT;
	ret_want->offset =
		parked_uploads_offset(&symbolizer->parked, &ret_want->id, &subscriber->origin);
	symbol_count(symbolizer, SYMBOL_COUNTER_WANTS_OFFERED, 1);
	return 0;
}

void symbolizer_refuse(struct symbolizer *symbolizer, const struct symbol_origin *origin,
	const struct build_id *id, const char *reason)
{
	bool refused;

	pthread_mutex_lock(&symbolizer->lock);
	refused = module_registry_refuse(
		&symbolizer->registry, origin, id, reason, symbol_now_ns(symbolizer));
	/* There is room for another request to it, and another's turn for this one. */
	if (refused)
		symbolizer_wake_all(symbolizer);
	pthread_mutex_unlock(&symbolizer->lock);
	if (refused)
		symbol_count(symbolizer, SYMBOL_COUNTER_WANTS_DECLINED, 1);
	symbolizer_tell(symbolizer);
}

/* ---- Taking uploads in ---- */

static bool request_sound(const struct symbol_upload_request *request)
{
	return build_id_known(&request->id) &&
		(request->what == SYMBOL_WHAT_EXECUTABLE ||
			request->what == SYMBOL_WHAT_KERNEL_SYMBOLS) &&
		(request->encoding == SYMBOL_ENCODING_NONE ||
			request->encoding == SYMBOL_ENCODING_ZSTD);
}

/* Finds or, for a file given by hand, makes the module, and lets the upload begin. With LOCK. */
static int admit(struct symbolizer *symbolizer, const struct symbol_upload_request *request,
	struct module_record **ret_module)
{
	struct module_record *module = module_registry_find(&symbolizer->registry, &request->id);
	int r;

	if (symbolizer->uploads_open >= UPLOADS_OPEN_MAX)
		return -EBUSY;
	if (!module && request->origin)
		return -ENOENT;
	if (!module) {
		r = module_registry_note(
			&symbolizer->registry, NULL, &request->id, "", request->what, &module);
		if (r < 0)
			return r;
	}
	if (module->what != request->what)
		return -EINVAL;
	r = module_registry_begin_upload(
		&symbolizer->registry, module, request->origin, symbol_now_ns(symbolizer));
	if (r < 0)
		return r;
	symbolizer->uploads_open++;
	*ret_module = module;
	return 0;
}

/* Undoes what admit did; the module may be offered again. */
static void dismiss(struct symbolizer *symbolizer, struct module_record *module)
{
	pthread_mutex_lock(&symbolizer->lock);
	symbolizer->uploads_open--;
	module_registry_break_upload(&symbolizer->registry, module, symbol_now_ns(symbolizer));
	symbolizer_plan(symbolizer, module);
	symbolizer_wake_all(symbolizer);
	pthread_mutex_unlock(&symbolizer->lock);
	symbolizer_tell(symbolizer);
}

int symbolizer_upload_begin(struct symbolizer *symbolizer,
	const struct symbol_upload_request *request, struct symbol_upload **ret_upload)
{
	SCOPED_FREE struct symbol_upload *upload = calloc(1, sizeof(*upload));
	int r = request_sound(request) ? 0 : -EINVAL;

	symbol_count(symbolizer, SYMBOL_COUNTER_UPLOADS_ASKED, 1);
	if (!upload)
		r = -ENOMEM;
	if (r == 0 && request->byte_count > symbolizer->spool.file_bytes_max)
		r = -EFBIG;
	if (r == 0) {
		pthread_mutex_lock(&symbolizer->lock);
		r = admit(symbolizer, request, &upload->module);
		pthread_mutex_unlock(&symbolizer->lock);
	}
	if (r < 0) {
		symbol_count(symbolizer, SYMBOL_COUNTER_UPLOADS_REFUSED, 1);
		return r;
	}
	r = parked_uploads_take(&symbolizer->parked, request, &upload->file);
	if (r < 0 && request->offset == 0)
		r = upload_file_begin(
			&symbolizer->spool, &request->id, "", request->byte_count, &upload->file);
	if (r < 0) {
		dismiss(symbolizer, upload->module);
		symbol_count(symbolizer, SYMBOL_COUNTER_UPLOADS_REFUSED, 1);
		return r;
	}
	upload->symbolizer = symbolizer;
	upload->has_origin = request->origin != NULL;
	if (request->origin)
		upload->origin = *request->origin;
	upload->what = request->what;
	upload->encoding = request->encoding;
	upload->reduced = request->reduced;
	upload->announced_bytes = request->byte_count;
	upload->began_at = request->offset;
	upload->kept_alive_at_ns = symbol_now_ns(symbolizer);
	*ret_upload = TAKE(upload);
	return 0;
}

static void keep_alive(struct symbol_upload *upload)
{
	struct symbolizer *symbolizer = upload->symbolizer;
	uint64_t now_ns = symbol_now_ns(symbolizer);

	if (!upload->has_origin || now_ns - upload->kept_alive_at_ns < KEEP_ALIVE_NS)
		return;
	upload->kept_alive_at_ns = now_ns;
	pthread_mutex_lock(&symbolizer->lock);
	module_registry_keep_offers(&symbolizer->registry, &upload->origin, now_ns);
	pthread_mutex_unlock(&symbolizer->lock);
}

int symbolizer_upload_append(struct symbol_upload *upload, const void *bytes, size_t byte_count)
{
	struct symbolizer *symbolizer = upload->symbolizer;
	int r = upload_file_append(&symbolizer->spool, &upload->file, bytes, byte_count);

	if (r < 0)
		return r;
	symbol_count(symbolizer, SYMBOL_COUNTER_UPLOAD_BYTES, byte_count);
	keep_alive(upload);
	return 0;
}

void symbolizer_upload_abort(struct symbol_upload *upload)
{
	struct symbolizer *symbolizer;

	if (!upload)
		return;
	symbolizer = upload->symbolizer;
	symbol_count(symbolizer, SYMBOL_COUNTER_UPLOADS_BROKEN, 1);
	upload_file_remove(&symbolizer->spool, &upload->file);
	dismiss(symbolizer, upload->module);
	free(upload);
}

void symbolizer_upload_break(struct symbol_upload *upload)
{
	struct symbolizer *symbolizer = upload ? upload->symbolizer : NULL;
	struct symbol_upload_request request;

	/* Without an end that is known there is nothing to go on to. */
	if (!upload || !upload->has_origin || upload->announced_bytes == 0 ||
		upload->file.byte_count == 0) {
		symbolizer_upload_abort(upload);
		return;
	}
	request = (struct symbol_upload_request){
		.origin = &upload->origin,
		.id = upload->module->id,
		.what = upload->what,
		.encoding = upload->encoding,
		.byte_count = upload->announced_bytes,
		.reduced = upload->reduced,
	};
	/* One that comes forward each time is not one that fails each time. */
	if (upload->file.byte_count > upload->began_at) {
		pthread_mutex_lock(&symbolizer->lock);
		upload->module->upload_tries = 0;
		pthread_mutex_unlock(&symbolizer->lock);
	}
	parked_uploads_put(&symbolizer->parked, &request, &upload->file, symbol_now_ns(symbolizer));
	upload->file = (struct upload_file){.fd = -1};
	symbolizer_upload_abort(upload);
}

int symbolizer_upload_finish(struct symbol_upload *upload)
{
	struct symbolizer *symbolizer = upload->symbolizer;
	bool whole = upload->file.byte_count > 0 &&
		(upload->announced_bytes == 0 ||
			upload->announced_bytes == upload->file.byte_count);
	int r;

	if (!whole) {
		symbolizer_upload_abort(upload);
		return -EBADMSG;
	}
	pthread_mutex_lock(&symbolizer->lock);
	r = queue_push(&symbolizer->index_jobs, upload);
	if (r == 0) {
		symbolizer->uploads_open--;
		symbolizer->jobs_queued++;
		module_registry_finish_upload(&symbolizer->registry, upload->module);
		symbolizer_wake_all(symbolizer);
	}
	pthread_mutex_unlock(&symbolizer->lock);
	if (r < 0) {
		symbolizer_upload_abort(upload);
		return r;
	}
	symbol_count(symbolizer, SYMBOL_COUNTER_UPLOADS_TAKEN, 1);
	symbolizer_tell(symbolizer);
	return 0;
}

void symbol_upload_discard(struct symbol_upload *upload)
{
	upload_file_remove(&upload->symbolizer->spool, &upload->file);
	free(upload);
}

/* ---- Reading uploads ---- */

static void conclude(struct symbol_upload *upload, const struct symbol_file_outcome *outcome)
{
	struct symbolizer *symbolizer = upload->symbolizer;
	struct clock_reading now = clock_read(&symbolizer->clock);
	struct build_id id = upload->module->id;
	uint64_t wait_ns = outcome->error < 0 ? RETRY_ERROR_NS : RETRY_UPLOAD_NS;
	const char *note = outcome->error < 0 ? fault_text(outcome->error)
					      : sandbox_fault_text(outcome->fault);

	if (outcome->error == 0 && outcome->fault == SANDBOX_FAULT_NONE) {
		note = outcome->quality == SYMBOL_QUALITY_DYNAMIC
			? "the uploaded file has exported names only"
			: "the uploaded file has no DWARF";
	}
	/* A file of DWARF is the best there is, and then nobody asks. */
	if (outcome->error == 0)
		symbol_misses_note(symbol_cache_misses(symbolizer->cache), SYMBOL_MISS_UPLOAD, &id,
			(uint32_t)outcome->fault, now.realtime_ns + wait_ns);
	pthread_mutex_lock(&symbolizer->lock);
	/* A collector may be sending the same module: that ends by itself. */
	if (!upload->by_hand || !module_upload_runs(upload->module))
		module_registry_upload_later(
			&symbolizer->registry, upload->module, now.monotonic_ns + wait_ns, note);
	symbolizer_plan(symbolizer, upload->module);
	pthread_mutex_unlock(&symbolizer->lock);
	symbolizer_tell(symbolizer);
}

/* What the file is to be kept as. False: not at all. */
static bool find_kind(struct symbol_upload *upload, enum shelf_kind *ret_kind)
{
	struct sandbox_request request = {
		.id = upload->module->id,
		.reduced = upload->reduced,
		.folder_fd = upload->symbolizer->folder_fd,
		.cancel_fd = upload->symbolizer->cancel_fd,
	};
	enum sandbox_fault fault = SANDBOX_FAULT_NONE;

	*ret_kind = SHELF_KERNEL;
	if (upload->what == SYMBOL_WHAT_KERNEL_SYMBOLS)
		return upload->encoding == SYMBOL_ENCODING_ZSTD;
	if (upload->encoding != SYMBOL_ENCODING_NONE)
		return false;
	if (!upload->has_facts &&
		(symbol_describe(upload->symbolizer, upload->file.fd, &request, &fault,
			 &upload->facts) < 0 ||
			fault != SANDBOX_FAULT_NONE))
		return false;
	return shelf_kind_of(&upload->facts.contents, ret_kind);
}

int symbol_upload_shelve(struct symbol_upload *upload, enum shelf_kind kind)
{
	struct symbolizer *symbolizer = upload->symbolizer;
	int r = file_shelf_take(&symbolizer->shelf, &upload->module->id, kind,
		symbolizer->spool.folder_fd, upload->file.name, upload->file.fd);

	if (r == 0)
		upload_file_moved(&symbolizer->spool, &upload->file);
	upload->shelf_tried = true;
	symbol_count(
		symbolizer, r == 0 ? SYMBOL_COUNTER_FILES_KEPT : SYMBOL_COUNTER_FILES_NOT_KEPT, 1);
	return r;
}

static void keep(struct symbol_upload *upload, const struct symbol_file_outcome *outcome)
{
	enum shelf_kind kind;
	int r;

	/* Without names of its own a file may still be what a debugger, or another file, needs: the
	 * supplementary files of dwz are object files. */
	if (upload->shelf_tried || outcome->error < 0 ||
		(outcome->fault != SANDBOX_FAULT_NONE && outcome->fault != SANDBOX_FAULT_NO_NAMES &&
			outcome->fault != SANDBOX_FAULT_RELOCATABLE))
		return;
	if (!find_kind(upload, &kind))
		return;
	r = symbol_upload_shelve(upload, kind);
	if (r < 0 && r != -EEXIST && r != -EFBIG)
		log_warning(
			r, "ignoring that a file of %s could not be kept", upload->module->name);
}

/* What there is to be read again now that a file of ID is kept: whoever waited for it to stand beside
 * its own, or the program of a package. */
static void reread_others(struct symbolizer *symbolizer, const struct build_id *id)
{
	pthread_mutex_lock(&symbolizer->lock);
	for (uint32_t i = 0; i < symbolizer->registry.count; i++) {
		struct module_record *module = symbolizer->registry.modules[i];

		if (build_id_known(&module->supplementary_id) &&
			build_id_equal(&module->supplementary_id, id)) {
			module_registry_reread(&symbolizer->registry, module);
			symbolizer_plan(symbolizer, module);
		}
	}
	pthread_mutex_unlock(&symbolizer->lock);
}

/* How the program calls its debug file may lead to that in a folder. */
static void note_link(struct symbol_upload *upload)
{
	struct symbolizer *symbolizer = upload->symbolizer;

	if (!*upload->facts.link_name)
		return;
	pthread_mutex_lock(&symbolizer->lock);
	module_registry_set_link(upload->module, upload->facts.link_name, upload->facts.link_crc);
	pthread_mutex_unlock(&symbolizer->lock);
}

/* A package names nothing without its program: it is kept for when that is read. */
static void put_package_aside(struct symbol_upload *upload)
{
	const struct symbol_file_outcome outcome = {.error = 0};

	keep(upload, &outcome);
	pthread_mutex_lock(&upload->symbolizer->lock);
	module_registry_reread(&upload->symbolizer->registry, upload->module);
	symbolizer_plan(upload->symbolizer, upload->module);
	pthread_mutex_unlock(&upload->symbolizer->lock);
	symbol_upload_discard(upload);
}

static void read_upload(struct symbol_upload *upload)
{
	const struct symbol_file_request request = {
		.id = upload->module->id,
		.what = upload->what,
		.zstd = upload->encoding == SYMBOL_ENCODING_ZSTD,
		.reduced = upload->reduced,
		.from = upload->has_origin ? "a collector" : "a person",
	};
	struct symbol_file_outcome outcome;

	if (upload->has_facts && upload->facts.contents.is_package) {
		put_package_aside(upload);
		return;
	}
	outcome = symbol_store_file(upload->symbolizer, upload->module, upload->file.fd, &request);

	keep(upload, &outcome);
	note_link(upload);
	reread_others(upload->symbolizer, &upload->module->id);
	conclude(upload, &outcome);
	symbol_upload_discard(upload);
}

void *symbol_index_run(void *context)
{
	struct symbolizer *symbolizer = context;
	void *item;

	while (queue_pop(&symbolizer->index_jobs, UINT64_MAX, &item) == 0) {
		const struct symbol_upload *upload = item;
		struct module_record *module = upload->by_hand ? upload->module : NULL;
		bool stopping, marked = upload->marked;
		uint32_t mark = upload->mark;

		pthread_mutex_lock(&symbolizer->lock);
		symbolizer->jobs_queued--;
		symbolizer->jobs_running++;
		stopping = symbolizer->stopping;
		pthread_mutex_unlock(&symbolizer->lock);
		if (stopping)
			symbol_upload_discard(item);
		else
			read_upload(item);
		/* What nobody came to read is read by the next run of the server. */
		if (!stopping && module && marked)
			unread_marks_remove(&symbolizer->unread, &module->id, mark);
		pthread_mutex_lock(&symbolizer->lock);
		symbolizer->jobs_running--;
		if (module)
			module->hand_count--;
		pthread_cond_broadcast(&symbolizer->changed);
		pthread_mutex_unlock(&symbolizer->lock);
	}
	return NULL;
}
