/* SPDX-License-Identifier: Apache-2.0 */
/* no_bpf ERRNO PROGRAM...: runs a program to which the kernel refuses to load BPF programs.
 *
 * A filter of system calls answers bpf(BPF_PROG_LOAD) with ERRNO, a number; everything else of bpf(2)
 * works, so that a collector gets as far as its programs. */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int refuse_loading(unsigned int error)
{
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_bpf, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, BPF_PROG_LOAD, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error & SECCOMP_RET_DATA)),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {sizeof(steps) / sizeof(steps[0]), steps};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0 ? -errno : 0;
}

int main(int argc, char **argv)
{
	int r;

	if (argc < 3) {
		fprintf(stderr, "no_bpf ERRNO PROGRAM...\n");
		return 2;
	}
	r = refuse_loading((unsigned int)strtoul(argv[1], NULL, 10));
	if (r < 0) {
		fprintf(stderr, "no_bpf: %s\n", strerror(-r));
		return 1;
	}
	execv(argv[2], argv + 2);
	perror("no_bpf");
	return 1;
}
