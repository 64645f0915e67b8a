/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/service/service_parts.h"

#include <errno.h>
#include <stdio.h>

#include "store/log/log.h"

bool service_accept_version(
	struct service_parts *parts, struct rpc_stream *stream, const struct wire_hello *hello)
{
	char text[128];

	if (wire_version_fits(hello->version))
		return true;
	service_count(parts->counts, SERVICE_COUNTER_VERSIONS_REFUSED, 1);
	snprintf(text, sizeof(text),
		"this server (%s) speaks version %u of the contract, the collector version %u",
		CAIRN_VERSION, WIRE_VERSION, hello->version);
	log_warning(0, "refusing the collector of host %s: %s", hello->host, text);
	rpc_stream_finish(stream, -EPROTONOSUPPORT, text);
	return false;
}

bool service_accept_uploads(struct service_parts *parts, struct rpc_stream *stream)
{
	if (parts->insecure_uploads || rpc_stream_is_loopback(stream))
		return true;
	service_count(parts->counts, SERVICE_COUNTER_UPLOADS_FORBIDDEN, 1);
	rpc_stream_finish(stream, -EACCES,
		"this server takes uploads from its own host only (--insecure-uploads allows "
		"others)");
	return false;
}
