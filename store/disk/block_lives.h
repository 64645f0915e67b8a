/* SPDX-License-Identifier: Apache-2.0 */
/* Block lives: the processes that started and ended, as a section that needs no other.
 *
 * What it is   a life table <-> bytes; docs/format.md describes every byte. A window without any has
 *              no such section.
 * Ownership    the reader fills the caller's table, which is empty before.
 * Threads      any.
 * Errors       writing: the writer's own faults. Reading: 0, -EBADMSG, -E2BIG or -ENOMEM.
 */
#pragma once

#include "store/base/bytes.h"
#include "store/profile/life_table.h"

/* LIVES is sorted. */
void block_lives_write(struct bytes_writer *writer, const struct life_table *lives);
/* What comes back is sorted, and gives the same bytes again. */
int block_lives_read(struct bytes_reader *reader, struct life_table *lives);
