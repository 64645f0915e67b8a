/* SPDX-License-Identifier: Apache-2.0 */
/* Reads memory that was given back. */
#include <stdlib.h>

int main(void)
{
	char *volatile bytes = calloc(1, 8);

	free(bytes);
	return bytes[0];
}
