/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/cli/output.h"

#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "store/base/clock.h"

/* A control character is printed as \xHH. */
#define ESCAPE_COLUMNS 4

/* The bytes of the control character at AT, one of ASCII's or of those that UTF-8 writes as C2 80
 * to C2 9F; 0 if none stands there. */
static size_t control_bytes(const unsigned char *at, size_t length)
{
	if (at[0] < ' ' || at[0] == 0x7f)
		return 1;
	return length > 1 && at[0] == 0xc2 && at[1] >= 0x80 && at[1] <= 0x9f ? 2 : 0;
}

void output_bytes(FILE *out, const char *text, size_t length)
{
	const unsigned char *at = (const unsigned char *)text, *end = at + length;

	while (at < end) {
		size_t bytes = control_bytes(at, (size_t)(end - at));

		if (bytes > 0)
			fprintf(out, "\\x%02x", at[bytes - 1]);
		else
			fputc(*at, out);
		at += bytes > 0 ? bytes : 1;
	}
}

void output_text(FILE *out, const char *text)
{
	output_bytes(out, text, strlen(text));
}

size_t output_columns(const char *text, size_t length)
{
	const unsigned char *at = (const unsigned char *)text, *end = at + length;
	size_t columns = 0;

	while (at < end) {
		size_t bytes = control_bytes(at, (size_t)(end - at));

		/* What continues a character of UTF-8 takes no column of its own. */
		columns += bytes > 0 ? ESCAPE_COLUMNS : (*at & 0xc0) != 0x80;
		at += bytes > 0 ? bytes : 1;
	}
	return columns;
}

size_t output_terminal_columns(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

struct step {
	double size;
	const char *name;
};

/* STEPS from the largest to the smallest. */
static void print_scaled(
	double value, const struct step *steps, size_t count, char ret_text[AMOUNT_BYTES_MAX])
{
	size_t i = 0;

	while (i + 1 < count && fabs(value) < steps[i].size)
		i++;
	value /= steps[i].size;
	snprintf(ret_text, AMOUNT_BYTES_MAX, "%.*f %s", fabs(value) < 100 && i + 1 < count ? 2 : 0,
		value, steps[i].name);
}

void output_amount(double value, const char *unit, char ret_text[AMOUNT_BYTES_MAX])
{
	static const struct step times[] = {
		{3.6e12, "h"}, {6e10, "min"}, {1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
	static const struct step sizes[] = {
		{1099511627776.0, "TiB"},
		{1073741824.0, "GiB"},
		{1048576.0, "MiB"},
		{1024.0, "KiB"},
		{1, "B"},
	};

	if (strcmp(unit, "nanoseconds") == 0)
		print_scaled(value, times, sizeof(times) / sizeof(times[0]), ret_text);
	else if (strcmp(unit, "bytes") == 0)
		print_scaled(value, sizes, sizeof(sizes) / sizeof(sizes[0]), ret_text);
	else
		snprintf(ret_text, AMOUNT_BYTES_MAX, "%.0f", value);
}

void output_age(uint64_t then_ns, uint64_t now_ns, char ret_text[AMOUNT_BYTES_MAX])
{
	static const struct step ages[] = {{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
	double seconds = now_ns > then_ns ? (double)(now_ns - then_ns) / (double)NS_PER_S : 0;
	size_t i = 0;

	while (i + 1 < sizeof(ages) / sizeof(ages[0]) && seconds < 2 * ages[i].size)
		i++;
	snprintf(ret_text, AMOUNT_BYTES_MAX, "%.0f %s ago", floor(seconds / ages[i].size),
		ages[i].name);
}
