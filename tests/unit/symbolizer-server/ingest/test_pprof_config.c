/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/pprof_config.h"

#include <errno.h>

#include "tests/support/check.h"

static int read_text(const char *text, struct pprof_config **ret_config)
{
	struct ingest_fault fault;
	int r = pprof_config_read((struct ingest_text){text, strlen(text)}, ret_config, &fault);

	if (r == -EBADMSG)
		CHECK(strstr(fault.text, "sample_type_config"));
	return r;
}

static void columns_get_their_display_names(void)
{
	struct pprof_config *config;

	CHECK_EQ(read_text("{\"contentions\":{\"units\":\"x\",\"display-name\":\"block_count\"},"
			   "\"delay\":{}}",
			 &config),
		0);
	CHECK_EQ(config->count, 2);
	CHECK(memcmp(config->renames[0].display_name.text, "block_count", 11) == 0);
	CHECK_EQ(config->renames[1].display_name.length, 0);
	pprof_config_free(config);
	CHECK_EQ(read_text("{}", &config), 0);
	CHECK_EQ(config->count, 0);
	pprof_config_free(config);
}

static void what_is_no_object_is_refused(void)
{
	struct pprof_config *config;

	CHECK_EQ(read_text("", &config), -EBADMSG);
	CHECK_EQ(read_text("[1]", &config), -EBADMSG);
	CHECK_EQ(read_text("{\"a\":", &config), -EBADMSG);
}

int main(void)
{
	RUN(columns_get_their_display_names);
	RUN(what_is_no_object_is_refused);
	return 0;
}
