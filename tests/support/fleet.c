/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/fleet.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"
#include "tests/support/random.h"

/* So that a busy host's window of 10 s has three rows a stack. */
#define STACK_EXPONENT 1.3
#define SERVICE_EXPONENT 1.0
#define DEPTH_MAX 64
/* Sums of two numbers below HALF_SPREAD: 4 to 56 frames, 30 on average. */
#define DEPTH_MIN 4
#define HALF_SPREAD 27
/* Functions of one service: a third its own, the others of libraries. */
#define FUNCTION_COUNT 800
#define OWN_PERCENT 35
#define CALLEE_COUNT 6
/* Of the stacks end in the kernel, in so many frames. */
#define KERNEL_PERCENT 15
#define KERNEL_DEPTH 5
#define KERNEL_FUNCTION_COUNT 3000
#define MADE_FUNCTION_COUNT 2000
#define MADE_FUNCTION_BYTES 640
/* The shortest that is asked of a real function, so that addresses are inside. */
#define FUNCTION_BYTES 16
#define LINE_BYTES_MAX (1u << 20)

static const char *const daemons[] = {"nginx", "postgres", "redis-server", "mariadbd", "node",
	"python3.11", "java", "haproxy", "varnishd", "memcached", "sshd", "dockerd", "containerd",
	"kubelet", "etcd", "prometheus", "grafana", "envoy", "caddy", "apache2", "php-fpm8.2",
	"beam.smp", "mongod", "influxd", "telegraf", "vector", "fluent-bit", "rsyslogd",
	"systemd-journald", "dbus-daemon", "named", "unbound", "postfix", "dovecot", "slapd",
	"smbd", "nfsd", "libvirtd", "qemu-system-x86_64", "ceph-osd", "ceph-mon", "glusterd",
	"zookeeper", "kafka", "rabbitmq", "clickhouse", "cassandra", "elasticsearch", "vault",
	"consul"};
static const char *const libraries[] = {"libc.so.6", "libstdc++.so.6", "libm.so.6",
	"libcrypto.so.3", "libssl.so.3", "libz.so.1", "libglib-2.0.so.0", "libpython3.11.so.1.0",
	"libsqlite3.so.0", "libcurl.so.4"};

#define DAEMON_COUNT (sizeof(daemons) / sizeof(daemons[0]))
#define LIBRARY_COUNT (sizeof(libraries) / sizeof(libraries[0]))

struct fleet_module {
	char *name;
	struct build_id id;
	uint64_t *functions; /* where they start; NULL: each has MADE_FUNCTION_BYTES */
	uint32_t function_count;
};

struct function {
	uint32_t module; /* of the pool */
	uint64_t start;
	uint32_t byte_count;
};

/* What of a pool the window that is being made has already. */
struct copied {
	uint64_t window;
	uint32_t index;
};

struct service {
	struct profile *pool; /* its frames and stacks; no samples */
	struct function functions[FUNCTION_COUNT];
	uint32_t kernel; /* the kernel's module */
	uint32_t *stacks; /* nodes of the pool, the most frequent first */
	bool *used; /* these */
	struct copied *nodes;
	struct copied *frames;
	struct copied *modules;
};

struct fleet {
	struct fleet_shape shape;
	struct fleet_module *modules;
	uint32_t module_count;
	struct service *services;
	double *stack_zipf;
	double *service_zipf;
	uint64_t window; /* how many were made */
};

static void *make_array(size_t count, size_t size)
{
	void *array = calloc(count, size);

	CHECK(array);
	return array;
}

/* A fixed random number that belongs to three others. */
static uint64_t fixed(uint64_t seed, uint64_t one, uint64_t other)
{
	struct random random = {seed ^ one * UINT64_C(0xff51afd7ed558ccd) ^ other << 20};

	return random_next(&random);
}

/* --- Zipf ------------------------------------------------------------------------------------- */

static double *zipf_new(uint32_t count, double exponent)
{
	double *sums = make_array(count, sizeof(*sums)), sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sums[i] = sum += pow(i + 1, -exponent);
	return sums;
}

static uint32_t zipf_draw(const double *sums, uint32_t count, struct random *random)
{
	double wanted = (double)(random_next(random) >> 11) * 0x1p-53 * sums[count - 1];
	uint32_t low = 0, high = count - 1;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (sums[middle] > wanted)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* --- modules ---------------------------------------------------------------------------------- */

static struct build_id made_id(uint64_t seed, uint64_t number)
{
	uint64_t bytes[3];
	struct build_id id;

	for (uint32_t i = 0; i < 3; i++)
		bytes[i] = fixed(seed, number, i);
	CHECK_EQ(build_id_make(BUILD_ID_GNU, bytes, 20, &id), 0);
	return id;
}

static struct fleet_module *add_module(struct fleet *fleet, const char *name)
{
	struct fleet_module *module;

	fleet->modules =
		realloc(fleet->modules, (fleet->module_count + 1) * sizeof(*fleet->modules));
	CHECK(fleet->modules);
	module = &fleet->modules[fleet->module_count++];
	*module = (struct fleet_module){.name = strdup(name)};
	CHECK(module->name);
	return module;
}

static void read_module(struct fleet *fleet, char *line)
{
	char *rest, *name = strtok_r(line, " \n", &rest), *id = strtok_r(NULL, " \n", &rest);
	struct fleet_module *module;
	uint32_t capacity = 0;

	CHECK(name && id);
	module = add_module(fleet, name);
	CHECK_EQ(build_id_parse(id, strlen(id), &module->id), 0);
	for (char *word = strtok_r(NULL, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
		if (module->function_count == capacity) {
			capacity = capacity ? 2 * capacity : 256;
			module->functions =
				realloc(module->functions, capacity * sizeof(*module->functions));
			CHECK(module->functions);
		}
		module->functions[module->function_count++] = strtoull(word, NULL, 16);
	}
	CHECK(module->function_count > 0);
}

static void read_modules(struct fleet *fleet)
{
	FILE *file = fopen(fleet->shape.modules_path, "re");
	char *line = make_array(1, LINE_BYTES_MAX);

	CHECK(file);
	while (fgets(line, LINE_BYTES_MAX, file))
		read_module(fleet, line);
	CHECK(fleet->module_count > 0);
	free(line);
	CHECK_EQ(fclose(file), 0);
}

static void make_modules(struct fleet *fleet)
{
	for (uint32_t i = 0; i < LIBRARY_COUNT; i++) {
		struct fleet_module *module = add_module(fleet, libraries[i]);

		module->id = made_id(fleet->shape.seed, i + 1000);
		module->function_count = MADE_FUNCTION_COUNT;
	}
}

static uint32_t pool_module(struct profile *pool, const char *name, const struct build_id *id)
{
	struct module module = {.build_id = *id};
	uint32_t index;

	CHECK_EQ(profile_add_text(pool, name, &module.name), 0);
	CHECK_EQ(module_table_add(&pool->modules, &module, &index), 0);
	return index;
}

/* --- the stacks of a service ------------------------------------------------------------------ */

static const char *daemon_name(uint32_t number, char *ret_name, size_t size)
{
	uint32_t again = number / (uint32_t)DAEMON_COUNT;

	snprintf(ret_name, size, again ? "%s-%u" : "%s", daemons[number % DAEMON_COUNT], again);
	return ret_name;
}

static void choose_functions(struct fleet *fleet, struct service *service, uint32_t number)
{
	struct random random = {fixed(fleet->shape.seed, 1, number)};
	struct build_id own = made_id(fleet->shape.seed, number);
	struct build_id kernel = made_id(fleet->shape.seed, 999);
	char name[64];
	uint32_t own_module;

	CHECK_EQ(profile_new(&service->pool), 0);
	own_module = pool_module(service->pool, daemon_name(number, name, sizeof(name)), &own);
	service->kernel = pool_module(service->pool, "[kernel]", &kernel);
	for (uint32_t i = 0; i < FUNCTION_COUNT; i++) {
		/* Few libraries do most of the work. */
		uint32_t which = random_skewed(&random, fleet->module_count);
		const struct fleet_module *module = &fleet->modules[which];
		struct function *function = &service->functions[i];
		uint64_t at = random_next(&random);

		*function =
			(struct function){.module = own_module, .byte_count = MADE_FUNCTION_BYTES};
		function->start = 0x1000 + at % MADE_FUNCTION_COUNT * MADE_FUNCTION_BYTES;
		if (random_chance(&random, OWN_PERCENT))
			continue;
		function->module = pool_module(service->pool, module->name, &module->id);
		if (module->functions) {
			function->start = module->functions[at % module->function_count];
			function->byte_count = FUNCTION_BYTES;
		}
	}
}

/* A stack while it is made. */
struct path {
	uint32_t nodes[DEPTH_MAX];
	uint32_t functions[DEPTH_MAX];
	uint32_t depth;
};

static void push(struct service *service, struct path *path, const struct frame *frame)
{
	uint32_t parent = path->depth ? path->nodes[path->depth - 1] : STACK_EMPTY, index;

	CHECK_EQ(frame_table_add(&service->pool->frames, frame, &index), 0);
	CHECK_EQ(
		stack_table_add(&service->pool->stacks, parent, index, &path->nodes[path->depth++]),
		0);
}

/* The last function calls its callee number CALLEE. A function has CALLEE_COUNT places from which it
 * calls on. */
static void push_call(struct service *service, struct path *path, uint32_t callee, bool leaf)
{
	uint32_t number = path->depth ? path->functions[path->depth - 1] : 0;
	uint32_t called = path->depth ? (uint32_t)(fixed(3, number, callee) % FUNCTION_COUNT) : 0;
	const struct function *function = &service->functions[called];
	struct frame frame = {.address = function->start + 1 +
			fixed(5, called, callee) % (function->byte_count - 1),
		.module = function->module,
		.kind = FRAME_NATIVE,
		.flags = leaf ? 0 : FRAME_RETURN_ADDRESS};

	path->functions[path->depth] = called;
	push(service, path, &frame);
}

static void push_kernel(struct service *service, struct path *path, struct random *random)
{
	uint32_t number = random_skewed(random, KERNEL_FUNCTION_COUNT);
	bool leaf = path->depth + 1 == DEPTH_MAX;
	struct frame frame = {.address = 0x1000 + (uint64_t)number * MADE_FUNCTION_BYTES + 77,
		.module = service->kernel,
		.kind = FRAME_KERNEL,
		.flags = leaf ? 0 : FRAME_RETURN_ADDRESS};

	path->functions[path->depth] = number % FUNCTION_COUNT;
	push(service, path, &frame);
}

/* Goes on from where PATH was cut. */
static void finish_path(
	struct service *service, struct path *path, uint32_t depth, struct random *random)
{
	uint32_t kernel = random_chance(random, KERNEL_PERCENT) ? KERNEL_DEPTH : 0;

	while (path->depth + kernel < depth)
		push_call(service, path, random_skewed(random, CALLEE_COUNT),
			path->depth + kernel + 1 == depth && !kernel);
	while (path->depth < depth)
		push_kernel(service, path, random);
}

/* Most of its length a stack shares with one that was there before: it leaves it some frames before
 * the end, fewer than 5 as often as more. */
static void make_stacks(struct fleet *fleet, struct service *service, uint32_t number)
{
	struct random random = {fixed(fleet->shape.seed, 2, number)};
	struct path *paths = make_array(fleet->shape.stack_count, sizeof(*paths));

	for (uint32_t i = 0; i < fleet->shape.stack_count; i++) {
		uint32_t depth = DEPTH_MIN + random_below(&random, HALF_SPREAD) +
			random_below(&random, HALF_SPREAD);
		uint32_t left = 1;

		if (i > 0) {
			paths[i] = paths[random_below(&random, i)];
			while (left < depth && random_below(&random, 7) != 0)
				left++;
		}
		if (i == 0)
			left = depth;
		if (paths[i].depth > depth - left)
			paths[i].depth = depth - left;
		finish_path(service, &paths[i], depth, &random);
		service->stacks[i] = paths[i].nodes[depth - 1];
	}
	free(paths);
}

static void init_service(struct fleet *fleet, uint32_t number)
{
	struct service *service = &fleet->services[number];

	service->stacks = make_array(fleet->shape.stack_count, sizeof(*service->stacks));
	choose_functions(fleet, service, number);
	make_stacks(fleet, service, number);
	service->used = make_array(service->pool->stacks.count, sizeof(*service->used));
	service->nodes = make_array(service->pool->stacks.count, sizeof(*service->nodes));
	service->frames = make_array(service->pool->frames.count, sizeof(*service->frames));
	service->modules = make_array(service->pool->modules.count, sizeof(*service->modules));
}

struct fleet *fleet_new(const struct fleet_shape *shape)
{
	struct fleet *fleet = make_array(1, sizeof(*fleet));

	fleet->shape = *shape;
	if (shape->modules_path)
		read_modules(fleet);
	else
		make_modules(fleet);
	fleet->services = make_array(shape->service_count, sizeof(*fleet->services));
	for (uint32_t i = 0; i < shape->service_count; i++)
		init_service(fleet, i);
	fleet->stack_zipf = zipf_new(shape->stack_count, STACK_EXPONENT);
	fleet->service_zipf = zipf_new(shape->services_a_host, SERVICE_EXPONENT);
	return fleet;
}

void fleet_free(struct fleet *fleet)
{
	for (uint32_t i = 0; i < fleet->shape.service_count; i++) {
		struct service *service = &fleet->services[i];

		profile_free(service->pool);
		free(service->stacks);
		free(service->used);
		free(service->nodes);
		free(service->frames);
		free(service->modules);
	}
	for (uint32_t i = 0; i < fleet->module_count; i++) {
		free(fleet->modules[i].name);
		free(fleet->modules[i].functions);
	}
	free(fleet->modules);
	free(fleet->services);
	free(fleet->stack_zipf);
	free(fleet->service_zipf);
	free(fleet);
}

/* --- a window --------------------------------------------------------------------------------- */

static uint32_t copy_module(
	struct fleet *fleet, struct service *service, struct profile *window, uint32_t index)
{
	struct copied *copied = &service->modules[index];
	const struct module *module = &service->pool->modules.modules[index];

	if (copied->window != fleet->window) {
		copied->window = fleet->window;
		copied->index = index == 0
			? 0
			: pool_module(window,
				  string_table_text(&service->pool->strings, module->name),
				  &module->build_id);
	}
	return copied->index;
}

static uint32_t copy_frame(
	struct fleet *fleet, struct service *service, struct profile *window, uint32_t index)
{
	struct copied *copied = &service->frames[index];
	struct frame frame = service->pool->frames.frames[index];

	if (copied->window != fleet->window) {
		frame.module = copy_module(fleet, service, window, frame.module);
		CHECK_EQ(frame_table_add(&window->frames, &frame, &copied->index), 0);
		copied->window = fleet->window;
	}
	return copied->index;
}

static uint32_t copy_stack(
	struct fleet *fleet, struct service *service, struct profile *window, uint32_t node)
{
	const struct stack_node *nodes = service->pool->stacks.nodes;
	uint32_t path[DEPTH_MAX], depth = 0, at = STACK_EMPTY;

	while (node != STACK_EMPTY && service->nodes[node].window != fleet->window) {
		path[depth++] = node;
		node = nodes[node].parent;
	}
	if (node != STACK_EMPTY)
		at = service->nodes[node].index;
	while (depth > 0) {
		uint32_t frame = copy_frame(fleet, service, window, nodes[path[--depth]].frame);

		CHECK_EQ(stack_table_add(&window->stacks, at, frame, &at), 0);
		service->nodes[path[depth]] = (struct copied){fleet->window, at};
	}
	return at;
}

static uint32_t add_thread(struct profile *window, uint32_t service, uint32_t thread)
{
	char name[64], worker[32];
	struct thread wanted = {.pid = 2000 + service * 100};
	struct label labels[3];
	uint32_t index;

	daemon_name(service, name, sizeof(name));
	snprintf(worker, sizeof(worker), "worker-%u", thread);
	wanted.tid = wanted.pid + thread;
	CHECK_EQ(profile_add_text(window, worker, &wanted.name), 0);
	CHECK_EQ(profile_add_text(window, "host", &labels[0].key), 0);
	CHECK_EQ(profile_add_text(window, "process", &labels[1].key), 0);
	CHECK_EQ(profile_add_text(window, "service_name", &labels[2].key), 0);
	labels[0].value = window->head.host;
	CHECK_EQ(profile_add_text(window, name, &labels[1].value), 0);
	labels[2].value = labels[1].value;
	CHECK_EQ(label_table_add(&window->labels, &window->strings, labels, 3, &wanted.labels), 0);
	CHECK_EQ(thread_table_add(&window->threads, &wanted, &index), 0);
	return index;
}

static void fill_head(const struct fleet *fleet, struct profile *window, uint32_t host,
	uint64_t window_ns, uint32_t sample_count)
{
	struct profile_head *head = &window->head;
	uint32_t cpu_count = fleet->shape.cpu_count;
	uint64_t busy_ns = sample_count * (uint64_t)FLEET_PERIOD_NS / cpu_count;
	char name[32];

	snprintf(name, sizeof(name), "host-%03u", host);
	busy_ns = busy_ns < window_ns ? busy_ns : window_ns;
	CHECK_EQ(profile_add_text(window, name, &head->host), 0);
	CHECK_EQ(profile_add_text(window, "6.1.0-18-amd64", &head->kernel_release), 0);
	CHECK_EQ(profile_add_text(window, "0.1.0", &head->collector_version), 0);
	head->window_start_ns = UINT64_C(5000) * NS_PER_S;
	head->window_end_ns = head->window_start_ns + window_ns;
	head->clocks.monotonic_ns = head->window_end_ns;
	head->clocks.boottime_ns = head->window_end_ns;
	head->online_cpu_count = cpu_count;
	for (uint32_t i = 0; i < cpu_count; i++) {
		struct profile_cpu cpu = {i, busy_ns, window_ns - busy_ns, 0, busy_ns};

		CHECK_EQ(profile_add_cpu(window, &cpu), 0);
	}
}

void fleet_move(struct profile *window, uint64_t start_ns)
{
	struct profile_head *head = &window->head;

	head->clocks.realtime_ns = start_ns + head->window_end_ns - head->window_start_ns;
}

struct profile *fleet_window(struct fleet *fleet, uint32_t host, uint64_t window_ns,
	uint32_t sample_count, uint64_t number)
{
	const struct fleet_shape *shape = &fleet->shape;
	struct random random = {fixed(shape->seed, host + 100, number)};
	struct sample_table *table;
	struct profile *window;
	const char *what = "";

	fleet->window++;
	CHECK_EQ(profile_new(&window), 0);
	fill_head(fleet, window, host, window_ns, sample_count);
	fleet_move(window, UINT64_C(1700000000) * NS_PER_S);
	CHECK_EQ(profile_add_type(window, PROFILE_TYPE_ON_CPU, FLEET_PERIOD_NS, true, &table), 0);
	for (uint32_t i = 0; i < sample_count; i++) {
		uint32_t place = zipf_draw(fleet->service_zipf, shape->services_a_host, &random);
		uint32_t which = (host * shape->services_a_host + place) % shape->service_count;
		struct service *service = &fleet->services[which];
		uint32_t rank = zipf_draw(fleet->stack_zipf, shape->stack_count, &random);
		uint32_t stack = copy_stack(fleet, service, window, service->stacks[rank]);
		uint32_t thread = random_below(&random, shape->thread_count);
		uint32_t cpu = random_below(&random, shape->cpu_count);
		uint32_t slot = random_below(&random, profile_slot_count(window));

		service->used[service->stacks[rank]] = true;
		CHECK_EQ(sample_table_add(table, stack, add_thread(window, which, thread), cpu,
				 FLEET_PERIOD_NS, slot),
			0);
	}
	CHECK_EQ(profile_seal(window), 0);
	if (profile_check(window, &what) < 0)
		fprintf(stderr, "a window of the fleet: %s\n", what);
	CHECK_EQ(profile_check(window, &what), 0);
	return window;
}

uint64_t fleet_stack_count(const struct fleet *fleet)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < fleet->shape.service_count; i++) {
		const struct service *service = &fleet->services[i];

		for (uint32_t node = 0; node < service->pool->stacks.count; node++)
			count += service->used[node];
	}
	return count;
}
