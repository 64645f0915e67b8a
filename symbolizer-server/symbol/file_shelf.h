/* SPDX-License-Identifier: Apache-2.0 */
/* File shelf: debug files and programs that are kept after they were read, by build-ID and kind.
 *
 * What it is   a folder of files named `BUILD-ID.KIND`, within a bounded size, the least recently
 *              used going first. Debuggers ask for these files, and a newer parser reads them again.
 *              A file is either there whole or not at all: it is written elsewhere, synced, and
 *              then renamed.
 * Ownership    owns its folder's descriptor and its list; descriptors given out are the caller's.
 * Threads      any.
 * Errors       -ENOENT: not there; -EFBIG: larger than all files together may be; those of rename,
 *              open and fsync.
 */
#pragma once

#include <pthread.h>
#include <stdint.h>

#include "store/base/clock.h"
#include "store/profile/build_id.h"
#include "symbolizer-server/symbol/symbol_source.h"

struct contents;

/* What is kept under one build-ID. Of DEBUG and TABLE, as of WHOLE and CODE, the first makes the
 * second needless. Names on disk are made of these words: never change one. */
#define SHELF_KINDS(X)                                                 \
	X(DEBUG, "debug") /* DWARF, no code */                         \
	X(TABLE, "table") /* a symbol table, neither DWARF nor code */ \
	X(WHOLE, "whole") /* code and DWARF */                         \
	X(CODE, "code") /* code, no DWARF */                           \
	X(PACKAGE, "dwp") /* the units of split DWARF */               \
	X(KERNEL, "kernel") /* a list of the kernel's symbols, by zstd */

enum shelf_kind {
#define SHELF_KIND_ENUM(name, text) SHELF_##name,
	SHELF_KINDS(SHELF_KIND_ENUM)
#undef SHELF_KIND_ENUM
		SHELF_KIND_COUNT
};

#define SHELF_NAME_MAX (BUILD_ID_TEXT_MAX + 8)
/* Files of a fleet; more would be tiny ones. */
#define SHELF_COUNT_MAX (64u << 10)

struct shelf_file;

struct file_shelf {
	pthread_mutex_t lock;
	int folder_fd;
	struct clock clock;
	struct shelf_file *files; /* in no order */
	uint32_t count;
	uint32_t capacity;
	uint64_t byte_count;
	uint64_t bytes_max;
	uint64_t evicted_count;
};

struct shelf_usage {
	uint64_t byte_count;
	uint64_t evicted_count; /* since the start */
	uint32_t count;
};

/* Opens FOLDER, which must exist. Files that are not ours are left alone, files that were not
 * finished are removed. BYTES_MAX may be 0: nothing is kept. */
int file_shelf_init(
	struct file_shelf *shelf, const char *folder, uint64_t bytes_max, struct clock clock);
void file_shelf_done(struct file_shelf *shelf);
void file_shelf_usage(struct file_shelf *shelf, struct shelf_usage *ret_usage);

/* Takes the file NAME of the folder FROM_FD (of the same file system), whose descriptor is FD, in
 * place of one of the same kind, and removes what it makes needless. On failure the file stays
 * where it was. -EEXIST: what is there already says more. */
int file_shelf_take(struct file_shelf *shelf, const struct build_id *id, enum shelf_kind kind,
	int from_fd, const char *name, int fd);
/* Opens the file of exactly this kind. */
int file_shelf_open(struct file_shelf *shelf, const struct build_id *id, enum shelf_kind kind,
	int *ret_fd, uint64_t *ret_byte_count);
/* Opens the best file that answers a debugger's question. */
int file_shelf_find(struct file_shelf *shelf, const struct build_id *id, enum symbol_file file,
	int *ret_fd, uint64_t *ret_byte_count, enum shelf_kind *ret_kind);
/* Whether anything is kept under ID: a bit for each kind. */
unsigned file_shelf_kinds(struct file_shelf *shelf, const struct build_id *id);

/* What a file is to be kept as. False: it holds nothing to keep. */
bool shelf_kind_of(const struct contents *contents, enum shelf_kind *ret_kind);
const char *shelf_kind_text(enum shelf_kind kind);
