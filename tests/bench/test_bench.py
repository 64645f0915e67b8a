#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_bench.py REPORT: what the bench reads and computes is right, and REPORT, as committed, holds
every figure. Nothing is measured here."""

import sys
import unittest
import xml.etree.ElementTree

import bars
import bench
import cost
import fleet
import growth
import host
import kept_report
import load
import plot
import posts
import session
import table

REPORT = sys.argv.pop(1)


class Host(unittest.TestCase):
    def test_idle_and_waiting_are_not_busy(self):
        self.assertEqual(host.parse_cpu_line("cpu  10 1 5 100 4 2 3 7 0 0\ncpu0 1"), (21, 132, 7))

    def test_a_name_may_hold_blanks_and_parentheses(self):
        fields = ["S", "7", *["0"] * 9, "30", "4", "500", "6000", *["0"] * 20]
        process = host.parse_process("42 (a) (b c) " + " ".join(fields))
        self.assertEqual(process, host.Process(42, "a) (b c", 7, 34, 6534))

    def test_a_tree_is_what_descends(self):
        found = {pid: host.Process(pid, "", parent, 0, 0) for pid, parent in ((1, 0), (2, 1), (3, 2), (4, 1))}
        self.assertEqual(host.tree_of(2, found), {2, 3})

    def test_others_are_summed_by_name_without_ours(self):
        before = {1: host.Process(1, "cc", 0, 10, 10), 3: host.Process(3, "ours", 0, 0, 0)}
        after = {
            1: host.Process(1, "cc", 0, 30, 30),
            2: host.Process(2, "cc", 0, 5, 5),
            3: host.Process(3, "ours", 0, 50, 50),
            4: host.Process(4, "still", 0, 0, 0),
        }
        self.assertEqual(host.busiest(before, after, {3}, 100), [("cc", 25.0)])

    def test_a_field_is_found_by_its_name(self):
        self.assertEqual(host.field_of("model\t: 1\nmodel name\t: X: y\n", "model name"), "X: y")


class Cost(unittest.TestCase):
    def test_programs_and_maps_count_once(self):
        infos = [
            {"prog_id": "7", "run_time_ns": "100", "run_cnt": "2"},
            {"prog_id": "7", "run_time_ns": "100", "run_cnt": "2"},
            {"prog_id": "8"},  # a link to a program
            {"map_id": "1", "memlock": "4096"},
            {"map_id": "1", "memlock": "4096"},
            {"map_id": "2", "memlock": "8192"},
            {"pos": "0"},
        ]
        self.assertEqual(cost.programs_of(infos), {7: (100, 2)})
        self.assertEqual(cost.map_bytes_of(infos), 12288)

    def test_cost_is_a_share_of_all_cpus(self):
        early = cost.Reading(0, 0, {"1": 10_000_000}, 500, 1)
        late = cost.Reading(10**9, 40_000_000, {"1": 30_000_000, "2": 20_000_000}, 10_000_500, 101)
        spent = cost.cost_between(early, late, cpu_count=2)
        self.assertAlmostEqual(spent.process_percent, 2.0)
        self.assertAlmostEqual(spent.ticks_percent, 2.0)
        self.assertAlmostEqual(spent.bpf_percent, 0.5)
        self.assertAlmostEqual(spent.whole_percent, 2.5)
        self.assertEqual((spent.bpf_ns, spent.bpf_runs), (10_000_000, 100))

    def test_memory_fields_are_kib(self):
        status = cost.fields("RssAnon:\t  2 kB\nRssShmem:\t 1 kB\nno colon\n")
        self.assertEqual(cost.kib(status, "RssAnon", "RssShmem"), 3072)


class Programs(unittest.TestCase):
    def test_each_function_to_compile_is_another(self):
        source = load.source_of_many_functions(3)
        self.assertEqual([f"visit_{i}(" in source for i in range(4)], [True, True, True, False])

    def test_numbers_are_read_from_lines_of_two_words(self):
        self.assertEqual(session.parse_lines("rows 10\na b c\nms 1.5\n"), {"rows": 10.0, "ms": 1.5})

    def test_counters_that_are_new_rose_from_nothing(self):
        self.assertEqual(session.differences({"a": 1}, {"a": 3, "b": 2}), {"a": 2, "b": 2})


class Table(unittest.TestCase):
    def test_numbers_keep_three_digits(self):
        shown = [table.number(value) for value in (0, 1234567, 250, 12.345, 1.5, 0.6532, 0.00123)]
        self.assertEqual(shown, ["0", "1,234,567", "250", "12.3", "1.5", "0.653", "0.00123"])

    def test_a_ratio_is_at_most_one_where_the_bar_is_met(self):
        most = bars.Figure("", "", "", 4)
        least = bars.Figure("", "", "", 100, at_least=True)
        self.assertEqual((most.ratio(2), most.ratio(8)), (0.5, 2.0))
        self.assertEqual((least.ratio(200), least.ratio(50), least.ratio(0)), (0.5, 2.0, float("inf")))

    def test_a_row_shows_median_spread_bar_and_ratio(self):
        figure = bars.Figure("", "what", "ms", 4)
        self.assertEqual(table.row(figure, [8, 1, 2]), "| what | 2 ms | 1 – 8 | ≤ 4 | 0.50 |")
        self.assertEqual(table.row(figure, [8]), "| what | 8 ms |  | ≤ 4 | **2.00** |")

    def test_what_is_missed_is_listed_with_its_plan(self):
        figures = [
            bars.Figure("k", "what", "s", 1, plan="Mend it"),
            bars.Figure("l", "which", "", 1, at_least=True, plan="Mend it"),
            bars.Figure("j", "fine", "s", 1),
            bars.Figure("i", "new", "s", 1),
        ]
        lines = table.missed_lines([bars.Bench("b", "B", "", figures)], {"k": [2], "l": [0.5], "j": [1], "i": [3]})
        self.assertEqual(
            lines,
            ["- b, what: **2 s** (≤ 1); b, which: **0.5** (≥ 1). Mend it.", "- b, new: **3 s** (≤ 1). No plan yet."],
        )

    def test_other_work_is_told_at_the_top(self):
        quiet, loud = (host.Account("x", 1, others, 0, 0, []) for others in (1, 40))
        self.assertNotIn(table.DISTURBED, "\n".join(table.summary([], {}, {"a": [quiet]})))
        self.assertIn("up to 40 %", "\n".join(table.summary([], {}, {"a": [quiet, loud]})))


class Kept(unittest.TestCase):
    """What a report tells can be read back, so that one section can be measured apart."""

    def found(self, names, results, accounts):
        return session.Findings([("Date", "today"), ("Commit", "abc")], "./dev bench", names, results, accounts)

    def test_a_report_read_back_makes_the_same_report(self):
        account = host.Account("all, rounds", 1.0, 2.0, 3.0, 4.0, [("a b", 1.5), ("c", 0.5)])
        results = {"start_attached": [0.25, 0.5, 1], "start_samples": [9], "store_bytes": [1.5]}
        names = [each.name for each in bars.BENCHES]
        text = table.report(self.found(names, results, {"start": [account]}))
        kept = kept_report.read(text)
        self.assertEqual(table.report(kept), text)
        self.assertEqual(sorted(kept.results["start_attached"]), [0.25, 0.5, 1])

    def test_what_was_measured_apart_stands_for_what_was_there_and_says_so(self):
        old = self.found(["start", "page"], {"start_attached": [1], "page_bytes": [40]}, {})
        new = session.Findings([("Date", "later"), ("Commit", "def")], "./dev bench start", ["start"], {"start_samples": [2]}, {})
        both = kept_report.put(old, new)
        self.assertEqual(both.results, {"page_bytes": [40], "start_samples": [2]})
        self.assertIn("Measured apart: later, commit def, `./dev bench start`", table.report(both))
        self.assertEqual(kept_report.read(table.report(both)).apart, both.apart)


class Plots(unittest.TestCase):
    def results(self):
        keys = [f"{each.key}_{key}_{how}" for each in bars.FLEETS for key in ("fleet_24h", "process_1h") for how in ("cold", "warm")]
        keys += [f"week_fleet_{text}_{how}" for text, _ in bars.RANGES for how in ("cold", "warm")]
        return {key: [0.1 * (i + 1)] for i, key in enumerate(keys)}

    def test_each_plot_is_a_file_that_the_report_shows(self):
        drawn = growth.plots(self.results())
        self.assertEqual(sorted(drawn), ["bench-store-ranges.svg", "bench-store-samples.svg"])
        for name, text in drawn.items():
            root = xml.etree.ElementTree.fromstring(text)
            self.assertTrue(root.tag.endswith("svg"))
            self.assertIn(f"({name})", "\n".join(growth.lines_of_section("store", self.results())))

    def test_nothing_is_drawn_of_a_part(self):
        self.assertEqual(growth.plots({"fleet6_fleet_24h_cold": [1]}), {})
        self.assertEqual(growth.lines_of_section("store", {}), [])

    def test_a_decade_is_as_wide_as_another(self):
        shown = plot.Plot("t", "x", "y", [], [plot.Line("l", [(1, 0.1), (100, 10)])])
        frame = plot.Frame(shown)
        self.assertAlmostEqual(frame.x(10) - frame.x(1), frame.x(100) - frame.x(10), 0)
        self.assertAlmostEqual(frame.y(0.1) - frame.y(1), frame.y(1) - frame.y(10), 0)

    def test_sizes_are_those_that_are_told(self):
        for each in bars.FLEETS:
            count, power = each.text.split(" samples")[0].replace("2 x ", "").split("^")
            wanted = float(count) ** int(power) * (2 if each.text.startswith("2 x") else 1)
            self.assertLess(abs(growth.sample_count(each) / wanted - 1), 0.02)


class Fleet(unittest.TestCase):
    def test_functions_are_those_that_are_defined_and_long_enough(self):
        text = "0000000000001000 0000000000000020 T a@@V\n0000000000002000 0000000000000004 T b\n0000000000003000 0000000000000040 D c\n                 U d\n"
        self.assertEqual(fleet.parse_functions(text), [0x1000])

    def test_few_are_all_taken_and_many_from_everywhere(self):
        self.assertEqual(fleet.chosen([1, 2, 3]), [1, 2, 3])
        many = fleet.chosen(list(range(2500)))
        self.assertTrue(len(many) <= fleet.FUNCTIONS_MAX and many[-1] > 2400)


class Posts(unittest.TestCase):
    def test_stacks_are_always_the_same_and_thirty_deep_on_average(self):
        made = posts.stacks(5000, 2000, 1)
        self.assertEqual(made, posts.stacks(5000, 2000, 1))
        self.assertNotEqual(made, posts.stacks(5000, 2000, 2))
        self.assertAlmostEqual(sum(map(len, made)) / len(made), posts.DEPTH_MEAN, delta=5)
        self.assertGreater(len(set(map(tuple, made))), 4500)
        self.assertTrue(all(0 <= function < 2000 for stack in made for function in stack))

    def test_numbers_are_written_as_protobuf_has_them(self):
        self.assertEqual(posts.varint(300), b"\xac\x02")
        self.assertEqual(posts.span(2, b"ab"), b"\x12\x02ab")
        self.assertEqual(posts.number(1, 150), b"\x08\x96\x01")

    def test_all_formats_tell_of_the_same_stacks(self):
        text = posts.folded(3).decode().splitlines()
        words = posts.names(2000)
        self.assertEqual(text[2].split(" ")[0].split(";"), [words[f] for f in posts.stacks(3, 2000, 1)[2]])
        leaf_first = b"".join(posts.varint(f + 1) for f in reversed(posts.stacks(3, 2000, 1)[2]))
        self.assertIn(leaf_first, posts.pprof(3))
        self.assertIn(leaf_first, posts.otlp(3))


class Options(unittest.TestCase):
    def test_only_a_whole_run_is_written_by_itself(self):
        self.assertEqual(bench.options_of([]).out, bench.REPORT)
        self.assertEqual(bench.options_of(["--quick"]).out, "")
        self.assertEqual(bench.options_of(["store", "idle"]).out, "")
        self.assertEqual(bench.options_of(["store", "--out", "x"]).out, "x")
        self.assertEqual(bench.options_of(["store", "--into-report"]).out, bench.REPORT)

    def test_a_run_that_was_kept_gives_the_same_report(self):
        account = host.Account("x", 1.0, 2.0, 3.0, 4.0, [("cc", 1.5)])
        found = session.Findings([("CPU", "one")], "./dev bench", ["store"], {"store_bytes": [1.0]}, {"store": [account]})
        again = session.Findings.read(found.text())
        self.assertEqual(table.report(again), table.report(found))
        self.assertIn(account.text(), table.report(again))

    def test_the_command_is_shown_without_what_dev_adds(self):
        self.assertEqual(bench.command_of(["--build", "build/release", "--rounds", "1"]), "./dev bench --rounds 1")

    def test_every_bench_runs_and_every_figure_has_one_key(self):
        self.assertEqual([each.name for each in bars.BENCHES], list(bench.RUN))
        self.assertEqual(len(bars.ALL_FIGURES), sum(len(each.figures) for each in bars.BENCHES))


class Report(unittest.TestCase):
    def setUp(self):
        with open(REPORT, encoding="utf-8") as report:
            self.text = report.read()

    def test_it_holds_every_figure_and_its_bar(self):
        for each in bars.BENCHES:
            self.assertIn(f"`./dev bench {each.name}`", self.text)
            for figure in each.figures:
                rows = [line for line in self.text.splitlines() if line.startswith(f"| {figure.text} |")]
                self.assertTrue(rows, f"no row says {figure.text!r}: run ./dev bench")
                self.assertTrue(any(f"| {table.bar_text(figure)} |" in line for line in rows), rows)
                self.assertFalse(any("not measured" in line for line in rows), rows)

    def test_what_is_not_built_is_told(self):
        for bar, _ in bars.NOT_BUILT:
            self.assertIn(f"| {bar} |", self.text)

    def test_every_bar_that_is_missed_has_a_plan(self):
        if table.DISTURBED not in self.text:
            self.assertNotIn(table.NO_PLAN, self.text)


if __name__ == "__main__":
    unittest.main()
