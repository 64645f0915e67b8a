/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/sandbox_confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <seccomp.h>

/* Freely allowed: they reach nothing but memory and the two open files. */
static const int allowed[] = {
	SCMP_SYS(read),
	SCMP_SYS(pread64),
	SCMP_SYS(write),
	SCMP_SYS(writev),
	SCMP_SYS(pwrite64),
	SCMP_SYS(lseek),
	SCMP_SYS(fstat),
	SCMP_SYS(ftruncate),
	SCMP_SYS(munmap),
	SCMP_SYS(mremap),
	SCMP_SYS(madvise),
	SCMP_SYS(brk),
	SCMP_SYS(futex),
	SCMP_SYS(getrandom),
	SCMP_SYS(clock_gettime),
	/* qsort asks how much memory there is before it sorts a large array. */
	SCMP_SYS(sysinfo),
	SCMP_SYS(getpid),
	SCMP_SYS(gettid),
	SCMP_SYS(rt_sigaction),
	SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigreturn),
	SCMP_SYS(sigaltstack),
	SCMP_SYS(exit),
	SCMP_SYS(exit_group),
};

/* Refused with an error and not with death: libraries look for files that may be absent, and get
 * along without. */
static const int refused[] = {
	SCMP_SYS(open),
	SCMP_SYS(openat),
	SCMP_SYS(readlink),
	SCMP_SYS(readlinkat),
	SCMP_SYS(access),
	SCMP_SYS(faccessat),
	SCMP_SYS(stat),
	SCMP_SYS(lstat),
	SCMP_SYS(statx),
	SCMP_SYS(ioctl),
	SCMP_SYS(getcwd),
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Memory that is both written by us and run would let a parser's fault become a program. */
static int add_memory_rules(scmp_filter_ctx filter)
{
	const struct scmp_arg_cmp not_executable = SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
	int r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1, not_executable);

	if (r == 0)
		r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1, not_executable);
	return r;
}

static int add_rules(scmp_filter_ctx filter)
{
	/* What abort needs to end this very process. */
	const struct scmp_arg_cmp this_process = SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid(), 0);
	/* How the C library asks for the state of an open file. */
	const struct scmp_arg_cmp open_file = SCMP_A3(SCMP_CMP_EQ, AT_EMPTY_PATH, 0);
	int r = add_memory_rules(filter);

	for (size_t i = 0; r == 0 && i < COUNT_OF(allowed); i++)
		r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0);
	for (size_t i = 0; r == 0 && i < COUNT_OF(refused); i++)
		r = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EACCES), refused[i], 0);
	if (r == 0)
		r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, this_process);
	if (r == 0)
		r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(newfstatat), 1, open_file);
	return r;
}

static int filter_system_calls(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
	int r;

	if (!filter)
		return -ENOMEM;
	r = add_rules(filter);
	if (r == 0)
		r = seccomp_load(filter);
	seccomp_release(filter);
	return r;
}

static int set_limit(int resource, uint64_t value)
{
	const struct rlimit limit = {.rlim_cur = value, .rlim_max = value};

	return setrlimit((__rlimit_resource_t)resource, &limit) < 0 ? -errno : 0;
}

static int set_limits(const struct confinement *confinement)
{
	int r = set_limit(RLIMIT_CORE, 0);

	/* A sanitizer reserves terabytes, so that no limit can stand beside it. */
	if (r == 0 && SANDBOX_MEMORY_LIMITED)
		r = set_limit(RLIMIT_DATA, confinement->memory_bytes_max);
	if (r == 0)
		r = set_limit(RLIMIT_CPU, confinement->cpu_seconds_max);
	if (r == 0)
		r = set_limit(RLIMIT_FSIZE, confinement->file_bytes_max);
	return r;
}

/* A server that runs as root hands all it has to its children. */
static int drop_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{.effective = 0}};

	return syscall(SYS_capset, &header, none) < 0 ? -errno : 0;
}

int sandbox_confine(const struct confinement *confinement)
{
	int r;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 ||
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
		prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return -errno;
	r = set_limits(confinement);
	if (r == 0)
		r = drop_capabilities();
	return r == 0 ? filter_system_calls() : r;
}
