/* SPDX-License-Identifier: Apache-2.0 */
/* File open: a foreign ELF file, checked to be the one that it was said to be.
 *
 * What it is   the first step of everything that the sandboxed run does with an ELF file, and the
 *              shortest such run: what the file is (file_facts.h).
 * Ownership    the image is the caller's; the descriptor stays the caller's and must outlive it.
 * Threads      one owner.
 * Errors       a sandbox_fault.
 */
#pragma once

#include "store/elf/elf_image.h"
#include "symbolizer-server/sandbox/sandbox.h"

struct file_facts;

/* Of REQUEST id and reduced are looked at, an unknown id fits every file; and scratch_fd, where a file
 * goes that is packed as a whole: the image is then of that. */
enum sandbox_fault file_open(
	int fd, const struct sandbox_request *request, struct image *ret_image);
enum sandbox_fault file_describe(
	int fd, const struct sandbox_request *request, struct file_facts *ret_facts);
/* What an error of reading a file says about the file. */
enum sandbox_fault file_fault(int error);
