/* SPDX-License-Identifier: Apache-2.0 */
/* Prints profiles as JSON, a line each, for tests that compare what was sent with what was kept.
 *
 *     profile_dump push FILE...     each FILE is one message of Ingest/Push as it went by
 *     profile_dump store FOLDER     every profile of a server's data folder
 *
 * A row names its stack by modules' build-IDs and addresses from the root, so that equal rows print
 * equally wherever they come from. `texts` are all texts of the profile. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/wire/ingest_wire.h"
#include "proto/wire/profile_wire.h"
#include "store/base/arena.h"
#include "store/base/cleanup.h"
#include "store/disk/profile_store.h"
#include "store/profile/profile.h"

#define MESSAGE_BYTES_MAX ((size_t)64 << 20)
/* Deeper than any walk of bpf/. */
#define DEPTH_MAX 4096

DEFINE_SCOPED(struct profile *, profile_free)

static int failed(const char *what, const char *path, int error)
{
	fprintf(stderr, "profile_dump: %s %s: %s\n", what, path, strerror(-error));
	return 1;
}

/* Bytes beyond ASCII come out as the code points of the same number, so that none is lost. */
static void print_bytes(const char *text, size_t length)
{
	putchar('"');
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\')
			printf("\\u%04x", c);
		else
			putchar(c);
	}
	putchar('"');
}

static void print_text(const struct profile *profile, uint32_t index)
{
	print_bytes(string_table_text(&profile->strings, index),
		string_table_length(&profile->strings, index));
}

static void print_hex(const uint8_t *bytes, size_t byte_count)
{
	for (size_t i = 0; i < byte_count; i++)
		printf("%02x", bytes[i]);
}

static void print_frame(const struct profile *profile, uint32_t index)
{
	const struct frame *frame = &profile->frames.frames[index];
	const struct build_id *id = &profile->modules.modules[frame->module].build_id;

	if (frame->flags & FRAME_NAMED) {
		const char *name = string_table_text(&profile->strings, (uint32_t)frame->address);

		for (; *name; name++)
			putchar(*name == '"' || *name == '\\' ? '?' : *name);
		return;
	}
	print_hex(id->bytes, id->byte_count);
	printf("+%" PRIx64 "%s", frame->address, frame->flags & FRAME_RETURN_ADDRESS ? "r" : "");
}

static void print_stack(const struct profile *profile, uint32_t node)
{
	uint32_t frames[DEPTH_MAX];
	uint32_t depth = 0;

	for (; node != STACK_EMPTY && depth < DEPTH_MAX; node = profile->stacks.nodes[node].parent)
		frames[depth++] = profile->stacks.nodes[node].frame;
	putchar('"');
	while (depth-- > 0) {
		print_frame(profile, frames[depth]);
		if (depth)
			putchar(';');
	}
	putchar('"');
}

static void print_row(const struct profile *profile, const struct sample_table *table,
	const struct sample_row *row)
{
	const struct thread *thread = &profile->threads.threads[row->thread];
	const char *process =
		label_table_value(&profile->labels, &profile->strings, thread->labels, "process");
	const uint32_t *slots = table->has_slots ? sample_table_slots(table, row) : NULL;

	process = process ? process : "";
	printf("{\"type\":");
	print_text(profile, table->type);
	printf(",\"process\":");
	print_bytes(process, strlen(process));
	printf(",\"pid\":%u,\"tid\":%u,\"cpu\":%u,\"stack\":", thread->pid, thread->tid, row->cpu);
	print_stack(profile, row->stack);
	printf(",\"count\":%u,\"value\":%" PRId64 ",\"slots\":[", row->count, row->value);
	for (uint32_t i = 0; slots && i < row->count; i++)
		printf("%s%u", i ? "," : "", slots[i]);
	printf("]}");
}

static void print_modules(const struct profile *profile)
{
	printf("\"modules\":[");
	for (uint32_t i = 1; i < profile->modules.count; i++) {
		const struct module *module = &profile->modules.modules[i];

		printf("%s{\"name\":", i > 1 ? "," : "");
		print_text(profile, module->name);
		printf(",\"build_id\":\"");
		print_hex(module->build_id.bytes, module->build_id.byte_count);
		printf("\"}");
	}
	printf("],");
}

static void print_cpus(const struct profile *profile)
{
	printf("\"cpus\":[");
	for (uint32_t i = 0; i < profile->cpu_count; i++) {
		const struct profile_cpu *cpu = &profile->cpus[i];

		printf("%s{\"cpu\":%u,\"busy_ns\":%" PRIu64 ",\"idle_ns\":%" PRIu64
		       ",\"steal_ns\":%" PRIu64 ",\"sampled_ns\":%" PRIu64 "}",
			i ? "," : "", cpu->cpu, cpu->busy_ns, cpu->idle_ns, cpu->steal_ns,
			cpu->sampled_ns);
	}
	printf("],");
}

static void print_profile(const struct profile *profile)
{
	const char *comma = "";

	printf("\"host\":");
	print_text(profile, profile->head.host);
	printf(",\"window_start_ns\":%" PRIu64 ",\"window_end_ns\":%" PRIu64 ",",
		profile_window_epoch_ns(profile), profile_window_end_epoch_ns(profile));
	print_cpus(profile);
	print_modules(profile);
	printf("\"texts\":[");
	for (uint32_t i = 0; i < profile->strings.count; i++) {
		if (i)
			putchar(',');
		print_text(profile, i);
	}
	printf("],\"rows\":[");
	for (uint32_t t = 0; t < profile->type_count; t++) {
		const struct sample_table *table = &profile->types[t];

		for (uint32_t i = 0; i < table->row_count; i++) {
			printf("%s\n", comma);
			print_row(profile, table, &table->rows[i]);
			comma = ",";
		}
	}
	printf("]");
}

static int print_stored(void *context, const struct profile *profile)
{
	const char **comma = context;

	printf("%s{", *comma);
	print_profile(profile);
	printf("}");
	*comma = ",\n";
	return 0;
}

static int dump_store(const char *folder)
{
	const struct profile_store_config config = {
		.dir = folder, .clock = clock_system(), .read_only = true};
	struct profile_store_report report = {0};
	struct profile_store *store;
	const char *comma = "";
	int r;

	r = profile_store_open(&config, &report, &store);
	if (r < 0)
		return failed("open", folder, r);
	printf("[");
	r = profile_store_visit(store, 0, UINT64_MAX, NULL, print_stored, &comma);
	printf("]\n");
	profile_store_close(store);
	return r < 0 ? failed("visit", folder, r) : 0;
}

static int read_message(const char *path, uint8_t **ret_bytes, size_t *ret_byte_count)
{
	SCOPED_FILE FILE *file = fopen(path, "re");
	SCOPED_FREE uint8_t *bytes = malloc(MESSAGE_BYTES_MAX);

	if (!file)
		return -errno;
	if (!bytes)
		return -ENOMEM;
	*ret_byte_count = fread(bytes, 1, MESSAGE_BYTES_MAX, file);
	if (!feof(file))
		return -EFBIG;
	*ret_bytes = TAKE(bytes);
	return 0;
}

static int print_batch(const struct wire_batch *batch, const char *path)
{
	SCOPED(profile_free) struct profile *profile = NULL;
	const char *what = "";
	int r;

	r = profile_wire_decode(batch->body, batch->body_byte_count, batch->raw_byte_count,
		&profile_wire_limits_default, &profile, &what);
	if (r < 0) {
		fprintf(stderr, "profile_dump: the body of %s: %s\n", path, what);
		return r;
	}
	printf("{\"kind\":\"batch\",\"instance\":\"");
	print_hex(batch->instance, sizeof(batch->instance));
	printf("\",\"sequence\":%" PRIu64 ",\"bytes\":%zu,", batch->sequence,
		batch->body_byte_count);
	print_profile(profile);
	printf("}");
	return 0;
}

static int print_push(const char *path, struct arena *arena)
{
	SCOPED_FREE uint8_t *bytes = NULL;
	struct wire_push push;
	size_t byte_count = 0;
	int r;

	r = read_message(path, &bytes, &byte_count);
	if (r < 0)
		return r;
	r = wire_push_decode(bytes, byte_count, arena, &push);
	if (r < 0)
		return r;
	if (push.kind == WIRE_PUSH_BATCH)
		return print_batch(&push.batch, path);
	printf("{\"kind\":\"%s\"}", push.kind == WIRE_PUSH_HELLO ? "hello" : "unknown");
	return 0;
}

static int dump_pushes(char **paths)
{
	struct arena arena;
	int r = 0;

	arena_init(&arena, MESSAGE_BYTES_MAX);
	printf("[");
	for (char **path = paths; *path && r == 0; path++) {
		printf("%s", path == paths ? "" : ",\n");
		r = print_push(*path, &arena);
		if (r < 0)
			r = failed("read", *path, r);
		arena_reset(&arena);
	}
	printf("]\n");
	arena_done(&arena);
	return r;
}

int main(int argc, char **argv)
{
	if (argc >= 3 && strcmp(argv[1], "push") == 0)
		return dump_pushes(argv + 2);
	if (argc == 3 && strcmp(argv[1], "store") == 0)
		return dump_store(argv[2]);
	fprintf(stderr, "usage: profile_dump push FILE... | store FOLDER\n");
	return 2;
}
