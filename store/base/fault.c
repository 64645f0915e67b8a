/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/fault.h"

#include <string.h>

const char *fault_text(int error)
{
	const char *text = error == 0 ? "success" : strerrordesc_np(-error);

	return text ? text : "unknown error";
}
