/* SPDX-License-Identifier: Apache-2.0 */
/* Reads memory that was given back. */
#include <stdlib.h>

int main(void)
{
	volatile char *bytes = calloc(1, 8);

	free((char *)bytes);
	return bytes[0];
}
