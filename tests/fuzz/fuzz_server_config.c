/* SPDX-License-Identifier: Apache-2.0 */
/* Any settings file: see setting_input.h. */
#include "symbolizer-server/settings.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/setting_input.h"

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	struct settings values = {0}, again = {0};

	setting_input_check(&settings_table, &values, &again, bytes, byte_count);
}
