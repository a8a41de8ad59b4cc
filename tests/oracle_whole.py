"""What a whole run comes to, step by step and event by event, from its raw lines: what
test_oracle_whole.py holds against the tables, figures, comparisons and conditions of
`lockstep report`. Like oracle.py: slow, plain, and it knows nothing of how the program does it."""
import math
import random
import statistics
import zlib
from xml.etree import ElementTree

import oracle

WINDOW = 50
MISSING_ROWS = 2    # without a record of a rank: it is missing
SPIKE, SPIKE_STEPS, WARM_UP = 1.5, 10, 3
GAP = 5             # x the rolling median, that nobody computed
HEAT = (-5, 2, 5, 10, 20, 50)  # percent: where the colours of the heat map change


class Whole:
    """Every step of a run in order, and what happened."""

    def __init__(self, paths, rule, gpus=None, flop=None, peak=None, tokens=None):
        raw = oracle.read(paths)
        self.steps = [oracle.Step(key, raw[key], raw.get((key[0], key[1] - 1)), rule)
                      for key in raw]
        self.ranks = sorted({rank for step in self.steps for rank in step.own})
        self.gpus, self.flop, self.peak, self.tokens = gpus or len(self.ranks), flop, peak, tokens

    def wait_share(self, steps):
        waits = math.fsum(sum(step.wait.values()) for step in steps)
        return waits / math.fsum(step.time * len(step.wait) for step in steps)

    def mfu(self, steps):
        tokens = sum(step.tokens if self.tokens is None else self.tokens for step in steps)
        return tokens * self.flop / (self.gpus * self.peak * oracle.total(steps))

    def rolling(self, index):
        """The median step time of the last W steps before this one; NaN of too few."""
        before = [step.time for step in self.steps[max(index - WINDOW, 0):index]]
        return oracle.median(before) if len(before) >= SPIKE_STEPS else math.nan

    def of_attempt(self, index):
        return sum(step.key[0] == self.steps[index].key[0] for step in self.steps[:index])

    def stood_still(self, index):
        """From the release of the step before to the begin of this one, beyond the optimizer."""
        step, before = self.steps[index], self.steps[index - 1]
        ranks = [rank for rank in step.records if rank in before.records]
        return oracle.median(step.records[rank]["t"] - oracle.release(before.records[rank])
                             - before.records[rank].get("optimizer", 0) for rank in ranks)

    def restarts(self):
        """[(attempt, step, how long it was down, steps done again)]"""
        kept, found = [], []
        for before, step in zip([None] + self.steps, self.steps):
            if before and step.key[0] != before.key[0]:
                again = [other for other in kept if other >= step.key[1]]
                kept = [other for other in kept if other < step.key[1]]
                found.append((*step.key, step.begin() - before.release(), len(again)))
            kept.append(step.key[1])
        return found

    def gaps(self):
        """[(attempt, the step that it goes on with, how long, steps that are not there)]"""
        found = []
        for i, step in enumerate(self.steps[1:], 1):
            before = self.steps[i - 1]
            if step.key[0] != before.key[0]:
                continue
            absent, still = step.key[1] - before.key[1] - 1, self.stood_still(i)
            if absent > 0:
                found.append((*step.key, None, absent))
            elif still > GAP * self.rolling(i):
                found.append((*step.key, still, 0))
        return found

    def spikes(self):
        """[(attempt, step, time, time / rolling median)]"""
        still, found = {gap[:2] for gap in self.gaps() if not gap[3]}, []
        for i, step in enumerate(self.steps):
            median = self.rolling(i)
            if step.time > SPIKE * median and self.of_attempt(i) >= WARM_UP and \
                    step.key not in still:
                found.append((*step.key, step.time, step.time / median))
        return found

    def missing(self):
        """[(rank, attempt, first step without it, the step that says so, the last or None)]"""
        found = []
        for rank in self.ranks:
            seen, away = False, []
            for step in self.steps + [None]:
                here = step is not None and rank in step.own
                if step is None or here:
                    if seen and len(away) >= MISSING_ROWS:
                        found.append((rank, *away[0].key, away[1].key[1], step and away[-1].key[1]))
                    away = []
                else:
                    away.append(step)
                seen |= here
        return sorted(found, key=lambda event: (event[1:3], event[0]))

    def compared(self):
        return [step for i, step in enumerate(self.steps) if self.of_attempt(i) >= WARM_UP]

    def series(self, name):
        return [step.time if name == "step_time_mean_s" else
                self.wait_share([step]) if name == "wait_share" else self.mfu([step])
                for step in self.compared()]


def heat_class(slowdown):
    """The colour of a slowdown, and whether it is too near to an edge to tell."""
    percent = 100 * (slowdown - 1)
    return (sum(percent >= edge for edge in HEAT), min(abs(percent - edge) for edge in HEAT))


def permutation_p(a, b, block, rounds=4000):
    """How often chance alone brings such a difference of means, in Welch's t over blocks."""
    def blocks(series):
        count = len(series) // block
        first = len(series) - count * block # the newest steps: what is left over is not tested
        return [statistics.fmean(series[first + i * block:first + (i + 1) * block])
                for i in range(count)]

    def welch(left, right):
        error = statistics.variance(left) / len(left) + statistics.variance(right) / len(right)
        return abs(statistics.fmean(left) - statistics.fmean(right)) / math.sqrt(error)

    left, right = blocks(a), blocks(b)
    generator = random.Random(zlib.crc32(repr(block).encode()))
    both, found, as_much = left + right, welch(left, right), 0
    for _ in range(rounds):
        generator.shuffle(both)
        as_much += welch(both[:len(left)], both[len(left):]) >= found
    return (as_much + 1) / (rounds + 1)


class Svg:
    """Texts by their line, rectangles by class."""

    def __init__(self, text):
        self.root = ElementTree.fromstring(text)
        self.lines = {}
        for node in self.root.iter():
            if node.tag.endswith("}text"):
                self.lines.setdefault(float(node.get("y")), []).append(node.text or "")

    def titles(self):
        """Of each row of rectangles from top to bottom: what their titles say."""
        rows = {}
        for node in self.root.iter():
            if node.tag.endswith("}rect"):
                for title in node:
                    rows.setdefault(float(node.get("y")), []).append(title.text)
        return [rows[y] for y in sorted(rows)]

    def cells(self):
        """{class: [(x, y, width, height)]} of the paths that are made of rectangles."""
        found = {}
        for node in self.root.iter():
            if node.tag.endswith("}path") and node.get("d", "").count("v") and \
                    (node.get("class") or "").startswith("ls-h"):
                for piece in node.get("d").split("z")[:-1]:
                    place, _, rest = piece.partition("h")
                    x, y = place[1:].split()
                    width, _, rest = rest.partition("v")
                    found.setdefault(node.get("class"), []).append(
                        (float(x), float(y), float(width), float(rest.partition("h")[0])))
        return found


def seconds(text):
    """Of "12.5 ms m": (0.0125, half of its last digit)."""
    number, unit = text.split()[:2]
    scale = {"s": 1, "ms": 1e-3, "µs": 1e-6, "us": 1e-6, "ns": 1e-9, "min": 60}[unit]
    decimals = len(number.partition(".")[2])
    return float(number) * scale, 0.501 * 10 ** -decimals * scale
