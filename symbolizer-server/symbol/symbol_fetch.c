/* SPDX-License-Identifier: Apache-2.0 */
/* The fetchers: threads that look for files of what is due, one module at a time each, first on this
 * machine, then at debuginfod servers, and read what they get. */
#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "store/base/fault.h"
#include "store/log/log.h"
#include "symbolizer-server/symbol/symbolizer_state.h"

/* After so many failures in a row the servers are left alone for a while, the longer the more. */
#define FAILURES_BEFORE_PAUSE 3
#define PAUSE_NS (UINT64_C(5) * NS_PER_S)
#define PAUSE_MAX_NS (UINT64_C(600) * NS_PER_S)

/* What asking for one file gave. */
enum answer {
	ANSWER_FILE, /* it was read; see the outcome */
	ANSWER_NOT_FOUND,
	ANSWER_FAILED,
	ANSWER_STOPPED,
};

struct asked {
	enum answer answer;
	int error; /* of ANSWER_FAILED */
	struct symbol_file_outcome outcome;
};

static void note_success(struct symbolizer *symbolizer)
{
	pthread_mutex_lock(&symbolizer->lock);
	symbolizer->fetch_failures = 0;
	pthread_mutex_unlock(&symbolizer->lock);
}

static void note_failure(struct symbolizer *symbolizer, int error)
{
	uint32_t failures;

	pthread_mutex_lock(&symbolizer->lock);
	failures = ++symbolizer->fetch_failures;
	if (failures >= FAILURES_BEFORE_PAUSE)
		symbolizer->fetch_pause_until_ns = symbol_now_ns(symbolizer) +
			module_retry_ns(PAUSE_NS, PAUSE_MAX_NS, failures - FAILURES_BEFORE_PAUSE);
	pthread_mutex_unlock(&symbolizer->lock);
	if (failures == FAILURES_BEFORE_PAUSE)
		log_warning(
			error, "debuginfod does not answer; pausing it, names come from uploads");
}

/* Puts one question, and counts how it ended. */
static int put_question(struct symbolizer *symbolizer, unsigned worker,
	const struct symbol_question *question, struct symbol_fetched *ret_fetched)
{
	struct symbol_source *source = symbolizer->source;
	int r;

	symbol_count(symbolizer, SYMBOL_COUNTER_FETCHES_ASKED, 1);
	symbol_count(symbolizer, SYMBOL_COUNTER_FETCHES_OPEN, 1);
	r = source->fetch(source, worker, question, ret_fetched);
	symbol_count_less(symbolizer, SYMBOL_COUNTER_FETCHES_OPEN, 1);
	if (r == -ECANCELED) {
		symbol_count(symbolizer, SYMBOL_COUNTER_FETCHES_STOPPED, 1);
		return r;
	}
	if (r < 0 && r != -ENOENT) {
		note_failure(symbolizer, r);
		symbol_count(symbolizer, SYMBOL_COUNTER_FETCHES_FAILED, 1);
		return r;
	}
	note_success(symbolizer);
	symbol_count(
		symbolizer, r < 0 ? SYMBOL_COUNTER_FETCHES_MISSED : SYMBOL_COUNTER_FETCHES_HIT, 1);
	if (r == 0)
		symbol_count(symbolizer, SYMBOL_COUNTER_FETCHED_BYTES, ret_fetched->byte_count);
	return r;
}

int symbol_fetch_beside(struct symbolizer *symbolizer, unsigned worker, const struct build_id *id,
	struct symbol_fetched *ret_fetched)
{
	struct symbol_question question = {.id = *id, .file = SYMBOL_FILE_DEBUGINFO, .name = ""};
	struct symbol_misses *misses = symbol_cache_misses(symbolizer->cache);
	uint32_t tries = 0;
	uint64_t until_ns;
	int r;

	if (symbol_misses_find(misses, SYMBOL_MISS_SUPPLEMENTARY, id, &tries, &until_ns) == 0)
		return -ENOENT;
	r = put_question(symbolizer, worker, &question, ret_fetched);
	if (r == -ENOENT)
		symbol_misses_note(misses, SYMBOL_MISS_SUPPLEMENTARY, id, 0,
			clock_read(&symbolizer->clock).realtime_ns + RETRY_NOT_FOUND_MAX_NS);
	return r;
}

static struct asked ask(struct symbolizer *symbolizer, unsigned worker,
	struct module_record *module, enum symbol_file file)
{
	struct symbol_source *source = symbolizer->source;
	struct symbol_file_request request = {
		.id = module->id,
		.what = SYMBOL_WHAT_EXECUTABLE,
		.from = source->name,
		.worker = &worker,
	};
	struct symbol_question question = {.id = module->id, .file = file, .name = module->name};
	struct symbol_fetched fetched = {.fd = -1};
	struct asked asked = {.answer = ANSWER_FILE};
	int r;

	r = put_question(symbolizer, worker, &question, &fetched);
	if (r == -ECANCELED)
		return (struct asked){.answer = ANSWER_STOPPED};
	if (r == -ENOENT)
		return (struct asked){.answer = ANSWER_NOT_FOUND};
	if (r < 0)
		return (struct asked){.answer = ANSWER_FAILED, .error = r};
	asked.outcome = symbol_store_file(symbolizer, module, fetched.fd, &request);
	source->release(source, &fetched);
	return asked;
}

/* Files away how the questions about a module ended, and when the next may be put. */
static void conclude(struct symbolizer *symbolizer, struct module_record *module, uint64_t wait_ns,
	bool remember, const char *note)
{
	struct clock_reading now = clock_read(&symbolizer->clock);
	struct build_id id = module->id;
	uint32_t tries;

	pthread_mutex_lock(&symbolizer->lock);
	tries = module->fetch_tries;
	module_registry_fetch_later(
		&symbolizer->registry, module, now.monotonic_ns + wait_ns, note);
	symbolizer_plan(symbolizer, module);
	pthread_mutex_unlock(&symbolizer->lock);
	if (remember)
		symbol_misses_note(symbol_cache_misses(symbolizer->cache), SYMBOL_MISS_DEBUGINFOD,
			&id, tries, now.realtime_ns + wait_ns);
	symbolizer_tell(symbolizer);
}

/* The n-th answer of its kind in a row makes the next question wait longer. */
static uint64_t next_wait(struct symbolizer *symbolizer, struct module_record *module,
	uint64_t first_ns, uint64_t max_ns)
{
	uint64_t wait_ns;

	pthread_mutex_lock(&symbolizer->lock);
	wait_ns = module_retry_ns(first_ns, max_ns, module->fetch_tries);
	if (module->fetch_tries < UINT8_MAX)
		module->fetch_tries++;
	pthread_mutex_unlock(&symbolizer->lock);
	return wait_ns;
}

static void conclude_failed(struct symbolizer *symbolizer, struct module_record *module, int error)
{
	char note[MODULE_NOTE_TEXT_MAX];
	uint64_t wait_ns = next_wait(symbolizer, module, RETRY_FAILED_NS, RETRY_FAILED_MAX_NS);

	snprintf(note, sizeof(note), "debuginfod failed (%s)", fault_text(error));
	conclude(symbolizer, module, wait_ns, false, note);
}

/* The best of what the two questions gave. */
static void conclude_asked(struct symbolizer *symbolizer, struct module_record *module,
	const struct asked *debuginfo, const struct asked *executable)
{
	const struct asked *file = debuginfo->answer == ANSWER_FILE ? debuginfo : executable;
	char note[MODULE_NOTE_TEXT_MAX];
	uint64_t wait_ns;

	if (debuginfo->answer == ANSWER_STOPPED || executable->answer == ANSWER_STOPPED) {
		conclude(symbolizer, module, 0, false, "debuginfod was not asked to the end");
		return;
	}
	if (file->answer == ANSWER_FILE && file->outcome.error == 0 &&
		file->outcome.fault == SANDBOX_FAULT_NONE) {
		snprintf(note, sizeof(note), "debuginfod had %s only",
			symbol_quality_text(file->outcome.quality));
		conclude(symbolizer, module, RETRY_BETTER_NS,
			file->outcome.quality < SYMBOL_QUALITY_DWARF, note);
		return;
	}
	if (debuginfo->answer == ANSWER_FAILED || executable->answer == ANSWER_FAILED) {
		conclude_failed(symbolizer, module,
			debuginfo->answer == ANSWER_FAILED ? debuginfo->error : executable->error);
		return;
	}
	wait_ns = next_wait(symbolizer, module, RETRY_NOT_FOUND_NS, RETRY_NOT_FOUND_MAX_NS);
	if (file->answer != ANSWER_FILE)
		snprintf(note, sizeof(note), "debuginfod does not have it");
	else if (file->outcome.error < 0) {
		snprintf(note, sizeof(note), "debuginfod's file could not be read (%s)",
			fault_text(file->outcome.error));
	} else {
		snprintf(note, sizeof(note), "debuginfod's file: %s",
			sandbox_fault_text(file->outcome.fault));
	}
	conclude(symbolizer, module, wait_ns, file->answer != ANSWER_FILE, note);
}

static bool gave_names(const struct asked *asked)
{
	return asked->answer == ANSWER_FILE && asked->outcome.error == 0 &&
		asked->outcome.fault == SANDBOX_FAULT_NONE;
}

static void ask_servers(
	struct symbolizer *symbolizer, unsigned worker, struct module_record *module)
{
	struct asked executable = {.answer = ANSWER_NOT_FOUND};
	struct asked debuginfo = ask(symbolizer, worker, module, SYMBOL_FILE_DEBUGINFO);

	/* A server that fails is not asked twice in a row. */
	if (debuginfo.answer != ANSWER_STOPPED && debuginfo.answer != ANSWER_FAILED &&
		!gave_names(&debuginfo))
		executable = ask(symbolizer, worker, module, SYMBOL_FILE_EXECUTABLE);
	if (gave_names(&executable))
		debuginfo = executable;
	conclude_asked(symbolizer, module, &debuginfo, &executable);
}

static void end_look(struct symbolizer *symbolizer, struct module_record *module)
{
	pthread_mutex_lock(&symbolizer->lock);
	module_registry_fetch_over(&symbolizer->registry, module);
	symbolizer_plan(symbolizer, module);
	pthread_mutex_unlock(&symbolizer->lock);
	symbolizer_tell(symbolizer);
}

static void fetch_module(
	struct symbolizer *symbolizer, unsigned worker, struct module_record *module)
{
	uint64_t now_ns = symbol_now_ns(symbolizer);
	bool look, ask_them;

	pthread_mutex_lock(&symbolizer->lock);
	look = module_registry_local_due(&symbolizer->registry, module, now_ns);
	if (look)
		module_registry_local_done(module, now_ns);
	pthread_mutex_unlock(&symbolizer->lock);
	if (look)
		symbol_look_here(symbolizer, module);
	pthread_mutex_lock(&symbolizer->lock);
	ask_them = module_registry_fetch_due(&symbolizer->registry, module, now_ns) &&
		now_ns >= symbolizer->fetch_pause_until_ns;
	pthread_mutex_unlock(&symbolizer->lock);
	if (ask_them && !symbol_has_best(symbolizer, module))
		ask_servers(symbolizer, worker, module);
	else
		end_look(symbolizer, module);
}

/* Takes the next due module, with LOCK held. While debuginfod is paused the modules are not kept
 * waiting: they go on to uploads, and come back. */
static struct module_record *take(struct symbolizer *symbolizer, bool *ret_spared)
{
	struct module_record *module = module_registry_take_fetch(&symbolizer->registry);
	uint64_t now_ns = symbol_now_ns(symbolizer);

	*ret_spared = false;
	if (!module || now_ns >= symbolizer->fetch_pause_until_ns ||
		module_registry_local_due(&symbolizer->registry, module, now_ns))
		return module;
	module_registry_fetch_later(&symbolizer->registry, module, symbolizer->fetch_pause_until_ns,
		"debuginfod does not answer");
	symbol_count(symbolizer, SYMBOL_COUNTER_FETCHES_SPARED, 1);
	symbolizer_plan(symbolizer, module);
	*ret_spared = true;
	return module;
}

void *symbol_fetch_run(void *context)
{
	struct symbolizer *symbolizer = context;
	unsigned worker;

	pthread_mutex_lock(&symbolizer->lock);
	worker = symbolizer->fetch_workers_numbered++;
	while (!symbolizer->stopping) {
		bool spared;
		struct module_record *module = take(symbolizer, &spared);

		if (!module) {
			pthread_cond_wait(&symbolizer->changed, &symbolizer->lock);
			continue;
		}
		symbolizer->jobs_running++;
		pthread_mutex_unlock(&symbolizer->lock);
		if (spared)
			symbolizer_tell(symbolizer);
		else
			fetch_module(symbolizer, worker, module);
		pthread_mutex_lock(&symbolizer->lock);
		symbolizer->jobs_running--;
		pthread_cond_broadcast(&symbolizer->changed);
	}
	pthread_mutex_unlock(&symbolizer->lock);
	return NULL;
}
