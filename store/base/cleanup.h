/* SPDX-License-Identifier: Apache-2.0 */
/* Release bound to scope, so that no function needs a label to clean up.
 *
 * What it is   attributes for local variables, and TAKE to hand the value on instead.
 * Ownership    the variable owns its value until TAKE or the end of its scope.
 * Threads      any.
 * Errors       releasing accepts NULL and -1 and never fails.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_free(void *pointer)
{
	free(*(void **)pointer);
}

static inline void cleanup_fd(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void cleanup_file(FILE **file)
{
	if (*file)
		(void)fclose(*file);
}

#define SCOPED_FREE __attribute__((cleanup(cleanup_free)))
#define SCOPED_FD __attribute__((cleanup(cleanup_fd)))
#define SCOPED_FILE __attribute__((cleanup(cleanup_file)))

/* SCOPED(x_free) struct x *x: calls x_free(x) at the end of the scope. DEFINE_SCOPED makes it
 * possible. */
#define SCOPED(release) __attribute__((cleanup(scoped_##release)))
#define DEFINE_SCOPED(type, release)                                   \
	static inline void scoped_##release(__typeof__(type) *pointer) \
	{                                                              \
		release(*pointer);                                     \
	}

#define TAKE(variable)                                    \
	__extension__({                                   \
		__typeof__(variable) taken_ = (variable); \
		(variable) = NULL;                        \
		taken_;                                   \
	})

#define TAKE_FD(variable)                \
	__extension__({                  \
		int taken_ = (variable); \
		(variable) = -1;         \
		taken_;                  \
	})
