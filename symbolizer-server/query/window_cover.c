/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/window_cover.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/must.h"
#include "store/profile/grow.h"

int window_cover_init(
	struct window_cover *cover, struct time_range range, const struct time_steps *steps)
{
	int r;

	*cover = (struct window_cover){.range = range};
	if (steps)
		cover->steps = *steps;
	time_cover_init(&cover->cover);
	/* One more than needed, so that none is no special case. */
	cover->covered_ns = calloc((size_t)cover->steps.count + 1, sizeof(*cover->covered_ns));
	cover->core_ns = calloc((size_t)cover->steps.count + 1, sizeof(*cover->core_ns));
	r = cover->covered_ns && cover->core_ns ? string_table_init(&cover->host_names) : -ENOMEM;
	if (r < 0)
		window_cover_done(cover);
	return r;
}

void window_cover_done(struct window_cover *cover)
{
	string_table_done(&cover->host_names);
	time_cover_done(&cover->cover);
	free(cover->hosts);
	free(cover->covered_ns);
	free(cover->core_ns);
	*cover = (struct window_cover){0};
}

static struct time_range overlap(struct time_range one, struct time_range other)
{
	struct time_range both = {
		.from_ns = one.from_ns > other.from_ns ? one.from_ns : other.from_ns,
		.until_ns = one.until_ns < other.until_ns ? one.until_ns : other.until_ns,
	};

	if (both.until_ns < both.from_ns)
		both.until_ns = both.from_ns;
	return both;
}

static uint64_t length_of(struct time_range range)
{
	return range.until_ns - range.from_ns;
}

static struct time_range step_range(const struct window_cover *cover, uint32_t step)
{
	uint64_t from_ns = cover->steps.start_ns + step * cover->steps.step_ns;

	return (struct time_range){from_ns, from_ns + cover->steps.step_ns};
}

static int find_host(struct window_cover *cover, const struct window_of_host *window,
	struct window_cover_host **ret_host)
{
	uint32_t name = 0;
	int r = string_table_add(&cover->host_names, window->host, window->host_length, &name);

	while (r == 0 && cover->host_count <= name) {
		r = grow_array(
			&cover->hosts, &cover->host_capacity, cover->host_count, STRING_COUNT_MAX);
		if (r == 0)
			cover->hosts[cover->host_count++] = (struct window_cover_host){0};
	}
	if (r < 0)
		return r;
	must(cover->hosts && name < cover->host_count);
	*ret_host = &cover->hosts[name];
	return 0;
}

static void widen(struct time_range *covered, struct time_range part)
{
	if (covered->from_ns == covered->until_ns) {
		*covered = part;
		return;
	}
	if (part.from_ns < covered->from_ns)
		covered->from_ns = part.from_ns;
	if (part.until_ns > covered->until_ns)
		covered->until_ns = part.until_ns;
}

static void add_core_time(struct window_cover *cover, struct time_range part, uint64_t cpu_count)
{
	uint32_t first, end;

	if (cover->steps.count == 0)
		return;
	time_steps_reach(&cover->steps, part.from_ns, part.until_ns, &first, &end);
	for (uint32_t i = first; i < end; i++)
		cover->core_ns[i] += length_of(overlap(part, step_range(cover, i))) * cpu_count;
}

int window_cover_add(struct window_cover *cover, const struct window_of_host *window)
{
	struct time_range part = overlap(window->time, cover->range);
	struct window_cover_host *host = NULL;
	int r;

	if (length_of(part) == 0)
		return 0;
	r = find_host(cover, window, &host);
	if (r < 0)
		return r;
	if (host->last.from_ns == window->time.from_ns &&
		host->last.until_ns == window->time.until_ns)
		return 0;
	host->last = window->time;
	host->core_ns += length_of(part) * window->cpu_count;
	widen(&cover->covered, part);
	add_core_time(cover, part, window->cpu_count);
	return cover->steps.count > 0 ? time_cover_add(&cover->cover, part) : 0;
}

void window_cover_finish(struct window_cover *cover)
{
	time_cover_join(&cover->cover);
	for (uint32_t i = 0; i < cover->cover.count; i++) {
		struct time_range stretch = cover->cover.stretches[i];
		uint32_t first, end;

		time_steps_reach(&cover->steps, stretch.from_ns, stretch.until_ns, &first, &end);
		for (uint32_t step = first; step < end; step++)
			cover->covered_ns[step] +=
				length_of(overlap(stretch, step_range(cover, step)));
	}
}

uint64_t window_cover_core_ns(const struct window_cover *cover, const char *host, size_t length)
{
	uint32_t name = string_table_find(&cover->host_names, host, length);

	return name < cover->host_count ? cover->hosts[name].core_ns : 0;
}
