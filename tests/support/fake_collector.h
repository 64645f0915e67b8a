/* SPDX-License-Identifier: Apache-2.0 */
/* Fake collector: what a collector says on its Push stream, word by word.
 *
 * What it is   hello, batches, and the answers to them, over a call probe.
 * Ownership    the test opens and closes the probe.
 * Threads      one.
 * Errors       a failed CHECK.
 */
#pragma once

#include "proto/wire/ingest_wire.h"
#include "proto/wire/profile_wire.h"
#include "tests/support/call_probe.h"

void collector_hello(struct call_probe *probe, uint32_t version);
/* Opens the stream, says hello and waits for the welcome, which is message 0. */
void collector_open(struct call_probe *probe, struct rpc_client *client);
void collector_reply(
	struct call_probe *probe, size_t at, struct arena *arena, struct wire_push_reply *reply);
/* The message at AT, which is an answer; its text in TEXT (64 characters). */
enum wire_ack_result collector_ack(
	struct call_probe *probe, size_t at, uint64_t *ret_sequence, char *ret_text);
void collector_check_ack(
	struct call_probe *probe, size_t at, uint64_t sequence, enum wire_ack_result result);
void collector_send(struct call_probe *probe, uint8_t instance, uint64_t sequence,
	const struct profile_wire_body *body);
/* Takes PROFILE, which is sealed and fits one batch. */
void collector_send_profile(
	struct call_probe *probe, uint8_t instance, uint64_t sequence, struct profile *profile);
