/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the stacks of a command with libdwfl's, or with what the command says of its calls, and
 * prints `name value` lines. */
#include <inttypes.h>
#include <unistd.h>

#include "store/base/clock.h"
#include "tests/kernel/compared.h"
#include "tests/kernel/known_chain.h"
#include "tests/support/check.h"

#define WARM_UP_NS NS_PER_S
#define KINDS_SHOWN 12

static double percent(uint64_t part, uint64_t total)
{
	return total ? 100.0 * (double)part / (double)total : 0;
}

static double us_each(uint64_t ns, uint64_t count)
{
	return count ? (double)ns / 1e3 / (double)count : 0;
}

static void print_comparison(struct comparison *comparison)
{
	static const char *const names[] = {"equal", "ours_longer", "theirs_longer", "different"};
	uint64_t total = comparison_total(comparison);

	printf("samples %" PRIu64 "\nnot_compared %" PRIu64 "\n", total, comparison->not_compared);
	for (int i = 0; i < COMPARISON_CLASSES; i++)
		printf("%s %.4f\n", names[i], percent(comparison->counts[i], total));
	printf("kernel_whole %.4f\n",
		percent(comparison->kernel_whole, total + comparison->not_compared));
	printf("ours_us %.4f\n", us_each(comparison->ours_ns, comparison->ours_frames));
	printf("tick_frames %.2f\ntick_us %.4f\n",
		comparison->ticks ? (double)comparison->ours_frames / (double)comparison->ticks : 0,
		us_each(comparison->ours_ns, comparison->ticks));
	printf("theirs_us %.4f\n", us_each(comparison->theirs_ns, comparison->theirs_frames));
	comparison_print_kinds(comparison, KINDS_SHOWN);
}

/* PATH of "perf" is what the command itself writes for perf. */
static void print_chain(struct known_chain *chain, const char *path, pid_t pid)
{
	char of_command[64];

	snprintf(of_command, sizeof(of_command), "/tmp/perf-%d.map", (int)pid);
	known_chain_check(chain, strcmp(path, "perf") == 0 ? of_command : path);
	unlink(of_command);
	printf("chains %" PRIu64 "\nchains_right %.4f\n", chain->checked,
		percent(chain->right, chain->checked));
	known_chain_done(chain);
}

int main(int argc, char **argv)
{
	static struct comparison comparison;
	struct comparison_config config = {.warm_up_ns = WARM_UP_NS};
	struct known_chain chain;
	uint32_t depth;

	if (argc < 6) {
		fprintf(stderr,
			"usage: bench_unwind HZ SECONDS DEPTH NAMES COMMAND...\n"
			"DEPTH of 0: there is no known chain of calls\n");
		return 2;
	}
	depth = (uint32_t)strtoul(argv[3], NULL, 10);
	config.hz = (uint32_t)strtoul(argv[1], NULL, 10);
	config.duration_ns = strtoul(argv[2], NULL, 10) * NS_PER_S;
	config.argv = argv + 5;
	known_chain_init(&chain, depth);
	if (depth > 0) {
		config.on_sample = known_chain_add;
		config.context = &chain;
	}
	compare_command(&config, &comparison);
	print_comparison(&comparison);
	if (depth > 0)
		print_chain(&chain, argv[4], comparison.pid);
	return 0;
}
