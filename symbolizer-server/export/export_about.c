/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/export/export_about.h"

#include <string.h>

const char *export_type_part(const char *type, enum type_part part, size_t *ret_length)
{
	for (int i = 0; i < (int)part; i++) {
		type += strcspn(type, ":");
		type += *type == ':';
	}
	*ret_length = strcspn(type, ":");
	return type;
}
