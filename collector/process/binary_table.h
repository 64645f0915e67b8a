/* SPDX-License-Identifier: Apache-2.0 */
/* Binary table: the files that processes map, each once.
 *
 * What it is   what a mapping says about its file (build-ID or inode, and path) -> build-ID and
 *              load segments. A file is opened when a sample first needs it and read once, however
 *              many processes map it. Its build-ID is checked against the one that the kernel took
 *              when it was mapped: a file put at the same path later is another binary. Where the
 *              kernel told none, a file that was written to between two mappings is read again.
 * Ownership    the table owns the binaries. Each mapping holds a reference; binaries without one
 *              are kept as long as there is room, since the next process will map them again.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: the table is full of binaries that are in use.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collector/process/proc_reader.h"
#include "collector/tally.h"
#include "store/elf/elf_map.h"
#include "store/profile/build_id.h"

/* A host that runs everything of a distribution maps some 2,000 files. */
#define BINARY_COUNT_MAX 16384
/* Kept without a mapping: a build maps its compiler's files thousands of times an hour. */
#define BINARY_IDLE_MAX 1024

enum binary_state {
	BINARY_UNREAD, /* not yet, or not possible so far */
	BINARY_READ,
	BINARY_NOT_ELF, /* a file of something else: to be treated like memory */
};

/* What a mapping says about its file. */
struct binary_key {
	struct build_id build_id; /* if the kernel told it, then the four numbers are 0 */
	uint32_t dev_major;
	uint32_t dev_minor;
	uint64_t inode;
	uint64_t generation; /* of the inode; 0 where it is not known */
	const char *path;
	size_t path_length;
};

struct binary {
	struct binary *next_in_bucket;
	struct binary *idle_newer; /* set only while nothing refers to it */
	struct binary *idle_older;
	uint32_t reference_count;
	enum binary_state state;
	bool is_vdso;
	bool id_from_kernel; /* build_id is the kernel's word, not the file's */
	bool mapped_again; /* since it was read: it may have been written to before that */
	struct build_id build_id; /* known if id_from_kernel or BINARY_READ */
	uint32_t dev_major;
	uint32_t dev_minor;
	uint64_t inode;
	uint64_t generation;
	struct load_map *segments; /* BINARY_READ */
	uint64_t byte_count; /* of the file when it was read, and when it had changed last */
	uint64_t changed_at_ns;
	uint64_t retry_at_ns; /* after a failed reading through failed_pid */
	uint32_t failed_pid;
	uint32_t failure_count;
	char *path; /* as the process sees it, without ` (deleted)` */
	const char *base_name; /* points into path */
	uint64_t window; /* last window that named it, and the index of its module there */
	uint32_t module;
};

/* Where a file can be found: one of the mappings that show it. */
struct binary_mapping {
	uint32_t pid;
	uint32_t parent_pid; /* sees the same files, as a rule, and may live longer; 0: not known */
	uint64_t start;
	uint64_t end;
};

struct binary_table {
	const struct proc_root *proc;
	struct tally *tally;
	struct binary **buckets;
	struct binary *idle_newest;
	struct binary *idle_oldest;
	uint32_t idle_count;
	uint32_t count;
	int vdso_fd;
};

int binary_table_init(
	struct binary_table *table, const struct proc_root *proc, struct tally *tally);
void binary_table_done(struct binary_table *table);

/* The binary of KEY with a reference for the caller. */
int binary_get(
	struct binary_table *table, const struct binary_key *key, struct binary **ret_binary);
/* The vDSO of 64-bit processes with a reference for the caller. -ENOENT: there is none. */
int binary_get_vdso(struct binary_table *table, struct binary **ret_binary);
void binary_share(struct binary_table *table, struct binary *binary);
void binary_release(struct binary_table *table, struct binary *binary);

/* Reads build-ID and segments if that is still to be done, or to be done again, through the mapping
 * given. It may fail because the process is gone or the file is; then it is tried again later, less
 * and less often. The state tells what came of it. */
void binary_read(struct binary_table *table, struct binary *binary,
	const struct binary_mapping *mapping, uint64_t now_ns);

/* Opens the file behind BINARY and checks that it is still that build, for reading all of it.
 * -ENOENT: it can't be found any more.  -ESTALE: another build is there now. */
int binary_open(struct binary_table *table, const struct binary *binary,
	const struct binary_mapping *mapping);

/* The next binary with this build-ID behind AFTER (NULL: the first), or NULL; borrowed until the
 * next call that changes the table. */
struct binary *binary_find(
	struct binary_table *table, const struct build_id *build_id, const struct binary *after);
