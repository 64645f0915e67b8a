/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics text: the counters as Prometheus reads them.
 *
 * What it is   text format 0.0.4: HELP and TYPE once a metric, names that begin with `cairn_`, and
 *              a few metrics with a label for each host.
 * Ownership    the caller's writer.
 * Threads      any.
 * Errors       -ENOMEM; those of the writer are sticky in it.
 */
#pragma once

#include "store/base/bytes.h"
#include "symbolizer-server/http/site.h"

struct http_request;

/* REQUEST: for which the shares of watched functions are looked up. */
int metrics_text_write(
	const struct site *site, const struct http_request *request, struct bytes_writer *out);
