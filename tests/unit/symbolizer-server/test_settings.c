/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/settings.h"

#include <errno.h>

#include "store/disk/profile_store.h"
#include "store/log/log.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

#define WORDS_MAX 32

static struct setting_fault fault;

static int parse(const char *const *words, struct settings *ret_settings)
{
	enum command_line_action action;
	char *copies[WORDS_MAX] = {0};
	int count = 0, r;

	for (; words[count]; count++) {
		CHECK(count < WORDS_MAX);
		copies[count] = strdup(words[count]);
	}
	fault.text[0] = '\0';
	r = settings_parse(count, copies, ret_settings, &action, &fault);
	CHECK(r < 0 || action == COMMAND_LINE_RUN);
	for (int i = 0; i < count; i++)
		free(copies[i]);
	return r;
}

static struct settings good(const char *const *words)
{
	struct settings settings;
	int r = parse(words, &settings);

	if (r < 0)
		fprintf(stderr, "%s\n", fault.text);
	CHECK_EQ(r, 0);
	return settings;
}

static void refused(const char *const *words, const char *what)
{
	struct settings settings;

	CHECK_EQ(parse(words, &settings), -EINVAL);
	if (!strstr(fault.text, what))
		fprintf(stderr, "%s\n", fault.text);
	CHECK(strstr(fault.text, what));
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
/* Whatever the machine has at the usual place must not matter. */
#define NO_FILE "--config", work_path("empty.conf")

static void defaults_are_those_of_the_help(void)
{
	struct settings settings;

	setenv("DEBUGINFOD_URLS", "http://one http://two", 1);
	settings = good(WORDS(NO_FILE));
	CHECK_STR(settings.data, "/var/lib/cairn");
	CHECK_STR(settings.http_text, "127.0.0.1:4040");
	CHECK_STR(settings.grpc_text, "127.0.0.1:4041");
	CHECK_STR(settings.debuginfod_urls, "http://one http://two");
	CHECK_EQ(settings.retain_ns, PROFILE_STORE_RETAIN_NS_DEFAULT);
	CHECK_EQ(settings.hot_ns, PROFILE_STORE_HOT_NS_DEFAULT);
	CHECK_EQ(settings.log_level, LOG_LEVEL_INFO);
	CHECK(!settings.insecure && !settings.insecure_uploads && !settings.web_dir);
	settings_done(&settings);
	unsetenv("DEBUGINFOD_URLS");
}

static void flags_set_everything(void)
{
	struct settings settings = good(
		WORDS(NO_FILE, "--data=/tmp/x", "--http", "[::1]:0", "--allowed-host", "a.example",
			"--allowed-host=b.example", "--retain-time", "36h", "--retain-bytes",
			"500M", "--hot-time", "7d", "--log-level", "debug", "--insecure-uploads"));

	CHECK_STR(settings.data, "/tmp/x");
	CHECK_STR(settings.http_text, "[::1]:0");
	CHECK_EQ(settings.allowed_hosts.count, 2);
	CHECK_STR(settings.allowed_hosts.items[1], "b.example");
	CHECK_EQ(settings.retain_ns, UINT64_C(36) * 3600 * NS_PER_S);
	CHECK_EQ(settings.retain_bytes, UINT64_C(500) << 20);
	CHECK_EQ(settings.hot_ns, UINT64_C(7) * 24 * 3600 * NS_PER_S);
	CHECK_EQ(settings.log_level, LOG_LEVEL_DEBUG);
	CHECK(settings.insecure_uploads && !settings.insecure);
	settings_done(&settings);
	settings = good(WORDS(NO_FILE, "--retain-time", "forever", "--retain-bytes", "unlimited"));
	CHECK(settings.retain_ns == UINT64_MAX && settings.retain_bytes == UINT64_MAX);
	settings_done(&settings);
}

static void wrong_usage_is_named(void)
{
	refused(WORDS(NO_FILE, "--no-such-flag"), "no-such-flag");
	refused(WORDS(NO_FILE, "data"), "data");
	refused(WORDS(NO_FILE, "--data"), "--data needs a value: DIR");
	refused(WORDS(NO_FILE, "--data", ""), "--data needs a value");
	refused(WORDS(NO_FILE, "--http", "nonsense"), "--http nonsense");
	refused(WORDS(NO_FILE, "--grpc", "127.0.0.1"), "--grpc 127.0.0.1");
	refused(WORDS(NO_FILE, "--http", "0.0.0.0:0"), "--insecure");
	refused(WORDS(NO_FILE, "--retain-time", "5"), "36h");
	refused(WORDS(NO_FILE, "--retain-bytes", "5X"), "500M");
	refused(WORDS(NO_FILE, "--retain-bytes", "999999999999999T"), "500M");
	refused(WORDS(NO_FILE, "--log-level", "loud"), "loud");
	refused(WORDS(NO_FILE, "--allowed-host", "http://x"), "http://x");
	refused(WORDS(NO_FILE, "--insecure=maybe"), "true or false");
}

static void wider_addresses_need_a_word(void)
{
	struct settings settings =
		good(WORDS(NO_FILE, "--insecure", "--http", "0.0.0.0:0", "--grpc", "[::]:0"));

	CHECK(settings.insecure);
	settings_done(&settings);
}

static void the_file_goes_behind_the_flags(void)
{
	struct settings settings;

	work_write_text("server.conf",
		"data = \"/from/file\";\nhttp = \"127.0.0.1:1\";\ninsecure = true;\n"
		"allowed-host = [\"a\", \"b\"];\nretain-bytes = 1000;\nlog-level = \"error\";\n");
	settings = good(WORDS("--http", "127.0.0.1:2", "--config", work_path("server.conf")));
	CHECK_STR(settings.data, "/from/file");
	CHECK_STR(settings.http_text, "127.0.0.1:2");
	CHECK(settings.insecure);
	CHECK_EQ(settings.allowed_hosts.count, 2);
	CHECK_EQ(settings.retain_bytes, 1000);
	CHECK_EQ(settings.log_level, LOG_LEVEL_ERROR);
	settings_done(&settings);
	work_write_text("wrong.conf", "data = \"/x\";\nno-such = 1;\n");
	refused(WORDS("--config", work_path("wrong.conf")),
		"wrong.conf:2: no setting is called no-such");
	work_write_text("broken.conf", "data = ;\n");
	refused(WORDS("--config", work_path("broken.conf")), "broken.conf:1");
	work_write_text("group.conf", "data = { a = 1; };\n");
	refused(WORDS("--config", work_path("group.conf")), "group.conf:1: a value must be a text");
}

static void a_file_that_is_named_must_be_there(void)
{
	struct settings settings;

	CHECK_EQ(parse(WORDS("--config", "/nonexistent/file"), &settings), -ENOENT);
	CHECK(strstr(fault.text, "/nonexistent/file"));
}

int main(void)
{
	work_write_text("empty.conf", "");
	RUN(defaults_are_those_of_the_help);
	RUN(flags_set_everything);
	RUN(wrong_usage_is_named);
	RUN(wider_addresses_need_a_word);
	RUN(the_file_goes_behind_the_flags);
	RUN(a_file_that_is_named_must_be_there);
	return 0;
}
