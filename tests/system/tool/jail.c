/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a program in a root that holds the files given and nothing else, so that a test knows what
 * the program could have read.
 *
 *     jail ROOT PATH... -- PROGRAM ARGUMENT...
 *
 * ROOT is an empty folder; a tmpfs is mounted on it, in a mount namespace of its own. Each PATH, a
 * file, folder or device, shows up at the same place in there; only what ends in a slash can be
 * written. The old root is unmounted before PROGRAM, which is a path in the new one, is executed. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Prints what failed and ends the program. */
static void need(bool good, const char *what, const char *path)
{
	if (good)
		return;
	fprintf(stderr, "jail: cannot %s %s: %s\n", what, path, strerror(errno));
	exit(1);
}

/* Makes the folders above PATH and what PATH itself is to be bound on. */
static void make_place(char *path, bool is_folder)
{
	int fd;

	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		need(mkdir(path, 0755) == 0 || errno == EEXIST, "make", path);
		*slash = '/';
	}
	if (is_folder) {
		need(mkdir(path, 0755) == 0 || errno == EEXIST, "make", path);
		return;
	}
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
	need(fd >= 0, "make", path);
	close(fd);
}

static void bring_in(const char *root, const char *path)
{
	bool is_writable = path[strlen(path) - 1] == '/';
	char place[PATH_MAX];
	struct stat status;

	need(stat(path, &status) == 0, "find", path);
	need(snprintf(place, sizeof(place), "%s%s", root, path) < (int)sizeof(place), "name", path);
	if (is_writable)
		place[strlen(place) - 1] = '\0';
	make_place(place, S_ISDIR(status.st_mode));
	need(mount(path, place, NULL, MS_BIND, NULL) == 0, "bind", path);
	if (!is_writable && !S_ISCHR(status.st_mode))
		need(mount(NULL, place, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) == 0,
			"make read-only", path);
}

static void enter(const char *root)
{
	need(chdir(root) == 0, "enter", root);
	need(syscall(SYS_pivot_root, ".", ".") == 0, "pivot into", root);
	need(umount2(".", MNT_DETACH) == 0, "leave the root above", root);
	need(chdir("/") == 0, "enter", "/");
	need(mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) == 0, "make read-only",
		"/");
}

int main(int argc, char **argv)
{
	int i = 2;

	if (argc < 4) {
		fprintf(stderr, "usage: jail ROOT PATH... -- PROGRAM ARGUMENT...\n");
		return 2;
	}
	need(unshare(CLONE_NEWNS) == 0, "leave", "the mount namespace");
	need(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0, "keep to itself", "/");
	need(mount("jail", argv[1], "tmpfs", 0, "mode=0755") == 0, "mount on", argv[1]);
	for (; i < argc && strcmp(argv[i], "--") != 0; i++)
		bring_in(argv[1], argv[i]);
	if (i + 1 >= argc) {
		fprintf(stderr, "jail: no program after --\n");
		return 2;
	}
	enter(argv[1]);
	execv(argv[i + 1], argv + i + 1);
	need(false, "execute", argv[i + 1]);
	return 1;
}
