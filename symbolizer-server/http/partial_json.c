/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/partial_json.h"

void partial_json(struct json_writer *json, const struct partial *partial)
{
	static const char *const reasons[] = {
		[PARTIAL_TIME] = "time", [PARTIAL_MEMORY] = "memory", [PARTIAL_DAMAGE] = "damage"};

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
