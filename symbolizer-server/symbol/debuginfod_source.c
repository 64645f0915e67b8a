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

/* Seconds without enough progress: a server that accepts and says nothing costs that long. */
#define TIMEOUT_S "10"
/* Seconds for one file, however large. */
#define WHOLE_TIME_S "600"
/* What the servers send is read once more before anything depends on it. */
#define FILE_BYTES_MAX "4294967296"

struct debuginfod_source {
	struct symbol_source source;
	debuginfod_client *clients[SYMBOL_WORKERS_MAX]; /* each made by its worker */
	int nothing_fd; /* takes no byte */
	atomic_bool stopping;
};

static struct debuginfod_source *of_source(struct symbol_source *source)
{
	return (struct debuginfod_source *)source;
}

/* Called by the library every second while it waits; anything but zero gives up. */
static int give_up_when_stopping(debuginfod_client *client, long done, long whole)
{
	const struct debuginfod_source *source = debuginfod_get_user_data(client);

	(void)done;
	(void)whole;
	return atomic_load(&source->stopping);
}

static debuginfod_client *client_of(struct debuginfod_source *source, unsigned worker)
{
	if (!source->clients[worker]) {
		source->clients[worker] = debuginfod_begin();
		if (!source->clients[worker])
			return NULL;
		debuginfod_set_user_data(source->clients[worker], source);
		debuginfod_set_progressfn(source->clients[worker], give_up_when_stopping);
		/* Without one the library tells its steps to the descriptor -1, and the C library
		 * loses a buffer of 8 KiB at each attempt. */
		debuginfod_set_verbose_fd(source->clients[worker], source->nothing_fd);
	}
	return source->clients[worker];
}

static int fetch(struct symbol_source *base, unsigned worker, const struct build_id *id,
	enum symbol_file file, struct symbol_fetched *ret_fetched)
{
	struct debuginfod_source *source = of_source(base);
	debuginfod_client *client;
	struct stat stat;
	char *path = NULL;
	int fd;

	if (atomic_load(&source->stopping))
		return -ECANCELED;
	client = client_of(source, worker);
	if (!client)
		return -ENOMEM;
	if (file == SYMBOL_FILE_DEBUGINFO)
		fd = debuginfod_find_debuginfo(client, id->bytes, id->byte_count, &path);
	else
		fd = debuginfod_find_executable(client, id->bytes, id->byte_count, &path);
	/* A fetch that was given up looks like "not found". */
	if (fd < 0 && atomic_load(&source->stopping))
		fd = -ECANCELED;
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
		if (source->clients[i])
			debuginfod_end(source->clients[i]);
	close(source->nothing_fd);
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

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		if (setenv(settings[i].name, settings[i].value, 1) < 0)
			return -errno;
	unsetenv(DEBUGINFOD_PROGRESS_ENV_VAR);
	unsetenv(DEBUGINFOD_VERBOSE_ENV_VAR);
	return 0;
}

static int open_nothing(void)
{
	int fd = memfd_create("nothing", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd >= 0 && fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW) < 0) {
		close(fd);
		fd = -1;
	}
	return fd < 0 ? -errno : fd;
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
	source->nothing_fd = open_nothing();
	if (source->nothing_fd < 0) {
		r = source->nothing_fd;
		free(source);
		return r;
	}
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
