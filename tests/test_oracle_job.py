"""`lockstep report --json` of logs with one value a step for the whole job, against oracle_job.py.
The logs are made from a truth drawn by chance: formats, log intervals, lines that are lost, doubled
or nan, restarts that go back, validations, checkpoints, slow first steps, spikes, pauses, a batch
that grows, rates given or not, the peak given or not.

LOCKSTEP_PROGRAM names the program. The first argument: how many logs (30), the second: the number
of the first."""
import csv
import datetime
import io
import json
import math
import os
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import oracle_job

PROGRAM = os.environ["LOCKSTEP_PROGRAM"]
EPOCH = 1770000000
PEAK = 989.0  # TFLOP/s


def stamp(seconds, form):
    moment = datetime.datetime.fromtimestamp(EPOCH, datetime.timezone.utc)
    return (moment + datetime.timedelta(microseconds=round(seconds * 1e6))).strftime(form)


# ---- the writers: a line of a value, of what is said before it, and what stands at the top ----
# Each rounds the value to what it writes, so that the truth is what stands in the log.

class Writer:
    stamped, resolution = True, 1e-6
    span_one = False      # values are of one step alone, whatever the interval
    calls = ()            # what it says of evaluations and checkpoints
    rates = ("flops",)
    first_one = False     # logs step 1, too, whatever the interval
    nan = True            # may write nan for the time
    quiet = -1            # no spike up to this value of an attempt

    def __init__(self, rng, interval):
        self.rng, self.interval = rng, interval

    def head(self):
        return []

    def attempt(self, first):  # whose first step is that
        return []


class Megatron(Writer):
    calls = ("validation", "checkpoint")

    def __init__(self, rng, interval):
        super().__init__(rng, interval)
        self.stamped = rng.random() < 0.7
        self.seconds = rng.random() < 0.2

    def head(self):
        return [f"  log_interval .................................... {self.interval}"] \
            if self.rng.random() < 0.5 else []

    def say(self, what, value):
        if what == "validation":
            return f" validation loss at iteration {value.number} | lm loss value: 2.6E+00 |"
        return f"saving checkpoint at iteration {value.number:7d} to /checkpoints in torch format"

    def round(self, value):
        value.time = round(value.time, 2 if self.seconds else 4)
        value.loss = self.rng.uniform(1, 12)
        value.flops = None if value.flops is None else round(value.flops, 1)

    def line(self, v, nan=False):
        time = "nan" if nan else f"{v.time:.2f}" if self.seconds else f"{v.time * 1e3:.1f}"
        return (stamp(v.end, " [%Y-%m-%d %H:%M:%S.%f]") if self.stamped else "") + \
            f" iteration {v.number:8d}/  500000 | consumed samples: {v.number * 64:12d} | " \
            f"elapsed time per iteration ({'s' if self.seconds else 'ms'}): {time} | " + \
            (f"throughput per GPU (TFLOP/s/GPU): {v.flops:.1f} | " if v.flops else "") + \
            f"learning rate: 1.5E-04 | global batch size:    64 | lm loss: {v.loss:.6E} | " \
            "grad norm: 0.750 | number of skipped iterations:   0 |"


class Titan(Writer):
    resolution, rates, first_one, nan = 1e-3, ("flops", "mfu"), True, False

    def head(self):
        at = "[rank0]:[titan] 2026-02-01 00:00:00,000 - root - INFO - "
        return [f"{at}Building device mesh with parallelism: pp=1, dp_replicate=1, dp_shard=16, "
                "cp=1, tp=1, ep=1",
                f"{at}Trainer is initialized with local batch size 16, global batch size 256, "
                "gradient accumulation steps 1, sequence length 4096, total steps 100000 "
                "(warmup 20)"]

    def attempt(self, first):
        return [f"[rank0]:[titan] 2026-02-01 00:00:01,000 - root - INFO - Training starts at step "
                f"{first}"]

    def round(self, value):
        value.tps = max(round(65536 / value.time), 1)
        value.time = 65536 / value.tps
        value.flops = None if value.flops is None else round(value.flops, 2)
        value.mfu = None if value.mfu is None else round(value.mfu, 4)

    def line(self, v, nan=False):
        return f"[rank0]:[titan] {stamp(v.end, '%Y-%m-%d %H:%M:%S,%f')[:-3]} - root - INFO - " \
            f"step: {v.number:2d}  loss: 12.50000  grad_norm: 20.6000  memory: " \
            f"60.86GiB(76.08%)  tps: {v.tps:,}" + (f"  tflops: {v.flops:,.2f}" if v.flops else "") + \
            ("  mfu: N/A" if v.mfu is None else f"  mfu: {100 * v.mfu:.2f}%")


class LlmC(Writer):
    stamped, span_one, rates = False, True, ("mfu",)

    def round(self, value):
        value.time = round(value.time, 5)
        value.mfu = None if value.mfu is None else round(value.mfu, 3)

    def line(self, v, nan=False):
        time = "nan" if nan else f"{v.time * 1e3:.2f}"
        return f"step {v.number:4d}/19560 | loss 11.010252 (+nanz)| norm 15.1374 (+nanz)| lr " \
            f"8.57e-07 | {time} ms | {-100 if v.mfu is None else 100 * v.mfu:.1f}% bf16 MFU | " \
            "113446 tok/s"


class NanoGpt(LlmC):
    def round(self, value):
        value.time = round(value.time, 5)
        value.mfu = None if value.mfu is None else round(value.mfu, 4)

    def line(self, v, nan=False):
        time = "nan" if nan else f"{v.time * 1e3:.2f}"
        return f"iter {v.number}: loss 9.1000, time {time}ms, mfu " \
            f"{-100 if v.mfu is None else 100 * v.mfu:.2f}%"


class Dll(Writer):
    span_one, rates, calls = True, (), ("validation",)

    def say(self, what, value):
        return f"DLL {stamp(value.begin(), '%Y-%m-%d %H:%M:%S.%f')} - Current_epoch_num 0.05 | " \
            "eval_epoch_time : 4839.64 ms | total_steps : 48 "

    def round(self, value):
        value.time = round(value.time, 4)

    def line(self, v, nan=False):
        time = "nan" if nan else f"{v.time * 1e3:.1f}"
        return f"DLL {stamp(v.end, '%Y-%m-%d %H:%M:%S.%f')} - Iteration {v.number} | train_acc : " \
            f"10.5 % | iteration_time : {time} ms | train_loss : 5.1 "


class MlLog(Writer):
    resolution, rates = 1e-3, ()
    calls = ("validation",)

    def entry(self, at, event, key, value, **metadata):
        return ":::MLLOG " + json.dumps({
            "namespace": "", "time_ms": EPOCH * 1000 + round(at * 1e3), "event_type": event, "key": key,
            "value": value, "metadata": {"file": "train.py", "lineno": 1, **metadata}})

    def head(self):
        return [self.entry(-9, "POINT_IN_TIME", "global_batch_size", 64),
                self.entry(0, "INTERVAL_START", "run_start", None)]

    def say(self, what, value):
        at = value.begin()
        return self.entry(at - 0.002, "INTERVAL_START", "eval_start", None,
                          samples_count=64 * (value.number - value.span)) + "\n" + \
            self.entry(at - 0.001, "INTERVAL_END", "eval_stop", None,
                       samples_count=64 * (value.number - value.span))

    def round(self, value):
        value.time = round(value.time, 6)

    def line(self, v, nan=False):
        return self.entry(v.end, "POINT_IN_TIME", "tracked_stats",
                          {"train_step_time": math.nan if nan else v.time,
                           "reduced_train_loss": 7.5}, step=v.number,
                          samples_count=64 * v.number)


class MaxText(Writer):
    stamped, span_one, nan = False, True, False
    quiet = 3  # the second step is taken for one that was only dispatched where the third is slow

    def round(self, value):
        value.time = round(value.time, 3)
        value.flops = round(value.flops or 80, 3)

    def line(self, v, nan=False):
        return f"completed step: {v.number}, seconds: {v.time:.3f}, TFLOP/s/device: " \
            f"{v.flops:.3f}, Tokens/s/device: 2048.000, total_weights: 65536, loss: 12.000"


class Nemo(Writer):
    stamped, span_one = False, True

    def round(self, value):
        value.time = round(value.time, 3)
        value.flops = None if value.flops is None else round(value.flops, 1)

    def line(self, v, nan=False):
        return f"Training epoch 0, iteration {v.number}/500000 | lr: 4.8e-06 | global_batch_size: " \
            f"16 | global_step: {v.number} | reduced_train_loss: 1.436 | train_step_timing in s: " \
            f"{'nan' if nan else '%.3f' % v.time} | " + \
            (f"TFLOPS_PER_GPU: {v.flops:.1f} | " if v.flops else "") + \
            f"consumed_samples: {v.number * 16}"


class Own(Writer):
    """Our own records, which say all of it."""
    calls, rates, nan = ("validation", "checkpoint"), ("flops", "mfu"), False

    def __init__(self, rng, interval):
        super().__init__(rng, interval)
        self.stamped = rng.random() < 0.7

    def round(self, value):
        value.time = round(value.time, 6)
        value.flops = None if value.flops is None else round(value.flops, 1)
        value.mfu = None if value.mfu is None else round(value.mfu, 4)

    def line(self, v, nan=False):
        record = {"job": True, "step": v.number, "step_time": v.time}
        if v.span > 1 or self.rng.random() < 0.5:
            record["steps"] = v.span
        if self.stamped:
            record["t"] = round(EPOCH + v.begin(), 6)
        if v.flops:
            record["flops"] = v.flops * 1e12
        if v.mfu is not None:
            record["mfu"] = v.mfu
        if v.called:
            record["event"] = min(v.called)
        return json.dumps(record)


WRITERS = [(Megatron, 5), (Titan, 3), (LlmC, 2), (NanoGpt, 2), (Dll, 2), (MlLog, 2), (MaxText, 1),
           (Nemo, 1), (Own, 5)]


# ---- the truth ----

class Drawn:
    """A log, and the values that stand in it."""

    def __init__(self, seed):
        self.rng = rng = random.Random(seed)
        kind = rng.choices([w[0] for w in WRITERS], [w[1] for w in WRITERS])[0]
        self.interval = rng.choice([1, 1, 1, 5, 10])
        if kind in (Dll, MaxText, Nemo):
            self.interval = 1
        self.writer = writer = kind(rng, self.interval)
        self.peak = rng.choice([None, PEAK])
        self.window = rng.choice([50, 50, 20, 7])
        self.lines, self.values, self.nans, self.doubled = writer.head(), [], 0, 0
        self.impossible = 0
        self.usual, self.now = rng.choice([0.31, 2.0, 11.0]), 0.0
        self.growth = rng.choice([0, 0, 0, 0.01])
        self.has = {rate: rng.random() < 0.6 for rate in writer.rates}
        self.trouble = {what: rng.choice([0, 0.04]) for what in (
            "spike", "pause", "lost", "doubled", "nan", "validation", "checkpoint")}
        self.trouble["over"] = 0.1
        first, attempt = self.interval * rng.choice([1, 1, 37]), 0
        for count in [rng.randrange(14, 70) for _ in range(rng.choice([1, 1, 2, 3]))]:
            self.attempt(attempt, first, count)
            last = self.values[-1].number
            done = [v.number for v in self.values if v.attempt == attempt and v.number <= last]
            first = rng.choice([n for n in done if n > self.interval] or [done[0]])
            self.now += rng.choice([3, 20, 700.0])
            attempt += 1
        self.job = oracle_job.Job(self.values, self.window, self.peak and self.peak * 1e12,
                                  self.interval if writer.span_one else 1)

    def chance(self, what):
        return self.rng.random() < self.trouble[what]

    def attempt(self, attempt, first, count):
        rng, writer, k = self.rng, self.writer, self.interval
        self.lines += writer.attempt(max(first - k + 1, 1))
        number, before = first, None
        begins_at_one = writer.first_one and attempt == 0 and first == k > 1
        for i in range(count):
            span = done = 1 if writer.span_one else k
            if begins_at_one and i < 2:
                number, span = (1, 1) if i == 0 else (k, k - 1)
                done = span
            if i == 0 and attempt > 0 and span > 1 and isinstance(writer, (Megatron, Own)):
                done = rng.randrange(1, k + 1)  # from a checkpoint between two lines,
                if isinstance(writer, Own):
                    span = done                 # which ours say, and Megatron does not
            time = self.usual * rng.uniform(0.97, 1.03)
            if i == 0:
                time *= rng.uniform(1, 9)
            value = oracle_job.Value(attempt, number, span, time)
            number += k
            for what in writer.calls:
                if i > 1 and self.chance(what):
                    value.called.add(what)
            if len(value.called) > 1 and isinstance(writer, Own):
                value.called = {"checkpoint"}
            if value.called and rng.random() < 0.5 or self.chance("spike") and i > writer.quiet:
                value.time *= rng.uniform(1.6, 6) if span == 1 else rng.uniform(1, 3)
            self.rates(value, i)
            writer.round(value)
            self.now += self.pause(value)
            if writer.span_one and before:
                self.now += (k - 1) * self.usual
            self.now = round(self.now + done * value.time, round(-math.log10(writer.resolution)))
            value.end = self.now if writer.stamped else None
            self.write(value)
            before = value
            self.usual *= 1 + self.growth

    def rates(self, value, i):
        usual = self.rng.uniform(0.3, 0.5) * PEAK
        if self.has.get("flops"):
            value.flops = usual
        if self.has.get("mfu") and i > 2:
            value.mfu = usual / PEAK
        if value.flops and self.may_lack(value) and self.chance("over"):
            value.flops = 1.2 * PEAK  # too fast to be true
        elif value.flops and self.rng.random() < 0.1 and isinstance(self.writer, (Megatron, Own)):
            value.flops = None

    def may_lack(self, value):
        """Every other line three times would be another log interval."""
        return len(self.values) > 10 and not value.called and \
            value.number - self.values[-4].number == 4 * self.interval

    def pause(self, value):
        if value.called:
            return self.rng.choice([0, 1, 40]) * self.usual
        if self.chance("pause") and len(self.values) > 1:  # MLPerf: the unit shows by then
            return self.rng.choice([0.3, 2, 20, 300]) * self.usual
        return self.rng.choice([0, 0, 0.001])

    def write(self, value):
        rng, writer = self.rng, self.writer
        if not isinstance(writer, Own):
            self.lines += [writer.say(what, value) for what in sorted(value.called)]
        whole = self.may_lack(value)
        if whole and self.chance("lost"):
            return
        if whole and writer.nan and self.chance("nan"):
            self.lines.append(writer.line(value, True))
            self.nans += 1
            return
        line = writer.line(value)
        self.lines.append(line)
        self.nans += isinstance(writer, Titan) and value.mfu is None  # N/A
        if value.flops is not None and self.peak and value.flops > self.peak:
            self.impossible += 1
            return
        if self.chance("doubled"):
            self.lines.append(line)
            self.doubled += 1
        if value.flops is not None:
            value.flops *= 1e12
        self.values.append(value)

    def text(self):
        return "\n".join(self.lines) + "\n"


# ---- the comparison ----

class Differs(Exception):
    pass


def near(got, want, what, slack=2e-6):
    if (got is None) != (want is None) or \
            got is not None and abs(got - want) > slack + 2e-6 * abs(want):
        raise Differs(f"{what}: program {got}, oracle {want}")


def same(got, want, what):
    if got != want:
        raise Differs(f"{what}: program {got}, oracle {want}")


def check(drawn, got):
    job = drawn.job
    for key, want in job.steps().items():
        same(got["steps"][key], want, f"steps.{key}")
    for key, want in job.step_time().items():
        near(got["step_time_s"][key], want, f"step_time_s.{key}")
    same(got["source"]["not_numbers"], drawn.nans, "not_numbers")
    same(got["source"]["duplicate"], drawn.doubled, "duplicate")
    same(got["source"]["impossible"], drawn.impossible, "impossible")
    share, origin = job.mfu(job.last)
    near(got["mfu"]["value"], share, "mfu")
    same(got["mfu"]["origin"], origin, "mfu.origin")
    same(got["mfu"]["window_steps"], len(job.last), "mfu.window_steps")
    flops = job.flops(job.last)
    near(got["mfu"]["flops_per_gpu"], flops, "flops_per_gpu", 1)
    for what in ("validation", "checkpoint"):
        count, first, beyond = job.called(what)
        same(got[what + "s"]["count"], count, what)
        same(got[what + "s"]["first"], first, what)
        near(got[what + "s"]["beyond_s"], beyond, what + " beyond")
    check_events(job, got)
    check_effective(job, got["effective"])
    check_ledger(got["ledger"], job, job.whole_run(), "ledger")
    check_ledger(got["ledger_window"], job, job.window_run(), "ledger_window")


FIELDS = {"spike": ("step_time_s", "slowdown"), "restart": ("down_s", "repeated_steps"),
          "gap": ("gap_s", "absent_steps")}


def check_events(job, got):
    for kind, want in job.events().items():
        found = [event for event in got["events"] if event["kind"] == kind]
        same([(e["attempt"], e["from_step"]) for e in found], [w[:2] for w in want], kind)
        for event, values in zip(found, want):
            for field, value in zip(FIELDS[kind], values[2:]):
                near(event[field], value, f"{kind} at {values[:2]} {field}",
                     6e-5 if field == "slowdown" else 2e-6)
    others = {event["kind"] for event in got["events"]} - set(FIELDS)
    same(others, set(), "events")


def check_effective(job, got):
    want = job.whole_run()
    wall, _ = job.ledger(want)
    for key in ("kept_s", "lost_s", "down_s", "between_s"):
        near(got[key], want[key], f"effective.{key}")
    near(got["wall_s"], wall, "effective.wall_s")
    near(got["share"], want["kept_s"] / wall, "effective.share")
    same(got["restarts"], want["restarts"], "restarts")
    same(got["repeated_steps"], sum(event[3] for event in job.events()["restart"]), "repeated")


def check_ledger(got, job, sums, name):
    wall, parts = job.ledger(sums)
    near(got["wall_s"], wall, f"{name}.wall_s")
    near(got["steps"], sums["steps"], f"{name}.steps", 0.01)
    found = {part["part"]: part["share"] for part in got["parts"]}
    for part, share in parts.items():
        near(found.pop(part), share, f"{name} {part}", 3e-6)
    same(found, {}, f"{name} parts")
    total = sum(round(part["share"] * 1e6) for part in got["parts"] if part["share"] is not None)
    same(total, 1000000, f"{name} shares")


def check_history(job, rows):
    same([(int(row["attempt"]), int(row["first_step"]), int(row["span"])) for row in rows],
         [(v.attempt, v.number, v.span) for v in job.values], "history")
    for row, value in zip(rows, job.values):
        want = {"step_time_s": value.time, "flops": value.flops, "mfu_logged": value.mfu,
                "mfu": job.mfu([value])[0]}
        for key, number in want.items():
            near(float(row[key]) if row[key] else None, number, f"step {value.number} {key}",
                 1 if key == "flops" else 2e-6)
        begin = value.begin() if row["begin"] or value.end is not None else None
        if begin is not None:
            at = datetime.datetime.fromisoformat(row["begin"].replace("Z", "+00:00"))
            near(at.timestamp() - EPOCH, begin, f"step {value.number} begin", 2e-6)


def run(drawn, path, *form):
    arguments = ["--window", str(drawn.window)] + \
        (["--peak", str(drawn.peak)] if drawn.peak else [])
    done = subprocess.run([PROGRAM, "report", *form, *arguments, path], capture_output=True,
                          timeout=60, check=False)
    if done.returncode:
        raise Differs(f"exit {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode()


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    failed = 0
    with tempfile.TemporaryDirectory(prefix="lockstep-oracle-job-") as folder:
        for seed in range(first, first + count):
            drawn = Drawn(seed)
            path = os.path.join(os.environ.get("KEEP", folder), f"{seed}.log")
            with open(path, "w", encoding="utf-8") as log:
                log.write(drawn.text())
            try:
                check(drawn, json.loads(run(drawn, path, "--json")))
                table = io.StringIO(run(drawn, path, "--csv", "steps"), newline="")
                check_history(drawn.job, list(csv.DictReader(table, strict=True)))
            except Differs as why:
                failed += 1
                print(f"log {seed} ({type(drawn.writer).__name__}, every {drawn.interval}, window "
                      f"{drawn.window}): {why}")
    print(f"{count} logs, {failed} differ")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
