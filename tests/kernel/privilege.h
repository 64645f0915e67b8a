/* SPDX-License-Identifier: Apache-2.0 */
/* Privilege: what a test of the kernel side can't do without.
 *
 * What it is   checks that end the test with a line that says what is missing. A test that would
 *              skip itself instead would lie about what was tested.
 * Ownership    nothing is kept.
 * Threads      any.
 * Errors       a missing privilege fails the test.
 */
#pragma once

/* Root or CAP_BPF and CAP_PERFMON. */
void privilege_need_sampling(void);
/* Kernel addresses in /proc/kallsyms. */
void privilege_need_kernel_symbols(void);
