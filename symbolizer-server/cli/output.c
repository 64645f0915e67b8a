/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/cli/output.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "store/base/clock.h"

/* ASCII's control characters, and those that UTF-8 writes as C2 80 to C2 9F. */
static bool is_control(const unsigned char *at)
{
	return at[0] < ' ' || at[0] == 0x7f || (at[0] == 0xc2 && at[1] >= 0x80 && at[1] <= 0x9f);
}

void output_text(FILE *out, const char *text)
{
	for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
		if (!is_control(at)) {
			fputc(*at, out);
			continue;
		}
		fprintf(out, "\\x%02x", at[0] == 0xc2 ? *++at : *at);
	}
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
