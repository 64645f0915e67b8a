/* SPDX-License-Identifier: Apache-2.0 */
/* Demangle: the name that people read, made from the name that the linker knows.
 *
 * What it is   C++ (Itanium), Rust v0 and legacy, and D names through libiberty, under limits of
 *              time and length. What a compiler hangs behind the name of a piece of a function
 *              (`.cold`, `.isra.0`, `.llvm.123`) and the hash of a Rust name are left out, so that
 *              all pieces and builds of a function have one name. Every other name, those of Go and
 *              Swift among them, is given back as it is.
 * Ownership    the caller's buffer.
 * Threads      any.
 * Errors       none: what cannot be demangled is shown as it is.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Nobody reads more of a name; longer ones end in an ellipsis. */
#define DEMANGLED_BYTES_MAX 1024

/* Writes at most DEMANGLED_BYTES_MAX bytes, NUL included, of valid UTF-8 without control
 * characters. Answers whether NAME was a mangled one. */
bool demangle(const char *name, char ret_text[DEMANGLED_BYTES_MAX]);
