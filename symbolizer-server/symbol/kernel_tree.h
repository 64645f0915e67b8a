/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel tree: images and modules of kernels below a folder, found by name and build-ID.
 *
 * What it is   the places where distributions lay them: `vmlinux*` in the folder, in `boot/` and in
 *              `lib/modules/RELEASE/`; `NAME.ko`, also packed (`.xz`, `.zst`, `.gz`), and
 *              `NAME.ko.debug` anywhere below that (and the same below `usr/lib/modules/`). No release is known here, only build-IDs, so the
 *              tree is walked, at most once a minute, and of files that have the right name it is
 *              found out once which build they are. Links to folders are not followed.
 * Ownership    owns its list.
 * Threads      any; one at a time gets through.
 * Errors       -ENOENT: no such file, or none with debug information; -ENOMEM.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/profile/build_id.h"

/* A kernel has some 4,000 modules in 700 folders. */
#define KERNEL_TREE_FILES_MAX (64u << 10)
#define KERNEL_TREE_FOLDERS_MAX (16u << 10)
/* What people lay there in the meantime. */
#define KERNEL_TREE_WALK_NS (UINT64_C(60) * UINT64_C(1000000000))

struct kernel_tree;

/* Says which build a file is, and whether it has debug information. Negative: it is no such file. */
typedef int (*kernel_identify_fn)(
	void *context, int fd, struct build_id *ret_id, bool *ret_has_dwarf);

/* The folder need not exist yet. */
int kernel_tree_new(const char *folder, kernel_identify_fn identify, void *context,
	struct kernel_tree **ret_tree);
/* Accepts NULL. */
void kernel_tree_free(struct kernel_tree *tree);

/* Opens the file of build ID with debug information. NAME is what collectors call the module:
 * `[kernel]`, `[nf_conntrack]`. NOW_NS is monotonic. */
int kernel_tree_open(struct kernel_tree *tree, const char *name, const struct build_id *id,
	uint64_t now_ns, int *ret_fd);
