/* SPDX-License-Identifier: Apache-2.0 */
/* Perf ring: the buffer that the kernel fills for a perf event, read record by record.
 *
 * What it is   maps the buffer of an event and hands out its records in one piece each, also those
 *              that wrap around its end.
 * Ownership    the ring owns the event's descriptor, its pages and the room for records that wrap.
 * Threads      one owner; the kernel writes meanwhile.
 * Errors       negative errno. A ring whose contents make no sense is emptied.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct perf_event_mmap_page;

struct perf_ring {
	int fd;
	struct perf_event_mmap_page *page; /* NULL: not open */
	uint8_t *data;
	size_t data_bytes; /* a power of two */
	uint8_t *joined; /* room for a record that wraps */
	size_t joined_bytes;
};

/* Maps DATA_BYTES, a power of two of at least a page, behind the event FD, which the ring owns from
 * now on. -ENOBUFS: the limit of locked memory. The descriptor stays the caller's after an error. */
int perf_ring_open(struct perf_ring *ring, int fd, size_t data_bytes);
void perf_ring_close(struct perf_ring *ring);

/* The oldest record: its bytes, and where it lies until perf_ring_release. 0: none waits.
 * -EBADMSG: nothing behind a broken header can be found again, and all that waited was given up.
 * -ENOMEM: the record wraps, and there is no room to join it; it was given up with all others. */
int perf_ring_peek(struct perf_ring *ring, const void **ret_record);
/* Gives the room of a record of BYTE_COUNT bytes back to the kernel. */
void perf_ring_release(struct perf_ring *ring, size_t byte_count);
