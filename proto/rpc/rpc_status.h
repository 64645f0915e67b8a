/* SPDX-License-Identifier: Apache-2.0 */
/* RPC status: the tongue of gRPC and ours.
 *
 * What it is   the one translation between negative errno and the status code of a call.
 * Ownership    values and static texts only.
 * Threads      any.
 * Errors       none: every value has a counterpart.
 *
 * Several of our errors share one code; the way back gives the first errno of each line:
 *
 *   OK 0                    INVALID_ARGUMENT EINVAL, EBADMSG      FAILED_PRECONDITION
 * EPROTONOSUPPORT CANCELLED ECANCELED     DEADLINE_EXCEEDED ETIMEDOUT           ABORTED
 * ECONNABORTED UNKNOWN EIO, others     NOT_FOUND ENOENT                      OUT_OF_RANGE ERANGE
 *   UNAVAILABLE ENOTCONN, EAGAIN, EPIPE, ECONNREFUSED             UNIMPLEMENTED ENOSYS, EOPNOTSUPP
 *   ALREADY_EXISTS EEXIST, EALREADY                               INTERNAL ENOTRECOVERABLE
 *   PERMISSION_DENIED EPERM, EACCES                               DATA_LOSS EILSEQ
 *   RESOURCE_EXHAUSTED ENOBUFS, E2BIG, EFBIG, ENOMEM, ENOSPC      UNAUTHENTICATED ENOKEY
 */
#pragma once

/* CODE 0..16 of the gRPC protocol. */
int rpc_status_of_fault(int error);
int rpc_status_to_fault(int code);
/* The protocol's own word, such as "UNAVAILABLE"; "UNKNOWN" for a code that it does not define. */
const char *rpc_status_name(int code);
