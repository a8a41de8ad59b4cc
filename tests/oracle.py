"""The figures of a run from its raw lines, by the formulas of the design alone: what
test_oracle.py holds against the program. Slow, plain and exact; knows nothing of how
the program does it.

Times are seconds. A step is known by (attempt, step)."""
import json
import math
import random
import statistics

PHASES = ("data", "forward", "backward", "sync", "optimizer")


def median(values):
    values = list(values)
    return statistics.median(values) if values else math.nan


def mean(values):
    values = list(values)
    return math.fsum(values) / len(values) if values else math.nan


def read(paths):
    """{(attempt, step): {rank: record}}: an attempt ends when a rank's step goes back, or is
    done again."""
    steps, state = {}, {}
    for path in paths:
        with open(path, encoding="utf-8") as log:
            for line in log:
                record = json.loads(line)
                rank, step = record["rank"], record["step"]
                attempt, last = state.get(rank, (0, -1))
                attempt += step <= last
                state[rank] = (attempt, step)
                steps.setdefault((attempt, step), {})[rank] = record
    return dict(sorted(steps.items()))


def arrival_work(record):
    """What a rank does before the barrier, as its record of this step says."""
    if "compute" in record:
        return record["compute"]
    parts = [record[phase] for phase in ("data", "forward", "backward") if phase in record]
    return math.fsum(parts) if parts else math.nan


def release(record):
    """When the rank leaves the barrier by its own clock."""
    return record["t"] + arrival_work(record) + record.get("sync", 0)


class Step:
    """One barrier: own times, waits, exchange, the time from release to release."""

    def __init__(self, key, records, before, rule):
        self.key, self.records, self.rule = key, records, rule
        self.own = {rank: self.own_of(rank, before) for rank in records}
        self.exchange = math.nan
        if rule == "sync":
            self.exchange = min(record["sync"] for record in records.values())
            self.wait = {rank: record["sync"] - self.exchange for rank, record in records.items()}
        elif rule == "overlapped":
            least = min(record["backward"] for record in records.values())
            self.own = {rank: record["data"] + record["forward"] + least
                        for rank, record in records.items()}
            self.wait = {rank: record["backward"] - least for rank, record in records.items()}
        else:
            latest = max(self.own.values())
            self.wait = {rank: latest - own for rank, own in self.own.items()}
        self.median = median(self.own.values())
        self.largest = max(self.own.values())
        self.slowdown = {rank: own / self.median for rank, own in self.own.items()}
        self.late = max(mean(self.own.values()) + mean(self.wait.values()) - self.median, 0)
        data = [record["data"] for record in records.values() if "data" in record]
        self.input = median(data)
        self.tokens = sum(record.get("tokens", 0) for record in records.values())
        self.timed = False
        self.time = self.time_after(before)

    def own_of(self, rank, before):
        own = arrival_work(self.records[rank])
        if before and rank in before and "optimizer" in before[rank]:
            own += before[rank]["optimizer"]
        return own

    def time_after(self, before):
        ranks = [rank for rank in self.records if before and rank in before]
        if ranks and all("t" in self.records[rank] and "t" in before[rank] for rank in ranks):
            self.timed = True
            return median(release(self.records[rank]) - release(before[rank]) for rank in ranks)
        return self.largest + (self.exchange if self.rule == "sync" else 0)

    def without(self, ranks):
        """By how much the step would be shorter if these were at the median."""
        others = [own for rank, own in self.own.items() if rank not in ranks]
        return self.largest - max(others + [self.median])

    def begin(self):
        return median(record["t"] for record in self.records.values())

    def release(self):
        return median(release(record) for record in self.records.values())

    def arrived_last(self):
        least = min(self.wait.values())
        return [rank for rank, wait in self.wait.items() if wait <= least + 1e-9]


class Run:
    def __init__(self, paths, rule, first=0, window=50):
        raw = read(paths)
        self.steps = [Step(key, raw[key], raw.get((key[0], key[1] - 1)), rule)
                      for key in raw if key[1] >= first]
        self.window = self.steps[-window:]
        self.ranks = sorted({rank for step in self.steps for rank in step.own})

    def members(self, key, name):
        return {rank for step in self.steps for rank, record in step.records.items()
                if record.get(key) == name}

    def gain(self, ranks):
        return mean(step.without(ranks) for step in self.window)

    def since(self, key):
        return [step for step in self.steps if step.key >= key]

    def lost(self, ranks, key):
        """What these cost since a step: seconds of each GPU, and the share of the steps' time."""
        steps = self.since(key)
        cost = math.fsum(step.without(ranks) for step in steps)
        return cost, cost / math.fsum(step.time for step in steps)

    def kept(self):
        """Steps that were not done again, and those that were."""
        begins = {}
        for step in self.steps:
            begins.setdefault(step.key[0], step.key[1])
        again = [step for step in self.steps
                 if any(step.key[1] >= begin for attempt, begin in begins.items()
                        if attempt > step.key[0])]
        return [step for step in self.steps if step not in again], again

    def downtime(self):
        pairs = zip(self.steps, self.steps[1:])
        return math.fsum(b.begin() - a.release() for a, b in pairs if a.key[0] != b.key[0])


def total(steps):
    return math.fsum(step.time for step in steps)


def ledger(steps, straggler_s, down_s, lost_s, arithmetic, recompute):
    """Wall-clock time, and shares of the GPU time by part; arithmetic and recompute come as
    shares of the steps' time. A part that the log cannot tell is not in it."""
    time, own = total(steps), math.fsum(step.median for step in steps)
    late = math.fsum(step.late for step in steps)
    straggler_s = min(straggler_s, late) # it is a part of that
    data = math.fsum(step.input for step in steps)
    exchange = math.fsum(step.exchange for step in steps)
    known_data, known_exchange = (0 if math.isnan(x) else x for x in (data, exchange))
    seconds = {
        "arithmetic": arithmetic * time,
        "recompute": recompute * time,
        "kernels": own - known_data - (arithmetic + recompute) * time,
        "input": data,
        "jitter": late - straggler_s,
        "stragglers": straggler_s,
        "exchange": exchange,
        "gaps": time - own - late - known_exchange,
        "downtime": down_s,
        "lost_work": lost_s,
    }
    wall = time + down_s + lost_s
    return wall, {part: value / wall for part, value in seconds.items() if not math.isnan(value)}


def median_variance(n):
    """Variance of the median of n standard normal values: known, drawn, or by its well-known
    expansion."""
    if n <= 3:
        return (math.nan, 1, 1 / 2, 1 - math.sqrt(3) / math.pi)[n]
    if n > 40:
        return math.pi / (2 * (n + math.pi / 2 - 1))
    generator = random.Random(n)
    return mean(median(generator.gauss(0, 1) for _ in range(n)) ** 2 for _ in range(40000))


def left_by_median(n):
    """Variance of a standard normal value less the median of n of which it is one: its
    covariance with that median is 1 / n (the mean is sufficient), so 1 + v - 2 / n."""
    return 1 + median_variance(n) - 2 / n


def floor(run, named, rounds=400, seed=1):
    """How much longer than the median own time equal ranks make a step, by permuting each
    rank's residuals among its steps; and the standard error of that. Named ranks are left
    out: the largest of the others is drawn as if there were as many as all. What the rank's
    and the step's median take of the spread is given back."""
    generator = random.Random(seed)
    rows = []
    for rank in run.ranks:
        row = [step.slowdown[rank] for step in run.window if rank in step.slowdown]
        middle = median(row)
        if rank not in named:
            rows.append([value - middle for value in row])
    largest, means = [], []
    for _ in range(rounds):
        for row in rows:
            generator.shuffle(row)
        maxima = [max(column) for column in zip(*rows)]
        largest += maxima
        means.append(mean(maxima))
    scale = 1 / math.sqrt(left_by_median(len(run.ranks)) * left_by_median(len(run.window)))
    power, count = len(run.ranks) / len(rows), len(largest)
    expected = math.fsum(value * (((i + 1) / count) ** power - (i / count) ** power)
                         for i, value in enumerate(sorted(largest)))
    return scale * expected, power * scale * statistics.stdev(means) / math.sqrt(rounds)


def clock_offsets(paths):
    """{rank: median over steps of (its release - the median rank's)}."""
    offsets = {}
    for records in read(paths).values():
        middle = median(map(release, records.values()))
        for rank, record in records.items():
            offsets.setdefault(rank, []).append(release(record) - middle)
    return {rank: median(values) for rank, values in offsets.items()}


def gpu_hours(flop, peak, mfu):
    """Panel 1.2."""
    return flop / (peak * mfu) / 3600


def what_if(run, ranks, gpus, mfu):
    time, gain = mean(step.time for step in run.window), run.gain(ranks)
    return {"step_time_s": time, "without_s": time - gain, "gain_share": gain / time,
            "mfu_points": 100 * mfu * (time / (time - gain) - 1),
            "gpu_hours_day": 24 * gpus * gain / time}
