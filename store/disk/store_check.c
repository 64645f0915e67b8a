/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/store_check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/base/fault.h"
#include "store/disk/block_codec.h"
#include "store/disk/log_file.h"
#include "store/disk/log_reader.h"
#include "store/disk/segment_reader.h"
#include "store/disk/store_dir.h"

#define WHAT_BYTES 320

struct check {
	struct store_dir dir;
	store_check_fn found;
	void *context;
	struct store_check_summary *summary;
	char file[STORE_NAME_BYTES + sizeof("profiles/")]; /* that is looked at */
	uint64_t byte_count; /* of it */
	int fd;
	uint64_t decoded, undecodable, undecodable_bytes; /* of a log: records */
	int error; /* of this process */
};

static void tell(struct check *check, uint64_t *counter, uint64_t bytes, const char *what)
{
	struct store_check_finding finding = {check->file, what, bytes};

	(*counter)++;
	check->found(check->context, &finding);
}

__attribute__((format(printf, 3, 4))) static void tell_damage(
	struct check *check, uint64_t bytes, const char *format, ...)
{
	char what[WHAT_BYTES];
	va_list values;

	va_start(values, format);
	vsnprintf(what, sizeof(what), format, values);
	va_end(values);
	tell(check, &check->summary->damage_count, bytes, what);
}

static bool is_ours(int error)
{
	return error == -ENOMEM || error == -EMFILE || error == -ENFILE;
}

/* A record whose checksums are right: can what it holds be read as well? */
static int look_at_record(void *context, const struct log_found *found)
{
	size_t byte_count = log_record_bytes(found->record);
	SCOPED_FREE uint8_t *bytes = NULL;
	struct check *check = context;
	struct profile *profile = NULL;
	struct log_record record;
	int r = log_reader_read(check->fd, found->offset, byte_count, &bytes, &record);

	if (r == 0)
		r = block_decode(bytes + record.header_bytes, record.payload_bytes, &profile);
	profile_free(profile);
	if (is_ours(r))
		return r;
	if (r < 0) {
		check->undecodable++;
		check->undecodable_bytes += byte_count;
	} else {
		check->decoded++;
	}
	return 0;
}

static int pass_over(void *context, const struct log_found *found)
{
	(void)context;
	(void)found;
	return 0;
}

/* Whether the file says that it is sealed, by what stands at its end. */
static bool claims_a_seal(int fd, uint64_t byte_count)
{
	uint8_t trailer[8];

	return byte_count >= LOG_FILE_TRAILER_BYTES &&
		pread(fd, trailer, sizeof(trailer), (off_t)(byte_count - LOG_FILE_TRAILER_BYTES)) ==
		sizeof(trailer) &&
		memcmp(trailer, "CAIRNEND", sizeof(trailer)) == 0;
}

static void judge_log(
	struct check *check, const struct log_scan *walk, const struct log_scan *by_index)
{
	if (walk->damaged_count > 0) {
		tell_damage(check, walk->damaged_bytes,
			"damaged stretches: %" PRIu64
			"; the batches in them are lost, the other %" PRIu64 " are not",
			walk->damaged_count, walk->record_count);
	}
	if (check->undecodable > 0) {
		tell_damage(check, check->undecodable_bytes,
			"batches with sound checksums that cannot be decoded: %" PRIu64,
			check->undecodable);
	}
	if (walk->damaged_count == 0 && by_index->sealed &&
		by_index->record_count != walk->record_count) {
		tell_damage(check, 0, "its index has %" PRIu64 " batches, the file %" PRIu64,
			by_index->record_count, walk->record_count);
	}
	if (!by_index->sealed && claims_a_seal(check->fd, check->byte_count)) {
		tell_damage(check, 0,
			"its index is damaged: nothing is lost, but the next start reads the whole "
			"file");
	} else if (walk->torn_bytes > 0) {
		tell(check, &check->summary->note_count, 0,
			"its end is unfinished, as of a file that is being written or was when the "
			"server was killed: nothing acknowledged is lost");
	}
}

static int check_log(struct check *check)
{
	struct log_scan walk = {0}, by_index = {0};
	int r = log_reader_walk(check->fd, look_at_record, check, &walk);

	if (r == 0)
		r = log_reader_scan(check->fd, pass_over, NULL, &by_index);
	if (r < 0)
		return r;
	judge_log(check, &walk, &by_index);
	check->summary->record_count += check->decoded;
	return 0;
}

static void relay_problem(void *context, const char *what)
{
	tell_damage(context, 0, "%s", what);
}

static int check_segment(struct check *check, uint64_t number)
{
	const struct segment_summary *summary;
	struct segment_reader *reader;
	uint64_t problem_count = 0;
	int r = segment_reader_open(TAKE_FD(check->fd), &reader);

	if (r == -EBADMSG) {
		tell_damage(check, check->byte_count,
			"its index at the end is damaged: all of it is lost");
		return 0;
	}
	if (r < 0)
		return r;
	summary = segment_reader_summary(reader);
	if (summary->number != number) {
		tell_damage(check, check->byte_count,
			"was written as number %" PRIu64 ": under this name it is not read",
			summary->number);
	}
	check->summary->record_count += summary->window_count;
	r = segment_reader_verify(reader, relay_problem, check, &problem_count);
	segment_reader_close(reader);
	return r;
}

/* A file that cannot be read is a finding as well. */
static int check_open_file(struct check *check, enum store_kind kind, uint64_t number)
{
	int r = kind == STORE_LOG ? check_log(check) : check_segment(check, number);

	if (r == 0 || is_ours(r))
		return r;
	if (r == -ENOTSUP) {
		tell_damage(check, check->byte_count, "was written by a later version");
	} else {
		tell_damage(check, check->byte_count, "cannot be read: %s", fault_text(r));
	}
	return 0;
}

static int check_file(struct check *check, enum store_kind kind, uint64_t number)
{
	char name[STORE_NAME_BYTES];
	struct stat status;
	int r;

	store_dir_name(kind, number, name);
	snprintf(check->file, sizeof(check->file), "profiles/%s", name);
	check->byte_count = check->decoded = check->undecodable = check->undecodable_bytes = 0;
	r = store_dir_open_file(&check->dir, kind, number, false, &check->fd);
	/* Deleted since the list was made. */
	if (r == -ENOENT)
		return 0;
	if (is_ours(r))
		return r;
	check->summary->log_count += kind == STORE_LOG;
	check->summary->segment_count += kind == STORE_SEGMENT;
	if (r < 0) {
		tell_damage(check, 0, "cannot be opened: %s", fault_text(r));
		return 0;
	}
	if (fstat(check->fd, &status) == 0)
		check->byte_count = (uint64_t)status.st_size;
	check->summary->byte_count += check->byte_count;
	r = check_open_file(check, kind, number);
	if (check->fd >= 0)
		close(TAKE_FD(check->fd));
	return r;
}

static int check_kind(struct check *check, enum store_kind kind)
{
	SCOPED_FREE uint64_t *numbers = NULL;
	size_t count = 0;
	int r = store_dir_list(&check->dir, kind, &numbers, &count);

	for (size_t i = 0; r == 0 && i < count; i++)
		r = check_file(check, kind, numbers[i]);
	return r;
}

int store_check(const char *path, store_check_fn found, void *context,
	struct store_check_summary *ret_summary)
{
	struct store_check_summary summary = {0};
	struct check check = {.found = found, .context = context, .summary = &summary, .fd = -1};
	int r = store_dir_open(&check.dir, path, true, summary.problem);

	if (r == 0) {
		/* Logs first: what is compacted meanwhile is looked at as a segment. */
		r = check_kind(&check, STORE_LOG);
		if (r == 0)
			r = check_kind(&check, STORE_SEGMENT);
		if (r < 0) {
			snprintf(summary.problem, sizeof(summary.problem), "%s: %s", path,
				fault_text(r));
		}
		store_dir_close(&check.dir);
	}
	*ret_summary = summary;
	return r;
}
