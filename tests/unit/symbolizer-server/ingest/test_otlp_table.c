/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/otlp_table.h"

#include <errno.h>

#include "tests/support/made_otlp.h"

static struct otlp_dictionary dictionary;
static struct ingest_fault fault;
static struct proto_text text;

static void rows_are_found_and_row_0_is_nothing(void)
{
	made_otlp_dictionary(&text);
	CHECK_EQ(otlp_dictionary_init(
			 &dictionary, (struct ingest_text){text.bytes, text.length}, &fault),
		0);
	CHECK(otlp_is(otlp_string(&dictionary, 5), "libx.so"));
	CHECK_EQ(otlp_string(&dictionary, 0).length, 0);
	CHECK_EQ(otlp_string(&dictionary, 500).length, 0);
	CHECK_EQ(otlp_row(&dictionary, OTLP_LOCATION, 0).length, 0);
	CHECK(otlp_row(&dictionary, OTLP_LOCATION, 1).length > 0);
}

static void attributes_are_texts_and_numbers(void)
{
	struct otlp_attribute attribute;

	CHECK(otlp_attribute_at(&dictionary, 4, &attribute));
	CHECK(otlp_is(attribute.key, "thread.name"));
	CHECK(otlp_is(attribute.text, "worker"));
	CHECK(otlp_attribute_at(&dictionary, 5, &attribute));
	CHECK(attribute.is_number);
	CHECK_EQ(attribute.number, 4243);
	CHECK_STR(attribute.digits, "4243");
	CHECK(!otlp_attribute_at(&dictionary, 0, &attribute));
	CHECK(!otlp_attribute_at(&dictionary, 99, &attribute));
}

static void attributes_of_resources_may_be_by_number_too(void)
{
	struct otlp_attribute attribute;
	struct proto_text pair = {.length = 0}, any = {.length = 0};

	proto_number(&pair, 3, 11);
	proto_number(&any, 8, 10);
	proto_inner(&pair, 2, &any);
	CHECK(otlp_attribute_read(
		&dictionary, (struct ingest_text){pair.bytes, pair.length}, &attribute));
	CHECK(otlp_is(attribute.key, "thread.name"));
	CHECK(otlp_is(attribute.text, "main"));
	pair.length = any.length = 0;
	proto_string(&pair, 1, "double");
	made_otlp_fixed64(&any, 4, 1);
	proto_inner(&pair, 2, &any);
	CHECK(!otlp_attribute_read(
		&dictionary, (struct ingest_text){pair.bytes, pair.length}, &attribute));
	otlp_dictionary_done(&dictionary);
}

static void damage_is_refused(void)
{
	CHECK_EQ(otlp_dictionary_init(&dictionary, (struct ingest_text){"\x2a\x7f", 2}, &fault),
		-EBADMSG);
}

int main(void)
{
	RUN(rows_are_found_and_row_0_is_nothing);
	RUN(attributes_are_texts_and_numbers);
	RUN(attributes_of_resources_may_be_by_number_too);
	RUN(damage_is_refused);
	return 0;
}
