/* SPDX-License-Identifier: Apache-2.0 */
/* Query text: one selector out of --query, --host and --process.
 *
 * What it is   adds the profile type that a person leaves out, and the matchers of the short flags.
 * Ownership    the text is malloc'ed for the caller.
 * Threads      any.
 * Errors       -ENOMEM. What is no selector is left as it is: the server says what is wrong with
 * it.
 */
#pragma once

/* Each may be NULL. */
int query_text_make(const char *query, const char *host, const char *process, char **ret_text);
