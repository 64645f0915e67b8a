/* SPDX-License-Identifier: Apache-2.0 */
/* Container name: what the runtime calls a container.
 *
 * What it is   reads the file in which docker, podman, containerd (Kubernetes) or CRI-O keep
 *              the settings of a container, once for each container id.
 * Ownership    values only.
 * Threads      no shared state.
 * Errors       none: what can't be read stays empty.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* DNS labels and Docker's names are shorter. */
#define CONTAINER_NAME_MAX 127

struct container_name {
	char container[CONTAINER_NAME_MAX + 1];
	char pod[CONTAINER_NAME_MAX + 1];
	char namespace_name[CONTAINER_NAME_MAX + 1];
};

/* ID is the whole id of the container, of 64 digits (of other ids nothing is known); ROOT_FOLDER
 * stands before the runtimes' absolute paths and is "" on a host. */
void container_name_read(const char *root_folder, const char *id, struct container_name *ret_name);

/* Pure: the value of the first string member KEY of JSON text that lies DEPTH objects deep (0: at
 * any depth), unescaped. False: there is none, or it does not fit. */
bool container_name_find(const char *json, size_t length, const char *key, unsigned depth,
	char *ret_value, size_t value_bytes);
