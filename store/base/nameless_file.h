/* SPDX-License-Identifier: Apache-2.0 */
/* Nameless file: a file on a disk that is gone once nobody has it open any more.
 *
 * What it is   O_TMPFILE, also where the file system knows no such thing.
 * Ownership    the descriptor is the caller's.
 * Threads      any.
 * Errors       negative errno.
 */
#pragma once

/* A new file for reading and writing on the file system of FOLDER_FD. */
int nameless_file_open(int folder_fd);
