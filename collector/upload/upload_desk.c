/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/upload/upload_desk.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "collector/process/locate.h"
#include "collector/upload/upload_job.h"
#include "store/base/fault.h"
#include "store/base/queue.h"
#include "store/log/log.h"

/* One that is sent, and the next one so that the line is never idle. */
#define UNDER_WAY_MAX 2
/* Found and waiting for their turn, the smallest first: at 10 megabits a second one large file
 * would keep a hundred small ones from having names. Each holds a descriptor. */
#define READY_MAX 32
/* A host that runs everything of a distribution has some 2,000 modules; the server asks again. */
#define WAITING_MAX 4096

struct upload_desk {
	struct upload_desk_config config;
	struct queue wants; /* of struct upload_want, malloc'ed */
	struct upload_job *ready[READY_MAX];
	unsigned ready_count;
	_Atomic uint32_t under_way;
	_Atomic bool forbidden_told;
	int event_fd;
};

int upload_desk_new(const struct upload_desk_config *config, struct upload_desk **ret_desk)
{
	struct upload_desk *desk = calloc(1, sizeof(*desk));
	int r;

	if (!desk)
		return -ENOMEM;
	desk->config = *config;
	r = queue_init(&desk->wants, WAITING_MAX);
	if (r < 0) {
		free(desk);
		return r;
	}
	desk->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (desk->event_fd < 0) {
		r = -errno;
		queue_done(&desk->wants);
		free(desk);
		return r;
	}
	*ret_desk = desk;
	return 0;
}

void upload_desk_free(struct upload_desk *desk)
{
	void *want;

	if (!desk)
		return;
	while (queue_pop(&desk->wants, 0, &want) == 0)
		free(want);
	for (unsigned i = 0; i < desk->ready_count; i++)
		upload_job_free(desk->ready[i]);
	queue_done(&desk->wants);
	close(desk->event_fd);
	free(desk);
}

static void wake(struct upload_desk *desk)
{
	uint64_t one = 1;

	/* It can only fail when the counter is full, and then the reader is awake. */
	if (write(desk->event_fd, &one, sizeof(one)) < 0)
		return;
}

void upload_desk_want(void *context, const struct upload_want *want)
{
	struct upload_desk *desk = context;
	struct upload_want *copy = malloc(sizeof(*copy));

	tally_add(desk->config.tally, TALLY_wants_received, 1);
	if (copy)
		*copy = *want;
	if (!copy || queue_push(&desk->wants, copy) < 0) {
		free(copy);
		tally_add(desk->config.tally, TALLY_wants_dropped, 1);
		return;
	}
	wake(desk);
}

int upload_desk_poll_fd(const struct upload_desk *desk)
{
	return desk->event_fd;
}

/* --- an upload's end -----------------------------------------------------------------------------
 */

static const char *form_of(const struct upload_job *job)
{
	switch (job->source) {
	case UPLOAD_WHOLE:
		return "whole file";
	case UPLOAD_SLIM:
		return "without code and data";
	case UPLOAD_SYMBOLS:
		return "names of functions";
	}
	return "";
}

static void log_end(struct upload_desk *desk, const struct upload_job *job, int result)
{
	switch (result) {
	case 0:
		tally_add(desk->config.tally, TALLY_uploads_done, 1);
		tally_add(desk->config.tally, TALLY_upload_bytes, job->offset);
		log_info("uploaded %s (%s): %llu bytes, %s", job->name, job->build_id,
			(unsigned long long)job->offset, form_of(job));
		break;
	case -EEXIST:
	case -ENOENT:
		log_info("not uploaded %s (%s): the server has it or needs it no more", job->name,
			job->build_id);
		break;
	case -ECANCELED:
		log_info("not uploaded %s (%s): the collector ends", job->name, job->build_id);
		break;
	case -EACCES:
		/* It says the same of every file. */
		tally_add(desk->config.tally, TALLY_uploads_failed, 1);
		if (!atomic_exchange(&desk->forbidden_told, true)) {
			log_warning(0,
				"the server takes no uploads from this host (its "
				"--insecure-uploads)");
		}
		break;
	default:
		tally_add(desk->config.tally, TALLY_uploads_failed, 1);
		log_warning(result, "upload of %s (%s) broke off", job->name, job->build_id);
		break;
	}
}

static void finish_job(void *context, int result)
{
	struct upload_job *job = context;
	struct upload_desk *desk = job->owner;

	log_end(desk, job, result);
	upload_job_free(job);
	atomic_fetch_sub(&desk->under_way, 1);
	wake(desk);
}

static ssize_t read_job(void *context, void *bytes, size_t byte_count)
{
	return upload_job_read(context, bytes, byte_count);
}

/* --- decisions -----------------------------------------------------------------------------------
 */

static const char *reason_of(int error)
{
	switch (error) {
	case -ENOENT:
		return "the file is not there any more";
	case -ESTALE:
		return "another build stands at its path now";
	case -ENODATA:
		return "it carries no symbols, and contents are not sent (--upload stripped)";
	case -EACCES:
	case -EPERM:
		return "a privilege to read it is missing";
	default:
		return fault_text(error);
	}
}

static bool is_denied(const struct upload_rules *rules, const char *path)
{
	for (size_t i = 0; i < rules->deny_count; i++) {
		if (fnmatch(rules->deny[i], path, 0) == 0)
			return true;
	}
	return false;
}

/* Gives a job or the reason why there is none. */
static struct upload_job *make_file_job(
	struct upload_desk *desk, const struct upload_want *want, const char **ret_reason)
{
	const struct upload_rules *rules = &desk->config.rules;
	struct upload_job *job;
	const char *path;
	int fd, r;

	if (rules->mode == UPLOAD_MODE_NEVER) {
		*ret_reason = "denied by --upload never";
		return NULL;
	}
	fd = locate_file(desk->config.processes, &want->id, &path);
	if (fd < 0) {
		*ret_reason = reason_of(fd);
		return NULL;
	}
	if (is_denied(rules, path)) {
		close(fd);
		*ret_reason = "denied by --upload-deny";
		return NULL;
	}
	r = upload_job_new_file(fd, rules->mode == UPLOAD_MODE_STRIPPED, &job);
	if (r < 0) {
		*ret_reason = reason_of(r);
		return NULL;
	}
	if (job->byte_count > rules->bytes_max) {
		upload_job_free(job);
		*ret_reason = "larger than --upload-max";
		return NULL;
	}
	return job;
}

static struct upload_job *make_symbols_job(
	struct upload_desk *desk, const struct upload_want *want, const char **ret_reason)
{
	const struct kernel_symbols *kernel = desk->config.kernel;
	const struct kernel_module *module = kernel_symbols_find(kernel, &want->id);
	struct upload_job *job;
	int r;

	if (kernel_symbols_hidden(kernel)) {
		*ret_reason = "the kernel hides its addresses (kernel.kptr_restrict or CAP_SYSLOG)";
		return NULL;
	}
	if (!module) {
		*ret_reason = "that kernel or module is not loaded any more";
		return NULL;
	}
	r = upload_job_new_symbols(module, &job);
	if (r < 0) {
		*ret_reason = reason_of(r);
		return NULL;
	}
	return job;
}

static struct upload_job *make_job(
	struct upload_desk *desk, const struct upload_want *want, const char **ret_reason)
{
	switch (want->what) {
	case UPLOAD_EXECUTABLE:
		return make_file_job(desk, want, ret_reason);
	case UPLOAD_KERNEL_SYMBOLS:
		return make_symbols_job(desk, want, ret_reason);
	default:
		*ret_reason = "this collector does not know what is meant";
		return NULL;
	}
}

static void refuse(struct upload_desk *desk, struct rpc_sink *sink, const struct upload_want *want,
	const char *reason)
{
	char build_id[BUILD_ID_TEXT_MAX];

	build_id_format(&want->id, build_id);
	tally_add(desk->config.tally, TALLY_uploads_refused, 1);
	log_info("not uploaded %s (%s): %s", want->name, build_id, reason);
	rpc_sink_refuse_want(sink, &want->id, want->what, reason);
}

/* Finds what is wanted and puts it among those that are ready, or refuses. */
static void prepare(struct upload_desk *desk, struct rpc_sink *sink, const struct upload_want *want)
{
	const char *reason = "";
	struct upload_job *job = make_job(desk, want, &reason);

	if (!job) {
		refuse(desk, sink, want, reason);
		return;
	}
	job->owner = desk;
	job->id = want->id;
	job->what = want->what;
	/* A list of symbols may be another one by now. */
	if (job->source != UPLOAD_SYMBOLS && want->offset < job->byte_count)
		job->resume_at = want->offset;
	(void)snprintf(job->name, sizeof(job->name), "%s", want->name);
	build_id_format(&want->id, job->build_id);
	desk->ready[desk->ready_count++] = job;
}

/* Takes the smallest of those that are ready. Symbols, whose size is not known, count as none. */
static struct upload_job *take_smallest(struct upload_desk *desk)
{
	unsigned smallest = 0;
	struct upload_job *job;

	for (unsigned i = 1; i < desk->ready_count; i++) {
		if (desk->ready[i]->byte_count < desk->ready[smallest]->byte_count)
			smallest = i;
	}
	job = desk->ready[smallest];
	desk->ready[smallest] = desk->ready[--desk->ready_count];
	return job;
}

static void begin(struct upload_desk *desk, struct rpc_sink *sink, struct upload_job *job)
{
	struct upload upload = {
		.id = job->id,
		.what = (enum upload_what)job->what,
		.zstd = job->source == UPLOAD_SYMBOLS,
		.reduced = job->source == UPLOAD_SLIM,
		.byte_count = job->byte_count,
		.offset = job->resume_at,
		.read = read_job,
		.done = finish_job,
		.context = job,
	};
	int r;

	atomic_fetch_add(&desk->under_way, 1);
	r = rpc_sink_upload(sink, &upload);
	if (r < 0) {
		atomic_fetch_sub(&desk->under_way, 1);
		tally_add(desk->config.tally, TALLY_uploads_failed, 1);
		log_warning(r, "upload of %s (%s) not begun", job->name, job->build_id);
		upload_job_free(job);
	}
}

void upload_desk_serve(struct upload_desk *desk, struct rpc_sink *sink)
{
	uint64_t count;
	void *item;

	/* Before looking: what comes later wakes again. */
	if (read(desk->event_fd, &count, sizeof(count)) < 0 && errno != EAGAIN)
		return;
	for (;;) {
		while (desk->ready_count < READY_MAX && queue_pop(&desk->wants, 0, &item) == 0) {
			prepare(desk, sink, item);
			free(item);
		}
		if (desk->ready_count == 0 || atomic_load(&desk->under_way) >= UNDER_WAY_MAX)
			return;
		begin(desk, sink, take_smallest(desk));
	}
}
