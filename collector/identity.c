/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "store/base/cleanup.h"

/* The kernel gives the first namespace of each kind a fixed number (PROC_PID_INIT_INO). */
#define INITIAL_PID_NAMESPACE "pid:[4026531836]"

/* The first line of a small file. */
static void read_line(const char *path, char *ret_text)
{
	SCOPED_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	ret_text[0] = '\0';
	if (fd < 0)
		return;
	got = read(fd, ret_text, IDENTITY_TEXT_MAX);
	ret_text[got > 0 ? got : 0] = '\0';
	ret_text[strcspn(ret_text, "\n")] = '\0';
}

static bool pids_are_initial(void)
{
	char name[64];
	ssize_t length = readlink("/proc/self/ns/pid", name, sizeof(name) - 1);

	/* What can't be asked is taken for the usual case. */
	if (length < 0)
		return true;
	name[length] = '\0';
	return strcmp(name, INITIAL_PID_NAMESPACE) == 0;
}

int identity_read(struct identity *ret_identity)
{
	struct identity identity = {.pids_are_initial = pids_are_initial()};
	struct utsname name;

	if (getrandom(identity.instance, sizeof(identity.instance), 0) !=
			sizeof(identity.instance) ||
		getrandom(&identity.random_seed, sizeof(identity.random_seed), 0) !=
			sizeof(identity.random_seed))
		return errno ? -errno : -EIO;
	read_line("/etc/machine-id", identity.machine_id);
	read_line("/proc/sys/kernel/random/boot_id", identity.boot_id);
	if (uname(&name) == 0)
		snprintf(identity.kernel_release, sizeof(identity.kernel_release), "%.127s",
			name.release);
	*ret_identity = identity;
	return 0;
}
