/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/settings.h"

#include <string.h>
#include <unistd.h>

#include "collector/control_request.h"
#include "collector/kernel/sampler.h"
#include "store/profile/profile.h"

/* A domain name's; the server refuses longer texts than four times that. */
#define HOST_NAME_BYTES_MAX 255
#define UPLOAD_MBPS_MAX 1000000
/* One stack a second and CPU, of a few CPUs; what a host of many can copy at all. */
#define STACK_BUDGET_MIN (128 << 10)
#define STACK_BUDGET_MAX (UINT64_C(1) << 30)

/* HOST:PORT or [ADDR]:PORT with a port that can be connected to. */
static bool is_address(const char *value)
{
	const char *colon = strrchr(value, ':');
	uint64_t port;

	if (!colon || colon == value || !setting_read_number(colon + 1, &port) || port == 0 ||
		port > UINT16_MAX)
		return false;
	return memchr(value, ':', (size_t)(colon - value)) == NULL ||
		(value[0] == '[' && colon[-1] == ']');
}

static bool is_loopback(const char *value)
{
	union {
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} place;

	return control_parse_address(value, &place.v4, &place.v6) == 0;
}

static const char *const jit_choices[] = {"never", "perf-map", NULL};
/* In the order of enum sampler_way. */
static const char *const sampler_ways[] = {"auto", "bpf", "perf", NULL};
static const char *const upload_choices[] = {"never", "stripped", "full", NULL};

#define AT(member) .offset = offsetof(struct settings, member)

static const struct setting rows[] = {
	{"server", "HOST:PORT", SETTING_TEXT, AT(server), .initial = "127.0.0.1:4041",
		.accepts = is_address, .wants = "a HOST:PORT", .help = "where windows are sent"},
	{"hz", "N", SETTING_NUMBER, AT(hz), .initial = "19", .min = 1, .max = SAMPLER_HZ_MAX,
		.help = "samples a second and CPU"},
	{"sampler", "WAY", SETTING_CHOICE, AT(sampler), .initial = "auto", .choices = sampler_ways,
		.help = "bpf walks stacks in the kernel, perf copies them for user space to walk; "
			"auto: perf where BPF is refused"},
	{"stack-budget", "BYTES", SETTING_NUMBER, AT(stack_bytes_per_s), .initial = "8M",
		.read = setting_read_size, .min = STACK_BUDGET_MIN, .max = STACK_BUDGET_MAX,
		.help = "most that copies of stacks may take in a second; the rate is lowered to "
			"fit"},
	{"window", "SECONDS", SETTING_NUMBER, AT(window_seconds), .initial = "10", .min = 1,
		.max = PROFILE_WINDOW_NS_MAX / NS_PER_S, .help = "what is sent at a time"},
	{"host-name", "NAME", SETTING_TEXT, AT(host_name), .max = HOST_NAME_BYTES_MAX,
		.help = "the label `host` (default: the host's name)"},
	{"control-socket", "PATH", SETTING_TEXT, AT(control_socket),
		.initial = "/run/cairn/control.sock", .help = "unix socket that tells the status"},
	{"control", "ADDR:PORT", SETTING_TEXT, AT(control), .accepts = is_loopback,
		.wants = "an ADDR:PORT on loopback",
		.help = "the same on TCP; loopback only (default: off)"},
	{"upload", "WHAT", SETTING_CHOICE, AT(upload), .initial = "stripped",
		.choices = upload_choices,
		.help = "executables that the server asks for: never, stripped, full"},
	{"upload-mbps", "N", SETTING_NUMBER, AT(upload_mbps), .initial = "10",
		.max = UPLOAD_MBPS_MAX,
		.help = "megabits a second for uploads; 0: no limit; none to a server on loopback"},
	{"upload-max", "BYTES", SETTING_NUMBER, AT(upload_bytes_max), .initial = "2G",
		.read = setting_read_size, .max = INT64_MAX,
		.help = "largest upload; K, M, G or T may follow the number"},
	{"upload-deny", "GLOB", SETTING_LIST, AT(upload_deny),
		.help = "paths that never leave the host; may be given more than once"},
	{"unwind-memory", "BYTES", SETTING_NUMBER, AT(unwind_bytes_max), .initial = "18M",
		.read = setting_read_size, .min = UNWIND_SHARD_BYTES,
		.max = (uint64_t)UNWIND_SHARDS_MAX * UNWIND_SHARD_BYTES,
		.help = "most memory for unwind tables, 1M to 128M"},
	{"jit-names", "FROM", SETTING_CHOICE, AT(jit_names), .initial = "perf-map",
		.choices = jit_choices,
		.help = "names of generated code: from /tmp/perf-PID.map where a runtime writes "
			"one, or never"},
	{"log-level", "LEVEL", SETTING_CHOICE, AT(log_level), .initial = "info",
		.choices = log_level_names, .help = "error, warning, info or debug"},
};

const struct setting_table settings_table = {
	.rows = rows,
	.count = sizeof(rows) / sizeof(rows[0]),
	.about = "cairn-collector [FLAG...]: samples what every CPU of this host is doing and "
		 "sends it to a Cairn server",
	.file_default = "/etc/cairn/collector.conf",
};

static int set_host_name(struct settings *settings, struct setting_fault *ret_fault)
{
	char name[HOST_NAME_BYTES_MAX + 1] = {0};

	if (settings->host_name)
		return 0;
	if (gethostname(name, sizeof(name) - 1) < 0 || name[0] == '\0')
		return setting_refuse(ret_fault, "the host has no name: give one with --host-name");
	return setting_set(setting_find(&settings_table, "host-name"), settings, name, ret_fault);
}

int settings_parse(int word_count, char *const *words, struct settings *ret_settings,
	enum command_line_action *ret_action, struct setting_fault *ret_fault)
{
	struct settings settings = {0};
	int r = command_line_parse(
		&settings_table, word_count, words, &settings, ret_action, ret_fault);

	if (r == 0)
		r = set_host_name(&settings, ret_fault);
	if (r < 0) {
		settings_done(&settings);
		return r;
	}
	*ret_settings = settings;
	return 0;
}

void settings_done(struct settings *settings)
{
	setting_table_done(&settings_table, settings);
	*settings = (struct settings){0};
}
