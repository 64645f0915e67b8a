/* SPDX-License-Identifier: Apache-2.0 */
/* Volatile folder: what a power cut may leave of a folder, by what POSIX promises and no more.
 *
 * What it is   stands in front of libc's fsync and fdatasync, waits for no disk, and keeps what each
 *              made durable: of a file its contents, of a folder its names. A file whose folder was
 *              not synced has no name after a cut, one that was not synced itself is empty.
 *              File systems keep more of their own accord: a test on one sees no sync that is left
 *              out, a cut of this module does.
 * Ownership    one folder is watched at a time, from volatile_watch to volatile_done.
 * Threads      files may be synced by any; the rest by the test's main thread, or in `before_sync`.
 * Errors       what a test needs and does not get ends the program with exit status 1.
 */
#pragma once

#include <stdint.h>

/* Called where a sync begins that is about to make something durable: the worst moment for a cut. */
typedef void (*volatile_before_sync_fn)(void *context);

/* From now on. What is in FOLDER counts as durable. BEFORE_SYNC may be NULL. */
void volatile_watch(const char *folder, volatile_before_sync_fn before_sync, void *context);
void volatile_done(void);

/* Makes in TARGET, a folder that must not exist, what a cut would leave now. CHANCE 0: only what is
 * durable. Another number: of all that is not durable (names that came or went, sectors of files,
 * sizes) a part that depends on it stays, too. */
void volatile_cut(const char *target, uint64_t chance);
