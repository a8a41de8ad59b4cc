"""Logs as other people's jobs would write them, made from a truth of our own: launchers'
prefixes, colour, CRLF, lines that come twice, are torn or joined with the next, noise,
evaluations, log intervals, restarts. Every record must be one of the truth, whatever was done
to the log; what was left whole must be there.

The reader is named by LOCKSTEP_FORMATS_READ."""
import datetime
import os
import random
import re
import subprocess
import tempfile
import unittest

READER = os.environ["LOCKSTEP_FORMATS_READ"]
BEGIN = datetime.datetime(2026, 5, 11, 2, 59, 55)
LENGTH = 40 # steps of an epoch

PREFIXES = ["", "", "  5: ", "[rank0]:", "[default0]:", "node17: ", "10.0.0.2: ", "[1,0]<stdout>:",
            "[20260511 02:59:55][rank-7/8][INFO] "]
NOISE = ["node17:16:19 [3] NCCL INFO Channel 05/0 : 3[3] -> 11[3] [send] via NET/IB/3/GDRDMA",
         "UserWarning: step 3 of the scheduler was skipped", "saving checkpoint at step 40", "", "}",
         "WARNING - loss scale: 65536.0 | retry in 12.5 ms", "epoch 3 | step 7 | loss"]


def stamp(seconds, comma=","):
    at = BEGIN + datetime.timedelta(seconds=seconds)
    return at.strftime("%Y-%m-%d %H:%M:%S") + comma + f"{at.microsecond // 1000:03}"


class Job:
    """One step after the other: step (from 1 on), seconds, the clock after it."""

    def __init__(self, dice, digits):
        self.dice, self.digits = dice, digits
        self.clock = 0.0

    def seconds(self):
        value = round(self.dice.uniform(0.5, 1.5), self.digits)
        self.clock += value
        return value


def torchtitan(step, t, clock, dice):
    tps = 8192 / t # one sequence of 8,192 tokens a rank and step
    return (f"[titan] {stamp(clock)} - root - INFO - step: {step:2}  loss: {dice.uniform(2, 9):8.5f}  grad_norm: 1.5000  "
            f"memory: 66.91GiB(37.51%)  tps: {tps:,.0f}  tflops: {dice.uniform(300, 400):.2f}  mfu: 35.88%")


def llmc(step, t, clock, dice):
    return (f"step {step:4}/99999 | loss {dice.uniform(2, 9):.6f} (+nanz)| norm 15.1374 (+1.25z)| lr 8.57e-07 | "
            f"{t * 1000:.2f} ms | 29.2% bf16 MFU | {113446 + step} tok/s")


def nanogpt(step, t, clock, dice):
    return f"iter {step}: loss {dice.uniform(2, 9):.4f}, time {t * 1000:.2f}ms, mfu 41.20%"


def nanochat(step, t, clock, dice):
    return (f"step {step:05}/21400 (0.02%) | loss: {dice.uniform(2, 9):.6f} | lrm: 1.00 | dt: {t * 1000:.2f}ms | tok/sec: "
            f"{524288 / t:,.0f} | bf16_mfu: 74.13 | epoch: 1 | total time: {clock / 60:.2f}m | eta: 3.1m")


def maxtext(step, t, clock, dice):
    return (f"completed step: {step}, seconds: {t:.3f}, TFLOP/s/device: {130 / t:.3f}, Tokens/s/device: {8192 / t:.3f}, "
            f"total_weights: 196608, loss: {dice.uniform(2, 9):.3f}")


def vision(step, t, clock, dice):
    return (f"Epoch: [{(step - 1) // LENGTH}]  [{(step - 1) % LENGTH:2}/{LENGTH}]  eta: 0:01:00  lr: 0.000100  loss: 2.5000 (2.6000)"
            f"  time: {t:.4f}  data: {t / 4:.4f}  max mem: 20000")


def imagenet(step, t, clock, dice):
    return (f"Epoch: [{(step - 1) // LENGTH}][{(step - 1) % LENGTH:3}/{LENGTH}]\tTime {t:6.3f} ({t:6.3f})\tData {t / 4:6.3f} "
            f"({t / 4:6.3f})\tLoss 6.9e+00 (6.9e+00)\tAcc@1   0.00 (  0.00)")


def timm(step, t, clock, dice):
    at = (step - 1) % LENGTH
    return (f"Train: {(step - 1) // LENGTH} [{at:4}/{LENGTH} ({100 * at / (LENGTH - 1):3.0f}%)]  Loss: 6.95 (6.95)  "
            f"Time: {t:.3f}s, {256 / t:>7.2f}/s  ({t:.3f}s, {256 / t:>7.2f}/s)  LR: 1.000e-05  Data: {t / 4:.3f} ({t / 4:.3f})")


def dllogger(step, t, clock, dice):
    return (f"DLL {stamp(clock, '.')}000 - Iteration {step} | train_acc : 0.25 % | iteration_time : {t * 1000:.3f} ms | "
            f"train_loss : {dice.uniform(2, 9):.4f} ")


def hugectr(step, t, clock, dice):
    time = stamp(clock, ".").split()[1]
    return f"[HCTR][{time}][INFO][RK0][main]: Iter: {step} Time(1 iters): {t:.6f}s Loss: {dice.uniform(0, 1):.6f} lr:0.005"


def mllog(step, t, clock, dice):
    ms = 1790000000000 + round(clock * 1000)
    return (':::MLLOG {"namespace": "", "time_ms": %d, "event_type": "POINT_IN_TIME", "key": "tracked_stats", "value": '
            '{"train_step_time": %.6f, "reduced_train_loss": %.4f}, "metadata": {"file": "/w/cb.py", "lineno": 312, "step": %d.0}}'
            % (ms, t, dice.uniform(2, 9), step * 1152))


def wordplay(step, t, clock, dice):
    return (f"[{stamp(clock)}][INFO][trainer:850] - step={step} loss={dice.uniform(2, 9):.4f} dt={t * 1000:.3f} dtf=5.250 "
            f"dtb=17.750 sps=14.5000 mtps=0.0595 mfu=32.1250")


def modded(step, t, clock, dice):
    ms = round(clock * 1000)
    return f"step:{step}/99999 train_time:{ms}ms step_avg:{ms / step:.2f}ms"


def olmo_number(value):
    """As OLMo writes it."""
    return f"{value:.4f}" if value <= 1 else f"{value:.3f}" if value <= 10 else f"{value:.2f}"


def olmo(step, t, clock, dice):
    rate = "" if step == 1 else f"    throughput/device/tokens_per_second={16384 / t:,.0f}\n    throughput/device/batches_per_second={olmo_number(1 / t)}\n"
    return (f"[{stamp(clock)[:19]}] INFO     [olmo.train:816, rank=0] [step={step}/739328]\n    train/CrossEntropyLoss=11.25\n"
            f"    train/Perplexity=76,631\n    throughput/total_tokens={step * 4194304:,}\n{rate}    System/Peak GPU Memory (MB)=42,133")


def olmo_core(step, t, clock, dice):
    return (f"{stamp(clock, '.')}\tnode1:0\tolmo_core.train.callbacks.console_logger:79\tINFO\t[step={step}/99999,epoch=1,eta=1:02:03]\n"
            f"    optim/total grad norm=0.5012\n    throughput/device/BPS={olmo_number(1 / t)}\n    throughput/device/BPS (actual avg)=0.4100\n"
            f"    throughput/device/MFU={dice.uniform(30, 50):.2f}\n    throughput/total tokens={step * 4194304:,}\n    train/CE loss=3.214")


def nemo2(step, t, clock, dice):
    last = " | val_loss: 2.5" if step > 40 else ""
    return (f"Training epoch 0, iteration {step}/99999 | lr: 2.9e-05 | global_batch_size: 512 | global_step: {step} | peak_memory_usage: "
            f"77001 | reduced_train_loss: {dice.uniform(2, 9):.4g} | train_step_timing in s: {t:.4g} | TFLOPS_per_GPU: "
            f"{dice.uniform(300, 900):.3e} | consumed_samples: {(step + 1) * 512}{last}")


def nemo_bars(step, t, clock, dice):
    step += 980 # a number of three digits, and one of four, that is rounded
    shown = f"{step:.1f}" if step < 1000 else "1e+3"
    return (f"Epoch 0: : {100 * (step + 1) // 5000:3}%|██▎       | {step + 1}/5000 [{int(clock) // 60:02}:{int(clock) % 60:02}<13:37:46, v_num=0-56, "
            f"reduced_train_loss=nan.0, global_step={shown}, consumed_samples=6.3e+5, train_step_timing in s={t:.3f}, val_loss=7.040]")


def automodel(step, t, clock, dice):
    return (f"{stamp(clock)[:19]} | INFO | nemo_automodel.recipes.llm.train_ft:1101 | step {step} | epoch 0 | loss {dice.uniform(2, 9):.4f} | "
            f"grad_norm 1.5000 | lr 1.00e-05 | mem 14.50 GiB | time {t:.3f}s | tps {65536 / t:.2f}({8192 / t:.2f}/gpu) | num_label_tokens 9")


def gkrls(step, t, clock, dice):
    return (f"[{stamp(clock)[:19]}][Epoch {(step - 1) // LENGTH:03}][Step {(step - 1) % LENGTH + 1:04}/{LENGTH}] global_step={step} train_loss=9.1 "
            f"train_ppl={dice.uniform(2, 9000):.2f} lr=0.000012 step_time={t:.3f}s step_time_min=0.100 step_time_max=9.500 micro_time=0.100s "
            f"tp={8192 / t:.0f} tok/s")


SETUP = {
    "torchtitan": "[titan] 2026-05-11 02:59:50,000 - root - INFO - Building 1-D device mesh with ['dp_shard'], [4]\n"
                  "[titan] 2026-05-11 02:59:51,000 - root - INFO - Trainer is initialized with local batch size 1, global batch "
                  "size 4, sequence length 8192, total steps 9\n",
    "mllog": ':::MLLOG {"namespace": "", "time_ms": 1789999999000, "event_type": "POINT_IN_TIME", "key": "global_batch_size", '
             '"value": 1152, "metadata": {"file": "/w/cb.py", "lineno": 1}}\n',
}
EVALUATIONS = {
    "torchtitan": "[titan] 2026-05-11 02:59:50,000 - root - INFO - validate step: 5  loss: 9.0  memory: 1.00GiB(1.00%)  tps: 77",
    "llmc": "val loss 4.514528",
    "nanogpt": "step 20: train loss 4.1234, val loss 4.2345",
    "nanochat": "Step 00020 | Validation bpb: 1.2345",
    "metriclogger": "Test:  [ 3/17]  eta: 0:00:09  loss: 1.0000 (1.0000)  time: 9.9000  data: 9.0000",
    "dllogger": "DLL 2026-05-11 02:59:55.000000 - Current_epoch_num 0.5 | eval_epoch_time : 9999.0 ms | total_steps : 7",
    "hugectr": "[HCTR][19:41:06.108][INFO][RK0][main]: Evaluation, AUC: 0.75",
}
# name, format, line, decimals of the seconds, the error that the text's own rounding allows, first step
FORMATS = [
    ("torchtitan", torchtitan, 4, 2e-4, False), ("llmc", llmc, 5, 1e-9, True), ("nanogpt", nanogpt, 5, 1e-9, True),
    ("nanochat", nanochat, 5, 1e-9, True), ("maxtext", maxtext, 3, 1e-9, True), ("metriclogger", vision, 4, 1e-9, False),
    ("metriclogger", imagenet, 3, 1e-9, False), ("metriclogger", timm, 3, 1e-9, False), ("dllogger", dllogger, 6, 1e-9, True),
    ("olmo", olmo, 4, 1e-3, True), ("olmo", olmo_core, 4, 1e-3, True), ("nemo", nemo2, 3, 1e-9, True), ("nemo", nemo_bars, 3, 1e-9, False),
    ("nemo", automodel, 3, 1e-9, True), ("gkrls", gkrls, 3, 1e-9, True), ("hugectr", hugectr, 6, 1e-9, True), ("mllog", mllog, 6, 1e-9, False), ("wordplay", wordplay, 6, 1e-9, True),
]
COLOURS = ["\x1b[32m", "\x1b[38;2;180;60;0m", "\x1b[1;31m", "\x1b[0m"]


class Log:
    """A log and its truth: the seconds of each step, once for each time it ran."""

    def __init__(self, format_name, line, digits, seed, restarts):
        self.dice = random.Random(f"{format_name}{line.__name__}{seed}")
        self.truth, self.whole, self.lines = {}, 0, []
        self.prefix = self.dice.choice(PREFIXES)
        self.coloured = self.dice.random() < 0.4
        self.end = self.dice.choice(["\n", "\n", "\r\n"])
        self.step0 = -1 if format_name == "metriclogger" else 980 if line is nemo_bars else 0
        self.every = 1 if line in (hugectr, modded) else self.dice.choice([1, 1, 1, 5])
        self.evaluation = EVALUATIONS.get(format_name)
        job, step = Job(self.dice, digits), 0
        while len(self.lines) < 150:
            step += 1
            t = job.seconds()
            if step % self.every == 0:
                self.add(format_name, line, step, t, job.clock)
            if restarts and step > 20 and self.dice.random() < 0.02:
                step = self.dice.randrange(10)
                job.clock += 100
        self.text = SETUP.get(format_name, "") + "".join(self.lines)

    def add(self, format_name, line, step, t, clock):
        text = line(step, t, clock, self.dice)
        if self.dice.random() < 0.1:
            self.lines.append(self.dice.choice(NOISE) + self.end)
        if self.evaluation and self.dice.random() < 0.05:
            self.lines.append(self.evaluation + self.end)
        self.truth.setdefault(step + self.step0, []).append(t)
        if self.coloured and not text.startswith(":::"):
            words = text.split("  ")
            text = "  ".join(self.dice.choice(COLOURS) + word for word in words) + "\x1b[0m"
        text = self.prefix + text.replace("\n", self.end + self.prefix)
        fate = self.dice.random()
        if fate < 0.06: # cut off, or joined with what comes next
            text = text[:self.dice.randrange(len(text))] + self.dice.choice([self.end, ""])
        elif fate < 0.08: # another process writes into it
            at = self.dice.randrange(len(text))
            text = text[:at] + self.dice.choice(NOISE) + self.end + text[at:] + self.end
        else:
            self.whole += 1
            self.whole -= line is olmo and step == 1
            text += self.end
            text *= 2 if self.dice.random() < 0.05 else 1
        self.lines.append(text)


def read(text, name):
    with tempfile.NamedTemporaryFile("w", suffix=".log", newline="", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([READER, file.name, name], capture_output=True, text=True, check=True)
    records = []
    for line in done.stdout.splitlines():
        found = re.match(r"(?:job|rank \d+) step (\d+).* step_time=([\d.]+)", line)
        if found:
            records.append((int(found[1]), float(found[2])))
    return records, done.stdout


class Vendors(unittest.TestCase):
    def check(self, name, line, digits, error, restarts):
        for seed in range(6):
            log = Log(name, line, digits, seed, restarts and seed % 2 == 1)
            records, said = read(log.text, name)
            for step, seconds in records:
                right = any(abs(seconds - t) <= error * t + 1e-9 for t in log.truth.get(step, []))
                self.assertTrue(right, f"{line.__name__}, seed {seed}: step {step} took {seconds}, not {log.truth.get(step)}\n{log.text}\n{said}")
            # Joined lines may take the next one with them; with another's words inside it is gone.
            self.assertGreaterEqual(len(records), log.whole * 0.85, f"{line.__name__}, seed {seed}: {len(records)} of {log.whole}\n{log.text}\n{said}")

    def test_line_longer_than_any_room(self):
        """DLLogger: values that are no numbers in a line of 40,000 bytes, in front of what is asked for and behind it."""
        many = ", ".join(["NaN"] * 4000)
        lines = [f'DLLL {{"type": "LOG", "step": [0, {step}], "data": {{"a": [{many}], "iteration_time": {step * 125.0}, "b": [{many}]}}}}\n' for step in (1, 2, 3)]
        unit = 'DLLL {"type": "METADATA", "metric": "iteration_time", "metadata": {"unit": "ms"}}\n'
        records, said = read(unit + "".join(lines), "dllogger")
        self.assertEqual(records, [(1, 0.125), (2, 0.25), (3, 0.375)], said[-2000:])

    def test_clock_that_runs_on(self):
        """modded-nanogpt: what is missing is in the next difference: steps times time adds up."""
        for seed in range(6):
            log = Log("modded-nanogpt", modded, 3, seed, False)
            clocks, total = {0: 0.0}, 0.0
            for step in sorted(log.truth):
                total += log.truth[step][0]
                clocks[step] = total
            records, said = read(log.text, "modded-nanogpt")
            spans = [int(s) for s in re.findall(r"^job step \d+(?: span=(\d+))?", said, re.M) if s] # at least one is torn
            self.assertTrue(spans)
            for found in re.finditer(r"^job step (\d+)(?: span=(\d+))?.* step_time=([\d.]+)", said, re.M):
                step, span, seconds = int(found[1]), int(found[2] or 1), float(found[3])
                self.assertAlmostEqual(span * seconds, clocks[step] - clocks[step - span], delta=0.0011, msg=said)
            self.assertGreaterEqual(len(records), log.whole * 0.85)


def bar(name, count, total, elapsed, rate):
    def clock(seconds):
        seconds = int(seconds)
        hours = f"{seconds // 3600}:" if seconds >= 3600 else ""
        return f"{hours}{seconds // 60 % 60:02}:{seconds % 60:02}"
    shown = "?it/s" if not rate else f"{rate:5.2f}s/it" if rate > 1 else f"{1 / rate:5.2f}it/s"
    left = "?" if not rate else clock((total - count) * rate)
    percent = 100 * count / total
    return f"{name}{percent:3.0f}%|{'█' * int(percent // 10)}{' ' * (10 - int(percent // 10))}| {count}/{total} [{clock(elapsed)}<{left}, {shown}]"


class Bars:
    """HF Trainer's bar over several runs of one job: clocks[i][n] is when step n of the run was done."""

    def __init__(self, seed):
        dice = random.Random(f"bars{seed}")
        total, slow = dice.randrange(200, 500), dice.choice([0.15, 0.8, 3, 20])
        name, end = dice.choice(["", "Training: ", "train "]), dice.choice(["\r", "\r", "\n", "\r\n"])
        copies, prefix = dice.choice([1, 1, 3]), dice.choice(["", "", "[rank0]:", "  5: "])
        self.slow = slow
        self.clocks, pieces = [], [bar("Loading checkpoint shards: ", 2, 4, 3, 1.5) + end]
        begins = 0
        for last in [False, dice.random() < 0.5, True]:
            clock, clocks, drawn, rate = 0.0, {0: 0.0, begins: 0.0}, 0.0, None
            if begins: # from a checkpoint
                clocks = {begins: None}
            states = [bar(name, 0, total, 0, None)]
            stop = total if last else dice.randrange(begins + 60, total) if begins + 60 < total else total
            for step in range(begins + 1, stop + 1):
                took = slow * dice.uniform(0.7, 1.4) * (3 if step == begins + 1 else 1)
                if step % 50 == 0 and dice.random() < 0.5:
                    took += 40 # an evaluation
                    states.append(bar("Evaluating: ", dice.randrange(1, 9), 9, 12, 1.2))
                clock += took
                clocks[step] = clock
                rate = took if rate is None else 0.3 * took + 0.7 * rate
                if clock - drawn < 0.1 and step < stop:
                    continue
                drawn = clock
                state = bar(name, step, total, clock, clock / step if step == begins + 1 else rate)
                fate = dice.random()
                if fate < 0.02:
                    state = state[:dice.randrange(5, len(state))]
                elif fate < 0.05:
                    state += f"{{'loss': {dice.uniform(1, 9):.4f}, 'grad_norm': 1.5, 'learning_rate': 5e-05, 'epoch': 0.{step}}}"
                states.append(state)
            for state in states:
                pieces += [prefix + dice.choice(["", "", "\x1b[A"]) + state + end] * copies
            self.clocks.append(clocks)
            if stop == total:
                break
            begins = dice.choice([0, stop - stop % 20])
        self.text = "".join(pieces)

    def is_true(self, step, span, seconds):
        for clocks in self.clocks:
            begin, done = clocks.get(step - span), clocks.get(step)
            if begin is not None and done is not None and abs(seconds * span - (done - begin)) <= 1.001:
                return True
        return False


def _bars(self):
    for seed in range(16):
        bars = Bars(seed)
        _, said = read(bars.text, "tqdm")
        covered = 0
        for found in re.finditer(r"^job step (\d+)(?: span=(\d+))?.* step_time=([\d.]+)", said, re.M):
            step, span, seconds = int(found[1]), int(found[2] or 1), float(found[3])
            self.assertTrue(bars.is_true(step, span, seconds), f"seed {seed}: step {step}, {span} steps of {seconds}\n{said}")
            covered += span
        steps = sum(len(clocks) - 1 for clocks in bars.clocks)
        least = steps * 0.8 - len(bars.clocks) * 12 / bars.slow # what is shorter than a value at the end of a run
        self.assertTrue(least <= covered <= steps, f"seed {seed}: {covered} of {steps}\n{said}")


Vendors.test_bars = _bars


def _writers(self):
    """Four ranks print every step, in blocks, each with its own clock; then other ranks print restarts."""
    for name, line in (("torchtitan", torchtitan), ("llmc", llmc), ("nanogpt", nanogpt), ("nanochat", nanochat),
                       ("maxtext", maxtext), ("nemo", nemo2), ("nemo", automodel)):
        dice, clock, lines, expected = random.Random(name), 0.0, [], []
        runs = [(range(4), 1, 90, 1.0, 0.02), ([5], 61, 400, 0.8, 0.01), ([6], 101, 140, 0.9, 0.01), ([7, 8], 1, 40, 1.3, 0.01)]
        for ranks, first, last, seconds, noise in runs:
            written = {rank: [] for rank in ranks}
            for step in range(first, last + 1):
                t = seconds * dice.gauss(1, noise) + 5 * (step == first)
                clock += t
                for rank in ranks:
                    own = t * (dice.uniform(0.3, 1) if step == first else dice.gauss(1, noise / 4))
                    written[rank].append(f"[rank{rank}]:{line(step, own, clock, dice)}\n")
            for block in range(0, last, 30):
                for rank in dice.sample(list(ranks), len(ranks)):
                    lines += written[rank][block:block + 30]
            clock += 200
            expected.append(list(range(first, last + 1)))
        _, said = read(SETUP.get(name, "") + "".join(lines), name)
        steps, told = [int(number) for number in re.findall(r"^job step (\d+)", said, re.M)], [[]]
        for step in steps:
            if told[-1] and step <= told[-1][-1]:
                told.append([])
            told[-1].append(step)
        self.assertEqual([run[-1] for run in told], [run[-1] for run in expected], f"{line.__name__}\n{said}")
        for run, all_of_it in zip(told, expected): # the first two of a restart may be copies, as far as can be said
            self.assertIn(run, (all_of_it, all_of_it[1:], all_of_it[2:]), f"{line.__name__}\n{said}")


Vendors.test_writers = _writers

for _name, _line, _digits, _error, _restarts in FORMATS:
    def _test(self, case=(_name, _line, _digits, _error, _restarts)):
        self.check(*case)
    setattr(Vendors, f"test_{_line.__name__}", _test)


if __name__ == "__main__":
    unittest.main()
