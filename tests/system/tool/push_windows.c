/* SPDX-License-Identifier: Apache-2.0 */
/* Sends windows to a server over gRPC as a collector does, and prints what it answers.
 *
 *     push_windows PORT flood SERVICE LABEL COUNT
 *     push_windows PORT window HOST SERVICE AHEAD
 *
 * The first sends COUNT samples of SERVICE, each with another value of LABEL, a thousand a window.
 * The second sends one sample of SERVICE in a window that ended AHEAD seconds from now, or before it if
 * that is negative, from a host whose clock says so. Prints one line: `stored N`, `refused TEXT`. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer-server/service/ingest_service.h"
#include "tests/support/check.h"
#include "tests/support/fake_collector.h"
#include "tests/support/labelled_profile.h"

#define WINDOW_VALUES 1000
#define SLOT_NS PROFILE_SLOT_NS
/* Windows on their way at a time: less than the server lets be. */
#define UNDER_WAY 8

static uint64_t window_start(int64_t ahead_s)
{
	uint64_t end_ns = clock_realtime_ns() + (uint64_t)(ahead_s * (int64_t)NS_PER_S);

	return (end_ns - 10 * NS_PER_S) / SLOT_NS * SLOT_NS;
}

#define INSTANCE 9

/* Numbers that no run before had. */
static uint64_t first_sequence;

static void send_values(
	struct call_probe *probe, uint64_t number, const char *service, const char *label)
{
	struct profile *profile = labelled_profile_new("flood", window_start(0));
	char labels[256];

	for (uint64_t i = 0; i < WINDOW_VALUES; i++) {
		snprintf(labels, sizeof(labels),
			"service_name=%s,process=%s,%s=%08" PRIx64 "-value", service, service,
			label, number * WINDOW_VALUES + i);
		labelled_profile_add(profile, NULL, labels);
	}
	labelled_profile_seal(profile);
	collector_send_profile(probe, INSTANCE, first_sequence + number, profile);
}

static int flood(struct call_probe *probe, char **words)
{
	uint64_t count = strtoull(words[2], NULL, 10) / WINDOW_VALUES, stored = 0;
	char text[64];

	for (uint64_t i = 0; i < count + UNDER_WAY; i++) {
		uint64_t sequence;

		if (i < count)
			send_values(probe, i, words[0], words[1]);
		if (i >= UNDER_WAY && i - UNDER_WAY < count)
			stored += collector_ack(probe, i - UNDER_WAY + 1, &sequence, text) ==
				WIRE_ACK_STORED;
	}
	printf("stored %" PRIu64 "\n", stored * WINDOW_VALUES);
	return stored == count ? 0 : 1;
}

static int one_window(struct call_probe *probe, char **words)
{
	struct profile *profile =
		labelled_profile_new(words[0], window_start(strtoll(words[2], NULL, 10)));
	enum wire_ack_result result;
	char labels[128], text[64];
	uint64_t sequence;

	snprintf(labels, sizeof(labels), "service_name=%.50s,process=%.50s", words[1], words[1]);
	labelled_profile_add(profile, NULL, labels);
	labelled_profile_seal(profile);
	collector_send_profile(probe, INSTANCE, first_sequence, profile);
	result = collector_ack(probe, 1, &sequence, text);
	printf("%s %s\n", result == WIRE_ACK_STORED ? "stored" : "refused",
		result == WIRE_ACK_STORED ? "1" : text);
	return 0;
}

int main(int argc, char **argv)
{
	struct rpc_client *client;
	struct call_probe probe;
	int r;

	if (argc != 6)
		return 2;
	first_sequence = clock_realtime_ns() / 1000;
	client = probe_client((uint16_t)strtoul(argv[1], NULL, 10));
	collector_open(&probe, client);
	if (strcmp(argv[2], "flood") == 0)
		r = flood(&probe, argv + 3);
	else
		r = one_window(&probe, argv + 3);
	probe_close(&probe);
	rpc_client_free(client);
	return r;
}
