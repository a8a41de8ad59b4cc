"""A real data-parallel training run on CPU, to be watched with lockstep.

    python3 samples/train_ddp.py --ranks 8 --slow 5:1.3 --out logs/
    lockstep watch logs/

A small transformer learns random text on several gloo ranks of torch (Debian: python3-torch).
Gradients are exchanged after the backward pass by an explicit all-reduce, so the records have
`sync`; with --overlap DistributedDataParallel exchanges them during the backward pass, so there
is no `sync`, and the waiting is inside `backward`. The slow rank really does more work: it runs
part of its forward and backward pass a second time.
"""

import argparse
import json
import os
import signal
import socket
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "emit"))
import lockstep

VOCABULARY, HIDDEN, LAYERS, HEADS, SEQUENCE, BATCH = 512, 128, 2, 4, 64, 4


def build_model(torch):
    nn = torch.nn
    layer = nn.TransformerEncoderLayer(HIDDEN, HEADS, 4 * HIDDEN, dropout=0.0, batch_first=True)
    return nn.Sequential(
        nn.Embedding(VOCABULARY, HIDDEN),
        nn.TransformerEncoder(layer, LAYERS),
        nn.Linear(HIDDEN, VOCABULARY),
    )


class ExtraWork:
    """`share` of a pass done once more, its result thrown away: 0.3 runs the first 30% of
    each sequence again, 1.5 all of it and then half."""

    def __init__(self, torch, model, share):
        self._torch = torch
        self._model = model
        self._lengths = [SEQUENCE] * int(share)
        if round(SEQUENCE * (share % 1)):
            self._lengths.append(round(SEQUENCE * (share % 1)))
        self._losses = []

    def forward(self, loss_of, text):
        self._losses = [loss_of(self._model, text[:, : length + 1]) for length in self._lengths]

    def backward(self):
        parameters = list(self._model.parameters())
        for loss in self._losses:  # grad() leaves .grad alone, and so the all-reduce
            self._torch.autograd.grad(loss, parameters)
        self._losses = []


def exchange(torch, model, ranks):
    """All gradients in one all-reduce, then the mean."""
    gradients = [p.grad for p in model.parameters()]
    flat = torch.cat([g.reshape(-1) for g in gradients])
    torch.distributed.all_reduce(flat)
    flat /= ranks
    for gradient, part in zip(gradients, flat.split([g.numel() for g in gradients])):
        gradient.copy_(part.view_as(gradient))


def train(rank, options, port):
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.environ.update(OMP_NUM_THREADS="1", MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(1)
    torch.distributed.init_process_group("gloo", rank=rank, world_size=options.ranks)
    model = build_model(torch)
    trained = torch.nn.parallel.DistributedDataParallel(model) if options.overlap else model
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    extra = ExtraWork(torch, model, options.slow.get(rank, 1.0) - 1.0)
    text_source = torch.Generator().manual_seed(rank)

    def loss_of(some_model, text):
        guess = some_model(text[:, :-1])
        return torch.nn.functional.cross_entropy(
            guess.reshape(-1, VOCABULARY), text[:, 1:].reshape(-1)
        )

    writer = lockstep.Writer(options.out, rank=rank)
    for number in range(options.steps):
        slowed = options.slow_from <= number <= options.slow_to
        with writer.step(number, tokens=BATCH * SEQUENCE) as step:
            with step.phase("data"):
                text = torch.randint(VOCABULARY, (BATCH, SEQUENCE + 1), generator=text_source)
            with step.phase("forward"):
                if slowed:
                    extra.forward(loss_of, text)
                loss = loss_of(trained, text)
            with step.phase("backward"):
                optimizer.zero_grad()
                if slowed:
                    extra.backward()
                loss.backward()
            if not options.overlap:
                with step.phase("sync"):
                    exchange(torch, model, options.ranks)
            with step.phase("optimizer"):
                optimizer.step()
        if rank == 0 and number % 50 == 0:
            print("step %d, loss %.3f" % (number, loss.item()), flush=True)
    writer.close()
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()


def write_run(options):
    """run.json: what the records cannot say. The peak is an assumption: MFU is for show."""
    import torch

    parameters = sum(p.numel() for p in build_model(torch).parameters())
    run = {
        "run": "train-ddp",
        "model": {
            "name": "tiny transformer",
            "params": parameters,
            "layers": LAYERS,
            "hidden": HIDDEN,
            "sequence": SEQUENCE,
        },
        "gpus": options.ranks,
        "tokens_per_step": options.ranks * BATCH * SEQUENCE,
        "chip": {"name": "a share of a CPU", "peak_flops": 2e10},
        "recompute": "none",
        "note": "gloo ranks on a CPU; the peak is an assumption, for the arithmetic only",
    }
    os.makedirs(options.out, exist_ok=True)
    with open(os.path.join(options.out, "run.json"), "w", encoding="utf-8") as file:
        json.dump(run, file, indent=1)
        file.write("\n")


def parse_slow(text):
    rank, _, factor = text.partition(":")
    rank, factor = int(rank), float(factor)
    if factor < 1:
        raise ValueError(text)
    return rank, factor


def parse():
    parser = argparse.ArgumentParser(
        description="A real data-parallel training run on CPU, to be watched with lockstep."
    )
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--slow", type=parse_slow, action="append", default=[],
                        metavar="RANK:FACTOR", help="5:1.3: rank 5 works 30%% more; repeatable")
    parser.add_argument("--slow-from", type=int, default=0, metavar="STEP")
    parser.add_argument("--slow-to", type=int, default=sys.maxsize, metavar="STEP")
    parser.add_argument("--overlap", action="store_true",
                        help="exchange during the backward pass (DDP): no sync in the records")
    parser.add_argument("--out", default="logs/", metavar="WHERE",
                        help="a folder, or udp://HOST:PORT (default: %(default)s)")
    options = parser.parse_args()
    options.slow = dict(options.slow)
    if options.ranks < 1 or any(not 0 <= rank < options.ranks for rank in options.slow):
        parser.error("there is no such rank")
    return options


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def main():
    options = parse()
    try:
        import torch.multiprocessing
    except ImportError:
        sys.exit("train_ddp.py: torch is missing; Debian: apt install python3-torch, "
                 "and run with /usr/bin/python3")
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    if options.out.startswith("udp://"):
        print("watch with: lockstep watch %s" % options.out, flush=True)
    else:
        write_run(options)
        print("watch with: lockstep watch %s" % options.out, flush=True)
    begin = time.monotonic()
    try:
        torch.multiprocessing.spawn(train, (options, free_port()), nprocs=options.ranks)
    except KeyboardInterrupt:
        sys.exit(130)
    print("%d steps in %.0f s" % (options.steps, time.monotonic() - begin))


if __name__ == "__main__":
    main()
