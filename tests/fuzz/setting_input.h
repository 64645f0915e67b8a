/* SPDX-License-Identifier: Apache-2.0 */
/* Setting input: the property of every settings file.
 *
 * What it is   any text either is refused with one line, or sets values that print to a settings
 *              file which sets the same.
 * Ownership    nothing is kept.
 * Threads      one.
 * Errors       must() of store/base.
 */
#pragma once

#include "store/settings/setting.h"

/* Two zeroed structs of the program that owns TABLE. */
void setting_input_check(const struct setting_table *table, void *values, void *again,
	const uint8_t *bytes, size_t byte_count);
