"""Tables, figures, comparisons and conditions of `lockstep report` against oracle_whole.py,
which works them out anew from the raw lines: real runs, and simulated ones with restarts,
ranks that fall silent, steps that are not there and pauses.

The program is named by LOCKSTEP_PROGRAM, the folder of the tests by LOCKSTEP_TESTS."""
import csv
import datetime
import glob
import io
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import oracle
import oracle_whole

PROGRAM = os.environ["LOCKSTEP_PROGRAM"]
DDP8 = os.path.join(os.environ["LOCKSTEP_TESTS"], "..", "samples", "ddp8")
LHS = 80 * 8192 * 4096
JOB = ("--params", "70e9", "--layers", "80", "--hidden", "8192", "--sequence", "4096", "--chip",
       "H100")
SIZES = {"flop": 6 * 70e9 + 12 * LHS, "peak": 989e12}
DDP8_SIZES = {"flop": 6 * 528128 + 12 * 2 * 128 * 64, "peak": 2e10, "tokens": 2048}


def run_program(*arguments, status=0):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, timeout=60,
                          check=False)
    if done.returncode != status:
        raise AssertionError(f"{arguments}: exit {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode()


def table(name, *arguments):
    text = run_program("report", "--csv", name, *arguments)
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def moment(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class Logs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="lockstep-oracle-whole-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)

    def path(self):
        return os.path.join(self.folder, f"{len(os.listdir(self.folder))}.jsonl")

    def feed(self, *arguments, edit=None):
        path = self.path()
        run_program("feed", "--speed", "max", "--tokens", 900, "--to", path, *arguments)
        if edit:
            with open(path, encoding="utf-8") as log:
                records = [edit(json.loads(line)) for line in log]
            with open(path, "w", encoding="utf-8") as log:
                log.writelines(json.dumps(record) + "\n" for record in records if record)
        return path

    def near(self, got, want, what, delta=1.001e-6):
        self.assertNotEqual(got, "", what)
        self.assertLessEqual(abs(float(got) - want), delta + 1e-6 * abs(want),
                             f"{what}: program {got}, oracle {want}")


class Runs(Logs):
    def whole(self, source, paths, rule, arguments=(), stragglers=(), **sizes):
        """stragglers: those that must be listed: [(rank or group, from, to or "")]"""
        self.arguments = (*arguments, source)
        self.run = oracle_whole.Whole(paths, rule, **sizes)
        self.step_table()
        self.rank_table()
        self.event_table(stragglers)
        self.timeline()
        self.heat()
        self.ledger()
        self.checks()

    def step_table(self):
        rows = table("steps", *self.arguments)
        self.assertEqual([(int(row["attempt"]), int(row["first_step"])) for row in rows],
                         [step.key for step in self.run.steps])
        for row, step in zip(rows, self.run.steps):
            self.assertEqual(row["first_step"], row["last_step"])
            self.assertEqual(row["steps"], "1")
            self.near(row["step_time_s"], step.time, step.key)
            self.near(row["step_time_max_s"], step.time, step.key)
            measured = "measured" if step.timed else "computed"
            if row["step_time_evidence"] != "simulated":
                self.assertEqual(row["step_time_evidence"], measured)
                self.assertEqual(row["wait_evidence"],
                                 measured if step.rule == "sync" else "computed")
            self.near(row["wait_share"], self.run.wait_share([step]), step.key)
            self.near(row["mfu"], self.run.mfu([step]), step.key)
            self.near(moment(row["begin"]), step.begin(), step.key, 2e-6)

    def rank_table(self):
        rows, shown = table("ranks", *self.arguments), self.run.steps[-1]
        self.assertEqual([int(row["rank"]) for row in rows], self.run.ranks)
        for row in rows:
            rank, what = int(row["rank"]), f"rank {row['rank']}"
            steps = [step for step in self.run.steps if rank in step.own]
            self.assertEqual(int(row["steps"]), len(steps), what)
            self.assertEqual(int(row["last_step"]), steps[-1].key[1], what)
            self.near(row["slowdown_median"],
                      oracle.median(step.slowdown[rank] for step in steps), what, 1e-3)
            self.near(row["wait_mean_s"], oracle.mean(step.wait[rank] for step in steps), what)
            recent = [step for step in self.run.steps[-oracle_whole.WINDOW:] if rank in step.own]
            self.near(row["gain_s"], oracle.mean(step.without({rank}) for step in
                                                 self.run.steps[-oracle_whole.WINDOW:]), what, 2e-6)
            if len(recent) == oracle_whole.WINDOW:
                self.near(row["window_slowdown"],
                          oracle.median(step.slowdown[rank] for step in recent), what, 6e-5)
            self.assertEqual(row["shown_step"], str(shown.key[1]) if rank in shown.own else "")
            if rank not in shown.own:
                continue
            for phase in oracle.PHASES:
                value = shown.records[rank].get(phase)
                if value is None:
                    self.assertEqual(row[f"shown_{phase}_s"], "", what)
                else:
                    self.near(row[f"shown_{phase}_s"], value, f"{what} {phase}")
            self.near(row["shown_own_s"], shown.own[rank], what)
            self.near(row["shown_wait_s"], shown.wait[rank], what)

    def event_table(self, stragglers):
        rows, run = table("events", *self.arguments), self.run
        begins = {step.key: step.begin() for step in run.steps}

        def of(kind):
            return [row for row in rows if row["kind"] == kind]

        def places(kind):
            return [(int(row["attempt"]), int(row["from_step"])) for row in of(kind)]

        self.assertEqual([((int(r["rank"]) if r["rank"] else r["group"]), int(r["from_step"]),
                           r["to_step"]) for r in of("straggler") + of("group")],
                         [(who, first, str(last)) for who, first, last in stragglers])
        for kind in ("restart", "spike", "gap"):
            self.assertEqual(places(kind), [event[:2] for event in getattr(run, kind + "s")()])
        for row, (_, step, down, again) in zip(of("restart"), run.restarts()):
            self.near(row["down_s"], down, f"restart {step}")
            self.assertEqual(int(row["repeated_steps"]), again)
        for row, (_, step, time, factor) in zip(of("spike"), run.spikes()):
            self.near(row["step_time_s"], time, f"spike {step}")
            self.near(row["slowdown"], factor, f"spike {step}", 2e-3)
        for row, (_, step, still, absent) in zip(of("gap"), run.gaps()):
            self.assertEqual(int(row["absent_steps"]), absent)
            if still is not None:
                self.near(row["gap_s"], still, f"gap {step}", 2e-6)
        self.assertEqual([(int(r["rank"]), int(r["attempt"]), int(r["from_step"]),
                           int(r["named_step"]), int(r["to_step"]) if r["to_step"] else None)
                          for r in of("missing")], run.missing())
        for row in rows:
            begin = begins[int(row["attempt"]), int(row["from_step"])]
            self.near(moment(row["begin"]), begin, row, 2e-6)
        order = [(int(row["attempt"]), int(row["from_step"])) for row in rows]
        self.assertEqual(order, sorted(order))

    def timeline(self):
        svg = oracle_whole.Svg(run_program("report", "--svg", "timeline", *self.arguments))
        shown = self.run.steps[-1]
        lines = {words[0]: words for words in svg.lines.values()
                 if re.fullmatch(r"rank \d+", words[0])}
        for rank in shown.own:
            wait, error = oracle_whole.seconds(lines[f"rank {rank}"][1])
            self.near(wait, shown.wait[rank], f"timeline {rank}", error)
        titles = [dict(title.rsplit(" ", 2)[0:1] + [" ".join(title.rsplit(" ", 2)[1:])]
                       for title in row) for row in svg.titles()]
        if shown.rule != "overlapped":
            rows = [row for row in titles if "backward" in row]
            self.assertEqual(len(rows), len(shown.own))
            for row, (rank, record) in zip(rows, sorted(shown.records.items())):
                for phase in ("data", "forward", "backward"):
                    value, error = oracle_whole.seconds(row[phase])
                    self.near(value, record[phase], f"timeline {rank} {phase}", error)
                if "wait" in row:
                    value, error = oracle_whole.seconds(row["wait"])
                    self.near(value, shown.wait[rank], f"timeline {rank} wait", error)

    def heat(self):
        svg = oracle_whole.Svg(run_program("report", "--svg", "heat", *self.arguments))
        steps, ranks = self.run.steps, self.run.ranks
        for words in svg.lines.values():
            if words[0].isdigit() and len(words) == 2 and words[1].startswith(("+", "-")):
                rank = int(words[0])
                worst = max(step.slowdown[rank] for step in steps if rank in step.own)
                self.near(float(words[1].split("%")[0]) / 100, worst - 1, f"heat {rank}", 6e-4)
        cells = svg.cells()
        edges = [(x, x + width, y) for boxes in cells.values() for x, y, width, _ in boxes]
        right = max(edge[1] for edge in edges)
        tops = sorted({edge[2] for edge in edges})
        self.assertEqual(len(tops), len(ranks))
        wrong = 0
        for column, step in enumerate(steps):
            middle = right * (column + 0.5) / len(steps)
            for rank, top in zip(ranks, tops):
                there = [name for name, boxes in cells.items() for x, y, width, _ in boxes
                         if y == top and x <= middle < x + width]
                if rank not in step.own:
                    self.assertEqual(there, [], (rank, step.key))
                    continue
                want, near = oracle_whole.heat_class(step.slowdown[rank])
                if near > 0.02:
                    wrong += there != [f"ls-h{want}"]
        self.assertEqual(wrong, 0, "cells of another colour")

    def ledger(self):
        """Whose shares test_oracle.py has: that the figure says the same."""
        svg = oracle_whole.Svg(run_program("report", "--svg", "ledger", *self.arguments))
        got = json.loads(run_program("report", "--json", *self.arguments))["ledger"]
        shares = [part["share"] for part in got["parts"] if part["share"]]
        bar = [re.search(r"([\d.]+)%", row[0]).group(1)
               for row in ([title] for title in svg.titles()[0])]
        self.assertAlmostEqual(sum(map(float, bar)), 100, places=6)
        for said, share in zip(bar, [share for share in shares if share > 5e-5]):
            self.near(float(said) / 100, share, "ledger", 1.01e-4)
        steps = self.run.steps
        wall = oracle.total(steps) + math.fsum(down for _, _, down, _ in self.run.restarts())
        self.near(got["wall_s"], wall, "wall-clock time", 1e-5)
        for part in got["parts"]:
            if part["share"] is not None:
                self.near(part["gpu_hours"], part["share"] * wall * self.run.gpus / 3600,
                          part["part"], 1e-3)

    def checks(self):
        steps, run = self.run.steps, self.run
        rows = table("events", *self.arguments)
        kinds = [row["kind"] for row in rows]
        values = {"mfu": run.mfu(steps[-oracle_whole.WINDOW:]), 
                  "wait": run.wait_share([step for step in steps if step.timed]),
                  "stragglers": kinds.count("straggler"), "groups": kinds.count("group"),
                  "spikes": len(run.spikes()), "restarts": len(run.restarts()),
                  "gaps": len(run.gaps()), "missing": len(run.missing()),
                  "incomplete": sum(self.is_incomplete(i) for i in range(len(steps)))}
        measured = [step.time for step in steps if step.timed]
        values |= {"step_time": oracle.median(measured), "step_time_mean": oracle.mean(measured),
                   "step_time_max": max(measured)}
        values["exchange"] = oracle.mean(s.exchange for s in steps if not math.isnan(s.exchange))
        for name, value in values.items():
            if math.isnan(value):
                continue
            whole = isinstance(value, int)
            slack = 0 if whole else 3e-6 + 1e-6 * value
            if name == "step_time":
                slack = 2e-3 * value
            run_program("report", "--check", f"{name}>={value - slack!r}", "--check",
                        f"{name}<={value + slack!r}", *self.arguments)
            run_program("report", "--check", f"{name}>{value + slack!r}", *self.arguments,
                        status=3)

    def is_incomplete(self, index):
        """A rank that is not missing yet did not report."""
        step = self.run.steps[index]
        for rank in self.run.ranks:
            seen = [other for other in self.run.steps[:index] if rank in other.own]
            if rank not in step.own and seen:
                return True
        return False

    def recorded(self, name, rule, stragglers=()):
        folder = os.path.join(DDP8, name)
        self.whole(folder, sorted(glob.glob(os.path.join(folder, "rank*.jsonl"))), rule,
                   stragglers=stragglers, **DDP8_SIZES)

    def test_a_real_run_with_a_slow_rank(self):
        self.recorded("slow5", "sync", [(5, 23, "")])

    def test_a_real_run_of_equal_ranks(self):
        self.recorded("balanced", "sync")

    def test_a_real_run_whose_exchange_overlaps(self):
        self.recorded("overlap_slow5", "overlapped", [(5, 0, "")])

    def simulated(self, *arguments, edit=None, stragglers=(), said=JOB):
        path = self.feed(*arguments, edit=edit)
        self.whole(path, [path], "sync", said, stragglers, **SIZES)

    def test_a_restart_and_a_rank_that_was_slow_for_a_while(self):
        self.simulated("--steps", 130, "--restart", "100:90", "--slow", "5:1.3@40-80", "--jitter",
                       0.5, stragglers=[(5, 40, 80)])

    def test_two_restarts_of_which_one_repeats_nothing(self):
        self.simulated("--steps", 90, "--restart", "40:25", "--restart", "70:69", "--ranks", 5)

    def test_a_rank_that_falls_silent(self):
        """At the end it does not count that it was to be waited for for more steps than there
        were."""
        self.simulated("--steps", 90, "--missing", "3@60", said=(*JOB, "--close-lag", "45"))

    def test_a_rank_that_comes_back_and_steps_that_are_not_there(self):
        def edit(record):
            away = record["rank"] == 2 and 40 <= record["step"] < 47
            return None if away or 70 <= record["step"] < 75 else record
        self.simulated("--steps", 120, edit=edit)

    def test_the_job_stands_still(self):
        def edit(record):
            record["t"] += 30 * (record["step"] >= 50) + 4 * (record["step"] >= 80)
            return record
        self.simulated("--steps", 100, "--ranks", 6, edit=edit)

    def test_spikes(self):
        def edit(record):
            late = 0.9 * (record["step"] == 45) + 0.4 * (record["step"] == 60)
            if record["rank"] == 3:
                record["forward"] += late
            else:
                record["sync"] += late
            record["t"] += 0.9 * (record["step"] > 45) + 0.4 * (record["step"] > 60)
            return record
        self.simulated("--steps", 80, edit=edit)
        self.assertEqual([event[1] for event in self.run.spikes()], [45])

    def test_a_slow_stage(self):
        slow = [word for rank in range(4, 8) for word in ("--slow", f"{rank}:1.3@60")]
        self.simulated("--steps", 140, "--ranks", 12, "--groups", 3, "--jitter", 0.5, *slow,
                       stragglers=[("pp1", 60, "")])


class Sides(Logs):
    def compare(self, sources, runs, arguments=()):
        got = json.loads(run_program("report", "--compare", "--json", *arguments, *sources))
        figures = {figure["figure"]: figure for figure in got["figures"]}
        for side, run in zip("ab", runs):
            steps = run.compared()
            self.assertEqual(got[side]["steps_compared"], len(steps))
            self.assertEqual(got[side]["steps_of_warm_up"], len(run.steps) - len(steps))
            times = [step.time for step in steps]
            for name, value in (("step_time_mean_s", oracle.mean(times)),
                                ("step_time_median_s", oracle.median(times)),
                                ("wait_share", run.wait_share(steps)), ("mfu", run.mfu(steps))):
                self.near(figures[name][side], value, f"{name} {side}")
            self.assertEqual(figures["spikes"][side], len(run.spikes()))
            self.assertEqual(figures["restarts"][side], len(run.restarts()))
            self.assertEqual(figures["missing"][side], len(run.missing()))
        for figure in got["figures"]:
            if figure["a"] is not None and figure["b"] is not None:
                self.near(figure["difference"], figure["b"] - figure["a"], figure, 2e-3 if
                          figure["figure"] == "tokens_per_s" else 2e-6)
        for name in ("step_time_mean_s", "wait_share", "mfu"):
            test = figures[name]["test"]
            self.assertEqual(test["answer"], "done")
            p = oracle_whole.permutation_p(*(run.series(name) for run in runs),
                                           test["block_steps"])
            self.assertAlmostEqual(test["p"], p, delta=0.02 + 0.35 * p, msg=name)
            self.assertEqual(test["more_than_noise"], test["p"] < 0.05)

    def test_two_real_runs(self):
        folders = [os.path.join(DDP8, name) for name in ("balanced", "slow5")]
        self.compare(folders, [oracle_whole.Whole(sorted(glob.glob(f"{folder}/rank*.jsonl")),
                                                  "sync", **DDP8_SIZES) for folder in folders])

    def test_a_run_and_the_same_again_with_a_restart(self):
        paths = [self.feed("--steps", 200, "--seed", 1),
                 self.feed("--steps", 150, "--seed", 2, "--restart", "80:70")]
        self.compare(paths, [oracle_whole.Whole([path], "sync", **SIZES) for path in paths], JOB)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
