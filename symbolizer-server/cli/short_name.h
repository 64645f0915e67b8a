/* SPDX-License-Identifier: Apache-2.0 */
/* Short name: a function's name in so many columns of a terminal.
 *
 * What it is   leaves out what tells functions apart least: first what stands in brackets, then
 *              leading namespaces, then the end (of an address its beginning). An ellipsis stands
 *              where something was.
 * Ownership    nothing is kept.
 * Threads      any.
 * Errors       none: without memory only the end is left out.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* Prints NAME as output_text does, in at most COLUMNS columns, of which there is at least one. */
void short_name_print(FILE *out, const char *name, size_t columns);
