# SPDX-License-Identifier: Apache-2.0
"""60, 30 and 10 ms in turn, for 20 s; prints how long each really took, in ns."""

import sys
import time

import pyroscope


def spin(milliseconds):
    start = now = time.perf_counter_ns()
    while now - start < milliseconds * 1_000_000:
        now = time.perf_counter_ns()
    return now - start


def work_heavy():
    return spin(60)


def work_medium():
    return spin(30)


def work_light():
    return spin(10)


pyroscope.configure(application_name="client.python", server_address=sys.argv[1], sample_rate=100, tags={"zone": "x-y"})
took = [0, 0, 0]
end = time.monotonic() + 20
while time.monotonic() < end:
    took[0] += work_heavy()
    took[1] += work_medium()
    took[2] += work_light()
pyroscope.shutdown()
print(*took)
