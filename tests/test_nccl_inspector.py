"""NCCL Inspector's files of a simulated job: who is named, and how long the others waited,
against what is true of the job.

The program is named by LOCKSTEP_PROGRAM."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import nccl_inspector_job as job  # noqa: E402

PROGRAM = os.environ["LOCKSTEP_PROGRAM"]
STEPS = 200
LOST = {(60, 3), (61, 3), (130, 7)}


class Inspector(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.job = job.Job(STEPS, LOST)
        with tempfile.TemporaryDirectory() as folder:
            for rank, lines in cls.job.lines.items():
                name = f"node{rank // 4}-pid{4000 + rank}.log"
                with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                    file.write("\n".join(lines) + "\n")
            done = subprocess.run([PROGRAM, "report", "--json", folder], capture_output=True,
                                  timeout=60, check=True)
        cls.report = json.loads(done.stdout)

    def test_the_slow_rank_is_named_and_no_other(self):
        named = [verdict["rank"] for verdict in self.report["verdicts"]
                 if verdict["kind"] == "straggler"]
        self.assertEqual(named, [job.SLOW])

    def test_all_ranks_are_there_and_what_is_lost_is_counted(self):
        log, = [log for log in self.report["logs"] if log["name"] == "nccl-inspector"]
        self.assertEqual(self.report["source"]["records"], STEPS * job.RANKS - len(LOST))
        self.assertEqual(log["counts"]["without_pair"], len(LOST))
        self.assertEqual(log["damaged"], 0)

    def test_waits_are_the_times_from_own_to_last_arrival(self):
        for rank in self.report["per_rank"]:
            waits = self.job.waits[rank["rank"]]
            true = sum(waits) / len(waits) / 1e6
            # The few that are waited in the AllGather between come to it.
            self.assertAlmostEqual(rank["wait_mean_s"], true, delta=true * 0.03 + 40e-6)
            self.assertEqual(rank["arrived_last"] > 0, rank["rank"] == job.SLOW)


if __name__ == "__main__":
    unittest.main()
