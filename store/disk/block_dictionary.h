/* SPDX-License-Identifier: Apache-2.0 */
/* Block dictionary: all of a profile but its rows, as columns of varints.
 *
 * What it is   head, strings, modules, frames, stacks, labels, threads, CPUs and counters, written
 *              in the order that block_order gives and read back as foreign bytes.
 *              docs/format.md describes every byte.
 * Ownership    the reader fills a fresh profile of the caller's.
 * Threads      any.
 * Errors       writing: the writer's own fault. Reading: 0, -EBADMSG, -E2BIG or -ENOMEM.
 */
#pragma once

#include "store/base/bytes.h"
#include "store/disk/block_order.h"
#include "store/profile/profile.h"

void block_dictionary_write(struct bytes_writer *writer, const struct profile *profile,
	const struct block_order *order);
/* PROFILE is as profile_new made it; on failure it is fit for profile_free only. Tables of frames
 * and stacks are filled without their maps: nothing may be added to them. */
int block_dictionary_read(struct bytes_reader *reader, struct profile *profile);

/* The number of elements that follow, each of which fills at least one byte of what is left: so
 * memory asked for is in proportion to bytes that are there. More than COUNT_MAX is a fault. */
uint32_t block_read_count(struct bytes_reader *reader, uint32_t count_max);

/* The parts that other files have, too: each is readable behind those that it names things of. */
void block_strings_write(struct bytes_writer *writer, const struct string_table *strings);
int block_strings_read(struct bytes_reader *reader, struct string_table *strings);
void block_modules_write(struct bytes_writer *writer, const struct module_table *table);
int block_modules_read(struct bytes_reader *reader, struct module_table *table);
void block_frames_write(struct bytes_writer *writer, const struct profile *profile,
	const struct block_order *order);
int block_frames_read(struct bytes_reader *reader, struct profile *profile);
void block_stacks_write(struct bytes_writer *writer, const struct profile *profile,
	const struct block_order *order);
int block_stacks_read(struct bytes_reader *reader, struct profile *profile);
void block_labels_write(struct bytes_writer *writer, const struct label_table *table);
int block_labels_read(struct bytes_reader *reader, struct profile *profile);
