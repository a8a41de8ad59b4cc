"""What `watch --record` writes is what came: reports of both are equal, whatever ends it."""

import fcntl
import os
import pathlib
import pty
import re
import resource
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import time
import unittest

PROGRAM = os.environ["LOCKSTEP_PROGRAM"]
SAMPLES = pathlib.Path(os.environ["LOCKSTEP_TESTS"]).parent / "samples" / "ddp8"


def run(*arguments, stdin=b"", status=0):
    done = subprocess.run([PROGRAM, *arguments], input=stdin, capture_output=True, timeout=60)
    assert done.returncode == status, (arguments, done.returncode, done.stderr)
    return done


def figures(*arguments, stdin=b""):
    """A report but for the length of what was read: numbers are written in other ways."""
    return re.sub(rb'"bytes": *\d+', b"", run("report", "--json", *arguments, stdin=stdin).stdout)


def lines_of(folder):
    """All records of a folder, step by step, as a pipe would bring them."""
    lines = []
    for path in sorted(folder.glob("*.jsonl")):
        lines += [line for line in path.read_bytes().splitlines(keepends=True)]
    return sorted(lines, key=lambda line: int(re.search(rb'"step": *(\d+)', line)[1]))


def wait_for(what, seconds=20):
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.02)


class Screen:
    """The program on a terminal of its own."""

    def __init__(self, *arguments, stdin=subprocess.DEVNULL, before=None):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 160, 0, 0))
        environment = dict(os.environ, TERM="xterm-256color")

        def prepare():
            os.setsid()
            fcntl.ioctl(1, termios.TIOCSCTTY, 0)
            if before:
                before()

        self.process = subprocess.Popen([PROGRAM, *arguments], stdin=stdin, stdout=slave,
                                        stderr=slave, env=environment, preexec_fn=prepare)
        os.close(slave)
        self.text = b""

    def shows(self, wanted, seconds=20):
        end = time.monotonic() + seconds
        while wanted not in self.text and time.monotonic() < end:
            if select.select([self.master], [], [], 0.1)[0]:
                try:
                    self.text += os.read(self.master, 65536)
                except OSError:
                    break
        return wanted in self.text

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.master)


class Record(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lockstep-record-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return str(self.folder / name)

    def test_report_over_the_recording_is_report_over_the_source(self):
        for sample in sorted(p for p in SAMPLES.iterdir() if p.is_dir()):
            came = b"".join(lines_of(sample))
            self.assertTrue(came, sample)
            expected = figures("-", stdin=came)
            for ending in ("jsonl", "jsonl.zst"):
                path = self.path(f"{sample.name}.{ending}")
                run("watch", "--record", path, "-", stdin=came)
                got = figures(path)
                self.assertEqual(got, expected, path)

    def test_a_second_recording_goes_on_behind_the_first(self):
        lines = lines_of(SAMPLES / "slow5")
        expected = figures("-", stdin=b"".join(lines))
        half = len(lines) // 2
        for name in ("half.jsonl", "half.jsonl.zst"):
            for part in (lines[:half], lines[half:]):
                run("watch", "--record", self.path(name), "-", stdin=b"".join(part))
            self.assertEqual(figures(self.path(name)), expected)

    def test_a_killed_program_leaves_a_file_that_is_read(self):
        lines = lines_of(SAMPLES / "slow5")
        for name in ("killed.jsonl", "killed.jsonl.zst"):
            path = self.path(name)
            program = subprocess.Popen([PROGRAM, "watch", "--record", path, "-"],
                                       stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
            program.stdin.write(b"".join(lines[:600]))
            program.stdin.flush()
            wait_for(lambda: os.path.exists(path) and os.path.getsize(path) > 0)
            before = os.path.getsize(path)
            program.stdin.write(b"".join(lines[600:800]))
            program.stdin.flush()
            wait_for(lambda: os.path.getsize(path) > before)
            program.kill()
            program.wait()
            program.stdin.close()
            got = run("report", "--json", path).stdout
            self.assertIn(b'"damaged": 0', got.replace(b'":0', b'": 0'))
            records = int(re.search(rb'"records": *(\d+)', got)[1])
            self.assertGreaterEqual(records, 600)
            self.assertLessEqual(records, 800)

    def test_the_screen_says_what_is_recorded(self):
        read, write = os.pipe()
        screen = Screen("watch", "--record", self.path("seen.jsonl"), "-", stdin=read)
        self.addCleanup(screen.close)
        os.write(write, b"".join(lines_of(SAMPLES / "slow5")[:160]))
        self.assertTrue(screen.shows(b"recording "))
        screen.process.send_signal(signal.SIGTERM)
        self.assertEqual(screen.process.wait(20), -signal.SIGTERM)
        self.assertEqual(len((self.folder / "seen.jsonl").read_bytes().splitlines()), 160)
        os.close(read)
        os.close(write)

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_a_full_disk_is_said_on_the_screen_and_at_the_end(self):
        read, write = os.pipe()
        screen = Screen("watch", "--record", "/dev/full", "-", stdin=read)
        self.addCleanup(screen.close)
        os.write(write, b"".join(lines_of(SAMPLES / "slow5")[:160]))
        self.assertTrue(screen.shows(b"no space left on device"), screen.text[-3000:])
        os.write(screen.master, b"q")
        self.assertTrue(screen.shows(b"not all records are in it"))
        self.assertEqual(screen.process.wait(20), 1)
        os.close(read)
        os.close(write)

    def test_what_is_not_in_the_file_is_counted(self):
        path = self.path("small.jsonl")
        lines = lines_of(SAMPLES / "slow5")[:160]
        done = subprocess.run(
            [PROGRAM, "watch", "--record", path, "-"], input=b"".join(lines), capture_output=True,
            timeout=60, check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000)))
        self.assertEqual(done.returncode, 1)
        with open(path, "rb") as file:
            whole = file.read().count(b"\n")
        self.assertGreater(whole, 0)
        self.assertIn(f"{160 - whole} of 160 are missing".encode(), done.stderr)

    def test_what_cannot_be_is_refused(self):
        path = self.path("own.jsonl")
        shutil.copy(next((SAMPLES / "slow5").glob("*.jsonl")), path)
        for arguments, status, says in (
                ((path,), 2, b"on the disk already"),
                ((str(self.folder), "-"), 2, b"read again as a part of"),
                ((self.path("*.jsonl"), "-"), 2, b"read again as a part of")):
            target = self.path("x.jsonl") if len(arguments) > 1 else self.path("x.rec")
            done = run("watch", "--record", target, *arguments, status=status)
            self.assertIn(says, done.stderr)
            self.assertFalse(os.path.exists(target))
        with open(path, "rb") as own:
            done = subprocess.run([PROGRAM, "watch", "--record", path, "-"], stdin=own,
                                  capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"standard input", done.stderr)


class Runs(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lockstep-runs-"))
        self.addCleanup(shutil.rmtree, self.folder)
        for name in ("balanced", "slow5"):
            for path in (SAMPLES / name).glob("*.jsonl"):
                shutil.copy(path, self.folder / f"{name}-{path.name}")

    def test_two_runs_are_not_read_as_one(self):
        for command in ("report", "replay"):
            done = run(command, str(self.folder), status=2)
            self.assertIn(b"holds two runs: balanced-", done.stderr)
            self.assertIn(b"choose one with --run", done.stderr)
            self.assertEqual(done.stdout, b"")

    def test_a_run_that_is_chosen_is_as_if_it_were_alone(self):
        for name in ("balanced", "slow5"):
            alone = self.folder / name
            alone.mkdir()
            for path in self.folder.glob(f"{name}-*"):
                shutil.copy(path, alone)
            expected = run("report", "--json", str(alone)).stdout
            self.assertEqual(run("report", "--json", "--run", name, str(self.folder)).stdout,
                             expected)
            self.assertEqual(run("report", "--json", "--run", f"{name}-*",
                                 str(self.folder)).stdout, expected)

    def test_what_names_no_run_is_said(self):
        done = run("report", "--run", "other", str(self.folder), status=2)
        self.assertIn(b"no log in", done.stderr)
        done = run("report", "--run", "other", "-", status=2)
        self.assertIn(b"no such file", done.stderr)

    def test_watch_says_it_and_goes_on(self):
        program = subprocess.Popen([PROGRAM, "watch", str(self.folder)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        line = program.stderr.readline()
        shown = program.stdout.readline()
        program.kill()
        program.communicate()
        self.assertIn(b"holds two runs", line)
        self.assertIn(b"step", shown)


if __name__ == "__main__":
    unittest.main()
