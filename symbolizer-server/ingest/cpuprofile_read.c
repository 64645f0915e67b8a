/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   nodes    id -> row; a node names its children by id, or its parent
 *   samples  id, and the time since the one before; sorted by time, since V8 notes some late
 *
 * A node's stack is its parent's and one frame more. Nodes stand in any order, so each is made with
 * those above it that are not there yet, from the top.
 */
#include "symbolizer-server/ingest/cpuprofile_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/profile/grow.h"

/* 292 years in microseconds: a time beyond it is damage. */
#define TIME_US_MAX 9.2e15
#define NS_PER_US UINT64_C(1000)
/* Of one name, with its escapes resolved. */
#define TEXT_BYTES_MAX ((size_t)1 << 20)
#define NONE UINT32_MAX

struct node {
	struct json_view json;
	uint64_t id;
	uint32_t parent; /* row; NONE: the root */
	uint32_t frame; /* of the batch; NONE: not made yet, as the next one */
	uint32_t stack;
};

struct sample {
	int64_t at_us; /* since the start */
	uint32_t node; /* row */
	uint32_t order; /* as it came: of equal times the first stays first */
};

struct cpuprofile {
	struct node *nodes;
	uint32_t node_count;
	uint32_t node_capacity;
	uint32_t *rows; /* of nodes, sorted by id */
	struct sample *samples;
	uint32_t sample_count;
	uint32_t sample_capacity;
	int64_t end_us; /* since the start */
};

/* `{"profile":{...}}` is an answer of Profiler.stop, `{"result":{"profile":{...}}}` its message. */
static struct json_view unwrap(struct json_view json)
{
	struct json_view result = json_view_member(json, "result");
	struct json_view profile =
		json_view_member(json_view_kind(result) == JSON_OBJECT ? result : json, "profile");

	return json_view_kind(profile) == JSON_OBJECT ? profile : json;
}

bool cpuprofile_is(struct json_view json)
{
	json = unwrap(json);
	return json_view_kind(json_view_member(json, "nodes")) == JSON_ARRAY &&
		json_view_kind(json_view_member(json, "startTime")) == JSON_NUMBER;
}

static int refuse(struct ingest_fault *fault, const char *what)
{
	return ingest_refuse(fault, -EBADMSG, "the body was read as .cpuprofile: %s", what);
}

/* ---- Nodes ---- */

static int read_node(struct cpuprofile *file, struct json_view json, struct ingest_fault *fault)
{
	struct node node = {.json = json, .parent = NONE, .frame = NONE, .stack = NONE};
	int r;

	if (!json_view_index(json_view_member(json, "id"), &node.id))
		return refuse(fault, "a node has no whole number as its id");
	r = grow_array(
		&file->nodes, &file->node_capacity, file->node_count, CPUPROFILE_NODE_COUNT_MAX);
	if (r == 0)
		file->nodes[file->node_count++] = node;
	return r;
}

static int order_of_ids(const void *one, const void *other, void *context)
{
	const struct node *nodes = context;
	uint64_t left = nodes[*(const uint32_t *)one].id;
	uint64_t right = nodes[*(const uint32_t *)other].id;

	return left < right ? -1 : left > right;
}

static uint32_t find_node(const struct cpuprofile *file, uint64_t id)
{
	uint32_t first = 0, count = file->node_count;

	while (count > 0) {
		uint32_t half = count / 2;

		if (file->nodes[file->rows[first + half]].id < id) {
			first += half + 1;
			count -= half + 1;
		} else {
			count = half;
		}
	}
	if (first == file->node_count || file->nodes[file->rows[first]].id != id)
		return NONE;
	return file->rows[first];
}

static int sort_nodes(struct cpuprofile *file, struct ingest_fault *fault)
{
	file->rows = malloc(((size_t)file->node_count + 1) * sizeof(*file->rows));
	if (!file->rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < file->node_count; i++)
		file->rows[i] = i;
	qsort_r(file->rows, file->node_count, sizeof(*file->rows), order_of_ids, file->nodes);
	for (uint32_t i = 1; i < file->node_count; i++) {
		if (file->nodes[file->rows[i]].id == file->nodes[file->rows[i - 1]].id)
			return refuse(fault, "two nodes have the same id");
	}
	return 0;
}

/* A node has one parent: a second would leave it to chance where its time belongs. */
static int set_parent(
	struct cpuprofile *file, uint32_t child, uint32_t parent, struct ingest_fault *fault)
{
	if (child == NONE || parent == NONE)
		return refuse(fault, "a node names another that is not there");
	if (file->nodes[child].parent != NONE && file->nodes[child].parent != parent)
		return refuse(fault, "a node has two parents");
	file->nodes[child].parent = parent;
	return 0;
}

static int link_node(struct cpuprofile *file, uint32_t row, struct ingest_fault *fault)
{
	struct json_view json = file->nodes[row].json, value;
	struct json_walk walk;
	uint64_t id;
	int r = 0;

	if (json_view_index(json_view_member(json, "parent"), &id))
		r = set_parent(file, row, find_node(file, id), fault);
	json_view_walk(&walk, json_view_member(json, "children"));
	while (r == 0 && json_view_next(&walk, NULL, &value)) {
		if (!json_view_index(value, &id)) {
			return refuse(fault,
				"children are no ids: profiles of Chrome before version 58 are not "
				"read");
		}
		r = set_parent(file, find_node(file, id), row, fault);
	}
	return r;
}

/* ---- Samples ---- */

/* Microseconds; some writers give fractions. */
static bool read_us(struct json_view value, double *ret_us)
{
	return json_view_number(value, ret_us) && *ret_us > -TIME_US_MAX && *ret_us < TIME_US_MAX;
}

static int64_t whole(double us)
{
	return us < 0 ? -(int64_t)(0.5 - us) : (int64_t)(us + 0.5);
}

static int add_sample(
	struct cpuprofile *file, struct json_view id_json, double at_us, struct ingest_fault *fault)
{
	struct sample sample = {.at_us = whole(at_us), .order = file->sample_count};
	uint64_t id;
	int r;

	sample.node = json_view_index(id_json, &id) ? find_node(file, id) : NONE;
	if (sample.node == NONE)
		return refuse(fault, "a sample names a node that is not there");
	r = grow_array(&file->samples, &file->sample_capacity, file->sample_count,
		CPUPROFILE_SAMPLE_COUNT_MAX);
	if (r == 0)
		file->samples[file->sample_count++] = sample;
	return r;
}

static int order_of_samples(const void *one, const void *other)
{
	const struct sample *left = one, *right = other;

	if (left->at_us != right->at_us)
		return left->at_us < right->at_us ? -1 : 1;
	return left->order < right->order ? -1 : left->order > right->order;
}

static int read_samples(struct cpuprofile *file, struct json_view json, double length_us,
	struct ingest_fault *fault)
{
	struct json_view samples = json_view_member(json, "samples"), sample, delta;
	struct json_view deltas = json_view_member(json, "timeDeltas");
	bool has_deltas = json_view_kind(deltas) == JSON_ARRAY;
	/* Without times, as some tools leave them, all stand for as much. */
	double step_us = length_us / (double)(json_view_count(samples) + 1), us, at_us = 0;
	struct json_walk walk, delta_walk;
	int r = 0;

	json_view_walk(&walk, samples);
	json_view_walk(&delta_walk, deltas);
	while (r == 0 && json_view_next(&walk, NULL, &sample)) {
		us = step_us;
		if (has_deltas &&
			(!json_view_next(&delta_walk, NULL, &delta) || !read_us(delta, &us)))
			return refuse(
				fault, "it has fewer timeDeltas than samples, or one is no number");
		at_us += has_deltas || file->sample_count > 0 ? us : 0;
		if (!(at_us > -TIME_US_MAX && at_us < TIME_US_MAX))
			return refuse(fault, "its timeDeltas add up to centuries");
		r = add_sample(file, sample, at_us, fault);
	}
	if (r == 0 && has_deltas && json_view_next(&delta_walk, NULL, &delta))
		return refuse(fault, "it has more timeDeltas than samples");
	/* Without any there is no list. */
	if (file->sample_count > 0)
		qsort(file->samples, file->sample_count, sizeof(*file->samples), order_of_samples);
	return r;
}

static int parse(struct cpuprofile *file, struct json_view json, struct ingest_fault *fault)
{
	struct json_view node;
	struct json_walk walk;
	double start_us, end_us;
	int r = 0;

	if (!cpuprofile_is(json))
		return refuse(fault, "it lacks the list `nodes`, or the number `startTime`");
	json = unwrap(json);
	if (!read_us(json_view_member(json, "startTime"), &start_us) ||
		!read_us(json_view_member(json, "endTime"), &end_us) || end_us < start_us)
		return refuse(fault, "startTime and endTime are no range of microseconds");
	if (json_view_kind(json_view_member(json, "samples")) != JSON_ARRAY)
		return refuse(fault, "it lacks the list `samples`: its nodes alone tell no time");
	json_view_walk(&walk, json_view_member(json, "nodes"));
	while (r == 0 && json_view_next(&walk, NULL, &node))
		r = read_node(file, node, fault);
	if (r == 0)
		r = sort_nodes(file, fault);
	for (uint32_t i = 0; r == 0 && i < file->node_count; i++)
		r = link_node(file, i, fault);
	if (r == 0)
		r = read_samples(file, json, end_us - start_us, fault);
	file->end_us = whole(end_us - start_us);
	return r;
}

int cpuprofile_open(struct json_view json, struct cpuprofile **ret_file, struct ingest_fault *fault)
{
	struct cpuprofile *file = calloc(1, sizeof(*file));
	int r = file ? parse(file, json, fault) : -ENOMEM;

	if (r < 0) {
		cpuprofile_free(file);
		return r;
	}
	*ret_file = file;
	return 0;
}

void cpuprofile_free(struct cpuprofile *file)
{
	if (!file)
		return;
	free(file->nodes);
	free(file->rows);
	free(file->samples);
	free(file);
}

uint64_t cpuprofile_duration_ns(const struct cpuprofile *file)
{
	if (file->sample_count == 0 || file->end_us <= file->samples[0].at_us)
		return 0;
	return (uint64_t)(file->end_us - file->samples[0].at_us) * NS_PER_US;
}

/* ---- Stacks ---- */

static struct ingest_text without_scheme(struct ingest_text url)
{
	static const char scheme[] = "file://";
	size_t length = sizeof(scheme) - 1;

	if (url.length < length || memcmp(url.text, scheme, length) != 0)
		return url;
	return (struct ingest_text){url.text + length, url.length - length};
}

static int add_frame(struct ingest_batch *batch, struct json_view node,
	struct bytes_writer *scratch, uint32_t *ret_frame)
{
	struct json_view inner = json_view_member(node, "callFrame");
	/* Node 6 had its members in the node. */
	struct json_view call = json_view_kind(inner) == JSON_OBJECT ? inner : node;
	struct ingest_name name = {.kind = FRAME_TEXT};
	struct bytes_writer url;
	double line;
	int r;

	bytes_writer_init(&url, TEXT_BYTES_MAX);
	name.function = json_view_text(json_view_member(call, "functionName"), scratch);
	if (name.function.length == 0)
		name.function = (struct ingest_text){"(anonymous)", 11};
	name.file = without_scheme(json_view_text(json_view_member(call, "url"), &url));
	/* Counted from 0; -1 where there is none. */
	if (name.file.length > 0 && json_view_number(json_view_member(call, "lineNumber"), &line) &&
		line >= 0 && line < INT32_MAX)
		name.line = (uint32_t)line + 1;
	r = bytes_writer_fault(scratch);
	if (r == 0)
		r = bytes_writer_fault(&url);
	if (r == 0)
		r = ingest_batch_named(batch, &name, ret_frame);
	bytes_writer_done(&url);
	return r;
}

/* The frames from ROW to the root, leaf first; the root, which every stack has, is none. What is
 * deeper than the batch keeps is of no use, and a circle of parents is as deep as can be. */
static int make_stack(struct cpuprofile *file, uint32_t row, struct ingest_batch *batch,
	struct bytes_writer *scratch)
{
	uint32_t frames[INGEST_DEPTH_MAX + 1], count = 0;
	struct node *node = &file->nodes[row];
	int r = 0;

	for (; r == 0 && node->parent != NONE && count <= INGEST_DEPTH_MAX;
		node = &file->nodes[node->parent]) {
		if (node->frame == NONE)
			r = add_frame(batch, node->json, scratch, &node->frame);
		frames[count++] = node->frame;
	}
	return r < 0 ? r
		     : ingest_batch_stack_leaf_first(batch, frames, count, &file->nodes[row].stack);
}

int cpuprofile_add(struct cpuprofile *file, const char *type, struct ingest_batch *batch,
	struct ingest_fault *fault)
{
	struct sample_table *table;
	struct bytes_writer scratch;
	uint32_t series;
	int r = ingest_batch_series(batch, NULL, 0, NULL, &series);

	if (r == 0)
		r = ingest_batch_type(batch, type, 0, &table);
	bytes_writer_init(&scratch, TEXT_BYTES_MAX);
	for (uint32_t i = 0; r == 0 && i < file->sample_count; i++) {
		const struct sample *sample = &file->samples[i];
		int64_t until_us = i + 1 < file->sample_count ? sample[1].at_us : file->end_us;
		int64_t us = until_us > sample->at_us ? until_us - sample->at_us : 0;

		if (file->nodes[sample->node].stack == NONE)
			r = make_stack(file, sample->node, batch, &scratch);
		if (r == 0)
			r = ingest_batch_sample(batch, table, file->nodes[sample->node].stack,
				series, 1, us * (int64_t)NS_PER_US);
	}
	bytes_writer_done(&scratch);
	if (r == -EFBIG) {
		return ingest_refuse(
			fault, -E2BIG, "a name is longer than %zu bytes", TEXT_BYTES_MAX);
	}
	return r;
}
