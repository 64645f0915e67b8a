/* SPDX-License-Identifier: Apache-2.0 */
/* What proto/wire does when there is no memory. */
#include "proto/wire/ingest_wire.h"
#include "proto/wire/profile_wire.h"
#include "proto/wire/symbols_wire.h"
#include "tests/support/check.h"
#include "tests/support/fake_profile.h"
#include "tests/support/torture.h"

struct window {
	struct profile *profile;
	struct profile_wire_bodies bodies;
};

static int encoding(void *context)
{
	const struct window *window = context;
	struct profile_wire_bodies bodies = {0};
	int r = profile_wire_encode(window->profile, &profile_wire_limits_default, &bodies);

	CHECK_EQ(bodies.count, r == 0);
	if (r == 0)
		CHECK_EQ(bodies.bodies[0].byte_count, window->bodies.bodies[0].byte_count);
	profile_wire_bodies_done(&bodies);
	return r;
}

static int decoding(void *context)
{
	const struct window *window = context;
	const struct profile_wire_body *body = &window->bodies.bodies[0];
	struct profile *profile = NULL;
	const char *what = NULL;
	int r = profile_wire_decode(body->bytes, body->byte_count, body->raw_byte_count,
		&profile_wire_limits_default, &profile, &what);

	CHECK((r == 0) == (profile != NULL));
	if (r < 0)
		CHECK_STR(what, "");
	profile_free(profile);
	return r;
}

static int messages(void *context)
{
	static const struct wire_hello hello = {.version = 1, .program = "0.1.0", .host = "a"};
	struct wire_push push;
	struct arena arena;
	uint8_t *bytes = NULL;
	size_t byte_count = 0;
	int r = wire_hello_encode(&hello, &bytes, &byte_count);

	(void)context;
	CHECK((r == 0) == (bytes != NULL));
	arena_init(&arena, (size_t)1 << 20);
	if (r == 0)
		r = wire_push_decode(bytes, byte_count, &arena, &push);
	if (r == 0)
		CHECK_STR(push.hello.host, "a");
	arena_done(&arena);
	free(bytes);
	return r;
}

static int wants(void *context)
{
	struct wire_want want = {.what = WIRE_WHAT_EXECUTABLE, .name = "libc.so.6"}, again;
	struct arena arena;
	uint8_t *bytes = NULL;
	size_t byte_count = 0;
	int r;

	(void)context;
	CHECK_EQ(build_id_make(BUILD_ID_GNU, "id", 2, &want.id), 0);
	r = wire_want_encode(&want, &bytes, &byte_count);
	arena_init(&arena, (size_t)1 << 20);
	if (r == 0)
		r = wire_want_decode(bytes, byte_count, &arena, &again);
	arena_done(&arena);
	free(bytes);
	return r;
}

static void without_memory_no_message_is_half_made(void)
{
	struct fake_host host = fake_small_host("db-1");
	struct window window = {
		.profile = fake_profile(&host, UINT64_C(1700000000) * NS_PER_S, 10 * NS_PER_S, 1)};

	CHECK_EQ(profile_wire_encode(window.profile, &profile_wire_limits_default, &window.bodies),
		0);
	/* Memory that can't be given back is kept. */
	torture_tolerant(encoding, &window, 3);
	torture(decoding, &window, 20);
	torture(messages, NULL, 2);
	torture(wants, NULL, 2);
	profile_wire_bodies_done(&window.bodies);
	profile_free(window.profile);
}

int main(void)
{
	RUN(without_memory_no_message_is_half_made);
	return 0;
}
