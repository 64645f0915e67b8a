/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/debuginfod_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <elfutils/debuginfod.h>

#include "store/base/cleanup.h"
#include "symbolizer-server/symbol/debuginfod_steps.h"

/* Seconds without enough progress: a server that accepts and says nothing costs that long. */
#define TIMEOUT_S "10"
/* Seconds for one file, however large. */
#define WHOLE_TIME_S "600"
/* What the servers send is read once more before anything depends on it. */
#define FILE_BYTES_MAX "4294967296"
/* A question takes about 1 KiB for each server and redirect. What does not fit is not written. */
#define STEPS_BYTES ((size_t)64 << 10)

/* Made by its worker, when it first asks. */
struct client {
	debuginfod_client *library;
	const struct debuginfod_source *source;
	int steps_fd; /* what the library tells of the question under way */
	char *steps; /* STEPS_BYTES */
};

struct debuginfod_source {
	struct symbol_source source;
	struct client clients[SYMBOL_WORKERS_MAX];
	atomic_bool stopping;
};

static struct debuginfod_source *of_source(struct symbol_source *source)
{
	return (struct debuginfod_source *)source;
}

static struct debuginfod_steps steps_of(const struct client *client)
{
	/* Behind that stands what an earlier question left. */
	off_t end = lseek(client->steps_fd, 0, SEEK_CUR);
	size_t written = end < 0 ? 0 : end < (off_t)STEPS_BYTES ? (size_t)end : STEPS_BYTES;
	struct debuginfod_steps steps;
	ssize_t got = pread(client->steps_fd, client->steps, written, 0);

	debuginfod_steps_read(client->steps, got > 0 ? (size_t)got : 0, &steps);
	return steps;
}

/* Called by the library every now and then while it waits; anything but zero gives up. */
static int give_up(debuginfod_client *library, long done, long whole)
{
	const struct client *client = debuginfod_get_user_data(library);

	(void)done;
	(void)whole;
	return atomic_load(&client->source->stopping) ||
		steps_of(client).redirected > DEBUGINFOD_REDIRECTS_MAX;
}

static void client_done(struct client *client)
{
	if (!client->library)
		return;
	debuginfod_end(client->library);
	close(client->steps_fd);
	free(client->steps);
	*client = (struct client){.library = NULL};
}

/* A file in memory of STEPS_BYTES that cannot grow. */
static int open_steps(void)
{
	int fd = memfd_create("steps", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd >= 0 &&
		(ftruncate(fd, (off_t)STEPS_BYTES) < 0 ||
			fcntl(fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK) < 0)) {
		close(fd);
		fd = -1;
	}
	return fd < 0 ? -errno : fd;
}

static int client_init(struct client *client, const struct debuginfod_source *source)
{
	SCOPED_FD int steps_fd = open_steps();
	SCOPED_FREE char *steps = malloc(STEPS_BYTES);
	debuginfod_client *library;

	if (steps_fd < 0)
		return steps_fd;
	library = steps ? debuginfod_begin() : NULL;
	if (!library)
		return -ENOMEM;
	debuginfod_set_user_data(library, client);
	debuginfod_set_progressfn(library, give_up);
	debuginfod_set_verbose_fd(library, steps_fd);
	*client = (struct client){library, source, TAKE_FD(steps_fd), TAKE(steps)};
	return 0;
}

/* The library's answer, but a miss is one only if a server said so. */
static int find(
	struct client *client, const struct build_id *id, enum symbol_file file, char **ret_path)
{
	struct debuginfod_steps steps;
	int fd;

	lseek(client->steps_fd, 0, SEEK_SET);
	if (file == SYMBOL_FILE_DEBUGINFO) {
		fd = debuginfod_find_debuginfo(
			client->library, id->bytes, id->byte_count, ret_path);
	} else {
		fd = debuginfod_find_executable(
			client->library, id->bytes, id->byte_count, ret_path);
	}
	/* A fetch that was given up looks like "not found". */
	if (fd < 0 && atomic_load(&client->source->stopping))
		return -ECANCELED;
	if (fd != -ENOENT)
		return fd;
	steps = steps_of(client);
	return debuginfod_steps_are_failure(&steps) ? -EREMOTEIO : fd;
}

static int fetch(struct symbol_source *base, unsigned worker,
	const struct symbol_question *question, struct symbol_fetched *ret_fetched)
{
	struct debuginfod_source *source = of_source(base);
	struct client *client = &source->clients[worker];
	struct stat stat;
	char *path = NULL;
	int fd;

	if (atomic_load(&source->stopping))
		return -ECANCELED;
	if (!client->library) {
		int r = client_init(client, source);

		if (r < 0)
			return r;
	}
	fd = find(client, &question->id, question->file, &path);
	if (fd < 0) {
		free(path);
		return fd;
	}
	if (fstat(fd, &stat) < 0)
		stat.st_size = 0;
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	*ret_fetched = (struct symbol_fetched){
		.fd = fd, .byte_count = (uint64_t)stat.st_size, .path = path};
	return 0;
}

/* The index is what is kept: the file and its folder go. */
static void release(struct symbol_source *base, struct symbol_fetched *fetched)
{
	char *slash;

	(void)base;
	close(fetched->fd);
	if (fetched->path) {
		unlink(fetched->path);
		slash = strrchr(fetched->path, '/');
		if (slash) {
			*slash = '\0';
			rmdir(fetched->path);
		}
	}
	free(fetched->path);
	*fetched = (struct symbol_fetched){.fd = -1};
}

static void stop(struct symbol_source *base)
{
	atomic_store(&of_source(base)->stopping, true);
}

static void source_free(struct symbol_source *base)
{
	struct debuginfod_source *source = of_source(base);

	for (unsigned i = 0; i < SYMBOL_WORKERS_MAX; i++)
		client_done(&source->clients[i]);
	free(source);
}

/* The library keeps an empty file for what was not found (and for what was given up) and asks again
 * only after as many seconds as this file of its folder says. */
static int forget_misses(const char *folder)
{
	SCOPED_FREE char *path = NULL;
	SCOPED_FD int fd = -1;

	if (asprintf(&path, "%s/cache_miss_s", folder) < 0)
		return -ENOMEM;
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
	if (fd < 0)
		return -errno;
	return write(fd, "0", 1) == 1 ? 0 : -EIO;
}

static int set_environment(const char *urls, const char *folder)
{
	const struct {
		const char *name;
		const char *value;
	} settings[] = {
		{DEBUGINFOD_URLS_ENV_VAR, urls},
		{DEBUGINFOD_CACHE_PATH_ENV_VAR, folder},
		{DEBUGINFOD_TIMEOUT_ENV_VAR, TIMEOUT_S},
		{DEBUGINFOD_MAXTIME_ENV_VAR, WHOLE_TIME_S},
		{DEBUGINFOD_MAXSIZE_ENV_VAR, FILE_BYTES_MAX},
		/* The symbolizer tries again by its own clock. */
		{DEBUGINFOD_RETRY_LIMIT_ENV_VAR, "0"},
	};

	/* NOLINTBEGIN(concurrency-mt-unsafe): the server has no other threads yet. */
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		if (setenv(settings[i].name, settings[i].value, 1) < 0)
			return -errno;
	unsetenv(DEBUGINFOD_PROGRESS_ENV_VAR);
	unsetenv(DEBUGINFOD_VERBOSE_ENV_VAR);
	/* NOLINTEND(concurrency-mt-unsafe) */
	return 0;
}

int debuginfod_source_new(const char *urls, const char *folder, struct symbol_source **ret_source)
{
	struct debuginfod_source *source;
	int r = set_environment(urls, folder);

	if (r == 0)
		r = forget_misses(folder);
	if (r < 0)
		return r;
	source = calloc(1, sizeof(*source));
	if (!source)
		return -ENOMEM;
	source->source = (struct symbol_source){
		.name = "debuginfod",
		.fetch = fetch,
		.release = release,
		.stop = stop,
		.free = source_free,
	};
	*ret_source = &source->source;
	return 0;
}
