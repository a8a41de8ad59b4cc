"""A job of several ranks as NCCL's Inspector would log it, simulated; with what is true of
it: when each rank came to each collective, and when all were released.

One rank is slow. Every rank is in the communicator of all ranks (AllReduce and, in between,
AllGather) and in one of its pair; some records never get into the files."""
import json
import random

BEGIN_US = 1_752_867_229_000_000
RANKS = 8
SLOW = 5


def line(communicator, name, rank, ranks, function, number, arrival, release, host, pid=None):
    """One record of version 4.0 with NCCL_INSPECTOR_DUMP_VERBOSE=1; two channels."""
    kernels = [{"channel_id": 0, "kernel_start_ts": arrival, "kernel_stop_ts": release - 2,
                "kernel_record_ts": release - 2},
               {"channel_id": 1, "kernel_start_ts": arrival + 3, "kernel_stop_ts": release,
                "kernel_record_ts": release}]
    record = {
        "header": {"id": communicator, "comm_name": name, "rank": rank, "n_ranks": ranks,
                   "nnodes": 2},
        "metadata": {"inspector_output_format_version": "v4.0", "git_rev": "",
                     "rec_mechanism": "nccl_profiler_interface", "dump_timestamp_us": release,
                     "hostname": host, "pid": 4000 + rank if pid is None else pid},
        "coll_perf": {"coll": function, "coll_sn": number, "coll_msg_size_bytes": 1 << 20,
                      "coll_exec_time_us": release - arrival, "coll_timing_source": "kernel_gpu",
                      "coll_algobw_gbs": 10.0, "coll_busbw_gbs": 17.5,
                      "event_trace_ts": {"coll_start_ts": arrival - 500,
                                         "coll_stop_ts": arrival - 495,
                                         "kernel_events": kernels}}}
    return json.dumps(record, separators=(",", ":"))


def marked(text):
    """The two lines of version 4.3: that of a dump, with the header, and the call."""
    record = json.loads(text)
    call = {"coll_perf": record.pop("coll_perf")}
    record["dump_stats"] = {"coll_records": 1, "coll_dropped_since_last_dump": 0, "p2p_records": 0}
    return [json.dumps(record), json.dumps(call)]


def terse(text):
    """The line without NCCL_INSPECTOR_DUMP_VERBOSE=1."""
    record = json.loads(text)
    del record["coll_perf"]["event_trace_ts"]
    return json.dumps(record)


class Job:
    """The files' lines by rank, and what is true: waits[rank] are its times in us between its
    arrival and the last one's, at every AllReduce of all ranks; own[number, rank] its own time
    before it, where this call and the one before are in its file."""

    def __init__(self, steps, lost=(), seed=7):
        self.chance = random.Random(seed)
        self.lines = {rank: [] for rank in range(RANKS)}
        self.own, self.waits = {}, {rank: [] for rank in range(RANKS)}
        self.free = [BEGIN_US] * RANKS  # when a rank's last call was over
        for number in range(steps):
            self.step(number, lost)

    def step(self, number, lost):
        own = [-free for free in self.free]
        for pair in range(RANKS // 2):  # of another communicator: own time to all ranks
            self.call(f"0xf{pair}", "tp", (2 * pair, 2 * pair + 1), "AllReduce", number, 1000)
        inside = [0] * RANKS
        if number % 2 == 0:
            come, release = self.call("0xa1", "default_pg", range(RANKS), "AllGather",
                                      number // 2, 2000)
            inside = [release - at for at in come]
        there = [rank for rank in range(RANKS) if (number, rank) not in lost]
        come, _ = self.call("0xa1", "default_pg", range(RANKS), "AllReduce", number, 6000, there)
        for rank in range(RANKS):
            self.waits[rank].append(max(come) - come[rank])
            if number > 0 and not lost.intersection({(number, rank), (number - 1, rank)}):
                self.own[number, rank] = own[rank] + come[rank] - inside[rank]

    def call(self, communicator, name, ranks, function, number, work, there=None):
        come = [0] * RANKS
        for rank in ranks:
            slow = 1.3 if rank == SLOW and work == 6000 else 1
            come[rank] = self.free[rank] + int(work * slow * self.chance.uniform(1, 1.02))
        release = max(come) + 200
        for at, rank in enumerate(ranks):
            self.free[rank] = release
            if there is None or rank in there:
                self.lines[rank].append(line(communicator, name, at, len(ranks), function, number,
                                             come[rank], release, f"node{rank // 4}", 4000 + rank))
        return come, release


class Groups:
    """A job of 8 ranks in pairs ("tp") and in two groups of four ("dp"), and at the end of each
    step, if world is not empty, one call of all of them for each size in it. A rank's own work is
    work[rank] a step, in us, three calls' worth; own[rank] is the time it computes between two
    calls of the same communicator; what is smaller than `least` bytes is not written."""

    def __init__(self, steps, world=(), least=0, slow=None, remade=None, unnamed=False,
                 seed=3):
        chance = random.Random(seed)
        self.lines = {rank: [] for rank in range(RANKS)}
        self.least, self.free, self.numbers = least, [BEGIN_US] * RANKS, {}
        self.names = ("unknown",) * 3 if unnamed else ("tp", "dp", "default_pg")
        self.own, self.come, self.slow, self.chance = {}, {}, slow, chance
        for step in range(steps):
            suffix = "b" if remade and step >= remade else ""
            worked = [0] * RANKS
            for pair in range(4):
                self.call(f"0xf{pair}{suffix}", 0, (2 * pair, 2 * pair + 1), 1000, 1 << 20, worked)
            for side in range(2):
                self.call(f"0xd{side}{suffix}", 1, range(side, RANKS, 2), 3000, 1 << 20, worked)
            for size in world:
                self.call(f"0xa{suffix}", 2, range(RANKS), 2000, size, worked)
            self.own[step] = worked

    def call(self, communicator, name, ranks, work, size, worked):
        number = self.numbers.get(communicator, 0)
        self.numbers[communicator] = number + 1
        spent = {rank: int(work * (1.3 if rank == self.slow else 1) * self.chance.uniform(1, 1.02))
                 for rank in ranks}
        come = {rank: self.free[rank] + spent[rank] for rank in ranks}
        release = max(come.values()) + 200
        for at, rank in enumerate(ranks):
            worked[rank] += spent[rank]
            self.free[rank] = release
            if size >= self.least:
                self.lines[rank].append(line(communicator, self.names[name], at, len(ranks),
                                             "AllReduce", number, come[rank], release,
                                             f"node{rank // 4}", 4000 + rank))


class Sharded(Groups):
    """A job that gathers and scatters on one communicator, 3 and 2 ms of work before each, in turn.
    The plugin keeps one call of a communicator only: of one in 60 scatters, each rank's own,
    nothing is written. wait: of all but the slow rank, in seconds, from one gather to the next."""

    def __init__(self, steps, seed=5):
        super().__init__(0, slow=SLOW, seed=seed)
        self.names = ("tp", "dp", "DATA_PARALLEL_GROUP")
        self.lost, works = 0, {"AllGather": 3000, "ReduceScatter": 2000}
        self.wait = sum(works.values()) * 0.3e-6
        for step in range(steps):
            for function, work in works.items():
                self.call("0xa", 2, range(RANKS), work, 1 << 20, [0] * RANKS)
                for rank in range(RANKS):
                    text = self.lines[rank].pop().replace("AllReduce", function)
                    text = text.replace(f'"coll_sn":{self.numbers["0xa"] - 1}', f'"coll_sn":{step}')
                    if function == "AllGather" or step % 60 != 20 + 3 * rank:
                        self.lines[rank].append(text)
                    else:
                        self.lost += 1
