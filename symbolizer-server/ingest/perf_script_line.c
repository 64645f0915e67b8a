/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/perf_script_line.h"

#include <string.h>

#include "store/base/clock.h"

static bool is_blank(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r';
}

static bool is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

struct ingest_text perf_script_trim(struct ingest_text text)
{
	while (text.length > 0 && is_blank(text.text[0])) {
		text.text++;
		text.length--;
	}
	while (text.length > 0 && is_blank(text.text[text.length - 1]))
		text.length--;
	return text;
}

/* The word at the front, which TEXT is moved behind. */
static struct ingest_text take_word(struct ingest_text *text)
{
	struct ingest_text word;

	*text = perf_script_trim(*text);
	word = (struct ingest_text){text->text, 0};
	while (word.length < text->length && !is_blank(text->text[word.length]))
		word.length++;
	text->text += word.length;
	text->length -= word.length;
	return word;
}

/* Digits at the front; false if there is none, or too many. */
static bool take_number(struct ingest_text *text, uint64_t *ret_number)
{
	uint64_t number = 0;
	size_t i = 0;

	for (; i < text->length && is_digit(text->text[i]); i++) {
		if (__builtin_mul_overflow(number, 10, &number) ||
			__builtin_add_overflow(number, (uint64_t)(text->text[i] - '0'), &number))
			return false;
	}
	text->text += i;
	text->length -= i;
	*ret_number = number;
	return i > 0;
}

static bool take_byte(struct ingest_text *text, char byte)
{
	if (text->length == 0 || text->text[0] != byte)
		return false;
	text->text++;
	text->length--;
	return true;
}

/* ---- Heads ---- */

/* `1172.349569:`, with six or nine decimals. */
static bool read_time(struct ingest_text word, uint64_t *ret_ns)
{
	uint64_t seconds, decimals;
	size_t digits;

	if (!take_number(&word, &seconds) || !take_byte(&word, '.'))
		return false;
	digits = word.length;
	if (!take_number(&word, &decimals) || word.length != 1 || word.text[0] != ':')
		return false;
	for (digits -= 1; digits < 9; digits++)
		decimals *= 10;
	return digits == 9 && !__builtin_mul_overflow(seconds, NS_PER_S, &seconds) &&
		!__builtin_add_overflow(seconds, decimals, ret_ns);
}

static bool read_cpu(struct ingest_text word, uint32_t *ret_cpu)
{
	uint64_t cpu;

	if (!take_byte(&word, '[') || !take_number(&word, &cpu) || cpu > INT32_MAX ||
		word.length != 1 || word.text[0] != ']')
		return false;
	*ret_cpu = (uint32_t)cpu;
	return true;
}

/* Of a thread that is gone it is -1. */
static bool take_id(struct ingest_text *word, uint32_t *ret_id)
{
	bool negative = take_byte(word, '-');
	uint64_t id;

	if (!take_number(word, &id) || id > INT32_MAX)
		return false;
	*ret_id = negative ? 0 : (uint32_t)id;
	return true;
}

/* `123` or `123/124`. */
static bool read_ids(struct ingest_text word, struct perf_script_head *head)
{
	head->pid = 0;
	if (!take_id(&word, &head->tid))
		return false;
	if (word.length == 0)
		return true;
	head->pid = head->tid;
	return take_byte(&word, '/') && take_id(&word, &head->tid) && word.length == 0;
}

/* Behind the time: `period event: rest`. */
static bool read_event(struct ingest_text text, struct perf_script_head *head)
{
	struct ingest_text after = perf_script_trim(text);
	uint64_t period;

	text = after;
	head->has_period = take_number(&after, &period) && after.length > 0 &&
		is_blank(after.text[0]) && period <= INT64_MAX;
	head->period = head->has_period ? (int64_t)period : 0;
	if (head->has_period)
		text = perf_script_trim(after);
	for (size_t i = 0; i < text.length; i++) {
		bool ends =
			text.text[i] == ':' && (i + 1 == text.length || is_blank(text.text[i + 1]));

		if (!ends && i + 1 < text.length)
			continue;
		/* Records that are no samples may have no such colon. */
		if (!ends && (text.length < 12 || memcmp(text.text, "PERF_RECORD_", 12) != 0))
			return false;
		head->event = (struct ingest_text){text.text, i};
		head->rest = perf_script_trim(
			(struct ingest_text){text.text + i + 1, text.length - i - 1});
		return i > 0;
	}
	return false;
}

/* Words before the time, of which the last are the ids and perhaps the CPU. */
bool perf_script_head_read(struct ingest_text line, struct perf_script_head *ret_head)
{
	struct ingest_text text = perf_script_trim(line), last[2] = {{"", 0}, {"", 0}};
	const char *first = text.text;
	struct perf_script_head head;

	while (text.length > 0) {
		struct ingest_text word = take_word(&text), ids = last[1];

		if (read_time(word, &head.time_ns)) {
			head.cpu = SAMPLE_CPU_UNKNOWN;
			if (read_cpu(ids, &head.cpu))
				ids = last[0];
			if (ids.text > first && read_ids(ids, &head)) {
				head.comm = perf_script_trim(
					(struct ingest_text){first, (size_t)(ids.text - first)});
				if (!read_event(text, &head))
					return false;
				*ret_head = head;
				return true;
			}
		}
		last[0] = last[1];
		last[1] = word;
	}
	return false;
}

/* ---- Frames ---- */

static int hex_digit(char byte)
{
	if (is_digit(byte))
		return byte - '0';
	byte |= 0x20;
	return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

static bool read_address(struct ingest_text word, uint64_t *ret_address)
{
	uint64_t address = 0;

	if (word.length == 0 || word.length > 16)
		return false;
	for (size_t i = 0; i < word.length; i++) {
		int digit = hex_digit(word.text[i]);

		if (digit < 0)
			return false;
		address = address << 4 | (uint64_t)digit;
	}
	*ret_address = address;
	return true;
}

/* The last ` (...)`, with parentheses within it: `/srv/app (deleted)`. It is cut off TEXT. */
static struct ingest_text take_file(struct ingest_text *text)
{
	size_t depth = 0;

	if (text->length == 0 || text->text[text->length - 1] != ')')
		return (struct ingest_text){"", 0};
	for (size_t i = text->length; i > 0; i--) {
		depth += text->text[i - 1] == ')';
		if (text->text[i - 1] == '(' && --depth == 0) {
			struct ingest_text file = {text->text + i, text->length - i - 1};

			/* Otherwise it is what a function takes. */
			if (i > 1 && !is_blank(text->text[i - 2]))
				break;
			text->length = i - 1;
			*text = perf_script_trim(*text);
			return file;
		}
	}
	return (struct ingest_text){"", 0};
}

/* Without `+0x1f` at its end. */
static struct ingest_text without_offset(struct ingest_text symbol)
{
	size_t i = symbol.length;

	while (i > 0 && hex_digit(symbol.text[i - 1]) >= 0)
		i--;
	if (i < symbol.length && i >= 3 && memcmp(symbol.text + i - 3, "+0x", 3) == 0)
		symbol.length = i - 3;
	return symbol;
}

static bool is_text(struct ingest_text text, const char *what)
{
	return text.length == strlen(what) && memcmp(text.text, what, text.length) == 0;
}

static struct ingest_text without_ending(struct ingest_text text, const char *ending)
{
	size_t length = strlen(ending);

	if (text.length > length && memcmp(text.text + text.length - length, ending, length) == 0)
		text.length -= length;
	return text;
}

bool perf_script_frame_read(struct ingest_text line, struct perf_script_frame *ret_frame)
{
	struct perf_script_frame frame = {.has_address = false};
	struct ingest_text after = line, word = take_word(&after);

	if (line.length == 0)
		return false;
	frame.has_address = read_address(word, &frame.address);
	frame.symbol = frame.has_address ? perf_script_trim(after) : line;
	frame.file = take_file(&frame.symbol);
	frame.is_inlined = is_text(frame.file, "inlined");
	if (frame.is_inlined || is_text(frame.file, "[unknown]"))
		frame.file.length = 0;
	frame.file = without_ending(frame.file, " (deleted)");
	frame.symbol = without_offset(frame.symbol);
	if (is_text(frame.symbol, "[unknown]"))
		frame.symbol.length = 0;
	*ret_frame = frame;
	return true;
}

bool perf_script_source_read(
	struct ingest_text line, struct ingest_text *ret_file, uint32_t *ret_line)
{
	struct ingest_text number;
	size_t i = line.length;
	uint64_t value;

	while (i > 0 && is_digit(line.text[i - 1]))
		i--;
	if (i < 2 || line.text[i - 1] != ':')
		return false;
	number = (struct ingest_text){line.text + i, line.length - i};
	if (!take_number(&number, &value) || value == 0 || value > INT32_MAX)
		return false;
	*ret_file = (struct ingest_text){line.text, i - 1};
	*ret_line = (uint32_t)value;
	return true;
}
