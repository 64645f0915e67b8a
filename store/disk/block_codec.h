/* SPDX-License-Identifier: Apache-2.0 */
/* Block codec: a profile as bytes and back.
 *
 * What it is   sections, each compressed by itself: dictionary, rows, slots, lives. Decoding an
 *              encoded profile gives the same strings, modules, labels, threads, totals and slots
 *              in the same order, and the same frames, stacks and rows in the order of the block;
 *              encoding that again gives the same bytes. docs/format.md describes every byte.
 * Ownership    results are the caller's: a buffer to free, a profile to profile_free.
 * Threads      any.
 * Errors       outputs are written on success only.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "store/profile/profile.h"

/* One section, decompressed: a window of a large host needs a few MiB; memory stays bounded. */
#define BLOCK_SECTION_BYTES_MAX ((size_t)256 << 20)
/* A whole block, compressed. */
#define BLOCK_BYTES_MAX ((size_t)64 << 20)

/* PROFILE is sealed and passed profile_check. head.received_at_ns is no part of a block.
 * -EFBIG: larger than a block may be.  -ENOMEM. */
int block_encode(const struct profile *profile, uint8_t **ret_bytes, size_t *ret_byte_count);
/* BYTES are foreign; what comes back has passed profile_check. Nothing may be added to it.
 * -EBADMSG: not a block, or damaged.  -ENOTSUP: of a version this code does not know.
 * -E2BIG, -EFBIG: larger than a profile may be.  -ENOMEM. */
int block_decode(const void *bytes, size_t byte_count, struct profile **ret_profile);
/* The lives of a block alone, added to the empty table LIVES: nothing else of it is looked at.
 * Errors of block_decode; what is in LIVES then is not to be used. */
int block_decode_lives(const void *bytes, size_t byte_count, struct life_table *lives);
/* All but rows, slots and lives, which are not looked at. Errors of block_decode. */
int block_decode_dictionary(const void *bytes, size_t byte_count, struct profile **ret_profile);
