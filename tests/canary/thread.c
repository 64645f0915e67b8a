/* SPDX-License-Identifier: Apache-2.0 */
/* Writes one number from two threads, in no order. */
#include <pthread.h>

static volatile int number;

static void *write_number(void *unused)
{
	for (int i = 0; i < 1000; i++)
		number++;
	return unused;
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, write_number, NULL) != 0)
		return 0;
	write_number(NULL);
	return pthread_join(thread, NULL) == 0 ? 0 : 1;
}
