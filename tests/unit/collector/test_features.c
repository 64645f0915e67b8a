/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/features.h"

#include "tests/support/check.h"

static void what_is_off_says_why_and_what_to_do(void)
{
	struct features features = {0};
	const struct feature_fault *fault = &features.faults[FEATURE_kernel_symbols];

	CHECK(features_is_on(&features, FEATURE_kernel_symbols));
	features_switch_off(
		&features, FEATURE_kernel_symbols, "give it", "%s is missing", "CAP_SYSLOG");
	CHECK(!features_is_on(&features, FEATURE_kernel_symbols));
	CHECK_STR(fault->reason, "CAP_SYSLOG is missing");
	CHECK_STR(fault->remedy, "give it");
	CHECK(features_is_on(&features, FEATURE_processes));
	features_switch_off(&features, FEATURE_kernel_symbols, "do that", "other");
	CHECK_STR(fault->reason, "other");
	CHECK_STR(fault->remedy, "do that");
}

static void long_texts_are_cut(void)
{
	struct features features = {0};
	char text[1000];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	features_switch_off(&features, FEATURE_processes, text, "%s", text);
	CHECK_EQ(strlen(features.faults[FEATURE_processes].reason), FEATURE_REASON_BYTES_MAX);
	CHECK_EQ(strlen(features.faults[FEATURE_processes].remedy), FEATURE_REMEDY_BYTES_MAX);
}

static void each_has_a_name_and_a_loss(void)
{
	for (int i = 0; i < FEATURE_COUNT; i++) {
		CHECK(feature_name((enum feature)i)[0] != '\0');
		CHECK(feature_loss((enum feature)i)[0] != '\0');
	}
}

int main(void)
{
	RUN(what_is_off_says_why_and_what_to_do);
	RUN(long_texts_are_cut);
	RUN(each_has_a_name_and_a_loss);
	return 0;
}
