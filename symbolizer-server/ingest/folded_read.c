/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/folded_read.h"

#include <errno.h>
#include <string.h>

static struct ingest_text trim(struct ingest_text text)
{
	while (text.length > 0 && (text.text[0] == ' ' || text.text[0] == '\t')) {
		text.text++;
		text.length--;
	}
	while (text.length > 0 && strchr(" \t\r", text.text[text.length - 1]) &&
		text.text[text.length - 1] != '\0')
		text.length--;
	return text;
}

/* The text up to the first SEPARATOR, which TEXT is moved behind. */
static struct ingest_text take_until(struct ingest_text *text, char separator)
{
	const char *end = memchr(text->text, separator, text->length);
	struct ingest_text taken = {text->text, end ? (size_t)(end - text->text) : text->length};
	size_t passed = end ? taken.length + 1 : taken.length;

	text->text += passed;
	text->length -= passed;
	return taken;
}

static uint32_t count_frames(struct ingest_text text)
{
	uint32_t count = 1;

	for (size_t i = 0; i < text.length; i++)
		count += text.text[i] == ';';
	return count;
}

/* Frames become a path from the root as they are read; of a deep stack the first are passed over. */
static int add_frames(struct ingest_batch *batch, struct ingest_text text, uint32_t *ret_stack)
{
	uint32_t frames[INGEST_DEPTH_MAX + 1];
	uint32_t count = count_frames(text), kept = 0;
	int r = 0;

	/* One more than is kept tells the batch that it was cut. */
	for (; count > INGEST_DEPTH_MAX + 1; count--)
		take_until(&text, ';');
	for (; r == 0 && count > 0; count--) {
		struct ingest_name name = {
			.kind = FRAME_TEXT, .function = trim(take_until(&text, ';'))};

		/* `a;;b`: nothing stands for nothing. */
		if (name.function.length > 0)
			r = ingest_batch_named(batch, &name, &frames[kept++]);
	}
	return r < 0 ? r : ingest_batch_stack_root_first(batch, frames, kept, ret_stack);
}

int folded_add_stack(struct ingest_batch *batch, const struct text_target *target,
	struct ingest_text text, int64_t value, struct ingest_fault *fault)
{
	uint32_t stack;
	int64_t weight;
	int r;

	if (__builtin_mul_overflow(value, target->period, &weight)) {
		return ingest_refuse(fault, -EBADMSG,
			"the value %lld is larger than 63 bits hold, as time", (long long)value);
	}
	r = add_frames(batch, text, &stack);
	if (r < 0)
		return r;
	/* Samples of an instrument that counts none are not known: each row is one. */
	return ingest_batch_sample(batch, target->table, stack, target->series,
		target->period > 1 && value > 0 ? (uint64_t)value : 1, weight);
}

/* A decimal number with a sign, and nothing else. */
static bool read_value(struct ingest_text text, int64_t *ret_value)
{
	bool negative = text.length > 0 && text.text[0] == '-';
	size_t i = negative || (text.length > 0 && text.text[0] == '+') ? 1 : 0;
	int64_t value = 0;

	if (i == text.length)
		return false;
	for (; i < text.length; i++) {
		if (text.text[i] < '0' || text.text[i] > '9' ||
			__builtin_mul_overflow(value, 10, &value) ||
			__builtin_sub_overflow(value, text.text[i] - '0', &value))
			return false;
	}
	/* Built downwards, which is where the larger half of the numbers is. */
	return negative ? (*ret_value = value, true) : !__builtin_sub_overflow(0, value, ret_value);
}

static const char *last_blank(struct ingest_text line)
{
	for (size_t i = line.length; i > 0; i--) {
		if (line.text[i - 1] == ' ' || line.text[i - 1] == '\t')
			return line.text + i - 1;
	}
	return NULL;
}

static int read_line(struct ingest_batch *batch, const struct text_target *target,
	struct ingest_text line, uint64_t number, struct ingest_fault *fault)
{
	const char *blank = last_blank(line);
	struct ingest_text word, stack;
	int64_t value;

	if (!blank) {
		batch->drops.lines_skipped++;
		return 0;
	}
	stack = trim((struct ingest_text){line.text, (size_t)(blank - line.text)});
	word = (struct ingest_text){blank + 1, (size_t)(line.text + line.length - blank - 1)};
	if (!read_value(word, &value)) {
		return ingest_refuse(fault, -EBADMSG,
			"line %llu ends in '%.*s', where a whole number must stand: this was read "
			"as folded text (root;caller;leaf 12)",
			(unsigned long long)number, (int)(word.length < 40 ? word.length : 40),
			word.text);
	}
	return folded_add_stack(batch, target, stack, value, fault);
}

int folded_read(struct ingest_batch *batch, const struct text_target *target,
	struct ingest_text text, struct ingest_fault *fault)
{
	int r = 0;

	for (uint64_t number = 1; r == 0 && text.length > 0; number++) {
		struct ingest_text line = trim(take_until(&text, '\n'));

		if (line.length > 0)
			r = read_line(batch, target, line, number, fault);
	}
	return r;
}

int folded_read_lines(struct ingest_batch *batch, const struct text_target *target,
	struct ingest_text text, struct ingest_fault *fault)
{
	int r = 0;

	while (r == 0 && text.length > 0) {
		struct ingest_text line = trim(take_until(&text, '\n'));

		if (line.length > 0)
			r = folded_add_stack(batch, target, line, 1, fault);
	}
	return r;
}
