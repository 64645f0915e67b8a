/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes either are refused with a sentence, or become profiles that pass their check. */
#include <errno.h>

#include "store/base/must.h"
#include "symbolizer-server/ingest/otlp_read.h"
#include "tests/fuzz/fuzz.h"

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	struct profile_list list = {.profiles = NULL};
	struct ingest_fault fault = {""};
	struct ingest_drops drops = {0};
	struct otlp_target target = {.profiles = &list,
		.drops = &drops,
		.fault = &fault,
		.now_ns = UINT64_C(1796061870000000000)};
	int r = otlp_read((struct ingest_text){(const char *)bytes, byte_count}, &target);

	must(r == 0 || r == -ENOMEM || fault.text[0] != '\0');
	for (uint32_t i = 0; i < list.count; i++) {
		const char *what;

		must(profile_check(list.profiles[i], &what) == 0);
	}
	profile_list_done(&list);
}
