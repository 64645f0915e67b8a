/* SPDX-License-Identifier: Apache-2.0 */
/* Recording check: what must hold of a batch that a reader has filled, whatever it read. */
#pragma once

#include <errno.h>

#include "store/base/must.h"
#include "symbolizer-server/ingest/profile_list.h"

#define RECORDING_START_NS UINT64_C(1796061870000000000)

/* Refused with a sentence, or a profile that passes its check. Ends the batch. */
static inline void recording_check(
	struct ingest_batch *batch, int r, const struct ingest_fault *fault)
{
	struct profile_list list = {.profiles = NULL};

	must(r == 0 || r == -ENOMEM || r == -E2BIG || r == -EOVERFLOW || fault->text[0] != '\0');
	if (r == 0) {
		r = profile_list_take(&list, batch);
		must(r == 0 || r == -EOVERFLOW);
	}
	for (uint32_t i = 0; i < list.count; i++) {
		const char *what;

		must(profile_check(list.profiles[i], &what) == 0);
	}
	profile_list_done(&list);
	ingest_batch_done(batch);
}

/* The sum of all values of a batch. */
static inline double recording_total(const struct ingest_batch *batch)
{
	double total = 0;

	for (uint32_t i = 0; i < batch->profile->type_count; i++) {
		const struct sample_table *table = &batch->profile->types[i];

		for (uint32_t j = 0; j < table->row_count; j++)
			total += (double)table->rows[j].value;
	}
	return total;
}
