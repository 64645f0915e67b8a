/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/jfr_setting.h"

#include "store/base/clock.h"
#include "symbolizer-server/ingest/jfr_metadata.h"

/* A period that is longer is none. */
#define PERIOD_NS_MAX (UINT64_C(3600) * NS_PER_S)

static const struct {
	const char *name;
	uint64_t ns;
} units[] = {{"ns", 1}, {"us", 1000}, {"ms", NS_PER_MS}, {"s", NS_PER_S}, {"m", 60 * NS_PER_S},
	{"h", 3600 * NS_PER_S}};

/* `10000000`, `10 ms`; 0 where it is neither, or too long. */
static uint64_t read_period(struct ingest_text text)
{
	uint64_t number = 0;
	size_t at = 0;

	for (; at < text.length && text.text[at] >= '0' && text.text[at] <= '9'; at++) {
		number = number * 10 + (uint64_t)(text.text[at] - '0');
		if (number > PERIOD_NS_MAX)
			return 0;
	}
	if (at > 0 && at == text.length)
		return number;
	while (at > 0 && at < text.length && text.text[at] == ' ')
		at++;
	for (size_t i = 0; at > 0 && i < sizeof(units) / sizeof(units[0]); i++) {
		if (jfr_text_is(
			    (struct ingest_text){text.text + at, text.length - at}, units[i].name))
			return number <= PERIOD_NS_MAX / units[i].ns ? number * units[i].ns : 0;
	}
	return 0;
}

static void set_period(uint64_t *period_ns, struct ingest_text value)
{
	uint64_t ns = read_period(value);

	if (ns > 0)
		*period_ns = ns;
}

void jfr_settings_note(struct jfr_settings *settings, struct ingest_text name,
	struct ingest_text value, bool is_execution)
{
	if (jfr_text_is(name, "event"))
		settings->samples_are_wall = jfr_text_is(value, "wall");
	else if (jfr_text_is(name, "wall"))
		set_period(&settings->wall_period_ns, value);
	else if (jfr_text_is(name, "interval") || (is_execution && jfr_text_is(name, "period")))
		set_period(&settings->cpu_period_ns, value);
}
