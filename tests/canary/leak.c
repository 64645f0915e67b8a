/* SPDX-License-Identifier: Apache-2.0 */
/* Forgets memory that it holds. */
#include <stdlib.h>

static char *volatile bytes;

int main(void)
{
	bytes = malloc(8);
	bytes = NULL;
	return 0;
}
