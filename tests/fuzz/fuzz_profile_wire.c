/* SPDX-License-Identifier: Apache-2.0 */
/* Any body, as it is before compression, either is refused with a reason, or decodes to a sound
 * profile that keeps its totals and its bytes when it is encoded and decoded again. */
#include <errno.h>
#include <string.h>

#include "proto/wire/body_reader.h"
#include "proto/wire/profile_wire.h"
#include "store/base/must.h"
#include "tests/fuzz/fuzz.h"

static int64_t sum_of(const struct profile *profile)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < profile->type_count; i++) {
		for (uint32_t j = 0; j < profile->types[i].row_count; j++)
			sum += (uint64_t)profile->types[i].rows[j].value;
	}
	return (int64_t)sum;
}

static struct profile_wire_bodies encode(const struct profile *profile)
{
	struct profile_wire_bodies bodies;

	must(profile_wire_encode(profile, &profile_wire_limits_default, &bodies) == 0);
	must(bodies.count == 1 && bodies.dropped_sample_count == 0);
	return bodies;
}

static void check_again(const struct profile *profile)
{
	struct profile_wire_bodies first = encode(profile), second;
	struct profile_wire_body *body = &first.bodies[0];
	struct profile *again;
	const char *what;

	must(profile_wire_decode(body->bytes, body->byte_count, body->raw_byte_count,
		     &profile_wire_limits_default, &again, &what) == 0);
	must(profile_sample_count(again) == profile_sample_count(profile));
	must(sum_of(again) == sum_of(profile));
	second = encode(again);
	must(second.bodies[0].byte_count == body->byte_count);
	must(memcmp(second.bodies[0].bytes, body->bytes, body->byte_count) == 0);
	profile_wire_bodies_done(&first);
	profile_wire_bodies_done(&second);
	profile_free(again);
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	const char *what = NULL, *unsound;
	struct profile *profile;
	struct arena arena;
	int r;

	arena_init(&arena, profile_wire_limits_default.arena_bytes_max);
	r = body_read(bytes, byte_count, &profile_wire_limits_default, &arena, &profile, &what);
	arena_done(&arena);
	must(what);
	if (r < 0) {
		must(r == -ENOMEM || *what != '\0');
		return;
	}
	must(profile_check(profile, &unsound) == 0);
	check_again(profile);
	profile_free(profile);
}
