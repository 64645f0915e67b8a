/* SPDX-License-Identifier: Apache-2.0 */
/* Symbol index: the compact table that gives the addresses of one module their names.
 *
 * What it is   the format that the sandbox writes and the server stores and reads: a header with a
 *              directory, and chunks of at most 256 KiB that can each be read alone. This file
 *              decodes what every index has, symbol_code.h and symbol_span.h what only debug
 *              information gives; index_writer.h encodes.
 * Ownership    everything is borrowed from the span that was given.
 * Threads      no shared state.
 * Errors       -EBADMSG: the bytes break a rule of the format; -ENOTSUP: another version of it.
 *
 * Little-endian. Header chunk:
 *    0 u8[4] "CSIX" | 4 u16 format | 6 u16 zero | 8 u32 parser version
 *   12 u8 quality | 13 u8[3] zero | 16 u32 functions | 20 u32 names | 24 u32 chunks
 *   28 u32 calls | 32 u32 files
 *   36 chunks x { u8 kind, u8[3] zero, u32 byte count, u64 first, u64 hash of the bytes }
 * The directory is sorted by (kind, first); chunks of an unknown kind are skipped, so that later
 * kinds only add to the format. In format 1 there are no calls and files: its directory stands at
 * 28. Formats 1 and 2 are still read for their functions, so that an upgrade takes no names away;
 * what they say of inlined calls and lines (kinds 4 and 5) is not.
 *
 * FUNCTIONS chunk: first = the lowest address in it.
 *    0 u32 blocks | blocks x { u64 start of its first entry, u32 offset in the chunk }
 *   a block: u8 entries (1..32), then the entries { varint gap, varint length, signed name step }
 *   gap = start - end of the entry before (first entry: 0); length > 0;
 *   name step = name - (name of the entry before + 1), the first one's predecessor being -1
 * SPANS chunk: first = the lowest address in it. Everything that is known of an address, where an
 *   index has calls or lines.
 *    0 u32 blocks | 4 u32 guides | 8 u8 shift (0..31) | 9 u8[7] zero
 *   16 guides x u16: the last block that starts at first + (number of the guide << shift) or before
 *      blocks x u32 start - first, at the next multiple of 4
 *      blocks x u8[64], at the next multiple of 64
 *   a block: u8 entries (1..), then the entries, then zeros. They follow one another without a gap;
 *   behind the last of a block nothing is known up to the next block.
 *   an entry: varint (length << 2 | call follows << 1 | line follows), [call], [line]
 *     call: varint 0 nothing was inlined | 1 another function, then a signed step of (name + 1),
 *       0 being none, and a call that is 0 or 3.. | 2 nothing is known at all | 3 + zig-zag step
 *     line: varint (zig-zag line step << 1 | file step follows), [signed file step]
 *     what does not follow is as in the entry before; steps are from the last such number of the
 *     block (0 at first).
 * CALLS chunk: first = the number of its first call, 1 being the lowest.
 *    0 u32 calls | 4 x u32 base | 4 x u8 width (0..32) | calls packed without a gap, low bit first
 *   a call: 4 fields { parent, name, file, line }, each base + as many bits as its width;
 *   parent < the call's own number, 0: it was inlined into the function itself; 8 zero bytes end it
 * NAMES chunk, FILES chunk: first = the number of its first text (file N is text N - 1).
 *    0 u32 texts | texts x u32 offset in the chunk | texts, each ended by NUL
 * SEGMENTS chunk: first = the lowest offset in the file that has code. At most one.
 *    0 u32 segments | 4 u32 zero | segments x { u64 offset in the file, u64 address, u64 bytes }
 *   sorted by offset, none overlaps another. Without it only addresses can be asked for.
 *
 * In a file, chunks follow the header in the order of the directory.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYMBOL_INDEX_FORMAT 3
#define SYMBOL_INDEX_FORMAT_OLDEST 1
/* Rises whenever the same file would give other names than before: old indexes are made anew. */
#define SYMBOL_INDEX_PARSER_VERSION 6
/* LMDB fragments with larger values (docs/decisions/0051). */
#define SYMBOL_CHUNK_BYTES_MAX (256u << 10)
/* As long as chunks are made: a look-up of a few addresses reads little, and what it searches lies
 * on few pages; the directory of the longest index still fits its chunk. */
#define SYMBOL_CHUNK_BYTES_AIM (64u << 10)
#define SYMBOL_HEADER_BYTES 36
#define SYMBOL_HEADER_BYTES_OLDEST 28
#define SYMBOL_DIRECTORY_ENTRY_BYTES 24
#define SYMBOL_CHUNK_COUNT_MAX \
	((SYMBOL_CHUNK_BYTES_MAX - SYMBOL_HEADER_BYTES) / SYMBOL_DIRECTORY_ENTRY_BYTES)
#define SYMBOL_BLOCK_ENTRIES_MAX 32
/* As many are written: a look-up reads half of them, and each block costs 13 bytes. */
#define SYMBOL_BLOCK_ENTRIES 16
/* Longer names are cut: templates in templates reach 10 KiB, and no more of one is ever shown. */
#define SYMBOL_NAME_BYTES_MAX (32u << 10)
#define SYMBOL_FUNCTION_COUNT_MAX (64u << 20)
/* Packed into whole chunks even at their widest: 4 fields of 32 bits. */
#define SYMBOL_CHUNK_CALLS_MAX 16000u
#define SYMBOL_CHUNK_CALLS_AIM 4000u
/* Calls inlined into one another with the function around them; deeper ones are left out. */
#define SYMBOL_CALL_DEPTH_MAX 127u

/* Where the names of a module come from; a better one has a higher value. Values are stored: never
 * renumber. */
enum symbol_quality {
	SYMBOL_QUALITY_NONE = 0,
	SYMBOL_QUALITY_GO = 5, /* the table that Go's runtime reads */
	SYMBOL_QUALITY_DYNAMIC = 10, /* .dynsym: what the file exports */
	SYMBOL_QUALITY_MINIDEBUG = 20, /* .gnu_debugdata */
	SYMBOL_QUALITY_TABLE = 30, /* .symtab */
	SYMBOL_QUALITY_KERNEL = 35, /* kallsyms */
	SYMBOL_QUALITY_DWARF = 40,
};

/* `DWARF`, `.symtab`, ...; an unknown value has a text, too. */
const char *symbol_quality_text(enum symbol_quality quality);

enum symbol_chunk_kind {
	SYMBOL_CHUNK_FUNCTIONS = 1,
	SYMBOL_CHUNK_NAMES = 2,
	SYMBOL_CHUNK_CALLS = 3,
	/* 4 and 5 were those of format 2. */
	SYMBOL_CHUNK_FILES = 6,
	SYMBOL_CHUNK_SPANS = 7,
	SYMBOL_CHUNK_SEGMENTS = 8,
};

struct symbol_index_header {
	uint32_t parser_version;
	enum symbol_quality quality;
	uint32_t function_count;
	uint32_t name_count;
	uint32_t call_count;
	uint32_t file_count;
	uint32_t chunk_count;
	uint32_t byte_count; /* of the header chunk itself */
	uint64_t total_bytes; /* header chunk and all others */
};

struct symbol_index_entry {
	uint8_t kind;
	uint32_t byte_count;
	uint64_t first;
	uint64_t hash;
};

/* Checks the header chunk whole, directory included: BYTE_COUNT must be its exact length. */
int symbol_index_read_header(
	const void *bytes, size_t byte_count, struct symbol_index_header *ret_header);
/* The length of the header chunk of which the first SYMBOL_HEADER_BYTES_OLDEST are given. */
int symbol_index_header_length(const void *bytes, size_t byte_count, uint32_t *ret_byte_count);
/* Entry INDEX (below chunk_count) of a checked header chunk. */
struct symbol_index_entry symbol_index_entry(const uint8_t *header_bytes, uint32_t index);
/* The chunk of KIND that would hold KEY, that is the last whose first is not above it; UINT32_MAX
 * if there is none. */
uint32_t symbol_index_locate(const uint8_t *header_bytes, const struct symbol_index_header *header,
	enum symbol_chunk_kind kind, uint64_t key);

/* Compares the hash and walks the whole chunk: after this, look-ups in it find only what keeps the
 * rules. HEADER gives the limits of names; RET_FUNCTION_COUNT is 0 for other kinds. */
int symbol_index_check_chunk(const struct symbol_index_header *header,
	const struct symbol_index_entry *entry, const uint8_t *bytes, uint32_t *ret_function_count);

struct symbol_index_function {
	uint64_t start;
	uint64_t end;
	uint32_t name;
};

/* Look-ups check bounds by themselves, too: a chunk that was damaged since gives -EBADMSG, never a
 * read outside of it. -ENOENT: no function of this chunk holds ADDRESS. */
int symbol_index_find_function(const uint8_t *bytes, size_t byte_count, uint64_t address,
	struct symbol_index_function *ret_function);
int symbol_index_find_name(const uint8_t *bytes, size_t byte_count, uint64_t first_name,
	uint32_t name, const char **ret_text);
