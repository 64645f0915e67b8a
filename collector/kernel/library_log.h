/* SPDX-License-Identifier: Apache-2.0 */
/* Library log: what libbpf would print, kept instead.
 *
 * What it is   the end of all text that libbpf has printed, so that a fault can be explained in one
 *              line. libbpf has one print function for the whole process, hence one log.
 * Ownership    static memory.
 * Threads      one: the one that loads the programs.
 * Errors       none; text beyond the limit loses its beginning.
 */
#pragma once

/* From here on libbpf prints nothing; the log begins anew. */
void library_log_start(void);
/* All that is kept; valid until libbpf prints again or the log begins anew. */
const char *library_log_text(void);
