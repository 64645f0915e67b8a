/* SPDX-License-Identifier: Apache-2.0 */
/* The fetchers: threads that look for files of what is due, one module at a time each, first on this
 * machine, then at debuginfod servers, and read what they get. */
#include <errno.h>
#include <stdio.h>

#include "store/base/fault.h"
#include "symbolizer-server/symbol/symbolizer_state.h"

/* What asking for one file gave. */
enum answer {
	ANSWER_FILE, /* it was read; see the outcome */
	ANSWER_NOT_FOUND,
	ANSWER_NO_FILE, /* something else was found */
	ANSWER_SPARED, /* who may have it rests */
	ANSWER_FAILED,
	ANSWER_STOPPED,
};

struct asked {
	enum answer answer;
	int error; /* of ANSWER_FAILED */
	uint64_t rests_until_ns; /* of ANSWER_SPARED */
	struct symbol_file_outcome outcome;
};

/* When the question is worth to be put; 0: now. */
static uint64_t rests_until_ns(
	const struct symbolizer *symbolizer, const struct symbol_question *question)
{
	struct symbol_source *source = symbolizer->source;

	return source->rests_until_ns ? source->rests_until_ns(source, question) : 0;
}

static enum symbol_counter counter_of(int answer)
{
	switch (answer) {
	case 0:
		return SYMBOL_COUNTER_FETCHES_HIT;
	case -ENOENT:
	case -EAGAIN:
		return SYMBOL_COUNTER_FETCHES_MISSED;
	case -ECANCELED:
		return SYMBOL_COUNTER_FETCHES_STOPPED;
	default:
		return SYMBOL_COUNTER_FETCHES_FAILED;
	}
}

/* Puts one question, and counts how it ended. -EAGAIN: it is to be put again later. */
static int put_question(struct symbolizer *symbolizer, unsigned worker,
	const struct symbol_question *question, struct symbol_fetched *ret_fetched)
{
	struct symbol_source *source = symbolizer->source;
	int r;

	if (rests_until_ns(symbolizer, question) > 0) {
		symbol_count(symbolizer, SYMBOL_COUNTER_FETCHES_SPARED, 1);
		return -EAGAIN;
	}
	symbol_count(symbolizer, SYMBOL_COUNTER_FETCHES_ASKED, 1);
	symbol_count(symbolizer, SYMBOL_COUNTER_FETCHES_OPEN, 1);
	r = source->fetch(source, worker, question, ret_fetched);
	symbol_count_less(symbolizer, SYMBOL_COUNTER_FETCHES_OPEN, 1);
	symbol_count(symbolizer, counter_of(r), 1);
	if (r == 0)
		symbol_count(symbolizer, SYMBOL_COUNTER_FETCHED_BYTES, ret_fetched->byte_count);
	return r;
}

int symbol_fetch_beside(struct symbolizer *symbolizer, unsigned worker, const struct build_id *id,
	struct symbol_fetched *ret_fetched)
{
	struct symbol_question question = {
		.id = *id,
		.file = SYMBOL_FILE_DEBUGINFO,
		.name = "",
		.hold_ns = RETRY_NOT_FOUND_MAX_NS,
	};
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

static struct asked answer_without_file(
	const struct symbolizer *symbolizer, const struct symbol_question *question, int error)
{
	struct asked asked = {.answer = ANSWER_FAILED, .error = error};

	switch (error) {
	case -ECANCELED:
		asked.answer = ANSWER_STOPPED;
		break;
	case -ENOENT:
		asked.answer = ANSWER_NOT_FOUND;
		break;
	case -EBADMSG:
		asked.answer = ANSWER_NO_FILE;
		break;
	case -EAGAIN:
		asked.answer = ANSWER_SPARED;
		asked.rests_until_ns = rests_until_ns(symbolizer, question);
		break;
	default:
		break;
	}
	return asked;
}

/* Whether the file was another one than it should be, so that somebody else may have the right one. */
static bool is_wrong(const struct symbol_file_outcome *outcome)
{
	return outcome->error == 0 && outcome->fault != SANDBOX_FAULT_NONE &&
		outcome->fault != SANDBOX_FAULT_NO_NAMES;
}

static struct asked ask(struct symbolizer *symbolizer, unsigned worker,
	struct module_record *module, enum symbol_file file, uint64_t hold_ns)
{
	struct symbol_source *source = symbolizer->source;
	struct symbol_file_request request = {
		.id = module->id,
		.what = SYMBOL_WHAT_EXECUTABLE,
		.from = source->name,
		.worker = &worker,
	};
	struct symbol_question question = {
		.id = module->id, .file = file, .name = module->name, .hold_ns = hold_ns};
	struct asked asked = {.answer = ANSWER_NOT_FOUND};

	do {
		struct symbol_fetched fetched = {.fd = -1};
		int r = put_question(symbolizer, worker, &question, &fetched);

		/* The others do not have it: what counts is the file that was had. */
		if (r == -ENOENT && question.skip > 0)
			return asked;
		if (r < 0)
			return answer_without_file(symbolizer, &question, r);
		asked.answer = ANSWER_FILE;
		asked.outcome = symbol_store_file(symbolizer, module, fetched.fd, &request);
		question.skip = fetched.next;
		source->release(source, &fetched);
	} while (is_wrong(&asked.outcome) && question.skip > 0);
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

/* The module goes on to uploads, and comes back. */
static void conclude_spared(
	struct symbolizer *symbolizer, struct module_record *module, uint64_t rests_until_ns)
{
	uint64_t now_ns = symbol_now_ns(symbolizer);

	conclude(symbolizer, module, rests_until_ns > now_ns ? rests_until_ns - now_ns : 0, false,
		"debuginfod does not answer");
}

static void conclude_found(
	struct symbolizer *symbolizer, struct module_record *module, enum symbol_quality quality)
{
	char note[MODULE_NOTE_TEXT_MAX];

	snprintf(note, sizeof(note), "debuginfod had %s only", symbol_quality_text(quality));
	conclude(symbolizer, module, RETRY_BETTER_NS, quality < SYMBOL_QUALITY_DWARF, note);
}

/* Nobody has it, or nobody has the right one. */
static void conclude_missing(
	struct symbolizer *symbolizer, struct module_record *module, const struct asked *file)
{
	uint64_t wait_ns =
		next_wait(symbolizer, module, RETRY_NOT_FOUND_NS, RETRY_NOT_FOUND_MAX_NS);
	char note[MODULE_NOTE_TEXT_MAX];

	if (file->answer == ANSWER_NOT_FOUND) {
		snprintf(note, sizeof(note), "debuginfod does not have it");
	} else if (file->answer == ANSWER_NO_FILE) {
		snprintf(note, sizeof(note), "debuginfod's file: %s",
			sandbox_fault_text(SANDBOX_FAULT_NOT_ELF));
	} else if (file->outcome.error < 0) {
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

/* The best of what the two questions gave. */
static void conclude_asked(struct symbolizer *symbolizer, struct module_record *module,
	const struct asked *debuginfo, const struct asked *executable)
{
	const struct asked *named = gave_names(debuginfo) ? debuginfo
		: gave_names(executable)		  ? executable
							  : NULL;
	bool debuginfo_open =
		debuginfo->answer == ANSWER_FAILED || debuginfo->answer == ANSWER_SPARED;
	const struct asked *open = debuginfo_open ? debuginfo : executable;

	if (debuginfo->answer == ANSWER_STOPPED || executable->answer == ANSWER_STOPPED) {
		conclude(symbolizer, module, 0, false, "debuginfod was not asked to the end");
	} else if (named && (!debuginfo_open || named->outcome.quality == SYMBOL_QUALITY_DWARF)) {
		conclude_found(symbolizer, module, named->outcome.quality);
	} else if (open->answer == ANSWER_FAILED) {
		conclude_failed(symbolizer, module, open->error);
	} else if (open->answer == ANSWER_SPARED) {
		conclude_spared(symbolizer, module, open->rests_until_ns);
	} else {
		/* What was found and is of no use says more than that nothing was found. */
		conclude_missing(symbolizer, module,
			debuginfo->answer == ANSWER_NOT_FOUND ? executable : debuginfo);
	}
}

/* How long a "not found" holds that comes now. */
static uint64_t hold_ns(struct symbolizer *symbolizer, const struct module_record *module)
{
	uint64_t ns;

	pthread_mutex_lock(&symbolizer->lock);
	ns = module_retry_ns(RETRY_NOT_FOUND_NS, RETRY_NOT_FOUND_MAX_NS, module->fetch_tries);
	pthread_mutex_unlock(&symbolizer->lock);
	return ns;
}

static void ask_servers(
	struct symbolizer *symbolizer, unsigned worker, struct module_record *module)
{
	uint64_t hold = hold_ns(symbolizer, module);
	struct asked executable = {.answer = ANSWER_NOT_FOUND};
	struct asked debuginfo = ask(symbolizer, worker, module, SYMBOL_FILE_DEBUGINFO, hold);

	/* The kernel's own list says as much as its program or a stripped module. */
	if (debuginfo.answer != ANSWER_STOPPED && !gave_names(&debuginfo) &&
		!symbol_has(symbolizer, module, SYMBOL_QUALITY_KERNEL))
		executable = ask(symbolizer, worker, module, SYMBOL_FILE_EXECUTABLE, hold);
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
	bool look, kept, ask_them;

	pthread_mutex_lock(&symbolizer->lock);
	look = module_registry_local_due(&symbolizer->registry, module, now_ns);
	kept = module->kept;
	if (look)
		module_registry_local_done(module, now_ns);
	pthread_mutex_unlock(&symbolizer->lock);
	if (look)
		symbol_look_here(symbolizer, module, kept);
	pthread_mutex_lock(&symbolizer->lock);
	ask_them = module_registry_fetch_due(&symbolizer->registry, module, now_ns);
	pthread_mutex_unlock(&symbolizer->lock);
	if (ask_them && !symbol_has_best(symbolizer, module))
		ask_servers(symbolizer, worker, module);
	else
		end_look(symbolizer, module);
}

struct debuginfod_servers *symbolizer_servers(struct symbolizer *symbolizer)
{
	return symbolizer->servers;
}

void *symbol_fetch_run(void *context)
{
	struct symbolizer *symbolizer = context;
	unsigned worker;

	pthread_mutex_lock(&symbolizer->lock);
	worker = symbolizer->fetch_workers_numbered++;
	while (!symbolizer->stopping) {
		struct module_record *module = module_registry_take_fetch(&symbolizer->registry);

		if (!module) {
			pthread_cond_wait(&symbolizer->changed, &symbolizer->lock);
			continue;
		}
		symbolizer->jobs_running++;
		pthread_mutex_unlock(&symbolizer->lock);
		fetch_module(symbolizer, worker, module);
		pthread_mutex_lock(&symbolizer->lock);
		symbolizer->jobs_running--;
		pthread_cond_broadcast(&symbolizer->changed);
	}
	pthread_mutex_unlock(&symbolizer->lock);
	return NULL;
}
