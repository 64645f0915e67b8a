/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/capability.h"

#include <errno.h>

#include "tests/support/check.h"

static void the_effective_set_is_read(void)
{
	uint64_t effective = 7;

	CHECK_EQ(capability_parse("Name:\ta\nCapPrm:\tff\nCapEff:\t000001ffffffffff\n", &effective),
		0);
	CHECK(effective == 0x1ffffffffff);
	CHECK_EQ(capability_parse("Name:\tCapEff:\n", &effective), -EBADMSG);
	CHECK_EQ(capability_parse("a\nCapEff:\tx\n", &effective), -EBADMSG);
	CHECK(effective == 0x1ffffffffff);
	CHECK_EQ(capability_read(&effective), 0);
}

static void each_missing_one_switches_off_its_feature(void)
{
	struct features features = {0};

	capability_apply(UINT64_MAX, &features);
	for (int i = 0; i < FEATURE_COUNT; i++)
		CHECK(features_is_on(&features, (enum feature)i));
	for (size_t i = 0; i < capability_need_count; i++) {
		const struct feature_fault *fault = &features.faults[capability_needs[i].feature];

		features = (struct features){0};
		/* Without those that hold others, too. */
		capability_apply(UINT64_MAX & ~(UINT64_C(1) << 21) & ~(UINT64_C(1) << 1) &
				~(UINT64_C(1) << capability_needs[i].number),
			&features);
		CHECK(strstr(fault->reason, capability_needs[i].name));
		CHECK(strstr(fault->remedy, capability_needs[i].name));
	}
}

static void older_and_wider_ones_hold_newer_ones(void)
{
	struct features features = {0};

	capability_apply(~(UINT64_C(1) << 40) & ~(UINT64_C(1) << 2), &features);
	CHECK(features_is_on(&features, FEATURE_mapped_files));
	CHECK(features_is_on(&features, FEATURE_private_files));
}

int main(void)
{
	RUN(the_effective_set_is_read);
	RUN(each_missing_one_switches_off_its_feature);
	RUN(older_and_wider_ones_hold_newer_ones);
	return 0;
}
