/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernel/loaded.h"

#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include <bpf/libbpf.h>

#include "bpf/abi/setting.h"
#include "tests/support/check.h"

#include <cairn.skel.h>

/* Sets the size of rings to something sensible only; tests give the size itself. */
#define HZ_ASSUMED 997

void loaded_init(struct loaded *loaded, uint32_t ring_bytes, bool event_goes_on)
{
	uint32_t cpu_count = (uint32_t)libbpf_num_possible_cpus();
	struct cairn_skeleton *skeleton = cairn_skeleton__open();
	struct ring_layout layout;

	CHECK(skeleton != NULL);
	CHECK_EQ(ring_layout_choose(cpu_count, HZ_ASSUMED, 0, ring_bytes, &layout), 0);
	*loaded = (struct loaded){.probes = {.skeleton = skeleton}};
	skeleton->rodata->setting = (struct setting){
		.cpus_per_ring = layout.cpus_per_ring,
		.ring_wake_bytes = layout.wake_bytes,
		.kernel_frame_count_max = KERNEL_FRAMES_MAX,
		.event_goes_on = event_goes_on,
	};
	CHECK_EQ(bpf_map__set_max_entries(skeleton->maps.rings, layout.ring_count), 0);
	CHECK_EQ(cairn_skeleton__load(skeleton), 0);
	CHECK_EQ(unwind_maps_init(&loaded->maps, &loaded->probes), 0);
	CHECK_EQ(rings_init(&loaded->rings, &layout, probes_rings_fd(&loaded->probes)), 0);
	CHECK_EQ(counters_init(&loaded->counters, probes_counters_fd(&loaded->probes), cpu_count),
		0);
	for (uint32_t cpu = 0; cpu < cpu_count; cpu++)
		CHECK_EQ(rings_cover(&loaded->rings, cpu), 0);
	loaded->program_fd = bpf_program__fd(probes_on_cpu(&loaded->probes));
}

void loaded_done(struct loaded *loaded)
{
	rings_done(&loaded->rings);
	counters_done(&loaded->counters);
	unwind_maps_done(&loaded->maps);
	probes_done(&loaded->probes);
}

int loaded_sample_thread(const struct loaded *loaded, pid_t tid, uint64_t period_ns)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = period_ns,
		.disabled = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	CHECK(fd >= 0);
	CHECK_EQ(ioctl(fd, PERF_EVENT_IOC_SET_BPF, loaded->program_fd), 0);
	CHECK_EQ(ioctl(fd, PERF_EVENT_IOC_ENABLE, 0), 0);
	return fd;
}

uint64_t loaded_counter(struct loaded *loaded, enum counter counter)
{
	CHECK_EQ(counters_refresh(&loaded->counters), 0);
	return counters_sum(&loaded->counters, counter);
}
