/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A method is a list of fields: number, name in JSON, what kind of value, and where in the request it
 * goes. Both readers walk over what the body has and look each field up there.
 */
#include "symbolizer-server/querier/querier_request.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer-server/ingest/proto_field.h"

/* Texts of one request, with what aligns them. */
#define ARENA_BYTES_MAX (4 * QUERIER_REQUEST_BYTES_MAX)

enum kind { TEXT, TEXTS, NUMBER, DECIMAL, CALL_SITE, SIDE };

struct field {
	struct reply_field name;
	const char *own_name; /* as in the .proto file, which JSON may also have; NULL: the same */
	enum kind kind;
	size_t offset;
};

#define AT(member) offsetof(struct querier_request, member)
#define FIELD_COUNT_MAX 12

#define TYPE_AND_SELECTOR                                                  \
	{{1, "profileTypeID"}, "profile_typeID", TEXT, AT(type)},          \
	{                                                                  \
		{2, "labelSelector"}, "label_selector", TEXT, AT(selector) \
	}
#define RANGE(first)                                           \
	{{(first), "start"}, NULL, NUMBER, AT(start_ms)},      \
	{                                                      \
		{(first) + 1, "end"}, NULL, NUMBER, AT(end_ms) \
	}
#define NODES(number)                                                      \
	{                                                                  \
		{(number), "maxNodes"}, "max_nodes", NUMBER, AT(nodes_max) \
	}

static const struct field fields[QUERIER_METHOD_COUNT][FIELD_COUNT_MAX] = {
	[QUERIER_ProfileTypes] = {RANGE(1)},
	[QUERIER_LabelValues] = {{{1, "name"}, NULL, TEXT, AT(name)},
		{{2, "matchers"}, NULL, TEXTS, AT(matchers)}, RANGE(3)},
	[QUERIER_LabelNames] = {{{1, "matchers"}, NULL, TEXTS, AT(matchers)}, RANGE(2)},
	[QUERIER_Series] = {{{1, "matchers"}, NULL, TEXTS, AT(matchers)},
		{{2, "labelNames"}, "label_names", TEXTS, AT(names)}, RANGE(3)},
	[QUERIER_SelectMergeStacktraces] = {TYPE_AND_SELECTOR, RANGE(3), NODES(5),
		{{6, "format"}, NULL, NUMBER, AT(format)},
		{{7, "stackTraceSelector"}, "stack_trace_selector", CALL_SITE, AT(call_site)},
		{{8, "profileIdSelector"}, "profile_id_selector", TEXTS, AT(spans)},
		{{10, "traceIdSelector"}, "trace_id_selector", TEXTS, AT(spans)},
		{{11, "spanSelector"}, "span_selector", TEXTS, AT(spans)}},
	[QUERIER_SelectMergeSpanProfile] = {TYPE_AND_SELECTOR,
		{{3, "spanSelector"}, "span_selector", TEXTS, AT(spans)}, RANGE(4), NODES(6),
		{{7, "format"}, NULL, NUMBER, AT(format)}},
	[QUERIER_SelectMergeProfile] = {TYPE_AND_SELECTOR, RANGE(3), NODES(5),
		{{6, "stackTraceSelector"}, "stack_trace_selector", CALL_SITE, AT(call_site)},
		{{7, "profileIdSelector"}, "profile_id_selector", TEXTS, AT(spans)},
		{{8, "traceIdSelector"}, "trace_id_selector", TEXTS, AT(spans)}},
	[QUERIER_SelectSeries] = {TYPE_AND_SELECTOR, RANGE(3),
		{{5, "groupBy"}, "group_by", TEXTS, AT(names)},
		{{6, "step"}, NULL, DECIMAL, AT(step_s)},
		{{7, "aggregation"}, NULL, NUMBER, AT(aggregation)},
		{{8, "stackTraceSelector"}, "stack_trace_selector", CALL_SITE, AT(call_site)},
		{{9, "limit"}, NULL, NUMBER, AT(limit)}},
	[QUERIER_Diff] = {{{1, "left"}, NULL, SIDE, AT(left)},
		{{2, "right"}, NULL, SIDE, AT(right)}},
	[QUERIER_GetProfileStats] = {{{0, NULL}, NULL, TEXT, 0}},
};

/* One message that is read. */
struct reading {
	struct querier_request *request;
	enum querier_method method;
	struct ingest_fault *fault;
};

enum querier_method querier_method_of(const char *name)
{
	static const char *const names[] = {
#define QUERIER_METHOD_TEXT(name) #name,
		QUERIER_METHODS(QUERIER_METHOD_TEXT)
#undef QUERIER_METHOD_TEXT
	};
	enum querier_method method = 0;

	while (method < QUERIER_METHOD_COUNT && strcmp(name, names[method]) != 0)
		method++;
	return method;
}

/* ---- What a value becomes ---- */

static void *at(struct querier_request *request, const struct field *field)
{
	return (char *)request + field->offset;
}

static int put_text(
	const struct reading *reading, const char *text, size_t length, const char **ret_text)
{
	char *copy;

	if (memchr(text, '\0', length))
		return ingest_refuse(reading->fault, -EINVAL, "a text of the request holds a NUL");
	copy = arena_copy_text(&reading->request->arena, text, length);
	if (!copy)
		return -ENOMEM;
	*ret_text = copy;
	return 0;
}

static int add_text(
	const struct reading *reading, const struct field *field, const char *text, size_t length)
{
	struct querier_texts *texts = at(reading->request, field);

	if (texts->count == QUERIER_TEXT_COUNT_MAX)
		return ingest_refuse(reading->fault, -E2BIG, "%s: at most %u may stand here",
			field->name.name, QUERIER_TEXT_COUNT_MAX);
	return put_text(reading, text, length, &texts->texts[texts->count++]);
}

static int take_text(
	const struct reading *reading, const struct field *field, const char *text, size_t length)
{
	if (field->kind == TEXTS || field->kind == CALL_SITE)
		return add_text(reading, field, text, length);
	return put_text(reading, text, length, at(reading->request, field));
}

static int add_side(
	const struct reading *reading, const struct field *field, struct querier_request **ret_side)
{
	struct querier_request **side = at(reading->request, field);

	if (!*side)
		*side = calloc(1, sizeof(**side));
	if (!*side)
		return -ENOMEM;
	arena_done(&(*side)->arena);
	**side = (struct querier_request){.type = "", .selector = "", .name = ""};
	arena_init(&(*side)->arena, ARENA_BYTES_MAX);
	*ret_side = *side;
	return 0;
}

/* ---- Protobuf ---- */

static int refuse_bytes(const struct reading *reading)
{
	return ingest_refuse(
		reading->fault, -EBADMSG, "the body is no such request in protobuf, or cut off");
}

/* StackTraceSelector.call_site[].name */
static int read_call_site(
	const struct reading *reading, const struct field *field, const struct proto_field *value)
{
	struct proto_message selector, location;
	struct proto_field site, name;
	int r = 0;

	proto_message_init(&selector, value->bytes, value->byte_count);
	while (r == 0 && proto_next(&selector, &site)) {
		if (site.number != 1 || site.wire != PROTO_BYTES)
			continue;
		proto_message_init(&location, site.bytes, site.byte_count);
		while (r == 0 && proto_next(&location, &name)) {
			if (name.number == 1 && name.wire == PROTO_BYTES)
				r = add_text(
					reading, field, (const char *)name.bytes, name.byte_count);
		}
		if (r == 0 && proto_fault(&location) < 0)
			r = refuse_bytes(reading);
	}
	if (r == 0 && proto_fault(&selector) < 0)
		r = refuse_bytes(reading);
	return r;
}

static const struct field *find_number(enum querier_method method, uint32_t number)
{
	for (size_t i = 0; i < FIELD_COUNT_MAX && fields[method][i].name.number != 0; i++) {
		if (fields[method][i].name.number == number)
			return &fields[method][i];
	}
	return NULL;
}

static int read_proto_value(
	const struct reading *reading, const struct field *field, const struct proto_field *value)
{
	enum proto_wire wire = field->kind == NUMBER ? PROTO_VARINT
		: field->kind == DECIMAL	     ? PROTO_FIXED64
						     : PROTO_BYTES;

	if (value->wire != wire)
		return refuse_bytes(reading);
	switch (field->kind) {
	case NUMBER:
		memcpy(at(reading->request, field), &value->value, sizeof(int64_t));
		return 0;
	case DECIMAL:
		memcpy(at(reading->request, field), &value->value, sizeof(double));
		return 0;
	case CALL_SITE:
		return read_call_site(reading, field, value);
	case TEXT:
	case TEXTS:
	case SIDE:
		break;
	}
	return take_text(reading, field, (const char *)value->bytes, value->byte_count);
}

static int read_flat_proto(const struct reading *reading, const void *bytes, size_t byte_count)
{
	struct proto_message message;
	struct proto_field value;
	int r = 0;

	proto_message_init(&message, bytes, byte_count);
	while (r == 0 && proto_next(&message, &value)) {
		const struct field *field = find_number(reading->method, value.number);

		if (field && field->kind != SIDE)
			r = read_proto_value(reading, field, &value);
	}
	if (r == 0 && proto_fault(&message) < 0)
		r = refuse_bytes(reading);
	return r;
}

static int read_proto(const struct reading *reading, struct ingest_text body)
{
	struct proto_message message;
	struct proto_field value;
	int r = read_flat_proto(reading, body.text, body.length);

	proto_message_init(&message, body.text, body.length);
	while (r == 0 && proto_next(&message, &value)) {
		const struct field *field = find_number(reading->method, value.number);
		struct reading side = *reading;

		if (!field || field->kind != SIDE)
			continue;
		if (value.wire != PROTO_BYTES)
			return refuse_bytes(reading);
		side.method = QUERIER_SelectMergeStacktraces;
		r = add_side(reading, field, &side.request);
		if (r == 0)
			r = read_flat_proto(&side, value.bytes, value.byte_count);
	}
	return r;
}

/* ---- JSON ---- */

static const cJSON *find_member(const cJSON *object, const struct field *field)
{
	const cJSON *member = cJSON_GetObjectItemCaseSensitive(object, field->name.name);

	/* Protobuf's JSON takes a field by its own name, too. */
	if (!member && field->own_name)
		member = cJSON_GetObjectItemCaseSensitive(object, field->own_name);
	return member;
}

static int refuse_member(const struct reading *reading, const struct field *field)
{
	return ingest_refuse(reading->fault, -EINVAL, "%s: another kind of value must stand here",
		field->name.name);
}

/* The names of enumerations end in what tells them apart. */
static bool read_enum(const char *text, int64_t *ret_number)
{
	static const struct {
		const char *end;
		int64_t number;
	} names[] = {
		{"_UNSPECIFIED", QUERIER_FORMAT_DEFAULT},
		{"_FORMAT_FLAMEGRAPH", QUERIER_FLAMEGRAPH},
		{"_FORMAT_TREE", QUERIER_TREE},
		{"_FORMAT_DOT", QUERIER_DOT},
		{"_TYPE_SUM", QUERIER_SUM},
		{"_TYPE_AVERAGE", QUERIER_AVERAGE},
	};
	size_t length = strlen(text);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t end = strlen(names[i].end);

		if (length >= end && strcmp(text + length - end, names[i].end) == 0) {
			*ret_number = names[i].number;
			return true;
		}
	}
	return false;
}

/* Numbers of 64 bits are texts there, and may be numbers. */
static int read_json_number(
	const struct reading *reading, const struct field *field, const cJSON *member)
{
	int64_t *number = at(reading->request, field);
	const char *text = cJSON_GetStringValue(member);
	char *end;

	if (!text) {
		double value = cJSON_GetNumberValue(member);

		if (!(value >= -9e18 && value <= 9e18))
			return refuse_member(reading, field);
		*number = (int64_t)value;
		return 0;
	}
	errno = 0;
	*number = strtoll(text, &end, 10);
	if ((*end || end == text || errno != 0) && !read_enum(text, number))
		return refuse_member(reading, field);
	return 0;
}

static int read_json_texts(
	const struct reading *reading, const struct field *field, const cJSON *list)
{
	const cJSON *member;
	int r = cJSON_IsArray(list) ? 0 : refuse_member(reading, field);

	cJSON_ArrayForEach(member, list)
	{
		const cJSON *name = field->kind == CALL_SITE
			? cJSON_GetObjectItemCaseSensitive(member, "name")
			: member;
		const char *text = cJSON_GetStringValue(name);

		if (r == 0)
			r = text ? add_text(reading, field, text, strlen(text))
				 : refuse_member(reading, field);
	}
	return r;
}

static const cJSON *call_site_of(const cJSON *selector)
{
	const cJSON *sites = cJSON_GetObjectItemCaseSensitive(selector, "callSite");

	return sites ? sites : cJSON_GetObjectItemCaseSensitive(selector, "call_site");
}

static int read_json_value(
	const struct reading *reading, const struct field *field, const cJSON *member)
{
	double *decimal = at(reading->request, field);
	const char *text = cJSON_GetStringValue(member);

	switch (field->kind) {
	case TEXT:
		return text ? take_text(reading, field, text, strlen(text))
			    : refuse_member(reading, field);
	case TEXTS:
		return read_json_texts(reading, field, member);
	case CALL_SITE:
		member = call_site_of(member);
		return member ? read_json_texts(reading, field, member) : 0;
	case NUMBER:
		return read_json_number(reading, field, member);
	case DECIMAL:
		if (!cJSON_IsNumber(member))
			return refuse_member(reading, field);
		*decimal = cJSON_GetNumberValue(member);
		return 0;
	case SIDE:
		break;
	}
	return 0;
}

static int read_flat_json(const struct reading *reading, const cJSON *object)
{
	const struct field *field = fields[reading->method];
	int r = 0;

	if (!cJSON_IsObject(object))
		return ingest_refuse(reading->fault, -EBADMSG, "the body is no JSON object {...}");
	for (size_t i = 0; r == 0 && i < FIELD_COUNT_MAX && field[i].name.number != 0; i++) {
		const cJSON *member = find_member(object, &field[i]);

		/* As if it were not there. */
		if (member && !cJSON_IsNull(member))
			r = read_json_value(reading, &field[i], member);
	}
	return r;
}

static int read_json(const struct reading *reading, struct ingest_text body)
{
	const struct field *field = fields[reading->method];
	cJSON *object = cJSON_ParseWithLength(body.text, body.length);
	int r = read_flat_json(reading, object);

	for (size_t i = 0; r == 0 && i < FIELD_COUNT_MAX && field[i].kind == SIDE; i++) {
		const cJSON *member = find_member(object, &field[i]);
		struct reading side = *reading;

		if (!member || cJSON_IsNull(member))
			continue;
		side.method = QUERIER_SelectMergeStacktraces;
		r = add_side(reading, &field[i], &side.request);
		if (r == 0)
			r = read_flat_json(&side, member);
	}
	cJSON_Delete(object);
	return r;
}

/* ---- */

int querier_request_init(struct querier_request *request, enum querier_method method,
	enum reply_codec codec, struct ingest_text body, struct ingest_fault *fault)
{
	const struct reading reading = {request, method, fault};
	int r;

	*request = (struct querier_request){.type = "", .selector = "", .name = ""};
	arena_init(&request->arena, ARENA_BYTES_MAX);
	r = codec == REPLY_JSON ? read_json(&reading, body) : read_proto(&reading, body);
	if (r < 0)
		querier_request_done(request);
	return r;
}

static void side_free(struct querier_request *side)
{
	if (!side)
		return;
	arena_done(&side->arena);
	free(side);
}

void querier_request_done(struct querier_request *request)
{
	side_free(request->left);
	side_free(request->right);
	arena_done(&request->arena);
	*request = (struct querier_request){.type = ""};
}
