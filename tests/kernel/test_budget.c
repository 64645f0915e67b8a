/* SPDX-License-Identifier: Apache-2.0 */
/* The verifier's work on each program against its budget. */
#include <errno.h>
#include <unistd.h>

#include <linux/bpf.h>

#include <bpf/libbpf.h>

#include "bpf/abi/life.h"
#include "bpf/abi/setting.h"
#include "store/base/cleanup.h"
#include "tests/kernel/privilege.h"
#include "tests/support/check.h"

#include <cairn.skel.h>
#include <life.skel.h>

#define LOG_BYTES 65536
/* The verifier's log is one line of statistics (BPF_LOG_STATS of the kernel). */
#define LOG_LEVEL_STATISTICS 4

DEFINE_SCOPED(struct cairn_skeleton *, cairn_skeleton__destroy)
DEFINE_SCOPED(struct life_skeleton *, life_skeleton__destroy)

static const char *budget_path;

/* The budget of PROGRAM; a program without one fails the test. */
static unsigned long budget_of(const char *program)
{
	SCOPED_FILE FILE *file = fopen(budget_path, "re");
	char line[256], name[64];
	unsigned long budget;

	CHECK(file != NULL);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "%63s %lu", name, &budget) == 2 && strcmp(name, program) == 0)
			return budget;
	fprintf(stderr, "%s: no budget for program %s\n", budget_path, program);
	exit(1);
}

static unsigned long verified_in(const char *log)
{
	const char *at = strstr(log, "processed ");
	unsigned long count;

	if (!at || sscanf(at, "processed %lu insns", &count) != 1)
		fprintf(stderr, "no statistics in \"%s\"\n", log);
	CHECK(at != NULL && sscanf(at, "processed %lu insns", &count) == 1);
	return count;
}

static void check_programs(struct bpf_object *object)
{
	static char logs[16][LOG_BYTES];
	struct bpf_program *program;
	int count = 0;

	bpf_object__for_each_program(program, object)
	{
		CHECK(count < 16);
		bpf_program__set_log_level(program, LOG_LEVEL_STATISTICS);
		bpf_program__set_log_buf(program, logs[count++], LOG_BYTES);
	}
	CHECK_EQ(bpf_object__load(object), 0);
	count = 0;
	bpf_object__for_each_program(program, object)
	{
		unsigned long verified = verified_in(logs[count++]);
		unsigned long budget = budget_of(bpf_program__name(program));

		printf("%s: %lu instructions verified, budget %lu\n", bpf_program__name(program),
			verified, budget);
		CHECK(verified > 0 && verified <= budget);
	}
	CHECK(count > 0);
}

static void every_program_stays_within_its_budget(void)
{
	SCOPED(cairn_skeleton__destroy) struct cairn_skeleton *skeleton = cairn_skeleton__open();
	SCOPED(life_skeleton__destroy) struct life_skeleton *life = life_skeleton__open();

	CHECK(skeleton != NULL && life != NULL);
	check_programs(skeleton->obj);
	check_programs(life->obj);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: %s budget.txt\n", argv[0]);
		return 2;
	}
	budget_path = argv[1];
	privilege_need_sampling();
	RUN(every_program_stays_within_its_budget);
	return 0;
}
