/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/privilege.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/process/proc_reader.h"
#include "store/base/cleanup.h"
#include "store/base/fault.h"

_Static_assert(PRIVILEGE_DAC_READ_SEARCH == CAP_DAC_READ_SEARCH, "the kernel's number");
_Static_assert(PRIVILEGE_SYS_PTRACE == CAP_SYS_PTRACE, "the kernel's number");
_Static_assert(PRIVILEGE_SYSLOG == CAP_SYSLOG, "the kernel's number");

/* Where a capability is there and yet it fails. */
#define CONFINED_REMEDY \
	"look at what confines it: a user namespace, a security module, hidepid of /proc"

/* --- what there is ----------------------------------------------------------------------------- */

int privilege_parse(const char *text, uint64_t *ret_effective)
{
	const char *line = strstr(text, "\nCapEff:");
	char *end;
	uint64_t effective;

	if (!line)
		return -EBADMSG;
	line += strlen("\nCapEff:");
	effective = strtoull(line, &end, 16);
	if (end == line)
		return -EBADMSG;
	*ret_effective = effective;
	return 0;
}

int privilege_read(uint64_t *ret_effective)
{
	SCOPED_FD int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	char text[8192];
	ssize_t got;

	if (fd < 0)
		return -errno;
	got = read(fd, text, sizeof(text) - 1);
	if (got < 0)
		return -errno;
	text[got] = '\0';
	return privilege_parse(text, ret_effective);
}

bool privilege_has(uint64_t effective, enum privilege_capability capability)
{
	bool administrates = effective >> CAP_SYS_ADMIN & 1;

	/* They were split off from CAP_SYS_ADMIN, which still holds them. */
	if (administrates &&
		(capability == PRIVILEGE_CHECKPOINT_RESTORE || capability == PRIVILEGE_BPF ||
			capability == PRIVILEGE_PERFMON))
		return true;
	/* Overriding permissions includes reading. */
	if (capability == PRIVILEGE_DAC_READ_SEARCH && (effective >> CAP_DAC_OVERRIDE & 1))
		return true;
	return effective >> capability & 1;
}

const char *privilege_lacking_to_sample(uint64_t effective)
{
	bool loads = privilege_has(effective, PRIVILEGE_BPF);
	bool samples = privilege_has(effective, PRIVILEGE_PERFMON);

	if (loads)
		return samples ? "" : "CAP_PERFMON";
	return samples ? "CAP_BPF" : "CAP_BPF, CAP_PERFMON";
}

/* --- trials ------------------------------------------------------------------------------------ */

/* On what trials are made. */
struct ground {
	const char *proc_folder;
	pid_t other; /* a process that is closed to all but CAP_SYS_PTRACE, as other users' are */
};

/* In the child: shuts itself off, says so and waits for its end. */
static void be_other(int told_fd, pid_t parent) __attribute__((noreturn));

static void be_other(int told_fd, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Of a parent that was killed before that, no signal comes. */
	if (getppid() != parent)
		_exit(1);
	if (prctl(PR_SET_DUMPABLE, 0) == 0 && write(told_fd, "", 1) == 1) {
		for (;;)
			pause();
	}
	_exit(1);
}

static void end_other(pid_t other)
{
	kill(other, SIGKILL);
	while (waitpid(other, NULL, 0) < 0 && errno == EINTR)
		;
}

/* Before there are threads, so that the copy of this process is sound. */
static int start_other(pid_t *ret_other)
{
	pid_t parent = getpid(), other;
	int ends[2];
	char told;
	ssize_t got;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	other = fork();
	if (other == 0)
		be_other(ends[1], parent);
	close(ends[1]);
	got = other < 0 ? -1 : read(ends[0], &told, 1);
	close(ends[0]);
	if (got == 1) {
		*ret_other = other;
		return 0;
	}
	if (other > 0)
		end_other(other);
	return -EAGAIN;
}

static int try_of_other(const struct ground *ground, const char *name, int flags)
{
	char path[PATH_MAX];
	SCOPED_FD int fd = -1;

	snprintf(path, sizeof(path), "%s/%d/%s", ground->proc_folder, (int)ground->other, name);
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : 0;
}

static int try_mappings(const struct ground *ground)
{
	return try_of_other(ground, "maps", O_RDONLY);
}

static int try_root(const struct ground *ground)
{
	return try_of_other(ground, "root", O_PATH | O_DIRECTORY);
}

static int keep_first(void *context, const struct maps_line *line)
{
	struct maps_line *first = context;

	if (first->end == 0 && maps_kind_of(line->path, line->path_length) == MAPS_FILE)
		*first = *line;
	return 0;
}

/* By a mapping of our own, which needs the same privilege and no other. */
static int try_mapped_file(const struct ground *ground)
{
	struct maps_line first = {0};
	struct proc_root root;
	char path[PATH_MAX];
	uint64_t malformed;
	SCOPED_FD int fd = -1;
	int r = proc_root_init(&root, ground->proc_folder);

	if (r < 0)
		return r;
	r = proc_each_map(&root, (uint32_t)getpid(), keep_first, &first, &malformed);
	proc_root_done(&root);
	if (r < 0 || first.end == 0)
		return r < 0 ? r : -ENOENT;
	snprintf(path, sizeof(path), "%s/self/map_files/%llx-%llx", ground->proc_folder,
		(unsigned long long)first.start, (unsigned long long)first.end);
	fd = open(path, O_PATH | O_CLOEXEC);
	return fd < 0 ? -errno : 0;
}

/* A file of our own that even we may not read: an owner's rights are the first that count. */
static int try_private_file(const struct ground *ground)
{
	SCOPED_FD int secret = memfd_create("private", MFD_CLOEXEC);
	SCOPED_FD int fd = -1;
	char path[PATH_MAX];

	if (secret < 0 || fchmod(secret, 0) < 0)
		return -errno;
	snprintf(path, sizeof(path), "%s/self/fd/%d", ground->proc_folder, secret);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : 0;
}

static const struct trial {
	enum feature feature;
	enum privilege_capability capability;
	const char *capability_name;
	const char *what; /* that was tried */
	int (*try)(const struct ground *ground);
	const char *remedy;
} trials[] = {
#define TRIAL(feature, capability, what, try)                                      \
	{FEATURE_##feature, PRIVILEGE_##capability, "CAP_" #capability, what, try, \
		PRIVILEGE_REMEDY("CAP_" #capability)},
	TRIAL(other_processes, SYS_PTRACE, "/proc/PID/maps", try_mappings) TRIAL(
		other_roots, SYS_PTRACE, "/proc/PID/root", try_root) TRIAL(mapped_files,
		CHECKPOINT_RESTORE, "/proc/self/map_files", try_mapped_file) TRIAL(private_files,
		DAC_READ_SEARCH, "a file without any permission", try_private_file)
#undef TRIAL
};

static void judge(const struct trial *trial, int r, uint64_t effective, struct features *features)
{
	bool has = privilege_has(effective, trial->capability);

	if (r < 0) {
		features_switch_off(features, trial->feature, has ? CONFINED_REMEDY : trial->remedy,
			"%s %s (%s: %s)", trial->capability_name,
			has ? "is there, but of no use" : "is missing", trial->what, fault_text(r));
	}
}

void privilege_try_all(uint64_t effective, const char *proc_folder, struct features *features)
{
	struct ground ground = {.proc_folder = proc_folder};
	int r = start_other(&ground.other);

	for (size_t i = 0; i < sizeof(trials) / sizeof(trials[0]); i++)
		judge(&trials[i], r < 0 ? r : trials[i].try(&ground), effective, features);
	if (r == 0)
		end_other(ground.other);
}
