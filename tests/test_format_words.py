"""What is said of the formats: every one has a row in README.md, samples, and two lines that can be
pasted as they stand; every sample has its line in samples/formats/README.md.

The program is named by LOCKSTEP_PROGRAM."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ["LOCKSTEP_PROGRAM"]
ROOT = pathlib.Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "samples" / "formats"
EMIT = ROOT / "samples" / "emit"


def formats():
    done = subprocess.run([PROGRAM, "explain", "--json"], capture_output=True, timeout=60, check=True)
    return json.loads(done.stdout)["formats"]


def cases():
    return {str(path.relative_to(SAMPLES)) for path in SAMPLES.glob("*/*")}


def rows(text):
    """What stands in backquotes at the beginning of the rows of tables."""
    return re.findall(r"^\| `([^`]+)` \|", text, re.M)


def environment():
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NCCL_")}
    return {**kept, "PYTHONPATH": str(EMIT), "PYTHONDONTWRITEBYTECODE": "1"}


class Words(unittest.TestCase):
    def test_every_format_says_what_it_needs_tells_and_lacks(self):
        names = [known["name"] for known in formats()]
        self.assertEqual(len(set(names)), len(names))
        self.assertGreater(len(names), 20)
        for known in formats():
            for key in ("title", "needs", "tells"):
                self.assertTrue(known[key], (known["name"], key))
            self.assertEqual(len(known["how"]), 2 if known["lacks"] else 0, known["name"])
            for words in (known["needs"], known["tells"], known["lacks"] or ""):
                self.assertNotRegex(words, r"  |^\s|\s$|\.$", known["name"])

    def test_the_table_of_the_readme_has_every_format_once(self):
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        self.assertLessEqual(len(text.splitlines()), 300)
        table = text.split("| format | needs |")[1].split("\n\n")[0]
        self.assertEqual(sorted(rows(table)), sorted(["lockstep", *(k["name"] for k in formats())]))

    def test_every_format_has_samples_and_every_sample_a_line_and_its_golden(self):
        logs = {case for case in cases() if not case.endswith(".records")}
        text = (SAMPLES / "README.md").read_text(encoding="utf-8")
        self.assertEqual(sorted(rows(text)), sorted(logs))
        self.assertEqual({case + ".records" for case in logs}, cases() - logs)
        self.assertEqual({case.split("/")[0] for case in logs}, {k["name"] for k in formats()})
        for case in logs:
            self.assertLess((SAMPLES / case).stat().st_size, 6000, case)


    def test_every_format_is_fuzzed(self):
        text = (ROOT / "tests" / "fuzz" / "meson.build").read_text(encoding="utf-8")
        fuzzed = re.findall(r"'([^']+)'", text.split("\nformats = [")[1].split("]")[0])
        self.assertEqual(sorted(fuzzed), sorted(k["name"] for k in formats()))


class HowTo(unittest.TestCase):
    def lines(self, kind):
        found = {tuple(k["how"]) for k in formats() if k["how"] and k["how"][0].startswith(kind)}
        self.assertTrue(found, kind)
        return found

    def test_the_lines_of_nccl_inspector_run_in_a_shell_and_switch_on_all_that_is_needed(self):
        for lines in self.lines("export "):
            done = subprocess.run(["sh", "-euc", "\n".join(lines) + "\nenv"], capture_output=True,
                                  env=environment(), text=True, check=True)
            self.assertEqual(done.stderr, "")
            got = dict(re.findall(r"^(NCCL_\w+)=(.*)$", done.stdout, re.M))
            self.assertEqual(got.pop("NCCL_PROFILER_PLUGIN"), "libnccl-profiler-inspector.so")
            # NCCL 2.28 keeps one call of a communicator from dump to dump; later there is no dump
            # unless an interval is given.
            self.assertEqual(got.pop("NCCL_INSPECTOR_DUMP_THREAD_INTERVAL_MICROSECONDS"), "500")
            self.assertEqual(got, {"NCCL_INSPECTOR_ENABLE": "1", "NCCL_INSPECTOR_DUMP_VERBOSE": "1",
                                   "NCCL_INSPECTOR_DUMP_DIR": "inspector",
                                   "NCCL_INSPECTOR_DUMP_MIN_SIZE_BYTES": "0"})

    def test_the_lines_of_python_run_and_give_records_of_the_rank(self):
        for lines in self.lines("import lockstep"):
            phase = re.search(r"with lockstep\.phase\(\"\w+\"\):", lines[1]).group(0)
            program = "loader = range(1, 4)\n" + "\n".join(lines) + f"\n    {phase}\n        pass\n"
            with tempfile.TemporaryDirectory() as logs:
                subprocess.run([sys.executable, "-W", "error", "-c", program], check=True,
                               timeout=60, env={**environment(), "RANK": "2", "LOCKSTEP": logs})
                done = subprocess.run([PROGRAM, "report", "--json", logs], capture_output=True,
                                      timeout=60, check=True)
            told = json.loads(done.stdout)
            self.assertEqual([rank["rank"] for rank in told["per_rank"]], [2])
            self.assertEqual(told["steps"]["complete"], 3)

    def test_what_explains_a_log_and_what_lists_the_formats_say_the_same(self):
        path = SAMPLES / "metriclogger" / "imagenet.log"
        done = subprocess.run([PROGRAM, "explain", "--json", path], capture_output=True, timeout=60,
                              check=True)
        log = json.loads(done.stdout)["logs"][0]
        known = next(k for k in formats() if k["name"] == "metriclogger")
        self.assertEqual((log["lacks"], log["how"]), (known["lacks"], known["how"]))

    def test_the_lines_of_megatron_are_its_own_flags(self):
        flags = {"--log-interval": "1", "--timing-log-level": "2", "--timing-log-option": "all",
                 "--no-barrier-with-level-1-timing": None}
        for lines in self.lines("--log-interval"):
            words = " ".join(line.split("  #")[0] for line in lines).split()
            got = {word: None for word in words if word.startswith("--")}
            for before, word in zip(words, words[1:]):
                if not word.startswith("--"):
                    got[before] = word
            self.assertEqual(got, flags)


if __name__ == "__main__":
    unittest.main()
