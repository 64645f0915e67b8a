/* SPDX-License-Identifier: Apache-2.0 */
/* Grow: room for one more element in an array that its owner counts.
 *
 * What it is   doubling reallocation under a limit; the same three lines for every table of the
 *              model.
 * Ownership    the array stays with its owner.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: COUNT has reached COUNT_MAX.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

int grow_bytes(
	void **array, uint32_t *capacity, uint32_t count, uint32_t count_max, size_t element_bytes);

/* ARRAY is the address of a typed pointer: its type tells the size of an element. */
#define grow_array(array, capacity, count, count_max)                                              \
	__extension__({                                                                            \
		void *array_ = *(array);                                                           \
		int r_ = grow_bytes(&array_, (capacity), (count), (count_max), sizeof(**(array))); \
		*(array) = array_;                                                                 \
		r_;                                                                                \
	})
