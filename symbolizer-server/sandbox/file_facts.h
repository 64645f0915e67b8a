/* SPDX-License-Identifier: Apache-2.0 */
/* File facts: what a foreign ELF file is, apart from its names.
 *
 * What it is   what the server must know of a file before it keeps it, hands it on or looks for
 *              another one: its build-ID, whether it holds code, a symbol table, DWARF, and which
 *              debug file it points to. Gathered in the sandbox, written as a record of fixed size,
 *              and checked like any foreign input when it is read.
 * Ownership    values only; the image and the names of sections are the caller's.
 * Threads      no shared state.
 * Errors       -EBADMSG: a record that breaks a rule; those of reading the file.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/elf/elf_contents.h"
#include "store/elf/elf_image.h"
#include "store/elf/elf_section.h"
#include "store/profile/build_id.h"

/* A file name in .gnu_debuglink; longer ones than file systems take lead nowhere. */
#define FILE_LINK_NAME_BYTES_MAX 256
#define FILE_FACTS_BYTES 512

struct file_facts {
	struct build_id id; /* by the order of store/elf/elf_note.h */
	struct contents contents;
	bool is_object; /* ET_REL */
	bool is_packed; /* as a whole: all else is said of what is in it; set by file_describe */
	/* .gnu_debuglink; an empty name: none, or one that is no plain file name. */
	char link_name[FILE_LINK_NAME_BYTES_MAX];
	uint32_t link_crc;
};

int file_facts_read(
	const struct image *image, const struct section_names *names, struct file_facts *ret_facts);

/* Exactly FILE_FACTS_BYTES bytes. */
void file_facts_encode(const struct file_facts *facts, uint8_t ret_bytes[FILE_FACTS_BYTES]);
int file_facts_decode(const void *bytes, size_t byte_count, struct file_facts *ret_facts);

/* Whether NAME is a file name that may stand behind a folder: one component that is no dots. */
bool file_name_is_plain(const char *name);
