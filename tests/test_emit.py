"""samples/emit/lockstep.py: what it writes can be read, and it never harms the training."""

import importlib.util
import json
import os
import pathlib
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import time
import types
import unittest

EMIT = pathlib.Path(__file__).resolve().parent.parent / "samples" / "emit"
CHILD = {**os.environ, "PYTHONPATH": str(EMIT), "PYTHONDONTWRITEBYTECODE": "1"}
sys.dont_write_bytecode = True


def load():
    spec = importlib.util.spec_from_file_location("lockstep", EMIT / "lockstep.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class FakeEvent:
    """A CUDA event that has happened when `now` has passed it."""

    now = 0.0
    done = False

    def __init__(self, enable_timing):
        self.at = None

    def record(self):
        self.at = FakeEvent.now

    def query(self):
        return FakeEvent.done

    def elapsed_time(self, end):
        return (end.at - self.at) * 1000.0


class Emit(unittest.TestCase):
    def setUp(self):
        self.lockstep = load()
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.logs = os.path.join(self.folder.name, "logs")

    def records(self, rank=0):
        with open(os.path.join(self.logs, "rank%d.jsonl" % rank), encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]

    def silently(self, body):
        """Runs body with standard error kept; returns what came there."""
        old, sys.stderr = sys.stderr, tempfile.TemporaryFile("w+")
        try:
            body()
            sys.stderr.seek(0)
            return sys.stderr.read()
        finally:
            sys.stderr.close()
            sys.stderr = old

    def test_a_step_with_phases_is_one_line(self):
        writer = self.lockstep.Writer(self.logs, rank=5, group="pp1", host='a"b')
        before = time.time()
        with writer.step(7, tokens=256) as step:
            with step.phase("forward"):
                time.sleep(0.02)
            with step.phase("backward"):
                time.sleep(0.01)
                with step.phase("sync"):
                    time.sleep(0.03)
        writer.close()
        (record,) = self.records(5)
        self.assertEqual((record["rank"], record["step"], record["tokens"]), (5, 7, 256))
        self.assertEqual((record["host"], record["group"]), ('a"b', "pp1"))
        self.assertTrue(before - 0.001 <= record["t"] <= time.time())
        self.assertGreaterEqual(record["forward"], 0.02)
        self.assertGreaterEqual(record["sync"], 0.03)
        self.assertTrue(0.01 <= record["backward"] < record["backward"] + record["sync"])
        self.assertNotIn("step_time", record)
        self.assertEqual((writer.errors, writer.dropped), (0, 0))

    def test_phases_that_repeat_add_up(self):
        writer = self.lockstep.Writer(self.logs, rank=0)
        with writer.step(0) as step:
            for _ in range(3):
                with step.phase("forward"):
                    time.sleep(0.01)
        writer.close()
        self.assertGreaterEqual(self.records()[0]["forward"], 0.03)

    def test_two_lines_are_enough(self):
        seen = list(self.lockstep.steps(range(3), self.logs))
        self.lockstep._writer.close()
        self.assertEqual(seen, [0, 1, 2])
        self.assertEqual([r["step"] for r in self.records()], [0, 1, 2])
        self.assertTrue(all(r["step_time"] >= 0 and "data" not in r for r in self.records()))

    def test_a_loader_gives_data_time_and_epochs_go_on_counting(self):
        def loader():
            for item in "ab":
                time.sleep(0.01)
                yield item

        for _ in range(2):
            for _ in self.lockstep.steps(loader(), self.logs):
                with self.lockstep.phase("forward"):
                    pass
        self.lockstep._writer.close()
        self.assertEqual([r["step"] for r in self.records()], [0, 1, 2, 3])
        self.assertTrue(all(r["data"] >= 0.01 for r in self.records()))

    def test_an_event_belongs_to_its_step(self):
        self.lockstep.event("checkpoint")  # no step is open: harmless
        for step in self.lockstep.steps(range(3), self.logs):
            if step == 1:
                self.lockstep.event("validation")
        with self.lockstep._writer.step(3, event="checkpoint"):
            pass
        self.lockstep._writer.close()
        self.assertEqual([r.get("event") for r in self.records()],
                         [None, "validation", None, "checkpoint"])

    def test_a_step_that_fails_is_not_written_and_its_exception_passes(self):
        with self.assertRaises(ZeroDivisionError):
            for step in self.lockstep.steps(range(5), self.logs):
                1 // (2 - step)
        for step in self.lockstep.steps(range(10, 15), self.logs):
            if step == 12:
                break
        self.lockstep._writer.close()
        self.assertEqual([r["step"] for r in self.records()], [0, 1, 10, 11])

    def test_nothing_is_raised_when_nothing_can_be_written(self):
        pathlib.Path(self.logs).write_text("a file where the folder should be")
        writers = []

        def train():
            writers.append(self.lockstep.Writer(self.logs, rank=0))
            for number in range(100):
                with writers[0].step(number) as step:
                    with step.phase("forward"):
                        pass
            writers[0].close()

        said = self.silently(train)
        self.assertEqual(writers[0].dropped, 100)
        self.assertGreaterEqual(writers[0].errors, 1)
        self.assertEqual(said.count("\n"), 1, said)
        self.assertIn("training goes on", said)

    def test_a_full_disk_is_said_once(self):
        writers = []

        def train():
            os.mkdir(self.logs)
            os.symlink("/dev/full", os.path.join(self.logs, "rank0.jsonl"))
            writers.append(self.lockstep.Writer(self.logs, rank=0))
            with writers[0].step(0):
                pass
            writers[0].close()

        said = self.silently(train)
        self.assertEqual(writers[0].dropped, 1)
        self.assertIn("No space left", said)

    def test_a_bad_address_is_said_once(self):
        def train():
            writer = self.lockstep.Writer("udp://127.0.0.1:notaport", rank=0)
            for number in range(3):
                with writer.step(number):
                    pass
            writer.close()

        self.assertEqual(self.silently(train).count("\n"), 1)

    def test_an_unknown_phase_is_left_out(self):
        def train():
            writer = self.lockstep.Writer(self.logs, rank=0)
            with writer.step(0) as step:
                with step.phase('rank":9,"x'):
                    pass
                with step.phase("forward"):
                    pass
            writer.close()

        self.assertIn("is not a phase", self.silently(train))
        (record,) = self.records()
        self.assertEqual(record["rank"], 0)
        self.assertIn("forward", record)

    def test_udp_sends_one_record_a_datagram_with_seq(self):
        receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(receiver.close)
        receiver.bind(("127.0.0.1", 0))
        receiver.settimeout(5)
        writer = self.lockstep.Writer("udp://127.0.0.1:%d" % receiver.getsockname()[1], rank=3)
        for number in range(5):
            with writer.step(number):
                pass
        writer.close()
        records = [json.loads(receiver.recv(65536)) for _ in range(5)]
        self.assertEqual([r["seq"] for r in records], [0, 1, 2, 3, 4])
        self.assertEqual({r["rank"] for r in records}, {3})

    def test_a_stuck_reader_does_not_block_the_training(self):
        os.mkdir(self.logs)
        fifo = os.path.join(self.logs, "rank0.jsonl")
        os.mkfifo(fifo)  # opening it for writing waits for a reader that never comes
        self.assertTrue(stat.S_ISFIFO(os.stat(fifo).st_mode))
        self.lockstep.QUEUE_MAX = 100
        self.lockstep.CLOSE_SECONDS = 0.1
        took = []

        def train():
            begin = time.monotonic()
            writer = self.lockstep.Writer(self.logs, rank=0)
            for number in range(3000):
                with writer.step(number):
                    pass
            writer.close()
            took.append(time.monotonic() - begin)
            self.assertGreater(writer.dropped, 0)

        self.silently(train)
        self.assertLess(took[0], 5)
        os.close(os.open(fifo, os.O_RDONLY | os.O_NONBLOCK))  # lets the thread go

    def test_a_rotated_file_is_begun_anew(self):
        writer = self.lockstep.Writer(self.logs, rank=0)
        path = os.path.join(self.logs, "rank0.jsonl")
        with writer.step(0):
            pass
        deadline = time.monotonic() + 5
        while not os.path.exists(path) and time.monotonic() < deadline:
            time.sleep(0.01)
        os.rename(path, path + ".1")
        number = 1
        while not os.path.exists(path) and time.monotonic() < deadline:
            with writer.step(number):
                time.sleep(0.05)
            number += 1
        writer.close()
        self.assertTrue(os.path.exists(path))

    def test_cuda_events_are_read_when_they_have_happened(self):
        cuda = types.SimpleNamespace(is_available=lambda: True, Event=FakeEvent)
        torch = types.SimpleNamespace(cuda=cuda)
        FakeEvent.now, FakeEvent.done = 0.0, False
        old = sys.modules.get("torch")
        sys.modules["torch"] = torch
        try:
            writer = self.lockstep.Writer(self.logs, rank=0)
            for number in range(3):
                with writer.step(number) as step:
                    with step.phase("forward"):
                        FakeEvent.now += 0.25
                    with step.phase("backward"):
                        FakeEvent.now += 0.5
            self.assertEqual(len(writer._pending), 3)
            FakeEvent.done = True
            writer.close()
        finally:
            if old is None:
                del sys.modules["torch"]
            else:
                sys.modules["torch"] = old
        records = self.records()
        self.assertEqual([(r["forward"], r["backward"]) for r in records], [(0.25, 0.5)] * 3)
        self.assertAlmostEqual(records[2]["t"] - records[0]["t"], 1.5, places=5)

    def test_the_rank_comes_from_the_launcher_and_the_end_of_the_program_flushes(self):
        program = "import lockstep\nfor step in lockstep.steps(range(50)): pass\n"
        for name, rank in (("RANK", 3), ("SLURM_PROCID", 4), ("OMPI_COMM_WORLD_RANK", 5)):
            environment = {k: v for k, v in CHILD.items() if not k.endswith("RANK")}
            environment.update({name: str(rank), "LOCKSTEP": self.logs})
            subprocess.run([sys.executable, "-c", program], env=environment, check=True)
            self.assertEqual([r["step"] for r in self.records(rank)], list(range(50)))

    def test_children_of_fork_and_spawn_write_all_they_have(self):
        path = os.path.join(self.folder.name, "job.py")
        pathlib.Path(path).write_text(
            "import lockstep, multiprocessing, sys\n"
            "def work(rank, where):\n"
            "    writer = lockstep.Writer(where, rank=rank)\n"
            "    for number in range(20):\n"
            "        with writer.step(number): pass\n"
            "if __name__ == '__main__':\n"
            "    context = multiprocessing.get_context(sys.argv[1])\n"
            "    jobs = [context.Process(target=work, args=(r, sys.argv[2])) for r in range(2)]\n"
            "    [job.start() for job in jobs]\n"
            "    [job.join() for job in jobs]\n"
        )
        for method in ("fork", "spawn"):
            self.logs = os.path.join(self.folder.name, method)
            subprocess.run([sys.executable, path, method, self.logs], env=CHILD, check=True)
            for rank in range(2):
                self.assertEqual([r["step"] for r in self.records(rank)], list(range(20)))

    def test_a_writer_goes_on_in_a_forked_child(self):
        program = (
            "import lockstep, os, sys\n"
            "writer = lockstep.Writer(sys.argv[1], rank=0)\n"
            "with writer.step(0): pass\n"
            "child = os.fork()\n"
            "with writer.step(1 if child else 2): pass\n"
            "writer.close()\n"
            "if child: os.waitpid(child, 0)\n"
        )
        subprocess.run([sys.executable, "-c", program, self.logs], env=CHILD, check=True)
        self.assertEqual(sorted(r["step"] for r in self.records()), [0, 1, 2])

    def test_a_step_costs_little(self):
        writer = self.lockstep.Writer(self.logs, rank=0)
        begin = time.perf_counter()
        for number in range(2000):
            with writer.step(number) as step:
                with step.phase("forward"):
                    pass
                with step.phase("backward"):
                    pass
        took = time.perf_counter() - begin
        writer.close()
        self.assertLess(took / 2000, 0.002)
        self.assertEqual(len(self.records()) + writer.dropped, 2000)


class Header(unittest.TestCase):
    def compiles(self, compiler, *options):
        if shutil.which(compiler) is None:
            self.skipTest("no " + compiler)
        program = (
            '#include "lockstep.h"\nint main(void) { struct lockstep_writer w;'
            ' lockstep_open(&w, "logs", 0); lockstep_step_begin(&w, 0);'
            ' lockstep_phase(&w, "forward"); lockstep_step_end(&w);'
            " lockstep_close(&w); return 0; }\n"
        )
        strict = ["-Wall", "-Wextra", "-Werror", "-O2", "-S", "-o", os.devnull, "-"]
        command = [compiler, *options, "-I", str(EMIT), *strict]
        done = subprocess.run(command, input=program, text=True, capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_it_is_clean_as_c99(self):
        self.compiles("cc", "-x", "c", "-std=c99", "-pedantic", "-Wshadow", "-Wconversion")

    def test_it_is_clean_as_cpp(self):
        self.compiles("c++", "-x", "c++", "-std=c++11", "-pedantic", "-Wshadow")


if __name__ == "__main__":
    unittest.main()
