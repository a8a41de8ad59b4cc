"""The real program over real logs: the right values of samples/ddp8, by file, by
standard input and by UDP, to the digit; and the production jobs with known
answers in the folder of shared data, where that is there.

The program is named by LOCKSTEP_PROGRAM."""
import glob
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ["LOCKSTEP_PROGRAM"]
HERE = os.path.dirname(os.path.abspath(__file__))
DDP8 = os.path.join(HERE, "..", "samples", "ddp8")
SHARED = os.path.join(HERE, "..", "..", "shared", "data")
RUNS = ("slow5", "balanced", "overlap_slow5")


def report(*arguments, stdin=None):
    done = subprocess.run([PROGRAM, "report", "--json", *arguments], input=stdin,
                          capture_output=True, timeout=60, check=False)
    if done.returncode != 0:
        raise AssertionError(f"exit {done.returncode}: {done.stderr.decode()}")
    return json.loads(done.stdout)


def expected(run):
    """The section of EXPECTED.md about a run."""
    with open(os.path.join(DDP8, "EXPECTED.md"), encoding="utf-8") as text:
        section = text.read().split(f"## {run}\n")[1].split("\n## ")[0]
    ranks = {int(r): (float(s), float(w), int(n)) for r, s, w, n in re.findall(
        r"^\| (\d+) \| ([\d.]+) \| ([\d.]+) \| (\d+) \|$", section, re.M)}
    def number(pattern):
        found = re.search(pattern, section)
        return float(found.group(1)) if found else None
    return {
        "ranks": ranks,
        "steps": int(number(r"steps \d+\.\.\d+ \((\d+)\)")),
        "wait": number(r"mean wait over ranks and steps ([\d.]+) s"),
        "exchange": number(r"mean exchange ([\d.]+) s"),
        "median": number(r"median ([\d.]+) s, mean"),
        "mean": number(r"median [\d.]+ s, mean ([\d.]+) s"),
        "mfu": number(r"full attention: ([\d.]+)%") / 100,
    }


def stragglers(result):
    return [(v["kind"], v["rank"], v["group"]) for v in result["verdicts"]
            if v["kind"] in ("straggler", "group")]


def what_if(result, of, rank=None):
    return next(w for w in result["what_if"] if w["of"] == of and w["rank"] == rank)


def shares(ledger):
    """In millionths, of what is known: they must come to a million."""
    return sum(round(part["share"] * 1e6) for part in ledger["parts"] if part["share"] is not None)


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Ddp8(unittest.TestCase):
    def check(self, run, rule, exact_waits):
        want, got = expected(run), report("--from", "5", os.path.join(DDP8, run))
        self.assertEqual(got["steps"]["complete"], want["steps"])
        self.assertEqual(got["wait"]["rule"], rule)
        self.assertEqual(len(got["per_rank"]), 8)
        for rank in got["per_rank"]:
            slowdown, wait, last = want["ranks"][rank["rank"]]
            self.assertAlmostEqual(rank["slowdown_median"], slowdown, delta=0.0005)
            self.assertAlmostEqual(rank["wait_mean_s"], wait, delta=1e-6)
            self.assertEqual(rank["arrived_last"], last)
        self.assertAlmostEqual(got["wait"]["mean_s"], want["wait"], delta=1e-6)
        self.assertAlmostEqual(got["step_time_s"]["median"] / want["median"], 1, delta=0.01)
        self.assertAlmostEqual(got["step_time_s"]["mean"] / want["mean"], 1, delta=0.01)
        self.assertAlmostEqual(got["mfu"]["value"] / want["mfu"], 1, delta=0.01)
        self.assertEqual(got["exchange_s"]["mean"] is not None, exact_waits)
        evidence = got["per_rank_evidence"]
        self.assertEqual(evidence["wait_mean_s"], "measured" if exact_waits else "computed")
        self.assertTrue(set(evidence) <= set(got["per_rank"][0]))
        if exact_waits:
            self.assertAlmostEqual(got["exchange_s"]["mean"], want["exchange"], delta=1e-6)
        self.assertEqual(shares(got["ledger"]), 1000000)
        self.assertEqual(shares(got["ledger_window"]), 1000000)
        parts = {part["part"]: part["share"] for part in got["ledger_window"]["parts"]}
        self.assertAlmostEqual(parts["arithmetic"] / got["mfu"]["value"], 1, delta=0.001)
        jitter = got["jitter"]
        self.assertAlmostEqual(jitter["floor"] + jitter["chronic"], jitter["loss"], delta=2e-6)
        return got

    def test_slow5_names_rank_5_and_only_rank_5(self):
        got = self.check("slow5", "sync", True)
        self.assertEqual(stragglers(got), [("straggler", 5, None)])

    def test_overlap_slow5_finds_its_rule_and_rank_5(self):
        got = self.check("overlap_slow5", "overlapped", False)
        self.assertEqual(stragglers(got), [("straggler", 5, None)])
        self.assertGreater(what_if(got, "rank", 5)["explains"], 0.95)

    def test_balanced_names_nobody(self):
        got = self.check("balanced", "sync", True)
        self.assertEqual(stragglers(got), [])
        self.assertEqual(sum(v["kind"] == "wandering" for v in got["verdicts"]), 1)
        self.assertEqual(got["rotation"]["distinct"], 8)
        self.assertTrue(all(v["rank"] is None for v in got["verdicts"]))
        self.assertLess(got["jitter"]["chronic"], 0.01)

    def test_figures_alone_are_the_same_figures_and_no_verdict(self):
        whole = report("--from", "5", os.path.join(DDP8, "slow5"))
        got = report("--from", "5", "--figures-only", os.path.join(DDP8, "slow5"))
        for key in ("verdicts", "what_if", "jitter", "rotation", "effective", "ledger", "ledger_window"):
            self.assertIsNone(got[key])
        for key in ("steps", "step_time_s", "wait", "exchange_s", "mfu", "hfu", "source"):
            self.assertEqual(got[key], whole[key])
        for mine, theirs in zip(got["per_rank"], whole["per_rank"]):
            self.assertEqual(mine["slowdown_median"], theirs["slowdown_median"])
            self.assertEqual(mine["wait_mean_s"], theirs["wait_mean_s"])

    def test_any_rank_can_be_asked_for(self):
        got = report("--from", "5", "--what-if", "6", "--what-if", "5", os.path.join(DDP8, "slow5"))
        asked = [w for w in got["what_if"] if w["rank"] in (5, 6)]
        self.assertEqual([(w["rank"], w["named"]) for w in asked], [(5, True), (6, False)])
        self.assertLess(asked[1]["gain_share"], asked[0]["gain_share"])

    def same_figures(self, run, other):
        """Equal to the digit, but for how the bytes came."""
        want = report("--from", "5", os.path.join(DDP8, run))
        for one in (want, other):
            for key in ("bytes", "late"):
                del one["source"][key]
        self.assertEqual(want, other)

    def test_standard_input_gives_the_same_rank_by_rank_and_step_by_step(self):
        for run in RUNS:
            folder = os.path.join(DDP8, run)
            lines = []
            for path in sorted(glob.glob(os.path.join(folder, "rank*.jsonl"))):
                with open(path, "rb") as log:
                    lines += log.readlines()
            description = os.path.join(folder, "run.json")
            for order in (lines, sorted(lines, key=lambda line: json.loads(line)["step"])):
                got = report("--from", "5", "--run", description, "-", stdin=b"".join(order))
                self.same_figures(run, got)

    def test_udp_gives_the_same(self):
        for run in RUNS:
            folder, port = os.path.join(DDP8, run), free_port()
            receiver = subprocess.Popen(
                [PROGRAM, "report", "--json", "--from", "5", "--idle", "1", "--run",
                 os.path.join(folder, "run.json"), f"udp://127.0.0.1:{port}"],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.addCleanup(receiver.stderr.close)
            self.assertIn(b"listening", receiver.stderr.readline())
            subprocess.run([PROGRAM, "feed", "--from-recording", folder, "--speed", "max", "--to",
                            f"udp://127.0.0.1:{port}"], check=True, timeout=60,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            out, _ = receiver.communicate(timeout=60)
            self.assertEqual(receiver.returncode, 0)
            got = json.loads(out)
            self.assertEqual(got["source"]["dropped"], 0)
            self.same_figures(run, got)


class Words(unittest.TestCase):
    def run_program(self, *arguments):
        return subprocess.run([PROGRAM, *arguments], capture_output=True, timeout=60, check=False)

    def test_help_and_version_go_to_standard_output(self):
        for arguments in (["--help"], ["report", "--help"], ["watch", "-h"], ["demo", "-h"],
                          ["feed", "-h"], ["--version"]):
            done = self.run_program(*arguments)
            self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
            self.assertTrue(done.stdout)

    def test_wrong_use_is_2_and_says_what_is_wrong(self):
        for arguments, word in (([], b"usage"), (["report"], b"source"), (["watch"], b"source"),
                                (["report", "--window", "1", "x"], b"--window"),
                                (["report", "--nosuch"], b"--nosuch"),
                                (["report", "--from", "9", "--to", "3", "x"], b"--from")):
            done = self.run_program(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, b""), arguments)
            self.assertIn(word, done.stderr)

    def test_the_man_page_has_every_option(self):
        page = self.run_program("manual").stdout.decode().replace("\\-", "-")
        self.assertTrue(page.startswith(".TH LOCKSTEP 1"))
        options = set()
        for command in ("watch", "replay", "report", "explain", "demo"):
            text = self.run_program(command, "--help").stdout.decode()
            options |= set(re.findall(r"^ +(?:-\w, )?(--[\w-]+)", text, re.M))
        self.assertGreater(len(options), 30)
        for option in options:
            self.assertIn(option, page)
        for heading in re.findall(r"^\.B (.*--.*)$", page, re.M):  # an option, what it takes
            self.assertLessEqual(len(heading.split()), 3, heading)
        for key, about in (("\\(dq", "the bookmark before"), ("\\(aq", "the next bookmark")):
            self.assertIn(f".B {key}\n{about}\n", page)


@unittest.skipUnless(os.path.isdir(SHARED), "the folder of shared data is not there")
class Production(unittest.TestCase):
    def log(self, name):
        return os.path.join(SHARED, "bytedance-straggleranalysis", f"{name}.lockstep.jsonl")

    def test_one_slow_worker_is_named(self):
        got = report(self.log("AR"))
        self.assertEqual(stragglers(got), [("straggler", 0, None)])
        slow = next(r for r in got["per_rank"] if r["rank"] == 0)
        self.assertAlmostEqual(slow["slowdown_median"], 2.35, delta=0.05)
        self.assertTrue(all(r["slowdown_median"] < 1.06 for r in got["per_rank"] if r["rank"]))
        self.assertAlmostEqual(got["step_time_s"]["median"], 46.66, delta=0.1)
        # The authors' own figures: M_W is 1.00, the ideal step 23.48 s.
        won = what_if(got, "rank", 0)
        self.assertGreater(won["explains"], 0.95)
        self.assertAlmostEqual(won["without_s"] / 23.48, 1, delta=0.15)
        self.assertTrue(won["lower_bound"])
        self.assertEqual(shares(got["ledger"]), 1000000)
        text = self.text("AR")
        self.assertIn("drain rank 0", text)
        self.assertIn("lower bound", text)

    def test_a_slow_stage_is_named_and_not_its_ranks(self):
        got = report(self.log("ST"))
        self.assertEqual(stragglers(got), [("group", None, "stage3")])
        won = what_if(got, "group")
        self.assertGreater(won["explains"], 0.95)
        self.assertAlmostEqual(won["without_s"] / 1.771, 1, delta=0.15) # the authors' T without it
        self.assertLess(what_if(got, "rank", 7)["gain_share"], 0.01)
        self.assertIn("do not drain a rank", self.text("ST"))

    def text(self, name):
        done = subprocess.run([PROGRAM, "report", self.log(name)], capture_output=True, timeout=60,
                              check=True)
        return done.stdout.decode()


class Others(unittest.TestCase):
    def run_program(self, *arguments, stdin=b"", **variables):
        environment = {**os.environ, "LOCKSTEP_CONFIG": "", "XDG_CONFIG_HOME": "", "HOME": "",
                       **variables}
        return subprocess.run([PROGRAM, *arguments], input=stdin, env=environment,
                              capture_output=True, timeout=60, check=False)

    def test_a_log_without_records_says_so(self):
        done = self.run_program("report", "-", stdin=b"\x1b[31mnothing\x1b[0m at step 1\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"no record", done.stderr)
        self.assertNotIn(b"\x1b", done.stdout + done.stderr)

    def test_a_log_without_records_names_the_command_that_looks_into_it(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "what is it?.log")
            with open(path, "w", encoding="utf-8") as log:
                log.write("nothing at step 1\n")
            for arguments in ["report", path], ["replay", path]:
                said = self.run_program(*arguments).stderr.decode()
                self.assertIn("no record was found", said)
                self.assertIn(f"lockstep explain '{path}'\n", said)
            said = self.run_program("report", "-", stdin=b"nothing\n").stderr
            self.assertNotIn(b"explain", said) # it cannot be read again

    def test_explain_says_that_nothing_is_there(self):
        with tempfile.TemporaryDirectory() as folder:
            cases = ((folder, 1, "no file in it ends in .jsonl"),
                     (folder + "/no.log", 1, "No such file; check the path"),
                     (folder + "/no*.log", 1, "no file matches; check the pattern"))
            for path, status, words in cases:
                for command in "explain", "report":
                    done = self.run_program(command, path)
                    self.assertEqual((done.returncode, done.stdout), (status, b""))
                    self.assertIn(f"{path}: {words}", done.stderr.decode())
            with open(os.path.join(folder, "new.log"), "wb"):
                said = self.run_program("explain", folder).stdout.decode()
            self.assertIn("It is empty", said)
            self.assertNotIn("first lines", said)

    def test_few_records_among_many_lines_are_doubted(self):
        record = b'{"rank":0,"step":%d,"forward":0.33,"backward":0.66,"sync":0.1}\n'
        iteration = (b" iteration %d/ 1000 | consumed samples: 64 | elapsed time per iteration (ms): "
                     b"100.5 | learning rate: 9.7E-06 | global batch size: 64 |\n")
        for line in record, iteration:
            for count, doubtful in (1, True), (3, True), (40, False):
                text = b"text\n" * 412 + b"".join(line % i for i in range(1, count + 1))
                words = f"doubtful: {count} record{'s' if count > 1 else ''} among 412 other lines"
                for arguments in ["explain", "-"], ["report", "-"]:
                    said = " ".join(self.run_program(*arguments, stdin=text).stdout.decode().split())
                    self.assertEqual(words in said, doubtful, said)
                    self.assertTrue(doubtful or "doubtful" not in said, said)
                got = json.loads(self.run_program("explain", "--json", "-", stdin=text).stdout)
                self.assertEqual(got["doubtful"], doubtful)

    def test_the_steps_to_come_are_told_where_the_log_says_how_many(self):
        megatron = (b" iteration %8d/ %7d | consumed samples: 64 | elapsed time per iteration (ms): "
                    b"%d.0 | learning rate: 9.7E-06 | global batch size: 64 |\n")
        llmc = (b"step %d/%d | loss 11.01 (+nanz)| norm 15.1 (+nanz)| lr 8.57e-07 | %d.00 ms | "
                b"29.2%% bf16 MFU | 113446 tok/s\n")
        for line in megatron, llmc:
            for first, last, total in (1, 40, 1000), (61, 100, 10100), (3, 7, 7):
                log = b"".join(line % (i, total, 2000 if i % 5 else 9000)
                               for i in range(first, last + 1))
                said = self.run_program("report", "-", stdin=log).stdout.decode()
                seconds = 2 * (total - last)
                time = f"{seconds / 60:.1f} min" if seconds < 3600 else f"{seconds / 3600:.2f} h"
                line_to_come = (f"to come      {total - last:,} steps left (the last is {total:,}): "
                                f"{time} c at the median step time\n")
                self.assertEqual(line_to_come in said, last < total, said)
                self.assertTrue(last < total or "to come" not in said)
        # trained for longer, after a restart
        log = (b"".join(megatron % (i, 100, 2000) for i in range(1, 101)) +
               b"".join(megatron % (i, 200, 2000) for i in range(101, 111)))
        said = self.run_program("report", "-", stdin=log).stdout.decode()
        self.assertIn("to come      90 steps left (the last is 200): 180 s c at", said)

    def test_moments_end_in_z_only_where_the_log_names_its_zone(self):
        line = ("[2026-11-30 03:00:%02d] iteration %d/ 100 | consumed samples: 8 | elapsed time per "
                "iteration (ms): 1000.0 | learning rate: 1E-4 | lm loss: 1.0 |\n")
        text = "".join(line % (step, step) for step in range(1, 21)).encode()
        rows = self.run_program("report", "--csv", "steps", "-", stdin=text).stdout.splitlines()
        self.assertEqual(b"2026-11-30T03:00:04.000000", rows[5].split(b",")[5])
        text = b"".join(b'{"rank":0,"step":%d,"t":%d,"compute":1}\n' % (step, step)
                        for step in range(1, 21))
        rows = self.run_program("report", "--csv", "steps", "-", stdin=text).stdout.splitlines()
        self.assertEqual(b"1970-01-01T00:00:05.000000Z", rows[5].split(b",")[5])

    def test_ranks_from_which_nothing_comes_are_told_together(self):
        def log(steps_of):
            return "".join('{"rank":%d,"step":%d,"compute":1,"sync":0.1,"host":"node%d"}\n' %
                           (rank, step, rank // 4) for step in range(1, 61) for rank in range(12)
                           if step <= steps_of(rank)).encode()

        def said(steps_of):
            text = self.run_program("report", "-", stdin=log(steps_of)).stdout.decode()
            return " ".join(text.split())

        gone = said(lambda rank: 40 if 4 <= rank < 8 else 60)
        self.assertIn("look at ranks 4, 5, 6 and 7 (node1): nothing has come from them since step 41, "
                      "though the others have gone on to step 60: they have left the job, or their "
                      "log has stopped.", gone)
        self.assertNotIn("the others wait", gone)
        hung = said(lambda rank: 58 if rank == 5 else 59)
        self.assertIn("the records of rank 5 (node1) end at step 58, those of the others at step 59: "
                      "if the run hung there, look at it first.", hung)
        self.assertNotIn("the records of", said(lambda rank: 60))

    def test_times_of_every_rank_have_the_job_s_step_time_and_no_clocks(self):
        """Of a log that one rank writes, stamps of a whole second, means, and a pause."""
        seconds = [2.0 + (i * 7 % 10) / 10 for i in range(40)]
        for each in 1, 10:
            lines, clock = [f"  log_interval .................................... {each}"], 0
            for i, length in enumerate(seconds):
                clock += each * length + (600 if i == 25 else 0)
                at = f"{10 + int(clock) // 3600}:{int(clock) // 60 % 60:02}:{int(clock) % 60:02}"
                lines.append(f" [2026-03-04 {at}] iteration {(i + 1) * each:8}/     100 | consumed "
                             f"samples: 64 | elapsed time per iteration (ms): {length * 1000:.1f} | "
                             "learning rate: 9.7E-06 | global batch size: 64 |\n"
                             "times across ranks (ms):")
                for timer, of_rank in (("forward-compute", (400, 400, 600)),
                                       ("backward-compute", (800, 800, 1100)),
                                       ("all-grads-sync", (520, 505, 20)), ("optimizer", (30, 30, 30))):
                    lines.append(f"  {timer}:")
                    lines += [f"     rank {rank:2}: {ms:.2f}" for rank, ms in enumerate(of_rank)]
            got = report("-", stdin="\n".join(lines).encode() + b"\n")
            times = got["step_time_s"]
            self.assertEqual((times["min"], times["max"]), (2.0, 2.9))
            self.assertAlmostEqual(times["mean"], sum(seconds) / 40, 9)
            self.assertEqual(got["clocks"], {"worst_s": None, "hosts": []})
            self.assertAlmostEqual(got["effective"]["between_s"], 600, delta=1)
            self.assertEqual(stragglers(got), [("straggler", 2, None)])
            self.assertEqual([v["from_step"] for v in got["verdicts"] if v["kind"] == "gap"], [26 * each])

    def test_what_another_format_gives_too_is_counted_in_the_text(self):
        log = b"".join(
            b" iteration %d/ 1000 | consumed samples: 64 | elapsed time per iteration (ms): 100.5 | "
            b"learning rate: 9.7E-06 | global batch size: 64 |\n"
            b"iter %d: loss 10.9886, time 200.90ms, mfu 30.00%%\n" % (i, i) for i in range(1, 31))
        said = self.run_program("report", "-", stdin=log).stdout.decode()
        self.assertIn(", 30 left out: another format of the log gives their steps\n", said)
        self.assertIn("30 left out beside another format\n", said)

    def test_a_map_or_pattern_that_is_wrong_is_wrong_use(self):
        for arguments, words in ((["--map", "step=s,stp=t"], b"at character 8: 'stp' is no field"),
                                 (["--pattern", "{step"], b"at character 1: there is no '}'"),
                                 (["--format", "nemesis"], b"there are lockstep")):
            for command in ("report", "explain", "watch", "replay"):
                done = self.run_program(command, *arguments, DDP8)
                self.assertEqual((done.returncode, done.stdout), (2, b""), (command, arguments))
                self.assertIn(words, done.stderr)

    def test_the_settings_keep_formats_under_a_name(self):
        log = b"it 1 of 9 (0.5 s)\nit 2 of 9 (0.7 s)\n"
        with tempfile.TemporaryDirectory() as home:
            folder = os.path.join(home, ".config", "lockstep")
            os.makedirs(folder)
            config = os.path.join(folder, "config")
            for only, choice, records in (("", [], 2), ("only = named\n", [], None),
                                          ("only = named\n", ["--format", "mine"], 2)):
                with open(config, "w", encoding="utf-8") as to:
                    to.write("[format mine]\npattern = {job}it {step} of {} ({step_time})\n" + only)
                done = self.run_program("report", "--json", *choice, "-", stdin=log, HOME=home)
                if records is None:
                    self.assertEqual(done.returncode, 1)
                    continue
                got = json.loads(done.stdout)
                self.assertEqual(got["logs"][0]["name"], "mine")
                self.assertEqual(got["logs"][0]["job_records"], records)
                self.assertAlmostEqual(got["step_time_s"]["median"], 0.6, delta=1e-9)
            self.assertIn(b"mine", self.run_program("explain", HOME=home, stdin=b"").stdout)
            with open(config, "w", encoding="utf-8") as to:
                to.write("[format mine]\nmap = x\n")
            done = self.run_program("report", DDP8, HOME=home)
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"config: line 2: map: at character 1: 'x' is not FIELD=KEY", done.stderr)
        done = self.run_program("report", DDP8, LOCKSTEP_CONFIG=config)
        self.assertEqual(done.returncode, 2) # named, and not there

    def test_explain_says_what_a_log_is_and_proposes_what_may_read_it(self):
        log = b"12:00 \x1b[32miter\x1b[0m   7/90 rank=1 fwd 12.5 ms bwd 20 ms\r\n" * 3
        text = self.run_program("explain", "-", stdin=log.replace(b"\x1b[32m", b"")
                                .replace(b"\x1b[0m", b"")).stdout.decode()
        self.assertIn("Nothing was recognised", text)
        wide = log.decode().encode("utf-16") # as PowerShell writes it
        for each in wide, wide[2:]:
            self.assertIn(b"iconv -f UTF-16", self.run_program("explain", "-", stdin=each).stdout)
        self.assertNotIn("iconv", text)
        pattern = re.search(r"--pattern '([^']*)'", " ".join(text.split())).group(1)
        got = json.loads(self.run_program("explain", "--json", "--pattern", pattern, "-",
                                          stdin=log).stdout)
        self.assertEqual(got["first_records"][0], {"rank": 1, "step": 7, "forward": 0.0125,
                                                   "backward": 0.02})
        self.assertEqual((got["lines"]["crlf"], got["lines"]["colored"]), (3, 3))
        self.assertEqual([(tell["what"], tell["can"]) for tell in got["tells"]][:2],
                         [("step time, and slow steps", True), ("which rank is slow", False)])
        for line in text.splitlines():
            if not line.startswith("  lockstep "): # commands are not wrapped: they are pasted
                self.assertLessEqual(len(line), 80, line)
            self.assertNotIn("\x1b", line)

    def test_a_proposal_tells_of_epochs(self):
        for epoch, told in (("0", True), ("0.25", False)):
            with tempfile.TemporaryDirectory() as folder:
                name = os.path.join(folder, "log.csv")
                with open(name, "w", encoding="ascii") as log:
                    log.write(f"epoch,step,iter_ms\n{epoch},1,20\n{epoch},2,21\n")
                text = subprocess.run([PROGRAM, "explain", name], capture_output=True, timeout=60,
                                      check=True, text=True).stdout
            self.assertIn("--map 'step=step,step_time=iter_ms:ms'", text)
            self.assertEqual("epoch=epoch,epoch_steps=N" in text, told)

    def test_a_proposal_that_is_pasted_reads_the_log(self):
        text = "rank 3 | global step=%d | fwd 12.5ms bwd 25.25ms then comm 3.5ms | lr 1e-4\n"
        logs = {"a.jsonl": ('{"ts": 17, "global_step": %d, "process_index": 3, "fwd_ms": 12.5, '
                            '"bwd_ms": 25.25, "allreduce_us": 3500, "opt_ms": 5, "gc_ms": 900, '
                            '"eval_time": 70, "loss": 2.5}\n', 3, 0.04625),
                "a b.log": (text, 3, 0.04125),
                "--q'uote.log": (text, 3, 0.04125),
                "dict.log": ("{'loss': 2.5, 'step': %d, 'step_time': 0.25}\n", None, 0.25),
                "commas.log": ("loss: 2.5, step: %d, step_time: 0.25, lr: 1\n", None, 0.25),
                "keras.log": ("Step %d/900 - 2s 15ms/step - loss: 2.5\n", None, 0.015),
                "wandb.jsonl": ('{"_step": %d, "_runtime": 17.5, "_timestamp": 1762000000.5, '
                                '"loss": 2.5, "perf/step_time": 0.25}\n', None, 0.25),
                "verl.log": ("step:%d - timing_s/gen:9.5 - timing_s/step:12.5 - "
                             "timing_per_token_ms/gen:0.5 - perf/throughput:18.5\n", None, 12.5)}
        with tempfile.TemporaryDirectory() as folder:
            for name, (line, rank, seconds) in logs.items():
                with open(os.path.join(folder, name), "w", encoding="utf-8") as log:
                    log.writelines(line % step for step in range(1, 31))
                told = subprocess.run([PROGRAM, "explain", "--", name], cwd=folder, timeout=60,
                                      capture_output=True, check=True, text=True).stdout
                pasted = re.search(r"^  lockstep explain (.*)$", told, re.M)
                self.assertTrue(pasted, told)
                got = subprocess.run(f'"$LOCKSTEP" report --json {pasted.group(1)}', cwd=folder,
                                     shell=True, capture_output=True, timeout=60, check=True,
                                     env={**os.environ, "LOCKSTEP": PROGRAM}).stdout
                got = json.loads(got)
                self.assertEqual(got["steps"]["complete"], 30, name)
                self.assertAlmostEqual(got["step_time_s"]["median"], seconds, 6, name)
                self.assertEqual(got["run"]["scope"] == "job", rank is None, name)

    def test_explain_says_what_is_no_log_and_what_a_log_without_steps_needs(self):
        cases = {b"\x7fELF\x02\x01\x00\x00" * 40: b"It is no text", b"\0" * 999: b"It is no text",
                 b"\0" * 99999 + b"step 1 took 5 ms\n" * 9 + b"\0" * 500 + b"step 2 took 5 ms\n" * 9:
                     b"--pattern 'step {step} took {step_time:ms}",
                 b'{\n  "global_step": 100,\n  "log_history": []\n}\n': b"It is one JSON document",
                 b"{'loss': 1.5, 'epoch': 0.1}\n{'train_runtime': 12.5, 'epoch': 1.0}\n":
                     b"No record came of it. HF Trainer, tqdm needs the bar"}
        for log, words in cases.items():
            self.assertIn(words, self.run_program("explain", "-", stdin=log).stdout)

    def test_steps_of_epochs_are_proposed_as_such(self):
        log = "".join(f"05/11 12:00:00 - mmengine - \x1b[4mINFO\x1b[0m - Epoch(train)   [{epoch}][{step:3}/300]  "
                      f"lr: 1.0e-03  eta: 1:23:45  time: 0.2{epoch}  memory: 9\n"
                      for epoch in (1, 2, 3) for step in (50, 100, 150, 200, 250, 300))
        log = "    hook = dict(type='Hook', priority=50)\n" * 900 + log  # more settings than a sample holds
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "train.log")
            with open(path, "w", encoding="utf-8") as file:
                file.write(log)
            told = self.run_program("explain", path).stdout.decode()
            pattern = re.search(r"--pattern '([^']*)'", told).group(1)
            got = json.loads(self.run_program("report", "--json", "--pattern", pattern, path).stdout)
            self.assertEqual((got["steps"]["complete"], got["step_time_s"]["median"]), (18, 0.22))
            self.assertEqual([each for each in got["verdicts"] if each["kind"] == "restart"], [])

    def test_no_clock_and_no_stamp_is_proposed_as_the_time_of_a_step(self):
        clocks = ('step %d loss 2.5 elapsed %ds\n', '{"iteration": %d, "elapsed_s": %d}\n', '{"step": %d, "wall_time": %d}\n',
                  '{"step": %d, "loss": 2.5, "time": 17620000%02d.5}\n', '{"step": %d, "timestamp": 1e4%02d}\n')
        for clock in clocks:
            said = self.run_program("explain", "-", stdin="".join(
                clock % (step, 10 + 2 * step) for step in range(9)).encode()).stdout
            self.assertIn(b"No line was found that has a step and a time.", said)
        table = b'\xef\xbb\xbf"step","wall time","time_s"\r\n' + b'"1","1762000000","1,234.5"\r\n' * 9
        self.assertIn(b"--map 'step=step,end=wall time,step_time=time_s'",
                      self.run_program("explain", "-", stdin=table).stdout)

    def test_keys_of_a_map_that_are_nowhere_are_told_once_and_are_no_damage(self):
        mapped = ["--map", "rank=r,step=s,forward=fwd,backward=bwx,sync=syx,step_time=t"]
        with tempfile.TemporaryDirectory() as folder:
            for rank, key in enumerate(("fwd", "bwx")):  # of all files: what any of them lacks
                with open(os.path.join(folder, f"rank{rank}.jsonl"), "w", encoding="utf-8") as log:
                    log.writelines(f'{{"r": {rank}, "s": {step}, "{key}": 0.5, "t": 1}}\n' for step in range(1, 41))
            got = json.loads(self.run_program("report", "--json", *mapped, folder).stdout)
            self.assertEqual(got["source"]["damaged"], 0)
            self.assertEqual(got["complaints"], [])
            told = got["logs"][0]
            self.assertEqual(told["counts"]["unmapped"], 2)
            words = "keys of the map without a value in a log or table at least: 'fwd', 'bwx', 'syx'"
            self.assertEqual(told["examples"]["unmapped"], words)
            self.assertIn(words.encode(), self.run_program("report", *mapped, folder).stdout)

    def test_the_readme_names_every_format(self):
        with open(os.path.join(HERE, "..", "README.md"), encoding="utf-8") as readme:
            named = set(re.findall(r"^\| `([\w-]+)` \|", readme.read(), re.M))
        formats = json.loads(self.run_program("explain", "--json").stdout)["formats"]
        self.assertGreater(len(formats), 20)
        for one in formats:
            self.assertIn(one["name"], named)
            self.assertTrue(one["title"] and one["tells"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
