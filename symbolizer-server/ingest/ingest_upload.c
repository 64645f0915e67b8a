/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/ingest_upload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "store/base/deflate.h"
#include "symbolizer-server/ingest/app_name.h"
#include "symbolizer-server/ingest/body_format.h"
#include "symbolizer-server/ingest/cpuprofile_read.h"
#include "symbolizer-server/ingest/folded_read.h"
#include "symbolizer-server/ingest/form_data.h"
#include "symbolizer-server/ingest/jfr_read.h"
#include "symbolizer-server/ingest/perf_script_read.h"
#include "symbolizer-server/ingest/pprof_config.h"
#include "symbolizer-server/ingest/pprof_read.h"
#include "symbolizer-server/ingest/profile_list.h"
#include "symbolizer-server/ingest/speedscope_read.h"
#include "symbolizer-server/ingest/tree_read.h"
#include "symbolizer-server/query/time_range.h"

/* What a request's line may hold is far less. */
#define KEY_BYTES_MAX ((size_t)1 << 20)

struct reading {
	const struct ingest_upload *upload;
	struct app_name app;
	uint64_t start_ns, until_ns;
	bool has_range;
	bool has_until;
	struct ingest_drops *drops;
	struct profile_list *profiles;
	struct ingest_fault *fault;
};

static bool is_given(const char *text)
{
	return text && text[0] != '\0';
}

/* ---- Parameters ---- */

/* What cannot be read is now: a profile with an odd time is better than none. */
static uint64_t read_time(const char *text, uint64_t now_ns)
{
	const char *what;
	uint64_t ns;

	if (!is_given(text) || time_parse(text, strlen(text), now_ns, &ns, &what) < 0)
		return now_ns;
	return ns;
}

static uint32_t read_rate(const char *text)
{
	char *end;
	unsigned long rate;

	if (!is_given(text) || text[0] == '-')
		return TEXT_TYPE_RATE_DEFAULT;
	rate = strtoul(text, &end, 10);
	return *end != '\0' || rate > UINT32_MAX ? TEXT_TYPE_RATE_DEFAULT : (uint32_t)rate;
}

static bool is_type(const struct ingest_upload *upload, const char *type)
{
	return upload->content_type && strncasecmp(upload->content_type, type, strlen(type)) == 0;
}

/* By a parameter or the type of the content. */
static bool is_told(const struct ingest_upload *upload, enum body_format *ret_format)
{
	static const struct {
		const char *name;
		enum body_format format;
	} formats[] = {{"trie", FORMAT_TRIE}, {"tree", FORMAT_TREE}, {"lines", FORMAT_LINES},
		{"jfr", FORMAT_JFR}, {"pprof", FORMAT_PPROF}, {"speedscope", FORMAT_SPEEDSCOPE},
		{"cpuprofile", FORMAT_CPUPROFILE}, {"perf_script", FORMAT_PERF_SCRIPT},
		{"folded", FORMAT_FOLDED}, {"groups", FORMAT_FOLDED}, {"collapsed", FORMAT_FOLDED}};

	for (size_t i = 0; upload->format && i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (strcmp(formats[i].name, upload->format) == 0) {
			*ret_format = formats[i].format;
			return true;
		}
	}
	if (is_type(upload, "binary/octet-stream+trie"))
		*ret_format = FORMAT_TRIE;
	else if (is_type(upload, "binary/octet-stream+tree"))
		*ret_format = FORMAT_TREE;
	else if (form_data_is(upload->content_type))
		*ret_format = FORMAT_PPROF;
	else
		return false;
	return true;
}

bool ingest_upload_is_recording(const struct ingest_upload *upload, struct ingest_text body)
{
	enum body_format format;

	return is_told(upload, &format) ? format == FORMAT_JFR : jfr_is(body);
}

int ingest_upload_key(
	const struct ingest_upload *upload, struct ingest_text body, struct hash128 *ret_key)
{
	const char *const texts[] = {upload->name, upload->from, upload->until, upload->sample_rate,
		upload->spy_name, upload->units, upload->format};
	struct hash128 of_body = hash128_bytes(body.text, body.length);
	struct bytes_writer writer;
	int r;

	bytes_writer_init(&writer, KEY_BYTES_MAX);
	bytes_write_u64(&writer, of_body.low);
	bytes_write_u64(&writer, of_body.high);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		bytes_write_span(
			&writer, texts[i] ? texts[i] : "", texts[i] ? strlen(texts[i]) + 1 : 1);
	r = bytes_writer_fault(&writer);
	if (r == 0)
		*ret_key = hash128_bytes(writer.bytes, writer.byte_count);
	bytes_writer_done(&writer);
	return r;
}

int ingest_unpack(struct ingest_text body, struct bytes_writer *writer,
	struct ingest_text *ret_body, struct ingest_fault *fault)
{
	size_t bytes_max = INGEST_UNPACKED_RATIO * body.length, length = 0;
	int r;

	if (!gunzip_is(body.text, body.length)) {
		bytes_writer_init(writer, 0);
		*ret_body = body;
		return 0;
	}
	if (bytes_max < INGEST_UNPACKED_BYTES_MIN)
		bytes_max = INGEST_UNPACKED_BYTES_MIN;
	if (bytes_max > INGEST_UNPACKED_BYTES_MAX)
		bytes_max = INGEST_UNPACKED_BYTES_MAX;
	/* Unpacked twice: that costs a tenth of what reading does, and what is too large takes no memory,
	 * anything else no more than it has. */
	r = gunzip_length(body.text, body.length, bytes_max, &length);
	bytes_writer_init(writer, length);
	bytes_writer_expect(writer, length);
	if (r == 0)
		r = gunzip_write(writer, body.text, body.length);
	if (r == -EFBIG) {
		return ingest_refuse(
			fault, -E2BIG, "the body is larger than %zu bytes unpacked", bytes_max);
	}
	if (r == -EBADMSG)
		return ingest_refuse(fault, -EBADMSG, "the body is gzip, but damaged or cut off");
	*ret_body = (struct ingest_text){(const char *)writer->bytes, writer->byte_count};
	return r;
}

/* ---- Series ---- */

static struct ingest_text text_of(const char *text)
{
	return (struct ingest_text){text, strlen(text)};
}

static int add_label(struct ingest_batch *batch, const char *key, struct ingest_text value)
{
	return ingest_batch_label(batch, (struct ingest_label){text_of(key), value});
}

/* The labels of the name, and who sent it. SERVICE is what a service is called that has no label
 * of that name; APP, where the name says more than the service does. */
static int add_labels(const struct reading *reading, struct ingest_batch *batch,
	struct ingest_text service, bool keeps_app)
{
	const struct app_name *app = &reading->app;
	const char *spy = reading->upload->spy_name;
	const struct ingest_text *given = app_name_label(app, "service_name");
	int r = 0;

	if (!given || given->length == 0) {
		r = add_label(batch, "service_name", service);
	} else if (keeps_app && !app_name_label(app, "app_name")) {
		r = add_label(batch, "app_name", service);
	}
	if (r == 0 && is_given(spy))
		r = add_label(batch, "pyroscope_spy", text_of(spy));
	for (uint32_t i = 0; r == 0 && i < app->label_count; i++)
		r = ingest_batch_label(batch, app->labels[i]);
	batch->drops.labels_dropped += app->dropped_count;
	return r;
}

static int finish_batch(const struct reading *reading, struct ingest_batch *batch, int r)
{
	return ingest_batch_finish(batch, r, reading->profiles, reading->drops, reading->fault);
}

/* ---- Bodies ---- */

static int read_text(
	const struct reading *reading, enum body_format format, struct ingest_text body)
{
	struct text_type type = text_type_of(
		reading->app.app, reading->upload->units, read_rate(reading->upload->sample_rate));
	struct text_target target = {.period = type.period};
	struct ingest_batch batch;
	int r = ingest_batch_init(&batch, reading->start_ns, reading->until_ns);

	if (r < 0)
		return r;
	r = add_labels(reading, &batch, type.service, true);
	if (r == 0)
		r = ingest_batch_series(&batch, NULL, 0, NULL, &target.series);
	if (r == 0) {
		r = ingest_batch_type(
			&batch, type.type, type.period > 1 ? type.period : 0, &target.table);
	}
	if (r == 0 && format == FORMAT_FOLDED) {
		r = folded_read(&batch, &target, body, reading->fault);
	} else if (r == 0 && format == FORMAT_LINES) {
		r = folded_read_lines(&batch, &target, body, reading->fault);
	} else if (r == 0 && format == FORMAT_TREE) {
		r = tree_read(&batch, &target, body, reading->fault);
	} else if (r == 0) {
		r = trie_read(&batch, &target, body, reading->fault);
	}
	return finish_batch(reading, &batch, r);
}

static int read_pprof(
	const struct reading *reading, struct ingest_text packed, const struct pprof_config *config)
{
	struct pprof_options options = {
		.renames = config ? config->renames : NULL,
		.rename_count = config ? config->count : 0,
		.start_ns = reading->start_ns,
		.until_ns = reading->until_ns,
		.own_time_first = !reading->has_range,
	};
	struct bytes_writer writer = {0};
	struct ingest_batch batch;
	struct ingest_text body = {"", 0};
	struct pprof *pprof = NULL;
	uint64_t start_ns, until_ns;
	int r = ingest_unpack(packed, &writer, &body, reading->fault);

	if (r == 0)
		r = pprof_open(body, &pprof, reading->fault);
	if (r == 0) {
		pprof_window(pprof, &options, &start_ns, &until_ns);
		r = ingest_batch_init(&batch, start_ns, until_ns);
	}
	if (r == 0) {
		r = add_labels(reading, &batch, reading->app.app, false);
		if (r == 0)
			r = pprof_add(pprof, &options, &batch, reading->fault);
		r = finish_batch(reading, &batch, r);
	}
	pprof_free(pprof);
	bytes_writer_done(&writer);
	return r;
}

/* What a part of a form is packed in; what is wrong with it is said of the part. */
static int unpack_part(const struct reading *reading, const char *name, struct ingest_text *part,
	struct bytes_writer *writer)
{
	int r = ingest_unpack(*part, writer, part, reading->fault);
	struct ingest_fault fault = *reading->fault;

	if (r == 0 || r == -ENOMEM)
		return r;
	return ingest_refuse(reading->fault, r, "part %s: %s", name, fault.text);
}

/* Each chunk tells its own time; where the sender tells one, that is the time of all. */
static int add_recording(const struct reading *reading, struct jfr *jfr)
{
	uint64_t start_ns = reading->start_ns, until_ns = reading->until_ns;
	struct ingest_batch batch;
	bool is_open = false;
	int r, found = 0;

	for (r = 0; r == 0 && (found = jfr_next(jfr, reading->fault)) == 1;) {
		if (!is_open) {
			if (!reading->has_range)
				jfr_window(jfr, &start_ns, &until_ns);
			r = ingest_batch_init(&batch, start_ns, until_ns);
			is_open = r == 0;
			if (is_open)
				r = add_labels(reading, &batch, reading->app.app, false);
		}
		if (r == 0)
			r = jfr_add(jfr, &batch, reading->fault);
		if (is_open && !reading->has_range) {
			r = finish_batch(reading, &batch, r);
			is_open = false;
		}
	}
	if (r == 0)
		r = found;
	return is_open ? finish_batch(reading, &batch, r) : r;
}

/* LABELS is empty where the sender has none. */
static int read_jfr(
	const struct reading *reading, struct ingest_text recording, struct ingest_text labels)
{
	const char *rate = reading->upload->sample_rate;
	struct jfr_contexts contexts;
	struct jfr_options options = {.contexts = &contexts,
		.sample_rate = is_given(rate) ? read_rate(rate) : 0,
		.now_ns = reading->upload->now_ns};
	struct bytes_writer writers[2] = {{0}, {0}};
	struct jfr jfr;
	int r = unpack_part(reading, "jfr", &recording, &writers[0]);

	if (r == 0)
		r = unpack_part(reading, "labels", &labels, &writers[1]);
	if (r == 0)
		r = jfr_contexts_init(&contexts, labels, reading->fault);
	if (r == 0) {
		r = jfr_init(&jfr, &options, recording, reading->fault);
		if (r == 0)
			r = add_recording(reading, &jfr);
		jfr_contexts_done(&contexts);
	}
	bytes_writer_done(&writers[0]);
	bytes_writer_done(&writers[1]);
	return r;
}

/* The window of a recording that tells how long it is and not when it was: it ends at the end of the
 * sender's range, else it begins where that begins, else it ends now. */
static int begin_recording(
	const struct reading *reading, uint64_t duration_ns, struct ingest_batch *batch)
{
	uint64_t start_ns = reading->start_ns, until_ns = reading->until_ns;

	if (!reading->has_range)
		start_ns = until_ns > duration_ns ? until_ns - duration_ns : 0;
	else if (!reading->has_until && duration_ns > 0)
		until_ns = start_ns + duration_ns;
	return ingest_batch_init(batch, start_ns, until_ns);
}

static int read_speedscope(const struct reading *reading, struct ingest_text body)
{
	const struct speedscope_options options = {
		.app = reading->app.app,
		.units = reading->upload->units,
		.rate = read_rate(reading->upload->sample_rate),
	};
	struct ingest_batch batch;
	struct speedscope file;
	struct json_view json;
	int r = json_view_check(body, &json, reading->fault);

	if (r == 0)
		r = speedscope_open(json, &file, reading->fault);
	if (r == 0)
		r = begin_recording(reading, speedscope_duration_ns(&file), &batch);
	if (r != 0)
		return r;
	r = add_labels(reading, &batch,
		text_type_of(options.app, options.units, options.rate).service, true);
	if (r == 0)
		r = speedscope_add(&file, &options, &batch, reading->fault);
	return finish_batch(reading, &batch, r);
}

/* V8's samples tell how time passed, also while it was idle. */
static int read_cpuprofile(const struct reading *reading, struct ingest_text body)
{
	struct text_type type = text_type_in(reading->app.app, "nanoseconds");
	struct cpuprofile *file = NULL;
	struct ingest_batch batch;
	struct json_view json;
	int r = json_view_check(body, &json, reading->fault);

	if (r == 0)
		r = cpuprofile_open(json, &file, reading->fault);
	if (r == 0)
		r = begin_recording(reading, cpuprofile_duration_ns(file), &batch);
	if (r == 0) {
		r = add_labels(reading, &batch, type.service, true);
		if (r == 0)
			r = cpuprofile_add(file, type.type, &batch, reading->fault);
		r = finish_batch(reading, &batch, r);
	}
	cpuprofile_free(file);
	return r;
}

static int read_perf_script(const struct reading *reading, struct ingest_text body)
{
	const char *rate = reading->upload->sample_rate;
	struct ingest_text service = text_type_in(reading->app.app, "nanoseconds").service;
	struct ingest_batch batch;
	int r = begin_recording(reading, perf_script_duration_ns(body), &batch);

	if (r < 0)
		return r;
	r = add_labels(reading, &batch, service, true);
	if (r == 0) {
		r = perf_script_read(
			&batch, is_given(rate) ? read_rate(rate) : 0, body, reading->fault);
	}
	return finish_batch(reading, &batch, r);
}

static bool is_part(const struct form_part *part, const char *name)
{
	return part->is_file && part->body.length > 0 && part->name.length == strlen(name) &&
		memcmp(part->name.text, name, part->name.length) == 0;
}

static int read_form(const struct reading *reading, struct ingest_text body)
{
	struct pprof_config *config = NULL;
	struct form_part part, profile = {.is_file = false}, jfr = profile, labels = profile;
	struct form_data form;
	int r = form_data_init(&form, reading->upload->content_type, body, reading->fault);

	while (r == 0 && (r = form_data_next(&form, &part, reading->fault)) == 1) {
		r = 0;
		if (is_part(&part, "profile")) {
			profile = part;
		} else if (is_part(&part, "jfr")) {
			jfr = part;
		} else if (is_part(&part, "labels")) {
			labels = part;
		} else if (is_part(&part, "prev_profile")) {
			r = ingest_refuse(reading->fault, -EBADMSG,
				"prev_profile: this client sends sums since its start, which was "
				"given up years ago; use a newer one");
		} else if (is_part(&part, "sample_type_config") && !config) {
			r = pprof_config_read(part.body, &config, reading->fault);
		}
	}
	/* Nothing to store is no fault. */
	if (r == 0 && profile.body.length > 0)
		r = read_pprof(reading, profile.body, config);
	if (r == 0 && jfr.body.length > 0)
		r = read_jfr(reading, jfr.body, labels.body);
	pprof_config_free(config);
	return r;
}

static int read_body(
	const struct reading *reading, enum body_format format, struct ingest_text body)
{
	bool is_form = form_data_is(reading->upload->content_type);

	switch (format) {
	case FORMAT_PPROF:
		return is_form ? read_form(reading, body) : read_pprof(reading, body, NULL);
	case FORMAT_JFR:
		return is_form ? read_form(reading, body)
			       : read_jfr(reading, body, (struct ingest_text){"", 0});
	case FORMAT_SPEEDSCOPE:
		return read_speedscope(reading, body);
	case FORMAT_CPUPROFILE:
		return read_cpuprofile(reading, body);
	case FORMAT_PERF_SCRIPT:
		return read_perf_script(reading, body);
	case FORMAT_FOLDED:
	case FORMAT_LINES:
	case FORMAT_TREE:
	case FORMAT_TRIE:
		break;
	}
	return read_text(reading, format, body);
}

/* Files are also sent as gzip. What is mostly packed is unpacked by its own reader, which knows how
 * often it may be. */
static int read_unpacked(const struct reading *reading, struct ingest_text body)
{
	struct bytes_writer writer = {0};
	struct ingest_text text = body;
	enum body_format format = FORMAT_PPROF;
	bool told = is_told(reading->upload, &format);
	bool unpacks = told && (format == FORMAT_PPROF || format == FORMAT_JFR);
	int r = unpacks ? 0 : ingest_unpack(body, &writer, &text, reading->fault);

	if (r == 0 && !told)
		format = body_format_guess(text);
	if (r == 0) {
		unpacks = format == FORMAT_PPROF || format == FORMAT_JFR;
		r = read_body(reading, format, unpacks ? body : text);
	}
	bytes_writer_done(&writer);
	return r;
}

int ingest_upload_read(const struct ingest_upload *upload, struct ingest_text body,
	struct profile_list *profiles, struct ingest_drops *drops, struct ingest_fault *fault)
{
	struct reading reading = {.upload = upload,
		.start_ns = read_time(upload->from, upload->now_ns),
		.until_ns = read_time(upload->until, upload->now_ns),
		.has_range = is_given(upload->from),
		.has_until = is_given(upload->until),
		.drops = drops,
		.profiles = profiles,
		.fault = fault};
	struct bytes_writer writer = {0};
	int r;

	if (!is_given(upload->name)) {
		return ingest_refuse(fault, -EINVAL,
			"name: the parameter is missing; it names the service, as in "
			"/ingest?name=web.cpu{region=eu}");
	}
	r = app_name_parse(upload->name, &reading.app, fault);
	/* Compression of the whole body; that of a profile in it is the profile's own. */
	if (r == 0 && upload->content_encoding && strcasecmp(upload->content_encoding, "gzip") == 0)
		r = ingest_unpack(body, &writer, &body, fault);
	if (r == 0)
		r = read_unpacked(&reading, body);
	/* A recording whose later chunks are damaged is not stored in part. */
	if (r < 0)
		profile_list_done(profiles);
	bytes_writer_done(&writer);
	return r;
}
