/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/cli/fail_rule.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"

#define HOW_TO_WRITE "write NAME>+5%, points of the whole, or NAME>x1.5, a ratio"

static int refuse(const char *text, char ret_error[FAIL_RULE_ERROR_BYTES_MAX])
{
	snprintf(ret_error, FAIL_RULE_ERROR_BYTES_MAX, "%.100s: %s", text, HOW_TO_WRITE);
	return -EINVAL;
}

/* `+5%` or `x1.5`. */
static bool read_limit(const char *text, struct fail_rule *rule)
{
	char *end;

	rule->is_ratio = text[0] == 'x';
	if ((text[0] != 'x' && text[0] != '+') || !strchr("0123456789.", text[1]) || !text[1])
		return false;
	rule->limit = strtod(text + 1, &end);
	if (!rule->is_ratio) {
		rule->limit /= 100;
		if (*end++ != '%')
			return false;
	}
	return *end == '\0' && isfinite(rule->limit);
}

int fail_rule_parse(
	const char *text, struct fail_rule *ret_rule, char ret_error[FAIL_RULE_ERROR_BYTES_MAX])
{
	/* The last one: names of C++ hold others. */
	const char *mark = strrchr(text, '>');
	SCOPED_FREE char *expression = NULL;
	struct fail_rule rule;
	char why[120];
	int r;

	if (!mark || mark == text || !read_limit(mark + 1, &rule))
		return refuse(text, ret_error);
	expression = strndup(text, (size_t)(mark - text));
	if (!expression) {
		snprintf(ret_error, FAIL_RULE_ERROR_BYTES_MAX, "out of memory");
		return -ENOMEM;
	}
	r = regcomp(&rule.names, expression, REG_EXTENDED | REG_NOSUB);
	if (r != 0) {
		(void)regerror(r, &rule.names, why, sizeof(why));
		snprintf(ret_error, FAIL_RULE_ERROR_BYTES_MAX, "%.100s: %s", expression, why);
		return -EINVAL;
	}
	*ret_rule = rule;
	return 0;
}

void fail_rule_done(struct fail_rule *rule)
{
	regfree(&rule->names);
}

bool fail_rule_breaks(const struct fail_rule *rule, const char *name, double left, double right)
{
	if (regexec(&rule->names, name, 0, NULL, 0) != 0)
		return false;
	return rule->is_ratio ? right > left * rule->limit : right - left > rule->limit;
}
