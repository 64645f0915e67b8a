/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel setting: a number of /proc/sys/kernel.
 *
 * What it is   a reader of one small file.
 * Ownership    values only.
 * Threads      any.
 * Errors       what can't be read is the value that the caller names.
 */
#pragma once

/* The number in /proc/sys/kernel/NAME, or OTHERWISE. */
int kernel_setting_read(const char *name, int otherwise);
