/* SPDX-License-Identifier: Apache-2.0 */
/* Upload job: the bytes of one answer to the server.
 *
 * What it is   a stream of a whole file, of a slim one, or of the symbols of the kernel or one of
 *              its modules, packed by zstd.
 * Ownership    a job owns its descriptor and its buffers.
 * Threads      made by the agent's thread, read by the upload thread, freed by whoever has it.
 * Errors       negative errno; those of slim_elf.h and kallsyms.h.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/process/kernel_symbols.h"
#include "collector/upload/slim_elf.h"

struct upload_job {
	enum upload_source { UPLOAD_WHOLE, UPLOAD_SLIM, UPLOAD_SYMBOLS } source;
	int fd;
	uint64_t offset; /* what was read so far */
	uint64_t resume_at; /* what lies before is passed over */
	uint64_t byte_count; /* 0: known when the first bytes were read */
	struct slim_elf slim;
	struct kernel_module module;
	uint8_t *packed; /* symbols */
	struct build_id id; /* what was asked for */
	uint32_t what;
	char name[256]; /* for the log */
	char build_id[BUILD_ID_TEXT_MAX];
	void *owner;
};

/* Takes over FD, also on failure. */
int upload_job_new_file(int fd, bool is_slim, struct upload_job **ret_job);
int upload_job_new_symbols(const struct kernel_module *module, struct upload_job **ret_job);
void upload_job_free(struct upload_job *job);
/* How many bytes, 0 at the end, or a negative errno. */
ssize_t upload_job_read(struct upload_job *job, void *bytes, size_t byte_count);
