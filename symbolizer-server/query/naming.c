/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/naming.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTION_NONE UINT32_MAX

/* One frame to be asked for. */
struct question {
	uint32_t module;
	uint32_t frame;
	uint64_t address; /* of the look-up */
};

struct work {
	const struct merge *merge;
	struct function_table *functions;
	naming_ask_fn ask;
	void *context;
	struct naming *naming;
	/* The last answer, and the function that came of it. */
	uint32_t module;
	struct naming_answer answer;
	uint32_t answer_function;
	uint8_t answer_kind;
	uint32_t *module_names; /* module of the merge -> string of the functions */
};

static enum function_kind kind_of(const struct frame *frame)
{
	static const uint8_t kinds[FRAME_KIND_COUNT] = {
		[FRAME_UNKNOWN] = FUNCTION_UNKNOWN,
		[FRAME_KERNEL] = FUNCTION_KERNEL,
		[FRAME_NATIVE] = FUNCTION_NATIVE,
		[FRAME_PYTHON] = FUNCTION_PYTHON,
		[FRAME_JVM] = FUNCTION_JVM,
		[FRAME_LUA] = FUNCTION_LUA,
		[FRAME_MARKER] = FUNCTION_MARKER,
		[FRAME_TEXT] = FUNCTION_NATIVE,
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

static int add_function(struct work *work, const char *name, size_t length, uint32_t module_name,
	enum function_kind kind, uint32_t *ret_function)
{
	struct function function = {.module = module_name, .kind = (uint8_t)kind};
	int r = function_table_add_text(work->functions, name, length, &function.name);

	return r < 0 ? r : function_table_add(work->functions, &function, ret_function);
}

/* A frame that came with a name, or that lies in no module. */
static int name_without_asking(struct work *work, const struct frame *frame, uint32_t *ret_function)
{
	static const char unknown[] = "[unknown]";
	const struct string_table *strings = &work->merge->strings;
	char text[40];
	int length;

	if (frame->flags & FRAME_NAMED) {
		uint32_t name = (uint32_t)frame->address;

		return add_function(work, string_table_text(strings, name),
			string_table_length(strings, name), work->module_names[frame->module],
			kind_of(frame), ret_function);
	}
	if (frame->kind != FRAME_KERNEL)
		return add_function(
			work, unknown, sizeof(unknown) - 1, 0, FUNCTION_UNKNOWN, ret_function);
	length = snprintf(text, sizeof(text), "[kernel]+0x%" PRIx64, frame->address);
	return add_function(work, text, (size_t)length, 0, FUNCTION_UNKNOWN, ret_function);
}

/* `module+0x1a2b`. A module without a base name goes by its build-ID. */
static int name_by_address(struct work *work, const struct frame *frame, uint32_t *ret_function)
{
	uint32_t name = work->module_names[frame->module];
	const char *module = string_table_text(&work->functions->strings, name);
	char id[BUILD_ID_TEXT_MAX];
	char text[512];
	int length;

	if (name == 0) {
		build_id_format(&work->merge->modules.modules[frame->module].build_id, id);
		module = id;
	}
	length = snprintf(text, sizeof(text), "%.400s+0x%" PRIx64, module, frame->address);
	work->naming->unnamed_count++;
	return add_function(work, text, (size_t)length, name, FUNCTION_UNKNOWN, ret_function);
}

static int answer_question(
	struct work *work, const struct question *question, uint32_t *ret_function)
{
	const struct frame *frame = &work->merge->frames.frames[question->frame];
	const struct module *module = &work->merge->modules.modules[question->module];
	bool answered = work->answer_function != FUNCTION_NONE &&
		work->module == question->module && work->answer_kind == frame->kind &&
		question->address >= work->answer.start && question->address < work->answer.end;
	int r;

	if (answered) {
		*ret_function = work->answer_function;
		return 0;
	}
	work->answer_function = FUNCTION_NONE;
	r = build_id_known(&module->build_id)
		? work->ask(work->context, &module->build_id, question->address, &work->answer)
		: -ENOENT;
	if (r == -ENOMEM)
		return r;
	if (r < 0)
		return name_by_address(work, frame, ret_function);
	r = add_function(work, work->answer.name, strlen(work->answer.name),
		work->module_names[question->module], kind_of(frame), ret_function);
	if (r < 0)
		return r;
	work->module = question->module;
	work->answer_kind = frame->kind;
	work->answer_function = *ret_function;
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
			r = name_without_asking(work, frame, &work->naming->functions[i]);
			continue;
		}
		questions[question_count++] = (struct question){.module = frame->module,
			.frame = i,
			.address = caller ? frame->address - 1 : frame->address};
	}
	qsort(questions, question_count, sizeof(*questions), order_questions);
	for (uint32_t i = 0; r == 0 && i < question_count; i++)
		r = answer_question(
			work, &questions[i], &work->naming->functions[questions[i].frame]);
	return r;
}

int naming_init(struct naming *naming, const struct merge *merge, struct function_table *functions,
	naming_ask_fn ask, void *context)
{
	struct work work = {.merge = merge,
		.functions = functions,
		.ask = ask,
		.context = context,
		.naming = naming,
		.answer_function = FUNCTION_NONE};
	/* One more than needed, so that none is no special case. */
	struct question *questions = calloc((size_t)merge->frames.count + 1, sizeof(*questions));
	int r;

	*naming = (struct naming){.frame_count = merge->frames.count};
	naming->functions = calloc((size_t)merge->frames.count + 1, sizeof(*naming->functions));
	r = questions && naming->functions ? name_modules(&work) : -ENOMEM;
	if (r == 0)
		r = name_frames(&work, questions);
	free(questions);
	free(work.module_names);
	if (r < 0)
		naming_done(naming);
	return r;
}

void naming_done(struct naming *naming)
{
	free(naming->functions);
	*naming = (struct naming){0};
}
