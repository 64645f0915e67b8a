/* SPDX-License-Identifier: Apache-2.0 */
/* Tells where in memory its function is, and waits to be looked at. */
#include <stdint.h>
#include <stdio.h>

/* So that code does not lie where it stands in the file. */
static const char padding[100000] = {1};

__attribute__((noinline)) int the_function(int n)
{
	volatile int sum = 0;

	for (int i = 0; i < n; i++)
		sum += padding[i & 7];
	return sum;
}

int main(void)
{
	printf("%#lx\n", (unsigned long)(uintptr_t)&the_function);
	fflush(stdout);
	return getchar() + the_function(0);
}
