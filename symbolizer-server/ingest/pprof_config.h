/* SPDX-License-Identifier: Apache-2.0 */
/* pprof configuration: what a client says of the columns of its profile.
 *
 * What it is   the part `sample_type_config` of an upload, JSON: `{"contentions":{"display-name":
 *              "block_count","units":"lock_samples"}}`. It alone tells Go's block profile from its
 *              mutex profile.
 * Ownership    owns its texts.
 * Threads      one owner.
 * Errors       those of ingest_fault.h.
 */
#pragma once

#include "symbolizer-server/ingest/pprof_read.h"

struct pprof_config {
	struct pprof_rename *renames; /* of every column that is named, an empty name included */
	uint32_t count;
	void *json; /* what they point into */
};

int pprof_config_read(
	struct ingest_text json, struct pprof_config **ret_config, struct ingest_fault *fault);
/* Accepts NULL. */
void pprof_config_free(struct pprof_config *config);
