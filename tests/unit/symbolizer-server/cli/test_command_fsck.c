/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "symbolizer-server/cli/command.h"
#include "tests/support/check.h"
#include "tests/support/store_fixture.h"
#include "tests/support/work_dir.h"

/* Runs the command on folder NAME (NULL: none given); what it says goes to the file `said`. */
static int fsck(const char *name)
{
	char *operands[] = {name ? strdup(work_path("%s", name)) : NULL, NULL};
	struct options options = {.operands = operands, .operand_count = name ? 1 : 0};
	const char *said = work_path("said");
	pid_t child = fork();
	int status;

	CHECK(child >= 0);
	if (child == 0) {
		int fd = open(said, O_WRONLY | O_CREAT | O_TRUNC, 0600);

		dup2(fd, STDOUT_FILENO);
		dup2(fd, STDERR_FILENO);
		exit(command_fsck(&options));
	}
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK(WIFEXITED(status));
	free(operands[0]);
	return WEXITSTATUS(status);
}

static bool says(const char *text)
{
	char *said = work_output("cat said");
	bool found = strstr(said, text) != NULL;

	if (!found)
		fprintf(stderr, "no \"%s\" in: %s\n", text, said);
	free(said);
	return found;
}

static void the_exit_status_tells_whether_there_is_damage(void)
{
	struct profile_store_config config = fixture_config(work_path("data"));
	struct profile_store *store = fixture_open(&config, NULL);
	struct fixture_answers answers = {0};

	for (uint64_t i = 0; i < 5; i++)
		CHECK_EQ(fixture_append(store, "a", 1, i, 20, &answers), 0);
	CHECK_EQ(profile_store_flush(store), 0);
	CHECK_EQ(fsck("data"), 0);
	CHECK(says("logs: 1, segments: 0, batches: 5, "));
	CHECK(says("no damage"));
	profile_store_close(store);
	work_run("printf x | dd of=data/profiles/0000000001.log bs=1 seek=800 conv=notrunc "
		 "status=none");
	CHECK_EQ(fsck("data"), 1);
	CHECK(says("profiles/0000000001.log: damaged stretches: 1; "));
	CHECK(says("; damaged: 1"));
}

static void what_is_no_data_folder_is_wrong_usage(void)
{
	CHECK_EQ(fsck(NULL), 2);
	CHECK(says("cairn fsck DIR"));
	CHECK_EQ(fsck("nowhere"), 2);
	work_run("mkdir empty");
	CHECK_EQ(fsck("empty"), 2);
	CHECK(says("format"));
}

int main(void)
{
	RUN(the_exit_status_tells_whether_there_is_damage);
	RUN(what_is_no_data_folder_is_wrong_usage);
	return 0;
}
