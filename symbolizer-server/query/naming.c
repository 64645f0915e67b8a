/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/naming.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/profile/frame_name.h"
#include "store/profile/grow.h"

/* One frame to be asked for. */
struct question {
	uint32_t module;
	uint32_t frame;
	uint64_t address; /* of the look-up */
};

struct work {
	const struct merge *merge;
	struct function_table *functions;
	const struct naming_options *options;
	naming_ask_fn ask;
	void *context;
	struct naming *naming;
	struct call_naming calls;
	/* The last answer, and what came of it. */
	struct symbol_chain answer;
	struct naming_chain answer_chain; /* count 0: there was no answer */
	uint32_t answer_module;
	uint8_t answer_kind;
	uint32_t *module_names; /* module of the merge -> string of the functions */
};

static enum function_kind kind_of(const struct frame *frame)
{
	static const uint8_t kinds[] = {
		[FRAME_UNKNOWN] = FUNCTION_UNKNOWN,
		[FRAME_KERNEL] = FUNCTION_KERNEL,
		[FRAME_NATIVE] = FUNCTION_NATIVE,
		[FRAME_PYTHON] = FUNCTION_PYTHON,
		[FRAME_JVM] = FUNCTION_JVM,
		[FRAME_LUA] = FUNCTION_LUA,
		[FRAME_MARKER] = FUNCTION_MARKER,
		[FRAME_TEXT] = FUNCTION_NATIVE,
		[MERGE_FRAME_LABEL] = FUNCTION_LABEL,
	};

	return (enum function_kind)kinds[frame->kind];
}

static int order_questions(const void *one, const void *other)
{
	const struct question *a = one, *b = other;

	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->frame < b->frame ? -1 : a->frame > b->frame;
}

static int add_link(struct naming *naming, uint32_t function)
{
	int r = grow_array(
		&naming->links, &naming->link_capacity, naming->link_count, NAMING_LINK_COUNT_MAX);

	if (r == 0)
		naming->links[naming->link_count++] = function;
	return r;
}

/* A chain of one function. */
static int add_alone(struct work *work, const char *name, size_t length,
	const struct function *about, struct naming_chain *ret_chain)
{
	struct function function = *about;
	uint32_t index;
	int r = function_table_add_text(work->functions, name, length, &function.name);

	function.plain = function.name;
	if (r == 0)
		r = function_table_add(work->functions, &function, &index);
	if (r == 0)
		r = add_link(work->naming, index);
	if (r == 0)
		*ret_chain = (struct naming_chain){work->naming->link_count - 1, 1};
	return r;
}

/* A frame whose sender gave it its name, and perhaps where that stands: see frame_table.h. */
static int name_as_it_came(
	struct work *work, const struct frame *frame, struct naming_chain *ret_chain)
{
	struct call_place place = {.module = frame->module,
		.module_name = work->module_names[frame->module],
		.kind = (uint8_t)kind_of(frame),
		.as_it_came = true};
	struct frame_name name = frame_name_read(&work->merge->strings, (uint32_t)frame->address);
	const struct symbol_call call = {
		.name = name.function, .file = name.file, .line = name.line};
	uint32_t function;
	int r = call_naming_function(&work->calls, &call, &place, &function);

	if (r == 0)
		r = add_link(work->naming, function);
	if (r == 0)
		*ret_chain = (struct naming_chain){work->naming->link_count - 1, 1};
	return r;
}

/* A frame that came with a name, or that lies in no module. */
static int name_without_asking(
	struct work *work, const struct frame *frame, struct naming_chain *ret_chain)
{
	static const char unknown[] = "[unknown]";
	struct function about = {.kind = FUNCTION_UNKNOWN};
	char text[40];
	int length;

	if (frame->flags & FRAME_NAMED)
		return name_as_it_came(work, frame, ret_chain);
	if (frame->kind != FRAME_KERNEL)
		return add_alone(work, unknown, sizeof(unknown) - 1, &about, ret_chain);
	length = snprintf(text, sizeof(text), "[kernel]+0x%" PRIx64, frame->address);
	return add_alone(work, text, (size_t)length, &about, ret_chain);
}

/* The build-ID as a string of the functions, if builds are kept apart. */
static int find_build(struct work *work, const struct module *module, uint32_t *ret_build)
{
	char text[BUILD_ID_TEXT_MAX];

	*ret_build = 0;
	if (!work->options->by_build || !build_id_known(&module->build_id))
		return 0;
	build_id_format(&module->build_id, text);
	return function_table_add_text(work->functions, text, strlen(text), ret_build);
}

/* `module+0x1a2b`. A module without a base name goes by its build-ID. */
static int name_by_address(struct work *work, const struct frame *frame, uint64_t address,
	struct naming_chain *ret_chain)
{
	struct function about = {.module = work->module_names[frame->module]};
	const char *module = string_table_text(&work->functions->strings, about.module);
	char id[BUILD_ID_TEXT_MAX];
	char text[512];
	int length;

	if (about.module == 0) {
		build_id_format(&work->merge->modules.modules[frame->module].build_id, id);
		module = id;
	}
	length = snprintf(text, sizeof(text), "%.400s+0x%" PRIx64, module, address);
	work->naming->unnamed_count++;
	return add_alone(work, text, (size_t)length, &about, ret_chain);
}

/* The chain of the last answer, for a frame of this kind. */
static int link_answer(struct work *work, const struct question *question, enum function_kind kind,
	struct naming_chain *ret_chain)
{
	const struct symbol_chain *answer = &work->answer;
	uint32_t count = work->options->hides_inlined ? 1 : answer->count;
	struct call_place place = {.module = question->module,
		.module_name = work->module_names[question->module],
		.kind = (uint8_t)kind};
	struct naming_chain chain = {.first = work->naming->link_count, .count = count};
	int r = find_build(work, &work->merge->modules.modules[question->module], &place.build);

	for (uint32_t i = 0; r == 0 && i < count; i++) {
		uint32_t function;

		r = call_naming_function(
			&work->calls, &answer->calls[answer->count - 1 - i], &place, &function);
		if (r == 0)
			r = add_link(work->naming, function);
	}
	if (r == 0)
		*ret_chain = chain;
	return r;
}

static bool is_answered(
	const struct work *work, const struct question *question, uint8_t frame_kind)
{
	bool by_function = work->options->group == NAMING_BY_FUNCTION;
	const struct symbol_chain *answer = &work->answer;

	return work->answer_chain.count > 0 && work->answer_module == question->module &&
		work->answer_kind == frame_kind &&
		question->address >= (by_function ? answer->start : answer->line_start) &&
		question->address < (by_function ? answer->end : answer->line_end);
}

/* An offset in a file becomes the address that it is loaded at; -ENOENT: where that is not known,
 * nothing is looked up by it. */
static int translate(const struct work *work, const struct module *module,
	const struct frame *frame, struct question *question, uint64_t *shown)
{
	uint64_t address;
	int r;

	if (!build_id_known(&module->build_id))
		return -ENOENT;
	if (!(frame->flags & FRAME_FILE_OFFSET))
		return 0;
	if (!work->options->translate)
		return -ENOENT;
	r = work->options->translate(work->context, &module->build_id, question->address, &address);
	if (r < 0)
		return r;
	*shown += address - question->address;
	question->address = address;
	return 0;
}

static int answer_question(
	struct work *work, const struct question *asked, struct naming_chain *ret_chain)
{
	const struct frame *frame = &work->merge->frames.frames[asked->frame];
	const struct module *module = &work->merge->modules.modules[asked->module];
	struct question translated = *asked;
	const struct question *question = &translated;
	uint64_t shown = frame->address;
	int r = translate(work, module, frame, &translated, &shown);

	if (r == 0 && is_answered(work, question, frame->kind)) {
		*ret_chain = work->answer_chain;
		return 0;
	}
	work->answer_chain.count = 0;
	if (r == 0)
		r = work->ask(work->context, &module->build_id, question->address, &work->answer);
	if (r == -ENOMEM)
		return r;
	if (r < 0 || work->answer.count == 0)
		return name_by_address(work, frame, shown, ret_chain);
	r = link_answer(work, question, kind_of(frame), &work->answer_chain);
	if (r < 0)
		return r;
	work->answer_module = question->module;
	work->answer_kind = frame->kind;
	*ret_chain = work->answer_chain;
	return 0;
}

static int name_modules(struct work *work)
{
	const struct merge *merge = work->merge;
	int r = 0;

	work->module_names = calloc(merge->modules.count, sizeof(*work->module_names));
	if (!work->module_names)
		return -ENOMEM;
	for (uint32_t i = 1; r == 0 && i < merge->modules.count; i++) {
		uint32_t name = merge->modules.modules[i].name;

		r = function_table_add_text(work->functions,
			string_table_text(&merge->strings, name),
			string_table_length(&merge->strings, name), &work->module_names[i]);
	}
	return r;
}

static int name_frames(struct work *work, struct question *questions)
{
	const struct frame_table *frames = &work->merge->frames;
	uint32_t question_count = 0;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < frames->count; i++) {
		const struct frame *frame = &frames->frames[i];
		bool caller = (frame->flags & FRAME_RETURN_ADDRESS) && frame->address > 0;

		if (frame->module == 0 || (frame->flags & FRAME_NAMED)) {
			r = name_without_asking(work, frame, &work->naming->chains[i]);
			continue;
		}
		questions[question_count++] = (struct question){.module = frame->module,
			.frame = i,
			.address = caller ? frame->address - 1 : frame->address};
	}
	qsort(questions, question_count, sizeof(*questions), order_questions);
	for (uint32_t i = 0; r == 0 && i < question_count; i++)
		r = answer_question(work, &questions[i], &work->naming->chains[questions[i].frame]);
	return r;
}

int naming_init_by(struct naming *naming, const struct merge *merge,
	struct function_table *functions, const struct naming_options *options, naming_ask_fn ask,
	void *context)
{
	struct work *work = malloc(sizeof(*work));
	/* One more than needed, so that none is no special case. */
	struct question *questions = calloc((size_t)merge->frames.count + 1, sizeof(*questions));
	int r = -ENOMEM;

	*naming = (struct naming){.frame_count = merge->frames.count,
		.joins_neighbours = options->group == NAMING_BY_FILE};
	naming->chains = calloc((size_t)merge->frames.count + 1, sizeof(*naming->chains));
	if (work && questions && naming->chains) {
		*work = (struct work){.merge = merge,
			.functions = functions,
			.options = options,
			.ask = ask,
			.context = context,
			.naming = naming};
		call_naming_init(&work->calls, functions, options->group);
		r = name_modules(work);
		if (r == 0)
			r = name_frames(work, questions);
		call_naming_done(&work->calls);
		free(work->module_names);
	}
	free(questions);
	free(work);
	if (r < 0)
		naming_done(naming);
	return r;
}

int naming_init(struct naming *naming, const struct merge *merge, struct function_table *functions,
	naming_ask_fn ask, void *context)
{
	const struct naming_options by_function = {.group = NAMING_BY_FUNCTION};

	return naming_init_by(naming, merge, functions, &by_function, ask, context);
}

void naming_done(struct naming *naming)
{
	free(naming->chains);
	free(naming->links);
	*naming = (struct naming){0};
}
