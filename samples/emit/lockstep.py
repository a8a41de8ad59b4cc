"""Step records for lockstep, from a Python training job. Standard library only.

Two lines to paste:

    import lockstep
    for step in lockstep.steps(range(n)):        # was: for step in range(n):

and then `lockstep watch logs/`. A data loader may stand in the place of the range; the time
it takes to give a batch is then the step's `data` time. To see which phase is slow, mark it:

        with lockstep.phase("forward"):          # data, forward, backward, sync, optimizer
            loss = model(batch)
        if step % 1000 == 0:
            lockstep.event("checkpoint")         # or "validation": a slow step, but not a slow rank
            save(model)

Or with a writer of your own:

    writer = lockstep.Writer("udp://monitor:9000", rank=rank)
    with writer.step(step, tokens=tokens) as s:
        with s.phase("forward"):
            ...

WHERE is a folder (each rank writes rank<N>.jsonl in it), a file (*.jsonl) or udp://HOST:PORT;
the environment variable LOCKSTEP overrides the default, `logs/`.

It never blocks the training and never breaks it: a thread does the writing, the queue to it
is bounded, and whatever goes wrong here is counted, said once on standard error, and dropped.
With CUDA the times are those of events on the current stream; they are read when they have
happened, so no step is synchronised for it. Importing this module does nothing.
"""

import atexit
import collections
import json
import os
import socket
import sys
import threading
import time

PHASES = ("data", "forward", "backward", "sync", "optimizer", "compute")
QUEUE_MAX = 10000  # lines that wait for the thread; more are dropped and counted
PENDING_MAX = 256  # steps whose CUDA events have not happened yet
RETRY_SECONDS = 5.0  # after a failure, until the file is opened again
CLOSE_SECONDS = 2.0  # the longest that leaving the program waits for the last lines


def find_rank():
    """The rank that the launcher or torch.distributed says; 0 when nobody does."""
    for name in ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"):
        value = os.environ.get(name, "")
        if value.isdigit():
            return int(value)
    torch = sys.modules.get("torch")
    try:
        if torch.distributed.is_available() and torch.distributed.is_initialized():
            return torch.distributed.get_rank()
    except Exception:
        pass
    return 0


class _HostClock:
    """Marks are perf_counter readings; they have always happened."""

    def mark(self):
        return time.perf_counter()

    def seconds(self, begin, end):
        return end - begin

    def happened(self, mark):
        return True


class _CudaClock:
    """Marks are events on the current stream; they are read when the GPU has passed them."""

    def __init__(self, cuda):
        self._cuda = cuda

    def mark(self):
        event = self._cuda.Event(enable_timing=True)
        event.record()
        return event

    def seconds(self, begin, end):
        return begin.elapsed_time(end) / 1000.0

    def happened(self, mark):
        return mark.query()


def _choose_clock():
    torch = sys.modules.get("torch")
    try:
        if torch is not None and torch.cuda.is_available():
            return _CudaClock(torch.cuda)
    except Exception:
        pass
    return _HostClock()


class _Phase:
    """`with step.phase(name):`. Phases may repeat (they add up) and nest (the inner one's
    time is not the outer one's)."""

    def __init__(self, step, name):
        self._step = step
        self._name = name

    def __enter__(self):
        if self._step is not None:
            self._step._enter(self._name)
        return self

    def __exit__(self, kind, value, trace):
        if self._step is not None:
            self._step._leave()
        return False


class Step:
    """One step of one rank. Made by Writer.step(); written when its block ends without an
    exception. `event` says that the step, or the pause before it, holds a "checkpoint" or a
    "validation"; it may be set while the step runs."""

    def __init__(self, writer, number, tokens, event=None):
        self._writer = writer
        self.number = number
        self.tokens = tokens
        self.event = event
        self._stack = []  # names of the open phases, the innermost last
        self._cuts = []  # (mark, name of the phase that begins there or None)
        self._closed = False

    def phase(self, name):
        return _Phase(self, name)

    def __enter__(self):
        try:
            self._writer._begin(self)
        except Exception as error:
            self._writer._failed(error)
        return self

    def __exit__(self, kind, value, trace):
        try:
            self._writer._end(self, write=kind is None)
        except Exception as error:
            self._writer._failed(error)
        return False

    def _cut(self, name):
        self._cuts.append((self._writer._clock.mark(), name))

    def _enter(self, name):
        try:
            if name not in PHASES:
                self._writer._warn("%r is not a phase (%s); its time is left out"
                                   % (name, ", ".join(PHASES)))
                name = None
            self._stack.append(name)
            self._cut(name)
        except Exception as error:
            self._writer._failed(error)

    def _leave(self):
        try:
            self._stack.pop()
            self._cut(self._stack[-1] if self._stack else None)
        except Exception as error:
            self._writer._failed(error)

    def _times(self, clock):
        """Seconds by phase, from one cut to the next."""
        times = {}
        for (begin, name), (end, _) in zip(self._cuts, self._cuts[1:]):
            if name is not None:
                times[name] = times.get(name, 0.0) + clock.seconds(begin, end)
        return times


class Writer:
    """Writes the records of one rank. `where` is a folder, a *.jsonl file or
    udp://HOST:PORT; `group` names the peers that this rank is compared with."""

    def __init__(self, where=None, rank=None, group=None, host=None, path=None):
        self._where = str(where or path or os.environ.get("LOCKSTEP") or "logs/")
        self._rank = rank
        self._group = group
        self._host = host
        self._clock = None
        self._step = None  # the open one
        self._pending = collections.deque()  # steps whose marks have not all happened
        self._begin_mark = None  # of the last step that was written: its t is _begin_time
        self._begin_time = 0.0
        self._closed = False
        self._warned = False
        self.errors = 0  # what went wrong and was swallowed
        self.dropped = 0  # records that could not be written
        self._start_thread()

    # The training's side: nothing here waits.

    def step(self, number, tokens=None, event=None):
        return Step(self, number, tokens, event)

    def _begin(self, step):
        if self._clock is None:
            self._prepare()
        self._step = step
        step.time = time.time()
        step._cut(None)

    def _prepare(self):
        self._clock = _choose_clock()
        if self._rank is None:
            self._rank = find_rank()
        self._tail = ""
        for key, value in (("host", self._host or socket.gethostname()), ("group", self._group)):
            if value is not None:
                self._tail += ',"%s":%s' % (key, json.dumps(str(value)))
        self._seq = 0

    def _end(self, step, write):
        if self._step is step:
            self._step = None
        if step._closed or not step._cuts:
            return
        step._closed = True
        step._cut(None)
        if not write:
            return
        self._pending.append(step)
        if len(self._pending) > PENDING_MAX:
            self._pending.popleft()
            self.dropped += 1
        self._settle()

    def _settle(self):
        """Writes the steps whose marks have all happened."""
        while self._pending and self._clock.happened(self._pending[0]._cuts[-1][0]):
            step = self._pending.popleft()
            self._emit(self._line(step))

    def _time_of(self, step):
        """When the step began. The host launches work ahead of the GPU, so with events
        the host's clock is read once, and what follows is counted on by the events."""
        mark = step._cuts[0][0]
        if self._begin_mark is None or isinstance(self._clock, _HostClock):
            self._begin_time = step.time
        else:
            self._begin_time += self._clock.seconds(self._begin_mark, mark)
        self._begin_mark = mark
        return self._begin_time

    def _line(self, step):
        times = step._times(self._clock)
        if not any(name != "data" for name in times):
            times["step_time"] = self._clock.seconds(step._cuts[0][0], step._cuts[-1][0])
            times.pop("data", None)  # data alone is not the rank's own time
        line = '{"rank":%d,"step":%d,"t":%.6f' % (self._rank, step.number, self._time_of(step))
        for name in PHASES + ("step_time",):
            if name in times:
                line += ',"%s":%.6f' % (name, max(times[name], 0.0))
        if step.tokens is not None:
            line += ',"tokens":%d' % step.tokens
        line += self._tail
        if step.event is not None:
            line += ',"event":%s' % json.dumps(str(step.event))
        if self._where.startswith("udp://"):
            line += ',"seq":%d' % self._seq
            self._seq += 1
        return (line + "}\n").encode("utf-8")

    def _emit(self, line):
        if self._closed:
            self.dropped += 1
            return
        if self._pid != os.getpid():  # a fork has no threads but the one that forked
            self._start_thread()
        if len(self._queue) >= QUEUE_MAX:
            self.dropped += 1
            self._warn("records come faster than %s takes them; some are left out" % self._where)
            return
        self._queue.append(line)
        self._wake.set()

    def _failed(self, error):
        self.errors += 1
        self._warn("%s: %s" % (self._where, error))

    def _warn(self, what):
        if self._warned:
            return
        self._warned = True
        try:
            sys.stderr.write("lockstep: %s; the training goes on\n" % what)
        except Exception:
            pass

    # The thread's side: it may wait as long as it likes.

    def _start_thread(self):
        try:
            self._pid = os.getpid()
            self._queue = collections.deque()
            self._wake = threading.Event()
            self._thread = threading.Thread(target=self._write_all, name="lockstep", daemon=True)
            self._thread.start()
            atexit.register(self.close)
            util = sys.modules.get("multiprocessing.util")
            if util is not None:  # a multiprocessing child leaves without atexit
                util.Finalize(None, self.close, exitpriority=10)
        except Exception as error:
            self._failed(error)

    def _write_all(self):
        sink = None
        retry_at = 0.0
        while True:
            self._wake.wait()
            self._wake.clear()
            while self._queue:
                lines = [self._queue.popleft() for _ in range(min(len(self._queue), 1000))]
                if sink is None and time.monotonic() < retry_at:
                    self.dropped += len(lines)
                    continue
                try:
                    sink = sink or _open_sink(self._where, self._rank)
                    self.dropped += sink.write(lines)
                except Exception as error:
                    self.dropped += len(lines)
                    self._failed(error)
                    if sink is not None:
                        sink.close()
                    sink = None
                    retry_at = time.monotonic() + RETRY_SECONDS
            if self._closed and not self._queue:
                if sink is not None:
                    sink.close()
                return

    def close(self):
        """Writes what is left, for at most two seconds. Called by itself at exit."""
        try:
            if self._closed or self._pid != os.getpid():
                return
            deadline = time.monotonic() + CLOSE_SECONDS
            while self._pending and time.monotonic() < deadline:
                self._settle()
                time.sleep(0.01 if self._pending else 0)
            self._closed = True
            self._wake.set()
            if self._thread is not threading.current_thread():
                self._thread.join(max(deadline - time.monotonic(), 0.1))
        except Exception as error:
            self._failed(error)


def _open_sink(where, rank):
    if where.startswith("udp://"):
        return _UdpSink(where)
    if where.endswith((".jsonl", ".json", ".ndjson", ".log")) and not os.path.isdir(where):
        return _FileSink(where)
    os.makedirs(where, exist_ok=True)
    return _FileSink(os.path.join(where, "rank%d.jsonl" % rank))


class _FileSink:
    def __init__(self, path):
        self._path = path
        self._torn = False  # the file ends in the middle of a line
        self._open()

    def close(self):
        try:
            os.close(self._fd)
        except OSError:
            pass

    def _open(self):
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        self._fd = os.open(self._path, flags, 0o666)
        self._checked = time.monotonic()

    def _follow(self):
        """A file that was rotated away is left, and a new one begun under the name."""
        if time.monotonic() - self._checked < 1.0:
            return
        self._checked = time.monotonic()
        try:
            same = os.path.samestat(os.stat(self._path), os.fstat(self._fd))
        except FileNotFoundError:
            same = False
        if not same:
            os.close(self._fd)
            self._open()
            self._torn = False

    def write(self, lines):
        """Returns how many could not be written; raises when nothing can."""
        self._follow()
        data = b"".join(lines)
        if self._torn:
            data = b"\n" + data
        while data:
            written = os.write(self._fd, data)
            self._torn = not data[:written].endswith(b"\n")
            data = data[written:]
        return 0


class _UdpSink:
    def __init__(self, where):
        host, _, port = where[len("udp://") :].rpartition(":")
        found = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_DGRAM)[0]
        self._socket = socket.socket(found[0], socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        self._address = found[4]

    def close(self):
        self._socket.close()

    def write(self, lines):
        lost = 0
        for line in lines:
            try:
                self._socket.sendto(line, self._address)
            except OSError:  # the buffer is full, or the network is away for a moment
                lost += 1
        return lost


_writer = None  # of steps() and phase()
_last = -1  # the newest step that steps() has begun


def _shared_writer(where, options):
    global _writer
    made_with = (where, tuple(sorted(options.items())))
    if _writer is None or _writer.made_with != made_with:
        if _writer is not None:
            _writer.close()
        _writer = Writer(where, **options)
        _writer.made_with = made_with
    return _writer


def steps(iterable, where=None, tokens=None, first=None, **options):
    """Goes through `iterable` as `for` does and writes a record for each turn. Steps are
    counted: from `first` when it is given, from the start of a range, else on from the last
    one (so a loop over epochs goes on counting). More options are those of Writer."""
    global _last
    writer = _shared_writer(where, options)
    is_range = isinstance(iterable, range)
    if first is None and is_range and len(iterable) > 0 and iterable[0] > _last:
        first = iterable[0]
    number = _last + 1 if first is None else first
    items = iter(iterable)
    while True:
        step = writer.step(number, tokens)
        step.__enter__()
        try:
            if is_range:
                item = next(items)
            else:
                with step.phase("data"):
                    item = next(items)
        except StopIteration:
            step.__exit__(StopIteration, None, None)
            return
        _last = number
        number += 1
        try:
            yield item
        except GeneratorExit:  # `break` in the loop: this step was not finished
            step.__exit__(GeneratorExit, None, None)
            raise
        step.__exit__(None, None, None)


def event(name):
    """Says that the step that steps() is in holds a "checkpoint" or a "validation", so that
    its length is no sign of a slow rank; does nothing outside of one."""
    step = _writer._step if _writer is not None else None
    if step is not None:
        step.event = name


def phase(name):
    """Marks a phase of the step that steps() is in; does nothing outside of one."""
    return _Phase(_writer._step if _writer is not None else None, name)
