/* SPDX-License-Identifier: Apache-2.0 */
/* Forgets memory that it holds. */
#include <stdlib.h>

int main(void)
{
	static char *volatile bytes;

	bytes = malloc(8);
	bytes = NULL;
	return 0;
}
