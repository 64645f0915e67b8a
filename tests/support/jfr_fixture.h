/* SPDX-License-Identifier: Apache-2.0 */
/* JFR fixture: a made recording, opened as far as its constants.
 *
 * What it is   chunk, metadata, layouts and pools of what tests/support/made_jfr.h wrote.
 * Ownership    the fixture owns all four; the recording is borrowed.
 * Threads      one.
 * Errors       a failed check, or what the step that failed gives.
 */
#pragma once

#include "symbolizer-server/ingest/jfr_pool.h"
#include "tests/support/made_jfr.h"

struct jfr_fixture {
	struct jfr_chunk chunk;
	struct jfr_metadata metadata;
	struct jfr_layouts layouts;
	struct jfr_pools pools;
	struct ingest_fault fault;
};

static inline void jfr_fixture_done(struct jfr_fixture *fixture)
{
	jfr_pools_done(&fixture->pools);
	jfr_layouts_done(&fixture->layouts);
	jfr_metadata_done(&fixture->metadata);
}

/* The metadata of the first chunk, and layouts with shapes of the pools. */
static inline int jfr_fixture_init(struct jfr_fixture *fixture, const struct made_jfr *made)
{
	struct ingest_text rest = {(const char *)made->bytes, made->length};
	int r;

	*fixture = (struct jfr_fixture){.fault = {""}};
	CHECK_EQ(jfr_chunk_next(&rest, &fixture->chunk, &fixture->fault), 1);
	jfr_pools_init(&fixture->pools, &fixture->chunk, &fixture->layouts);
	r = jfr_metadata_init(&fixture->metadata, &fixture->chunk, &fixture->fault);
	if (r == 0)
		r = jfr_layouts_init(
			&fixture->layouts, &fixture->metadata, jfr_pool_shapes, JFR_POOL_COUNT);
	if (r < 0)
		jfr_fixture_done(fixture);
	return r;
}

static inline int jfr_fixture_fill(struct jfr_fixture *fixture, const struct made_jfr *made)
{
	int r = jfr_fixture_init(fixture, made);

	if (r == 0) {
		r = jfr_pools_fill(&fixture->pools, &fixture->fault);
		if (r < 0)
			jfr_fixture_done(fixture);
	}
	return r;
}
