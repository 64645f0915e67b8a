/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/process/cgroup.h"

#include "tests/support/check.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define ID_2 "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"
#define UID "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"
#define UID_ "0a1b2c3d_4e5f_6071_8293_a4b5c6d7e8f9"

static void expect(const char *text, const char *container, const char *pod, const char *unit)
{
	struct cgroup_place place;

	cgroup_parse(text, strlen(text), &place);
	CHECK_STR(place.container, container);
	CHECK_STR(place.pod, pod);
	CHECK_STR(place.unit, unit);
}

static void containers_are_known_by_their_id(void)
{
	expect("0::/docker/" ID "\n", ID, "", "");
	expect("0::/system.slice/docker-" ID ".scope\n", ID, "", "");
	expect("0::/machine.slice/libpod-" ID ".scope/container\n", ID, "", "");
	expect("0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID
	       ".scope/container\n",
		ID, "", "");
	expect("0::/ecs/task/" ID "\n", ID, "", "");
	expect("0::/../../docker/" ID "\n", ID, "", "");
}

static void the_innermost_container_wins(void)
{
	expect("0::/docker/" ID "/docker/" ID_2 "\n", ID_2, "", "");
	expect("0::/docker/" ID "/system.slice/nginx.service\n", ID, "", "nginx.service");
	expect("0::/system.slice/docker.service/docker/" ID "\n", ID, "", "");
}

static void pods_are_known_under_both_drivers(void)
{
	expect("0::/kubepods/burstable/pod" UID "/" ID "\n", ID, UID, "");
	expect("0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_
	       ".slice/cri-containerd-" ID ".scope\n",
		ID, UID, "");
	expect("0::/kubepods.slice/kubepods-pod" UID_ ".slice/crio-" ID ".scope\n", ID, UID, "");
	expect("0::/system.slice/containerd.service/kubepods-besteffort-pod" UID_
	       ".slice:cri-containerd:" ID "\n",
		ID, UID, "");
	expect("0::/kubepods/pod0123456789abcdef0123456789abcdef/" ID "\n", ID,
		"0123456789abcdef0123456789abcdef", "");
}

static void named_containers_are_known(void)
{
	expect("0::/lxc.payload.web-1/init.scope\n", "web-1", "", "");
	expect("5:cpu:/lxc/web-1\n", "web-1", "", "");
	expect("0::/machine.slice/machine-builder.scope/payload\n", "builder", "", "");
	expect("0::/machine.slice/systemd-nspawn@builder.service/payload\n", "builder", "", "");
	expect("0::/docker/buildkit/0123456789abcdefghijklmno\n", "0123456789abcdefghijklmno", "",
		"");
	expect("9:memory:/ecs/0123456789abcdef0123456789abcdef/"
	       "0123456789abcdef0123456789abcdef-2532\n",
		"0123456789abcdef0123456789abcdef-2532", "", "");
	expect("0::/garden/7d0a1b2c\n", "7d0a1b2c", "", "");
}

static void units_are_services_only(void)
{
	expect("0::/system.slice/nginx.service\n", "", "", "nginx.service");
	expect("0::/system.slice/system-postgresql.slice/postgresql@15-main.service\n", "", "",
		"postgresql@15-main.service");
	expect("0::/system.slice/my\\x2dapp.service\n", "", "", "my-app.service");
	expect("0::/user.slice/user-0.slice/session-3.scope\n", "", "", "");
	expect("0::/user.slice/user-1000.slice/user@1000.service/app.slice/editor.service\n", "",
		"", "editor.service");
	expect("0::/user.slice/user-1000.slice/user@1000.service/init.scope\n", "", "", "");
	expect("0::/init.scope\n", "", "", "");
	expect("0::/.service\n", "", "", "");
}

static void the_best_of_several_hierarchies_is_taken(void)
{
	expect("12:memory:/docker/" ID "\n1:name=systemd:/docker/" ID
	       "\n0::/system.slice/docker.service\n",
		ID, "", "");
	expect("4:memory:/\n1:name=systemd:/system.slice/cron.service\n0::/\n", "", "",
		"cron.service");
}

static void what_is_not_a_container_stays_none(void)
{
	expect("", "", "", "");
	expect("0::/\n", "", "", "");
	expect("nonsense\n::\n:::\n", "", "", "");
	expect("0::/docker/" ID "0\n", "", "", "");
	expect("0::/docker/0123\n", "", "", "");
	expect("0::/x/conmon-" ID ".scope\n", "", "", "");
	expect("0::/machine.slice/libpod-conmon-" ID ".scope\n", "", "", "");
	expect("0::/lxc.monitor.web-1\n", "", "", "");
	expect("0::/system.slice/a\\x0ab.service\n", "", "", "a\\x0ab.service");
	expect("0::/machine.slice/machine-a\"b.scope\n", "", "", "");
	expect("0::/a\001b.service\n", "", "", "");
	expect("0::/lxc/" ID "x\n", "", "", "");
}

int main(void)
{
	RUN(containers_are_known_by_their_id);
	RUN(the_innermost_container_wins);
	RUN(pods_are_known_under_both_drivers);
	RUN(named_containers_are_known);
	RUN(units_are_services_only);
	RUN(the_best_of_several_hierarchies_is_taken);
	RUN(what_is_not_a_container_stays_none);
	return 0;
}
