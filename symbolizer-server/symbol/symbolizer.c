/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/symbolizer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/base/must.h"
#include "store/disk/symbol_check.h"
#include "store/log/log.h"
#include "symbolizer-server/symbol/debuginfod_source.h"
#include "symbolizer-server/symbol/folder_source.h"
#include "symbolizer-server/symbol/symbolizer_state.h"

#define CHECK_VERB "--check-symbol-cache"
/* A cache that passes the check and still ends the server is moved aside after so many starts in a
 * row that none of the former survived for the time below. */
#define BAD_STARTS_MAX 5
#define STARTS_FILE "starts"
#define GOOD_START_NS (UINT64_C(60) * NS_PER_S)
/* Names of some thousands of binaries. */
#define CACHE_BYTES_DEFAULT (UINT64_C(4) << 30)
/* What collectors send at most by default, too. */
#define UPLOAD_BYTES_DEFAULT (UINT64_C(2) << 30)
/* Debug files of some hundred programs, for debuggers. */
#define FILE_BYTES_DEFAULT (UINT64_C(8) << 30)
/* How often requests are looked at that a collector let pass. */
#define KEEPER_PERIOD_NS (UINT64_C(500) * NS_PER_MS)
/* Readers of the cache that died are looked for this often. */
#define READERS_PERIOD_NS (UINT64_C(60) * NS_PER_S)

/* More than one chunk, of more than one page. */
#define TRIAL_CHUNK_COUNT 2
#define TRIAL_CHUNK_BYTES 10000

static int read_trial(void *context, uint32_t chunk, uint8_t *ret_bytes, uint32_t *ret_byte_count)
{
	(void)context;
	memset(ret_bytes, (int)chunk, TRIAL_CHUNK_BYTES);
	*ret_byte_count = TRIAL_CHUNK_BYTES;
	return 0;
}

/* Stores an index under an id that no file has, and takes it out again. */
static int try_store(struct symbol_cache *cache)
{
	struct symbol_cache_index index = {
		.quality = SYMBOL_QUALITY_DYNAMIC,
		.chunk_count = TRIAL_CHUNK_COUNT,
		.byte_count = (uint64_t)TRIAL_CHUNK_COUNT * TRIAL_CHUNK_BYTES,
		.read = read_trial,
	};
	int r = build_id_make(BUILD_ID_GNU, "\0", 1, &index.id);

	if (r == 0)
		r = symbol_cache_store(cache, &index);
	symbol_cache_drop(cache, &index.id);
	return r;
}

/* Reads all of a cache, then opens, uses and closes it as the server will. Whatever that does to this
 * process, the server learns of it by its exit status. */
static int try_cache(const char *cache_folder)
{
	struct symbol_cache_options options = {
		.folder = cache_folder, .bytes_max = CACHE_BYTES_DEFAULT, .clock = clock_system()};
	struct symbol_cache *cache;
	int r;

	if (symbol_check(cache_folder) < 0 || symbol_cache_new(&options, &cache) < 0)
		return 1;
	r = try_store(cache);
	symbol_cache_free(cache);
	return r < 0 && r != -ENOSPC;
}

int symbolizer_hidden_main(int argc, char **argv)
{
	if (argc >= 2 && strcmp(argv[1], SANDBOX_VERB) == 0)
		return sandbox_main(argc, argv);
	if (argc == 3 && strcmp(argv[1], CHECK_VERB) == 0)
		return try_cache(argv[2]);
	return -1;
}

/* ---- The folder ---- */

static char *path_in(const char *folder, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

static int make_folder(const char *path)
{
	return mkdir(path, 0750) < 0 && errno != EEXIST ? -errno : 0;
}

static int open_folder(struct symbolizer *symbolizer, const char *folder)
{
	SCOPED_FREE char *lock = path_in(folder, "lock");
	int r = make_folder(folder);

	if (r < 0)
		return r;
	if (!lock)
		return -ENOMEM;
	symbolizer->folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (symbolizer->folder_fd < 0)
		return -errno;
	symbolizer->lock_fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0640);
	if (symbolizer->lock_fd < 0)
		return -errno;
	if (flock(symbolizer->lock_fd, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ? -EBUSY : -errno;
	return 0;
}

/* ---- The cache ---- */

/* Counts starts after which nobody lived long enough to take the count back: its length is the size
 * of the file. Too many: false. */
static bool count_start(struct symbolizer *symbolizer)
{
	SCOPED_FD int fd = openat(symbolizer->folder_fd, STARTS_FILE,
		O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
	struct stat stat;

	if (fd < 0 || write(fd, ".", 1) != 1 || fstat(fd, &stat) < 0)
		return true;
	return stat.st_size <= BAD_STARTS_MAX;
}

static void forget_starts(struct symbolizer *symbolizer)
{
	unlinkat(symbolizer->folder_fd, STARTS_FILE, 0);
}

/* Out of the way but not gone, for whoever wants to know what happened; the one before goes. */
static int move_aside(struct symbolizer *symbolizer, const char *cache_folder)
{
	SCOPED_FREE char *aside = NULL;
	static const char *const files[] = {"data.mdb", "lock.mdb", "closed-in-order"};

	if (asprintf(&aside, "%s.damaged", cache_folder) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		SCOPED_FREE char *file = path_in(aside, files[i]);

		if (file)
			unlink(file);
	}
	rmdir(aside);
	if (rename(cache_folder, aside) < 0)
		return -errno;
	forget_starts(symbolizer);
	symbol_count(symbolizer, SYMBOL_COUNTER_CACHE_MOVED, 1);
	log_warning(0, "the symbol cache is damaged; moved it to %s, names will be fetched anew",
		aside);
	return make_folder(cache_folder);
}

/* A map that kills its reader must kill a child of ours, and not every start of the server. */
static bool cache_sound(struct symbolizer *symbolizer, char *cache_folder)
{
	char verb[] = CHECK_VERB;
	char *arguments[] = {verb, cache_folder, NULL};
	int status = 1;

	if (symbol_cache_closed_in_order(cache_folder))
		return true;
	return count_start(symbolizer) &&
		sandbox_run_self(symbolizer->sandbox, arguments, &status) == 0 && status == 0;
}

static int open_cache(struct symbolizer *symbolizer, const struct symbolizer_options *options)
{
	SCOPED_FREE char *cache_folder = path_in(options->folder, "cache");
	struct symbol_cache_options cache_options = {
		.folder = cache_folder,
		.bytes_max =
			options->cache_bytes_max ? options->cache_bytes_max : CACHE_BYTES_DEFAULT,
		.clock = options->clock,
	};
	int r = cache_folder ? make_folder(cache_folder) : -ENOMEM;

	if (r == 0 && !cache_sound(symbolizer, cache_folder))
		r = move_aside(symbolizer, cache_folder);
	if (r < 0)
		return r;
	r = symbol_cache_new(&cache_options, &symbolizer->cache);
	if (r == -EUCLEAN) {
		r = move_aside(symbolizer, cache_folder);
		if (r == 0)
			r = symbol_cache_new(&cache_options, &symbolizer->cache);
	}
	if (r < 0)
		return r;
	return symbol_warm_new(symbolizer->cache,
		options->warm_bytes_max ? options->warm_bytes_max : SYMBOL_WARM_BYTES_DEFAULT,
		&symbolizer->warm);
}

/* ---- Start and stop ---- */

static int open_source(struct symbolizer *symbolizer, const struct symbolizer_options *options)
{
	struct debuginfod_source_options source_options = {
		.folder_fd = symbolizer->folder_fd,
		.clock = options->clock,
	};
	int r;

	if (options->source) {
		symbolizer->source = options->source;
		return 0;
	}
	if (!options->debuginfod_urls || !*options->debuginfod_urls)
		return 0;
	r = debuginfod_servers_new(options->debuginfod_urls, options->clock, &symbolizer->servers);
	if (r < 0)
		return r == -ENOMEM ? r : -EDESTADDRREQ;
	source_options.servers = symbolizer->servers;
	source_options.misses = symbol_cache_misses(symbolizer->cache);
	return debuginfod_source_new(&source_options, &symbolizer->source);
}

static int open_folders(struct symbolizer *symbolizer, const struct symbolizer_options *options)
{
	return options->folder_count == 0
		? 0
		: folder_source_new(options->folders, options->folder_count, symbol_identify,
			  symbolizer, &symbolizer->folders);
}

static int open_spool(struct symbolizer *symbolizer, const struct symbolizer_options *options)
{
	SCOPED_FREE char *folder = path_in(options->folder, "uploads");
	int r = folder ? make_folder(folder) : -ENOMEM;

	return r == 0 ? upload_spool_init(&symbolizer->spool, folder,
				options->upload_bytes_max ? options->upload_bytes_max
							  : UPLOAD_BYTES_DEFAULT)
		      : r;
}

static int open_unread(struct symbolizer *symbolizer, const struct symbolizer_options *options)
{
	SCOPED_FREE char *folder = path_in(options->folder, "unread");
	int r = folder ? make_folder(folder) : -ENOMEM;

	return r == 0 ? unread_marks_init(&symbolizer->unread, folder) : r;
}

static int open_shelf(struct symbolizer *symbolizer, const struct symbolizer_options *options)
{
	SCOPED_FREE char *folder = path_in(options->folder, "files");
	int r = folder ? make_folder(folder) : -ENOMEM;

	return r == 0
		? file_shelf_init(&symbolizer->shelf, folder,
			  options->file_bytes_max ? options->file_bytes_max : FILE_BYTES_DEFAULT,
			  options->clock)
		: r;
}

/* Looks now and then whether a collector lets its time pass. */
static void *keeper_run(void *context)
{
	struct symbolizer *symbolizer = context;
	uint64_t good_at_ns = clock_monotonic_ns() + GOOD_START_NS;
	uint64_t readers_at_ns = clock_monotonic_ns() + READERS_PERIOD_NS;

	pthread_mutex_lock(&symbolizer->lock);
	while (!symbolizer->stopping) {
		struct timespec until;
		uint64_t at_ns = clock_monotonic_ns() + KEEPER_PERIOD_NS;
		uint32_t expired = module_registry_expire_offers(
			&symbolizer->registry, symbol_now_ns(symbolizer));

		if (expired > 0) {
			symbol_count(symbolizer, SYMBOL_COUNTER_WANTS_EXPIRED, expired);
			symbolizer_wake_all(symbolizer);
		}
		pthread_mutex_unlock(&symbolizer->lock);
		if (expired > 0)
			symbolizer_tell(symbolizer);
		symbol_hand_expire_old(symbolizer);
		parked_uploads_expire(&symbolizer->parked, symbol_now_ns(symbolizer));
		if (clock_monotonic_ns() >= readers_at_ns) {
			symbol_cache_check_readers(symbolizer->cache);
			readers_at_ns = clock_monotonic_ns() + READERS_PERIOD_NS;
		}
		pthread_mutex_lock(&symbolizer->lock);
		until = (struct timespec){
			.tv_sec = (time_t)(at_ns / NS_PER_S), .tv_nsec = (long)(at_ns % NS_PER_S)};
		if (!symbolizer->stopping)
			pthread_cond_timedwait(&symbolizer->changed, &symbolizer->lock, &until);
		if (clock_monotonic_ns() >= good_at_ns) {
			forget_starts(symbolizer);
			good_at_ns = UINT64_MAX;
		}
	}
	pthread_mutex_unlock(&symbolizer->lock);
	return NULL;
}

static int start_threads(struct symbolizer *symbolizer)
{
	int r = 0;

	for (int i = 0; r == 0 && i < PARSER_COUNT_MAX; i++) {
		r = -pthread_create(
			&symbolizer->index_threads[i], NULL, symbol_index_run, symbolizer);
		if (r == 0)
			symbolizer->index_threads_started++;
	}
	if (r == 0) {
		r = -pthread_create(&symbolizer->keeper_thread, NULL, keeper_run, symbolizer);
		symbolizer->has_keeper_thread = r == 0;
	}
	for (int i = 0; r == 0 && i < FETCH_WORKER_COUNT; i++) {
		r = -pthread_create(
			&symbolizer->fetch_threads[i], NULL, symbol_fetch_run, symbolizer);
		if (r == 0)
			symbolizer->fetch_threads_started++;
	}
	return r;
}

static void init_locks(struct symbolizer *symbolizer)
{
	pthread_condattr_t attributes;

	pthread_mutex_init(&symbolizer->lock, NULL);
	pthread_mutex_init(&symbolizer->wake_lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&symbolizer->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	sem_init(&symbolizer->parsers, 0, PARSER_COUNT_MAX);
}

int symbolizer_new(const struct symbolizer_options *options, struct symbolizer **ret_symbolizer)
{
	struct symbolizer *symbolizer = calloc(1, sizeof(*symbolizer));
	int r;

	if (!symbolizer)
		return -ENOMEM;
	symbolizer->sandbox = options->sandbox;
	symbolizer->clock = options->clock;
	symbolizer->folder_fd = symbolizer->lock_fd = -1;
	symbolizer->spool.folder_fd = symbolizer->shelf.folder_fd = -1;
	symbolizer->unread.folder_fd = -1;
	atomic_init(&symbolizer->generation, 1);
	init_locks(symbolizer);
	parked_uploads_init(&symbolizer->parked, &symbolizer->spool);
	symbolizer->cancel_fd = eventfd(0, EFD_CLOEXEC);
	module_registry_init(&symbolizer->registry, false);
	r = symbolizer->cancel_fd < 0 ? -errno
				      : queue_init(&symbolizer->index_jobs, INDEX_JOBS_MAX);
	if (r == 0)
		r = open_folder(symbolizer, options->folder);
	if (r == 0)
		r = open_folders(symbolizer, options);
	if (r == 0)
		r = open_spool(symbolizer, options);
	if (r == 0)
		r = open_shelf(symbolizer, options);
	if (r == 0)
		r = open_unread(symbolizer, options);
	if (r == 0)
		r = open_cache(symbolizer, options);
	if (r == 0)
		r = open_source(symbolizer, options);
	symbolizer->registry.has_debuginfod = symbolizer->source != NULL;
	symbolizer->registry.has_folders = symbolizer->folders != NULL;
	if (r == 0)
		r = start_threads(symbolizer);
	if (r == 0)
		r = symbol_read_unread(symbolizer);
	if (r < 0) {
		symbolizer_free(symbolizer);
		return r;
	}
	*ret_symbolizer = symbolizer;
	return 0;
}

static void stop_threads(struct symbolizer *symbolizer)
{
	pthread_mutex_lock(&symbolizer->lock);
	symbolizer->stopping = true;
	pthread_cond_broadcast(&symbolizer->changed);
	pthread_mutex_unlock(&symbolizer->lock);
	if (symbolizer->cancel_fd >= 0)
		eventfd_write(symbolizer->cancel_fd, 1);
	if (symbolizer->source)
		symbolizer->source->stop(symbolizer->source);
	if (symbolizer->index_jobs.items)
		queue_close(&symbolizer->index_jobs);
	for (uint32_t i = 0; i < symbolizer->fetch_threads_started; i++)
		pthread_join(symbolizer->fetch_threads[i], NULL);
	for (uint32_t i = 0; i < symbolizer->index_threads_started; i++)
		pthread_join(symbolizer->index_threads[i], NULL);
	if (symbolizer->has_keeper_thread)
		pthread_join(symbolizer->keeper_thread, NULL);
}

void symbolizer_free(struct symbolizer *symbolizer)
{
	if (!symbolizer)
		return;
	stop_threads(symbolizer);
	must(!symbolizer->subscribers);
	/* It ends in order. */
	if (symbolizer->cache)
		forget_starts(symbolizer);
	/* It remembers what is not there in the cache. */
	if (symbolizer->source)
		symbolizer->source->free(symbolizer->source);
	debuginfod_servers_free(symbolizer->servers);
	symbol_warm_free(symbolizer->warm);
	symbol_cache_free(symbolizer->cache);
	symbol_hand_expire(symbolizer, 0);
	file_shelf_done(&symbolizer->shelf);
	unread_marks_done(&symbolizer->unread);
	parked_uploads_done(&symbolizer->parked);
	upload_spool_done(&symbolizer->spool);
	if (symbolizer->folders)
		symbolizer->folders->free(symbolizer->folders);
	queue_done(&symbolizer->index_jobs);
	module_registry_done(&symbolizer->registry);
	if (symbolizer->lock_fd >= 0)
		close(symbolizer->lock_fd);
	if (symbolizer->folder_fd >= 0)
		close(symbolizer->folder_fd);
	if (symbolizer->cancel_fd >= 0)
		close(symbolizer->cancel_fd);
	sem_destroy(&symbolizer->parsers);
	pthread_cond_destroy(&symbolizer->changed);
	pthread_mutex_destroy(&symbolizer->wake_lock);
	pthread_mutex_destroy(&symbolizer->lock);
	free(symbolizer);
}

int symbolizer_drain(struct symbolizer *symbolizer, uint64_t timeout_ns)
{
	uint64_t at_ns = clock_monotonic_ns() + timeout_ns;
	struct timespec until = {
		.tv_sec = (time_t)(at_ns / NS_PER_S), .tv_nsec = (long)(at_ns % NS_PER_S)};
	int r = 0;

	pthread_mutex_lock(&symbolizer->lock);
	while (r == 0 &&
		(symbolizer->jobs_running > 0 || symbolizer->jobs_queued > 0 ||
			symbolizer->registry.due_count > 0))
		r = -pthread_cond_timedwait(&symbolizer->changed, &symbolizer->lock, &until);
	pthread_mutex_unlock(&symbolizer->lock);
	return r;
}

/* ---- Modules ---- */

/* What earlier runs of the server found out about a module. */
struct remembered {
	struct symbol_cache_entry entry;
	struct symbol_index_header header;
	bool has_index;
	bool is_kept; /* a file of it is */
	uint32_t fetch_tries;
	uint64_t fetch_until_ns; /* epoch; 0: nothing is remembered */
	uint32_t upload_fault;
	uint64_t upload_until_ns; /* likewise */
};

static void recall(
	struct symbolizer *symbolizer, const struct build_id *id, struct remembered *ret_remembered)
{
	struct symbol_misses *misses = symbol_cache_misses(symbolizer->cache);
	struct remembered remembered = {0};
	struct symbol_reader *reader;

	if (symbol_cache_find(symbolizer->cache, id, &remembered.entry) == 0 &&
		symbol_reader_new(symbolizer->warm, id, NULL, NULL, &reader) == 0) {
		remembered.has_index = true;
		remembered.header = *symbol_reader_header(reader);
		symbol_reader_free(reader);
	}
	remembered.is_kept = file_shelf_kinds(&symbolizer->shelf, id) != 0;
	symbol_misses_find(misses, SYMBOL_MISS_DEBUGINFOD, id, &remembered.fetch_tries,
		&remembered.fetch_until_ns);
	symbol_misses_find(misses, SYMBOL_MISS_UPLOAD, id, &remembered.upload_fault,
		&remembered.upload_until_ns);
	*ret_remembered = remembered;
}

/* With LOCK. */
static void apply(struct symbolizer *symbolizer, struct module_record *module,
	const struct remembered *remembered)
{
	struct clock_reading now = clock_read(&symbolizer->clock);

	if (remembered->has_index) {
		module_registry_set_index(&symbolizer->registry, module, remembered->header.quality,
			remembered->header.function_count,
			remembered->header.parser_version != SYMBOL_INDEX_PARSER_VERSION);
	}
	/* What is kept can be read again. */
	module->kept = remembered->is_kept && (!remembered->has_index || module->stale);
	/* Names by another version of the parser: whatever they came from is to be read again. */
	if (module->stale)
		return;
	if (remembered->fetch_until_ns > now.realtime_ns) {
		module->fetch_tries = (uint8_t)remembered->fetch_tries;
		module_registry_fetch_later(&symbolizer->registry, module,
			now.monotonic_ns + remembered->fetch_until_ns - now.realtime_ns,
			"debuginfod did not have it when it was asked last");
	}
	if (remembered->upload_until_ns > now.realtime_ns) {
		module_registry_upload_later(&symbolizer->registry, module,
			now.monotonic_ns + remembered->upload_until_ns - now.realtime_ns,
			remembered->upload_fault
				? sandbox_fault_text((enum sandbox_fault)remembered->upload_fault)
				: "it was uploaded before");
	}
}

int symbolizer_note_module(struct symbolizer *symbolizer, const struct symbol_origin *origin,
	const struct build_id *id, const char *name, enum symbol_what what)
{
	struct remembered remembered = {0};
	struct module_record *module;
	bool is_new, tell = false;
	int r;

	if (!build_id_known(id))
		return 0;
	pthread_mutex_lock(&symbolizer->lock);
	if (!module_registry_find(&symbolizer->registry, id)) {
		/* Reading what is remembered may wait for the disk, so not under the lock. */
		pthread_mutex_unlock(&symbolizer->lock);
		recall(symbolizer, id, &remembered);
		pthread_mutex_lock(&symbolizer->lock);
	}
	is_new = !module_registry_find(&symbolizer->registry, id);
	r = module_registry_note(&symbolizer->registry, origin, id, name, what, &module);
	if (r == 0 && is_new)
		apply(symbolizer, module, &remembered);
	if (r == 0)
		tell = symbolizer_plan(symbolizer, module);
	pthread_mutex_unlock(&symbolizer->lock);
	if (r == -E2BIG)
		symbol_count(symbolizer, SYMBOL_COUNTER_MODULES_REFUSED, 1);
	if (tell)
		symbolizer_tell(symbolizer);
	return r;
}

/* ---- Names ---- */

/* An index that turned out damaged or was evicted is gone; the module is looked after as if it had
 * never had one. */
static void lose_index(void *context, const struct build_id *id)
{
	struct symbolizer *symbolizer = context;
	struct module_record *module;
	bool tell = false, is_kept;

	symbol_misses_forget(symbol_cache_misses(symbolizer->cache), SYMBOL_MISS_DEBUGINFOD, id);
	symbol_misses_forget(symbol_cache_misses(symbolizer->cache), SYMBOL_MISS_UPLOAD, id);
	is_kept = file_shelf_kinds(&symbolizer->shelf, id) != 0;
	pthread_mutex_lock(&symbolizer->lock);
	module = module_registry_find(&symbolizer->registry, id);
	if (module) {
		module_registry_forget(&symbolizer->registry, module);
		module->kept = is_kept;
		tell = symbolizer_plan(symbolizer, module);
	}
	pthread_mutex_unlock(&symbolizer->lock);
	atomic_fetch_add(&symbolizer->generation, 1);
	if (tell)
		symbolizer_tell(symbolizer);
}

static bool should_have_index(struct symbolizer *symbolizer, const struct build_id *id)
{
	const struct module_record *module;
	bool should;

	pthread_mutex_lock(&symbolizer->lock);
	module = module_registry_find(&symbolizer->registry, id);
	should = module && module->quality != SYMBOL_QUALITY_NONE;
	pthread_mutex_unlock(&symbolizer->lock);
	return should;
}

int symbolizer_open(
	struct symbolizer *symbolizer, const struct build_id *id, struct symbol_reader **ret_reader)
{
	int r = symbol_reader_new(symbolizer->warm, id, lose_index, symbolizer, ret_reader);

	if (r == -ENOENT && should_have_index(symbolizer, id))
		lose_index(symbolizer, id);
	return r;
}

uint64_t symbolizer_generation(const struct symbolizer *symbolizer)
{
	return atomic_load(&symbolizer->generation);
}

/* ---- Status ---- */

/* A module that no batch has named since the start, but that has an index. */
static int describe_stored(struct symbolizer *symbolizer, const struct build_id *id,
	struct symbol_module_state *ret_state)
{
	struct module_record record = {.id = *id, .what = SYMBOL_WHAT_EXECUTABLE};
	struct remembered remembered;

	recall(symbolizer, id, &remembered);
	if (!remembered.has_index)
		return -ENOENT;
	record.quality = (uint8_t)remembered.header.quality;
	record.function_count = remembered.header.function_count;
	if (record.quality == SYMBOL_QUALITY_KERNEL)
		record.what = SYMBOL_WHAT_KERNEL_SYMBOLS;
	module_describe(&record, ret_state);
	return 0;
}

int symbolizer_module_state(struct symbolizer *symbolizer, const struct build_id *id,
	struct symbol_module_state *ret_state)
{
	const struct module_record *module;

	pthread_mutex_lock(&symbolizer->lock);
	module = module_registry_find(&symbolizer->registry, id);
	if (module)
		module_describe(module, ret_state);
	pthread_mutex_unlock(&symbolizer->lock);
	return module ? 0 : describe_stored(symbolizer, id, ret_state);
}

void symbolizer_visit_modules(struct symbolizer *symbolizer, symbol_module_fn visit, void *context)
{
	pthread_mutex_lock(&symbolizer->lock);
	for (uint32_t i = 0; i < symbolizer->registry.count; i++) {
		struct symbol_module_state state;

		module_describe(symbolizer->registry.modules[i], &state);
		if (!visit(context, &state))
			break;
	}
	pthread_mutex_unlock(&symbolizer->lock);
}

void symbolizer_read_counters(
	struct symbolizer *symbolizer, uint64_t ret_values[SYMBOL_COUNTER_COUNT])
{
	struct symbol_cache_usage usage;
	struct symbol_warm_usage warm;
	struct shelf_usage kept;

	for (int i = 0; i < SYMBOL_COUNTER_COUNT; i++)
		ret_values[i] =
			atomic_load_explicit(&symbolizer->counters[i], memory_order_relaxed);
	symbol_cache_usage(symbolizer->cache, &usage);
	file_shelf_usage(&symbolizer->shelf, &kept);
	ret_values[SYMBOL_COUNTER_KEPT_BYTES] = kept.byte_count;
	ret_values[SYMBOL_COUNTER_KEPT_EVICTED] = kept.evicted_count;
	ret_values[SYMBOL_COUNTER_CACHE_BYTES] = usage.byte_count;
	ret_values[SYMBOL_COUNTER_CACHE_EVICTED] = usage.evicted_count;
	ret_values[SYMBOL_COUNTER_CACHE_DAMAGED] = usage.damaged_count;
	symbol_warm_usage(symbolizer->warm, &warm);
	ret_values[SYMBOL_COUNTER_WARM_BYTES] = warm.byte_count;
	ret_values[SYMBOL_COUNTER_WARM_EVICTED] = warm.evicted_count;
	pthread_mutex_lock(&symbolizer->lock);
	ret_values[SYMBOL_COUNTER_MODULES_KNOWN] = symbolizer->registry.count;
	ret_values[SYMBOL_COUNTER_MODULES_NAMED] = symbolizer->registry.named_count;
	ret_values[SYMBOL_COUNTER_MODULES_WANTED] = symbolizer->registry.wanted_count;
	ret_values[SYMBOL_COUNTER_WANTS_OPEN] = symbolizer->registry.offered_count;
	ret_values[SYMBOL_COUNTER_WANTS_MET] = symbolizer->registry.offers_met;
	ret_values[SYMBOL_COUNTER_WANTS_WITHDRAWN] = symbolizer->registry.offers_withdrawn;
	ret_values[SYMBOL_COUNTER_UPLOADS_OPEN] = symbolizer->uploads_open;
	pthread_mutex_unlock(&symbolizer->lock);
}
