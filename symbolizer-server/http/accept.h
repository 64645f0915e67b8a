/* SPDX-License-Identifier: Apache-2.0 */
/* Accept: what a client says it can read.
 *
 * What it is   lists such as `gzip, br;q=0.5` and `application/json, text/html;q=0`.
 * Ownership    texts are borrowed.
 * Threads      any.
 * Errors       none: what cannot be read says nothing.
 */
#pragma once

#include <stdbool.h>

/* Whether a header `Accept-Encoding: HEADER` allows gzip. NULL: no such header, so it does not. */
bool accept_allows_gzip(const char *header);
/* Whether a header `Accept: HEADER` names the media type WANTED itself, with a weight above zero:
 * wildcards say nothing about a form that few clients know. */
bool accept_names_type(const char *header, const char *wanted);
