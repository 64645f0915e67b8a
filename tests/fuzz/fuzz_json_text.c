/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes become JSON that another reader takes, and reads back as the same characters. */
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "store/base/cleanup.h"
#include "store/base/json_writer.h"
#include "store/base/must.h"
#include "store/base/utf8.h"
#include "tests/fuzz/fuzz.h"

/* An escape makes six characters of one, a replacement three. */
#define BYTES_MAX ((size_t)1 << 20)

static void check_characters(const char *text, size_t length)
{
	size_t taken;

	for (size_t i = 0; i < length; i += taken) {
		taken = utf8_character(text + i, length - i);
		must(taken >= 1 && taken <= 4);
	}
}

static void check_json(const char *text, size_t length, const struct bytes_writer *plain)
{
	struct bytes_writer out;
	struct json_writer json;
	cJSON *read, *item;

	bytes_writer_init(&out, BYTES_MAX);
	json_writer_init(&json, &out);
	json_begin_array(&json);
	json_text(&json, text, length);
	json_end_array(&json);
	must(bytes_writer_fault(&out) == 0);
	read = cJSON_ParseWithLength((const char *)out.bytes, out.byte_count);
	must(read);
	item = cJSON_GetArrayItem(read, 0);
	must(cJSON_IsString(item) && strlen(item->valuestring) == plain->byte_count);
	must(memcmp(item->valuestring, plain->bytes, plain->byte_count) == 0);
	cJSON_Delete(read);
	bytes_writer_done(&out);
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	const char *text = (const char *)bytes;
	struct bytes_writer plain;

	/* The other reader's texts end at a NUL. */
	if (byte_count == 0 || byte_count > BYTES_MAX / 8 || memchr(bytes, '\0', byte_count))
		return;
	bytes_writer_init(&plain, BYTES_MAX);
	utf8_write(&plain, text, byte_count);
	must(bytes_writer_fault(&plain) == 0);
	check_characters((const char *)plain.bytes, plain.byte_count);
	check_json(text, byte_count, &plain);
	bytes_writer_done(&plain);
}
