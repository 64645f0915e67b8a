/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/sandbox_fault.h"

const char *sandbox_fault_text(enum sandbox_fault fault)
{
	switch (fault) {
#define SANDBOX_FAULT_TEXT(name, status, text) \
	case SANDBOX_FAULT_##name:             \
		return text;
		SANDBOX_FAULTS(SANDBOX_FAULT_TEXT)
#undef SANDBOX_FAULT_TEXT
	}
	return "an unknown fault";
}

enum sandbox_fault sandbox_fault_of_status(int exit_status)
{
	switch (exit_status) {
#define SANDBOX_FAULT_STATUS(name, status, text) \
	case status:                             \
		return SANDBOX_FAULT_##name;
		SANDBOX_FAULTS(SANDBOX_FAULT_STATUS)
#undef SANDBOX_FAULT_STATUS
	default:
		return SANDBOX_FAULT_CRASHED;
	}
}
