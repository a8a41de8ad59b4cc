"""Logs of the Megatron and DeepSpeed families and of NeMo as their vendors print them, made
from a truth that is known: fields, units, intervals, launchers' prefixes, colours and line ends
are drawn by chance, and so is what damages a line.

What is checked, of many such logs: each record that comes out is one of the truth, with its
numbers; each step whose lines are whole comes out, in order; what is damaged is counted. No wrong
number, ever.

FORMATS_READ names the program that prints what a log comes to; the first argument: how many logs
(80), the second: the number of the first."""
import os
import random
import re
import subprocess
import sys
import tempfile

READ = os.environ["FORMATS_READ"]
ESCAPE = "\x1b"


class Step:
    """One logged value, as it must come out."""

    def __init__(self, number, span, ms):
        self.number, self.span, self.ms = number, span, ms
        self.flops = None
        self.phases = {}  # rank to phases; {}: of the job
        self.validation = False
        self.whole = True  # False: its lines are damaged, it may be missing


# ---- what vendors print ----

def bars(rng, parts, closed=True):
    return " | ".join(parts) + (" |" if closed else "")


def tail_fields(rng, step):
    fields = ["learning rate: %.6E" % rng.uniform(1e-6, 1e-3),
              "lm loss: %.6E" % rng.uniform(1, 12),
              "loss scale: %.1f" % rng.choice([1.0, 65536.0, 4294967296.0]),
              "grad norm: %.3f" % rng.uniform(0.1, 60),
              "num zeros: %.1f" % rng.uniform(0, 1e9), "params norm: %.3f" % rng.uniform(1, 999),
              "load_balancing_loss: %.6E" % rng.uniform(0, 1),
              "mtp_1 loss: %.6E" % rng.uniform(1, 12),
              "number of skipped iterations: %3d" % 0, "number of nan iterations: %3d" % 0]
    fields = [f for f in fields if rng.random() < 0.7]
    if rng.random() < 0.2:
        rng.shuffle(fields)
    return fields


def megatron(rng, step, style):
    head = rng.choice(style["heads"]) % (step.number, style["total"])
    fields = ["consumed samples: %12d" % (step.number * 512)] if style["consumed"] else []
    if style["seconds"]:
        step.ms = round(step.ms / 10) * 10 or 10
        time = "elapsed time per iteration (s): %.2f" % (step.ms / 1e3)
    else:
        time = "elapsed time per iteration (ms): %.1f" % step.ms
        if style["mean_too"]:
            time += "/%.1f" % rng.uniform(1, 9999)
    rates = []
    if style["flops"]:
        step.flops = round(rng.uniform(50, 990), 1)
        rates.append(style["flops"] % step.flops)
        if style["mean_too"] and not rates[-1].endswith("TFLOPS"):
            rates[-1] += "/%.1f" % rng.uniform(1, 999)
        if style["recompute"]:
            rates.append("actual throughput per NPU with recompute (TFLOP/s/NPU): 777.7")
    fields += [time] + rates + tail_fields(rng, step)
    if rng.random() < style["nan"]:
        fields.append("grad norm: nan" if not any(f.startswith("grad") for f in fields) else
                      "norm of it: inf")
    return [head + " | " + bars(rng, fields)]


def argonne(rng, step, style):
    step.flops = round(rng.uniform(50, 400), 2)
    return [" iteration=%8d/%8d | consumed_samples=%12d | elapsed_time_per_iteration_ms=%.1f | "
            "learning_rate=%.6g | lm loss=%.6f | [LM]TFLOPs=%.2f | [DS]TFLOPs=%.2f |" %
            (step.number, style["total"], step.number * 768, step.ms, 1e-4, 5.5, step.flops,
             step.flops + 11)]


def nanotron(rng, step, style):
    step.ms = float("%.3g" % step.ms)
    step.flops = round(rng.uniform(50, 400), 1)
    text = "%.3gK" % (step.ms / 1e3) if step.ms >= 1000 else "%.3g" % step.ms
    return ["[INFO|DP=0|PP=3|TP=1|nid%06d]: iteration: %d / %d | consumed_tokens: 41.9K | "
            "elapsed_time_per_iteration_ms: %s | tokens_per_sec: 3.41K | tokens_per_sec_per_gpu: "
            "3.41K | global_batch_size: 1.02K | lm_loss: 11.3 | lr: 0.0001 | model_tflops_per_gpu: "
            "%s | hardware_tflops_per_gpu: 466 | grad_norm: 12.1" %
            (rng.randrange(9999), step.number, style["total"], text, step.flops)]


def pipe(rng, step, style):
    seconds = step.ms / 1e3
    if style["diffusion"]:
        return ["step: %5d / %5d loss: 0.5123 iter time (s): %.3f samples/sec: %.3f eta: 1h3m " %
                (step.number, style["total"], seconds, 8 / seconds)]
    return ["steps: %d loss: %.4f %siter time (s): %.3f samples/sec: %.3f" %
            (step.number, 5.5, style["more"], seconds, 8 / seconds)]


def throughput(rng, step, style):
    rate = 64 / (step.ms / 1e3)
    number = "%d/%d" % (0, step.number) if style["old"] else (
        "epoch=0/micro_step=%d/global_step=%d" % (step.number * 4, step.number))
    step.ms = 64 / rate * 1e3
    return ["[%s:stop] %s, RunningAvgSamplesPerSec=%r, CurrSamplesPerSec=%r, MemAllocated=0.36GB, "
            "MaxMemAllocated=15.06GB" % (rng.choice(["timer.py:198", "timer.py:260"]), number,
                                         rate * 1.01, rate)]


def nemo(rng, step, style):
    step.flops = round(rng.uniform(100, 1500), 1) if style["flops"] else None
    parts = ["Training epoch 0, iteration %d/%d" % (step.number, style["total"]), "lr: 1.961e-06",
             "global_batch_size: 8", "global_step: %d" % step.number, "reduced_train_loss: 1.315",
             "train_step_timing in s: %.3f" % (step.ms / 1e3)]
    if step.flops:
        parts.append("%s: %.3e" % (style["name"], step.flops))
        step.flops = float("%.3e" % step.flops)
    parts.append("consumed_samples: %d" % (step.number * 8 + 8))
    return [" | ".join(parts)]


def bridge(rng, step, style):
    """Its line is rounded; that of the iteration gives the value."""
    step.flops = round(rng.uniform(100, 1500), 1)
    return ["Step Time : %.2fs GPU utilization: %.1fMODEL_TFLOP/s/GPU" %
            (step.ms / 1e3, step.flops),
            " [2025-12-22 15:18:33] iteration %8d/%8d | consumed samples: %12d | elapsed time per "
            "iteration (ms): %.1f | learning rate: 3.000000E-05 | global batch size:   512 | lm "
            "loss: 8.114214E+00 |" % (step.number, style["total"], step.number * 512, step.ms)]


def every_rank(rng, step, style):
    """Times of every rank behind the iteration line; rank 1 + culprit computes longest."""
    lines = [" iteration %8d/%8d | consumed samples: %12d | elapsed time per iteration (ms): %.1f | "
             "lm loss: 8.1E+00 |" % (step.number, style["total"], step.number * 8, step.ms),
             "times across ranks (ms):"]
    names = ["forward-compute", "backward-compute", "all-grads-sync", "optimizer"]
    for name in names:
        lines.append("  %s:" % name)
        for rank in range(style["ranks"]):
            ms = round(rng.uniform(5, 400), 2)
            step.phases.setdefault(rank, {})[name] = ms
            lines.append("     rank %2d: %.2f" % (rank, ms))
    return lines


def megatron_style(rng):
    flops = rng.choice([None, "throughput per GPU (TFLOP/s/GPU): %.1f", "TFLOPs: %.1f",
                        "throughput (TFLOP/s/GPU): %.1f",
                        "actual throughput per NPU (TFLOP/s/NPU): %.1f",
                        "approx flops per GPU: %.1fTFLOPS"])
    return {"heads": [rng.choice([" iteration %8d/%8d", "==> iteration %8d/%8d",
                                  "iteration %d/%d", " [train] iteration  %d/ %d"])],
            "consumed": rng.random() < 0.8, "seconds": rng.random() < 0.25,
            "mean_too": rng.random() < 0.2, "flops": flops, "nan": rng.choice([0, 0, 0.3]),
            "recompute": flops is not None and "NPU" in flops}


VENDORS = [
    ("megatron", megatron, megatron_style, 12),
    ("argonne", argonne, lambda rng: {}, 3),
    ("nanotron", nanotron, lambda rng: {}, 2),
    ("pipe", pipe, lambda rng: {"diffusion": rng.random() < 0.5,
                                "more": rng.choice(["", "lm loss: 5.51 moe loss: 0.04 "])}, 3),
    ("throughput", throughput, lambda rng: {"old": rng.random() < 0.5}, 2),
    ("nemo", nemo, lambda rng: {
        "flops": rng.random() < 0.5, "name": rng.choice(["TFLOPS_per_GPU", "TFLOPS_PER_GPU"])}, 4),
    ("bridge", bridge, lambda rng: {}, 2),
    ("every-rank", every_rank, lambda rng: {"ranks": rng.choice([2, 3, 8, 17])}, 4),
]


# ---- what launchers make of them ----

def prefixes(rng):
    """Of a log: functions of nothing that give the prefix of the next line."""
    host = "%s%d" % (rng.choice(["node-", "nid00", "dgx", "gpu-a-"]), rng.randrange(99))
    width = rng.choice([1, 2, 3, 4])
    rank = rng.randrange(10 ** width)
    clock = [rng.randrange(10 ** 9)]

    def nano():
        clock[0] += rng.randrange(10 ** 6)
        return ("%09d" % (clock[0] % 10 ** 9)).rstrip("0") or "0"

    kinds = [
        lambda: "%*d: " % (width, rank), lambda: host + ": ", lambda: "10.0.%d.7: " % (rank % 250),
        lambda: "[rank%d]:" % rank, lambda: "[default%d]:" % (rank % 8), lambda: "[1,%d]<stdout>:" % rank,
        lambda: "[default%d]: " % (rank % 8), lambda: "worker-%d  | " % rank,
        lambda: "[pod/llm-worker-%d/pytorch] " % rank, lambda: "(Trainer pid=%d, ip=10.0.0.3) " % rank,
        lambda: "i.pretrain/%d " % (rank % 8), lambda: "[1,mpirank:%d,algo-1]<stdout>:" % rank,
        lambda: "2026-05-11T02:59:55.%sZ " % nano(),
    ]
    return [rng.choice(kinds) for _ in range(rng.choice([0, 0, 1, 1, 1, 2, 3]))]


def first_line_prefix(rng):
    """What a logger writes before the first line of a message only."""
    return rng.choice(["", "", "", "[2026-05-11 02:59:55.145289] ", "INFO:megatron.training:",
                       "[20260511 02:59:55][rank-7/8][INFO ] [---utils.py:425] : ",
                       "[2024-06-21 10:48:52][INFO][training:1609] - ",
                       "2026-05-11 02:59:55,145 - root - INFO - ",
                       "[Rank 0 | Local Rank 0] 2026-05-11 02:59:55,100 INFO [train_engine:48] => "])


NOISE = [
    "[Rank 3] (after 20 iterations) memory (MB) | allocated: 2884.0 | max allocated: 3000.1",
    "  train_iters ............ 50000", "  log_timers_to_tensorboard ... False",
    "saved at iteration 100; elapsed time for the copy (ms): 77.3 | total: 5 |",
    "In this iteration 5 of 10 | nothing was measured |",
    "WARNING: elapsed time: 12.5 s is over the limit", "NCCL INFO Channel 00/32 : 0 1 2 3",
    "Epoch 3 took 55.2 s, 120 iterations of 0.46 s", "loss: 3.5 time: 12 step: 9", "",
    "iteration 7: warm-up took 900 ms", "{'loss': 3.2, 'step': 7}", "x" * 9000,
    "torch.distributed: rank 5: timeout of 600.00", "time (ms)",
    "Traceback (most recent call last):", " | ".join("key_%d: %d" % (i, i) for i in range(400)),
]
TQDM = "  4%|█▏        | 4/100 [00:04<01:12,  1.32it/s]"


def colored(rng, text):
    if text == "":
        return text
    style = rng.choice(["plain", "plain", "line", "fields"])
    if style == "line":
        return "%s[38;2;180;60;0m%s%s[0m" % (ESCAPE, text, ESCAPE)
    if style == "fields":
        return re.sub(r"\| ", "%s[1m| %s[22;39m" % (ESCAPE, ESCAPE), text)
    return text


def damage(rng, line, kind):
    """The lines that come of a damaged one."""
    at = rng.randrange(1, max(2, len(line) - 1))
    if kind == "inserted":
        return [line[:at] + rng.choice([n for n in NOISE if 0 < len(n) < 200]) + line[at:]]
    if kind == "newline":
        return [line[:at], line[at:]]
    if kind == "carriage":
        return [line[:at] + "\r" + line[at:]]
    if kind == "cut":
        return [line[:at]]
    return [line[:at] + rng.choice(["nan", "***", "�"]) + line[at + 3:]]


# ---- a log ----

def numbers(rng):
    """Steps with the span of each: an interval, where the log begins, and restarts."""
    interval = rng.choice([1, 1, 1, 5, 10, 100])
    first = interval * rng.choice([1, 1, 1, 37])
    steps = [(first + i * interval, interval) for i in range(rng.randrange(4, 12))]
    if interval > 1 and first == interval and rng.random() < 0.3:
        steps[:1] = [(1, 1), (first, interval - 1)]
    if rng.random() < 0.3 and len(steps) > 4:
        back = rng.randrange(1, len(steps) - 1)
        steps += [(number, interval) for number, _ in steps[back:back + 4]]
    return steps


class Log:
    def __init__(self, seed):
        rng = self.rng = random.Random(seed)
        self.vendor, make, style, _ = rng.choices(VENDORS, [v[3] for v in VENDORS])[0]
        style = style(rng)
        style["total"] = 500000
        self.steps, lines = [], []
        if self.vendor == "throughput":
            lines.append(["  train_batch_size ............. 64"])
        damaging = rng.random() < 0.4
        doubled = self.vendor in ("megatron", "argonne") and rng.random() < 0.15
        labels, first, paint = prefixes(rng), first_line_prefix(rng), rng.random() < 0.4
        if self.vendor in ("pipe", "throughput") or not first.endswith(" "):
            first = rng.choice(["", "[Rank 0] "]) if self.vendor != "megatron" else first
        for number, span in numbers(rng):
            if self.vendor in ("throughput", "nemo"):
                span = 1  # of that one step
            ms = round(rng.choice([rng.uniform(3, 900), rng.uniform(900, 99999)]), 1)
            if self.vendor in ("pipe", "nemo"):
                ms = max(round(ms), 1)
            step = Step(number, span, ms)
            if self.vendor == "megatron" and rng.random() < 0.1:
                step.validation = True
                lines.append([" validation loss at iteration %d | lm loss value: 1.0E+00 | lm loss "
                              "PPL: 2.7E+00 |" % number])
            block = make(rng, step, style)
            self.steps.append(step)
            if damaging and rng.random() < 0.3 and len(block) == 1:
                step.whole = False
                kind = rng.choice(["inserted", "newline", "carriage", "cut", "over"])
                block = damage(rng, block[0], kind)
            elif rng.random() < 0.1 and len(block) == 1 and self.vendor != "nemo":
                block = [TQDM + block[0].lstrip() if rng.random() < 0.5 else TQDM + "\r" + block[0]]
            lines.append(block)
            if doubled and step.whole:
                lines.append(list(block))
            if rng.random() < 0.5 and len(block) == 1:
                lines.append([rng.choice(NOISE)])
        end = rng.choice(["\n", "\n", "\r\n"])
        out = []
        for block in lines:
            for i, line in enumerate(block):
                line = (first if i == 0 else "") + line
                line = "".join(label() for label in labels) + line
                out.append((colored(rng, line) if paint else line) + end)
        self.bytes = "".join(out).encode()


# ---- what must come of it ----

def read(path):
    text = subprocess.run([READ, path], capture_output=True, check=True).stdout.decode()
    records, damaged = [], 0
    for line in text.splitlines():
        if line.startswith("# records"):
            damaged = int(re.search(r"damaged (\d+)", line).group(1))
        if line.startswith("#"):
            continue
        rank = re.match(r"rank (\d+) ", line)
        record = {"rank": int(rank.group(1)) if rank else None,
                  "step": int(re.search(r" step (-?\d+)", line).group(1)),
                  "validation": " validation" in line}
        record.update({k: float(v) for k, v in re.findall(r" (\w+)=([-\d.]+)", line)})
        records.append(record)
    return records, damaged, text


def near(a, b):
    return abs(a - b) <= 1e-6 + 1e-9 * abs(b)


def fits(step, record, unsure):
    """Whether the record is this step's, with no number that is not its own. unsure: lines before
    it are damaged, and fewer than two distances between numbers tell the interval."""
    if record["step"] != step.number:
        return False
    if record.get("span", step.span) != step.span and not unsure:
        return False
    if "step_time" in record and not near(record["step_time"], step.ms / 1e3):
        return False
    if "flops" in record and (step.flops is None or not near(record["flops"], step.flops * 1e12)):
        return False
    if record["rank"] is None:
        return not step.phases
    own = step.phases.get(record["rank"])
    if own is None:
        return False
    told = {"forward": "forward-compute", "backward": "backward-compute", "sync": "all-grads-sync",
            "optimizer": "optimizer"}
    return all(near(record[k] * 1e3, own[name]) for k, name in told.items() if k in record)


def complete(step, record):
    wanted = ["step_time"] + (["flops"] if step.flops else [])
    wanted += ["forward", "backward", "sync", "optimizer"] if step.phases else []
    return all(k in record for k in wanted)


def check(log, path):
    """A sentence on what is wrong; "" when nothing is."""
    with open(path, "wb") as file:
        file.write(log.bytes)
    records, damaged, text = read(path)
    at = 0
    for i, step in enumerate(log.steps):
        ranks = sorted(step.phases) or [None]
        unsure = i < 4 and not all(s.whole for s in log.steps[:i])
        for rank in ranks:
            record = records[at] if at < len(records) else None
            if record is not None and record["rank"] == rank and fits(step, record, unsure):
                if step.whole and not complete(step, record):
                    return "step %d lacks a value" % step.number
                if step.whole and step.validation and not record["validation"]:
                    return "the validation before step %d is not there" % step.number
                at += 1
            elif step.whole:
                return "step %d is missing or wrong, at %s" % (step.number, record)
    if at < len(records):
        return "a record of no step: %s" % records[at]
    if damaged > 3 * sum(not s.whole for s in log.steps):
        return "%d damaged" % damaged
    return ""


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 80
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            log = Log(seed)
            path = os.path.join(folder, "log")
            why = check(log, path)
            if why:
                failed += 1
                print("log %d (%s): %s" % (seed, log.vendor, why))
            keep = os.environ.get("KEEP")
            if keep and (why or count == 1):
                with open(os.path.join(keep, "%d.log" % seed), "wb") as file:
                    file.write(log.bytes)
    print("%d of %d logs were read wrongly" % (failed, count))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
