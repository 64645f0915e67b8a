/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/text_type.h"

#include <string.h>

#include "store/base/clock.h"

/* Samples, which the rate makes time: with a rate of 0 they stay a count. */
#define CPU_TIME PROFILE_TYPE_ON_CPU
#define CPU_COUNT "process_cpu:samples:count::"
#define WALL_TIME "wall:wall:nanoseconds:cpu:nanoseconds"
#define WALL_COUNT "wall:samples:count::"

static const struct ending {
	const char *name;
	const char *type;
	const char *count; /* without a rate; NULL: values are not samples */
} endings[] = {
	{"cpu", CPU_TIME, CPU_COUNT},
	{"itimer", CPU_TIME, CPU_COUNT},
	{"wall", WALL_TIME, WALL_COUNT},
	{"seconds", WALL_TIME, WALL_COUNT},
	{"milliseconds", WALL_TIME, WALL_COUNT},
	{"microseconds", WALL_TIME, WALL_COUNT},
	{"nanoseconds", WALL_TIME, WALL_COUNT},
	{"inuse_objects", "memory:inuse_objects:count::", NULL},
	{"alloc_objects", "memory:alloc_objects:count::", NULL},
	{"inuse_space", "memory:inuse_space:bytes::", NULL},
	{"alloc_space", "memory:alloc_space:bytes::", NULL},
	{"goroutines", "goroutine:goroutines:count::", NULL},
	{"mutex_count", "mutex:contentions:count::", NULL},
	{"mutex_duration", "mutex:delay:nanoseconds::", NULL},
	{"block_count", "block:contentions:count::", NULL},
	{"lock_count", "block:contentions:count::", NULL},
	{"block_duration", "block:delay:nanoseconds::", NULL},
	{"lock_duration", "block:delay:nanoseconds::", NULL},
	{"alloc_in_new_tlab_objects", "memory:alloc_in_new_tlab_objects:count::", NULL},
	{"alloc_outside_tlab_objects", "memory:alloc_outside_tlab_objects:count::", NULL},
	{"live", "memory:live:count::", NULL},
	{"alloc_in_new_tlab_bytes", "memory:alloc_in_new_tlab_bytes:bytes::", NULL},
	{"alloc_outside_tlab_bytes", "memory:alloc_outside_tlab_bytes:bytes::", NULL},
	{"exceptions", "exceptions:samples:count::", NULL},
	{"bytes", "memory:samples:bytes::", NULL},
};

/* What the values are where the name does not tell. */
static const struct ending units_meant[] = {
	{"bytes", "memory:space:bytes::", NULL},
	{"objects", "memory:objects:count::", NULL},
	{"goroutines", "goroutine:goroutines:count::", NULL},
	{"lock_nanoseconds", "mutex:delay:nanoseconds::", NULL},
	{"lock_samples", "mutex:contentions:count::", NULL},
};

static const struct ending *find_unit(const char *units)
{
	for (size_t i = 0; i < sizeof(units_meant) / sizeof(units_meant[0]); i++) {
		if (strcmp(units_meant[i].name, units) == 0)
			return &units_meant[i];
	}
	return &endings[0];
}

static const struct ending *find_ending(struct ingest_text name)
{
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		if (strlen(endings[i].name) == name.length &&
			memcmp(endings[i].name, name.text, name.length) == 0)
			return &endings[i];
	}
	return NULL;
}

/* Where the last component begins: behind the last dot, or at the end where there is none. */
static size_t ending_place(struct ingest_text app)
{
	for (size_t i = app.length; i > 0; i--) {
		if (app.text[i - 1] == '.')
			return i;
	}
	return app.length;
}

/* Never 0: a sample weighs something. */
static int64_t period_of(uint32_t rate)
{
	return rate < NS_PER_S ? (int64_t)(NS_PER_S / rate) : 1;
}

/* The third of a type's parts. */
static bool is_in_unit(const char *type, const char *unit)
{
	const char *part = strchr(strchr(type, ':') + 1, ':') + 1;
	size_t length = strcspn(part, ":");

	return length == strlen(unit) && memcmp(part, unit, length) == 0;
}

struct text_type text_type_in(struct ingest_text app, const char *unit)
{
	size_t place = ending_place(app);
	const struct ending *ending =
		find_ending((struct ingest_text){app.text + place, app.length - place});
	struct text_type type = {
		.service = {app.text, ending ? place - 1 : app.length}, .period = 1};

	if (ending && is_in_unit(ending->type, unit))
		type.type = ending->type;
	else
		type.type = strcmp(unit, "bytes") == 0 ? "memory:samples:bytes::" : WALL_TIME;
	return type;
}

struct text_type text_type_of(struct ingest_text app, const char *units, uint32_t rate)
{
	size_t place = ending_place(app);
	const struct ending *ending =
		find_ending((struct ingest_text){app.text + place, app.length - place});
	struct ingest_text service = {app.text, ending ? place - 1 : app.length};

	if (!ending)
		ending = find_unit(units ? units : "");
	return (struct text_type){
		.service = service,
		.type = ending->count && rate == 0 ? ending->count : ending->type,
		.period = ending->count && rate > 0 ? period_of(rate) : 1,
	};
}
