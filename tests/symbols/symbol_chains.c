/* SPDX-License-Identifier: Apache-2.0 */
/* symbol_chains [--supplementary FILE] [--package FILE] [--measure] ELF < ADDRESSES
 *
 * Reads ELF as the server does (a run of the sandbox, an index in the cache, a reader) and prints
 * for each address (hexadecimal, one a line) what llvm-symbolizer prints: function and file:line of
 * each call, innermost first, then an empty line. With --measure it prints what that cost instead,
 * as JSON: the run of the sandbox, and look-ups in random order of addresses never asked for before,
 * rising, and with Zipf's frequencies. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "store/base/whole_io.h"
#include "store/disk/symbol_cache.h"
#include "store/elf/elf_note.h"
#include "symbolizer-server/sandbox/sandbox.h"
#include "symbolizer-server/symbol/symbol_reader.h"
#include "symbolizer-server/symbol/symbol_warm.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

/* Asked for before anything is measured, so that all chunks are in memory. */
#define WARM_UP_SHARE 4
#define ZIPF_LOOKUPS 4000000u

struct arguments {
	const char *file;
	const char *supplementary;
	const char *package;
	bool measure;
};

struct addresses {
	uint64_t *values;
	size_t count;
};

static int open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		fprintf(stderr, "symbol_chains: %s: %m\n", path);
		exit(1);
	}
	return fd;
}

static struct arguments parse(int argc, char **argv)
{
	struct arguments arguments = {0};

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--measure") == 0)
			arguments.measure = true;
		else if (strcmp(argv[i], "--supplementary") == 0 && i + 1 < argc)
			arguments.supplementary = argv[++i];
		else if (strcmp(argv[i], "--package") == 0 && i + 1 < argc)
			arguments.package = argv[++i];
		else
			arguments.file = argv[i];
	}
	CHECK(arguments.file);
	return arguments;
}

static struct addresses read_addresses(void)
{
	struct addresses addresses = {0};
	size_t capacity = 0;
	char line[64];

	while (fgets(line, sizeof(line), stdin)) {
		if (addresses.count == capacity) {
			capacity = capacity ? capacity * 2 : 4096;
			addresses.values =
				realloc(addresses.values, capacity * sizeof(*addresses.values));
			CHECK(addresses.values);
		}
		addresses.values[addresses.count++] = strtoull(line, NULL, 16);
	}
	return addresses;
}

/* ---- From the file to a reader ---- */

struct stored {
	int fd;
	const uint8_t *header_bytes;
	const struct symbol_index_header *header;
	uint64_t offset;
};

static int give_chunk(void *context, uint32_t chunk, uint8_t *ret_bytes, uint32_t *ret_byte_count)
{
	struct stored *stored = context;
	uint32_t byte_count = stored->header->byte_count;

	if (chunk == 0)
		stored->offset = 0;
	else
		byte_count = symbol_index_entry(stored->header_bytes, chunk - 1).byte_count;
	CHECK_EQ(whole_read_at(stored->fd, stored->offset, ret_bytes, byte_count), 0);
	stored->offset += byte_count;
	*ret_byte_count = byte_count;
	return 0;
}

static void store(
	struct symbol_cache *cache, const struct build_id *id, const struct sandbox_result *result)
{
	uint8_t *header_bytes = malloc(SYMBOL_CHUNK_BYTES_MAX);
	struct stored stored = {
		.fd = result->index_fd, .header_bytes = header_bytes, .header = &result->header};
	struct symbol_cache_index index = {
		.id = *id,
		.quality = (uint8_t)result->header.quality,
		.parser_version = result->header.parser_version,
		.chunk_count = result->header.chunk_count + 1,
		.byte_count = result->header.total_bytes,
		.read = give_chunk,
		.context = &stored,
	};

	CHECK(header_bytes);
	CHECK_EQ(whole_read_at(result->index_fd, 0, header_bytes, result->header.byte_count), 0);
	CHECK_EQ(symbol_cache_store(cache, &index), 0);
	free(header_bytes);
}

static void run_sandbox(
	const struct arguments *arguments, struct build_id *id, struct sandbox_result *result)
{
	struct sandbox_request request = {.input = SANDBOX_INPUT_ELF};
	struct sandbox sandbox;
	int fd = open_file(arguments->file);

	CHECK_EQ(sandbox_init(&sandbox), 0);
	if (note_build_id(fd, id) < 0)
		CHECK_EQ(note_content_hash(fd, id), 0);
	request.id = *id;
	request.folder_fd = open(work_dir(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (arguments->supplementary)
		request.supplementary_fd = open_file(arguments->supplementary);
	if (arguments->package)
		request.package_fd = open_file(arguments->package);
	CHECK_EQ(sandbox_index(&sandbox, fd, &request, result), 0);
	if (result->fault != SANDBOX_FAULT_NONE || result->dwarf_fault != SANDBOX_FAULT_NONE) {
		fprintf(stderr, "symbol_chains: %s: %s, DWARF: %s\n", arguments->file,
			sandbox_fault_text(result->fault), sandbox_fault_text(result->dwarf_fault));
		exit(1);
	}
	sandbox_done(&sandbox);
	close(fd);
}

/* ---- Chains ---- */

static void print_chain(struct symbol_reader *reader, uint64_t address)
{
	struct symbol_chain chain;
	int r = symbol_reader_chain(reader, address, &chain);

	CHECK(r == 0 || r == -ENOENT);
	if (r < 0)
		puts("??\n??:0");
	for (uint32_t i = 0; r == 0 && i < chain.count; i++) {
		const struct symbol_call *call = &chain.calls[i];

		printf("%s\n%s:%u\n", call->name, call->file ? call->file : "??", call->line);
	}
	putchar('\n');
}

static double cpu_seconds(clockid_t clock)
{
	struct timespec time;

	CHECK(clock_gettime(clock, &time) == 0);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Look-ups a CPU second over COUNT of VALUES. */
static double rate(
	struct symbol_reader *reader, const uint64_t *values, size_t count, uint64_t *ret_depth)
{
	static struct symbol_chain chain;
	uint64_t depth = 0;
	double start = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID);

	for (size_t i = 0; i < count; i++) {
		if (symbol_reader_chain(reader, values[i], &chain) == 0)
			depth += chain.count;
	}
	*ret_depth = depth;
	return (double)count / (cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) - start);
}

static void shuffle(uint64_t *values, size_t count, uint64_t *state)
{
	for (size_t i = count; i > 1; i--) {
		size_t other = next_random(state) % i;
		uint64_t value = values[i - 1];

		values[i - 1] = values[other];
		values[other] = value;
	}
}

static int compare(const void *one, const void *other)
{
	uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

	return a < b ? -1 : a > b;
}

/* Ranks by the inverse of Zipf's distribution with exponent 1. */
static uint64_t *zipf(const struct addresses *addresses, uint64_t *state)
{
	uint64_t *values = malloc(ZIPF_LOOKUPS * sizeof(*values));
	double span = log((double)addresses->count + 1);

	CHECK(values);
	for (size_t i = 0; i < ZIPF_LOOKUPS; i++) {
		double share = (double)(next_random(state) >> 11) / 9007199254740992.0;
		size_t rank = (size_t)(exp(share * span) - 1);

		values[i] = addresses->values[rank < addresses->count ? rank : 0];
	}
	return values;
}

static void measure(struct symbol_reader *reader, struct addresses *addresses,
	const struct sandbox_result *result, double wall)
{
	size_t warm_up = addresses->count / WARM_UP_SHARE, count = addresses->count - warm_up;
	uint64_t state = 88172645463325252u, depth, ignored, *drawn;
	double uniform, rising, often;
	struct rusage usage;

	CHECK(getrusage(RUSAGE_CHILDREN, &usage) == 0);
	shuffle(addresses->values, addresses->count, &state);
	rate(reader, addresses->values, warm_up, &ignored);
	uniform = rate(reader, addresses->values + warm_up, count, &depth);
	drawn = zipf(addresses, &state);
	often = rate(reader, drawn, ZIPF_LOOKUPS, &ignored);
	free(drawn);
	qsort(addresses->values, addresses->count, sizeof(*addresses->values), compare);
	rising = rate(reader, addresses->values, addresses->count, &ignored);
	printf("{\"cpu_s\": %.3f, \"wall_s\": %.3f, \"peak_kb\": %ld, \"index_bytes\": %" PRIu64
	       ", \"functions\": %u, \"calls\": %u, \"names\": %u, \"files\": %u"
	       ", \"uniform\": %.0f, \"rising\": %.0f, \"zipf\": %.0f, \"depth\": %.3f}\n",
		(double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6 +
			(double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec / 1e6,
		wall, usage.ru_maxrss, result->header.total_bytes, result->header.function_count,
		result->header.call_count, result->header.name_count, result->header.file_count,
		uniform, rising, often, (double)depth / (double)count);
}

int main(int argc, char **argv)
{
	struct symbol_cache_options options = {.bytes_max = UINT64_C(4) << 30};
	struct sandbox_result result;
	struct arguments arguments;
	struct addresses addresses;
	struct symbol_cache *cache;
	struct symbol_reader *reader;
	struct symbol_warm *warm;
	struct build_id id;
	double start, wall;

	if (argc > 1 && strcmp(argv[1], SANDBOX_VERB) == 0)
		return sandbox_main(argc, argv);
	arguments = parse(argc, argv);
	addresses = read_addresses();
	start = cpu_seconds(CLOCK_MONOTONIC);
	run_sandbox(&arguments, &id, &result);
	wall = cpu_seconds(CLOCK_MONOTONIC) - start;
	options.clock = clock_system();
	options.folder = work_dir();
	CHECK_EQ(symbol_cache_new(&options, &cache), 0);
	store(cache, &id, &result);
	CHECK_EQ(symbol_warm_new(cache, SYMBOL_WARM_BYTES_DEFAULT, &warm), 0);
	CHECK_EQ(symbol_reader_new(warm, &id, NULL, NULL, &reader), 0);
	if (arguments.measure)
		measure(reader, &addresses, &result, wall);
	for (size_t i = 0; !arguments.measure && i < addresses.count; i++)
		print_chain(reader, addresses.values[i]);
	symbol_reader_free(reader);
	symbol_warm_free(warm);
	symbol_cache_free(cache);
	sandbox_result_done(&result);
	free(addresses.values);
	return 0;
}
