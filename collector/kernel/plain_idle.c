/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/plain_idle.h"

bool plain_idle_is(struct plain_idle *idle, uint64_t stack_pointer)
{
	uint64_t block = stack_pointer / PLAIN_STACK_BYTES;

	if (idle->votes == 0)
		idle->block = block;
	if (idle->block != block) {
		idle->votes--;
		return false;
	}
	if (idle->votes < UINT32_MAX)
		idle->votes++;
	return true;
}
