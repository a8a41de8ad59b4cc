"""Speed and memory, beside `wc -l` on the same machine in the same minute.

Each line: what, measured, target, met or not. Loopback only; every part is
bounded in time and ends what it started. Exit status 1 when a target is missed."""

import argparse
import fcntl
import json
import os
import pty
import re
import resource
import select
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time

MIB = 1 << 20
missed = []


def say(what, measured, target, met):
    if not met:
        missed.append(what)
    print(f"{what:<52} {measured:<34} {target:<24} {'met' if met else 'NOT MET'}", flush=True)


# ---- processes ----


def run_timed(command):
    """CPU seconds of a command that must succeed."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"bench: {' '.join(command)}: exit status {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def peak_of(command):
    """Peak memory in bytes, sampled: ru_maxrss would count this interpreter, before exec."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        peak = max(peak, peak_bytes(process.pid))
        time.sleep(0.005)
    return peak


def say_speed(folder, part):
    """What the machine is worth now: a busy one makes every figure below worse."""
    text = os.path.join(folder, "lines")
    if not os.path.exists(text):
        with open(text, "w") as file:
            file.write((139 * "x" + "\n") * (32 * MIB // 140))
    seconds = statistics.median(run_timed(["wc", "-l", text]) for _ in range(9))
    print(f"-- {part}: wc -l takes {seconds * 1e3:.1f} ms of CPU for 32 MiB; load {os.getloadavg()[0]:.1f}", flush=True)


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak_bytes(pid):
    with open(f"/proc/{pid}/status") as file:
        found = re.search(r"VmHWM:\s+(\d+) kB", file.read())
        return int(found.group(1)) * 1024 if found else 0 # it has just ended


class Screen:
    """A program in a pseudo-terminal, whose output is counted and thrown away."""

    def __init__(self, command, columns=80, lines=24):
        self.started = time.monotonic()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
            os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8")
            os.execv(command[0], command)

    def pump(self, seconds):
        """[(when, bytes)] of what was written in that time."""
        end, seen = time.monotonic() + seconds, []
        while (left := end - time.monotonic()) > 0:
            if not select.select([self.fd], [], [], left)[0]:
                break
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                break
            seen.append((time.monotonic(), data))
        return seen

    def close(self):
        os.kill(self.pid, signal.SIGTERM)
        for _ in range(50):
            self.pump(0.05)
            if os.waitpid(self.pid, os.WNOHANG)[0]:
                break
        else:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)


def feed(options, *arguments):
    return [options.program, "feed", *map(str, arguments)]


def start_feed(options, *arguments):
    return subprocess.Popen(feed(options, *arguments), stdout=subprocess.DEVNULL)


def stop(process):
    process.terminate()
    process.wait(10)


# ---- the parts ----


def make_log(options, folder):
    steps = 1000000 if options.full else 250000
    log = os.path.join(folder, "one.jsonl")
    subprocess.run(feed(options, "--ranks", 8, "--steps", steps, "--slow", "5:1.1", "--speed", "max",
                        "--to", log), check=True)
    print(f"8 ranks x {steps} steps, {os.path.getsize(log) / MIB:.0f} MiB")
    return log


def bench_report(options, log):
    report, json_reader = [options.program, "report", log], [options.simdjson, log]
    to_wc, to_simdjson = [], []
    for _ in range(3 if options.full else 9):
        wc = run_timed(["wc", "-l", log])
        seconds = run_timed(report)
        to_wc.append(wc / seconds)
        if options.simdjson:
            to_simdjson.append(run_timed(json_reader) / seconds)
    ratio = statistics.median(to_wc)
    say("report, of the speed of wc -l", f"{ratio:.3f} (best {max(to_wc):.3f})", ">= 0.28", ratio >= 0.28)
    if to_simdjson:
        ratio = statistics.median(to_simdjson)
        say("report, of the speed of simdjson", f"{ratio:.2f}", ">= 1.3", ratio >= 1.3)
    alone, whole = [], []
    for _ in range(5 if options.full else 15):
        alone.append(run_timed([options.program, "report", "--figures-only", "--json", log]))
        whole.append(run_timed([options.program, "report", "--json", log]))
    # The least of each: a core that is shared makes single runs twice as long.
    more = min(whole) / min(alone) - 1
    median = statistics.median(w / a for w, a in zip(whole, alone)) - 1
    say("verdicts, floor and ledger, over the figures alone", f"{more:+.1%} (median pair {median:+.1%})",
        "<= +20%", more <= 0.2)
    memory = peak_of(report)
    say("report, peak memory", f"{memory / MIB:.1f} MiB", "<= 16 MiB", memory <= 16 * MIB)


def bench_replay(options, log):
    """The index beside wc -l, what it holds, and seeks drawn at random."""
    to_wc, to_one_thread, seeks, peaks = [], [], [], []
    for _ in range(3 if options.full else 9):
        wc = run_timed(["wc", "-l", log])
        one, two = (json.loads(subprocess.run([options.replay, log, threads], check=True, text=True,
                                              capture_output=True).stdout) for threads in ("1", "2"))
        to_wc.append(wc / one["index_cpu_s"])
        to_one_thread.append(one["index_s"] / two["index_s"])
        seeks.append(one["seek_worst_ms"])
        peaks.append(max(one["peak_kib"], two["peak_kib"]) * 1024)
    ratio, gain = statistics.median(to_wc), statistics.median(to_one_thread)
    worst, peak = statistics.median(seeks), max(peaks)
    say("replay: index, of the speed of wc -l", f"{ratio:.3f} (best {max(to_wc):.3f})", ">= 0.25", ratio >= 0.25)
    say("replay: index with two threads, of one", f"{gain:.2f} (best {max(to_one_thread):.2f})", ">= 1.7", gain >= 1.7)
    say("replay: peak memory", f"{peak / MIB:.1f} MiB", "< 64 MiB", peak < 64 * MIB)
    say("replay: the worst of 20 seeks", f"{worst:.1f} ms (best {min(seeks):.1f})", "< 50 ms", worst < 50)


def bench_first_frame(options, log):
    times = []
    for _ in range(7):
        screen = Screen([options.program, "watch", log])
        text, at = b"", None
        while at is None and time.monotonic() - screen.started < 5:
            for when, data in screen.pump(0.01):
                text += data
                if at is None and b"lockstep" in text:
                    at = when
        times.append((at or time.monotonic()) - screen.started)
        screen.close()
    median = statistics.median(times) * 1e3
    say("first frame, large log", f"{median:.1f} ms (best {min(times) * 1e3:.1f})", "<= 20 ms", median <= 20)


def frames_of(seen):
    """Sizes of pictures: what is written without a pause of 40 ms is one."""
    frames, last = [], None
    for when, data in seen:
        if last is None or when - last > 0.04:
            frames.append(0)
        frames[-1] += len(data)
        last = when
    return frames


def bench_screen(options, folder):
    logs = os.path.join(folder, "eight")
    writer = start_feed(options, "--ranks", 8, "--step-time", 0.2, "--slow", "5:1.1", "--to", logs)
    time.sleep(0.5)
    screen = Screen([options.program, "watch", logs])
    screen.pump(4)
    frames = frames_of(screen.pump(12))
    mean = sum(frames) / max(1, len(frames))
    say("bytes a frame at 80x24, eight bars moving", f"{mean:.0f} ({len(frames)} frames)", "<= 600",
        bool(frames) and mean <= 600)
    memory = peak_bytes(screen.pid)
    say("memory at 8 ranks", f"{memory / MIB:.1f} MiB", "<= 8 MiB", memory <= 8 * MIB)
    screen.close()
    stop(writer)
    screen = Screen([options.program, "watch", logs])
    screen.pump(6)
    quiet = sum(len(data) for _, data in screen.pump(6))
    say("bytes in 6 s while nothing changes", str(quiet), "0", quiet == 0)
    screen.close()


def bench_follow(options, folder, poll):
    logs = os.path.join(folder, "poll" if poll else "notices")
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit[1], limit[1]))
    writer = start_feed(options, "--ranks", options.ranks, "--to", logs)
    time.sleep(4)
    screen = Screen([options.program, "watch", *(["--poll"] if poll else []), logs])
    screen.pump(8)
    before, begin = cpu_seconds(screen.pid), time.monotonic()
    screen.pump(20)
    share = (cpu_seconds(screen.pid) - before) / (time.monotonic() - begin)
    target = 0.15 if poll else 0.10
    alive = writer.poll() is None
    say(f"{options.ranks} files, a line a second each, {'--poll' if poll else 'notices'}",
        f"{share:.1%} of a core" if alive else "the feed has ended", f"<= {target:.0%}", alive and share <= target)
    screen.close()
    stop(writer)
    shutil.rmtree(logs, ignore_errors=True)


# ---- UDP ----


class Receiver:
    def __init__(self, options, *arguments):
        command = [options.program, "report", "--json", "--idle", "1", *arguments, "udp://127.0.0.1:0"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.line = self.process.stderr.readline()
        self.port = re.search(r":(\d+)", self.line).group(1)

    def finish(self):
        """(records, dropped by the kernel, CPU seconds)"""
        text = self.process.stdout.read()
        _, _, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = 0
        source = json.loads(text)["source"]
        return source["records"], source["dropped"], usage.ru_utime + usage.ru_stime


def send(options, receiver, *arguments):
    output = subprocess.run([options.sender, receiver.port, *map(str, arguments)], check=True,
                            capture_output=True, text=True).stdout.split()
    return int(output[0]), float(output[1])


def bench_udp(options):
    rates, lost = [], []
    for _ in range(5):
        receiver = Receiver(options)
        sent, seconds = send(options, receiver, 8, 150000, 400000)
        records, _, _ = receiver.finish()
        rates.append(sent / seconds)
        lost.append(sent - records)
    good = sum(1 for n in lost if n == 0)
    say("UDP, one record a datagram, 5 runs", f"{min(rates) / 1e3:.0f} to {max(rates) / 1e3:.0f} k/s, lost {lost}", "400000/s, 5 of 5 whole",
        good == 5 and min(rates) >= 395000)
    receiver = Receiver(options)
    sent, seconds = send(options, receiver, 16384, 60, 163840)
    records, dropped, cpu = receiver.finish()
    share = cpu / seconds
    say("UDP, 163840 records/s", f"{share:.1%} of a core, lost {sent - records}, dropped {dropped}", "<= 25%, none",
        share <= 0.25 and records == sent)
    receiver = Receiver(options)
    sent, _ = send(options, receiver, 16384, 1, 0, 256)
    records, dropped, _ = receiver.finish()
    say("UDP, a burst of 16384 at once", f"lost {sent - records}, dropped {dropped}", "none", records == sent)
    receiver = Receiver(options, "--rcvbuf", "1")
    os.kill(receiver.process.pid, signal.SIGSTOP)
    sent, _ = send(options, receiver, 8, 6000, 0)
    os.kill(receiver.process.pid, signal.SIGCONT)
    time.sleep(0.2)
    sent += send(options, receiver, 16, 1, 0)[0] # so that the count of the drops is read
    records, dropped, _ = receiver.finish()
    say("UDP, sent = received + dropped", f"{sent} = {records} + {dropped}", "exact, some dropped",
        sent == records + dropped and dropped > 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, help="lockstep")
    parser.add_argument("--sender", required=True, help="udp_sender")
    parser.add_argument("--replay", required=True, help="replay_speed")
    parser.add_argument("--simdjson", help="simdjson_sum, to compare with")
    parser.add_argument("--full", action="store_true", help="the log with a million steps: 1.1 GB")
    parser.add_argument("--ranks", type=int, default=16384, help="files that are followed")
    parser.add_argument("--only", default="report,replay,frame,screen,follow,udp")
    options = parser.parse_args()
    parts = options.only.split(",")
    with tempfile.TemporaryDirectory(prefix="lockstep-bench-") as folder:
        log = make_log(options, folder) if {"report", "replay", "frame"} & set(parts) else None
        for part, bench in {
            "report": lambda: bench_report(options, log),
            "replay": lambda: bench_replay(options, log),
            "frame": lambda: bench_first_frame(options, log),
            "screen": lambda: bench_screen(options, folder),
            "udp": lambda: bench_udp(options),
            "follow": lambda: [bench_follow(options, folder, poll) for poll in (False, True)],
        }.items():
            if part in parts:
                say_speed(folder, part)
                bench()
    if missed:
        sys.exit(f"{len(missed)} missed: " + "; ".join(missed))


if __name__ == "__main__":
    main()
