/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/settings.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/support/check.h"
#include "tests/support/work_dir.h"

static struct settings settings;
static enum command_line_action action;
static struct setting_fault fault;

#define PARSE(...)                                                                            \
	__extension__({                                                                       \
		char *const list_[] = {__VA_ARGS__};                                          \
		fault.text[0] = '\0';                                                         \
		settings_parse(                                                               \
			sizeof(list_) / sizeof(list_[0]), list_, &settings, &action, &fault); \
	})
#define TEXT(text)                          \
	__extension__({                     \
		static char text_[] = text; \
		text_;                      \
	})

static void nothing_given_means_the_defaults(void)
{
	char name[256] = {0};

	CHECK_EQ(settings_parse(0, NULL, &settings, &action, &fault), 0);
	CHECK_EQ(action, COMMAND_LINE_RUN);
	CHECK_STR(settings.server, "127.0.0.1:4041");
	CHECK_EQ(settings.hz, 19);
	CHECK_EQ(settings.window_seconds, 10);
	CHECK_STR(settings.control_socket, "/run/cairn/control.sock");
	CHECK(!settings.control);
	CHECK_EQ(settings.upload, UPLOAD_MODE_STRIPPED);
	CHECK_EQ(settings.upload_mbps, 10);
	CHECK_EQ(settings.upload_bytes_max, 2147483648);
	CHECK_EQ(settings.upload_deny.count, 0);
	CHECK_EQ(settings.log_level, LOG_LEVEL_INFO);
	gethostname(name, sizeof(name) - 1);
	CHECK_STR(settings.host_name, name);
	settings_done(&settings);
}

static void flags_set_in_both_forms(void)
{
	CHECK_EQ(PARSE(TEXT("--server"), TEXT("db-1:5000"), TEXT("--hz=97"), TEXT("--window"),
			 TEXT("5"), TEXT("--host-name=a"), TEXT("--upload"), TEXT("never"),
			 TEXT("--upload-max=512K"), TEXT("--upload-deny"), TEXT("/opt/*"),
			 TEXT("--upload-deny=/srv/*"), TEXT("--log-level"), TEXT("debug"),
			 TEXT("--control=127.0.0.1:0"), TEXT("--control-socket"), TEXT("/tmp/x"),
			 TEXT("--upload-mbps"), TEXT("0")),
		0);
	CHECK_STR(settings.server, "db-1:5000");
	CHECK_EQ(settings.hz, 97);
	CHECK_EQ(settings.window_seconds, 5);
	CHECK_STR(settings.host_name, "a");
	CHECK_EQ(settings.upload, UPLOAD_MODE_NEVER);
	CHECK_EQ(settings.upload_bytes_max, 512 * 1024);
	CHECK_EQ(settings.upload_deny.count, 2);
	CHECK_STR(settings.upload_deny.items[1], "/srv/*");
	CHECK_EQ(settings.log_level, LOG_LEVEL_DEBUG);
	CHECK_STR(settings.control, "127.0.0.1:0");
	CHECK_EQ(settings.upload_mbps, 0);
	settings_done(&settings);
}

static void expect_fault(int r, const char *part)
{
	CHECK_EQ(r, -EINVAL);
	if (!strstr(fault.text, part))
		fprintf(stderr, "fault: %s\n", fault.text);
	CHECK(strstr(fault.text, part));
	CHECK(!strchr(fault.text, '\n'));
}

static void what_is_wrong_is_said_by_name(void)
{
	char long_name[] = "--host-name="
			   "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
			   "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
			   "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
			   "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

	expect_fault(PARSE(long_name), "--host-name is too long");
	expect_fault(PARSE(TEXT("--frequency"), TEXT("5")), "--frequency");
	expect_fault(PARSE(TEXT("stray")), "stray");
	expect_fault(PARSE(TEXT("--")), "--help");
	expect_fault(PARSE(TEXT("-h")), "-h");
	expect_fault(PARSE(TEXT("--hz")), "--hz needs a value");
	expect_fault(PARSE(TEXT("--hz=")), "--hz needs a value");
	expect_fault(PARSE(TEXT("--hz=0")), "1 to 10000");
	expect_fault(PARSE(TEXT("--hz=10001")), "10001");
	expect_fault(PARSE(TEXT("--hz=19x")), "19x");
	expect_fault(PARSE(TEXT("--hz=-1")), "-1");
	expect_fault(PARSE(TEXT("--hz=99999999999999999999")), "99999999999999999999");
	expect_fault(PARSE(TEXT("--window=3601")), "--window");
	expect_fault(PARSE(TEXT("--upload-max=1P")), "1P");
	expect_fault(PARSE(TEXT("--upload-max=17179869184G")), "--upload-max");
	expect_fault(PARSE(TEXT("--upload=maybe")), "never, stripped, full");
	expect_fault(PARSE(TEXT("--server=nonsense")), "nonsense");
	expect_fault(PARSE(TEXT("--server=:4041")), "HOST:PORT");
	expect_fault(PARSE(TEXT("--server=a:0")), "HOST:PORT");
	expect_fault(PARSE(TEXT("--server=a:65536")), "HOST:PORT");
	expect_fault(PARSE(TEXT("--server=::1:4041")), "HOST:PORT");
	expect_fault(PARSE(TEXT("--control=0.0.0.0:9999")), "loopback");
	expect_fault(PARSE(TEXT("--help=1")), "takes no value");
}

static void addresses_of_both_families_are_taken(void)
{
	CHECK_EQ(PARSE(TEXT("--server=[::1]:4041"), TEXT("--control=[::1]:0")), 0);
	CHECK_STR(settings.server, "[::1]:4041");
	settings_done(&settings);
}

static void help_and_version_need_nothing_else(void)
{
	CHECK_EQ(PARSE(TEXT("--help"), TEXT("--config"), TEXT("/nonexistent")), 0);
	CHECK_EQ(action, COMMAND_LINE_HELP);
	settings_done(&settings);
	CHECK_EQ(PARSE(TEXT("--version")), 0);
	CHECK_EQ(action, COMMAND_LINE_VERSION);
	settings_done(&settings);
	command_line_print_help(&settings_table, stdout);
}

static void the_command_line_wins_over_the_file(void)
{
	char flag[300];
	char *const arguments[] = {flag, TEXT("--hz=49")};

	work_write_text("collector.conf", "hz = 97;\nwindow = 20;\nupload-deny = [\"/a/*\"];\n");
	snprintf(flag, sizeof(flag), "--config=%s", work_path("collector.conf"));
	CHECK_EQ(settings_parse(2, arguments, &settings, &action, &fault), 0);
	CHECK_EQ(settings.hz, 49);
	CHECK_EQ(settings.window_seconds, 20);
	CHECK_EQ(settings.upload_deny.count, 1);
	settings_done(&settings);
}

static void a_file_that_is_named_must_be_there(void)
{
	CHECK_EQ(PARSE(TEXT("--config"), TEXT("/nonexistent/file")), -ENOENT);
	CHECK(strstr(fault.text, "/nonexistent/file"));
}

int main(void)
{
	RUN(nothing_given_means_the_defaults);
	RUN(flags_set_in_both_forms);
	RUN(what_is_wrong_is_said_by_name);
	RUN(addresses_of_both_families_are_taken);
	RUN(help_and_version_need_nothing_else);
	RUN(the_command_line_wins_over_the_file);
	RUN(a_file_that_is_named_must_be_there);
	return 0;
}
