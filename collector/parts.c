/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "store/base/must.h"
#include "store/log/log.h"

#define PART_NAME(name, loss) [PART_##name] = #name,
#define PART_LOSS(name, loss) [PART_##name] = (loss),

static const char *const names[PART_MAX] = {PART_LIST(PART_NAME)};
static const char *const losses[PART_MAX] = {PART_LIST(PART_LOSS)};

const char *part_name(enum part part)
{
	must(part < PART_MAX);
	return names[part];
}

const char *part_loss(enum part part)
{
	must(part < PART_MAX);
	return losses[part];
}

void parts_switch_off(struct parts *parts, enum part part, const char *format, ...)
{
	char reason[PART_REASON_MAX + 1];
	va_list arguments;

	must(part < PART_MAX);
	va_start(arguments, format);
	(void)vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	if (strcmp(parts->reasons[part], reason) == 0)
		return;
	memcpy(parts->reasons[part], reason, sizeof(reason));
	log_warning(0, "%s: %s; %s", names[part], reason, losses[part]);
}
