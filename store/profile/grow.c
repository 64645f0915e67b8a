/* SPDX-License-Identifier: Apache-2.0 */
#include "store/profile/grow.h"

#include <errno.h>
#include <stdlib.h>

#define CAPACITY_FIRST 16u

int grow_bytes(
	void **array, uint32_t *capacity, uint32_t count, uint32_t count_max, size_t element_bytes)
{
	uint32_t wanted = *capacity ? *capacity : CAPACITY_FIRST / 2;
	void *grown;

	if (count >= count_max)
		return -E2BIG;
	if (count < *capacity)
		return 0;
	wanted = wanted > count_max / 2 ? count_max : wanted * 2;
	grown = realloc(*array, wanted * element_bytes);
	if (!grown)
		return -ENOMEM;
	*array = grown;
	*capacity = wanted;
	return 0;
}
