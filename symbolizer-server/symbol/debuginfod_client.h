/* SPDX-License-Identifier: Apache-2.0 */
/* debuginfod client: one question over HTTP, bounded in time and length.
 *
 * What it is   GET of one path of one server, and what its answer means. Which server is asked when
 *              stands in debuginfod_servers.h. Connections are kept between questions. No cookies,
 *              no other protocol than HTTP and HTTPS, also where a server sends us elsewhere; names
 *              and certificates are checked as libcurl does by itself.
 * Ownership    a client owns its connections; texts and descriptors of a request are the caller's.
 * Threads      a client: one thread at a time.
 * Errors       0: the answer is whole. What a server is at fault for: -ENOENT: it does not have it;
 *              -EBADMSG: its answer is no ELF file; -EREMOTEIO: it fails, is too busy or broke off;
 *              -ECONNREFUSED and other errors of the network; -EHOSTUNREACH: its name leads nowhere;
 *              -ETIMEDOUT; -EFBIG; -ELOOP: it sends us round in circles; -EPROTONOSUPPORT: or to
 *              another protocol; -EACCES: it wants other credentials; -EKEYREJECTED: its
 *              certificate. What it is not: -ECANCELED; -ENOMEM; -ENOSPC, -EIO: the answer could not
 *              be written here.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A server that has moved says so once, and perhaps its balancer another time. */
#define DEBUGINFOD_REDIRECTS_MAX 5L
/* Of a server's word on when to come back (Retry-After), what is believed. */
#define DEBUGINFOD_WAIT_SECONDS_MAX 3600

struct debuginfod_client;

struct debuginfod_request {
	const char *url; /* of the server; may hold credentials */
	const char *path; /* from its slash on, as it is sent */
	int to_fd; /* an empty file: where the answer goes */
	uint64_t bytes_max;
	unsigned silence_seconds; /* to connect, and without a byte */
	uint64_t time_ms_max; /* of the whole question */
	bool elf; /* the answer must begin as an ELF file does */
	const atomic_bool *stop; /* the question is given up within a second; NULL: never */
};

struct debuginfod_answer {
	uint64_t byte_count;
	uint32_t
		wait_seconds; /* after a failure: when the server wants to be asked again; 0: it does not say */
};

int debuginfod_client_new(struct debuginfod_client **ret_client);
/* Accepts NULL. */
void debuginfod_client_free(struct debuginfod_client *client);
/* RET_ANSWER is written in any case. */
int debuginfod_client_get(struct debuginfod_client *client,
	const struct debuginfod_request *request, struct debuginfod_answer *ret_answer);

/* Whether ERROR is the server's failure: neither its "not found" nor our own trouble. */
bool debuginfod_error_is_theirs(int error);
/* URL as it may be shown: without credentials, question and fragment. -EINVAL: it is no address of
 * HTTP; -ENOMEM. */
int debuginfod_url_shown(const char *url, char **ret_text);
/* TEXT as a part of a path: what is neither letter, digit nor `-_.~/` is percent-encoded. -ENOMEM. */
int debuginfod_path_encoded(const char *text, char **ret_text);
