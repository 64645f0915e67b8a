/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/config.h"

#include <errno.h>

#include "store/disk/profile_store.h"
#include "store/log/log.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

#define WORDS_MAX 16

static int parse(const char *const *words, struct config *ret_config, char *ret_error)
{
	char *argv[WORDS_MAX + 2] = {0};
	int argc = 1, r;

	argv[0] = strdup("cairn-server");
	for (; *words; words++) {
		CHECK(argc <= WORDS_MAX);
		argv[argc++] = strdup(*words);
	}
	r = config_parse(argc, argv, ret_config, ret_error);
	for (int i = 0; i < argc; i++)
		free(argv[i]);
	return r;
}

static struct config good(const char *const *words)
{
	char error[CONFIG_ERROR_BYTES_MAX] = "";
	struct config config;
	int r = parse(words, &config, error);

	if (r < 0)
		fprintf(stderr, "%s\n", error);
	CHECK_EQ(r, 0);
	return config;
}

static void refused(const char *const *words, const char *what)
{
	char error[CONFIG_ERROR_BYTES_MAX] = "";
	struct config config;

	CHECK_EQ(parse(words, &config, error), -EINVAL);
	if (!strstr(error, what))
		fprintf(stderr, "%s\n", error);
	CHECK(strstr(error, what));
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
/* Whatever the machine has at the usual place must not matter. */
#define NO_FILE "--config", work_path("empty.conf")

static void defaults_are_those_of_the_help(void)
{
	struct config config;

	setenv("DEBUGINFOD_URLS", "http://one http://two", 1);
	config = good(WORDS(NO_FILE));
	CHECK_STR(config.data, "/var/lib/cairn");
	CHECK_STR(config.http_text, "127.0.0.1:4040");
	CHECK_STR(config.grpc_text, "127.0.0.1:4041");
	CHECK_STR(config.debuginfod_urls, "http://one http://two");
	CHECK_EQ(config.retain_ns, PROFILE_STORE_RETAIN_NS_DEFAULT);
	CHECK_EQ(config.log_level, LOG_LEVEL_INFO);
	CHECK(!config.insecure && !config.insecure_uploads && !config.web_dir);
	config_done(&config);
	unsetenv("DEBUGINFOD_URLS");
}

static void flags_set_everything(void)
{
	struct config config = good(WORDS(NO_FILE, "--data=/tmp/x", "--http", "[::1]:0",
		"--allowed-host", "a.example", "--allowed-host=b.example", "--retain-time", "36h",
		"--retain-bytes", "500M", "--log-level", "debug", "--insecure-uploads"));

	CHECK_STR(config.data, "/tmp/x");
	CHECK_STR(config.http_text, "[::1]:0");
	CHECK_EQ(config.allowed_host_count, 2);
	CHECK_STR(config.allowed_hosts[1], "b.example");
	CHECK_EQ(config.retain_ns, UINT64_C(36) * 3600 * NS_PER_S);
	CHECK_EQ(config.retain_bytes, UINT64_C(500) << 20);
	CHECK_EQ(config.log_level, LOG_LEVEL_DEBUG);
	CHECK(config.insecure_uploads && !config.insecure);
	config_done(&config);
	config = good(WORDS(NO_FILE, "--retain-time", "forever", "--retain-bytes", "unlimited"));
	CHECK(config.retain_ns == UINT64_MAX && config.retain_bytes == UINT64_MAX);
	config_done(&config);
}

static void wrong_usage_is_named(void)
{
	refused(WORDS(NO_FILE, "--no-such-flag"), "no-such-flag");
	refused(WORDS(NO_FILE, "data"), "data");
	refused(WORDS(NO_FILE, "--data"), "wants DIR");
	refused(WORDS(NO_FILE, "--data", ""), "empty");
	refused(WORDS(NO_FILE, "--http", "nonsense"), "--http nonsense");
	refused(WORDS(NO_FILE, "--grpc", "127.0.0.1"), "--grpc 127.0.0.1");
	refused(WORDS(NO_FILE, "--http", "0.0.0.0:0"), "--insecure");
	refused(WORDS(NO_FILE, "--retain-time", "5"), "36h");
	refused(WORDS(NO_FILE, "--retain-bytes", "5X"), "500M");
	refused(WORDS(NO_FILE, "--retain-bytes", "999999999999999T"), "500M");
	refused(WORDS(NO_FILE, "--log-level", "loud"), "loud");
	refused(WORDS(NO_FILE, "--allowed-host", "http://x"), "http://x");
	refused(WORDS(NO_FILE, "--insecure=maybe"), "true or false");
	refused(WORDS("--config", "/nonexistent/file"), "no such file");
}

static void wider_addresses_need_a_word(void)
{
	struct config config =
		good(WORDS(NO_FILE, "--insecure", "--http", "0.0.0.0:0", "--grpc", "[::]:0"));

	CHECK(config.insecure);
	config_done(&config);
}

static void the_file_goes_behind_the_flags(void)
{
	struct config config;

	work_write_text("server.conf",
		"data = \"/from/file\";\nhttp = \"127.0.0.1:1\";\ninsecure = true;\n"
		"allowed-host = [\"a\", \"b\"];\nretain-bytes = 1000;\nlog-level = \"error\";\n");
	config = good(WORDS("--http", "127.0.0.1:2", "--config", work_path("server.conf")));
	CHECK_STR(config.data, "/from/file");
	CHECK_STR(config.http_text, "127.0.0.1:2");
	CHECK(config.insecure);
	CHECK_EQ(config.allowed_host_count, 2);
	CHECK_EQ(config.retain_bytes, 1000);
	CHECK_EQ(config.log_level, LOG_LEVEL_ERROR);
	config_done(&config);
	work_write_text("wrong.conf", "data = \"/x\";\nno-such = 1;\n");
	refused(WORDS("--config", work_path("wrong.conf")), "line 2: there is no setting no-such");
	work_write_text("broken.conf", "data = ;\n");
	refused(WORDS("--config", work_path("broken.conf")), "line 1");
	work_write_text("group.conf", "data = { a = 1; };\n");
	refused(WORDS("--config", work_path("group.conf")), "line 1: a text");
}

static void help_needs_nothing_else(void)
{
	struct config config = good(WORDS("--help"));

	CHECK(config.help);
	config_done(&config);
}

int main(void)
{
	work_write_text("empty.conf", "");
	RUN(defaults_are_those_of_the_help);
	RUN(flags_set_everything);
	RUN(wrong_usage_is_named);
	RUN(wider_addresses_need_a_word);
	RUN(the_file_goes_behind_the_flags);
	RUN(help_needs_nothing_else);
	return 0;
}
