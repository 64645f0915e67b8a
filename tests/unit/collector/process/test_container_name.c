/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/process/container_name.h"

#include "tests/support/check.h"
#include "tests/support/work_dir.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void expect(const char *json, const char *key, unsigned depth, const char *expected)
{
	char value[16] = "untouched";
	bool found = container_name_find(json, strlen(json), key, depth, value, sizeof(value));

	CHECK_EQ(found, expected != NULL);
	if (expected)
		CHECK_STR(value, expected);
}

static void a_member_is_found_by_key_and_depth(void)
{
	const char *json = "{\"A\": {\"Name\": \"inner\"}, \"B\": [\"Name\", 1],\n"
			   " \"Name\" : \"/outer\", \"Q\": \"x\\\"\\\\y\"}";

	expect(json, "Name", 1, "/outer");
	expect(json, "Name", 2, "inner");
	expect(json, "Name", 0, "inner");
	expect(json, "Q", 1, "x\"\\y");
	expect(json, "Missing", 0, NULL);
}

static void what_is_no_plain_text_is_not_found(void)
{
	expect("", "a", 0, NULL);
	expect("{\"a\"", "a", 0, NULL);
	expect("{\"a\":", "a", 0, NULL);
	expect("{\"a\":1}", "a", 0, NULL);
	expect("{\"a\":\"unclosed", "a", 0, NULL);
	expect("{\"a\":\"\\u0041\"}", "a", 0, NULL);
	expect("{\"a\":\"\\n\"}", "a", 0, NULL);
	expect("{\"a\":\"much too long a text\"}", "a", 0, NULL);
	expect("{\"a\\", "a", 0, NULL);
	expect("}}}{\"a\":\"b\"}", "a", 1, "b");
}

static void docker_names_a_container(void)
{
	struct container_name name;

	work_run("mkdir -p docker/var/lib/docker/containers/" ID);
	work_write_text("docker/var/lib/docker/containers/" ID "/config.v2.json",
		"{\"Config\":{\"Labels\":{\"Name\":\"wrong\"}},\"Name\":\"/web\"}");
	container_name_read(work_path("docker"), ID, &name);
	CHECK_STR(name.container, "web");
	CHECK_STR(name.pod, "");
}

static void kubernetes_names_container_pod_and_namespace(void)
{
	struct container_name name;

	work_run("mkdir -p k8s/run/containerd/io.containerd.runtime.v2.task/k8s.io/" ID);
	work_write_text("k8s/run/containerd/io.containerd.runtime.v2.task/k8s.io/" ID
			"/config.json",
		"{\"annotations\":{\"io.kubernetes.cri.container-name\":\"api\","
		"\"io.kubernetes.cri.sandbox-name\":\"api-7d4\","
		"\"io.kubernetes.cri.sandbox-namespace\":\"shop\"}}");
	container_name_read(work_path("k8s"), ID, &name);
	CHECK_STR(name.container, "api");
	CHECK_STR(name.pod, "api-7d4");
	CHECK_STR(name.namespace_name, "shop");
}

static void podman_names_a_container(void)
{
	struct container_name name;

	work_run("mkdir -p podman/var/lib/containers/storage/overlay-containers");
	work_write_text("podman/var/lib/containers/storage/overlay-containers/containers.json",
		"[{\"id\":\"ff\",\"names\":[\"other\"]},"
		"{\"id\":\"" ID "\",\"names\":[\"db\"],\"image\":\"x\"}]");
	container_name_read(work_path("podman"), ID, &name);
	CHECK_STR(name.container, "db");
}

static void unknown_containers_have_no_name(void)
{
	struct container_name name;

	container_name_read(work_dir(), ID, &name);
	CHECK_STR(name.container, "");
	container_name_read(work_dir(), "../../etc", &name);
	CHECK_STR(name.container, "");
	work_write_text("podman/var/lib/containers/storage/overlay-containers/containers.json",
		"[{\"id\":\"" ID "\",\"names\":[");
	container_name_read(work_path("podman"), ID, &name);
	CHECK_STR(name.container, "");
}

int main(void)
{
	RUN(a_member_is_found_by_key_and_depth);
	RUN(what_is_no_plain_text_is_not_found);
	RUN(docker_names_a_container);
	RUN(kubernetes_names_container_pod_and_namespace);
	RUN(podman_names_a_container);
	RUN(unknown_containers_have_no_name);
	return 0;
}
