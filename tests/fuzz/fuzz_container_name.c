/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever a container runtime's file says: a value that is found is a plain text that fits, and
 * stays the same whatever follows the text.
 *
 * The input is a key, a newline, and the file. */
#include <stdlib.h>
#include <string.h>

#include "collector/process/container_name.h"
#include "store/base/cleanup.h"
#include "store/base/must.h"
#include "tests/fuzz/fuzz.h"

#define KEY_BYTES_MAX 32
#define DEPTH_MAX 3

static const char tail[] = "\"Name\":\"other\"}";

static void check_depth(const char *json, size_t length, const char *key, unsigned depth)
{
	char value[CONTAINER_NAME_MAX + 1] = "untouched", again[sizeof(value)];
	SCOPED_FREE char *longer = malloc(length + sizeof(tail));

	must(longer);
	if (!container_name_find(json, length, key, depth, value, sizeof(value))) {
		must(strnlen(value, sizeof(value)) < sizeof(value));
		return;
	}
	must(strnlen(value, sizeof(value)) < sizeof(value));
	for (const char *c = value; *c; c++)
		must((unsigned char)*c >= ' ');
	memcpy(longer, json, length);
	memcpy(longer + length, tail, sizeof(tail));
	must(container_name_find(
		longer, length + sizeof(tail) - 1, key, depth, again, sizeof(again)));
	must(strcmp(value, again) == 0);
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	const uint8_t *line_end = memchr(bytes, '\n', byte_count);
	char key[KEY_BYTES_MAX + 1] = "";
	size_t key_length = line_end ? (size_t)(line_end - bytes) : 0;

	if (!line_end || key_length == 0 || key_length > KEY_BYTES_MAX ||
		memchr(bytes, '\0', key_length))
		return;
	memcpy(key, bytes, key_length);
	for (unsigned depth = 0; depth <= DEPTH_MAX; depth++)
		check_depth((const char *)line_end + 1, byte_count - key_length - 1, key, depth);
}
