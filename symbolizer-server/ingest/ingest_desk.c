/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/ingest_desk.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "store/base/cleanup.h"
#include "store/disk/profile_store.h"
#include "symbolizer-server/guard/label_guard.h"
#include "symbolizer-server/symbol/symbolizer.h"

enum drop {
#define DROP_ENUM(name, meaning) DROP_##name,
	INGEST_DROPS(DROP_ENUM)
#undef DROP_ENUM
		DROP_COUNT
};

struct ingest_desk {
	struct profile_store *store;
	struct symbolizer *symbolizer; /* NULL: nothing asks for names */
	struct label_guard *guard; /* NULL: labels are kept as they come */
	struct repeat_memory *repeats;
	/* Uploads have no keys: each profile gets one that never comes again. */
	uint8_t instance[BATCH_INSTANCE_BYTES];
	_Atomic uint64_t sequence;
	_Atomic uint64_t held_bytes;
	uint64_t held_max;
	pthread_mutex_t large; /* held while a large body is read */
	_Atomic uint64_t counts[INGEST_COUNTER_COUNT];
	_Atomic uint64_t drops[DROP_COUNT];
};

/* One upload on its way; freed by whoever takes the last reference. */
struct submission {
	struct ingest_desk *desk;
	ingest_done_fn done;
	void *context;
	atomic_int result;
	atomic_uint waiting; /* profiles that have no answer yet, and the submitter */
};

struct part {
	struct submission *submission;
	uint64_t samples;
};

int ingest_desk_new(struct profile_store *store, struct symbolizer *symbolizer,
	struct label_guard *guard, struct ingest_desk **ret_desk)
{
	struct ingest_desk *desk = calloc(1, sizeof(*desk));
	int r;

	if (!desk)
		return -ENOMEM;
	desk->store = store;
	desk->symbolizer = symbolizer;
	desk->guard = guard;
	desk->held_max = INGEST_HELD_BYTES_DEFAULT;
	pthread_mutex_init(&desk->large, NULL);
	r = repeat_memory_new(&desk->repeats);
	if (r == 0 &&
		getrandom(desk->instance, sizeof(desk->instance), 0) !=
			(ssize_t)sizeof(desk->instance))
		r = -EIO;
	if (r < 0) {
		ingest_desk_free(desk);
		return r;
	}
	*ret_desk = desk;
	return 0;
}

void ingest_desk_free(struct ingest_desk *desk)
{
	if (!desk)
		return;
	repeat_memory_free(desk->repeats);
	pthread_mutex_destroy(&desk->large);
	free(desk);
}

void ingest_desk_set_held_max(struct ingest_desk *desk, uint64_t bytes_max)
{
	desk->held_max = bytes_max;
}

bool ingest_desk_hold(struct ingest_desk *desk, uint64_t held, uint64_t more)
{
	uint64_t whole = atomic_fetch_add(&desk->held_bytes, more) + more;

	if (whole <= desk->held_max || whole == held + more)
		return true;
	atomic_fetch_sub(&desk->held_bytes, more);
	ingest_desk_count(desk, INGEST_UPLOADS_CROWDED, 1);
	return false;
}

void ingest_desk_let_go(struct ingest_desk *desk, uint64_t held)
{
	atomic_fetch_sub(&desk->held_bytes, held);
}

void ingest_desk_read_begin(struct ingest_desk *desk, uint64_t byte_count)
{
	if (byte_count >= INGEST_LARGE_BYTES)
		pthread_mutex_lock(&desk->large);
}

void ingest_desk_read_end(struct ingest_desk *desk, uint64_t byte_count)
{
	if (byte_count >= INGEST_LARGE_BYTES)
		pthread_mutex_unlock(&desk->large);
}

enum repeat_state ingest_desk_begin(
	struct ingest_desk *desk, const struct hash128 *key, uint64_t now_ns)
{
	enum repeat_state state = repeat_memory_begin(desk->repeats, key, now_ns);

	if (state == REPEAT_STORED)
		ingest_desk_count(desk, INGEST_UPLOADS_REPEATED, 1);
	return state;
}

void ingest_desk_end(struct ingest_desk *desk, const struct hash128 *key, bool is_stored)
{
	repeat_memory_end(desk->repeats, key, is_stored);
}

void ingest_desk_count(struct ingest_desk *desk, enum ingest_counter counter, uint64_t by)
{
	atomic_fetch_add_explicit(&desk->counts[counter], by, memory_order_relaxed);
}

void ingest_desk_note_drops(struct ingest_desk *desk, const struct ingest_drops *drops)
{
#define NOTE_DROP(name, meaning) \
	atomic_fetch_add_explicit(&desk->drops[DROP_##name], drops->name, memory_order_relaxed);
	INGEST_DROPS(NOTE_DROP)
#undef NOTE_DROP
}

#define DROP_ROW(name, meaning) {"client_" #name, meaning, 0},

void ingest_desk_visit_counters(struct ingest_desk *desk, counted_fn visit, void *context)
{
	static const struct counted rows[] = {INGEST_COUNTERS(COUNTED_ROW)};
	static const struct counted drop_rows[] = {INGEST_DROPS(DROP_ROW)};
	uint64_t values[INGEST_COUNTER_COUNT], drops[DROP_COUNT];

	for (size_t i = 0; i < INGEST_COUNTER_COUNT; i++)
		values[i] = atomic_load_explicit(&desk->counts[i], memory_order_relaxed);
	values[INGEST_BYTES_HELD] = desk->held_bytes;
	values[INGEST_REPEATS_FORGOTTEN] = repeat_memory_forgotten(desk->repeats);
	for (size_t i = 0; i < DROP_COUNT; i++)
		drops[i] = atomic_load_explicit(&desk->drops[i], memory_order_relaxed);
	counted_visit(rows, values, INGEST_COUNTER_COUNT, visit, context);
	counted_visit(drop_rows, drops, DROP_COUNT, visit, context);
}

/* ---- Submitting ---- */

static void note_modules(struct ingest_desk *desk, const struct profile *profile)
{
	SCOPED_FREE uint8_t *asked = calloc(profile->modules.count, 1);
	struct symbol_origin origin;

	if (!desk->symbolizer || !asked)
		return;
	memcpy(origin.instance, desk->instance, sizeof(origin.instance));
	/* Modules whose frames all came with names need none. */
	for (uint32_t i = 0; i < profile->frames.count; i++) {
		const struct frame *frame = &profile->frames.frames[i];

		if (!(frame->flags & FRAME_NAMED))
			asked[frame->module] = 1;
	}
	for (uint32_t i = 1; i < profile->modules.count; i++) {
		const struct module *module = &profile->modules.modules[i];

		/* Too many modules: the symbolizer counts what stays without a name. */
		if (asked[i] && build_id_known(&module->build_id)) {
			(void)symbolizer_note_module(desk->symbolizer, &origin, &module->build_id,
				string_table_text(&profile->strings, module->name),
				SYMBOL_WHAT_EXECUTABLE);
		}
	}
}

static void release(struct submission *submission)
{
	if (atomic_fetch_sub(&submission->waiting, 1) > 1)
		return;
	submission->done(submission->context, atomic_load(&submission->result));
	free(submission);
}

static void count_result(struct ingest_desk *desk, int result, uint64_t samples)
{
	if (result == 0) {
		ingest_desk_count(desk, INGEST_PROFILES_STORED, 1);
		ingest_desk_count(desk, INGEST_SAMPLES_STORED, samples);
	} else {
		ingest_desk_count(desk,
			result == -ESTALE ? INGEST_PROFILES_STALE : INGEST_PROFILES_FAILED, 1);
	}
}

static void on_durable(void *context, int result)
{
	struct part *part = context;
	struct submission *submission = part->submission;
	int none = 0;

	count_result(submission->desk, result, part->samples);
	if (result < 0)
		atomic_compare_exchange_strong(&submission->result, &none, result);
	free(part);
	release(submission);
}

static void submit_one(struct submission *submission, struct profile *profile)
{
	struct ingest_desk *desk = submission->desk;
	struct batch_key key = {.sequence = atomic_fetch_add(&desk->sequence, 1)};
	struct part *part = malloc(sizeof(*part));
	int none = 0, r;

	memcpy(key.instance, desk->instance, sizeof(key.instance));
	if (!part) {
		count_result(desk, -ENOMEM, 0);
		atomic_compare_exchange_strong(&submission->result, &none, -ENOMEM);
		return;
	}
	*part = (struct part){submission, profile_sample_count(profile)};
	note_modules(desk, profile);
	atomic_fetch_add(&submission->waiting, 1);
	r = desk->guard ? label_guard_apply(desk->guard, profile, clock_realtime_ns()) : 0;
	if (r == 0)
		r = profile_store_append(desk->store, &key, profile, on_durable, part);
	if (r < 0)
		on_durable(part, r);
}

void ingest_desk_submit(struct ingest_desk *desk, struct profile **profiles, uint32_t count,
	ingest_done_fn done, void *context)
{
	struct submission *submission = calloc(1, sizeof(*submission));

	if (submission) {
		*submission = (struct submission){
			.desk = desk, .done = done, .context = context, .waiting = 1};
		for (uint32_t i = 0; i < count; i++)
			submit_one(submission, profiles[i]);
	}
	for (uint32_t i = 0; i < count; i++)
		profile_free(profiles[i]);
	free(profiles);
	if (submission)
		release(submission);
	else
		done(context, -ENOMEM);
}
