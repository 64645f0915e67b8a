/* SPDX-License-Identifier: Apache-2.0 */
#include "store/profile/build_id.h"

#include <errno.h>
#include <string.h>

#include "store/base/hash.h"
#include "store/base/must.h"

static const char *const prefixes[] = {
	[BUILD_ID_NONE] = "",
	[BUILD_ID_GNU] = "",
	[BUILD_ID_GO] = "go-",
	[BUILD_ID_HTL] = "htl-",
};

int build_id_make(
	enum build_id_kind kind, const void *bytes, size_t byte_count, struct build_id *ret_id)
{
	struct build_id id = {.kind = (uint8_t)kind};

	if (byte_count == 0 || kind < BUILD_ID_GNU || kind > BUILD_ID_HTL)
		return -EINVAL;
	if (byte_count > BUILD_ID_BYTES_MAX)
		return -E2BIG;
	memcpy(id.bytes, bytes, byte_count);
	id.byte_count = (uint8_t)byte_count;
	*ret_id = id;
	return 0;
}

bool build_id_known(const struct build_id *id)
{
	return id->byte_count > 0;
}

int build_id_compare(const struct build_id *one, const struct build_id *other)
{
	if (one->kind != other->kind)
		return one->kind < other->kind ? -1 : 1;
	if (one->byte_count != other->byte_count)
		return one->byte_count < other->byte_count ? -1 : 1;
	return memcmp(one->bytes, other->bytes, one->byte_count);
}

bool build_id_equal(const struct build_id *one, const struct build_id *other)
{
	return build_id_compare(one, other) == 0;
}

uint64_t build_id_hash(const struct build_id *id)
{
	return hash_pair(hash_key(id->bytes, id->byte_count), id->kind);
}

void build_id_format(const struct build_id *id, char *ret_text)
{
	static const char digits[] = "0123456789abcdef";
	size_t used = 0;

	must(id->kind <= BUILD_ID_HTL && id->byte_count <= BUILD_ID_BYTES_MAX);
	if (build_id_known(id)) {
		used = strlen(prefixes[id->kind]);
		memcpy(ret_text, prefixes[id->kind], used);
	}
	for (size_t i = 0; i < id->byte_count; i++) {
		ret_text[used++] = digits[id->bytes[i] >> 4];
		ret_text[used++] = digits[id->bytes[i] & 15];
	}
	ret_text[used] = '\0';
}

static int digit_value(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	if (digit >= 'a' && digit <= 'f')
		return digit - 'a' + 10;
	return -1;
}

int build_id_parse(const char *text, size_t text_length, struct build_id *ret_id)
{
	struct build_id id = {.kind = BUILD_ID_GNU};

	for (enum build_id_kind kind = BUILD_ID_GO; kind <= BUILD_ID_HTL; kind++) {
		size_t length = strlen(prefixes[kind]);

		if (text_length >= length && memcmp(text, prefixes[kind], length) == 0) {
			id.kind = (uint8_t)kind;
			text += length;
			text_length -= length;
			break;
		}
	}
	if (text_length == 0 || text_length % 2 != 0)
		return -EINVAL;
	if (text_length / 2 > BUILD_ID_BYTES_MAX)
		return -E2BIG;
	for (size_t i = 0; i < text_length; i += 2) {
		int high = digit_value(text[i]), low = digit_value(text[i + 1]);

		if (high < 0 || low < 0)
			return -EINVAL;
		id.bytes[id.byte_count++] = (uint8_t)(high << 4 | low);
	}
	*ret_id = id;
	return 0;
}
