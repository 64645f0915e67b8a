/* SPDX-License-Identifier: Apache-2.0 */
/* Querier request: what a call of `querier.v1.QuerierService` asks for.
 *
 * What it is   one structure for the requests of all methods, each of which fills a part of it, read
 *              from protobuf or from protobuf's JSON by one table of fields. What a newer client
 *              asks beyond it is passed over, as both encodings have it.
 * Ownership    owns its texts, until querier_request_done.
 * Threads      one owner.
 * Errors       those of ingest_fault.h, with a sentence.
 */
#pragma once

#include <stdint.h>

#include "store/base/arena.h"
#include "symbolizer-server/ingest/ingest_batch.h"
#include "symbolizer-server/querier/reply_writer.h"

/* Requests are a few hundred bytes; a dashboard's longest selector is 16 KiB. */
#define QUERIER_REQUEST_BYTES_MAX ((size_t)1 << 20)
/* Of each list of a request. */
#define QUERIER_TEXT_COUNT_MAX 32u

/* X(name): the methods that are answered, in the order of upstream's file. */
#define QUERIER_METHODS(X)        \
	X(ProfileTypes)           \
	X(LabelValues)            \
	X(LabelNames)             \
	X(Series)                 \
	X(SelectMergeStacktraces) \
	X(SelectMergeSpanProfile) \
	X(SelectMergeProfile)     \
	X(SelectSeries)           \
	X(Diff)                   \
	X(GetProfileStats)

enum querier_method {
#define QUERIER_METHOD_NAME(name) QUERIER_##name,
	QUERIER_METHODS(QUERIER_METHOD_NAME)
#undef QUERIER_METHOD_NAME
		QUERIER_METHOD_COUNT
};

/* Upstream's numbers. */
enum querier_format { QUERIER_FORMAT_DEFAULT, QUERIER_FLAMEGRAPH, QUERIER_TREE, QUERIER_DOT };
enum querier_aggregation { QUERIER_SUM, QUERIER_AVERAGE };

struct querier_texts {
	const char *texts[QUERIER_TEXT_COUNT_MAX];
	uint32_t count;
};

struct querier_request {
	struct arena arena;
	const char *type; /* a profile type of five parts; these texts are "" where not given */
	const char *selector;
	const char *name; /* of a label */
	struct querier_texts matchers; /* selectors */
	struct querier_texts names; /* labels of a series, or to group by */
	struct querier_texts spans; /* traces, spans and single profiles, which are not kept here */
	struct querier_texts call_site; /* functions, the root first */
	int64_t start_ms, end_ms;
	double step_s;
	int64_t nodes_max;
	int64_t format; /* enum querier_format, or a newer one */
	int64_t aggregation; /* enum querier_aggregation, or a newer one */
	int64_t limit;
	struct querier_request *left, *right; /* of a comparison; NULL: not given */
};

/* The method that NAME means, or QUERIER_METHOD_COUNT. */
enum querier_method querier_method_of(const char *name);

int querier_request_init(struct querier_request *request, enum querier_method method,
	enum reply_codec codec, struct ingest_text body, struct ingest_fault *fault);
void querier_request_done(struct querier_request *request);
