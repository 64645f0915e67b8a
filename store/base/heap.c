/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/heap.h"

#include <malloc.h>

void heap_give_back(size_t kept_bytes)
{
	if (mallinfo2().fordblks > kept_bytes)
		malloc_trim(0);
}
