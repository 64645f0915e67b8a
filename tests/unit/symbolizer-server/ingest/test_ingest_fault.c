/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/ingest_fault.h"

#include <errno.h>

#include "tests/support/check.h"

static void a_refusal_has_its_sentence_and_its_error(void)
{
	struct ingest_fault fault;

	CHECK_EQ(ingest_refuse(&fault, -EINVAL, "line %d", 3), -EINVAL);
	CHECK_STR(fault.text, "line 3");
}

static void a_long_sentence_is_cut(void)
{
	struct ingest_fault fault;

	ingest_refuse(&fault, -EBADMSG, "%400d", 1);
	CHECK_EQ(strlen(fault.text), INGEST_FAULT_BYTES - 1);
}

int main(void)
{
	RUN(a_refusal_has_its_sentence_and_its_error);
	RUN(a_long_sentence_is_cut);
	return 0;
}
