/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/debuginfod_json.h"

#include "store/base/fault.h"
#include "symbolizer-server/symbol/debuginfod_servers.h"

/* `failing`: its last answer was none, it is asked all the same; `resting`: not before next_try. */
static const char *state_text(const struct debuginfod_server_state *state)
{
	if (state->next_try_ns > 0)
		return "resting";
	return state->failing_since_ns > 0 ? "failing" : "ok";
}

static void write_server(struct json_writer *json, const struct debuginfod_server_state *state)
{
	json_begin_object(json);
	json_string(json_key(json, "url"), state->url);
	json_string(json_key(json, "state"), state_text(state));
	json_unsigned(json_key(json, "failing_since"), state->failing_since_ns);
	json_unsigned(json_key(json, "next_try"), state->next_try_ns);
	json_string(json_key(json, "last_failure"), state->error ? fault_text(state->error) : "");
	for (int i = 0; i < DEBUGINFOD_SERVER_COUNTER_COUNT; i++) {
		json_unsigned(
			json_key(json, debuginfod_counter_name((enum debuginfod_server_counter)i)),
			state->counts[i]);
	}
	json_end_object(json);
}

void debuginfod_json_write(struct json_writer *json, struct debuginfod_servers *servers)
{
	uint32_t count = servers ? debuginfod_servers_count(servers) : 0;

	json_begin_array(json);
	for (uint32_t i = 0; i < count; i++) {
		struct debuginfod_server_state state;

		debuginfod_servers_read(servers, i, &state);
		write_server(json, &state);
	}
	json_end_array(json);
}
