/* SPDX-License-Identifier: Apache-2.0 */
/* cairn fsck: is a data folder as it was written? */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "store/disk/store_check.h"
#include "symbolizer-server/cli/command.h"
#include "symbolizer-server/cli/output.h"

static void print_finding(void *context, const struct store_check_finding *finding)
{
	char amount[AMOUNT_BYTES_MAX];

	(void)context;
	printf("%s: ", finding->file);
	output_text(stdout, finding->what);
	if (finding->bytes > 0) {
		output_amount((double)finding->bytes, "bytes", amount);
		printf(" (%s)", amount);
	}
	putchar('\n');
}

static int count_unprinted(int status)
{
	int output = command_finish();

	return status ? status : output;
}

/* A folder that is none, or of another version, was perhaps not the one that was meant. */
static int refuse(const struct store_check_summary *summary, int error)
{
	bool misused = error == -ENOENT || error == -ENOTDIR || error == -EACCES ||
		error == -ENOTSUP || error == -ENAMETOOLONG || error == -ELOOP;

	return misused ? command_misuse(summary->problem) : command_fail(summary->problem);
}

int command_fsck(const struct options *options)
{
	struct store_check_summary summary;
	char amount[AMOUNT_BYTES_MAX];
	int r;

	if (options->operand_count != 1)
		return command_misuse("fsck wants one data folder behind it: cairn fsck DIR");
	r = store_check(options->operands[0], print_finding, NULL, &summary);
	if (r < 0)
		return refuse(&summary, r);
	output_amount((double)summary.byte_count, "bytes", amount);
	printf("logs: %" PRIu64 ", segments: %" PRIu64 ", batches: %" PRIu64 ", %s; ",
		summary.log_count, summary.segment_count, summary.record_count, amount);
	if (summary.damage_count == 0)
		puts("no damage");
	else
		printf("damaged: %" PRIu64 "\n", summary.damage_count);
	return count_unprinted(summary.damage_count > 0 ? 1 : 0);
}
