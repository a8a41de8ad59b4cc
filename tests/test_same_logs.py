"""A log of another format comes to the same figures by every way into the program: watched as a
file that grows in torn pieces, through a pipe, recorded and replayed, replayed, reported, alone
and with other things in one folder.

The program is named by LOCKSTEP_PROGRAM."""
import gzip
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
import unittest

PROGRAM = os.environ["LOCKSTEP_PROGRAM"]
STEPS = 30


def megatron(step, ms):
    return (f" [2026-05-11 02:{10 + step // 60:02}:{step % 60:02}.145289] iteration {step:8}/     100 "
            f"| consumed samples: {step * 256:12} | elapsed time per iteration (ms): {ms:.1f} | "
            "throughput per GPU (TFLOP/s/GPU): 239.5 | learning rate: 1.0E-04 | global batch size: "
            "  256 | lm loss: 1.0E+01 | loss scale: 1.0 | grad norm: 1.0 |")


def megatron_log():
    """Labels, colour, CRLF, noise, and a step that another process has torn."""
    lines = [f"  setting_{i} ............ {i}" for i in range(40)]
    for step in range(1, STEPS + 1):
        lines.append("127: " + megatron(step, 900 + 7 * (step % 5)))
        lines.append("\x1b[32mINFO\x1b[0m saved nothing")
        if step == 11:
            lines.append("127: " + megatron(12, 907)[:100] + "Token out of vocabulary")
    return "\r\n".join(lines) + "\r\n"


def llmc_log():
    return "".join(f"step {step:4}/{STEPS} | loss 11.010252 (+nanz)| norm 15.1374 (+nanz)| "
                   f"lr 8.57e-07 | {4000 + 10 * (step % 7):.2f} ms | 29.2% bf16 MFU | 113446 tok/s\n"
                   for step in range(1, STEPS + 1))


def own_record(step):
    return json.dumps({"rank": 0, "step": step, "t": 1778464800 + step, "step_time": 0.9}) + "\n"


def run(*arguments, stdin=None, status=0):
    done = subprocess.run([PROGRAM, *map(str, arguments)], input=stdin, capture_output=True,
                          timeout=60, check=False)
    if done.returncode != status:
        raise AssertionError(f"{arguments}: exit {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode()


def figures(*source, stdin=None):
    """Of a report, what does not depend on how many bytes were read, or from where."""
    report = json.loads(run("report", "--json", *source, stdin=stdin))
    counts = {key: report["source"][key] for key in ("records", "duplicate")}
    return [counts, report["steps"], report["step_time_s"], report["mfu"]]


class SameLogs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="lockstep-logs-")
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        data = text.encode()
        with open(path, "wb") as out:
            out.write(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    def watch_growing(self, text, expected):
        """The lines of a watch of a file that grows in torn pieces."""
        path = os.path.join(self.folder, "grows.log")
        data, at, piece = text.encode(), 0, 1
        with open(path, "wb") as out, subprocess.Popen(
                [PROGRAM, "watch", path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                encoding="utf-8") as program:
            limit = threading.Timer(30, program.kill)
            limit.start()
            while at < len(data):
                out.write(data[at:at + piece])
                out.flush()
                at += piece
                piece = piece * 3 % 997 + 1
                time.sleep(0.004)
            lines = [program.stdout.readline() for _ in range(expected)]
            program.terminate()
            program.stdout.read()
            limit.cancel()
        return "".join(lines)

    def check(self, text):
        path = self.write("train.log", text)
        packed = self.write("packed/train.log.gz", text)
        lines = run("replay", path)
        count = lines.count("\n")
        self.assertEqual(count, STEPS)
        self.assertEqual(run("replay", packed), lines)
        self.assertEqual(run("watch", "-", stdin=text.encode()), lines)
        closed = "".join(lines.splitlines(True)[:-2]) # the last ones may still be reported
        self.assertEqual(self.watch_growing(text, count - 2), closed)
        known = figures(path)
        self.assertEqual(known[0]["records"], STEPS)
        self.assertEqual(figures(packed), known)
        self.assertEqual(figures("-", stdin=text.encode()), known)
        recording = os.path.join(self.folder, "recorded.jsonl")
        run("watch", "--record", recording, "-", stdin=text.encode())
        self.assertEqual(run("replay", recording), lines)
        self.assertEqual(figures(recording), known)
        place = run("replay", "--at", 17, path).splitlines()
        self.assertEqual(place, lines.splitlines()[16:])

    def test_megatron(self):
        self.check(megatron_log())

    def test_llmc(self):
        self.check(llmc_log())

    def test_our_own_records_before_a_log(self):
        text = "".join(map(own_record, range(1, 9)))
        text += "".join(megatron(step, 900) + "\n" for step in range(9, STEPS + 1))
        path = self.write("mixed.log", text)
        lines = run("replay", path)
        # Two steps pass before our own records have ended: they might have come late.
        self.assertEqual(lines.count("\n"), STEPS - 2)
        self.assertEqual(run("watch", "-", stdin=text.encode()), lines)
        self.assertEqual(run("replay", "--at", 5, path).splitlines(), lines.splitlines()[4:])

    def test_each_node_writes_the_log(self):
        self.write("nodes/node0.log", megatron_log())
        self.write("nodes/node1.log", megatron_log())
        found = figures(os.path.join(self.folder, "nodes"))
        self.assertEqual(found[0], {"records": 2 * STEPS, "duplicate": STEPS})
        self.assertEqual(found[1]["complete"], STEPS)

    def test_a_folder_of_several_kinds(self):
        self.write("kinds/train.log", megatron_log())
        self.write("kinds/run.json", '{"name": "job"}')
        self.write("kinds/config.json", '{"hidden_size": 4096, "steps": 3}')
        self.write("kinds/table.csv", "a,b\n1,2\n")
        folder = os.path.join(self.folder, "kinds")
        self.assertEqual(figures(folder)[0]["records"], STEPS)
        alone = subprocess.run([PROGRAM, "replay", folder], capture_output=True, check=True)
        self.assertNotIn(b"several kinds", alone.stderr)
        self.write("kinds/gpu.log", llmc_log())
        both = subprocess.run([PROGRAM, "replay", folder], capture_output=True, check=False)
        self.assertRegex(both.stderr.decode(), "several kinds|holds two runs")

    def test_records_in_a_json_file(self):
        self.write("json/rank.json", "".join(map(own_record, range(1, STEPS + 1))))
        folder = os.path.join(self.folder, "json")
        self.assertEqual(figures(folder)[0]["records"], STEPS)
        self.write("none/config.json", '{"hidden_size": 4096}')
        done = subprocess.run([PROGRAM, "replay", os.path.join(self.folder, "none")],
                              capture_output=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertTrue(re.search("no file in it", done.stderr.decode()))


if __name__ == "__main__":
    unittest.main()
