/* SPDX-License-Identifier: Apache-2.0 */
/* Adds beyond what a signed number holds. */
#include <limits.h>

int main(void)
{
	volatile int number = INT_MAX;

	number = number + 1;
	return 0;
}
