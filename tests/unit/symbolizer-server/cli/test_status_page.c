/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/cli/status_page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "tests/support/check.h"

#define STAGE(name, place, unit, numbers, aside, lost)                                   \
	"{\"stage\":\"" name "\",\"place\":\"" place "\",\"unit\":\"" unit "\"," numbers \
	",\"aside_reasons\":[" aside "],\"lost_reasons\":[" lost "],\"notes\":[]}"
#define REASON(reason, value, remedy)                                                           \
	"{\"counter\":\"c\",\"reason\":\"" reason "\",\"value\":" value ",\"remedy\":\"" remedy \
	"\"}"
#define KERNEL                                                                          \
	STAGE("kernel", "host", "ticks",                                                \
		"\"in\":12345678901,\"out\":9999999999,\"waiting\":1,\"lost\":1234567," \
		"\"unaccounted\":0",                                                    \
		REASON("idle", "5000000000", ""),                                       \
		REASON("ring full", "1000000", "sample less often") "," REASON(         \
			"no record", "234567", "report it"))
#define QUEUE                                                                           \
	STAGE("queue", "host", "samples",                                               \
		"\"in\":100,\"out\":97,\"waiting\":0,\"lost\":1,\"unaccounted\":2", "", \
		REASON("queue full", "1", "look at the server"))
#define RECEIVE                                                                  \
	STAGE("receive", "server", "batches",                                    \
		"\"in\":5,\"out\":5,\"waiting\":0,\"lost\":0,\"unaccounted\":0", \
		REASON("again", "0", ""), "")

static const char text[] =
	"{\"version\":\"1.2\",\"now\":1700000100000000000,\"started_at\":1700000000000000000,"
	"\"warning_count\":2,\"warnings\":["
	"{\"level\":\"error\",\"host\":\"h\",\"text\":\"2 samples unaccounted for at `queue`\","
	"\"remedy\":\"report it\"},"
	"{\"level\":\"warning\",\"host\":\"i\",\"text\":\"1 % of all samples lost at `queue`: "
	"queue full\",\"remedy\":\"look at the server\"}],"
	"\"store\":{\"oldest\":1700000040000000000,\"bytes\":2048,\"files\":1,"
	"\"disk_free_bytes\":1048576},"
	"\"chain\":[" KERNEL "," QUEUE "," RECEIVE "],"
	"\"hosts\":[{\"host\":\"h\",\"kernel\":\"6.1\",\"collector\":\"1.2\",\"online_cpus\":2,"
	"\"last_received\":1700000095000000000,\"coverage\":0.995,\"samples_per_second\":38.5,"
	"\"samples_stored\":1234567,\"features\":[{\"name\":\"processes\",\"state\":\"on\"},"
	"{\"name\":\"kernel_symbols\",\"state\":\"off\",\"reason\":\"hidden\",\"loss\":\"names\","
	"\"remedy\":\"show them\"}],\"chain\":[" QUEUE "],"
	"\"counters\":[{\"name\":\"kernel_received\",\"value\":7,\"meaning\":\"ticks\"}]},"
	"{\"host\":\"a-name-that-is-longer-than-its-column\\u001b[2J\",\"features\":[],"
	"\"coverage\":null,\"counters\":[],\"chain\":[]}],"
	"\"counters\":[{\"part\":\"http\",\"name\":\"http_busy\",\"value\":3,\"meaning\":\"m\"}],"
	"\"debuginfod\":[{\"url\":\"http://one/"
	"\",\"state\":\"ok\",\"asked\":5,\"hits\":2,\"misses\":3},"
	"{\"url\":\"http://two/\",\"state\":\"resting\",\"failing_since\":1700000040000000000,"
	"\"next_try\":1700000120000000000,\"last_failure\":\"Connection refused\",\"asked\":4,"
	"\"failures\":4}],"
	"\"unnamed_modules\":[]}";

static char output[65536];

static int print(struct status_page page)
{
	struct cJSON *status = cJSON_Parse(text);
	FILE *file = fmemopen(output, sizeof(output), "w");
	int r;

	CHECK(status && file);
	page.out = file;
	page.server = "http://x";
	r = status_page_print(&page, status);
	(void)fclose(file);
	cJSON_Delete(status);
	return r;
}

#define SAYS(what) CHECK(strstr(output, (what)) != NULL)

static void the_whole_page_leads_from_warnings_to_hosts(void)
{
	CHECK_EQ(print((struct status_page){.host = NULL}), 0);
	SAYS("cairn-server 1.2 at http://x, started 100 s ago; 2 hosts, 38 samples/s\n");
	SAYS("store: 2.00 KiB in 1 file, oldest profile 60 s ago; 1.00 MiB of the disk free\n");
	SAYS("debuginfod http://one/: asked 5 times, files 2, not there 3\n"
	     "debuginfod http://two/: asked 4 times, failed 4\n"
	     "  does not answer, the first failure was 60 s ago (Connection refused); next try in "
	     "20 s\n");
	SAYS("\nERROR h: 2 samples unaccounted for at `queue`\n        report it\n");
	SAYS("2 COLLECTORS");
	SAYS("kernel     ticks             12.3 G 9,999,999,999       1 1,234,567  1,000,000 ring "
	     "full,\n");
	SAYS("  5,000,000,000 idle");
	SAYS("queue      samples              100            97       -         1  2 UNACCOUNTED, "
	     "1 "
	     "queue full\n");
	SAYS("SERVER");
	SAYS("receive    batches                5             5       -         -\n");
	SAYS("h                              5 s ago     99.5 %          38     2      "
	     "kernel_symbols\n");
	SAYS("a-name-that-is-longer...");
	CHECK(!strstr(output, "kernel_received"));
	CHECK(!strchr(output, '\033'));
}

static void what_a_warning_told_is_not_told_again(void)
{
	CHECK_EQ(print((struct status_page){.host = NULL}), 0);
	SAYS("what to do\n  kernel, ring full: sample less often\n  kernel, no record: report "
	     "it\n");
	CHECK(!strstr(output, "  queue, queue full:"));
}

static void no_line_is_wider_than_the_page(void)
{
	size_t length;

	CHECK_EQ(print((struct status_page){.host = NULL}), 0);
	for (const char *line = output; *line; line += length + 1) {
		length = strcspn(line, "\n");
		CHECK(length <= STATUS_PAGE_COLUMNS);
	}
}

static void one_host_has_its_own_part(void)
{
	CHECK_EQ(print((struct status_page){.host = "h"}), 0);
	SAYS("host h: last heard 5 s ago, coverage 99.5 % (samples x period over busy time)\n");
	SAYS("  38 samples/s, 1,234,567 stored since the server started\n");
	SAYS("  kernel 6.1, collector 1.2, 2 CPUs\n");
	SAYS("  off: kernel_symbols: hidden; names; to have it, show them\n");
	SAYS("queue ");
	CHECK(!strstr(output, "warning i:"));
	CHECK_EQ(print((struct status_page){.host = "nobody"}), -ENOENT);
}

static void all_counters_are_there_when_they_are_asked_for(void)
{
	CHECK_EQ(print((struct status_page){.all = true}), 0);
	SAYS("             7  kernel_received: ticks\n");
	SAYS("counters of the server, http, since it started\n             3  http_busy: m\n");
	CHECK_EQ(print((struct status_page){.host = "h", .all = true}), 0);
	SAYS("kernel_received");
	CHECK(!strstr(output, "http_busy"));
}

static void a_terminal_gets_colour(void)
{
	CHECK_EQ(print((struct status_page){.painted = true}), 0);
	SAYS("\033[1;31mERROR \033[0mh: ");
}

int main(void)
{
	RUN(the_whole_page_leads_from_warnings_to_hosts);
	RUN(what_a_warning_told_is_not_told_again);
	RUN(no_line_is_wider_than_the_page);
	RUN(one_host_has_its_own_part);
	RUN(all_counters_are_there_when_they_are_asked_for);
	RUN(a_terminal_gets_colour);
	return 0;
}
