/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/wire/profile_wire.h"

#include <errno.h>
#include <stdlib.h>

#include "proto/wire/body_reader.h"
#include "proto/wire/body_writer.h"
#include "proto/wire/canonical.h"
#include "store/base/cleanup.h"
#include "store/base/compress.h"
#include "store/profile/grow.h"

/* Higher levels gain 2 % here and cost several times the CPU. */
#define BODY_LEVEL 3
/* What a batch message holds beside its body. */
#define ENVELOPE_BYTES_MAX 4096u
/* Halving 2^24 rows down to single ones goes no deeper. */
#define PARTS_WAITING_MAX 64
/* More bodies of one window are a fault of the limits, not a window. */
#define BODY_COUNT_MAX (1u << 20)

/* A window of 128 busy CPUs at 97 Hz is a third of each of these, and about 2 MiB. All at once they
 * cost the receiver about 300 MiB for the moment of one batch. */
const struct profile_wire_limits profile_wire_limits_default = {
	.body_bytes_max = ((size_t)4 << 20) - ENVELOPE_BYTES_MAX,
	.raw_bytes_max = (size_t)16 << 20,
	.arena_bytes_max = (size_t)96 << 20,
	.text_count_max = 256u << 10,
	.module_count_max = 64u << 10,
	.frame_count_max = 512u << 10,
	.node_count_max = 1u << 20,
	.thread_count_max = 256u << 10,
	.row_count_max = 512u << 10,
	.slot_count_max = 4u << 20,
	.depth_max = 4096,
};

struct encoder {
	const struct profile *profile;
	const struct profile_wire_limits *limits;
	struct canonical canonical;
	struct body_part waiting[PARTS_WAITING_MAX]; /* last in, first out */
	size_t waiting_count;
	struct profile_wire_bodies bodies;
};

void profile_wire_bodies_done(struct profile_wire_bodies *bodies)
{
	for (uint32_t i = 0; i < bodies->count; i++)
		free(bodies->bodies[i].bytes);
	free(bodies->bodies);
	*bodies = (struct profile_wire_bodies){0};
}

/* -E2BIG: the part does not fit into one body. */
static int encode_part(struct encoder *encoder, const struct body_part *part)
{
	struct profile_wire_bodies *bodies = &encoder->bodies;
	struct profile_wire_body body;
	SCOPED_FREE uint8_t *raw = NULL;
	struct arena arena;
	int r = grow_array(&bodies->bodies, &bodies->capacity, bodies->count, BODY_COUNT_MAX);

	if (r < 0)
		return r;
	arena_init(&arena, SIZE_MAX);
	r = body_write(encoder->profile, &encoder->canonical, part, encoder->limits, &arena, &body);
	arena_done(&arena);
	if (r < 0)
		return r;
	raw = body.bytes;
	r = compress_bytes(raw, body.raw_byte_count, BODY_LEVEL, &body.bytes, &body.byte_count);
	if (r < 0)
		return r;
	if (body.byte_count > encoder->limits->body_bytes_max) {
		free(body.bytes);
		return -E2BIG;
	}
	bodies->bodies[bodies->count++] = body;
	return 0;
}

/* Puts the halves of PART in line, the front one to be next. */
static void halve(struct encoder *encoder, const struct body_part *part)
{
	size_t front = part->count / 2;

	encoder->waiting[encoder->waiting_count++] =
		(struct body_part){.first = part->first + front, .count = part->count - front};
	encoder->waiting[encoder->waiting_count++] =
		(struct body_part){.first = part->first, .count = front};
}

static void drop_row(struct encoder *encoder, size_t at)
{
	const struct canonical_row *row = &encoder->canonical.rows[at];

	encoder->bodies.dropped_sample_count +=
		encoder->profile->types[row->type].rows[row->row].count;
}

static int encode_parts(struct encoder *encoder)
{
	encoder->waiting[encoder->waiting_count++] =
		(struct body_part){.count = encoder->canonical.row_count};
	while (encoder->waiting_count > 0) {
		struct body_part part = encoder->waiting[--encoder->waiting_count];
		int r;

		part.leads = encoder->bodies.count == 0;
		r = encode_part(encoder, &part);
		if (r == -E2BIG && part.count > 1)
			halve(encoder, &part);
		else if (r == -E2BIG && part.count == 1)
			drop_row(encoder, part.first);
		else if (r < 0)
			return r;
	}
	if (encoder->bodies.count > 0)
		return 0;
	return encode_part(encoder, &(struct body_part){.leads = true});
}

int profile_wire_encode(const struct profile *profile, const struct profile_wire_limits *limits,
	struct profile_wire_bodies *ret_bodies)
{
	struct encoder encoder = {.profile = profile, .limits = limits};
	struct arena arena;
	int r;

	arena_init(&arena, SIZE_MAX);
	r = canonical_make(profile, &arena, &encoder.canonical);
	if (r == 0)
		r = encode_parts(&encoder);
	arena_done(&arena);
	if (r < 0) {
		profile_wire_bodies_done(&encoder.bodies);
		return r;
	}
	*ret_bodies = encoder.bodies;
	return 0;
}

int profile_wire_decode(const void *body, size_t byte_count, size_t raw_byte_count,
	const struct profile_wire_limits *limits, struct profile **ret_profile,
	const char **ret_what)
{
	SCOPED_FREE uint8_t *raw = NULL;
	struct arena arena;
	size_t got;
	int r;

	*ret_what = "";
	if (byte_count > limits->body_bytes_max || raw_byte_count > limits->raw_bytes_max) {
		*ret_what = "a body too large";
		return -EFBIG;
	}
	r = decompress_bytes(body, byte_count, raw_byte_count, &raw, &got);
	if (r == 0 && got != raw_byte_count)
		r = -EBADMSG;
	if (r < 0) {
		if (r != -ENOMEM)
			*ret_what = "a body that does not decompress to the size stated";
		return r;
	}
	arena_init(&arena, limits->arena_bytes_max);
	r = body_read(raw, got, limits, &arena, ret_profile, ret_what);
	arena_done(&arena);
	return r;
}
