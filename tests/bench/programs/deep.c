/* SPDX-License-Identifier: Apache-2.0 */
/* deep DEPTH: runs for ever in a stack of DEPTH frames, with frame pointers. */
#include <stdio.h>
#include <stdlib.h>

#define DEPTH_MAX 4096

static volatile unsigned sink;

static unsigned spin(void)
{
	while (sink != 1)
		sink = sink * 2 + 2;
	return sink;
}

/* NOLINTNEXTLINE(misc-no-recursion): the depth of the stack is what this program is about. */
static unsigned descend(unsigned depth)
{
	return depth > 1 ? descend(depth - 1) + depth : spin();
}

int main(int argc, char **argv)
{
	unsigned depth = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;

	if (depth == 0 || depth > DEPTH_MAX) {
		fprintf(stderr, "usage: deep DEPTH (1 to %d)\n", DEPTH_MAX);
		return 2;
	}
	sink = descend(depth);
	return 0;
}
