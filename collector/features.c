/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/features.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "store/base/must.h"
#include "store/log/log.h"

bool features_is_on(const struct features *features, enum feature feature)
{
	must(feature < FEATURE_COUNT);
	return features->faults[feature].reason[0] == '\0';
}

void features_switch_off(struct features *features, enum feature feature, const char *remedy,
	const char *format, ...)
{
	struct feature_fault fault;
	va_list arguments;

	must(feature < FEATURE_COUNT);
	va_start(arguments, format);
	(void)vsnprintf(fault.reason, sizeof(fault.reason), format, arguments);
	va_end(arguments);
	(void)snprintf(fault.remedy, sizeof(fault.remedy), "%s", remedy);
	must(fault.reason[0] != '\0');
	if (strcmp(features->faults[feature].reason, fault.reason) == 0)
		return;
	features->faults[feature] = fault;
	log_warning(0, "%s is off: %s; %s; to have it, %s", feature_name(feature), fault.reason,
		feature_loss(feature), fault.remedy);
}
