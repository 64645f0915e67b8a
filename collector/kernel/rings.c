/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/rings.h"

#include <errno.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "collector/kernel/event.h"
#include "store/base/cleanup.h"
#include "store/base/must.h"

void rings_done(struct rings *rings)
{
	ring_buffer__free(rings->buffer);
	rings->buffer = NULL;
	for (uint32_t i = 0; rings->fds && i < rings->layout.ring_count; i++)
		if (rings->fds[i] >= 0)
			close(rings->fds[i]);
	free(rings->fds);
	rings->fds = NULL;
	free(rings->refused);
	rings->refused = NULL;
}

int rings_init(struct rings *rings, const struct ring_layout *layout, int outer_fd)
{
	*rings = (struct rings){.layout = *layout, .outer_fd = outer_fd};
	rings->fds = calloc(layout->ring_count, sizeof(*rings->fds));
	rings->refused = malloc(EVENT_SAMPLE_BYTES_MAX);
	if (!rings->fds || !rings->refused) {
		rings_done(rings);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < layout->ring_count; i++)
		rings->fds[i] = -1;
	return 0;
}

static int hand_over(void *context, void *record, size_t byte_count)
{
	struct rings *rings = context;
	const struct event_sample *sample = event_sample_in(record, byte_count);
	int r;

	if (!sample) {
		rings->malformed++;
		return 0;
	}
	r = rings->fn(rings->context, sample);
	if (r == 0) {
		rings->handed_over++;
	} else {
		memcpy(rings->refused, sample, byte_count);
		rings->has_refused = true;
	}
	return r;
}

static int hand_over_refused(struct rings *rings)
{
	int r = rings->has_refused ? rings->fn(rings->context, rings->refused) : 0;

	if (r == 0 && rings->has_refused) {
		rings->handed_over++;
		rings->has_refused = false;
	}
	return r;
}

/* Reads the ring FD from now on. */
static int listen_to(struct rings *rings, int fd)
{
	if (rings->buffer)
		return ring_buffer__add(rings->buffer, fd, hand_over, rings);
	rings->buffer = ring_buffer__new(fd, hand_over, rings, NULL);
	return rings->buffer ? 0 : -errno;
}

int rings_cover(struct rings *rings, uint32_t cpu)
{
	uint32_t index = cpu / rings->layout.cpus_per_ring;
	SCOPED_FD int fd = -1;
	int r;

	must(index < rings->layout.ring_count);
	if (rings->fds[index] >= 0)
		return 0;
	fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "ring", 0, 0, rings->layout.ring_bytes, NULL);
	if (fd < 0)
		return fd;
	/* First the map: a ring that is listened to can't be taken back. */
	r = bpf_map_update_elem(rings->outer_fd, &index, &fd, BPF_ANY);
	if (r < 0)
		return r;
	r = listen_to(rings, fd);
	if (r < 0) {
		bpf_map_delete_elem(rings->outer_fd, &index);
		return r;
	}
	rings->fds[index] = TAKE_FD(fd);
	return 0;
}

int rings_poll_fd(const struct rings *rings)
{
	return rings->buffer ? ring_buffer__epoll_fd(rings->buffer) : -1;
}

int rings_drain(struct rings *rings, sampler_sample_fn fn, void *context)
{
	int r;

	if (!rings->buffer)
		return 0;
	rings->fn = fn;
	rings->context = context;
	rings->handed_over = 0;
	r = hand_over_refused(rings);
	if (r == 0)
		r = ring_buffer__consume(rings->buffer);
	return r < 0 ? r : (int)rings->handed_over;
}
