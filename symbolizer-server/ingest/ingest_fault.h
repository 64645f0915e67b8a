/* SPDX-License-Identifier: Apache-2.0 */
/* Ingest fault: what is wrong with an upload, for whoever sent it.
 *
 * What it is   a sentence that goes with a negative errno. Every reader of an upload tells its
 *              failures with one of:
 *                -EINVAL   a name, a label or a parameter cannot be used
 *                -EBADMSG  the body is not what it should be
 *                -E2BIG    the body holds more than a limit allows
 *                -EPROTOTYPE  the body's type is none that is read here
 *                -ENOMEM   the server is out of memory: not the sender's fault
 * Ownership    values only.
 * Threads      one owner.
 * Errors       a sentence that is too long is cut.
 */
#pragma once

#define INGEST_FAULT_BYTES 240

struct ingest_fault {
	char text[INGEST_FAULT_BYTES]; /* UTF-8 */
};

/* Writes the sentence and gives ERROR back. */
int ingest_refuse(struct ingest_fault *fault, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
