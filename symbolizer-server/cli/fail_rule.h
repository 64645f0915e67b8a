/* SPDX-License-Identifier: Apache-2.0 */
/* Fail rule: when a comparison is to fail a build.
 *
 * What it is   `REGEX>+5%`: a function of that name whose share of the whole grew by more than five
 *              points; `REGEX>x1.5`: whose share grew to more than one and a half times.
 * Ownership    owns the compiled expression, until fail_rule_done.
 * Threads      one owner.
 * Errors       -EINVAL with a sentence that says what to mend.
 */
#pragma once

#include <regex.h>
#include <stdbool.h>

#define FAIL_RULE_ERROR_BYTES_MAX 300

struct fail_rule {
	regex_t names; /* an extended POSIX expression; found anywhere in a name */
	bool is_ratio;
	double limit; /* a share, or a ratio of shares */
};

int fail_rule_parse(
	const char *text, struct fail_rule *ret_rule, char ret_error[FAIL_RULE_ERROR_BYTES_MAX]);
void fail_rule_done(struct fail_rule *rule);
/* Whether a function NAME that went from LEFT to RIGHT (shares of the whole) breaks the rule. */
bool fail_rule_breaks(const struct fail_rule *rule, const char *name, double left, double right);
