/* SPDX-License-Identifier: Apache-2.0 */
/* Stop: names, words and meanings of the reasons that end a walk.
 *
 * What it is   the text face of the list in bpf/abi/stop.h.
 * Ownership    the text is static.
 * Threads      any.
 * Errors       a number that is no reason is "unknown".
 */
#pragma once

#include "bpf/abi/stop.h"

/* In snake_case, for metrics and JSON. */
const char *stop_name(enum stop stop);
/* What a marker frame says. */
const char *stop_words(enum stop stop);
/* One phrase for an operator. */
const char *stop_meaning(enum stop stop);
