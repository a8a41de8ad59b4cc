"""lockstep report as scripts use it: a step of the past, tables, files that are written whole or
not at all, conditions, two runs side by side.

The program is named by LOCKSTEP_PROGRAM."""
import csv
import gzip
import io
import json
import os
import random
import re
import resource
import stat
import statistics
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ["LOCKSTEP_PROGRAM"]
DDP8 = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "samples", "ddp8")
SLOW5, BALANCED = os.path.join(DDP8, "slow5"), os.path.join(DDP8, "balanced")


def run(*arguments, status=0, **options):
    done = subprocess.run([PROGRAM, "report", *arguments], capture_output=True, timeout=60,
                          check=False, **options)
    if done.returncode != status:
        raise AssertionError(f"exit {done.returncode}: {done.stderr.decode()}")
    return done


def report(*arguments, status=0):
    return json.loads(run("--json", *arguments, status=status).stdout)


def table(name, *arguments):
    text = run("--csv", name, *arguments).stdout.decode()
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def records(steps, ranks=4, step_s=1.0, slow=None, seed=1, begin=1795961553.0):
    """Lines of a job in which each rank's own time varies by 2%."""
    chance, lines = random.Random(seed), []
    for step in steps:
        own = [step_s * (chance.gauss(1, 0.02) + (0.2 if rank == slow else 0))
               for rank in range(ranks)]
        last = max(own)
        for rank in range(ranks):
            lines.append(json.dumps({"rank": rank, "step": step, "t": round(begin, 6),
                                     "forward": round(own[rank], 6),
                                     "sync": round(last - own[rank] + 0.05, 6)}))
        begin += last + 0.05
    return lines


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def log(self, name, lines):
        with open(self.path(name), "w", encoding="utf-8") as log:
            log.write("".join(line + "\n" for line in lines))
        return self.path(name)


class Documented(Folder):
    """samples/REPORT.md says what each key and column is."""

    REPORT_MD = os.path.join(DDP8, "..", "REPORT.md")

    def setUp(self):
        super().setUp()
        with open(self.REPORT_MD, encoding="utf-8") as page:
            self.page = page.read()

    @staticmethod
    def words(text):
        return set(re.findall(r"`([A-Za-z_0-9]+)`", text))

    def section(self, name):
        return re.search(rf"^## {name}$(.*?)(?=^## |\Z)", self.page, re.M | re.S).group(1)

    def rows(self, section):
        """Of the table of keys: top-level key -> words of its row."""
        rows = {}
        for keys, about in re.findall(r"^\| (`.*?) \| (.*) \|$", section, re.M):
            for key in self.words(keys):
                rows[key] = self.words(about)
        return rows

    def keys_within(self, value):
        if isinstance(value, list):
            return set().union(*map(self.keys_within, value))
        if isinstance(value, dict):
            return set(value).union(*map(self.keys_within, value.values()))
        return set()

    def described(self, objects, rows, common, elsewhere):
        seen = set()
        for one in objects:
            seen |= set(one)
            for key, value in one.items():
                self.assertIn(key, rows)
                missing = self.keys_within(value) - rows[key] - common - elsewhere.get(key, set())
                self.assertFalse(missing, f"{key}: {missing} are not in REPORT.md")
        self.assertFalse(set(rows) - seen, "described, but not there")

    def test_every_key_of_a_report(self):
        section = self.section("lockstep-report/1")
        verdict = self.words(re.search(r"^A verdict:.*?^$", section, re.M | re.S).group())
        check = self.words(re.search(r"^A check:.*?^$", self.page, re.M | re.S).group())
        lines = records(range(60), slow=2) + records(range(55, 90), slow=2, begin=1795961700.0)
        objects = [report("--check", "mfu>=0.4,step_time<=1", "--what-if", "1",
                          "--price", "2", "--watts", "700", "--total-tokens", "1e9", log,
                          status=3)
                   for log in (SLOW5, BALANCED, self.log("odd.jsonl", ["{"] + lines))]
        self.assertTrue(objects[2]["verdicts"] and objects[2]["complaints"])
        rows = self.rows(section)
        self.described(objects, rows, {"evidence"},
                       {"verdicts": verdict, "events": verdict, "checks": check,
                        "per_rank_evidence": rows["per_rank"]})

    def test_every_key_of_a_comparison(self):
        section = self.section("lockstep-compare/1")
        test = self.words(section.split("`test` is null")[1])
        check = self.words(re.search(r"^A check:.*?^$", self.page, re.M | re.S).group())
        got = report("--compare", BALANCED, SLOW5, "--check", "step_time<=+5%", status=3)
        self.described([got], self.rows(section), {"evidence"}, {"figures": test, "checks": check})
        figures = self.words(section) | {f["figure"] for f in got["figures"]
                                         if f["figure"].startswith("ledger_")}
        for figure in got["figures"]:
            self.assertIn(figure["figure"], figures)

    def test_every_column(self):
        section = self.section("Tables")
        for name in ("steps", "events"):
            head = run("--csv", name, SLOW5).stdout.decode().split("\r\n")[0]
            self.assertIn(f"`{head}`", section, name)
        head = run("--csv", "ranks", SLOW5).stdout.decode().split("\r\n")[0]
        known = self.rows(self.section("lockstep-report/1"))["per_rank"] | self.words(section)
        for column in head.split(","):
            if not column.startswith("shown_"):
                self.assertTrue(column in known or column.endswith("_evidence"), column)


class Step(Folder):
    def same(self, got, want):
        for one in (got, want):
            for key in ("bytes", "late"):
                del one["source"][key]
        self.assertEqual(got, want)

    def cut(self, lines, keep):
        return self.log("cut.jsonl", [line for i, line in enumerate(lines) if keep(i, json.loads(line))])

    def test_the_figures_are_those_of_a_log_that_ends_there(self):
        lines = records(range(120), slow=2)
        whole = self.log("whole.jsonl", lines)
        for step in (0, 1, 30, 50, 119):
            cut = self.cut(lines, lambda _, record: record["step"] <= step)
            got = report("--step", str(step), whole)
            self.assertEqual((got["shown"]["step"], got["steps"]["last"]), (step, step))
            if step > 0: # the first step closes with the second
                self.same(got, report(cut))

    def test_real_runs_too(self):
        for step in (20, 75, 100):
            lines = []
            for rank in range(8):
                with open(os.path.join(SLOW5, f"rank{rank}.jsonl"), encoding="utf-8") as log:
                    lines += [line for line in log if json.loads(line)["step"] <= step]
            with open(self.path("cut.jsonl"), "w", encoding="utf-8") as cut:
                cut.writelines(lines)
            description = os.path.join(SLOW5, "run.json")
            self.same(report("--step", str(step), SLOW5),
                      report("--run", description, self.path("cut.jsonl")))

    def test_after_a_restart_the_last_attempt_that_has_the_step_counts(self):
        lines = records(range(40)) + records(range(20, 60), seed=2, begin=1795962000.0)
        whole = self.log("whole.jsonl", lines)
        got = report("--step", "30", whole)
        self.assertEqual((got["shown"]["step"], got["shown"]["attempt"]), (30, 1))
        self.same(got, report(self.log("cut.jsonl", lines[:(40 + 11) * 4])))
        got = report("--step", "10", whole)
        self.assertEqual((got["shown"]["step"], got["shown"]["attempt"]), (10, 0))
        self.same(got, report(self.log("cut.jsonl", lines[:11 * 4])))

    def test_a_step_that_was_not_logged_is_the_last_before_it(self):
        whole = self.log("whole.jsonl", records(range(0, 600, 10)))
        self.assertEqual(report("--step", "55", whole)["shown"]["step"], 50)

    def test_there_is_no_such_step(self):
        whole = self.log("whole.jsonl", records(range(5, 40)))
        done = run("--step", "40", whole, status=1)
        self.assertIn(b"the log ends at step 39", done.stderr)
        done = run("--step", "3", whole, status=1)
        self.assertIn(b"begins behind that step", done.stderr)
        self.assertEqual(done.stdout, b"")

    def test_the_table_of_steps_ends_there(self):
        whole = self.log("whole.jsonl", records(range(100)))
        rows = table("steps", "--step", "60", whole)
        self.assertEqual([int(row["first_step"]) for row in rows], list(range(61)))
        rows = table("steps", "--step", "0", whole)
        self.assertEqual([row["first_step"] for row in rows], ["0"])


class Tables(Folder):
    def test_every_step_has_a_row_with_its_figures(self):
        rows = table("steps", SLOW5)
        self.assertEqual([int(row["first_step"]) for row in rows], list(range(150)))
        self.assertTrue(all(row["steps"] == "1" for row in rows))
        got = report(SLOW5)["step_time_s"]
        times = [float(row["step_time_s"]) for row in rows if row["step_time_s"]]
        # The first has no release before it: its time is computed, and not in the mean.
        self.assertAlmostEqual(statistics.fmean(times[1:]), got["mean"], delta=2e-6)
        self.assertAlmostEqual(max(times[1:]), got["max"], delta=1e-6)
        # The first step has no release before it to be measured from.
        self.assertEqual([row["step_time_evidence"] for row in rows],
                         ["computed"] + ["measured"] * (len(rows) - 1))

    def test_a_span_has_its_steps_alone(self):
        rows = table("steps", "--from", "20", "--to", "29", SLOW5)
        self.assertEqual([int(row["first_step"]) for row in rows], list(range(20, 30)))

    def test_ranks_and_events_are_those_of_the_object(self):
        got = report(SLOW5)
        rows = table("ranks", SLOW5)
        for row, rank in zip(rows, got["per_rank"], strict=True):
            self.assertEqual(int(row["rank"]), rank["rank"])
            self.assertEqual(float(row["slowdown_median"]), rank["slowdown_median"])
            self.assertEqual(float(row["wait_mean_s"]), rank["wait_mean_s"])
        self.assertEqual([row["rank"] for row in rows if row["straggler"] == "1"], ["5"])
        events = table("events", SLOW5)
        self.assertEqual([(row["kind"], int(row["from_step"])) for row in events],
                         [(event["kind"], event["from_step"]) for event in got["events"]])
        self.assertEqual([row["rank"] for row in events if row["kind"] == "straggler"], ["5"])

    def test_hostile_names_are_cells_and_no_formulas(self):
        names = ["=1+1", 'a "quoted", name', "two\r\nlines", "\x1b[31mred", "@SUM(A1:A9)", "-2+3",
                 "\t=1", "日本"]
        lines = [json.dumps({"rank": rank, "step": step, "forward": 0.1, "sync": 0.01,
                             "host": names[rank], "group": names[-1 - rank]})
                 for step in range(5) for rank in range(len(names))]
        rows = table("ranks", self.log("hostile.jsonl", lines))
        self.assertEqual([row["host"] for row in rows],
                         ["'=1+1", 'a "quoted", name', "two\ufffd\ufffdlines", "\ufffd[31mred",
                          "'@SUM(A1:A9)", "'-2+3", "\ufffd=1", "日本"])
        self.assertTrue(all(None not in row and None not in row.values() for row in rows))


class Values(Folder):
    def test_what_a_log_says_besides_its_steps_is_in_the_text(self):
        log = os.path.join(DDP8, "..", "formats", "mllog", "means_of_blocks.log")
        words = " ".join(run(log).stdout.decode().split())
        self.assertIn("name count least median most", words)
        self.assertIn("train_step_time, means 2 27.17 28.46 29.75 s", words)
        self.assertIn("block 2 59.5 70.5 81.5 s", words)
        self.assertIn("run 1 266 266 266 s", words)

    def test_of_many_values_the_rest_is_counted(self):
        lines = [f" iteration {n:8}/ 9 | consumed samples: 16 | elapsed time per iteration (ms): "
                 "2700.0 | learning rate: 1E-4 | global batch size: 16 | lm loss: 2.7 | "
                 "loss scale: 1.0 | number of skipped iterations: 0 |\n"
                 + "time (ms) | " + " | ".join(f"timer-{k:02}: {k}.50" for k in range(30))
                 for n in (1, 2, 3)]
        text = run(self.log("train.log", lines)).stdout.decode()
        self.assertIn("timer-23", text)
        self.assertNotIn("timer-24", text)
        self.assertIn("  and 6 more: all of them are in --json\n", text)

    def test_without_any_there_is_no_table(self):
        self.assertNotIn(b"name  ", run(SLOW5).stdout.split(b"read  ")[1])


class Part(Folder):
    def test_a_loss_is_of_the_steps_that_tell(self):
        all_, some = [], []
        for step in range(100):
            for rank in range(4):
                own = 1.1 if rank == 2 else 1.0
                all_.append(json.dumps({"rank": rank, "step": step, "forward": own, "sync": 1.2 - own,
                                        "step_time": 1.2}))
                some.append(all_[-1] if step % 3 else
                            json.dumps({"rank": rank, "step": step, "step_time": 1.2}))
        want, log = report(self.log("all.jsonl", all_)), self.log("some.jsonl", some)
        self.assertAlmostEqual(want["jitter"]["loss"], 0.1 / 1.2, places=6)
        self.assertAlmostEqual(report(log)["jitter"]["loss"], want["jitter"]["loss"], places=6)
        text = " ".join(run(log).stdout.decode().split())
        self.assertIn("COST (the 33 of the last 50 steps that tell)", text)
        self.assertIn("last to arrive in every one, 66 of 66 steps that tell", text)


class Told(Folder):
    def test_a_time_that_is_told_is_that_of_its_own_step(self):
        """No exchange is logged, the steps' times are; a pause of 30 s before step 60."""
        chance, at, lines = random.Random(5), 1.79e9, []
        for step in range(1, 101):
            took = 5.4 if step == 1 else 2.1 if step == 50 else 0.28 + chance.gauss(0, 0.003)
            at += 30 if step == 60 else 0
            for rank in range(2):
                own = took - 0.02 * rank
                lines.append(json.dumps({"rank": rank, "step": step,
                                         "t": round(at + chance.uniform(0, 0.002), 6),
                                         "forward": own / 3, "backward": own / 2,
                                         "step_time": round(took, 6)}))
            at += took
        log = self.log("log.jsonl", lines)
        is_ = report(log)
        self.assertAlmostEqual(is_["step_time_s"]["mean"], (at - 1.79e9 - 30) / 100, places=5)
        self.assertAlmostEqual(is_["effective"]["wall_s"], at - 1.79e9, delta=0.01)
        self.assertAlmostEqual(is_["effective"]["between_s"], 30, delta=0.01)
        times = {row["last_step"]: float(row["step_time_s"]) for row in table("steps", log)}
        self.assertEqual((times["1"], times["50"]), (5.4, 2.1))
        self.assertLess(times["51"], 0.3)


class Sampled(Folder):
    def test_of_every_tenth_step_all_sums_are_of_those_alone(self):
        steps = [*range(0, 201, 10), *range(110, 401, 10)]
        lines = [json.dumps({"job": True, "step": step, "step_time": 2 + step % 7 / 100,
                             "t": 1.79e9 + 2.1 * (index * 10 + (300 if index > 20 else 0))})
                 for index, step in enumerate(steps)]
        text = " ".join(run(self.log("log.jsonl", lines)).stdout.decode().split())
        self.assertIn("0 to 400: 51 complete, 2 attempts; 360 steps are not in the log", text)
        self.assertIn("goes on from step 110; 10 steps of the log are done again", text)
        self.assertIn(", of the steps that are logged: 1 restart, 10 steps of the log done again",
                      text)


class Names(Folder):
    PATTERN = ("--pattern", "iter {step} took {step_time} ms")

    def lines(self, steps, milliseconds=350):
        return [f"iter {step} took {milliseconds + step % 3} ms" for step in steps]

    def test_the_number_of_a_job_is_no_rank(self):
        log = self.log("slurm-123456.out", self.lines(range(30)))
        self.assertEqual(report(*self.PATTERN, log)["per_rank"], [])
        text = run(*self.PATTERN, log).stdout.decode()
        self.assertIn("whole job   GPUs unknown", text)

    def test_what_went_to_standard_error_is_read_too(self):
        self.log("job-1001.out", ["starting"])
        self.log("job-1001.err", self.lines(range(30)))
        self.assertEqual(report(*self.PATTERN, self.folder)["steps"]["complete"], 30)

    def test_files_that_count_are_those_of_ranks(self):
        for rank in range(4):
            self.log(f"log_{rank}.txt", self.lines(range(30), 350 + rank))
        for sources in ([self.folder], [self.path(f"log_{rank}.txt") for rank in range(4)]):
            is_ = report(*self.PATTERN, *sources)
            self.assertEqual([rank["rank"] for rank in is_["per_rank"]], [0, 1, 2, 3])
            self.assertEqual(is_["steps"]["complete"], 30)

    def test_files_of_attempts_are_as_one_after_another(self):
        first = records(range(1, 88), seed=3)
        later = records(range(51, 141), seed=4, begin=1795961553.0 + 1000)
        paths = self.log("slurm-1001.out", first), self.log("slurm-1002.out", later)
        both = report(self.log("both.txt", first + later))
        self.assertEqual(both["steps"]["attempts"], 2)
        self.assertEqual(both["effective"]["repeated_steps"], 37)
        self.assertEqual(report(*paths), both)
        self.assertEqual(report(*reversed(paths)), both)


class Output(Folder):
    def test_the_ending_chooses_the_form(self):
        for name, begins in (("a.json", "{"), ("a.csv", "attempt,"), ("a.txt", "ddp8-slow5"),
                             ("A.JSON", "{"), ("plain", "ddp8-slow5")):
            done = run("-o", self.path(name), SLOW5)
            self.assertEqual(done.stdout, b"")
            with open(self.path(name), encoding="utf-8") as got:
                self.assertTrue(got.read().startswith(begins), name)
        run("--csv", "ranks", "-o", self.path("ranks.txt"), SLOW5)
        with open(self.path("ranks.txt"), encoding="utf-8") as got:
            self.assertTrue(got.read().startswith("rank,"))
        self.assertEqual(len(os.listdir(self.folder)), 6) # and nothing beside them

    def test_a_file_is_what_standard_output_would_be(self):
        run("--json", "-o", self.path("a"), SLOW5)
        with open(self.path("a"), "rb") as got:
            self.assertEqual(got.read(), run("--json", SLOW5).stdout)

    def test_a_new_file_has_the_usual_permissions_and_an_old_one_its_own(self):
        run("-o", self.path("new"), SLOW5, umask=0o027)
        self.assertEqual(stat.S_IMODE(os.stat(self.path("new")).st_mode), 0o640)
        os.chmod(self.path("new"), 0o600)
        run("-o", self.path("new"), SLOW5, umask=0o022)
        self.assertEqual(stat.S_IMODE(os.stat(self.path("new")).st_mode), 0o600)

    def test_a_link_stays_and_its_target_is_replaced(self):
        os.mkdir(self.path("there"))
        self.log("there/old.json", ["old"])
        os.symlink("there/old.json", self.path("link.json"))
        os.symlink("there/new.json", self.path("dangling.json"))
        for name in ("link.json", "dangling.json"):
            run("-o", self.path(name), SLOW5)
            self.assertTrue(os.path.islink(self.path(name)))
            with open(self.path(name), encoding="utf-8") as got:
                self.assertEqual(json.load(got)["schema"], "lockstep-report/1")
        self.assertEqual(sorted(os.listdir(self.path("there"))), ["new.json", "old.json"])

    def test_what_cannot_be_written_leaves_the_old_file(self):
        old = self.log("old.json", ["the old one"])

        def small(): # a full disk
            resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        done = run("-o", old, SLOW5, status=1, preexec_fn=small, restore_signals=False)
        self.assertIn(b"as it was", done.stderr)
        with open(old, encoding="utf-8") as got:
            self.assertEqual(got.read(), "the old one\n")
        self.assertEqual(os.listdir(self.folder), ["old.json"])

    def test_a_limit_of_the_shell_is_a_full_disk(self):
        old = self.log("old.json", ["the old one"])
        done = run("-o", old, SLOW5, status=1, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (2000, 2000)))
        self.assertIn(b"as it was", done.stderr)
        self.assertEqual(os.listdir(self.folder), ["old.json"])

    def test_a_log_without_records_leaves_the_last_good_report(self):
        old, empty = self.log("old.json", ["the old one"]), self.log("empty.jsonl", [])
        for name in (old, self.path("new.html")):
            done = run("-o", name, empty, status=1)
            self.assertIn(b"nothing was written", done.stderr)
        with open(old, encoding="utf-8") as got:
            self.assertEqual(got.read(), "the old one\n")
        self.assertEqual(sorted(os.listdir(self.folder)), ["empty.jsonl", "old.json"])

    def test_a_log_is_not_written_over_by_its_report(self):
        os.mkdir(self.path("logs"))
        log = self.log("logs/rank0.jsonl", records(range(20), ranks=2))
        os.symlink("logs/rank0.jsonl", self.path("link.json"))
        with open(log, encoding="utf-8") as file:
            before = file.read()
        for arguments in ((log, "-o", log), (log, "-o", self.path("link.json")),
                          (self.path("logs"), "-o", log), (self.path("logs/*.jsonl"), "-o", log),
                          ("--compare", log + "@0-9", log + "@10-19", "-o", log)):
            done = run(*arguments, status=2)
            self.assertIn(b"one of the logs", done.stderr)
        with open(log, encoding="utf-8") as file:
            self.assertEqual(file.read(), before)
        for _ in range(2): # beside the logs it may stand, and be made anew
            run(self.path("logs"), "-o", self.path("logs/report.txt"))
            run(self.path("logs"), "-o", self.path("logs/report.json"))

    def test_a_file_that_was_read_in_part_is_a_failure(self):
        folder = self.path("logs")
        os.mkdir(folder)
        for rank in range(12):
            with gzip.open(os.path.join(folder, f"rank{rank}.jsonl.gz"), "wt") as file:
                file.write(f'{{"rank":{rank},"step":1,"step_time":1}}\n')
        done = subprocess.run([PROGRAM, "replay", folder], capture_output=True, timeout=60,
                              check=False, env={**os.environ, "TMPDIR": self.path("nowhere")})
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"4 more notices", done.stderr)
        self.assertEqual(done.stderr.count(b"no room"), 8)

    def test_what_is_in_the_way_is_said(self):
        for name, says in ((self.folder, b"folder"), (self.path("no/such/a.json"), b"No such file"),
                           (self.path("x" * 300), b"name too long"), ("", b"")):
            done = run("-o", name, SLOW5, status=1 if name else 2)
            self.assertIn(says, done.stderr)
            self.assertEqual(done.stderr.count(b"\n"), 1)
        self.assertEqual(os.listdir(self.folder), [])

    def test_what_is_no_file_is_written_straight(self):
        self.assertEqual(run("--json", "-o", "/dev/stdout", SLOW5).stdout,
                         run("--json", SLOW5).stdout)
        log = self.log("log", ["before"])
        for name in ("/dev/stdout", "-"):
            with open(log, "ab") as end: # >> log
                done = subprocess.run([PROGRAM, "report", "--csv", "ranks", "-o", name, SLOW5],
                                      stdout=end, timeout=60, check=True)
        with open(log, encoding="utf-8") as got:
            lines = got.read().splitlines()
        self.assertEqual((lines[0], len(lines)), ("before", 19))
        done = run("-o", "/dev/full", SLOW5, status=1)
        self.assertIn(b"No space left", done.stderr)
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/full").st_mode))

    def test_one_form_at_a_time(self):
        for arguments in (["--json", "--html"], ["--csv", "steps", "--svg", "heat"]):
            done = run(*arguments, SLOW5, status=2)
            self.assertIn(b"one of them", done.stderr)
            self.assertEqual(done.stdout, b"")


class Checks(Folder):
    def test_all_hold(self):
        done = run("--check", "mfu>=0.01,wait<=30%", "--check", "stragglers=1", SLOW5)
        self.assertEqual(done.stderr, b"")

    def test_what_fails_is_a_line_each_and_exit_status_3(self):
        got = report(SLOW5)
        done = run("--json", "--check", "mfu>=0.40,wait<=0.10,stragglers=0,damaged=0", SLOW5, status=3)
        lines = done.stderr.decode().splitlines()
        self.assertEqual([line.split(":")[2] for line in lines],
                         [" mfu>=0.40", " wait<=0.10", " stragglers=0"])
        self.assertEqual(lines[0], f"lockstep: check failed: mfu>=0.40: it is {got['mfu']['value']:.4g} c")
        self.assertEqual(lines[2], "lockstep: check failed: stragglers=0: it is 1 c")
        checks = json.loads(done.stdout)["checks"]
        self.assertEqual([check["holds"] for check in checks], [False, False, False, True])
        self.assertEqual(checks[0]["value"], got["mfu"]["value"])
        self.assertIsNone(got["checks"])

    def test_what_is_not_known_fails_and_says_why(self):
        log = self.log("a.jsonl", records(range(50)))
        done = run("--check", "mfu>=0.40", log, status=3)
        self.assertEqual(done.stderr, b"lockstep: check failed: mfu>=0.40: mfu is not known: the peak "
                                      b"of the chip is not known; give --chip or --peak\n")

    def test_nonsense_is_wrong_use(self):
        for condition in ("", "mfu", "mfu>=40", "nosuch=1", "mfu>=0.4,,wait<=1", "step_time<=+5%"):
            done = run("--check", condition, SLOW5, status=2)
            self.assertEqual((done.stdout, done.stderr.count(b"\n")), (b"", 1), condition)

    def test_a_failure_is_a_failure_before_it_is_a_finding(self):
        run("--check", "mfu>=0.40", "-o", self.folder, SLOW5, status=1)
        run("--check", "mfu>=0.40", self.path("nosuch"), status=1)


class Compare(Folder):
    def figures(self, *arguments, status=0):
        got = report("--compare", *arguments, status=status)
        self.assertEqual(got["schema"], "lockstep-compare/1")
        return got, {figure["figure"]: figure for figure in got["figures"]}

    def test_the_figures_are_those_of_the_steps_behind_the_first_ones(self):
        got, figures = self.figures(BALANCED, SLOW5)
        for side, folder in (("a", BALANCED), ("b", SLOW5)):
            rows = table("steps", folder)[3:]
            times = [float(row["step_time_s"]) for row in rows]
            self.assertAlmostEqual(figures["step_time_mean_s"][side], statistics.fmean(times), delta=2e-6)
            self.assertAlmostEqual(figures["step_time_median_s"][side], statistics.median(times), delta=2e-6)
            waits = [float(row["wait_share"]) * time for row, time in zip(rows, times)]
            self.assertAlmostEqual(figures["wait_share"][side], sum(waits) / sum(times), delta=3e-6)
            mfu = [float(row["mfu"]) * time for row, time in zip(rows, times)]
            self.assertAlmostEqual(figures["mfu"][side], sum(mfu) / sum(times), delta=3e-6)
            self.assertEqual(got[side]["steps_compared"], 147)
        mean = figures["step_time_mean_s"]
        self.assertAlmostEqual(mean["change"], mean["b"] / mean["a"] - 1, delta=1e-5)
        self.assertEqual((mean["better"], mean["test"]["more_than_noise"]), ("a", True))
        self.assertEqual([(one["unit"], one["rank"], one["in_a"], one["in_b"]) for one in got["named"]],
                         [("rank", 5, False, True)])
        self.assertEqual(got["unlike"], [])

    def test_three_percent_are_found_and_none_are_not(self):
        a = self.log("a.jsonl", records(range(203), seed=1))
        same = self.log("same.jsonl", records(range(203), seed=2))
        slower = self.log("slower.jsonl", records(range(203), seed=3, step_s=1.03))
        _, figures = self.figures(a, same)
        self.assertFalse(figures["step_time_mean_s"]["test"]["more_than_noise"])
        _, figures = self.figures(a, slower)
        self.assertAlmostEqual(figures["step_time_mean_s"]["change"], 0.0286, delta=0.004)
        self.assertTrue(figures["step_time_mean_s"]["test"]["more_than_noise"])
        text = run("--compare", a, slower).stdout.decode()
        self.assertRegex(text, r"B is [23]\.\d% slower a step, more than noise \(p 0\.\d{4} c\)")
        self.assertEqual(text, run("--compare", a, slower).stdout.decode())

    def test_spans_of_one_run(self):
        lines = records(range(100)) + records(range(100, 200), step_s=1.1, begin=1795970000.0)
        log = self.log("run.jsonl", lines)
        got, figures = self.figures(f"{log}@0-99", f"{log}@100-")
        self.assertEqual([got[side][key] for side in "ab" for key in ("first_step", "last_step")],
                         [0, 99, 100, 199])
        self.assertAlmostEqual(figures["step_time_mean_s"]["change"], 0.095, delta=0.01)
        got, _ = self.figures(f"{log}@-49", f"{log}@50-99")
        self.assertEqual((got["a"]["last_step"], got["b"]["first_step"]), (49, 50))
        self.assertEqual(got["a"]["steps_compared"], 47)

    def test_a_file_that_is_called_so_wins(self):
        whole = self.log("whole.jsonl", records(range(60)))
        named = self.log("whole.jsonl@0-9", records(range(40)))
        got, _ = self.figures(whole, named)
        self.assertEqual((got["a"]["last_step"], got["b"]["last_step"]), (59, 39))

    def test_unlike_runs_are_said(self):
        four = self.log("four.jsonl", records(range(60)))
        eight = self.log("eight.jsonl", records(range(60), ranks=8))
        got, figures = self.figures(four, eight)
        self.assertEqual(got["unlike"], ["gpus"])
        self.assertIsNone(figures["mfu"]["difference"])
        self.assertIsNone(figures["mfu"]["test"])

    def test_conditions_are_about_b(self):
        a = self.log("a.jsonl", records(range(100)))
        b = self.log("b.jsonl", records(range(100), step_s=1.1, slow=2))
        done = run("--compare", "--check", "step_time<=+5%,stragglers=0,step_time<2s", a, b, status=3)
        lines = done.stderr.decode().splitlines()
        self.assertEqual(len(lines), 2)
        self.assertRegex(lines[0], r"^lockstep: check failed: step_time<=\+5%: it is \+\d+\.\d\d%: "
                                   r"1\.\d+ s m against 1\.\d+ s m$")
        run("--compare", "--check", "step_time<=+5%,stragglers=0", b, a)

    def test_wrong_use_is_said(self):
        log = self.log("a.jsonl", records(range(20)))
        for arguments, says in (([log], b"two sources"), ([log] * 3, b"two sources"),
                                (["-", log], b"standard input"), (["--step", "5", log, log], b"--step"),
                                (["--csv", "steps", log, log], b"text or --json"),
                                ([f"{log}@9-5", log], b"ends before")):
            done = run("--compare", *arguments, status=2)
            self.assertIn(says, done.stderr)
        for arguments, says in (([f"{log}@500-600", log], b"no step in that span"),
                                ([self.path("no"), log], b"no")):
            self.assertIn(says, run("--compare", *arguments, status=1).stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
