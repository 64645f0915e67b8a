/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/debuginfod_steps.h"

#include <ctype.h>
#include <string.h>

#define STATUS_DIGITS 3

static bool begins(const char *line, const char *end, const char *words)
{
	size_t length = strlen(words);

	return (size_t)(end - line) >= length && memcmp(line, words, length) == 0;
}

/* `HTTP/1.1 404 Not Found` gives 404; 0 for what is no such line. */
static unsigned status_of(const char *line, const char *end)
{
	const char *digits = memchr(line, ' ', (size_t)(end - line));
	unsigned status = 0;

	if (!digits || end - ++digits < STATUS_DIGITS)
		return 0;
	for (int i = 0; i < STATUS_DIGITS; i++) {
		if (!isdigit((unsigned char)digits[i]))
			return 0;
		status = status * 10 + (unsigned)(digits[i] - '0');
	}
	return status;
}

static void count_status(unsigned status, struct debuginfod_steps *steps)
{
	enum { REQUEST_TIMEOUT = 408, TOO_MANY_REQUESTS = 429 };

	if (status >= 500 || status == REQUEST_TIMEOUT || status == TOO_MANY_REQUESTS)
		steps->failed++;
	else if (status >= 400)
		steps->denied++;
	else if (status >= 300)
		steps->redirected++;
}

/* The words are curl's: an answer that has a status, and a file that a folder does not hold. */
static bool is_answer(const char *line, const char *end)
{
	return begins(line, end, "HTTP response code said error") ||
		begins(line, end, "Couldn't read a file:// file");
}

static void read_line(const char *line, const char *end, struct debuginfod_steps *steps)
{
	static const char status[] = "header HTTP/", outcome[] = "server response ";

	if (begins(line, end, status))
		count_status(status_of(line + strlen(status), end), steps);
	else if (begins(line, end, outcome) && !is_answer(line + strlen(outcome), end))
		steps->failed++;
}

void debuginfod_steps_read(const char *text, size_t length, struct debuginfod_steps *ret_steps)
{
	struct debuginfod_steps steps = {0, 0, 0};
	const char *end = text + length;

	while (text < end) {
		const char *line_end = memchr(text, '\n', (size_t)(end - text));

		if (!line_end)
			line_end = end;
		read_line(text, line_end, &steps);
		text = line_end < end ? line_end + 1 : end;
	}
	*ret_steps = steps;
}

bool debuginfod_steps_are_failure(const struct debuginfod_steps *steps)
{
	return steps->denied == 0 &&
		(steps->failed > 0 || steps->redirected > DEBUGINFOD_REDIRECTS_MAX);
}
