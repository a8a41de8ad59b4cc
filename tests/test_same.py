"""The same is said of a step by the real program, whether it was watched, replayed, or
reported: the lines of `watch` and `replay` are the same bytes; `report --step S --json` is what
`report --json` says of the records up to the one that closed S, and its figures are those of
the line that `watch` wrote when S was the newest. (That the report of a model that was fed live
is the same as after a seek is test_replay.c, that of a look back test_past.c.)

The program is named by LOCKSTEP_PROGRAM, the folder of the tests by LOCKSTEP_TESTS."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

PROGRAM = os.environ["LOCKSTEP_PROGRAM"]
ROOT = os.path.join(os.environ["LOCKSTEP_TESTS"], "..")
SAMPLES = sorted(os.path.dirname(path) for path in
                 glob.glob(os.path.join(ROOT, "samples", "*", "*", "rank0.jsonl")))
SHARED = sorted(glob.glob(os.path.join(ROOT, "..", "shared", "data", "*", "*.lockstep.jsonl")))
STEPS = 25 # of a long log
UNITS = {"ms": 1e-3, "s": 1, "us": 1e-6, "µs": 1e-6, "min": 60}
LINE = re.compile(r"(?:simulated  )?step (?P<step>\d+)(?:  (?P<time>[\d.,]+) (?P<unit>\w+))?"
                  r"(?:  (?P<reported>\d+) of (?P<expected>\d+) ranks)?"
                  r"(?:  waiting (?P<wait>[\d.]+)%)?(?:  MFU (?P<mfu>[\d.]+)%)?"
                  r"(?:  rank (?P<last>\d+) last)?(?P<rest>.*)")
SLOW = re.compile(r"  straggler: (rank|group|host) (\S+)(?: [+-]([\d.]+)(%| x))?"
                  r" since step (\d+)(?: \((\w+)\))?")


def run(*arguments, stdin=None):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, timeout=60,
                          check=False, stdin=stdin or subprocess.DEVNULL)
    if done.returncode != 0:
        raise AssertionError(f"{arguments}: exit {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode()


def watch(source, count):
    """So many lines of what a live watch writes, and what is more."""
    with subprocess.Popen([PROGRAM, "watch", source], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, encoding="utf-8") as program:
        limit = threading.Timer(30, program.kill)
        limit.start()
        lines = [program.stdout.readline() for _ in range(count)]
        program.terminate()
        lines += program.stdout.readlines()
        limit.cancel()
    return "".join(lines)


def without_bytes(report):
    """How much of the files was read is no figure of a step."""
    return re.sub(r'"bytes": \d+', "", report)


class Same(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="lockstep-same-")
        self.addCleanup(shutil.rmtree, self.folder)

    def spread(self, lines, count):
        """{step: the line of the last attempt that has it}"""
        last = {int(LINE.match(line)["step"]): line for line in lines}
        steps = sorted(last)
        every = max(len(steps) // count, 1)
        return {step: last[step] for step in sorted({*steps[::every], steps[-1]})}

    def figure(self, said, known, scale, what):
        if said is None:
            self.assertIsNone(known, what)
            return
        said = said.replace(",", "")
        decimals = len(said.partition(".")[2])
        self.assertAlmostEqual(float(said), known / scale, delta=0.51 * 10 ** -decimals, msg=what)

    def check_line(self, line, report):
        said, shown = LINE.fullmatch(line), report["shown"]
        self.assertIsNotNone(said, line)
        self.assertEqual(int(said["step"]), shown["step"], line)
        self.figure(said["time"], shown["step_time_s"], UNITS.get(said["unit"], 1), line)
        self.figure(said["wait"], shown["wait_share"], 0.01, line)
        self.figure(said["mfu"], report["mfu"]["value"], 0.01, line)
        if said["reported"]:
            self.assertEqual(int(said["reported"]), shown["reported"], line)
            self.assertEqual(int(said["expected"]), shown["expected"], line)
        else:
            self.assertEqual(shown["reported"], shown["expected"], line)
        self.assertEqual(said["last"] and int(said["last"]), shown["last_rank"], line)
        named = [(unit, who, int(since), phase or None)
                 for unit, who, _, _, since, phase in SLOW.findall(said["rest"])]
        self.assertEqual(named, [
            (verdict["unit"], str(verdict[verdict["unit"]]), verdict["from_step"],
             verdict["phase"]) for verdict in report["verdicts"]
            if verdict["kind"] in ("straggler", "group") and verdict["to_step"] is None], line)

    def check(self, source, cut=None, steps=STEPS, ends_open=0):
        """cut: makes a source of what comes up to the record that closes a step. ends_open:
        steps that end with the log, but may still be reported by a rank while it is watched."""
        lines = run("replay", source)
        said = "".join(lines.splitlines(True)[:-ends_open or None])
        self.assertNotEqual(said, "")
        self.assertEqual(said, watch(source, said.count("\n")))
        for step, line in self.spread(lines.splitlines(), steps).items():
            with self.subTest(source=source, step=step):
                report = run("report", "--step", step, "--json", source)
                self.check_line(line, json.loads(report))
                # The first step is closed when all ranks are known: by the second.
                if cut and line != lines.splitlines()[0]:
                    self.assertEqual(without_bytes(report),
                                     without_bytes(run("report", "--json", cut(source, step))))

    def cut_folder(self, source, step):
        folder = os.path.join(self.folder, f"{os.path.basename(source)}-{step}")
        os.mkdir(folder)
        for path in glob.glob(os.path.join(source, "*")):
            with open(path, encoding="utf-8") as old, \
                    open(os.path.join(folder, os.path.basename(path)), "w",
                         encoding="utf-8") as new:
                new.writelines(line for line in old if not path.endswith("jsonl") or
                               json.loads(line)["step"] <= step)
        return folder

    def cut_file(self, source, step):
        """A log in the order of its steps: after the last record of this one."""
        path = os.path.join(self.folder, f"{step}.jsonl")
        with open(source, encoding="utf-8") as log:
            lines = log.readlines()
        end = max(i for i, line in enumerate(lines) if json.loads(line)["step"] == step) + 1
        with open(path, "w", encoding="utf-8") as log:
            log.writelines(lines[:end])
        return path

    def test_the_samples(self):
        self.assertGreaterEqual(len(SAMPLES), 3)
        for source in SAMPLES:
            self.check(source, self.cut_folder)

    def test_the_shared_logs_when_they_are_there(self):
        for source in SHARED:
            self.check(source, self.cut_file)
            with open(source, "rb") as log:
                self.assertEqual(run("watch", "-", stdin=log), run("replay", source))

    def feed(self, *arguments):
        path = os.path.join(self.folder, f"log{len(os.listdir(self.folder))}.jsonl")
        run("feed", "--speed", "max", "--to", path, *arguments)
        return path

    def test_a_slow_rank_for_a_while_and_a_restart(self):
        self.check(self.feed("--steps", 150, "--slow", "5:1.3@20-60", "--jitter", 0.5, "--restart",
                             "120:100"), self.cut_file, 8)

    def test_a_slow_stage(self):
        slow = [word for rank in range(4, 8) for word in ("--slow", f"{rank}:1.3@30")]
        self.check(self.feed("--steps", 100, "--ranks", 12, "--groups", 3, *slow), self.cut_file, 8)

    def test_a_slow_host(self):
        slow = [word for rank in range(4, 8) for word in ("--slow", f"{rank}:1.3@30")]
        self.check(self.feed("--steps", 100, "--ranks", 16, "--hosts", 4, *slow), self.cut_file, 8)

    def test_a_rank_that_falls_silent(self):
        self.check(self.feed("--steps", 90, "--missing", "3@60"), steps=8, ends_open=1)

    def test_a_rank_that_is_away_for_a_while(self):
        path = self.feed("--steps", 90)
        with open(path, encoding="utf-8") as log:
            lines = [line for line in log
                     if not ('"rank":3,' in line and 40 <= json.loads(line)["step"] < 50)]
        with open(path, "w", encoding="utf-8") as log:
            log.writelines(lines)
        self.check(path, steps=8)

    def test_one_rank(self):
        self.check(self.feed("--steps", 30, "--ranks", 1), self.cut_file, 8)

    def test_every_tenth_step_behind_every_step(self):
        path = self.feed("--steps", 200, "--ranks", 4)
        with open(path, encoding="utf-8") as log:
            lines = [line for line in log
                     if json.loads(line)["step"] < 20 or json.loads(line)["step"] % 10 == 0]
        with open(path, "w", encoding="utf-8") as log:
            log.writelines(lines)
        self.check(path, self.cut_file)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
