"""NCCL Inspector's files of a simulated job: who is named, and how long the others waited,
against what is true of the job.

The program is named by LOCKSTEP_PROGRAM."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import nccl_inspector_job as job  # noqa: E402

PROGRAM = os.environ["LOCKSTEP_PROGRAM"]
STEPS = 200
LOST = {(60, 3), (61, 3), (130, 7)}
BEHIND = {(62, 3), (131, 7)}  # since when is not known: no time of theirs is like the others'


def write(folder, lines):
    """A file of each rank; their paths."""
    paths = []
    for rank, texts in lines.items():
        paths.append(os.path.join(folder, f"node{rank // 4}-pid{4000 + rank}.log"))
        with open(paths[-1], "w", encoding="ascii") as file:
            file.write("\n".join(texts) + "\n")
    return paths


class Inspector(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.job = job.Job(STEPS, LOST)
        with tempfile.TemporaryDirectory() as folder:
            write(folder, cls.job.lines)
            done = subprocess.run([PROGRAM, "report", "--json", folder], capture_output=True,
                                  timeout=60, check=True)
        cls.report = json.loads(done.stdout)

    def test_the_slow_rank_is_named_and_no_other(self):
        named = [verdict["rank"] for verdict in self.report["verdicts"]
                 if verdict["kind"] == "straggler"]
        self.assertEqual(named, [job.SLOW])

    def test_all_ranks_are_there_and_what_is_lost_is_counted(self):
        log, = [log for log in self.report["logs"] if log["name"] == "nccl-inspector"]
        missing = len(LOST) + len(BEHIND)
        self.assertEqual(self.report["source"]["records"], STEPS * job.RANKS - missing)
        self.assertEqual(log["counts"]["without_pair"], missing)
        self.assertEqual(log["damaged"], 0)

    def test_waits_are_the_times_from_own_to_last_arrival(self):
        for rank in self.report["per_rank"]:
            waits = self.job.waits[rank["rank"]]
            true = sum(waits) / len(waits) / 1e6
            # The few that are waited in the AllGather between come to it.
            self.assertAlmostEqual(rank["wait_mean_s"], true, delta=true * 0.03 + 40e-6)
            self.assertEqual(rank["arrived_last"] > 0, rank["rank"] == job.SLOW)


def report(lines, one_by_one=False):
    """The report of these files, by rank, and what was said beside it."""
    with tempfile.TemporaryDirectory() as folder:
        paths = write(folder, lines)
        sources = paths if one_by_one else [folder]
        done = subprocess.run([PROGRAM, "report", "--json", *sources], capture_output=True,
                              timeout=60, check=False, text=True)
    return json.loads(done.stdout), done


def explain(lines):
    """What is said of these files, as one folder and one by one."""
    with tempfile.TemporaryDirectory() as folder:
        paths = write(folder, lines)
        for sources in [folder], paths:
            done = subprocess.run([PROGRAM, "explain", "--json", *sources], capture_output=True,
                                  timeout=60, check=True, text=True)
            yield json.loads(done.stdout)


def counts(is_):
    log, = [log for log in is_["logs"] if log["name"] == "nccl-inspector"]
    return log["counts"]


class Groups(unittest.TestCase):
    STEPS = 45

    def test_a_rank_of_a_group_is_never_that_of_the_job(self):
        for one_by_one in (False, True):
            with self.subTest(one_by_one=one_by_one):
                is_, done = report(job.Groups(self.STEPS, unnamed=one_by_one).lines, one_by_one)
                self.assertEqual(done.returncode, 1)
                self.assertIn("whose rank in the job is not known", done.stderr)
                self.assertEqual(is_["source"]["records"], 0)
                self.assertEqual(counts(is_)["rank_unknown"], self.STEPS * job.RANKS)

    def test_waiting_in_other_groups_is_no_own_time(self):
        true = job.Groups(self.STEPS, world=[1 << 20], slow=5)
        is_, _ = report(true.lines)
        self.assertEqual([v["rank"] for v in is_["verdicts"] if v["kind"] == "straggler"], [5])
        own = [sorted(true.own[step][rank] for step in range(1, self.STEPS))[self.STEPS // 2]
               for rank in range(job.RANKS)]
        median = sorted(own)[job.RANKS // 2]
        for rank in is_["per_rank"]:
            self.assertAlmostEqual(rank["slowdown_median"], own[rank["rank"]] / median, delta=0.01)

    def test_what_no_rank_has_is_not_missing(self):
        true = job.Groups(self.STEPS, world=[4, 1 << 20, 4], least=8192)
        is_, _ = report(true.lines)
        self.assertEqual(is_["source"]["records"], self.STEPS * job.RANKS)
        self.assertEqual(counts(is_)["unrecorded"], 2 * (self.STEPS - 1))
        self.assertEqual(counts(is_)["without_pair"], 0)
        lost = [text for text in true.lines[3] if '"default_pg"' in text][20]
        true.lines[3].remove(lost)
        is_, _ = report(true.lines)
        self.assertEqual(counts(is_)["unrecorded"], 2 * (self.STEPS - 1))
        self.assertEqual(counts(is_)["without_pair"], 1)

    def test_a_communicator_that_was_made_anew_is_followed_from_its_first_call(self):
        for remade in (10, 35):
            is_, _ = report(job.Groups(self.STEPS, world=[1 << 20], remade=remade).lines)
            self.assertEqual(is_["source"]["records"], self.STEPS * job.RANKS)
            self.assertEqual([v["kind"] for v in is_["verdicts"] if v["kind"] == "restart"],
                             ["restart"])

    def test_explain_takes_what_a_report_does(self):
        lines = {rank: [text.replace("default_pg", "DATA_PARALLEL_GROUP") for text in texts]
                 for rank, texts in job.Groups(self.STEPS, world=[1 << 20]).lines.items()}
        is_, _ = report(lines)
        self.assertEqual(is_["source"]["records"], self.STEPS * job.RANKS)
        for explained in explain(lines):
            self.assertEqual(explained["records"], self.STEPS * job.RANKS)

    def test_two_jobs_in_a_folder_are_two_runs(self):
        lines = job.Groups(self.STEPS, world=[1 << 20]).lines
        other = {rank + 100: [text.replace('"id":"0x', '"id":"0x9') for text in texts]
                 for rank, texts in
                 job.Groups(self.STEPS, world=[1 << 20], slow=1, seed=4).lines.items()}
        with self.assertRaises(ValueError):  # nothing was written
            report(lines | other)

    def test_it_is_said_how_many_ranks_are_missing(self):
        lines = job.Groups(self.STEPS, world=[1 << 20]).lines
        is_, _ = report({rank: lines[rank] for rank in (2, 5)})
        log, = is_["logs"]
        self.assertEqual(log["world_size"], job.RANKS)
        self.assertEqual(sorted(rank["rank"] for rank in is_["per_rank"]), [2, 5])

    def test_what_a_file_lacks_is_no_own_time_and_no_wait(self):
        true = job.Sharded(120)
        is_, _ = report(true.lines)
        self.assertEqual(counts(is_)["without_pair"], true.lost)
        for rank in is_["per_rank"]:
            slow = rank["rank"] == job.SLOW
            self.assertEqual(rank["arrived_last"] > 0, slow)
            self.assertAlmostEqual(rank["slowdown_median"], 1.3 if slow else 1, delta=0.01)
            self.assertAlmostEqual(rank["wait_mean_s"], 0 if slow else true.wait, delta=60e-6)

    def test_it_is_explained_as_it_is_reported(self):
        for said in explain(job.Sharded(20).lines):
            log, = said["logs"]
            self.assertEqual(log["records"], 20 * job.RANKS)
            self.assertEqual(log["counts"]["rank_unknown"], 0)

    def test_durations_alone_tell_who_waited_not_who_is_slow(self):
        terse = {rank: [job.terse(text) for text in texts]
                 for rank, texts in job.Sharded(30).lines.items()}
        for said in explain(terse):
            can = {tell["what"]: tell["can"] for tell in said["tells"]}
            self.assertEqual([what for what, yes in can.items() if yes],
                             ["who waits at the barrier, and for whom"])

    def test_calls_that_a_graph_repeats_are_no_restart(self):
        lines = job.Groups(self.STEPS, world=[1 << 20], slow=5).lines
        again = {rank: [re.sub('"coll_sn":([0-9]+)', lambda at: f'"coll_sn":{int(at[1]) % 3}', text)
                        if '"default_pg"' in text else text for text in texts]
                 for rank, texts in lines.items()}
        is_, _ = report(again)
        self.assertEqual(is_["steps"]["attempts"], 1)
        self.assertEqual(is_["source"]["records"], 3 * job.RANKS)
        self.assertEqual(counts(is_)["left_out"], (3 * self.STEPS - 3) * job.RANKS)

    def test_the_processes_of_one_stream_are_told_apart(self):
        lines = job.Groups(self.STEPS, world=[1 << 20], slow=5).lines
        apart, _ = report(lines)
        each = [lines[rank] for rank in sorted(lines)]
        for texts in (sum(each, []), [text for step in zip(*each) for text in step]):
            with tempfile.TemporaryDirectory() as folder:
                name = os.path.join(folder, "all.log")
                with open(name, "w", encoding="ascii") as file:
                    file.write("\n".join(texts) + "\n")
                with open(name, encoding="ascii") as stream:
                    piped = subprocess.run([PROGRAM, "report", "--json", "-"], stdin=stream,
                                           capture_output=True, timeout=60, check=True)
                done = subprocess.run([PROGRAM, "report", "--json", name], capture_output=True,
                                      timeout=60, check=True)
            for is_ in json.loads(piped.stdout), json.loads(done.stdout):
                self.assertEqual(is_["source"]["records"], apart["source"]["records"])
                self.assertEqual(is_["wait"]["mean_s"], apart["wait"]["mean_s"])
                waits = [{rank["rank"]: rank["wait_mean_s"] for rank in one["per_rank"]}
                         for one in (is_, apart)]
                self.assertEqual(*waits)

    def test_the_gpus_of_one_process_are_told_apart(self):
        lines = job.Sharded(60).lines
        apart, _ = report(lines)
        one_pid = {rank: [text.replace(f'"pid":{4000 + rank}', '"pid":7') for text in lines[rank]]
                   for rank in lines}
        nodes = {first: [text for step in zip(*(one_pid[rank] for rank in range(first, first + 4)))
                         for text in step] for first in (0, 4)}
        is_, _ = report(nodes)
        waits = [{rank["rank"]: rank["wait_mean_s"] for rank in one["per_rank"]}
                 for one in (is_, apart)]
        self.assertEqual(*waits)
        self.assertEqual(is_["run"]["ranks_of_job"], job.RANKS)

    def test_lines_without_a_header_between_those_of_others_are_nobodys(self):
        dumped = {rank: [job.marked(text.replace("DATA_PARALLEL_GROUP", "world")) for text in texts]
                  for rank, texts in job.Sharded(20).lines.items()}
        whole, _ = report({0: sum((sum(dumped[rank], []) for rank in dumped), [])})
        self.assertEqual(whole["source"]["records"], 20 * job.RANKS)
        self.assertEqual(whole["source"]["damaged"], 0)
        pairs = [[a[0], b[0], a[1], b[1]] for a, b in zip(dumped[0], dumped[1])]
        mixed, _ = report({0: sum(pairs, []), **{rank: sum(dumped[rank], []) for rank in (2, 3)}})
        self.assertEqual(mixed["source"]["damaged"], 2 * len(pairs))
        self.assertEqual([rank["rank"] for rank in mixed["per_rank"]], [2, 3])


if __name__ == "__main__":
    unittest.main()
