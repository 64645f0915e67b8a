/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/partial_json.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const reasons[] = {
	[PARTIAL_TIME] = "time", [PARTIAL_MEMORY] = "memory", [PARTIAL_DAMAGE] = "damage"};

void partial_header(const struct partial *partial, char *ret_text, size_t size)
{
	if (partial->reason == PARTIAL_NOT) {
		*ret_text = '\0';
		return;
	}
	snprintf(ret_text, size, "%s; from=%" PRIu64 "; until=%" PRIu64 "; unreadable=%" PRIu64,
		reasons[partial->reason], partial->answered.from_ns, partial->answered.until_ns,
		partial->unreadable_count);
}

void partial_json(struct json_writer *json, const struct partial *partial)
{
	json_key(json, "partial");
	if (partial->reason == PARTIAL_NOT) {
		json_null(json);
		return;
	}
	json_begin_object(json);
	json_string(json_key(json, "reason"), reasons[partial->reason]);
	json_unsigned(json_key(json, "from"), partial->answered.from_ns);
	json_unsigned(json_key(json, "until"), partial->answered.until_ns);
	json_unsigned(json_key(json, "unreadable_count"), partial->unreadable_count);
	json_end_object(json);
}
