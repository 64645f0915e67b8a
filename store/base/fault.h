/* SPDX-License-Identifier: Apache-2.0 */
/* Fault: words for a negative errno.
 *
 * What it is   the text behind an error value, for the one line that a program logs about it.
 * Ownership    the text is static.
 * Threads      any.
 * Errors       an unknown value has a text, too.
 */
#pragma once

/* ERROR is negative errno; 0 is "success". */
const char *fault_text(int error);
