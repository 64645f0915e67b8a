/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes either are refused with a sentence, or become a profile that passes its check and holds
 * all that was not counted as left out. */
#include <errno.h>
#include <string.h>

#include "store/base/must.h"
#include "symbolizer-server/ingest/pprof_read.h"
#include "symbolizer-server/ingest/profile_list.h"
#include "tests/fuzz/fuzz.h"

#define START_NS UINT64_C(1796061870000000000)

static void check_profiles(struct ingest_batch *batch)
{
	struct profile_list list = {.profiles = NULL};
	int r = profile_list_take(&list, batch);

	must(r == 0 || r == -EOVERFLOW);
	for (uint32_t i = 0; i < list.count; i++) {
		const char *what;

		must(profile_check(list.profiles[i], &what) == 0);
	}
	profile_list_done(&list);
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	const struct pprof_options options = {.start_ns = START_NS, .until_ns = START_NS + 1};
	struct ingest_fault fault = {""};
	struct ingest_batch batch;
	struct pprof *pprof;
	int r = pprof_open((struct ingest_text){(const char *)bytes, byte_count}, &pprof, &fault);

	if (r < 0) {
		must(r == -ENOMEM || fault.text[0] != '\0');
		return;
	}
	must(ingest_batch_init(&batch, options.start_ns, options.until_ns) == 0);
	r = pprof_add(pprof, &options, &batch, &fault);
	must(r == 0 || r == -EOVERFLOW || r == -E2BIG || fault.text[0] != '\0');
	if (r == 0)
		check_profiles(&batch);
	ingest_batch_done(&batch);
	pprof_free(pprof);
}
