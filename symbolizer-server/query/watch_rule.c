/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/watch_rule.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/profile/profile.h"

/* The `|` between selector and function; NULL: there is none. */
static const char *find_mark(const char *text)
{
	char quote = '\0';

	for (; *text; text++) {
		if (quote && *text == '\\' && quote != '`' && text[1])
			text++;
		else if (quote && *text == quote)
			quote = '\0';
		else if (quote)
			continue;
		else if (*text == '"' || *text == '\'' || *text == '`')
			quote = *text;
		else if (*text == '|')
			return text;
	}
	return NULL;
}

static int parse_selector(struct watch_rule *rule, char *ret_error)
{
	char error[SELECTOR_ERROR_BYTES_MAX] = "";
	int r = selector_parse(rule->text, rule->query_length, &rule->selector, error);

	if (r < 0) {
		snprintf(ret_error, WATCH_RULE_ERROR_BYTES_MAX, "%s", error);
		return r;
	}
	if (rule->selector.type)
		return 0;
	rule->selector.type = arena_copy_text(
		&rule->selector.texts, PROFILE_TYPE_ON_CPU, strlen(PROFILE_TYPE_ON_CPU));
	return rule->selector.type ? 0 : -ENOMEM;
}

static int parse_function(struct watch_rule *rule, char *ret_error)
{
	const char *function = watch_rule_function(rule);
	char error[PATTERN_ERROR_BYTES_MAX] = "";
	int r = pattern_new(function, strlen(function), &rule->function, error);

	if (r < 0)
		snprintf(ret_error, WATCH_RULE_ERROR_BYTES_MAX, "%.100s: %s", function, error);
	return r;
}

int watch_rule_parse(const char *text, struct watch_rule *ret_rule, char *ret_error)
{
	const char *mark = find_mark(text);
	struct watch_rule rule = {0};
	int r;

	*ret_error = '\0';
	if (!mark || !mark[1]) {
		snprintf(ret_error, WATCH_RULE_ERROR_BYTES_MAX,
			"QUERY|FUNCTION must stand here, as {service_name=\"web\"}|parse_.*");
		return -EINVAL;
	}
	rule.text = strdup(text);
	rule.query_length = (size_t)(mark - text);
	r = rule.text ? parse_selector(&rule, ret_error) : -ENOMEM;
	if (r == 0)
		r = parse_function(&rule, ret_error);
	if (r < 0) {
		watch_rule_done(&rule);
		return r;
	}
	*ret_rule = rule;
	return 0;
}

void watch_rule_done(struct watch_rule *rule)
{
	selector_done(&rule->selector);
	pattern_free(rule->function);
	free(rule->text);
	*rule = (struct watch_rule){0};
}

const char *watch_rule_function(const struct watch_rule *rule)
{
	return rule->text + rule->query_length + 1;
}
