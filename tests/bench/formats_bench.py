"""How fast logs in other formats are decoded, beside `wc -l` on the same file.

    formats_bench.py FORMATS_SPEED [FORMAT...]

Each line: what, measured, target, met or not. Files of a format's own lines are made here,
with numbers that go on; noise is what the ranks of a job print besides."""

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

SIZE = 64 << 20
PAIRS = 5
missed = 0


def seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def millis(i):
    return 1000 + (i * 7919) % 50000 / 100


def stamp(i):
    return f"2026-05-{1 + i // 86400 % 28:02}T{i // 3600 % 24:02}:{i // 60 % 60:02}:{i % 60:02}"


def day(i):
    return stamp(i).replace("T", " ")


def megatron(i):
    return (f" [{day(i)}.{i % 1000000:06}] iteration {i:8}/  500000 | consumed samples: {i * 1024:12} | elapsed time per "
            f"iteration (ms): {millis(i):.1f} | throughput per GPU (TFLOP/s/GPU): {400 + i % 50:.1f} | learning rate: "
            f"6.000000E-05 | global batch size:  1024 | lm loss: 2.{i % 1000000:06}E+00 | loss scale: 1.0 | grad norm: "
            f"0.{i % 1000:03} | number of skipped iterations:   0 | number of nan iterations:   0 |\n")


def megatron_ranks(i):
    rows = "".join(f"     rank {r:2}: {millis(i + r):.2f}\n" for r in range(64))
    return megatron(i) + "times across ranks (ms):\n  forward-backward:\n" + rows


def deepspeed(i):
    return (f"[{day(i)},495] [INFO] [logging.py:96:log_dist] [Rank 0] rank=0 time (ms) | fwd_microstep: {millis(i):.2f} | "
            f"bwd_microstep: {millis(i + 1):.2f} | bwd_inner_microstep: {millis(i + 2):.2f} | bwd_allreduce_microstep: "
            f"{i % 100}.25 | step_microstep: {i % 90}.31\n")


def comm(i):
    return (f"0: [{day(i)},495] [INFO] [logging.py:96:log_dist] [Rank 0] rank=0 | comm op: all_reduce | time (ms): "
            f"{millis(i):.2f} | msg size: 16.43 KB | algbw (Gbps): 0.57  | busbw (Gbps): 1.13 \n")


def torchtitan(i):
    return (f"[rank0]:[titan] {day(i)},899 - root - INFO - \x1b[31mstep: {i:2}  \x1b[32mloss: {7.5:8.5f}  \x1b[38;2;180;60;0m"
            f"grad_norm: {1.5:7.4f}  \x1b[33mmemory: 168.57GiB(94.52%)  \x1b[34mtps: {9000 + i % 900:,}  \x1b[36mtflops: "
            f"{800 + i % 50:.2f}  \x1b[35mmfu: {35 + i % 400 / 100:.2f}%\x1b[39m\n")


def mllog(i):
    return (f':::MLLOG {{"namespace": "", "time_ms": {1760000000000 + i * 13140}, "event_type": "POINT_IN_TIME", "key": '
            f'"tracked_stats", "value": {{"train_step_time": {millis(i) / 100:.6f}, "reduced_train_loss": 2.5}}, "metadata": '
            f'{{"file": "/workspace/llm/callback.py", "lineno": 251, "samples_count": {i * 1152}, "step": {i}}}}}\n')


def tqdm(i):
    eighths = 80 * i // 9000000  # the bar is ten columns wide
    bar = "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8] * (eighths < 80)
    return (f"\r{100 * i // 9000000:3}%|{bar:10}| {i}/9000000 [{i // 3600}:{i // 60 % 60:02}:{i % 60:02}<99:59:59, "
            f" 1.{i % 100:02}s/it]")


TEXTS = {
    "megatron": megatron,
    "megatron, 64 ranks": megatron_ranks,
    "deepspeed": deepspeed,
    "deepspeed, comm": comm,
    "torchtitan": torchtitan,
    "mllog": mllog,
    "tqdm": tqdm,
    "dllogger": lambda i: f"DLL {day(i)}.734283 - Iteration {i} | train_acc : 0.25 % | iteration_time : {millis(i):.3f} ms | train_loss : 2.5 \n",
    "hugectr": lambda i: f"[HCTR][19:41:06.108][INFO][RK0][main]: Iter: {i * 100} Time(100 iters): {millis(i) / 1000:.6f}s Loss: 0.12 lr:0.0005\n",
    "metriclogger": lambda i: f"Epoch: [{i // 4571}]  [{i % 4571:4}/4571]  eta: 0:01:00  lr: 0.000100  loss: 2.5000 (2.6000)  time: 0.0{190 + i % 9}  data: 0.017{i % 10}  max mem: 20000\n",
    "llmc": lambda i: f"step {i:5}/900000 | loss 3.{i % 1000:03} (+nanz)| norm 0.5137 (-0.12z)| lr 6.00e-04 | {millis(i):.2f} ms | 45.1% bf16 MFU | {113000 + i % 900} tok/s\n",
    "nanochat": lambda i: f"step {i:05}/900000 (0.02%) | loss: 2.512345 | lrm: 1.00 | dt: {millis(i):.2f}ms | tok/sec: {500000 + i % 30000:,} | bf16_mfu: 48.{i % 100:02} | epoch: 1 | total time: 1.27m | eta: 99.9m\n",
    "nanogpt": lambda i: f"iter {i}: loss 2.{i % 10000:04}, time {millis(i):.2f}ms, mfu 41.{i % 100:02}%\n",
    "modded-nanogpt": lambda i: f"step:{i}/9000000 train_time:{i * 92}ms step_avg:{92:.2f}ms\n",
    "wordplay": lambda i: f"[{day(i)}][INFO][trainer:850] - step={i} loss=2.5123 dt={millis(i):.3f} dtf={i % 90}.25 dtb={i % 70}.75 sps=14.5 mtps=0.0595 mfu=32.{i % 100:02}\n",
    "maxtext": lambda i: f"completed step: {i}, seconds: {millis(i) / 1000:.3f}, TFLOP/s/device: {130 + i % 9}.9{i % 10}, Tokens/s/device: 2167.5, total_weights: 524288, loss: 6.{i % 1000:03}\n",
    "olmo": lambda i: f"[{day(i)}] INFO     [olmo.train:816, rank=0] [step={i}/739328]\n    train/CrossEntropyLoss=2.512\n    throughput/total_tokens={i * 4194304:,}\n    throughput/device/tokens_per_second={45000 + i % 900:,}\n    throughput/device/batches_per_second=0.08{i % 100:02}\n",
    "nemo": lambda i: f"Training epoch 0, iteration {i}/900000 | lr: 2.9e-05 | global_batch_size: 512 | global_step: {i} | reduced_train_loss: 2.5 | train_step_timing in s: {millis(i) / 1000:.4f} | TFLOPS_per_GPU: 7.{i % 1000:03}e+02 | consumed_samples: {i * 512}\n",
    "gkrls": lambda i: f"[{day(i)}][Epoch 000][Step {i % 316:04}/316] global_step={i} train_loss=9.5 train_ppl=9500.1 lr=2.5e-05 step_time={millis(i) / 100:.3f}s step_time_min=9.1 step_time_max=18.5 micro_time=1.2s tp=2500 tok/s\n",
    "nccl-inspector": lambda i: json.dumps({
        "header": {"id": "0x7f8c496ae9f661", "rank": 2, "n_ranks": 8, "nnodes": 1},
        "metadata": {"inspector_output_format_version": "v4.0", "git_rev": "", "rec_mechanism": "nccl_profiler_interface",
                     "dump_timestamp_us": 1760000000000000 + i * 1000, "hostname": "node1", "pid": 1639453},
        "coll_perf": {"coll": "AllReduce", "coll_sn": i, "coll_msg_size_bytes": 17179869184, "coll_exec_time_us": 61974 + i % 99,
                      "coll_algobw_gbs": 277.21, "coll_busbw_gbs": 485.12,
                      "event_trace_ts": {"coll_start_ts": 1760000000000000 + i * 1000, "coll_stop_ts": 1760000000000900 + i * 1000,
                                         "kernel_events": [{"channel_id": 0, "kernel_start_ts": 1760000000000100 + i * 1000,
                                                            "kernel_stop_ts": 1760000000000800 + i * 1000, "kernel_record_ts": 0}]}}}) + "\n",
    "op-trace": lambda i: ("dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,mc,mb_id,gmc\n" if i == 1 else
                           f"{i // 8 % 4},{i % 8 // 2},{i % 8},{i // 512},forward-compute,0.{i % 512:03}4716,0.1386{i % 97:02},{i % 8},0,{i % 8},0\n"),
}

def own_json(i):
    return json.dumps({"time": 1760000000 + i * 0.125, "level": "info", "process_index": i % 8, "global_step": i // 8, "loss": 2.5,
                       "m": {"fwd_ms": millis(i), "bwd_ms": millis(i + 1)}, "ar_us": 100 + i % 5000, "lr": 6e-05}) + "\n"


def own_table(i):
    header = "time,host,step,rank,loss,grad_norm,fwd_ms,bwd_ms,allreduce_us,lr,note\n" if i == 1 else ""
    return header + (f"{1760000000 + i * 0.125},node{i % 8},{i // 8},{i % 8},2.{i % 10000:04},1.5,{millis(i):.2f},{millis(i + 1):.2f},{100 + i % 5000},"
                     "6e-05,a note that nobody reads but that is there\n")


def own_text(i):
    return (f"{day(i)},123 INFO trainer.py:812 epoch 0 step {i // 8} of 900000 rank {i % 8} loss 2.{i % 10000:04} took {millis(i):.2f} ms "
            f"(lr 6.0e-05, norm 1.{i % 1000:03})\n")


OWN = {
    "map, JSON": (own_json, ["map", "rank=process_index,step=global_step,t=time,forward=m.fwd_ms:ms,backward=m.bwd_ms:ms,sync=ar_us:us"]),
    "map, CSV": (own_table, ["map", "rank=rank,step=step,t=time,host=host,forward=fwd_ms:ms,backward=bwd_ms:ms,sync=allreduce_us:us"]),
    "pattern": (own_text, ["pattern", "step {step} of {} rank {rank} loss {} took {step_time:ms}"]),
}

NOISE = [
    "node17:1639453:1639980 [3] NCCL INFO Channel 05/0 : 3[3] -> 11[3] [send] via NET/IB/3/GDRDMA\n",
    "  3: /usr/lib/python3/dist-packages/torch/distributed/c10d_logger.py:79: FutureWarning: all_gather_into_tensor\n",
    "[rank5]:W0511 02:59:55.145289 1234 site-packages/torch/_logging/_internal.py:1081] [0/0] Profiler function hooks\n",
    "127: > building train, validation, and test datasets for GPT ...\n",
    "| 0   N/A  N/A     12345      C   /usr/bin/python3                              71230MiB |\n",
    "srun: error: node17: task 3: Exited with exit code 1, see the log of step 0 for the reason\n",
]


def fill(path, make, size):
    with open(path, "w", encoding="utf-8", newline="") as out:
        i, written = 1, 0
        while written < size:
            text = "".join(make(k) for k in range(i, i + 1000))
            i += 1000
            written += len(text)
            out.write(text)


def kineto(path, size):
    """A trace as the profiler writes it: operators, kernels, steps."""
    with open(path, "w", encoding="utf-8") as out:
        out.write('{\n  "schemaVersion": 1,\n  "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8},\n'
                  '  "baseTimeNanoseconds": 1727000000000000000,\n  "traceEvents": [\n')
        at, step, i = 1000.5, 1, 0
        while out.tell() < size:
            rows = []
            for _ in range(500):
                i += 1
                at += 40.125
                rows.append(f'  {{\n    "ph": "X", "cat": "cpu_op", "name": "aten::addmm", "pid": 1639453, "tid": 1639453,\n    "ts": {at:.3f}, "dur": 31.250,\n'
                            f'    "args": {{\n      "External id": {i},"Record function id": 0, "Sequence number": {i}, "Fwd thread id": 0, "Ev Idx": {i}\n    }}\n  }},\n')
                name = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)" if i % 50 == 0 else \
                    "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_nn"
                rows.append(f'  {{\n    "ph": "X", "cat": "kernel", "name": "{name}", "pid": 0, "tid": 7,\n    "ts": {at:.3f}, "dur": 25.500,\n    "args": {{\n'
                            f'      "External id": {i}, "queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": {i}, "registers per thread": 234,\n'
                            f'      "shared memory": 98304, "blocks per SM": 1.2, "warps per SM": 9.5, "grid": [128, 1, 1], "block": [256, 1, 1]\n    }}\n  }},\n')
            rows.append(f'  {{\n    "ph": "X", "cat": "user_annotation", "name": "ProfilerStep#{step}", "pid": 1639453, "tid": 1639453,\n'
                        f'    "ts": {at - 500 * 40.125:.3f}, "dur": {500 * 40.125:.3f}\n  }},\n')
            step += 1
            out.write("".join(rows))
        out.write('  {\n    "ph": "M", "name": "process_name", "ts": 0, "pid": 1, "tid": 0, "args": {"name": "python"}\n  }\n]}\n')


def decoded(reader, path, more=()):
    return subprocess.run([reader, path, *more], check=True, capture_output=True, text=True).stdout.split()


def compare(reader, path, more=()):
    """Processor time beside `wc -l`, medians of pairs."""
    pairs = [(seconds(["wc", "-l", path]), seconds([reader, path, *more])) for _ in range(PAIRS)]
    return statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs)


def say(what, measured, target, met):
    global missed
    missed += not met
    print(f"{what:<22} {measured:<58} {target:<16} {'met' if met else 'NOT MET'}", flush=True)


def text_speed(reader, folder, name, make, target, more=()):
    path = os.path.join(folder, "log")
    fill(path, make, SIZE)
    _, size, other, records = decoded(reader, path, more)
    count, decode = compare(reader, path, more)
    share = count / decode
    say(name, f"{share:6.1%} of wc -l, {int(size) / decode / 1e6:5.0f} MB/s, {records} records, {other} other",
        f"{target:.0%}", share >= target)


def trace_speed(reader, folder):
    path = os.path.join(folder, "trace.json")
    kineto(path, 512 << 20)
    _, size, _, records = decoded(reader, path)
    _, decode = compare(reader, path)
    peak = subprocess.run(["python3", "-c", "import resource,subprocess,sys;subprocess.run(sys.argv[1:],stdout=subprocess.DEVNULL);"
                           "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)", reader, path],
                          check=True, capture_output=True, text=True).stdout
    speed = int(size) / decode / 1e6
    say("kineto", f"{speed:5.0f} MB/s, {records} steps, {int(peak) / 1024:.0f} MiB of {int(size) >> 20}", "150 MB/s", speed >= 150)


def main():
    reader, chosen = sys.argv[1], sys.argv[2:]
    shm = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = tempfile.mkdtemp(prefix="lockstep-bench-", dir=shm)
    try:
        if not chosen or "noise" in chosen:
            text_speed(reader, folder, "noise", lambda i: NOISE[i * 7 % len(NOISE)], 0.25)
        for name, make in TEXTS.items():
            if not chosen or name.split(",")[0] in chosen:
                text_speed(reader, folder, name, make, 0.10)
        for name, (make, more) in OWN.items():
            if not chosen or name.split(",")[0] in chosen:
                text_speed(reader, folder, name, make, 0.10, more)
        if not chosen or "kineto" in chosen:
            trace_speed(reader, folder)
    finally:
        shutil.rmtree(folder)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
