/* SPDX-License-Identifier: Apache-2.0 */
/* Cgroup: what the path of a control group says about a process.
 *
 * What it is   the text of /proc/PID/cgroup -> container, pod and systemd unit; pure. It knows the
 *              shapes of docker, containerd, CRI-O, podman, Kubernetes (both cgroup drivers), LXC,
 *              systemd-nspawn, ECS, BuildKit and Garden, under cgroup v1, v2 and both at once.
 * Ownership    values only.
 * Threads      no shared state.
 * Errors       none: what is not recognised is left empty, and the sample is kept.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Container runtimes use 64 hexadecimal digits, LXC and nspawn names up to 64 characters. */
#define CGROUP_CONTAINER_MAX 64
/* A UID of 36 characters, or the 32 of a static pod. */
#define CGROUP_POD_MAX 40
/* systemd refuses longer unit names. */
#define CGROUP_UNIT_MAX 255

struct cgroup_place {
	char container[CGROUP_CONTAINER_MAX + 1]; /* whole id, or name; empty: not in one */
	bool container_is_name; /* given by people (LXC, nspawn), not an id */
	char pod[CGROUP_POD_MAX + 1]; /* UID */
	char unit[CGROUP_UNIT_MAX + 1]; /* with its suffix `.service`, escapes resolved */
};

void cgroup_parse(const char *text, size_t length, struct cgroup_place *ret_place);
