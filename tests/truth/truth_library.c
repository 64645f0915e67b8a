/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/truth/truth_library.h"

void truth_library_repeat(bool (*step)(void *context), void *context)
{
	while (step(context))
		;
}
