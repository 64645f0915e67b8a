/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/spawned.h"

#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/check.h"

/* No program here says nothing for so long when it should say something. */
#define SILENCE_MS_MAX 30000

/* Tests lie in build/<preset>/tests, programs in build/<preset>/bin. */
static void program_path(const char *name, char ret_path[PATH_MAX])
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	CHECK(length > 0);
	self[length] = '\0';
	CHECK(snprintf(ret_path, PATH_MAX, "%s/../bin/%s", dirname(self), name) < PATH_MAX);
}

static void become(const char *path, const char *const *arguments, int output_fd)
{
	char *argv[SPAWNED_ARGUMENT_MAX + 2] = {strdup(path)};

	for (int i = 0; arguments[i] && i < SPAWNED_ARGUMENT_MAX; i++)
		argv[i + 1] = strdup(arguments[i]);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(output_fd, STDOUT_FILENO);
	dup2(output_fd, STDERR_FILENO);
	execv(path, argv);
	_exit(127);
}

void spawned_start(struct spawned *program, const char *name, const char *const *arguments)
{
	char path[PATH_MAX];
	int ends[2];

	*program = (struct spawned){.output_fd = -1};
	program_path(name, path);
	CHECK_EQ(pipe(ends), 0);
	program->pid = fork();
	CHECK(program->pid >= 0);
	if (program->pid == 0) {
		close(ends[0]);
		become(path, arguments, ends[1]);
	}
	close(ends[1]);
	program->output_fd = ends[0];
	program->said = calloc(1, 1);
	CHECK(program->said);
}

/* Takes in what it says. False: it will say no more. */
static int listen_on(struct spawned *program)
{
	struct pollfd poll_fd = {.fd = program->output_fd, .events = POLLIN};
	char chunk[4096];
	ssize_t got;

	if (poll(&poll_fd, 1, SILENCE_MS_MAX) != 1) {
		fprintf(stderr, "a program is silent after it said: %s\n", program->said);
		exit(1);
	}
	got = read(program->output_fd, chunk, sizeof(chunk));
	if (got <= 0)
		return 0;
	program->said = realloc(program->said, program->said_length + (size_t)got + 1);
	CHECK(program->said);
	memcpy(program->said + program->said_length, chunk, (size_t)got);
	program->said_length += (size_t)got;
	program->said[program->said_length] = '\0';
	return 1;
}

/* The rest of the whole line that begins with BEGIN, or NULL. */
static char *find_line(const struct spawned *program, const char *begin)
{
	const char *line = program->said;

	while (*line) {
		size_t length = strcspn(line, "\n");

		if (line[length] && strncmp(line, begin, strlen(begin)) == 0)
			return strndup(line + strlen(begin), length - strlen(begin));
		line += length + (line[length] ? 1 : 0);
	}
	return NULL;
}

char *spawned_wait_line(struct spawned *program, const char *begin)
{
	char *rest;

	while (!(rest = find_line(program, begin))) {
		if (!listen_on(program)) {
			fprintf(stderr, "a program ended without a line that begins with %s: %s\n",
				begin, program->said);
			exit(1);
		}
	}
	return rest;
}

int spawned_wait(struct spawned *program)
{
	int status;

	while (listen_on(program))
		;
	CHECK_EQ(waitpid(program->pid, &status, 0), program->pid);
	program->pid = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void spawned_done(struct spawned *program)
{
	if (program->pid > 0) {
		kill(program->pid, SIGKILL);
		waitpid(program->pid, NULL, 0);
	}
	if (program->output_fd >= 0)
		close(program->output_fd);
	free(program->said);
	*program = (struct spawned){.output_fd = -1};
}
