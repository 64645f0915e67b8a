/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/parked_uploads.h"

#include <errno.h>
#include <string.h>

void parked_uploads_init(struct parked_uploads *parked, struct upload_spool *spool)
{
	*parked = (struct parked_uploads){.spool = spool};
	pthread_mutex_init(&parked->lock, NULL);
}

/* With LOCK. Its file is the caller's to remove. */
static struct upload_file take_out(struct parked_uploads *parked, uint32_t index)
{
	struct upload_file file = parked->uploads[index].file;

	parked->uploads[index] = parked->uploads[--parked->count];
	return file;
}

static void remove_at(struct parked_uploads *parked, uint32_t index)
{
	struct upload_file file = take_out(parked, index);

	upload_file_remove(parked->spool, &file);
}

void parked_uploads_done(struct parked_uploads *parked)
{
	if (!parked->spool)
		return;
	while (parked->count > 0)
		remove_at(parked, 0);
	pthread_mutex_destroy(&parked->lock);
	*parked = (struct parked_uploads){.spool = NULL};
}

static uint32_t oldest(const struct parked_uploads *parked)
{
	uint32_t found = 0;

	for (uint32_t i = 1; i < parked->count; i++)
		if (parked->uploads[i].parked_at_ns < parked->uploads[found].parked_at_ns)
			found = i;
	return found;
}

void parked_uploads_put(struct parked_uploads *parked, const struct symbol_upload_request *request,
	const struct upload_file *file, uint64_t now_ns)
{
	struct parked_upload *upload;

	pthread_mutex_lock(&parked->lock);
	if (parked->count == PARKED_COUNT_MAX)
		remove_at(parked, oldest(parked));
	upload = &parked->uploads[parked->count++];
	*upload = (struct parked_upload){.request = *request,
		.origin = *request->origin,
		.file = *file,
		.parked_at_ns = now_ns};
	upload->request.origin = NULL;
	upload->request.offset = file->byte_count;
	pthread_mutex_unlock(&parked->lock);
}

static bool is_of(const struct parked_upload *upload, const struct build_id *id,
	const struct symbol_origin *origin)
{
	return build_id_equal(&upload->request.id, id) &&
		memcmp(&upload->origin, origin, sizeof(*origin)) == 0;
}

uint64_t parked_uploads_offset(struct parked_uploads *parked, const struct build_id *id,
	const struct symbol_origin *origin)
{
	uint64_t offset = 0;

	pthread_mutex_lock(&parked->lock);
	for (uint32_t i = 0; i < parked->count; i++)
		if (is_of(&parked->uploads[i], id, origin))
			offset = parked->uploads[i].request.offset;
	pthread_mutex_unlock(&parked->lock);
	return offset;
}

static bool goes_on(const struct parked_upload *upload, const struct symbol_upload_request *request)
{
	const struct symbol_upload_request *before = &upload->request;

	return request->origin && is_of(upload, &request->id, request->origin) &&
		request->offset > 0 && before->offset == request->offset &&
		before->byte_count == request->byte_count && before->what == request->what &&
		before->encoding == request->encoding && before->reduced == request->reduced;
}

int parked_uploads_take(struct parked_uploads *parked, const struct symbol_upload_request *request,
	struct upload_file *ret_file)
{
	struct upload_file found = {.fd = -1};

	pthread_mutex_lock(&parked->lock);
	for (uint32_t i = parked->count; i-- > 0;) {
		if (goes_on(&parked->uploads[i], request))
			found = take_out(parked, i);
		else if (build_id_equal(&parked->uploads[i].request.id, &request->id))
			remove_at(parked, i);
	}
	pthread_mutex_unlock(&parked->lock);
	if (found.fd < 0)
		return -ERANGE;
	*ret_file = found;
	return 0;
}

void parked_uploads_expire(struct parked_uploads *parked, uint64_t now_ns)
{
	pthread_mutex_lock(&parked->lock);
	for (uint32_t i = parked->count; i-- > 0;)
		if (now_ns - parked->uploads[i].parked_at_ns >= PARKED_IDLE_NS)
			remove_at(parked, i);
	pthread_mutex_unlock(&parked->lock);
}
