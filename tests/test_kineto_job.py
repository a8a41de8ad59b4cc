"""Kineto's traces of a simulated job, a file a rank, as different writers put them: who is
named and how long the others waited, against what is true of the job.

The program is named by LOCKSTEP_PROGRAM."""
import gzip
import json
import os
import random
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["LOCKSTEP_PROGRAM"]
RANKS, STEPS, SLOW = 4, 24, 2
ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
ODD = {"note": "a \"quoted } ] \\ { thing\\\"", "occupancy": float("nan"), "x": float("inf"),
       "inner": [{"ph": "X", "name": "ProfilerStep#99", "ts": 5, "dur": 6}, []]}


class Job:
    """spans[rank] are (name, category, thread, begin, length) in us; waits[rank] in us."""

    def __init__(self, exchange=ALL_REDUCE, category="kernel"):
        chance = random.Random(5)
        self.spans, self.waits = [[] for _ in range(RANKS)], [[] for _ in range(RANKS)]
        self.steps, begin = [], 0.0
        for step in range(STEPS):
            work = [round(chance.uniform(9900, 10100) * (1.3 if rank == SLOW else 1), 3)
                    for rank in range(RANKS)]
            release = begin + max(work) + 800
            for rank in range(RANKS):
                came = begin + work[rank]
                self.waits[rank].append(max(work) - work[rank])
                self.spans[rank] += [
                    ("gemm", category, 7, begin, work[rank]),
                    (exchange, category, 20, begin + 1000, 2000),  # behind the gemm
                    (exchange, category, 20, came, release - came),
                    (exchange, category, 24, came + 10, release - came - 10),
                    (f"ProfilerStep#{step + 5}", "user_annotation", 1, begin, release - begin)]
            self.steps.append(release - begin)
            begin = release

    def document(self, rank, number=lambda us: round(us, 3), twice=False, late=False,
                 known=True, base_ns=0):
        clock = 1.6e15 + 900 * rank - base_ns / 1e3
        events = []
        for name, category, thread, begin, length in self.spans[rank]:
            event = {"ph": "X", "cat": category, "name": name, "pid": 9, "tid": thread,
                     "ts": number(clock + begin), "dur": number(length), "args": ODD}
            events.append(event)
            if twice and category == "user_annotation":
                events.append(dict(event, tid=2))
        rest = {"distributedInfo": {"backend": "nccl", "rank": rank, "world_size": RANKS,
                                    "pg_config": [{"pg_name": "0", "rank": 77}]}} if known else {}
        rest |= {"baseTimeNanoseconds": base_ns} if base_ns else {}
        rest |= {"deviceProperties": [{"id": 0, "name": "H100"}]}
        return {"traceEvents": events} | rest if late else rest | {"traceEvents": events}


def report(job, name="node1_{pid}.{stamp}.pt.trace.json", indent=None, **how):
    with tempfile.TemporaryDirectory() as folder:
        for rank in range(RANKS):
            path = os.path.join(folder, name.format(rank=rank + 34, pid=4000 + rank,
                                                    stamp=1600000000000 + rank))
            text = json.dumps(job.document(rank, **how), indent=indent).encode()
            with open(path, "wb") as file:
                file.write(gzip.compress(text, 1) if name.endswith(".gz") else text)
        done = subprocess.run([PROGRAM, "report", "--json", folder], capture_output=True,
                              timeout=60, check=True)
    return json.loads(done.stdout)


class Kineto(unittest.TestCase):
    def check(self, is_, job, first=0):
        self.assertEqual(is_["source"]["records"], RANKS * STEPS)
        median = sorted(job.steps)[STEPS // 2 - 1:STEPS // 2 + 1]
        self.assertAlmostEqual(is_["step_time_s"]["median"], sum(median) / 2e6, delta=2e-6)
        self.assertEqual([v["rank"] for v in is_["verdicts"] if v["kind"] == "straggler"],
                         [SLOW + first])
        for rank in is_["per_rank"]:
            waits = job.waits[rank["rank"] - first]
            self.assertAlmostEqual(rank["wait_mean_s"], sum(waits) / len(waits) / 1e6, delta=2e-6)
        log, = is_["logs"]
        self.assertEqual(log["lines"], RANKS * STEPS * 5 + log["counts"]["doubled"])
        self.assertEqual(log["damaged"], 0)

    def test_times_are_right_in_whatever_form(self):
        job = Job()
        for how in ({}, {"indent": 2}, {"number": lambda us: f"{us:.3f}"}, {"late": True},
                    {"twice": True}, {"base_ns": 1503 * 10**15},
                    {"name": "node1_{pid}.{stamp}.pt.trace.json.gz"}):
            with self.subTest(how=how):
                self.check(report(job, **how), job)

    def test_the_name_of_a_file_gives_the_rank(self):
        job = Job()
        self.check(report(job, "rank-{rank}.Mar_27.pt.trace.json", known=False), job, 34)

    def test_other_libraries_and_devices(self):
        for exchange, category in (("ncclDevKernel_Generic(ncclDevComm*)", "kernel"),
                                   ("hcom_allReduce_", "kernel"),
                                   ("void rcclGenericKernel<1, false>()", "Kernel"),
                                   ("oneccl_allreduce_medium", "xpu_kernel")):
            with self.subTest(exchange=exchange):
                job = Job(exchange, category)
                self.check(report(job), job)

    def test_it_is_said_how_many_ranks_are_missing(self):
        job = Job()
        with tempfile.TemporaryDirectory() as folder:
            for rank in (1, SLOW):
                with open(os.path.join(folder, f"rank{rank}.json"), "w", encoding="ascii") as file:
                    json.dump(job.document(rank), file)
            said = [subprocess.run([PROGRAM, command, folder], capture_output=True, timeout=60,
                                   check=True, text=True).stdout
                    for command in ("report", "explain")]
            is_ = json.loads(subprocess.run([PROGRAM, "report", "--json", folder], timeout=60,
                                            capture_output=True, check=True).stdout)
        for text in said:
            self.assertIn("2 of 4 ranks are in these logs", text)
        # What it costs is of all GPUs, and says so beside the figures.
        scaled = "of all 4 GPUs, scaled from 2 of 4 ranks"
        self.assertIn(f"WHERE THE GPU TIME GOES ({scaled})\n", said[0])
        self.assertIn(f"GPU-h, money and kWh are {scaled}:\n  if this were", said[0])
        self.assertEqual((is_["run"]["gpus"], is_["run"]["ranks_of_job"]), (4, 4))
        for scaled in [is_["ledger"], is_["ledger_window"]] + is_["what_if"]:
            self.assertEqual(scaled["scaled_from_ranks"], 2)
        hours = sum(part["gpu_hours"] or 0 for part in is_["ledger"]["parts"])
        self.assertAlmostEqual(hours, 4 * sum(job.steps) / 3.6e9, delta=5e-6)
        self.assertIsNone(report(job)["ledger"]["scaled_from_ranks"])

    def test_without_a_known_exchange_nobody_is_named(self):
        is_ = report(Job("void small_reduction_kernel()"))
        self.assertEqual([v["kind"] for v in is_["verdicts"]], ["cannot_tell"])
        self.assertIsNone(is_["wait"]["mean_s"])
        self.assertEqual(is_["logs"][0]["counts"]["without_pair"], RANKS)


if __name__ == "__main__":
    unittest.main()
