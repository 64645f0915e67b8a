/* SPDX-License-Identifier: Apache-2.0 */
/* Go lines: source lines and inlined calls of a Go program without debug information.
 *
 * What it is   what the Go runtime prints in its own traces: lines from .gopclntab, inlined calls
 *              from the trees that lie beside it, which are found through the runtime's description
 *              of the module. Without that (a program that may be loaded anywhere leaves it to the
 *              loader) there are lines alone.
 * Ownership    fills the caller's map and strings.
 * Threads      no shared state.
 * Errors       those of go_table.h; -E2BIG: more than the map holds. A damaged function is left out.
 */
#pragma once

#include "store/elf/elf_image.h"
#include "store/elf/elf_section.h"
#include "store/profile/string_table.h"
#include "symbolizer-server/sandbox/code_map.h"
#include "symbolizer-server/sandbox/elf_symbols.h"

/* MAP is not resolved. */
int go_lines_read(const struct image *image, const struct section_names *names,
	const struct code_ranges *code, struct string_table *strings, struct code_map *map);
