"""What a log with one value a step for the whole job comes to, from the truth that it was made
of: what test_oracle_job.py holds against `lockstep report`. By the formulas of the design, the
headers and the README alone: slow, plain, and it knows nothing of how the program does it."""
import math
import statistics

SPIKE, SPIKE_STEPS, WARM_UP = 1.5, 10, 3
GAP = 5          # x the rolling median, in which the job stood still,
GAP_COARSE = 2   # and longer than stamps of a second leave open
JUDGED = 3       # values before, from which on the rolling median is one to compare with


class Value:
    """A logged value: the mean over `span` steps, of which `number` is the last."""

    def __init__(self, attempt, number, span, time, end=None, called=(), flops=None, mfu=None,
                 tokens=None):
        self.attempt, self.number, self.span = attempt, number, span
        self.time = time  # of one step, seconds, as it stands in the log
        self.end = end    # Unix time, as it stands in the log; None: no stamp
        self.called, self.flops, self.mfu, self.tokens = set(called), flops, mfu, tokens

    def whole(self):
        return self.span * self.time

    def begin(self):
        return None if self.end is None else self.end - self.whole()

    def first(self):
        return self.number - self.span + 1


def mean(values):
    values = list(values)
    return math.fsum(values) / len(values) if values else None


def weighted(pairs):
    """The mean of rates over time: [(rate or None, seconds)]; None when none is known."""
    known = [(rate, seconds) for rate, seconds in pairs if rate is not None]
    if not known:
        return None
    return math.fsum(r * s for r, s in known) / math.fsum(s for _, s in known)


class Job:
    """values: those of the log that are one, in its order. stride: steps from one of them to the
    next, where each is of one step alone. peak: in FLOP/s; None: not known."""

    def __init__(self, values, window=50, peak=None, stride=1):
        self.values, self.window, self.peak, self.stride = values, window, peak, stride
        self.last = values[-window:]

    def steps(self):
        return {"first": min(v.number for v in self.values),
                "last": max(v.number for v in self.values),
                "complete": len(self.values), "covered": sum(v.span for v in self.values),
                "attempts": self.values[-1].attempt + 1}

    def step_time(self):
        """A mean over steps is one value for the median, and that of each step for the mean."""
        return {"median": statistics.median(v.time for v in self.values),
                "mean": math.fsum(v.whole() for v in self.values) /
                sum(v.span for v in self.values),
                "max": max(v.time for v in self.values)}

    # ---- utilization ----

    def flops(self, values):
        return weighted((v.flops, v.whole()) for v in values)

    def mfu(self, values):
        """(share, where it is from): the rate by the peak that the user knows, else as logged."""
        flops = self.flops(values)
        if flops is not None and self.peak:
            return flops / self.peak, "logged rate"
        logged = weighted((v.mfu, v.whole()) for v in values)
        return (None, None) if logged is None else (logged, "logged")

    # ---- what happened ----

    def rolling(self, index, enough=SPIKE_STEPS):
        """The median step time of the last W values before this one, ten at least, so that there
        is something to compare with; None of too few."""
        before = [v.time for v in self.values[max(index - max(self.window, SPIKE_STEPS), 0):index]]
        return statistics.median(before) if len(before) >= enough else None

    def before(self, index):
        """The value before this one in its attempt."""
        if index and self.values[index - 1].attempt == self.values[index].attempt:
            return self.values[index - 1]
        return None

    def absent(self, index):
        """Steps between the value before and this one that stand in no line."""
        value, before = self.values[index], self.before(index)
        if before is None or value.number - before.number == self.stride:
            return 0
        if self.stride > 1:  # of those that are logged
            return (value.number - before.number) // self.stride - 1
        return value.first() - before.number - 1

    def between(self, index):
        """Time between the value before and this one that is in neither, by the stamps; below 0:
        they overlap. None: not known."""
        value, before = self.values[index], self.before(index)
        if before is None or None in (value.end, before.end) or \
                value.first() != before.number + 1:
            return None
        return value.begin() - before.end

    def stood_still(self, index):
        """Not where the log says why, nor in the first steps of an attempt."""
        between, median, before = self.between(index), self.rolling(index), self.before(index)
        return None not in (between, median) and not self.values[index].called and \
            not before.called and self.place(index) >= WARM_UP and \
            between > max(GAP * median, GAP_COARSE)

    def place(self, index):
        """How many values of its attempt come before this one."""
        return sum(v.attempt == self.values[index].attempt for v in self.values[:index])

    def since(self, index):
        """How long nothing stands in the log before this value."""
        value, before = self.values[index], self.before(index)
        return None if None in (value.end, before.end) else max(value.begin() - before.end, 0)

    def events(self):
        """{kind: [(attempt, step, ...)]}"""
        found = {"spike": [], "gap": [], "restart": []}
        for i, value in enumerate(self.values):
            key, median = (value.attempt, value.number), self.rolling(i)
            if i and value.attempt != self.values[i - 1].attempt:
                found["restart"].append((*key, self.down(i), self.repeated(i)))
            still = self.stood_still(i)
            if self.absent(i):
                found["gap"].append((*key, self.since(i), self.absent(i)))
            elif still:
                found["gap"].append((*key, self.between(i), 0))
            if median and value.time > SPIKE * median and self.place(i) >= WARM_UP and not still and \
                    not value.called:
                found["spike"].append((*key, value.time, value.time / median))
        return found

    def called(self, what):
        """How many, the first of them, and what one takes over the rolling median."""
        found = [(i, v) for i, v in enumerate(self.values) if what in v.called]
        judged = [v.span * (v.time - self.rolling(i, JUDGED)) for i, v in found
                  if self.rolling(i, JUDGED)]
        return len(found), [v.number for _, v in found[:4]], mean(judged)

    # ---- where the time goes ----

    def down(self, index):
        """Before the attempt that begins here; None: not known."""
        value, before = self.values[index], self.values[index - 1]
        if None in (value.end, before.end) or value.begin() < before.end:
            return None
        return value.begin() - before.end

    def shares_kept(self):
        """Of each value, the share of its steps that no later attempt does again."""
        begins = {}
        for value in self.values:
            begins.setdefault(value.attempt, value.first())
        shares = []
        for value in self.values:
            again = min((first for attempt, first in begins.items() if attempt > value.attempt),
                        default=math.inf)
            shares.append(min(max(again - value.first(), 0), value.span) / value.span)
        return shares

    def repeated(self, index):
        """Steps of the attempts before that the one beginning here does again."""
        begin, kept = self.values[index].first(), set()
        earlier = self.values[:index]
        for value in earlier:
            kept = {step for step in kept if value.attempt == 0 or step < value.first()} \
                if value.attempt and self.is_first(value) else kept
            kept |= set(range(value.first(), value.number + 1))
        return sum(step >= begin for step in kept)

    def is_first(self, value):
        return next(v for v in self.values if v.attempt == value.attempt) is value

    def whole_run(self):
        shares = self.shares_kept()
        indices = range(len(self.values))
        restarts = [self.down(i) for i in indices[1:]
                    if self.values[i].attempt != self.values[i - 1].attempt]
        sums = self.sums(indices, shares)
        sums["lost_s"] = math.fsum(v.whole() * (1 - s) for v, s in zip(self.values, shares))
        sums["down_s"] = None if None in restarts else math.fsum(restarts)
        sums["restarts"] = len(restarts)
        return sums

    def window_run(self):
        indices = range(len(self.values) - len(self.last), len(self.values))
        whole = self.whole_run()  # of a log that names them, none is none
        named = {key: whole[key] for key in ("has_checkpoint", "has_validation")}
        return {**self.sums(indices, [1] * len(self.values)), "lost_s": 0, "down_s": 0, **named}

    def sums(self, indices, shares):
        """Seconds, of what is kept of the values, but for what is between them: stamps that come
        late make up for those that come early, so that it is added up as it is."""
        values = [(i, self.values[i], shares[i]) for i in indices]
        known = [(self.between(i), v) for i, v, _ in values if self.between(i) is not None]
        sums = {"kept_s": math.fsum(v.whole() * share for _, v, share in values),
                "steps": math.fsum(v.span * share for _, v, share in values),
                "between_s": max(math.fsum(b for b, _ in known), 0) if known else None}
        rates = [(v, v.whole() * share) for _, v, share in values]
        sums["flops"] = weighted((v.flops, seconds) for v, seconds in rates)
        sums["mfu"] = weighted((v.mfu, seconds) for v, seconds in rates)
        room, inside = sums["between_s"] or 0, sums["kept_s"]
        for what in ("checkpoint", "validation"):
            mine = [(i, v, share) for i, v, share in values if self.named(v) == what]
            beyond = math.fsum(max(v.time - self.rolling(i, 1), 0) * v.span * share
                               for i, v, share in mine if self.rolling(i, 1))
            beyond = min(beyond, inside)
            before = math.fsum(b for b, v in known if self.named(v) == what)
            sums["has_" + what] = beyond > 1e-9 or before > 1e-9
            before = min(max(before, 0), room)
            sums[what], room, inside = beyond + before, room - before, inside - beyond
        sums["gaps"] = room if known else None
        sums["rest"] = inside
        return sums

    def named(self, value):
        """One of them: a checkpoint before a validation."""
        return min(value.called, default=None)

    def ledger(self, sums):
        """(wall-clock time, {part: share}); a share that cannot be known is None."""
        wall = math.fsum(sums[key] or 0 for key in ("kept_s", "lost_s", "down_s", "between_s"))
        mfu = sums["flops"] / self.peak if sums["flops"] is not None and self.peak else sums["mfu"]
        seconds = {"downtime": sums["down_s"], "lost_work": sums["lost_s"], "gaps": sums["gaps"],
                   "kernels": sums["rest"], "arithmetic": None}
        for what in ("checkpoint", "validation"):
            known = sums["has_" + what] or sums[what] > 1e-9
            seconds[what] = sums[what] if known else None
        if mfu is not None and mfu * sums["kept_s"] <= sums["rest"]:
            seconds["arithmetic"] = mfu * sums["kept_s"]
            seconds["kernels"] = sums["rest"] - seconds["arithmetic"]
        parts = ("recompute", "input", "jitter", "stragglers", "exchange")
        return wall, {**dict.fromkeys(parts), **{
            part: None if value is None else value / wall for part, value in seconds.items()}}
