/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/lives.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "collector/kernel/library_log.h"
#include "collector/kernel/refusal.h"
#include "store/base/cleanup.h"
#include "store/base/clock.h"

/* Generated from bpf/life. */
#include <life.skel.h>

#define BTF_PATH_USUAL "/sys/kernel/btf/vmlinux"
/* Rows of one system call. A bucket of the kernel's table must fit: it has one row, or a few. */
#define BATCH_ROWS 256

struct lives {
	struct life_skeleton *skeleton;
	struct tally *tally;
	uint64_t turn_ns;
	uint64_t turned_at_ns; /* when the kernel side was told */
	uint32_t side; /* of what happens before the turn */
	struct life_key keys[BATCH_ROWS];
	struct life_values values[BATCH_ROWS];
};

DEFINE_SCOPED(struct lives *, lives_free)

void lives_free(struct lives *lives)
{
	if (!lives)
		return;
	life_skeleton__destroy(lives->skeleton);
	free(lives);
}

static struct life_shared *shared(const struct lives *lives)
{
	return &lives->skeleton->data->life_shared;
}

int lives_open(const char *btf_path, struct tally *tally, struct sampler_reason *reason,
	struct lives **ret_lives)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .btf_custom_path = btf_path);
	const char *path = btf_path ? btf_path : BTF_PATH_USUAL;
	SCOPED(lives_free) struct lives *lives = calloc(1, sizeof(*lives));
	int r;

	if (!lives)
		return refusal_of(-ENOMEM, "preparing to count processes", reason);
	lives->tally = tally;
	library_log_start();
	if (access(path, R_OK) != 0)
		return refusal_of_btf(-errno, path, reason);
	lives->skeleton = life_skeleton__open_opts(&options);
	if (!lives->skeleton)
		return refusal_of_load(-errno, library_log_text(), reason);
	r = life_skeleton__load(lives->skeleton);
	if (r < 0)
		return refusal_of_load(r, library_log_text(), reason);
	lives_begin(lives, UINT64_MAX);
	r = life_skeleton__attach(lives->skeleton);
	if (r < 0)
		return refusal_of(r, "attaching to the kernel's tracepoints of processes", reason);
	*ret_lives = TAKE(lives);
	return 0;
}

void lives_begin(struct lives *lives, uint64_t turn_ns)
{
	lives->turn_ns = turn_ns;
	lives->turned_at_ns = clock_monotonic_ns();
	/* One word, so that no program sees half of it. */
	__atomic_store_n(&shared(lives)->turn, LIFE_TURN(turn_ns, lives->side), __ATOMIC_SEQ_CST);
}

/* Until nothing adds to the table whose turn is over. */
static void end_turn(struct lives *lives)
{
	uint64_t now_ns = clock_monotonic_ns(), over_ns;

	if (now_ns < lives->turn_ns)
		lives_begin(lives, now_ns);
	over_ns = lives->turn_ns > lives->turned_at_ns ? lives->turn_ns : lives->turned_at_ns;
	if (now_ns < over_ns + LIVES_QUIET_NS) {
		struct timespec rest = {.tv_nsec = LIVES_QUIET_NS};

		nanosleep(&rest, NULL);
	}
}

static int tell(struct lives *lives, uint32_t count, lives_row_fn fn, void *context)
{
	for (uint32_t i = 0; i < count; i++) {
		int r = fn(context, &lives->keys[i], &lives->values[i]);

		if (r != 0)
			return r;
	}
	return 0;
}

static int take_rows(struct lives *lives, lives_row_fn fn, void *context)
{
	int fd = bpf_map__fd(lives->side ? lives->skeleton->maps.life_rows_1
					 : lives->skeleton->maps.life_rows_0);
	uint32_t place, batches = LIFE_ROWS_MAX / BATCH_ROWS + 2;
	bool is_first = true;
	int result = 0, r = 0;

	while (r == 0 && batches-- > 0) {
		uint32_t count = BATCH_ROWS;
		int told;

		r = bpf_map_lookup_and_delete_batch(fd, is_first ? NULL : &place, &place,
			lives->keys, lives->values, &count, NULL);
		if (r < 0 && r != -ENOENT)
			return r;
		is_first = false;
		told = result == 0 ? tell(lives, count, fn, context) : 0;
		if (told != 0)
			result = told;
	}
	return result;
}

static int take_other(struct lives *lives, lives_row_fn fn, void *context)
{
	struct life_values *other = &shared(lives)->other[lives->side], values = *other;
	static const struct life_key none;

	memset(other, 0, sizeof(*other));
	return values.execs || values.forks || values.exits ? fn(context, &none, &values) : 0;
}

static void count_losses(struct lives *lives, int result)
{
	const struct life_shared *losses = shared(lives);

	if (result < 0)
		tally_add(lives->tally, TALLY_lives_dropped, 1);
	tally_set(lives->tally, TALLY_lives_unnamed,
		__atomic_load_n(&losses->unnamed, __ATOMIC_RELAXED));
	tally_set(lives->tally, TALLY_lives_unnoted,
		__atomic_load_n(&losses->unnoted, __ATOMIC_RELAXED));
}

int lives_take(struct lives *lives, uint64_t next_turn_ns, lives_row_fn fn, void *context)
{
	int r;

	end_turn(lives);
	r = take_rows(lives, fn, context);
	if (r == 0)
		r = take_other(lives, fn, context);
	count_losses(lives, r);
	lives->side ^= 1;
	lives_begin(lives, next_turn_ns);
	return r;
}
